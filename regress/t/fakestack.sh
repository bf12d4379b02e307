# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A sanitizer keeps the variables of functions on a stack of its own, in the
# order it likes: signal handlers in the middle of events are still told from
# events that were left.

. ./common.sh

ASAN_OPTIONS=detect_stack_use_after_return=1:detect_leaks=0
export ASAN_OPTIONS
echo 'int main(void) { return 0; }' >"$T/able.c"
$CC -fsanitize=address -o "$T/able" "$T/able.c" >/dev/null 2>&1 &&
    "$T/able" || skip "no address sanitizer here"
build "$T/signals" -fsanitize=address prog/signals.c
for i in 1 2 3; do
	recorded -b 64k -n 512 -- "$T/signals" 3 50000
	cat "$T/record.err"
	utctl view "$T/trace" 2>"$T/view.err" | ./prog/seqcheck >"$T/got" ||
	    fail "$(head -3 "$T/record.err" "$T/view.err")"
	read -r got writers missing <"$T/got"
	[ "$got $missing $lost" = "$(cat "$T/record.out") 0 0" ] ||
	    fail "$got events, not $(cat "$T/record.out"), $lost lost"
done
