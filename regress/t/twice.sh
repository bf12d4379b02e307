# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Several channels of a session record the same calls: heap and locks count each
# once, as for a session with one channel that records them at the same time.
# So they do if a channel records only for a time, or only some of the calls.

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

# figures COMMAND SESSION FILE: what it says of processes, without times, and
# without what may have been lost while a channel did not record.
figures() {
	utctl $1 -aj "$T/$2" >"$T/json" 2>"$T/err" ||
	    fail "$1 $2: $(cat "$T/err")"
	sed 's/^{"events":[0-9]*,//
	    s/"[a-z_]*":"[0-9]*",*//g
	    s/"unsure[a-z_]*":[a-z0-9]*,*//g
	    s/"\(min\|max\|p[0-9.]*\)":[0-9]*,*//g' "$T/json" |
	    tr '{' '\n' | sort >"$3"
	[ "$(wc -l <"$3")" -gt 10 ] || fail "$1 $2: $(cat "$T/json")"
}

# same COMMAND SESSION [COUNT]: the same as of session one; what is left out.
same() {
	figures $1 $2 "$T/got"
	expected "$1 $2" <"$T/want.$1"
	grep -q "^utctl: ${3:-[1-9][0-9]*} events were left out: " "$T/err" ||
	    fail "$1 $2: $(cat "$T/err")"
}

start_utd
all='libc:* pthread:* calls:* ut:*'
changes='gone removed second events back'
cycles=
session one ":$all"
session two ":$all" ":$all"
session pids "-p:$all" "-p:$all"
session three ":$all" ":$all" ":$all"
for s in $changes; do
	session $s ":$all" ":$all"
done
# What only one channel has is not in two.
session parts ":libc:malloc pthread:mutex_request" \
    ":libc:free pthread:mutex_acquired pthread:mutex_release"
session some ":$all" ":libc:malloc pthread:mutex_request"
utctl create -o "$T/clocks" clocks >/dev/null || fail "create clocks"
if utctl enable-channel -s clocks -k cycles cycles 2>/dev/null; then
	cycles=clocks
	utctl enable-channel -s clocks -k monotonic monotonic || fail "clocks"
	for c in cycles monotonic; do
		utctl enable-event -s clocks -c $c '*' >/dev/null ||
		    fail "clocks: event"
	done
	utctl start clocks >/dev/null || fail "start clocks"
fi

mkfifo "$T/in"
./prog/calls <"$T/in" >"$T/said" &
pid=$!
exec 3>"$T/in"
# do_calls WORD: those of the input; they are over when this returns.
do_calls() {
	cat >&3
	echo "1 say $1" >&3
	until_ok grep "^$1$" "$T/said" || fail "$1: not said"
}
do_calls first <<-'END'
	1 malloc 100 0x1000 0xa1
	2 malloc 200 0x2000 0xa2
	1 free 0x2000 0xf1
	2 realloc 0x1000 300 0x3000 0xa3
	1 malloc 50 0 0xa1
	1 mutex_request 0x100 0xc1
	1 mutex_acquired 0x100 0xc1
	2 mutex_request 0x100 0xc2
	1 cond_signal 0x500 0xe1
	1 cond_signal 0x500 0xe1
END
# The first channel records no more, or no more of these events; or the second.
utctl disable-channel -s gone c1 >/dev/null || fail "disable c1"
utctl remove-channel -s removed c1 >/dev/null || fail "remove c1"
utctl disable-channel -s second c2 >/dev/null || fail "disable c2"
for e in "libc:*" "pthread:*"; do
	utctl disable-event -s events -c c1 "$e" >/dev/null || fail "disable $e"
done
utctl disable-channel -s back c1 >/dev/null || fail "disable c1"
do_calls second <<-'END'
	1 mutex_release 0x100 0xc9
	1 malloc 100 0x5000 0xa1
	1 malloc 100 0x6000 0xa1
	1 calloc 10 30 0x4000 0xa4
	1 free 0x5000 0xf1
END
utctl enable-channel -s back c1 >/dev/null || fail "enable c1"
do_calls third <<-'END'
	2 free 0x4000 0xf1
	2 free 0x4000 0xf2
	2 mutex_acquired 0x100 0xc2
	2 mutex_release 0x100 0xc9
	1 rdlock_request 0x300 0xd1
	1 rdlock_acquired 0x300 0xd1
	1 rwlock_release 0x300 0xd9
END
exec 3>&-
wait $pid || fail "calls"
for s in one two pids three $changes parts some $cycles; do
	utctl destroy $s >/dev/null || fail "destroy $s"
done
stop_utd || fail "utd: status $?"

for c in heap locks; do
	figures $c one "$T/want.$c"
	[ ! -s "$T/err" ] || fail "$c one: $(cat "$T/err")"
done
# The channel that goes on has the calls, but nothing says that it has them all.
for s in $changes; do
	same heap $s
	expect 0 '^ *2 .*0x100 first used by 0xc1$' utctl locks "$T/$s"
	! grep 'not acquired here' "$T/out" || fail "locks $s"
done
for s in two pids; do
	same heap $s 11
	same locks $s 11
done
same heap three 22
same locks three 22
same heap some 5
same locks some 2
for c in heap locks; do
	expect 0 '' utctl $c "$T/parts"
	! grep 'left out' "$T/err" || fail "$c parts"
	[ -z "$cycles" ] ||
	    expect 0 '^utctl: channels .* different clocks' utctl $c "$T/clocks"
done
expect 0 '^calls.*: 200 bytes in 2 blocks' utctl heap "$T/parts"
