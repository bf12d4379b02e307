# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl serve while all that it reads from is disturbed: programs, consumers and
# utd are killed, chunks rotate, files and chunks are removed.  babeltrace2 ends
# well, and has printed what the files have; where these are removed, nothing
# that was not there, in the order of time.

. ./common.sh
. ./serve.sh

need babeltrace2
start_utd

# disturb ROUNDS COMMAND ...: programs come and are killed, and in each third
# round that is done.
disturb() {
	rounds=$1
	shift
	n=0
	while [ $n -lt "$rounds" ]; do
		n=$((n + 1))
		./prog/seq $((n * 8)) 3 2000000 >/dev/null 2>&1 &
		VICTIM=$!
		CHILDREN="$CHILDREN $VICTIM"
		./prog/seq $((n * 8 + 4)) 3 300 || fail "seq"
		nap 50
		kill -9 $VICTIM 2>/dev/null
		wait $VICTIM 2>/dev/null
		[ $((n % 3)) -ne 0 ] || "$@" || fail "$*"
	done
}
# session NAME [OPTION ...]: small buffers, so that programs wait for them.
session() {
	name=$1
	shift
	utctl create -o "$T/$name" "$@" "$name" >/dev/null &&
	    utctl enable-channel -m block -b 16k -n 64 c >/dev/null &&
	    utctl enable-event -c c 'seq:*' >/dev/null || fail "$name"
}
# finished NAME: and nothing was left out.
finished() {
	utctl stop "$1" >/dev/null || fail "stop"
	watched w "$T/$1"
	served 0
}
ROUNDS=${ROUNDS:-3}
# first_of A B: $one and $other are both, in any order; with FEWER, just $one.
first_of() {
	draw 2
	one=$1 other=$2
	[ $r -eq 0 ] || one=$2 other=$1
	[ -z "${FEWER:-}" ] || other=
}

# Chunks, also with the counter as the clock.
rotated() {
	utctl rotate "$name" >/dev/null
}
first_of monotonic cycles
for clock in $one $other; do
	utctl create -o "$T/$clock" $clock >/dev/null &&
	    utctl enable-channel -k $clock -m block -b 16k -n 64 c \
	    >/dev/null 2>&1 || {
		echo "no $clock"
		utctl destroy $clock >/dev/null 2>&1
		continue
	}
	utctl enable-event -c c 'seq:*' >/dev/null &&
	    utctl start >/dev/null || fail "start"
	name=$clock
	serve $clock
	watch w
	disturb "$ROUNDS" rotated
	finished $clock
	utctl destroy $clock >/dev/null
done

# Consumers are killed, and utd, which finds its sessions again.
killed() {
	kill_consumers
	[ $((n % 2)) -ne 0 ] || {
		kill_utd 0
		start_utd
	}
}
session k
utctl start >/dev/null || fail "start"
serve k
watch w
disturb "$ROUNDS" killed
finished k
utctl destroy k >/dev/null

# Chunks are removed behind the viewer: it must not hang, nor print what was not
# recorded.  A part of the events is left.
first_of "-M 16m" "-W 64k"
for how in "$one" ${other:+"$other"}; do
	name=m
	case $how in
	-M*)	utctl create -o "$T/m" $how m >/dev/null ;;
	*)	utctl create -o "$T/m" m >/dev/null ;;
	esac || fail "create $how"
	case $how in
	-M*)	utctl enable-channel -m block -b 16k -n 64 c ;;
	*)	utctl enable-channel -m block -b 16k -n 64 -C 64k -W 3 c ;;
	esac >/dev/null || fail "channel $how"
	utctl enable-event -c c 'seq:*' >/dev/null && utctl start >/dev/null ||
	    fail "start"
	serve m
	watch w
	disturb 1 true
	until_ok printed w seq:tick 1000 || fail "$how: nothing"
	# The viewer stands in the midst of a packet meanwhile.
	kill -STOP "$(cat "$T/w.pid")"
	disturb "$ROUNDS" true
	kill -CONT "$(cat "$T/w.pid")"
	utctl stop >/dev/null || fail "stop"
	wait $WATCH_w
	[ "$(cat "$T/w.status")" -eq 0 ] || fail "$how: $(tail -5 "$T/w.err")"
	[ "$(grep -c seq:tick "$T/w.out")" -gt 1000 ] || fail "$how: few"
	cut -c 1-20 "$T/w.out" | LC_ALL=C sort -c || fail "$how: order"
	# Each event tells what the sum of its numbers is.
	grep seq:tick "$T/w.out" | tr -d '},=' |
	    LC_ALL=C sort | uniq -d | grep . >&2 && fail "$how: twice"
	wait $SERVE
	utctl destroy m >/dev/null
	rm -rf "$T/m"
done
stop_utd || fail "utd: $?"
