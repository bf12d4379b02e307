# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A user who wants more than others leave: rules that take utd an hour for the
# names of one program, sessions, channels and rules without end.  Others have
# what they need meanwhile, and in time.

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

[ "$(id -u)" -eq 0 ] || exit 0	# one who is alone may have all

# Descriptors, of which utd has few here: sessions and buffers.
(ulimit -n 200 && exec utd -d -r "$UT_RUNDIR") 2>"$T/utd.log" &
UTD_PID=$!
until_ok utctl list || fail "utd: $(cat "$T/utd.log")"
n=0
while as_user utctl create -o "$T/theirs/s$n" s$n >"$T/out" 2>&1; do
	n=$((n + 1))
	[ $n -lt 200 ] || fail "200 sessions"
done
grep -q "s$n: Too many open files" "$T/out" || fail "$(cat "$T/out")"
[ $n -ge 50 ] || fail "only $n sessions"
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

# Memory: rules.  All of them are saved with every change.
start_utd
as_user utctl create -o "$T/theirs/rules" rules >/dev/null || fail "create"
i=0
while as_user utctl enable-event $without "x$i" >"$T/out" 2>&1; do
	i=$((i + 1))
	[ $i -lt 1000 ] || fail "1000 rules of $((${#without} * 10 / 13)) bytes"
done
grep -q "x$i: no memory for more of uid 65534" "$T/out" ||
    fail "$(cat "$T/out")"
[ $i -ge 50 ] || fail "only $i rules"
expect 0 '' utctl create -o "$T/root" root
expect 0 '' utctl enable-event -s root $without x
expect 0 '' ./prog/asuser 65533 utctl create -o "$T/theirs/third" third
expect 0 '' ./prog/asuser 65533 utctl enable-event $without x
expect 0 '' as_user utctl disable-event 'x0'
expect 0 '' as_user utctl enable-event $without y
echo "$sessions sessions, $i rules"
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"
