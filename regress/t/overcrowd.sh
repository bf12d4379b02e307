# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Thousands of threads in overwrite mode, of which most hardly trace, alone and
# beside some at full speed, while nobody drains: at least half of the buffers'
# bytes are events, none is lost, and all others were counted.

. ./common.sh

UT_REGISTER_TIMEOUT=-1
export UT_REGISTER_TIMEOUT
threads=3000 each=40
case $CFLAGS in
*-fsanitize*)	threads=300 each=400 ;;
esac
[ "$MOST_THREADS" = unlimited ] || [ "$MOST_THREADS" -ge 12000 ] ||
    threads=300 each=400

# Of the regions, bytes of events, all bytes, and events overwritten.
look() {
	set -- "$SHM"/.*ut-$(printf %x $UTD_PID)-*
	[ ! -r /proc/self/fd/0 ] || set -- /proc/$(consumers)/fd/*
	read -r bytes of size x over x <<-END
	$(./prog/region -b "$@")
	END
}

overwritten() {
	look && [ "$over" -ge "$1" ]
}

# At least half, ten times: at any time.
half() {
	n=0
	while [ $n -lt 10 ]; do
		n=$((n + 1))
		look
		[ $((bytes * 2)) -ge $size ] ||
		    fail "$1: $bytes of $size bytes"
		sleep 0.02
	done
	echo "$1: $bytes of $size bytes, $over overwritten"
}

start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-channel -m overwrite -b 4k -n 128 c &&
    utctl enable-event -c c 'seq:*' && utctl enable-event -c c 'trickle:*' &&
    utctl start || fail "set-up"
./prog/seq 900 1 1 || fail "seq"
halt $(consumers)

background ./prog/trickle 0 $threads $each 100
trickle=$LAST
until_ok overwritten 12000 || fail "only $over overwritten"
half "$threads threads"

background ./prog/seq 901 2 90000000 "$T/p"
seq=$LAST
until_ok overwritten $((over + 100000)) || fail "only $over overwritten"
half "and two at full speed"
kill -9 $seq
wait $seq 2>/dev/null
wait $trickle || fail "trickle: $?"
half "at the end"

calls=$((threads * each + $(returned "$T/p") + 1))
kill -CONT $(consumers)
expect 0 "stopped" utctl stop
counts s
all=$((events + $(member s overwritten)))
[ "$lost" -eq 0 ] || fail "$lost lost"
[ $all -ge $calls ] && [ $all -le $((calls + 2)) ] ||
    fail "$calls calls returned, $all counted"
utctl view "$T/trace" 2>"$T/view.err" | ./prog/seqcheck >"$T/got" ||
    fail "$(cat "$T/got")"
read -r kept writers missing <"$T/got"
echo "$kept events of $writers writers"
[ "$kept" -eq "$events" ] ||
    fail "$kept events, not $events"
stop_utd || fail "utd: status $?"
