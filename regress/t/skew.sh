# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl skew, and offsets behind the names of directories: messages between two
# traces whose clocks are apart by a known time.  awk(1) finds the bounds, too.

. ./shared/rows.sh
. ./shared/dated.sh

# host NAME OFFSET: a trace of the packets on the standard input, whose clock
# began so many ns after 1970; event IDs are sent, received, answered, got.
host() {
	mkdir "$T/$1" || exit 1
	{
		rows_metadata | sed "s/freq = /offset = $2; &/"
		for e in '"m:sent"; id = 0' '"m:received"; id = 1' \
		    '"m:answered"; id = 2' '"m:got"; id = 3'; do
			echo "event { name = $e; stream_id = 0;" \
			    "fields := struct { u32 k; }; };"
		done
	} >"$T/$1/metadata"
	rows "$1"
}
# skew ARGUMENT...: in $T.
skew() {
	(cd "$T" && utctl skew -D m:sent,m:received,k -D m:answered,m:got,k \
	    "$@")
}
view() {
	(cd "$T" && utctl view "$@")
}

# Requests 1 to 3 take 2, 1 and 3 s, and their answers 1, 3 and 2 s; b's clock is
# 1000 s less 0.25 s ahead of a's.  Request 4 is not received, 5 is not sent, and
# 6 comes twice, and 7 is received twice.
host a 1000000000000 <<-END
	c 0 10 99 0 0 0 10 1 3 15 1 0 20 2 3 27 2 0 30 3 3 36 3 0 40 4 0 50 6 0 60 6 0 65 7
END
host b 1999750000000 <<-END
	c 0 12 99 0 0 1 12 1 2 14 1 1 21 2 2 24 2 1 33 3 2 34 3 1 45 5 1 52 6 1 62 6 1 66 7 1 67 7
END
expect 0 '^a to b: 3 messages: offset at least -1000\.750000000 s, by m:sent,m:received 2 of ' \
    skew a b
expect 0 '^b to a: 3 messages: offset at most -998\.750000000 s, by m:answered,m:got 1 of ' \
    skew a b
expect 0 '^offset -999\.750000000 s, off by at most 1\.000000000 s$' skew a b
expect 0 '^b@-999750000000ns$' skew a b
expect 0 '^2 left out: only sent, or only received$' skew a b
expect 0 '^2 left out: the key comes again$' skew a b
[ "$(skew -q a b)" = b@-999750000000ns ] || fail "-q: $(skew -q a b)"
[ "$(skew -q b a)" = a@+999750000000ns ] || fail "the other way"
# Offsets that are given count.
[ "$(skew -q a b@-999s)" = b@-999750000000ns ] || fail "b was moved"
[ "$(skew -q a@+9s b)" = b@-990750000000ns ] || fail "a was moved"
expect 0 '^{"least":{"messages":3,"offset_ns":"-1000750000000","pair":"m:sent,m:received","key":"2","sent":"1020000000000","received":"2020750000000"},"most":{"messages":3,"offset_ns":"-998750000000",.*},"alone":2,"again":2,"offset_ns":"-999750000000","error_ns":"1000000000"}$' \
    skew -j a b

# Whatever reads traces has the moved times: cause comes before effect.
for k in 1 2 3; do
	view -f "k == $k" a "$(skew -q a b)" | grep -o 'm:[a-z]*' | tr '\n' ' '
done >"$T/got"
[ "$(cat "$T/got")" = "m:sent m:received m:answered m:got m:sent \
m:received m:answered m:got m:sent m:received m:answered m:got " ] ||
    fail "order: $(cat "$T/got")"

