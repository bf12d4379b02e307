# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The memory of a new session is touched before programs write there, but not
# all of it, and a program has few page faults when it fills it.

. ./common.sh

start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-channel c &&
    utctl enable-event -c c 'other:*' >/dev/null && utctl start ||
    fail "set-up"
pulse_start
until_ok pulse_on ---o || fail "$answer"
files=/proc/$(consumers)/fd/*
[ -r /proc/self/fd/0 ] || files=$(ls $SHM/.*ut-$(printf %x $UTD_PID)-*)

# What ./prog/region -w says: bytes of the data, of all.
touched() {
	set -- $(./prog/region -w $files)
	[ $# -eq 5 ] || return 1
	warm=$1 all=$3
}

is_warm() {
	touched && [ "$warm" -ge $((all / 8 + all / 16)) ]
}
until_ok is_warm || fail "$warm bytes of $all are touched"
echo "$warm bytes of $all are touched at the start"
[ "$warm" -le $((all / 4)) ] || fail "$warm bytes of $all"

# An eighth is what may be full before the consumer is woken.  An event of one
# u64 takes 14 bytes.
faults() {
	sed 's/.*) //' "/proc/$PULSE/stat" | cut -d ' ' -f 8
}
hits=$((all / 8 / 14))
if [ -r "/proc/$PULSE/stat" ] && [ "$(uname)" = Linux ]; then
	pulse hit 1
	before=$(faults)
	pulse hit $hits
	n=$(($(faults) - before))
	echo "$n page faults in $((all / 8 / 4096)) pages"
	[ $n -le $((all / 8 / 4096 / 4)) ] || fail "$n page faults"
else
	pulse hit $((hits + 1))
fi

# The rest follows the writers.
goes_on() {
	pulse hit $((all / 7 / 14))
	hits=$((hits + all / 7 / 14))
	touched && [ "$warm" -gt $((all / 4)) ]
}
until_ok goes_on ||
    fail "$warm bytes of $all after $hits events"
expect 0 "$((hits + 1)) events, 0 lost" utctl stop
