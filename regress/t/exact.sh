# Eight threads in each of four processes, pools from too small to ample:
# every event is in the trace, in order per thread and whole, or is counted
# as discarded; the sum is exact, for both readers, however the program was
# compiled.  EVENTS=10000000 is the long form.

. ./common.sh
# What comes before a program is known is not recorded.
UT_REGISTER_TIMEOUT=60000
export UT_REGISTER_TIMEOUT

total=${EVENTS:-1000000}

# record SUBSIZE NSUBS SEQ
record() {
	rm -rf "$T/trace"
	utctl record -o "$T/trace" -b "$1" -n "$2" -- sh -c '
		for i in 0 1 2 3; do '"$3"' $i 8 '$each' & done; wait' \
	    2>"$T/record.err" || fail "record: $(cat "$T/record.err")"
}

for o in 0 1 s 3; do
	build "$T/seq$o" prog/seq.c -O$o
done
for geometry in "4k 2 ./prog/seq" "4k 16 ./prog/seq" "16k 512 ./prog/seq" \
    "64k 8192 ./prog/seq" "4k 16 $T/seq0" "4k 16 $T/seq1" "4k 16 $T/seqs" \
    "4k 16 $T/seq3"; do
	set -- $geometry
	case $3 in
	./*)	each=$((total / 32)) ;;
	*)	each=$((total / 160)) ;;
	esac
	record "$@"
	utctl view "$T/trace" 2>"$T/view.err" | ./prog/seqcheck >"$T/got" ||
	    fail "$geometry: $(cat "$T/view.err")"
	read -r events writers missing <"$T/got"
	lost=$(awk '/events* discarded/ { n += $2 } END { print n + 0 }' \
	    "$T/view.err")
	echo "$geometry: $events events, $lost discarded, gaps of $missing"
	[ $((events + lost)) -eq $((each * 32)) ] ||
	    fail "$geometry: $events + $lost are not $((each * 32))"
	[ "$missing" -le "$lost" ] || fail "$geometry: gaps of $missing"
	grep -q "utctl: $events events, $lost lost" "$T/record.err" ||
	    fail "record says $(cat "$T/record.err")"
	[ "$1" != 64k ] || [ "$lost" -eq 0 ] ||
	    fail "$lost lost of an ample pool"
	command -v babeltrace2 >/dev/null || continue
	babeltrace2 "$T/trace" 2>"$T/bt2.err" | ./prog/seqcheck >"$T/got2" ||
	    fail "babeltrace2: $(head -3 "$T/bt2.err")"
	cmp "$T/got" "$T/got2" || fail "babeltrace2 counts $(cat "$T/got2")"
	bt=$(sed -n 's/.*discarded \([0-9]*\) event.*/\1/p' "$T/bt2.err" |
	    awk '{ n += $1 } END { print n + 0 }')
	[ "$bt" -eq "$lost" ] || fail "babeltrace2 counts $bt discarded"
done
exit 0
