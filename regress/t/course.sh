# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What utd takes for drift of the cycle counter and what for a jump, in a day
# that is not waited for.

. ./common.sh

$CC -std=c11 -D_GNU_SOURCE -Wall -Wextra $CFLAGS -I"$TOP/libut" \
    -o "$T/course" prog/course.c "$TOP/libut/common/gettime.o" \
    "$TOP/libut/common/compat.o" $LIBS || fail "cannot build course"
"$T/course" >"$T/got" || fail "course: status $?"
[ ! -s "$T/got" ] || fail "$(cat "$T/got")"
