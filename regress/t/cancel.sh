# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A pending pthread_cancel(3) is acted upon nowhere in the library, whose calls
# are no cancellation points: neither in dlopen, dlclose and fork, nor in an
# event or at the end of a thread.  Else its lock would stay locked.

. ./common.sh

# It may hang with all signals blocked.
ends() {
	background ./prog/cancel "$@" 2>"$T/err"
	until_ok gone $LAST || fail "no utd, $*: it hangs"
	wait $LAST || fail "no utd, $*: $(cat "$T/err")"
}

# Without any utd, and with one that has something to say.
ends
recorded -e 'cancel:*' -e 'ut:log' -- ./prog/cancel
[ "$lost" -eq 0 ] || fail "$lost lost"
readers_agree "$T/trace"
for i in 0 1 2; do
	sed -n "s/.*thread = $i, before = \"\(.*\)\".*/\1/p" "$T/view.out" |
	    grep -v _exit | tr '\n' ' ' >"$T/got"
	[ "$(cat "$T/got")" = "dlopen fork dlclose the end " ] ||
	    fail "thread $i: $(cat "$T/got")"
done
n=$(grep -c 'before = "_exit"' "$T/view.out")
[ "$n" -eq 4 ] || fail "$n children"
grep -q 'before = "exit"' "$T/view.out" || fail "no end"

# At any instruction.
case $CFLAGS in
*-fsanitize*)	exit 0 ;;
esac
ends -a
recorded -b 64k -n 512 -e 'cancel:*' -- ./prog/cancel -a
readers_agree "$T/trace"
grep -q 'before = "exit"' "$T/view.out" || fail "-a: no end"
