# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A consumer that writers outrun between any two of its instructions: each
# packet still has all of its events, and begins and ends when they do.  For
# that some events come in the time of ten instructions, not of two.

. ./common.sh

start_utd
utctl create -o "$T/trace" slowly >/dev/null &&
    utctl enable-channel -b 256k -n 64 c &&
    utctl enable-event -c c 'seq:*' && utctl start >/dev/null ||
    fail "set-up"
background ./prog/seq -p 300 1 16 9000000 "$T/progress"
writer=$LAST
until_ok has_programs slowly seq || fail "no program"
# It looks at all that there is whenever its timer says so.
c=$(consumers)
background sh -c "while kill -ALRM $c; do sleep 0.02; done" 2>/dev/null
./prog/slowly "$c" 3000 >"$T/steps" 2>"$T/err"
case $? in
0)	cat "$T/steps" ;;
77)	skip "$(cat "$T/err")" ;;
*)	fail "$(cat "$T/err")" ;;
esac
kill -9 $writer
expect 0 'stopped: [0-9]* events, 0 lost' utctl stop
readers_agree "$T/trace"
./prog/seqcheck 1:"$T/progress" <"$T/view.out" >"$T/got" ||
    fail "$(cat "$T/got")"
read -r events writers missing <"$T/got"
echo "$events events of $writers writers, $missing missing"
[ "$missing" -eq 0 ] || fail "$missing missing"
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"
