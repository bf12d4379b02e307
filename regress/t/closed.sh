# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A consumer takes over while the files cannot be written to: the buffers are
# kept, and all is written when that can be done again.

. ./common.sh
[ "$(id -u)" -ne 0 ] || skip "root may write to all files"

start_utd
utctl create -o "$T/s" s >/dev/null &&
    utctl enable-channel -b 4k -n 64 c &&
    utctl enable-event -c c 'pulse:a' >/dev/null &&
    utctl start >/dev/null || fail "set-up"
pulse_start
until_ok pulse_on a--- || fail "$answer"
pulse hit 100
utctl stop >/dev/null && utctl start || fail "stop and start"
until_ok pulse_on a--- || fail "$answer"
halt $(consumers)
pulse hit 1000
chmod 400 "$T"/s/ust/uid/*/*/metadata || fail "chmod"
kill -9 $(consumers)
until_ok sh -c 'utctl list s | grep -q "Permission denied"' ||
    fail "not told: $(utctl list s)"
pulse hit 10
chmod 600 "$T"/s/ust/uid/*/*/metadata || fail "chmod"
all_written() {
	utctl stop s
	utctl start s
	member_is 1110 s written
}
until_ok all_written || fail "not written: $(utctl list s)"
expect 0 's destroyed: 1110 events, 0 lost' utctl destroy s
readers_agree "$T/s"
[ "$(wc -l <"$T/view.out")" -eq 1110 ] || fail "$(wc -l <"$T/view.out") events"
stop_utd || fail "utd: status $?"
