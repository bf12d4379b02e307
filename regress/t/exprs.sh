# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The language of filters: what expressions are worth, which ones are refused,
# and where, by hand; and 100,000 random ones against another evaluator.

. ./common.sh

$CC -std=c11 -D_GNU_SOURCE -Wall -Wextra $CFLAGS ${LDFLAGS:-} -o "$T/exprs" \
    prog/exprs.c "$TOP/libut/expr/expr.c" "$TOP"/libut/expr/compile*.c \
    "$TOP/libut/expr/filter.c" "$TOP/libut/expr/verify.c" \
    "$TOP/libut/expr/range.c" \
    "$LIBUT" $LIBS || fail "cannot build exprs"
"$T/exprs" >"$T/out" 2>&1 || fail "$(tail -n 12 "$T/out")"
cat "$T/out"
# EXPRS_SEED is for others than ever.
[ -z "${EXPRS_SEED:-}" ] || "$T/exprs" "$EXPRS_SEED" >"$T/out" 2>&1 ||
    fail "$(tail -n 12 "$T/out")"
cat "$T/out"
