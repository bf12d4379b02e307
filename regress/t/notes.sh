# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Build IDs in notes that are aligned to 8, or to 4 in a segment that is aligned
# to 8, as mold(1) makes them: ut:module has the ID, and functions have names.
# Notes whose lengths are nonsense do no harm.

. ./common.sh

case $CFLAGS in
*-DUT_POSIX*)	skip "no such events in this build" ;;
esac

cat >"$T/prog.c" <<'END'
#include <ut.h>
UT_EVENT(notes, call, UT_INFO, UT_PTR(caller))
__attribute__((noinline)) void here(void) {
	UT(notes, call, UT_CALLER());
	__asm__ volatile("");
}
__attribute__((noinline)) void calls_here(void) {
	here();
	__asm__ volatile("");
}
int main(void) {
	calls_here();
	return 0;
}
END

# A note of a kind, of "GNU", with words of text; and the ID: 7, 7...
note() {
	kind=$1
	shift
	printf '.long 4,%d,%d\n.ascii "GNU\\0"\n.long %s\n' \
	    $(($# * 4)) "$kind" "$(echo "$*" | tr ' ' ,)"
}
SEVENS='0x07070707 0x07070707 0x07070707 0x07070707 0x07070707'
ID=$(note 3 $SEVENS)

# linked OPTION...: build the program so, and record it: $id, as view shows it.
linked() {
	build "$T/prog" "$T/prog.c" "$@"
	recorded -e 'notes:*' -e ut:module -- "$T/prog"
	[ "$events" -gt 1 ] && [ "$lost" -eq 0 ] ||
	    fail "$*: $events events, $lost lost"
	utctl view "$T/trace" >"$T/view.out" 2>"$T/view.err" ||
	    fail "view: $(cat "$T/view.err")"
	id=$(sed -n 's/.* ut:module .*\/prog", build_id = //p' "$T/view.out" |
	    sed 's/|.*//; s/[^0-9a-f]//g')
}

named() {
	grep -q 'notes:call { caller = calls_here+0x[0-9a-f]* (prog)' \
	    "$T/view.out" || fail "$1: no name: $(cat "$T/view.out")"
}

# with_notes NOTES...: the program has these, in a section that is aligned to 8.
with_notes() {
	printf '%s\n' '.section .note.mine,"a",%note' '.balign 8' "$@" \
	    '.balign 8' '.section .note.GNU-stack,"",%progbits' >"$T/notes.s"
	linked "$T/notes.s" -Wl,--build-id=none
}

# has_id WHAT NOTES...: they have that ID.
has_id() {
	what=$1
	shift
	with_notes "$@"
	[ "$id" = "$(echo "$SEVENS" | sed 's/0x//g; s/ //g')" ] ||
	    fail "$what: ID '$id': $(cat "$T/view.out")"
	named "$what"
}

has_id "one note" "$ID"
has_id "behind another note" "$(note 7 1 2 3 4)" "$ID"
has_id "behind a note that is aligned to 8" "$(note 1 1 2 3)" '.balign 8' "$ID"
has_id "behind a note that is aligned to 4" "$(note 1 1 2 3)" "$ID"

for lengths in 0xffffffff,20 4,0xffffffff 0xfffffff9,0xfffffff9 \
    0xfffffff0,4 4,0xfffffff0 4,28 4,65; do
	with_notes ".long $lengths,3" '.ascii "GNU\0"' '.long 7'
	[ -z "$id" ] || fail "lengths $lengths: ID $id"
done

# Not every compiler knows of it.
command -v mold >/dev/null 2>&1 && command -v readelf >/dev/null 2>&1 &&
    $CC $CFLAGS -fuse-ld=mold -I"$TOP/libut" -o "$T/prog" "$T/prog.c" \
    "$LIBUT" $LIBS 2>/dev/null || exit 0
linked -fuse-ld=mold -Wl,--build-id
want=$(readelf -n "$T/prog" | sed -n 's/.*Build ID: //p')
[ -n "$want" ] || fail "mold makes no build ID"
[ "$id" = "$want" ] || fail "mold: ID '$id', not $want"
named mold
