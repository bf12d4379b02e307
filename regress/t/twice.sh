# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Two channels of a session record the same calls: heap and locks count each
# once, as for a session with one channel that records them at the same time.

. ./common.sh

# session NAME "OPTIONS EVENTS"...: with a channel for each.
session() {
	s=$1 n=0
	shift
	utctl create -o "$T/$s" $s >/dev/null || fail "create $s"
	for c; do
		n=$((n + 1))
		utctl enable-channel -s $s ${c%%:*} c$n || fail "channel $c"
		for e in ${c#*:}; do
			utctl enable-event -s $s -c c$n "$e" >/dev/null ||
			    fail "event $e"
		done
	done
	utctl start $s >/dev/null || fail "start $s"
}

# figures COMMAND SESSION FILE: what it says of processes, without times.
figures() {
	utctl $1 -aj "$T/$2" >"$T/json" 2>"$T/err" ||
	    fail "$1 $2: $(cat "$T/err")"
	sed 's/^{"events":[0-9]*,//
	    s/"[a-z_]*":"[0-9]*",*//g
	    s/"\(min\|max\|p[0-9.]*\)":[0-9]*,*//g' "$T/json" |
	    tr '{' '\n' | sort >"$3"
	[ "$(wc -l <"$3")" -gt 10 ] || fail "$1 $2: $(cat "$T/json")"
}

left_out() {
	grep -q "^utctl: $1 calls were left out: " "$T/err" ||
	    fail "$2: not said that $1 are: $(cat "$T/err")"
}

start_utd
all='libc:* pthread:* calls:* ut:*'
session one ":$all"
session two ":$all" ":$all"
session pids "-p:$all" "-p:$all"
# What only one channel has is not in two.
session parts ":libc:malloc pthread:mutex_request" \
    ":libc:free pthread:mutex_acquired pthread:mutex_release"
./prog/calls <<-'END' || fail "calls"
	1 malloc 100 0x1000 0xa1
	2 malloc 200 0x2000 0xa2
	1 free 0x2000 0xf1
	2 realloc 0x1000 300 0x3000 0xa3
	1 malloc 50 0 0xa1
	1 calloc 10 30 0x4000 0xa4
	2 free 0x4000 0xf1
	2 free 0x4000 0xf2
	1 mutex_request 0x100 0xc1
	1 mutex_acquired 0x100 0xc1
	2 mutex_request 0x100 0xc2
	1 mutex_release 0x100 0xc9
	2 mutex_acquired 0x100 0xc2
	2 mutex_release 0x100 0xc9
	1 rdlock_request 0x300 0xd1
	1 rdlock_acquired 0x300 0xd1
	1 rwlock_release 0x300 0xd9
END
for s in one two pids parts; do
	utctl destroy $s >/dev/null || fail "destroy $s"
done
stop_utd || fail "utd: status $?"

figures heap one "$T/want"
[ ! -s "$T/err" ] || fail "heap one: $(cat "$T/err")"
for s in two pids; do
	figures heap $s "$T/got"
	expected "heap $s" <"$T/want"
	left_out 8 "heap $s"
done
figures locks one "$T/want"
[ ! -s "$T/err" ] || fail "locks one: $(cat "$T/err")"
for s in two pids; do
	figures locks $s "$T/got"
	expected "locks $s" <"$T/want"
	left_out 9 "locks $s"
done
expect 0 '^calls.*: 100 bytes in 1 block' utctl heap "$T/parts"
! grep 'left out' "$T/err" || fail "parts"
expect 0 '' utctl locks "$T/parts"
! grep 'left out' "$T/err" || fail "parts"
