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
complains 'there is no session of yours$' $two stop
expect 0 'session 65534/s (active).*' utctl list

# Without a name root means none of others; by name it may have them.
for c in start stop destroy "enable-event x:y" "remove-channel channel0"; do
	complains 'there is no session of yours: name one of 65534/s$' utctl $c
done
expect 0 '' utctl stop s
expect 0 '' utctl start 65534/s
for s in 65533/s 0/s 65534/t 18446744073709617150/s 99999999999999999999999/s
do
	complains "session $s does not exist" utctl stop $s
done
expect 0 '' $one stop 65534/s
expect 0 '' $one start
expect 0 '' utctl enable-event -s 65534/s 'a:b'
expect 0 '' utctl disable-event -s 65534/s 'a:b'
complains 'session 65534/s does not exist' $two stop 65534/s
for name in a/s /s 1/ 1/2/s 65534/; do
	complains 'session name' utctl stop $name
	complains 'session name' utctl create -o "$T/bad" 1/x
done
# The same name, of another user, is another session.
expect 0 '^session s: ' $two create -o "$T/two/t" s
expect 0 "session s (stopped): $T/two/t" $two list
expect 0 "session s (active): $T/one/t" $one list
complains 'several users have a session s: name one of 65533/s, 65534/s$' \
    utctl stop s
complains 'several users have a session s' utctl destroy s
complains 'several users have a session s' utctl enable-event -s s x:y
complains 'there is no session of yours: name one of 65533/s, 65534/s$' \
    utctl destroy
expect 0 "session 65534/s (active): $T/one/t" utctl list 65534/s
# One of its own is preferred.
expect 0 '' utctl create -o "$T/own" s
expect 0 'session s destroyed' utctl destroy s
expect 0 '' utctl create -o "$T/own2" s
expect 0 'session s destroyed' utctl destroy
complains 'there is no session of yours: name one of 65533/s, 65534/s$' \
    utctl destroy

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

# A command that is advised means the session, whoever has one of that name.
expect 0 '' $two disable-event '*'
expect 0 '' $two enable-event -f 'none == 1' 'seq:*'
expect 0 '' $two start
./prog/asuser 65533 ./prog/seq 2 1 20
expect 0 '' utctl create -o "$T/own3" s
expect 0 '; 1 warning: see utctl list 65533/s$' utctl stop 65533/s
expect 0 '    warning: ' utctl list 65533/s
expect 0 '; 1 warning: see utctl list s$' $two start s
expect 0 '' $two stop s
expect 0 '' utctl destroy s

# What is written is the user's.
find "$T/one/t" ! -user 65534 | grep . && fail "not all of it is one's"

# Nor may anyone use another's directory.
complains 'ermission denied' $two create -o "$T/one/u" u

# Nor is told of another's programs.
background ./prog/asuser 65534 ./prog/seq -p 1000 5 1 1000000
pid1=$LAST
background ./prog/asuser 65533 ./prog/seq -p 1000 6 1 1000000
pid2=$LAST
until_ok sh -c "utctl events | grep -q 'pid $pid1,'" &&
    until_ok sh -c "utctl events | grep -q 'pid $pid2,'" || fail "no programs"
$one list s | grep -q "program seq (pid $pid1, uid 65534" ||
    fail "one's program: $($one list s)"
$two list s | grep -q "program seq (pid $pid2, uid 65533" ||
    fail "two's program: $($two list s)"
{ $one list s; $one list -j; $one events; $one events -j; } >"$T/one.seen"
{ $two list s; $two list -j; $two events; $two events -j; } >"$T/two.seen"
grep -q -e "$pid2" -e 65533 "$T/one.seen" && fail "one is told of two's"
grep -q -e "$pid1" -e 65534 "$T/two.seen" && fail "two is told of one's"
kill -9 $pid1 $pid2

# Root's session sees them all, each in a directory of its own, which is
# open to that user alone.
expect 0 '' utctl create -o "$T/root" r
expect 0 '' utctl enable-event -s r 'seq:*'
expect 0 '' utctl start r
./prog/asuser 65534 ./prog/seq 1 1 5000 &
p1=$!
./prog/asuser 65533 ./prog/seq 2 1 5000 &
p2=$!
./prog/seq 3 1 5000 &
p3=$!
for p in $p1 $p2 $p3; do
	wait $p || fail "seq: $?"
done
expect 0 'session r stopped: 15000 events, 0 lost' utctl stop r
n=0
for uid in 65534 65533 0; do
	n=$((n + 1))
	dir=$T/root/ust/uid/$uid
	readers_agree "$dir"
	[ "$(./prog/seqcheck <"$T/view.out")" = "5000 1 0" ] ||
	    fail "$uid: $(./prog/seqcheck <"$T/view.out")"
	[ "$(grep -c "writer = $((n * 1024))," "$T/view.out")" -eq 5000 ] ||
	    fail "$uid has events of others"
	find "$dir" ! -user $uid | grep . && fail "not all of it is $uid's"
	find "$dir" -type d ! -perm 700 | grep . && fail "not mode 700"
	find "$dir" -type f ! -perm 600 | grep . && fail "not mode 600"
done
[ "$(ls "$T/root/ust/uid" | wc -l)" -eq 3 ] || fail "$(ls "$T/root/ust/uid")"

# None is taken for another of the same name when all of them end.
kill_utd 1
expect 0 "^$T/one/t:\$" utctl recover
grep -q "^$T/two/t:\$" "$T/out" &&
    [ "$(grep -c '^session s destroyed: ' "$T/out")" -eq 2 ] &&
    [ "$(grep -c '^session r destroyed: ' "$T/out")" -eq 1 ] ||
    fail "recover: $(cat "$T/out")"
