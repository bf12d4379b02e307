# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# No descriptors left, in utd, in its consumer, in a program: what has to wait
# waits, without a busy loop and with a line in the log, what is there goes
# on, and when descriptors come free so does the rest.

. ./common.sh

# Milliseconds of processor time that a process has used, as far as ps tells.
used() {
	if [ -r "/proc/$1/stat" ]; then
		awk -v hz="$(getconf CLK_TCK)" \
		    '{ print int(($14 + $15) * 1000 / hz) }' "/proc/$1/stat"
	else
		echo 0
	fi
}

idles() {	# pid, what
	before=$(used "$1")
	sleep 1
	after=$(used "$1")
	[ $((after - before)) -lt 200 ] ||
	    fail "$2 uses $((after - before)) ms in a second"
}

start_few() {
	(ulimit -n "$1" && exec utd -d -r "$UT_RUNDIR") 2>"$T/utd.log" &
	UTD_PID=$!
	until_ok utctl list || fail "utd: $(cat "$T/utd.log")"
}

session() {
	utctl create -o "$T/$1" "$1" >/dev/null && utctl enable-channel \
	    -b 4k -n 64 c && utctl enable-channel -p -b 4k -n 16 p &&
	    utctl enable-event -c c '*' >/dev/null &&
	    utctl enable-event -c p '*' >/dev/null && utctl start ||
	    fail "set-up of $1"
}

is_known() {
	utctl events | grep -q "$1"
}

# More connections than descriptors; one program was there before.
start_few 80
session a
pulse_start ./prog/nofiles
until_ok is_known '^nofiles' || fail "not known"
pulse hit 10
mkfifo "$T/hold" || exit 1
./prog/connects -n "$UT_RUNDIR/sock" 4 30 <"$T/hold" >"$T/connected" &
connects=$!
exec 5>"$T/hold"
until_ok test -s "$T/connected" || fail "not connected"
until_ok grep -q 'programs have to wait' "$T/utd.log" ||
    fail "utd does not say it"
idles "$UTD_PID" utd
pulse hit 10
[ "$(grep -c 'programs have to wait' "$T/utd.log")" -eq 1 ] ||
    fail "said too often: $(cat "$T/utd.log")"
# utctl is served, and a program that comes now is traced later.
utctl list >/dev/null || fail "list: $?"
./prog/seq 1 1 10 5>&- || fail "seq: $?"
background ./prog/seq -p 10000 2 1 100000 5>&-
exec 5>&-
wait $connects
until_ok is_known "^seq (pid $LAST" || fail "the program is not served"
! is_known '^connects' || until_ok sh -c '! utctl events | grep -q ^connects' ||
    fail "connects: $(utctl events)"
sleep 0.1
kill -9 $LAST
./prog/seq 3 1 10
expect 0 ' 0 lost' utctl stop a
for d in uid pid; do
	[ "$(count_events "$T/a/ust/$d" nofiles:hit)" -eq 20 ] ||
	    fail "not 20 hits in $d"
	[ "$(count_events "$T/a/ust/$d" 'writer = 3072')" -eq 10 ] ||
	    fail "not 10 ticks in $d"
	[ "$(count_events "$T/a/ust/$d" 'writer = 2048')" -gt 0 ] ||
	    fail "no ticks of who waited in $d"
done
readers_agree "$T/a"
expect 0 '' utctl destroy a
kill -9 "$PULSE"

# Buffers and directories of programs: more than utd or its consumer have
# descriptors for.
session b
i=0 some=
while [ $i -lt 40 ]; do
	./prog/seq -p 10000 $((10 + i)) 1 100000 &
	some="$some $!"
	i=$((i + 1))
done
CHILDREN="$CHILDREN $some"
until_ok sh -c 'utctl list b | grep -q "warning: .*Too many open files"' ||
    fail "nobody says it: $(utctl list b; cat "$T/utd.log")"
for p in $UTD_PID $(consumers); do
	idles "$p" "$(ps -o comm= -p "$p")"
done
kill -9 $some
wait $some 2>/dev/null
# Soon there are enough again, for the next program.
writer=100
later() {
	writer=$((writer + 1))
	./prog/seq $writer 1 10 && utctl list b >/dev/null || return 1
	for d in uid pid; do
		[ "$(count_events "$T/b/ust/$d" \
		    "writer = $((writer * 1024)),")" -eq 10 ] || return 1
	done
}
until_ok later || fail "nobody is served later: $(utctl list b)"
expect 0 'b stopped: ' utctl stop b
readers_agree "$T/b/ust/uid"
readers_agree "$T/b/ust/pid"
expect 0 '' utctl destroy b
grep 'given up' "$T/utd.log" && fail "$(cat "$T/utd.log")"
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"

# The program's own: when utd comes, and when buffers do.
pulse_start ./prog/nofiles
pulse hit 1
pulse full
start_utd
session c
pulse time
before=$answer
sleep 1
pulse time
[ $((answer - before)) -lt 200 ] || fail "it uses $((answer - before)) ms"
pulse hit 10
pulse free
until_ok is_known '^nofiles' || fail "not known when descriptors were free"
expect 0 '' utctl enable-event -c c 'another:*'
pulse hit 10
expect 0 ' 0 lost' utctl stop c
n=$(count_events "$T/c/ust/uid" nofiles:hit)
[ "$n" -eq 10 ] || [ "$n" -eq 20 ] || fail "$n hits"
expect 0 '' utctl destroy c
pulse full
session d
pulse hit 10
pulse free
pulse_hits() {
	pulse hit 1
	utctl list d >/dev/null
	[ "$(count_events "$T/d/ust/uid" nofiles:hit)" -gt 0 ]
}
until_ok pulse_hits || fail "no buffers when descriptors were free"
expect 0 ' 0 lost' utctl destroy d
readers_agree "$T/d"

# And from the start.
session e
(ulimit -n 4 && exec ./prog/seq 1 1 10) 3>&- 4<&- || fail "seq: $?"
expect 0 'e destroyed: ' utctl destroy e
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"
