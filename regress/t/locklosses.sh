# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl locks: what was held while events were lost may have been released then.

. ./shared/locks.sh

start_utd
utctl create -o "$T/loss" s >/dev/null && utctl enable-channel -b 4k -n 4 c &&
    utctl enable-event -c c 'pthread:*' 'libc:*' >/dev/null &&
    utctl start >/dev/null || fail "create"
pulse_start ./prog/calls
calls >&3 <<'END'
1 mutex 0x100 0xc1
2 mutex_request 0x100 0xc2
1 mutex 0x300 0xc1
1 mutex 0x400 0xc1
1 mutex 0x500 0xc1
1 rdlock 0x900 0xc1
4 mutex_request 0x600 0xc4
3 mutex_request 0x700 0xc3
END
pulse 1 say ok
utctl stop >/dev/null && utctl start >/dev/null || fail "stop, start"
stuck=$(consumers)
kill -STOP $stuck
# What was lost is told by the first thread's next packet: the first of these,
# or one that comes before the calls below.
awk 'BEGIN { for (i = 0; i < 3000; i++) print "1 malloc 1 0x1000 0xa1" }' >&3
pulse 1 say ok
kill -CONT $stuck
for i in 1 2; do
	utctl stop >/dev/null && utctl start >/dev/null || fail "stop, start"
	echo "1 malloc 1 0x1000 0xa1" >&3
	pulse 1 say ok
done
utctl stop >/dev/null && utctl start >/dev/null || fail "stop, start"
calls >&3 <<'END'
4 mutex_request 0x300 0xc4
4 mutex_failed 0x300 16 0xc4
1 mutex_release 0x100 0xc9
2 mutex_acquired 0x100 0xc2
1 mutex 0x200 0xc1
1 mutex_release 0x200 0xc9
1 mutex 0x400 0xc1
1 mutex_release 0x400 0xc9
2 mutex 0x400 0xc2
2 mutex_release 0x400 0xc9
1 cond_woken 0x800 0x500 0 0xc1
1 mutex_release 0x500 0xc9
1 rdlock 0x900 0xc1
1 rwlock_release 0x900 0xc9
END
pulse 1 say ok
exec 3>&- 4<&-
wait $PULSE || fail "calls: $?"
utctl destroy >/dev/null || fail "destroy"
stop_utd || fail "utd: $?"
utctl locks "$T/loss" >"$T/out" || fail "loss"
read -r n word lost rest <"$T/out"
[ "$lost" -gt 1000 ] || fail "nothing lost: $(cat "$T/out")"
sed -n 's/thread [0-9]*, which .* from/thread/; s/^  //
    /^[0-9x]* not /p; / meanwhile$/p' "$T/out" | sort >"$T/got"
expected loss <<'END'
0x100 not released by thread 0xc2
0x300 not released by thread 0xc1, as far as is known
0x700 not acquired by thread 0xc3, as far as is known
6 left out: events were lost meanwhile
END
lock_rows | sort -k 6 >"$T/got"
expected "locks of loss" <<'END'
2 0 0 1 0 0x100 0xc1
1 0 0 1 1 0x200 0xc1
1 0 1 1 0 0x300 0xc1
3 0 0 1 1 0x400 0xc1
1 0 0 1 1 0x500 0xc1
0 0 0 0 0 0x600 0xc4
0 0 0 0 0 0x700 0xc3
2 0 0 1 1 0x900 0xc1
END
grep ' held by ' "$T/out" && fail "loss: $(cat "$T/out")"
expect 0 'events were lost: what is live' utctl heap "$T/loss"
if command -v python3 >/dev/null 2>&1; then
	rm -rf "$T/trace" && mv "$T/loss" "$T/trace"
	compared
fi