# What is shown of a trace with an offset is what is shown of a trace whose clock
# says that: to the ns, with losses, of a clock of ns and another one.
moved() {
	for name in one two; do
		mkdir -p "$T/$name" && cp -R "$T/b" "$T/$name/b" &&
		    sed "s/offset = [0-9]*; freq = [0-9]*;/$1/" \
		    "$T/b/metadata" >"$T/$name/b/metadata" || fail "cp"
		shift
	done
	offset=$1
	for command in view 'view -j' 'view -q -j' 'stat -j' stat 'stat -j -i 3s' \
	    'stat -j -D m:received,m:answered,k' 'view -b +10s -u -9s' \
	    "view -u @$UNTIL.5" 'view -J 2' report \
	    export 'export -F otlp-logs' 'export -F perfetto'; do
		# OTLP has no dates before 1970.
		[ "$UNTIL$command" != '0export -F otlp-logs' ] || continue
		(cd "$T/two" && utctl $command b) >"$T/want" 2>"$T/err" ||
		    fail "$command: $(cat "$T/err")"
		(cd "$T/one" && utctl $command "b@$offset") >"$T/got" \
		    2>"$T/err" || fail "$command: $(cat "$T/err")"
		# A page has new random numbers each time.
		for file in want got; do
			sed -e 's/nonce[-=]"*[0-9a-f]*//g' -e '/^dates of b: /d' \
			    -e 's/,"moved":\(\[[^]]*\]\|"[^"]*"\)//' -e \
			    's/,{"key":"ut.moved_ns","value":{[^}]*}}//g' \
			    "$T/$file" >"$T/$file.s"
		done
		cmp "$T/want.s" "$T/got.s" || fail "$command, moved by $offset"
	done
	! cmp -s "$T/one/b/metadata" "$T/two/b/metadata" || fail "the same"
	rm -r "$T/one" "$T/two"
}
UNTIL=2025 moved 'offset = 1999750000000;' 'offset = 2000000000001;' \
    +250.000001ms
UNTIL=0 moved 'offset = 19000000000;' 'offset = -2000000000000;' -2019s
UNTIL=99999 moved 'freq = 7000000; offset_s = 100000; offset = 6;' \
    'freq = 7000000; offset_s = 94000; offset = 6;' -100m

# What was moved is told, to whoever sees the dates.
told() {
	pattern=$1
	shift
	(cd "$T" && expect 0 "$pattern" utctl "$@" b@-1.25s) || exit 1
}
for command in stat 'stat -D m:received,m:answered,k' 'stat -c' heap locks; do
	told '^dates of b: moved by -1\.250000000 s$' $command
	told '"moved":\[{"dir":"b","offset_ns":"-1250000000"}\]' $command -j
done
told '"moved":\[{"dir":"b","offset_ns":"-1250000000"}\],"disc' export
told '"path":"b/metadata","host":"","moved":"-1.250000000 s"' report
told '{"key":"ut.moved_ns","value":{"intValue":"-1250000000"}}' export -F otlp \
    -D m:received,m:answered,k
(cd "$T" && utctl stat -j b) | grep moved && fail "not moved"

# Dates of today are more than a double holds: 55 us.
cp -R "$T/b" "$T/now" || exit 1
sed -e 's/offset = [0-9]*;/offset_s = 1700000000;/' \
    -e 's/freq = [0-9]*;/freq = 1000000000000000;/' "$T/b/metadata" \
    >"$T/now/metadata" || exit 1
expect 0 '^from .* to .*: 0\.000055000 s, ' utctl stat "$T/now"

for format in 'otlp -D m:received,m:answered,k' otlp-logs; do
	complains "-F ${format%% *}: no date before 1970 can be written" \
	    utctl export -F $format "$T/b@-2099s"
done
expect 0 '"timeUnixNano":"41750000000"' utctl export -F otlp-logs -b @40 \
    "$T/b@-1970s"

# Dates by points: of clocks that are not on the line, and so moved with it.
points() {
	{
		echo point
		echo "hz 2100105000"
		minutes 3
	} | trace "$1" cycles 2100210000 $((SLEWED + $2))
}
points dated 0
DATE=$((DATE + 86400000000001)) points later/dated 86400000000001
view -o time later/dated >"$T/want"
[ "$(wc -l <"$T/want")" -gt 10 ] || fail "no events: $(cat "$T/want")"
view -o time dated@+86400000000001ns | cmp - "$T/want" || fail "points"
for name in later/dated dated@+86400000000001ns; do
	(cd "$T" && utctl stat -c -j $name) | grep -o '"time":"[0-9]*"' \
	    >"$T/points.${name%%/*}" || fail "stat -c"
done
cmp "$T/points.later" "$T/points.dated@+86400000000001ns" ||
    fail "other dates of points"

