# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Overwrite mode: who finds no room drops the oldest events, whoever wrote them.
# The newest are there in the end, in order, whole and once, and all others were
# counted: whatever consumers and programs are stopped or killed meanwhile.

. ./common.sh
KILLS=${KILLS:-4}
# What comes before a program is known is not recorded.
UT_REGISTER_TIMEOUT=60000
export UT_REGISTER_TIMEOUT

set_up() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel -m overwrite -b 4k -n $2 ${3:-} c &&
	    utctl enable-event -c c 'seq:*' >/dev/null &&
	    utctl start >/dev/null || fail "set-up of $1"
}

# all_there NAME [WRITER:PROGRESS ...]: what utd counts is there, in order and
# once.  A thread may have been stopped when it had delivered its newest events
# and nothing newer was its own, but not all threads of the last program.
all_there() {
	name=$1
	shift
	expect 0 "stopped: [0-9]* events" utctl stop
	written=$(member "$name" written) over=$(member "$name" overwritten)
	lost=$(member "$name" lost)
	[ "$over" -eq 0 ] ||
	    expect 0 "$written events, $lost lost, $over overwritten, " \
	    utctl list "$name"
	readers_agree_but_gaps "$T/$name"
	./prog/seqcheck <"$T/view.out" >"$T/got" 2>"$T/err" ||
	    fail "$name: $(cat "$T/err")"
	read -r kept writers missing <"$T/got"
	echo "$name: $kept events of $writers writers, $missing missing," \
	    "$over overwritten, $lost lost"
	[ "$kept" -eq "$written" ] || fail "$name: $kept events, not $written"
	for p; do
		./prog/seqcheck "$p" <"$T/view.out" >"$T/got" 2>"$T/err"
		[ "$(grep -c 'returned,' "$T/err")" -lt 4 ] ||
		    fail "$name: $(cat "$T/err")"
	done
	expect 0 "destroyed" utctl destroy
}

# Both readers, of a trace where packets are missing, and say so.
readers_agree_but_gaps() {
	utctl view "$1" >"$T/view.out" 2>"$T/view.err" ||
	    fail "view $1: $(head -5 "$T/view.err")"
	grep -v -e 'packets* lost before' -e 'events* discarded between' \
	    "$T/view.err" && fail "$1: $(head -3 "$T/view.err")"
	command -v babeltrace2 >/dev/null 2>&1 || return 0
	babeltrace2 "$1" >"$T/bt2.out" 2>"$T/bt2.err" ||
	    fail "babeltrace2 $1: $(head -5 "$T/bt2.err")"
	grep -v -i 'discarded' "$T/bt2.err" &&
	    fail "babeltrace2 warns: $(head -5 "$T/bt2.err")"
	./prog/samelines "$T/view.out" "$T/bt2.out" ||
	    fail "babeltrace2 reads $1 differently"
}

# So many calls have returned.
so_many() {
	[ "$(returned "$T/p")" -ge $1 ]
}

start_utd
bad='neither discard nor overwrite'
utctl create -o "$T/no" no >/dev/null || fail "create"
complains "mode blocks: $bad" utctl enable-channel -m blocks c
expect 0 'channels":\[\]' utctl list -j
utctl destroy >/dev/null || fail "destroy"

# A session that is saved and loaded has the mode.
utctl create -o "$T/saved" saved >/dev/null &&
    utctl enable-channel -m overwrite c || fail "create"
expect 0 'enable-channel -s saved -m overwrite c$' utctl save saved
utctl save saved >"$T/text" && utctl destroy >/dev/null &&
    rm -rf "$T/saved" && utctl load "$T/text" >/dev/null || fail "load"
expect 0 '"mode":"overwrite"' utctl list -j saved
expect 0 'channel c: overwrite, 512 sub-buffers of 16k$' utctl list saved
utctl destroy >/dev/null || fail "destroy"

# At full speed, through so few sub-buffers that there is none to drop, and
# more.
for n in 2 16 64; do
	set_up full$n $n
	./prog/seq 1 8 60000 || fail "seq: $?"
	all_there full$n
	[ $((kept + over + lost)) -eq 480000 ] || fail "$kept + $over + $lost"
	[ $n -eq 2 ] || [ "$lost" -eq 0 ] || fail "$lost lost of $n"
done

# While the consumer is stopped, the newest take the place of the oldest; and
# then the program is killed.  Nearly all sub-buffers are full of events then.
set_up stopped 64
./prog/seq 2 1 10 || fail "seq: $?"
halt $(consumers)
background ./prog/seq 1 4 90000000 "$T/p"
a=$LAST
until_ok so_many 400000 || fail "no events"
kill -9 $a
wait $a 2>/dev/null
until_ok regions '[0-9]* slots [12] programs .*'
calls=$(returned "$T/p")
kill -CONT $(consumers)
all_there stopped 1:"$T/p"
all=$((kept + over - 10))
[ $all -ge $calls ] && [ $all -le $((calls + 4)) ] && [ "$lost" -eq 0 ] ||
    fail "$calls calls returned: $kept + $over + $lost"
grep -q 'packets* lost before' "$T/view.err" || fail "no packets are missing"
! command -v babeltrace2 >/dev/null 2>&1 ||
    grep -q 'discarded [0-9]* packet' "$T/bt2.err" ||
    fail "none to babeltrace2: $(head -3 "$T/bt2.err")"
