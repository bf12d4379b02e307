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
case $(about UT_DISABLE=0) in
"on, 1 descriptors, "[02]" threads")	;;
*)	fail "UT_DISABLE=0: $(about UT_DISABLE=0)" ;;
esac
case $(about UT_DISABLE=) in
on*)	;;
*)	fail "UT_DISABLE empty disables" ;;
esac
if strace -o "$T/able" true 2>/dev/null; then
	calls=socket,connect,clone,clone3,mmap,openat,membarrier
	UT_DISABLE=1 strace -f -e trace=$calls -o "$T/strace" ./prog/about \
	    >/dev/null
	grep -e socket -e connect -e 'clone' -e membarrier -e "$UT_RUNDIR" \
	    "$T/strace" && fail "system calls of the library"
fi
exit 0
