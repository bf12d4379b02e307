# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl skew finds by how much the clocks of two traces are apart, by messages
# in both directions; awk(1) finds the bounds, too.  What contradicts itself, or
# is more than 64 bits hold, is said.

. ./common.sh
. ./shared/rows.sh
. ./shared/skew.sh

expect 0 '^a to b: 3 messages: offset at least -1000\.750000000 s, by m:sent,m:received,k 2 of ' \
    skew a b
expect 0 '^b to a: 3 messages: offset at most -998\.750000000 s, by m:answered,m:got,k 1 of ' \
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
expect 0 '^{"least":{"messages":3,"offset_ns":"-1000750000000","pair":"m:sent,m:received,k","key":"2","sent":"1020000000000","received":"2020750000000"},"most":{"messages":3,"offset_ns":"-998750000000",.*},"alone":2,"again":2,"offset_ns":"-999750000000","error_ns":"1000000000"}$' \
    skew -j a b

# Whatever reads traces has the moved times: cause comes before effect.
for k in 1 2 3; do
	view -f "k == $k" a "$(skew -q a b)" | grep -o 'm:[a-z]*' | tr '\n' ' '
done >"$T/got"
[ "$(cat "$T/got")" = "m:sent m:received m:answered m:got m:sent \
m:received m:answered m:got m:sent m:received m:answered m:got " ] ||
    fail "order: $(cat "$T/got")"

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
