# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A user who wants more than others leave: rules that take utd an hour for the
# names of one program, requests without pause, sessions, channels and rules
# without end.  Others have what they need meanwhile, and in time.

. ./common.sh

# What takes fnmatch(3) longest: it fails at each place, but late.
a=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
i=0 without=
while [ $i -lt 250 ]; do
	without="$without -x *$a${a}b$i*"
	i=$((i + 1))
done

start_utd
if [ "$(id -u)" -eq 0 ]; then
	chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir -m 777 "$T/theirs" ||
	    fail "chmod"
else
	mkdir "$T/theirs" || fail "mkdir"
fi

# Nobody waits for long: command...
promptly() {
	took=$(./prog/ms "$@" 2>"$T/err") || fail "$*: $(cat "$T/err")"
	[ "$took" -lt 2000 ] || fail "$*: $took ms"
	[ "$took" -le "$longest" ] || longest=$took
}

set -f				# they stay as they are
as_user utctl create -o "$T/theirs/slow" slow >/dev/null &&
    as_user utctl enable-event $without 'many:*' &&
    as_user utctl start slow >/dev/null || fail "set-up of slow"
utctl create -o "$T/good" good >/dev/null &&
    utctl enable-event -s good 'seq:*' && utctl start good >/dev/null ||
    fail "set-up of good"
hold as_user env UT_REGISTER_TIMEOUT=0 ./prog/many "$a$a$a" 0 60000
longest=0 n=0
while [ $n -lt 30 ]; do
	n=$((n + 1))
	sleep 0.1
	promptly utctl list good
	promptly ./prog/seq $n 1 100
done
echo "30 programs beside 60,000 names: at most $longest ms"
release || fail "many: $?"
as_user utctl destroy slow >/dev/null || fail "destroy slow"
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"

# Requests that all have to be saved, with many rules each time, from many who
# do not wait for the answers.
start_utd
as_user utctl create -o "$T/theirs/busy" busy >/dev/null || fail "create"
i=0
while [ $i -lt 30 ]; do
	i=$((i + 1))
	as_user utctl enable-event -s busy $without "x:y$i" || fail "rule $i"
done
utctl create -o "$T/root" root >/dev/null || fail "create"
hold as_user ./prog/hostile "$UT_RUNDIR" busy 50
longest=0 n=0
while [ $n -lt 20 ]; do
	n=$((n + 1))
	promptly utctl list root
	promptly ./prog/seq $n 1 1
done
release
echo "50 who ask all the time: at most $longest ms"
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"

[ "$(id -u)" -eq 0 ] || exit 0	# one who is alone may have all

# Descriptors, of which utd has few here: sessions and buffers.
(ulimit -n 120 && exec utd -d -r "$UT_RUNDIR") 2>"$T/utd.log" &
UTD_PID=$!
until_ok utctl list || fail "utd: $(cat "$T/utd.log")"
n=0
while as_user utctl create -o "$T/theirs/s$n" s$n >"$T/out" 2>&1; do
	n=$((n + 1))
	[ $n -lt 120 ] || fail "120 sessions"
done
grep -q "s$n: Too many open files" "$T/out" || fail "$(cat "$T/out")"
[ $n -ge 30 ] || fail "only $n sessions"
sessions=$n
for s in s0 s1 s2; do
	as_user utctl destroy $s >/dev/null || fail "destroy $s"
done
as_user utctl create -o "$T/theirs/again" again >/dev/null ||
    fail "no session when others are gone"
i=0
while [ $i -lt 20 ]; do
	i=$((i + 1))
	as_user utctl enable-channel -s again -b 4k -n 4 c$i &&
	    as_user utctl enable-event -s again -c c$i 'seq:*' ||
	    fail "channel c$i"
done
as_user utctl start again >/dev/null || fail "start"
as_user ./prog/seq 1 1 10 || fail "seq: $?"
expect 0 'warning: channel c[0-9]* for uid 65534: Too many open files' \
    as_user utctl list again
utctl create -o "$T/other" other >/dev/null &&
    utctl enable-event -s other 'seq:*' && utctl start other >/dev/null ||
    fail "set-up of other"
./prog/asuser 65533 ./prog/seq 2 1 100 && ./prog/seq 3 1 100 || fail "seq: $?"
expect 0 'other destroyed: 200 events, 0 lost' utctl destroy other
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"

# Numbers, where utd could have more: of sessions, channels, and bytes of rules.
start_utd
i=0
while as_user utctl create -o "$T/theirs/n$i" n$i >"$T/out" 2>&1; do
	i=$((i + 1))
	[ $i -lt 100 ] || fail "100 sessions"
done
grep -q "session n$i: uid 65534 has too many sessions" "$T/out" ||
    fail "$(cat "$T/out")"
j=0
while as_user utctl enable-channel -s n0 c$j >"$T/out" 2>&1; do
	j=$((j + 1))
	[ $j -lt 200 ] || fail "200 channels"
done
grep -q "channel c$j: uid 65534 has too many channels" "$T/out" ||
    fail "$(cat "$T/out")"
expect 1 'uid 65534 has too many channels' \
    as_user utctl enable-event -s n1 x:y
k=0
while as_user utctl enable-event -s n0 -c c0 $without "x:y$k" >"$T/out" 2>&1; do
	k=$((k + 1))
	[ $k -lt 200 ] || fail "200 rules"
done
grep -q "rule x:y$k: uid 65534 has too many rules" "$T/out" ||
    fail "$(cat "$T/out")"
echo "$sessions with few descriptors; $i sessions, $j channels, $k rules"
expect 0 '' utctl create -o "$T/roots" root
expect 0 '' utctl enable-event -s root $without x:x
expect 0 '' ./prog/asuser 65533 utctl create -o "$T/theirs/third" third
expect 0 '' ./prog/asuser 65533 utctl enable-event $without x:x
# What goes makes room; and the next utd has all that there was.
expect 0 '' as_user utctl disable-event -s n0 -c c0 x:y0
expect 0 '' as_user utctl enable-event -s n0 -c c0 $without x:y
expect 0 '' as_user utctl destroy n1
expect 0 '' as_user utctl create -o "$T/theirs/more" more
kill_utd 0
start_utd
[ "$(as_user utctl list | grep -c '^session ')" -eq "$i" ] ||
    fail "not all are there again: $(as_user utctl list)"
expect 1 'uid 65534 has too many sessions' \
    as_user utctl create -o "$T/theirs/again" again
expect 1 'uid 65534 has too many rules' \
    as_user utctl enable-event -s n0 -c c0 $without x:z
expect 0 'destroyed' as_user utctl destroy more
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"