# 64 * 4096 bytes, of 27 to 42 each.
[ "$kept" -ge $((64 * 4096 / 42 / 2)) ] && [ "$kept" -le 9800 ] ||
    fail "$kept events are not what the sub-buffers hold"
rm "$T/p"

# Consumers and utd are killed while a program writes, and then that is.
set_up killed 16
background ./prog/seq -p 20 1 4 90000000 "$T/p"
a=$LAST
until_ok test -s "$T/p" || fail "no program"
i=0
while [ $i -lt $KILLS ]; do
	i=$((i + 1))
	[ $((i % 2)) -eq 0 ] || halt $(consumers)
	calls=$(returned "$T/p")
	until_ok so_many $((calls + i * 1500)) || fail "no events"
	if [ $((i % 4)) -eq 0 ]; then
		kill_utd 1
		start_utd
	else
		kill_consumers
	fi
	# Not so often that it is given up.
	sleep 0.6
done
kill -9 $a
wait $a 2>/dev/null
calls=$(returned "$T/p")
all_there killed 1:"$T/p"
all=$((kept + over + lost))
[ $all -ge $calls ] && [ $all -le $((calls + 4)) ] && [ "$lost" -eq 0 ] ||
    fail "$calls calls returned: $kept + $over + $lost"

# What was overwritten while a consumer was stopped is missing in the trace,
# though that consumer is killed and another one comes.
set_up after 8
./prog/seq 2 1 10 || fail "seq: $?"
halt $(consumers)
background ./prog/seq 3 1 20000
wait $LAST || fail "seq: $?"
kill_consumers
all_there after
missed=$(sed -n 's/.*: \([0-9]*\) packets* lost before.*/\1/p' "$T/view.err" |
    awk '{ n += $1 } END { print n + 0 }')
echo "after: $missed packets are missing"
# 4096 bytes each, of 27 to 42 for an event.
[ "$missed" -ge $((over * 27 / 4096)) ] &&
    [ "$missed" -le $((over * 42 / 4096 + 8)) ] ||
    fail "$over overwritten, $missed packets are missing"

# Buffers of a program that is no more, and whose utd was killed since.
set_up own 8 -p
background ./prog/seq -p 2000 1 1 90000000 "$T/p.own"
a=$LAST
until_ok test -s "$T/p.own" || fail "no program"
halt $(consumers)
background ./prog/seq 2 2 30000
kill -9 $a
until_ok utctl list own
kill -CONT $(consumers)
wait $LAST || fail "seq: $?"
until_ok has_programs own '.*' 0 || fail "still there"
over=$(member own overwritten)
kill_utd 1
start_utd
[ "$(member own overwritten)" = "$over" ] ||
    fail "$over overwritten, then $(member own overwritten)"
all_there own
rm "$T/p.own"

# Programs are killed, at any time, with children that are not.  NetBSD's hang
# if they are made as the library begins its thread: see ut(3).
set_up dying 16
children=2
[ "$(uname)" != NetBSD ] || children=0
mkfifo "$T/alive" || fail "mkfifo"
cat "$T/alive" >/dev/null &
cat=$!
exec 8>"$T/alive"
i=0
while [ $i -lt 24 ]; do
	batch=
	for j in 0 1 2; do
		./prog/seq -f $((j * children)) $i 4 90000000 "$T/p.$i" &
		batch="$batch $!"
		i=$((i + 1))
	done
	for p in $batch; do
		nap 40
		kill -9 $p
	done
	wait $batch 2>/dev/null
done
exec 8>&-
wait $cat
calls=$(returned "$T"/p.*)
all_there dying
all=$((kept + over + lost))
# What the dead had is in use until the consumer comes to bury them: events may
# be lost meanwhile.
[ $all -ge $calls ] && [ $all -le $((calls + i * 8)) ] && [ "$over" -gt 0 ] ||
    fail "$calls calls returned: $kept + $over + $lost"

# In files that are cut, and in chunks: what there is, is in order and once.
utctl create -o "$T/chunks" chunks >/dev/null &&
    utctl enable-channel -m overwrite -b 4k -n 16 c &&
    utctl enable-event -c c 'seq:*' >/dev/null && utctl start >/dev/null ||
    fail "set-up of chunks"
background ./prog/seq 3 4 500000
for i in 1 2 3 4 5 6; do
	utctl rotate >/dev/null || fail "rotate"
done
wait $LAST || fail "seq: $?"
utctl rotate >/dev/null && utctl stop >"$T/out" || fail "stop"
written=$(member chunks written) over=$(member chunks overwritten)
lost=$(member chunks lost)
for d in "$T"/chunks/archives/*; do
	utctl view "$d" 2>>"$T/view.err" || fail "view $d"
done >"$T/view.out"
./prog/seqcheck <"$T/view.out" >"$T/got" || fail "$(cat "$T/got")"
read -r kept writers missing <"$T/got"
echo "chunks: $kept events, $over overwritten"
[ "$kept" -eq "$written" ] && [ $((kept + over)) -eq 2000000 ] &&
    [ "$lost" -eq 0 ] || fail "chunks: $kept, $written + $over + $lost"
utctl destroy >/dev/null || fail "destroy"
stop_utd || fail "utd: status $?"
