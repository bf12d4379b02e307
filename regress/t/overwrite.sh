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

# The member of the session in the list.
member() {
	utctl list -j | sed -n "s/^{\"sessions\":\[{[^{]*\"$1\":\([0-9]*\).*/\1/p"
}

set_up() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel -m overwrite -b 4k -n $2 c &&
	    utctl enable-event -c c 'seq:*' >/dev/null &&
	    utctl start >/dev/null || fail "set-up of $1"
}

# What is there and what is missing of these progress files, and not more.
all_there() {
	name=$1
	shift
	expect 0 "stopped: [0-9]* events" utctl stop
	written=$(member written) over=$(member overwritten)
	lost=$(member lost)
	utctl view "$T/$name" 2>"$T/view.err" | ./prog/seqcheck "$@" \
	    >"$T/got" 2>"$T/err" || fail "$name: $(cat "$T/err")"
	grep -v -e 'packets* lost before' -e 'events* discarded between' \
	    "$T/view.err" &&
	    fail "$name: $(head -3 "$T/view.err")"
	read -r got writers missing <"$T/got"
	echo "$name: $got events of $writers writers, $missing missing," \
	    "$over overwritten"
	[ "$got" -eq "$written" ] || fail "$name: $got events, not $written"
	readers_agree "$T/$name"
	utctl destroy >/dev/null || fail "destroy"
}

start_utd
bad='neither discard nor overwrite'
utctl create -o "$T/no" no >/dev/null || fail "create"
complains "mode block: $bad" utctl enable-channel -m block c
expect 0 'channels":\[\]' utctl list -j
utctl destroy >/dev/null || fail "destroy"

# At full speed, through so few sub-buffers that there is none to drop, and more.
for n in 2 16 64; do
	set_up full$n $n
	expect 0 'channel c: overwrite, ' utctl list full$n
	./prog/seq 1 8 200000 || fail "seq: $?"
	all_there full$n
	[ $((got + over + lost)) -eq 1600000 ] || fail "$got + $over + $lost"
	[ $n -eq 2 ] || [ "$lost" -eq 0 ] || fail "$lost lost of $n"
done
[ "$over" -gt 0 ] || echo "nothing was overwritten"

# While the consumer is stopped, the newest take the place of the oldest; and
# then the program is killed.
set_up stopped 64
background ./prog/seq 1 4 90000000 "$T/p"
a=$LAST
until_ok test -s "$T/p" || fail "no program"
until_ok sh -c 'utctl list | grep -q " [1-9][0-9]* events"' || fail "no events"
c=$(consumers)
kill -STOP $c
sleep 1
kill -9 $a
kill -CONT $c
wait $a 2>/dev/null
all_there stopped 1:"$T/p"
[ "$over" -gt 100000 ] && [ "$lost" -eq 0 ] || fail "$over overwritten, $lost lost"

# Consumers are killed while a program writes, and then that is.
set_up killed 64
background ./prog/seq 1 4 90000000 "$T/p"
a=$LAST
until_ok test -s "$T/p" || fail "no program"
i=0
while [ $i -lt $KILLS ]; do
	i=$((i + 1))
	sleep 0.$((i * 7 % 10))
	kill_consumers
	# Not so often that it is given up.
	sleep 0.6
done
kill -9 $a
wait $a 2>/dev/null
calls=$(returned "$T/p")
all_there killed 1:"$T/p"
all=$((got + over + lost))
[ $all -ge $calls ] && [ $all -le $((calls + 4)) ] && [ "$lost" -eq 0 ] ||
    fail "$calls calls returned: $got + $over + $lost"
