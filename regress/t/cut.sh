# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A channel with -C and -W: however much is recorded, its files never have more
# than they may, at whatever moment one looks, and both readers read what is
# there; also when consumers and utd are killed.  What was removed is missing
# from the beginning of each stream, and nowhere else.  CUTS is how often all
# that is looked at.

. ./common.sh

cuts=${CUTS:-12}
size=20480 count=3 threads=4

# Programs whose threads have a stream each.
start() {
	background ./prog/seq -p 100 $1 $threads 90000000 "$T/progress.$1"
}

# No file is longer, no stream has more: all but an empty one, which is there
# before the oldest goes.
bounded() {
	find "$T/trace" -name 'c_*' -type f -exec ls -l {} + |
	    awk -v size=$size -v count=$count '
	{
		sub(".*/", "", $NF)
		stream = $NF
		sub("_[0-9]*$", "", stream)
		n[stream] += $5 > 0
		if ($5 > size || n[stream] > count)
			print $5, $NF, "is file", n[stream]
	}' >"$T/bad"
	[ ! -s "$T/bad" ] || fail "$1: $(head -3 "$T/bad")"
}

# The events of each writer, in a row that goes on to the last one.
whole() {
	./prog/seqcheck <"$T/view.out" >"$T/got" || fail "$1: $(cat "$T/got")"
	awk '{
		match($0, /writer = [0-9]+/)
		w = substr($0, RSTART, RLENGTH)
		match($0, / n = [0-9]+/)
		n = substr($0, RSTART + 5, RLENGTH - 5) + 0
		if (w in last && n != last[w] + 1)
			print w, "has", last[w], "and then", n
		last[w] = n
	}' <"$T/view.out" >"$T/gaps"
	[ ! -s "$T/gaps" ] || fail "$1: $(head -3 "$T/gaps")"
	grep . "$T/view.err" && fail "$1: view complains"
	return 0
}

# As the consumers are, in the middle of something.
look() {
	at=$(consumers)
	halt $at
	bounded "$1"
	readers_agree "$T/trace" || exit 1
	whole "$1"
	kill -CONT $at
}

start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-channel -C $size -W $count c &&
    utctl enable-event -c c 'seq:tick' && utctl start || fail "set-up"
expect 0 'files of 20k, the last 3 of a stream' utctl list s
start 1
until_ok sh -c "ls $T/trace/ust/uid/*/*-bit/c_0_[3-9]*" || fail "never cut"
complains 'c_1: its files would have the names of those of channel c' \
    utctl enable-channel c_1
i=0
while [ $i -lt "$cuts" ]; do
	i=$((i + 1))
	nap 100
	look "look $i"
	case $((i % 4)) in
	2)	kill_consumers ;;
	0)	kill_utd $((i / 4 % 3))
		start_utd ;;
	esac
done
# Whatever was killed, utd knows how much is there.
kill -9 $LAST
expect 0 'stopped: [0-9]* events, 0 lost' utctl stop s
counts s
n=$(find "$T/trace" -name 'c_*' -type f -exec cat {} + | wc -c)
[ "$bytes" -eq "$n" ] || fail "$bytes bytes, not $n"
bounded "stopped"
readers_agree "$T/trace"
whole "stopped"
done=$(returned "$T/progress.1")
echo "$done events, of which $(wc -l <"$T/view.out") in $n bytes"
[ "$events" -ge "$done" ] || fail "$events events, and $done calls returned"

# Without -W nothing is removed.
utctl create -o "$T/all" a >/dev/null && utctl enable-channel -C 8704 -b 4k c &&
    utctl enable-event -c c 'seq:tick' && utctl start || fail "set-up"
./prog/seq 1 2 10000 || fail "seq: $?"
# The next consumer leaves alone what is only called much like its files.
others="c_ c_x c_1 c_1x c_0_ c_0_x c_0_1x c_9999999_1 c_0_4294967295
    c_4294967295_0 c_18446744073709551617_0"
dir=$(dirname "$T"/all/ust/uid/*/*-bit/metadata)
for f in $others; do
	echo other >"$dir/$f"
done
kill_consumers
./prog/seq 3 2 10000 || fail "seq: $?"
expect 0 "destroyed: 40000 events, 0 lost, $BYTES" utctl destroy a
for f in $others; do
	[ "$(cat "$dir/$f")" = other ] && rm "$dir/$f" || fail "$f has changed"
done
readers_agree "$T/all"
./prog/seqcheck <"$T/view.out" >"$T/got" || fail "$(cat "$T/got")"
[ "$(cat "$T/got")" = "40000 4 0" ] || fail "all: $(cat "$T/got")"
[ "$(ls "$T"/all/ust/uid/*/*-bit/c_* | wc -l)" -gt 40 ] || fail "not cut"

# The same of what is recorded without a session.
recorded -C 64k -W 2 -e 'seq:*' -- ./prog/seq 1 1 100000
[ "$(find "$T/trace" -name '*_0_*' | wc -l)" -eq 2 ] || fail "record -W"
stop_utd || fail "utd: status $?"
