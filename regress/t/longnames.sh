# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Two functions whose names differ at the end alone: what is cut is marked, and
# they stay two.  With UT_POSIX there are no modules, and so no names.

. ./common.sh

not_sanitized
case $CFLAGS in
*-DUT_POSIX*)	skip "no modules in this build" ;;
esac
awk 'BEGIN {
	for (i = 0; i < 1400; i++)
		a = a "a"
	print "#include <stdlib.h>"
	for (i = 1; i <= 2; i++)
		print "__attribute__((noinline)) void *" a i "(void);\nvoid *" a i \
		    "(void) { void *volatile p = malloc(" i "000); return p; }"
	print "int main(void) {\nfree(" a "1()); free(" a "2()); return 0; }"
}' >"$T/long.c"
$CC $CFLAGS -g -finstrument-functions -rdynamic -o "$T/long" "$T/long.c" ||
    fail "cannot build long"
recorded -w func,malloc -- "$T/long"
utctl export -F folded "$T/trace" | grep -c ';aaa[^ ]*#' >"$T/out"
[ "$(cat "$T/out")" = 2 ] || fail "folded: $(cat "$T/out") of 2 functions"
utctl stat -d -e 'func:*' "$T/trace" >"$T/out" || fail "long: stat"
awk '/^ *calls / { on = 1 } on && NF == 0 { exit } on' "$T/out" |
    grep -c aaa >"$T/n"
[ "$(cat "$T/n")" = 2 ] || fail "long: $(cat "$T/out")"
utctl heap -a "$T/trace" >"$T/out" || fail "long: heap"
[ "$(grep -o 'aaaaaa*\.\.\.#[0-9a-f]*$' "$T/out" | sort -u | wc -l)" -eq 2 ] ||
    fail "long: $(cat "$T/out")"