seeded
# At random: awk(1) finds the bounds in what view prints.
messages() {
	awk -v seed="$SEED" -v skew="$1" -v host="$2" '
	BEGIN {
		srand(seed)
		for (k = 1; k <= 500; k++) {
			at = home + 1 + int(rand() * 20)
			there = at + 1 + int(rand() * 9)
			back = there + 5
			home = back + 1 + int(rand() * 9)
			lost = rand() < 0.05
			if (host == "a")
				line = line " 0 " at " " k (lost ? "" : \
				    " 3 " home " " k)
			else
				line = line (lost ? "" : " 1 " \
				    there + skew " " k " 2 " back + skew " " k)
		}
		print "c 0 0 " home + skew " 0 0" line
	}'
}
messages 0 a | host ra 0
messages 7000 b | host rb 123456789
for name in ra rb; do
	view -j $name | sed \
	    's/{"ns":"\([0-9]*\)".*"event":"m:\([a-z]*\)".*"k":\([0-9]*\).*/\2 \3 \1/'
done | awk '
{ at[$1, $2] = $3; seen[$2] }
END {
	for (k in seen) {
		if ((("sent", k) in at) && (("received", k) in at)) {
			d = at["sent", k] - at["received", k]
			if (n++ == 0 || d > least) least = d
		}
		if ((("answered", k) in at) && (("got", k) in at)) {
			d = at["got", k] - at["answered", k]
			if (m++ == 0 || d < most) most = d
		}
	}
	printf "%d %d %.0f %.0f\n", n, m, least, most
	exit !(least <= -7000123456789 && most >= -7000123456789)
}' >"$T/want" || fail "the truth is elsewhere: $(cat "$T/want")"
skew -j ra rb | sed 's/[^-0-9]*"messages":\([0-9]*\),"offset_ns":"\([-0-9]*\)".*"messages":\([0-9]*\),"offset_ns":"\([-0-9]*\)".*/\1 \3 \2 \4/' |
    diff "$T/want" - || fail "not the bounds of awk(1)"
# In the merged trace, no event comes before its cause.
view ra "$(skew -q ra rb)" | sed 's/.*m:\([a-z]*\) .*k = \([0-9]*\).*/\1 \2/' |
    awk '
    BEGIN { n["sent"] = 1; n["received"] = 2; n["answered"] = 3; n["got"] = 4 }
    n[$1] <= was[$2] { print "line " NR; exit 1 }
    { was[$2] = n[$1] }
    END { exit NR < 1500 }' || fail "an effect comes before its cause"

# One direction bounds one side only.
one() {
	(cd "$T" && utctl skew -D m:sent,m:received,k "$@")
}
expect 1 '^b to a: 0 messages$' one a b
expect 1 'the offset is not known: it takes messages of -D in both directions$' \
    one a b
expect 1 '^{"least":{"messages":3,.*},"most":{"messages":0},"alone":2,"again":2}$' \
    one -j a b
[ -z "$(one -q a b 2>/dev/null)" ] || fail "one direction: an offset"
expect 1 "-D 'no:event': no event of the trace has such a name$" \
    utctl skew -D no:event,m:received,k "$T/a" "$T/b"
expect 1 '-D m:sent: the event has no field no$' \
    utctl skew -D m:sent,m:received,no "$T/a" "$T/b"

# Both send each other what has the same number.
host p 0 <<-END
	c 0 10 30 0 0 0 10 1 1 21 1
END
host q 0 <<-END
	c 0 13 30 0 0 1 13 1 0 17 1
END
[ "$(one -q p q)" = q@+500000000ns ] || fail "both send: $(one p q)"

# The clock of c was set by 100 s between the first request and the third.
host c 0 <<-END
	c 0 11 199 0 0 1 12 1 2 13 1 1 133 3 2 134 3
END
expect 1 '^a to c: 2 messages: offset at least +998\.0* s, by .* 1 of ' skew a c
expect 1 '^c to a: 2 messages: offset at most +902\.0* s, by .* 3 of ' skew a c
expect 1 'no offset fits, nor a steady drift: at least and at most part by 96\.0* s: the clocks drift by 3692307\.692 ppm or more (take less at a time, with -b and -u), or a key stands for two messages$' \
    skew a c
