# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Offsets behind the names of directories: whatever reads a trace has the moved
# dates, as if its clock said that, and tells so; bad input.

. ./shared/rows.sh
. ./shared/dated.sh
. ./shared/skew.sh

# All that is shown of a trace with an offset is what is shown of a trace whose
# clock says that: to the ns, with losses, of a clock of ns and another one.
moved() {
	for name in one two; do
		mkdir -p "$T/$name" && cp -R "$T/b" "$T/$name/b" &&
		    sed "s/offset = [0-9]*; freq = [0-9]*;/$1/" \
		    "$T/b/metadata" >"$T/$name/b/metadata" || fail "cp"
		shift
	done
	offset=$1
	for command in view 'view -j' 'view -q -j' 'stat -j' stat \
	    'stat -j -i 3s' 'stat -j -D m:received,m:answered,k' \
	    'view -b +10s -u -9s' "view -u @$UNTIL.5" 'view -J 2' report \
	    export 'export -F otlp-logs' 'export -F perfetto'; do
		# OTLP and Perfetto have no dates before 1970.
		case $UNTIL$command in
		0export\ -F*)	continue ;;
		esac
		(cd "$T/two" && utctl $command b) >"$T/want" 2>"$T/err" ||
		    fail "$command: $(cat "$T/err")"
		(cd "$T/one" && utctl $command "b@$offset") >"$T/got" \
		    2>"$T/err" || fail "$command: $(cat "$T/err")"
		# A page has new random numbers each time.
		for file in want got; do
			sed -e 's/nonce[-=]"*[0-9a-f]*//g' \
			    -e '/^dates of b: /d' \
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
utctl export -F perfetto "$T/b@-2099s" >"$T/out" 2>"$T/err" &&
    fail "perfetto: dates before 1970"
grep -q '^utctl: -F perfetto: no date before 1970 can be written' "$T/err" ||
    fail "perfetto: $(cat "$T/err")"
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

# What cannot be.
cp -R "$T/b" "$T/c" || exit 1
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
