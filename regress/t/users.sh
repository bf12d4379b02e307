# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Root's utd: the sessions of one user are nobody else's but root's.

. ./common.sh

[ "$(id -u)" -eq 0 ] || skip "only root can be several users"
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
mkdir "$T/one" "$T/two" && chown 65534 "$T/one" && chown 65533 "$T/two" ||
    exit 1
start_utd
one="./prog/asuser 65534 utctl"
two="./prog/asuser 65533 utctl"
expect 0 '^session s: ' $one create -o "$T/one/t" s
expect 0 '' $one enable-event '*'
expect 0 '' $one start
expect 0 '^no sessions$' $two list
complains 'session s does not exist' $two list s
complains 'session s does not exist' $two stop s
complains 'session s does not exist' $two destroy s
complains 'session s does not exist' $two enable-event -s s '*'
complains 'there is no session' $two stop
expect 0 'session s (active).*' utctl list
# The same name, of another user, is another session.
expect 0 '^session s: ' $two create -o "$T/two/t" s
expect 0 "session s (stopped): $T/two/t" $two list
expect 0 "session s (active): $T/one/t" $one list

# Each sees only its own programs.
expect 0 '' $two enable-event '*'
expect 0 '' $two start
./prog/asuser 65534 ./prog/seq 1 1 10
./prog/asuser 65533 ./prog/seq 2 1 20
./prog/seq 3 1 40
expect 0 'session s stopped: 10 events, 0 lost, [0-9]* bytes$' $one stop s
expect 0 'session s stopped: 20 events, 0 lost, [0-9]* bytes$' $two stop s
$one list s | grep warning && fail "a warning"
[ "$(count_events "$T/one/t" 'seq:tick')" -eq 10 ] || fail "one's trace"
[ "$(count_events "$T/two/t" 'seq:tick')" -eq 20 ] || fail "two's trace"

# What is written is the user's.
find "$T/one/t" ! -user 65534 | grep . && fail "not all of it is one's"

# Nor may anyone use another's directory.
complains 'ermission denied' $two create -o "$T/one/u" u

# Root's session sees them all, each in a directory of its own.
expect 0 '' utctl create -o "$T/root" r
expect 0 '' utctl enable-event -s r 'seq:*'
expect 0 '' utctl start r
./prog/asuser 65534 ./prog/seq 1 1 10
./prog/seq 3 1 40
expect 0 'session r stopped: 50 events, 0 lost' utctl stop r
[ "$(count_events "$T/root/ust/uid/65534" 'seq:tick')" -eq 10 ] ||
    fail "65534 in root's trace"
[ "$(count_events "$T/root/ust/uid/0" 'seq:tick')" -eq 40 ] ||
    fail "root in root's trace"
find "$T/root/ust/uid/65534" ! -user 65534 | grep . &&
    fail "65534's part is not all 65534's"
stop_utd || fail "utd: status $?"