[ -z "$(skew -q a c 2>/dev/null)" ] || fail "a contradiction: an offset"
expect 1 '^{"least":{[^}]*},"most":{[^}]*},"alone":4,"again":1}$' skew -j a c
[ "$(skew -q -u +10s a c@+1000s)" = c@+1000000000000ns ] ||
    fail "-u: $(skew -u +10s a c@+1000s)"

# Both contradict each other at once; and all messages do, the wrong way round.
host same 0 <<-END
	c 0 12 99 0 0 1 12 1 2 25 4
END
host other 0 <<-END
	c 0 10 99 0 0 0 10 1 3 10 4
END
expect 1 'part by 13\.0* s: -D names the receipt before the sending, or a key stands for two messages$' \
    skew other same
expect 1 'part by .*: -D names the receipt before the sending, or the clocks drift by' \
    utctl skew -D m:received,m:sent,k -D m:got,m:answered,k "$T/a" "$T/b"

# What 64 bits do not hold.
host past -9000000000000000000 <<-END
	c 0 10 99 0 0 0 10 1 3 15 1
END
host future 9000000000000000000 <<-END
	c 0 12 99 0 0 1 12 1 2 14 1
END
for names in 'past future' 'future past'; do
	expect 1 '^utctl: skew: the dates are more than 292 years apart: ' \
	    skew $names
done
# The time between two dates is exact, or refused.
(cd "$T" && utctl view -o relative past a future) >"$T/got" 2>&1 &&
    [ "$(head -1 "$T/got") $(tail -1 "$T/got")" = \
    "+0.000000000 +18000000004.000000000" ] || fail "$(cat "$T/got")"
expect 1 "^utctl: -F chrome: dates that are more than 292 years apart cannot be written$" \
    utctl export "$T/past" "$T/future"
expect 0 . utctl export "$T/a" "$T/future@-1s"
expect 0 '^future@-8999999000500000000ns$' skew a future@-1s

# What cannot be.
for name in '' @+1s; do
	for command in view stat export report 'stat -C a' heap \
	    'skew -D m:sent,m:received,k'; do
		(cd "$T" && complains 'a name is empty: name a directory' \
		    utctl $command a "$name") || exit 1
	done
done
expect 0 '/a: named twice, and read once$' utctl view "$T/a" "$T/a"
expect 1 'two traces have to be named$' skew a a
for at in + - +1e3 +1.5x +-1 -99999999999999999999s; do
	expect 1 "b@$at: the offset is not a time such as +1\.25ms, nor one with a drift" \
	    utctl view "$T/b@$at"
done
expect 1 'the offset moves its dates too far from 1970$' \
    utctl view "$T/b@-9223372035s"
expect 1 'the offset moves its dates too far from 1970$' \
    utctl view "$T/dated@+9223372035s"
for name in b ./b; do
	expect 1 "$name@1ms: no such path, and an offset needs a sign: $name@+1ms or @-1ms$" \
	    view "$name@1ms"
done
expect 1 'b@1x: No such file or directory$' view b@1x
mkdir "$T/clockless" && echo '/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; };
stream { };' >"$T/clockless/metadata" || exit 1
expect 1 'an offset needs a clock, and it has none$' \
    utctl view "$T/clockless@+1s"
expect 1 'b/metadata: named twice, with two offsets$' \
    utctl view "$T/b@+1s" "$T/b"
expect 1 '^utctl: -F: no offset' utctl view -F "$T/b@+1s"
expect 1 '^utctl: top: no offset' utctl top "$T/b@+1s"
expect 1 '^utctl: -F ctf: no offset' \
    utctl export -F ctf -o "$T/copy" "$T/b@+1s"
expect 1 'two traces have to be named$' skew a
expect 1 'two traces have to be named$' skew a b c
expect 1 '-D m:sent,m:received: a field that tells messages apart is missing$' \
    utctl skew -D m:sent,m:received "$T/a" "$T/b"
expect 1 '-D names the events' utctl skew "$T/a" "$T/b"
# A directory may have such a name.
cp -R "$T/b" "$T/b@1ms" || fail "cp"
expect 0 . view b@1ms
mv "$T/c" "$T/c@+1s" || fail "mv"
utctl view "$T/c@+1s" >"$T/got" || fail "c@+1s"
utctl view "$T/c@+1s@-0s" | cmp - "$T/got" || fail "c@+1s@-0s"
