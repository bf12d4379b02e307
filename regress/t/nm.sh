# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the library exports begins with ut_, shared or not.

. ./common.sh
not_sanitized
not_cross

need nm
nm -D --defined-only "$TOP/libut/libut.so" >"$T/so" || fail "nm"
nm -g --defined-only "$TOP/libut/libut.a" 2>/dev/null | grep ' ' >"$T/a"
[ "$(wc -l <"$T/so")" -ge 5 ] && [ "$(wc -l <"$T/a")" -ge 5 ] ||
    fail "nothing there"
for f in so a; do
	awk '$NF !~ /^ut_/ { print $NF }' "$T/$f" >"$T/bad"
	[ ! -s "$T/bad" ] || fail "lib.$f defines $(cat "$T/bad")"
done
# The few that ut.h declares, and no more, are seen from outside.
for s in $(awk '{ print $NF }' "$T/so"); do
	grep -q "[^a-z_]$s(" "$TOP/libut/ut.h" ||
	    fail "$s is exported, but not in ut.h"
done
# The wrappers show what they wrap.  GNU ld lists its own symbols of the
# section too, hidden.
nm -D --defined-only "$TOP/libut/libut-malloc.so" | awk '{ print $NF }' |
    grep -v -x -e 'ut_.*' -e '__st.*_ut_events' -e malloc -e calloc -e realloc -e reallocarray \
    -e free -e posix_memalign -e aligned_alloc -e memalign -e valloc &&
    fail "libut-malloc.so exports more than that"
nm -g --defined-only "$TOP/libut/libut-func.o" | awk '{ print $NF }' |
    grep -v -x -e 'ut_.*' -e '__cyg_profile_func_e.*' &&
    fail "libut-func.o defines more than that"
exit 0
