# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A trigger counts exactly, of many threads, whatever is killed: programs, their
# consumer, utd.  What it has to do is done, by the next utd if need be; a
# flood is not asked for more than it needs.

. ./common.sh

GOT=$T/got
mkdir "$GOT" || exit 1
N=40000

# The number of matches of a trigger of s.
matches() {
	m=$(member s triggers "$1" matches)
}

counted() {
	matches "$1"
	[ "${m:-x}" = "$2" ]
}

start_utd
utctl create -N s >/dev/null && utctl start >/dev/null || fail "set-up"
utctl trigger -e seq:tick -n 1000 -a "exec echo \$4 >>$GOT/all" >/dev/null &&
    utctl trigger -e seq:tick -f 'writer % 2 == 0 && n % 2 == 0' -n 1000 \
    -a "exec echo \$4 >>$GOT/even" >/dev/null &&
    utctl trigger -e seq:tick -a "exec echo \$4 >>$GOT/first" >/dev/null ||
    fail "trigger"

# All there is: the filter passes what it should, however many threads.
total=0 even=0
run() {
	./prog/seq $1 $2 $3 || fail "seq: $?"
	total=$((total + $2 * $3))
}
run 0 8 $N
counted 1 $total || until_ok counted 1 $total || fail "$m matches, not $total"
matches 2
even=$m
[ $even -eq $((4 * N / 2)) ] || fail "$even even ones, not $((4 * N / 2))"
until_ok test -s "$GOT/all" || fail "nothing was done"
until_ok test -s "$GOT/even" || fail "nothing was done of even ones"
until_ok test -s "$GOT/first" || fail "nothing was done of the first"
[ "$(wc -l <"$GOT/first")" -eq 1 ] || fail "first: $(cat "$GOT/first")"
awk '$1 < 1000 * NR { exit 1 }' "$GOT/all" ||
    fail "too often: $(cat "$GOT/all")"
# All of the first run may be over before utd has looked.
matches 3
[ "$m" -lt $total ] || {
	run 0 8 $N
	until_ok counted 1 $total || fail "$m matches, not $total"
	matches 3
}
[ "$m" -lt $total ] || fail "all were recorded for the first: $m"

# Consumers die under a program that goes on.
background ./prog/seq -p 200 0 4 5000
for i in 1 2 3; do
	sleep 0.2
	kill_consumers
done
wait $LAST || fail "seq: $?"
total=$((total + 20000))
until_ok counted 1 $total || fail "$m matches, not $total: consumers"

# utd and they.
for how in 0 1 2; do
	background ./prog/seq -p 200 0 4 5000
	sleep 0.4
	kill_utd $how
	start_utd
	wait $LAST || fail "seq: $?"
	total=$((total + 20000))
	until_ok counted 1 $total || fail "$m matches, not $total: utd $how"
done
matches 3
m3=$m
utctl list s | grep -q '^    trigger 3: .*; over,' || fail "$(utctl list s)"
[ "$(wc -l <"$GOT/first")" -eq 1 ] || fail "first again: $(cat "$GOT/first")"

# Programs die: what returned is counted, and one for each thread may be.
: >"$GOT/all"
background ./prog/seq 0 4 900000000 "$T/progress"
sleep 0.3
kill -9 $LAST
wait $LAST 2>/dev/null
calls=$(returned "$T/progress")
until_ok has_programs s seq 0 || fail "seq is still there"
until_ok test -s "$GOT/all" || fail "nothing was done"
matches 1
[ "$m" -ge $((total + calls)) ] && [ "$m" -le $((total + calls + 4)) ] ||
    fail "$m matches, not $((total + calls))"
matches 3
[ "$m" -eq "$m3" ] || fail "$m of the first, which is over, not $m3"
idle "after a flood"

# A command that utd did not see to end is run again; one that is due, too.
utctl trigger -r 1 && utctl trigger -r 2 && utctl trigger -r 3 || fail "-r"
utctl trigger -e seq:tick -n 5 -a "exec echo \$4 >>$GOT/begun
    sleep 1; echo \$4 >>$GOT/ended" >/dev/null || fail "trigger"
./prog/seq 0 1 7 || fail "seq: $?"
until_ok test -s "$GOT/begun" || fail "not begun"
./prog/seq 0 1 7 || fail "seq: $?"
until_ok counted 4 14 || fail "$m matches"
kill_utd 0
start_utd
until_ok counted 4 14 || fail "$m matches, not 14"
until_ok sh -c "[ \$(wc -l <$GOT/ended) -ge 2 ]" || fail "not run again"
until_ok grep -q '^14$' "$GOT/begun" && awk '$1 < 7 { exit 1 }' "$GOT/begun" ||
    fail "told of: $(cat "$GOT/begun")"
./prog/seq 0 1 1 || fail "seq: $?"
until_ok grep -q '^15$' "$GOT/ended" || fail "not the third time"
utctl list s | grep -q '^    trigger 4: each 5 seq:tick: exec' ||
    fail "$(utctl list s)"

# Removed and killed; stopped, killed and started.
utctl trigger -r 4 || fail "-r"
kill_utd 0
start_utd
! utctl list s | grep "^    trigger" || fail "there again"
utctl trigger -e seq:tick -a stop >/dev/null && utctl stop >/dev/null ||
    fail "stop"
kill_utd 1
start_utd
./prog/seq 0 1 1 && utctl start >/dev/null || fail "start"
./prog/seq 0 1 1 || fail "seq"
until_ok member_is stopped s state || fail "runs on"
kill_utd 0
start_utd
expect 0 '^session s (stopped)' utctl list s
expect 0 'trigger [0-9]*: first seq:tick: stop; over, 1 match, acted 1 time' \
    utctl list s

# What is left when nobody comes back.
pid=$UTD_PID
kill_utd 1
expect 0 '^(no output):$' utctl recover
[ -z "$(find "$SHM" -name "*ut-$(printf %x $pid)-*" 2>/dev/null)" ] ||
    fail "memory is left"
