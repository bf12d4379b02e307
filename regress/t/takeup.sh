# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utd is killed, alone or with its consumers, at any time; the next one takes
# up its sessions, per UID and per process: programs go on meanwhile, are
# known again, and nothing is lost or there twice.  KILLS is how many.

. ./common.sh
KILLS=${KILLS:-${FEWER:-6}}
# However busy the machine is, programs begin when all regions are attached;
# one whose utd is killed before would begin without.
UT_REGISTER_TIMEOUT=60000
export UT_REGISTER_TIMEOUT

start_utd
utctl create -o "$T/s" s >/dev/null &&
    utctl enable-channel -n 4096 uid &&
    utctl enable-channel -n 2048 -p pid &&
    utctl enable-event -c uid 'seq:*' >/dev/null &&
    utctl enable-event -c pid 'seq:*' >/dev/null &&
    utctl start >/dev/null || fail "set-up"
background ./prog/seq -p 40 1 2 9000000 "$T/progress"
a=$LAST
background ./prog/seq -p 40 2 2 9000000 "$T/progress2"
b=$LAST
until_ok test -s "$T/progress" && until_ok test -s "$T/progress2" ||
    fail "no programs"
sleep 0.3
i=0 short=
while [ $i -lt $KILLS ]; do
	sleep 0.$((i * 7 % 10))
	kill_utd $((i % 3))
	sleep 0.$((i * 3 % 5))
	start_utd
	expect 0 'warning: utd was killed, and another took over' utctl list s
	until_ok has_programs s '.*' 2 ||
	    fail "kill $i: programs do not come again: $(utctl list s)"
	./prog/seq $((10 + i)) 1 100 "$T/short$i" || fail "seq"
	short="$short $((10 + i)):$T/short$i"
	i=$((i + 1))
done
sleep 0.2
kill -9 $a $b
expect 0 'stopped: [0-9]* events, 0 lost' utctl stop
total=$(sed -n 's/.*: \([0-9]*\) events.*/\1/p' "$T/out")

# Each of the two channels has all of it.
all=0
uid=$(echo "$T"/s/ust/uid/*)
for d in "$uid" "$T/s/ust/pid"; do
	utctl view "$d" 2>"$T/view.err" | ./prog/seqcheck 1:"$T/progress" \
	    2:"$T/progress2" $short >"$T/got" 2>"$T/bad" ||
	    fail "$d: $(head -3 "$T/view.err" "$T/bad")"
	[ ! -s "$T/view.err" ] || fail "$d: $(head -3 "$T/view.err")"
	read -r got writers missing <"$T/got"
	echo "$got events of $writers writers, $missing missing"
	[ "$missing" -eq 0 ] || fail "$d: $missing missing"
	[ "$writers" -eq $((4 + KILLS)) ] || fail "$writers writers"
	total=$((total - got))
	all=$((all + got))
done
# Of a program that ended just when utd was killed the number may be lost.
[ "$total" -le 0 ] && [ "$total" -ge $((KILLS * -100)) ] ||
    fail "utd counts $total more than there are"
[ "$(ls -d "$T"/s/ust/pid/seq-$a-* | wc -l)" -eq 1 ] ||
    fail "more directories: $(ls "$T/s/ust/pid")"
readers_agree "$T/s"
survived $KILLS "utds killed" \
    $((2 * $(returned "$T"/progress* "$T"/short*))) $all
expect 0 '' utctl destroy
stop_utd || fail "utd: status $?"
[ ! -e "$T/run/state" ] && [ ! -e "$T/run/programs" ] ||
    fail "state is left: $(ls "$T/run")"
