# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the bench measures as LTTng is LTTng, though libut has headers of the same
# names.

. bench/common.sh
not_cross
not_sanitized
need nm
echo 'int main(void) { return 0; }' >"$T/none.c"
lttng_here && compile none "$T/none.c" $LTTNG_CC 2>"$T/err" ||
    skip "no LTTng here"
compile load.lt -DLTTNG bench/load.c $LTTNG_CC 2>"$T/err" ||
    fail "load.c: $(head -n 5 "$T/err")"
nm -u "$T/load.lt" >"$T/symbols" || fail "nm"
grep -q lttng_ust "$T/symbols" || fail "no function of LTTng"
grep ' ut_' "$T/symbols" && fail "functions of libut"
exit 0
