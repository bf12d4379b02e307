# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program whose geteuid(2) says root, as fakeroot(1) has it, is recorded by
# the utd of its real user.

. ./common.sh

not_sanitized
case $(uname)$CFLAGS in
*-DUT_POSIX*)	skip "plain POSIX has one way to the UID" ;;
Linux*)	;;
*)	skip "no other way to the UID is known here" ;;
esac

cat >"$T/fake.c" <<'END'
#include <unistd.h>

uid_t
geteuid(void)
{
	return 0;
}

uid_t
getuid(void)
{
	return 0;
}
END
$CC $CFLAGS -fPIC -shared -o "$T/fake.so" "$T/fake.c" || fail "cannot build fake.so"
[ "$(id -u)" -ne 0 ] || chown 65534 "$T" "$T/run"

# try COMMAND...
try() {
	as_user utctl record -r -o "$T/trace" -- "$@" >"$T/out" 2>"$T/err" ||
	    fail "$*: $(cat "$T/err")"
	grep -q '^utctl: 100 events, 0 lost' "$T/err" ||
	    fail "$*: $(cat "$T/err")"
}
try env LD_PRELOAD="$T/fake.so" ./prog/seq 0 1 100
case $CC in
*-m32*)	exit 0 ;;
esac
! as_user fakeroot true 2>/dev/null || try fakeroot ./prog/seq 0 1 100
exit 0
