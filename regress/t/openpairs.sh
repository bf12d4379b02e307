# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl stat -d and export: however many pairs are open, an end without a
# beginning is known at once, and so is the innermost pair that the filter has
# not refused.  That takes no more than some times what the same number of pairs
# takes that are nested in one another; and no memory when they are over.

. ./common.sh

# calls NAME: the trace of what prog/named reads from that file.
calls() {
	recorded -m block -e 'func:*' -- sh -c './prog/named <"$1"' sh "$T/$1"
}

n=100000
# many BEGIN [END]: so many of each.
many() {
	for lines; do
		awk -v n=$n -v lines="$lines" \
		    'BEGIN { for (i = 0; i < n; i++) print lines }'
	done >"$T/many"
	calls many
	[ "$lost" -eq 0 ] || fail "many: $lost lost"
}
# The processor time of utctl, which works with this trace.
cpu() {
	(utctl "$@" "$T/trace" >"$T/out" 2>"$T/err"; times) | tail -n 1 |
	    awk -F '[ms ]+' '{ print 60 * ($1 + $3) + $2 + $4 }'
}
quick() {
	took=$(cpu "$@")
	awk -v took="$took" -v nested="$nested" \
	    'BEGIN { exit took > 0.3 + 10 * nested }' ||
	    fail "$*: $took s of processor time, $nested s if they nest"
}
many 'entry 2 1' 'exit 2 1'
nested=$(cpu stat -N -d)
grep -q "^ *$n .* 0x2\$" "$T/out" || fail "nested: $(cat "$T/out" "$T/err")"
many 'entry 2 1' 'exit 3 1'
quick stat -N -d
grep -qx "$n ended and not begun" "$T/out" || fail "many: $(cat "$T/out")"
many 'entry 2 1' 'entry 3 1\nexit 3 1'
quick export -N -F folded -f 'addr == 3'
grep -q '^named;0x3 [1-9][0-9]*$' "$T/out" || fail "top: $(cat "$T/out")"

# What was open and is no more takes no memory, in kilobytes.
python=$(command -v python3)
case $CFLAGS in
*-fsanitize*)	python= ;;	# it keeps what was freed
esac
if [ -n "$python" ]; then
	awk 'BEGIN { for (i = 1; i < 300000; i++)
	    printf "entry %d 1\nexit %d 1\n", i, i }' >"$T/gone"
	calls gone
	kbytes() {
		python3 -c 'import resource, subprocess, sys
subprocess.check_call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@" "$T/trace"
	}
	few=$(kbytes utctl view -N) || fail "view"
	most=$(kbytes utctl view -N -i) || fail "view -i"
	[ "$most" -lt $((few + 8000)) ] || fail "view -i: $most kB, not $few"
fi
