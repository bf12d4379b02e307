# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A channel is removed while a program is slow to answer, and others ask for
# other things meanwhile.

. ./common.sh

start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-channel c && utctl enable-event -c c 'pulse:*' &&
    utctl enable-event 'other:*' && utctl start || fail "set-up"
pulse_start
pulse_on abco || fail "$answer"
pulse hit 10

# The answer to this is the last that the channel waits for, and more is to
# be done then.
halt $PULSE
utctl remove-channel c >"$T/removed" 2>&1 &
remove=$!
until_ok sh -c 'utctl list s | grep -q "channel c: .*\(disabled\|removed\)"' ||
    fail "not disabled: $(utctl list s)"
expect 0 's stopped: 40 events, 0 lost' utctl stop
kill -CONT $PULSE
wait $remove || fail "remove: $(cat "$T/removed")"
expect 0 'channel c: .*removed' utctl list s
expect 0 '' utctl start
until_ok pulse_on ---o || fail "$answer"
pulse hit 5
expect 0 's stopped: 45 events, 0 lost' utctl stop
readers_agree "$T/trace"

# It is gone, even if somebody enables it before that.
utctl enable-channel d && utctl enable-event -c d 'pulse:*' &&
    utctl start || fail "set-up of d"
until_ok pulse_on abco || fail "$answer"
halt $PULSE
utctl remove-channel d >"$T/removed" 2>&1 &
remove=$!
until_ok sh -c 'utctl list s | grep -q "channel d: .*\(disabled\|removed\)"' ||
    fail "not disabled: $(utctl list s)"
utctl enable-channel d >"$T/enabled" 2>&1 &
enable=$!
until_ok sh -c 'utctl list s | grep -v disabled | grep -q "channel d: "' ||
    fail "not enabled: $(utctl list s)"
kill -CONT $PULSE
wait $remove || fail "remove: $(cat "$T/removed")"
wait $enable
expect 0 'channel d: .*removed' utctl list s
until_ok pulse_on ---o || fail "$answer"
exec 3>&- 4<&-
pulse_start
pulse_on ---o || fail "a removed channel is used: $answer"
complains 'channel d was removed' utctl enable-event -c d 'pulse:*'
readers_agree "$T/trace"
expect 0 '' utctl destroy
stop_utd || fail "utd: status $?"
