# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The bell takes no low descriptor from a program, which may close what it
# finds: it rings all the same.  On NetBSD a semaphore is a descriptor, with
# the lowest number that there is, if it is opened in the way of POSIX.

. ./common.sh

try() {
	$CC -std=c11 -D_GNU_SOURCE -D_NETBSD_SOURCE $CFLAGS ${1:-} \
	    -I"$TOP/libut" -o "$T/bell" prog/bell.c "$TOP/libut/common/bell.c" \
	    "$TOP/libut/common/gettime.c" "$TOP/libut/common/sock.c" \
	    "$TOP/libut/common/shm.c" "$TOP/libut/common/compat.c" $LIBS ||
	    fail "cannot build it: $*"
	"$T/bell" >"$T/out" 2>&1 || fail "$*: status $?: $(cat "$T/out")"
	grep -q '^done$' "$T/out" || fail "$*: $(cat "$T/out")"
}

try
[ "$(uname)" = NetBSD ] || try -DUT_POSIX
