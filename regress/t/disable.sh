# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# UT_DISABLE switches the library off: no thread, no descriptor, no call.

. ./common.sh
not_sanitized

about() {
	env "$@" ./prog/about </dev/null 2>/dev/null
}

start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-event '*' &&
    utctl start || fail "set-up"
case $(about UT_DISABLE=1) in
"off, 0 descriptors, "[01]" threads")	;;
*)	fail "disabled: $(about UT_DISABLE=1)" ;;
esac
for v in yes true 2; do
	case $(about UT_DISABLE=$v) in
	off*)	;;
	*)	fail "UT_DISABLE=$v does not disable" ;;
	esac
done
counts s
[ "$events" -eq 0 ] || fail "$events events"
# The connection; and the bell, where that is one.
n=1
[ "$(uname)" != NetBSD ] || n=2
case $(about UT_DISABLE=0) in
"on, $n descriptors, "[02]" threads")	;;
*)	fail "UT_DISABLE=0: $(about UT_DISABLE=0)" ;;
esac
case $(about UT_DISABLE=) in
on*)	;;
*)	fail "UT_DISABLE empty disables" ;;
esac
# Call by call, it is the program that it would be without the library.
calls() {
	UT_DISABLE=1 strace -f -o "$T/strace" "$1" >/dev/null ||
	    fail "strace $1"
	sed 's/^[0-9]* *//; s/(.*//' "$T/strace" >"$T/$2"
	if grep -q -F "$UT_RUNDIR" "$T/strace"; then
		fail "$1 looks for utd"
	fi
}

if strace -o "$T/able" true 2>/dev/null; then
	$CC $CFLAGS -DWITHOUT -o "$T/without" prog/about.c $LIBS ||
	    fail "cannot build it without the library"
	build "$T/with" prog/about.c
	calls "$T/without" calls.without
	calls "$T/with" calls.with
	[ "$(wc -l <"$T/calls.with")" -gt 1000 ] || fail "no calls"
	diff "$T/calls.without" "$T/calls.with" ||
	    fail "system calls of the library"
fi
exit 0
