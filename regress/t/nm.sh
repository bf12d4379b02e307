# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the library exports begins with ut_, shared or not.

. ./common.sh
not_sanitized
not_cross

need nm
# What the linker adds to any is not counted.
exported() {
	nm -D --defined-only "$1" >"$T/nm" || fail "nm $1"
	awk '{ print $NF }' "$T/nm" | sort | comm -13 "$T/any" -
}
: >"$T/any"
empty_so
exported "$T/empty.so" >"$T/empty.nm" && mv "$T/empty.nm" "$T/any"
# Two of the system's functions that libut/forked.c has its own of.
case $(uname) in
NetBSD)	theirs='fork daemon' ;;
*)	theirs= ;;
esac
exported "$TOP/libut/libut.so" >"$T/so"
nm -g --defined-only "$TOP/libut/libut.a" 2>/dev/null | grep ' ' >"$T/a"
[ "$(wc -l <"$T/so")" -ge 5 ] && [ "$(wc -l <"$T/a")" -ge 5 ] ||
    fail "nothing there"
for f in so a; do
	awk -v theirs=" $theirs " '$NF !~ /^ut_/ &&
	    !index(theirs, " " $NF " ") { print $NF }' "$T/$f" >"$T/bad"
	[ ! -s "$T/bad" ] || fail "lib.$f defines $(cat "$T/bad")"
done
# The few that ut.h declares, and two for the wrappers, are seen from outside.
for s in $(grep '^ut_' "$T/so"); do
	cat "$TOP/libut/ut.h" "$TOP/libut/ut_code.h" |
	    grep -q "[^a-z_]$s(" ||
	    fail "$s is exported, but not in ut.h or ut_code.h"
done
# The wrappers show what they wrap.  GNU ld lists its own symbols of the
# section too, hidden.
wraps() {
	exported "$TOP/libut/libut-$1.so" |
	    grep -v -x -E "ut_.*|__st.*_ut_(events|calls|samples)|dlclose|$2" &&
	    fail "libut-$1.so exports more than that"
}
[ "$(uname)" != Linux ] ||
    wraps cpu 'pthread_create|__monstartup|thrd_create|sig(action|nal|nalfd|set|wait|waitinfo)|(bsd_|s|(__)?sysv_)signal|(__)?sigtimedwait(64)?'
wraps func '__cyg_profile_func_(enter|exit)'
operators='_Z(n[wa]|d[la]Pv)[mj]?(St11align_val_t)?(RKSt9nothrow_t)?'
wraps malloc "([mcv]|pv|re|aligned_)alloc|reallocarray|(posix_)?memalign|free(_sized|_aligned_sized)?|$operators"
locks='mtx|cnd|(pthread|libc)_(mutex|rwlock|cond|spin)'
wraps pthread "(__)?($locks)_[a-z]*(64|_time64)?"
nm -g --defined-only "$TOP/libut/libut-func.o" | awk '{ print $NF }' |
    grep -v -x -e 'ut_.*' -e '__cyg_profile_func_e.*' &&
    fail "libut-func.o defines more than that"
# No thread-local variable is found by a call, where that can be had.
echo 'ut_per_thread UT_PER_THREAD' | $CC $CFLAGS -E -I"$TOP/libut" \
    -include common/compat.h - >"$T/tls.c" 2>/dev/null || fail "compat.h"
if grep -q 'ut_per_thread.*initial-exec' "$T/tls.c"; then
	nm -D --undefined-only "$TOP/libut/libut.so" | grep tls_get_addr &&
	    fail "libut.so finds a variable by a call"
fi
# Its thread-local variables begin with 0, or no dlopen(3) could have it, or a
# thread that is just being made might not have their values.
need readelf
readelf -lW "$TOP/libut/libut.so" 2>/dev/null >"$T/segments" ||
    fail "readelf"
awk '$1 == "TLS" && $5 !~ /^0x0*$/ { exit 1 }' "$T/segments" ||
    fail "a thread-local variable has an initial value"
exit 0
