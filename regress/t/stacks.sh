# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Handlers that interrupt an event trace on all kinds of stacks, above and
# below: the event that goes on is whole, and so are theirs.  Where an event
# lies does not tell that it was left, unless it is of the same stack; but
# events that were left, wherever on that, cost nothing later.

. ./common.sh
not_sanitized

want() {
	awk 'BEGIN {
		for (n = 0; n < '$1'; n++) {
			print "stacks:handler", n
			print "stacks:handler", n
			if ('$2')
				print "stacks:bad", n
			for (i = 0; i < 10; i++)
				print "stacks:good", n
		}
	}'
}

try() {
	how=$1 times=$2 whole=$3
	./prog/stacks $how 1
	case $? in
	0)	;;
	77)	echo "no SS_AUTODISARM here, or no makecontext"
		return ;;
	*)	fail "$how" ;;
	esac
	recorded -- ./prog/stacks $how $times
	[ "$lost" -eq 0 ] || fail "$how: $lost lost"
	readers_agree "$T/trace"
	# An event has the time of its begin, but stands in another buffer.
	sed 's/.*\(stacks:[a-z]*\) { n = \([0-9]*\).*/\1 \2/' "$T/view.out" |
	    sort >"$T/got"
	want $times $whole | sort | diff - "$T/got" >"$T/diff" ||
	    fail "$how: $(head -5 "$T/diff")"
	if grep 'stacks:bad' "$T/view.out" | grep -q '\[[0-7]\] = [^0]'; then
		fail "$how: an event was overwritten"
	fi
}

try inner 300 1
try outer 300 1
try below 300 1
try switch 300 1
# Without the stack's bounds an event of another depth stays in doubt.
case $CFLAGS in
*-DUT_POSIX*)	;;
*)	try leave 300 0 ;;
esac
