# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Signals interrupt threads in the middle of events, and each other: every
# event of every handler is there, in order, and errno is left alone.

. ./common.sh

recorded -b 64k -n 512 -- ./prog/signals 3 200000
sed -n '/plain/p' "$T/record.err"
[ "$lost" -eq 0 ] || fail "$lost lost"
utctl view "$T/trace" 2>"$T/view.err" | ./prog/seqcheck >"$T/got" ||
    fail "$(cat "$T/view.err")"
read -r got writers missing <"$T/got"
[ "$got" -eq "$(cat "$T/record.out")" ] ||
    fail "$got events, not $(cat "$T/record.out")"
[ "$missing" -eq 0 ] || fail "gaps of $missing"
# The thread sanitizer puts signals off: few handlers are interrupted.
case $CFLAGS in
*-fsanitize=thread*)	want=7 ;;
*)	want=9 ;;
esac
[ "$writers" -ge $want ] || fail "$writers writers: no handler was interrupted"
