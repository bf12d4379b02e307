# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# While the consumer keeps up, a program uses few sub-buffers, over and over,
# and so few pages and little of the cache, not all of them in turn.

. ./common.sh

start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-channel -b 4k -n 64 c &&
    utctl enable-event -c c 'other:*' >/dev/null && utctl start ||
    fail "set-up"
pulse_start
until_ok pulse_on ---o || fail "$answer"

# What ./prog/region -c says: claimed, all of them, times.
claims() {
	set -- $(./prog/region -c $files)
	[ $# -eq 6 ] || fail "no region: $*"
	used=$1 all=$3 times=$5
}
files=/proc/$(consumers)/fd/*
[ -r /proc/self/fd/0 ] || files=$(ls $SHM/.*ut-$(printf %x $UTD_PID)-*)

# Each burst is more than what wakes the consumer, an eighth of all.
i=0 times=0
while [ $i -lt 100 ] && [ $times -lt 256 ]; do
	pulse hit 3000
	until_ok regions '.* [0-7] full' ||
	    fail "not drained: $(cat "$T/regions")"
	claims
	i=$((i + 1))
done
[ $times -ge 256 ] || fail "$times claims in $i bursts"
echo "$i bursts: $used of $all sub-buffers, $times times"
[ "$used" -le $((all / 2)) ] || fail "$used of $all sub-buffers in use"
expect 0 "$((i * 3000)) events, 0 lost" utctl stop
