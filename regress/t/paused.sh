# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A time in which events were not recorded, though they were before and after,
# is told in the trace: no pair is joined across it.

. ./common.sh

mkfifo "$T/in" "$T/out.fifo" || fail "mkfifo"
start_utd
./prog/named <"$T/in" >"$T/out.fifo" &
CHILDREN="$CHILDREN $!"
exec 5>"$T/in" 6<"$T/out.fifo"

# program LINE...: what prog/named reads, and has done when this returns.
program() {
	printf '%s\n' "$@" 'say done' >&5
	read -r word <&6 && [ "$word" = done ] || fail "program: $*"
}

# session [OPTION...]: new, with all that the program has, and started.
session() {
	rm -rf "$T/trace"
	utctl create -o "$T/trace" "$@" p >/dev/null &&
	    utctl enable-event -s p 'func:*' &&
	    utctl start p >/dev/null || fail "set-up"
}

# What is open when recording pauses ends meanwhile, and another begins, whose
# end is recorded.  Before and after, a pair is whole.
before() {
	program 'entry 2 0' 'exit 2 0' 'entry 1 0'
}
meanwhile() {
	program 'exit 1 0' 'entry 1 0'
}
after() {
	program 'exit 1 0' 'entry 3 0' 'exit 3 0'
}

# spans WHAT FUNCTION...: of these view -i tells how long they took.
spans() {
	what=$1
	shift
	sed -n 's/.*addr = \(0x[0-9]*\).* us$/1 \1/p' "$T/view" >"$T/got"
	printf '1 0x%s\n' "$@" >"$T/want"
	expected "$what" <"$T/want"
}

# whole WHAT DIR FUNCTION...: only calls of these are whole, once each.
whole() {
	what=$1 dir=$2
	shift 2
	printf '1 0x%s\n' "$@" >"$T/want"
	readers_agree "$dir"
	utctl stat -N -d "$dir" >"$T/stat" 2>"$T/err" ||
	    fail "$what: stat: $(cat "$T/err")"
	awk '/ calls / || /^calls / { on = 1; next } NF == 0 { on = 0 }
	on { print $1, $11 }' "$T/stat" | sort >"$T/got"
	expected "$what: stat -d" <"$T/want"
	utctl export -N -F folded "$dir" 2>"$T/err" |
	    sed 's/.*;\(0x[0-9]*\) .*/1 \1/' | sort -u >"$T/got"
	expected "$what: export -F folded" <"$T/want"
	utctl view -N -i "$dir" >"$T/view" || fail "$what: view"
	spans "$what: view -i" "$@"
}

# across WHAT COMMAND... -- COMMAND...: the one begins a pause, the other ends it.
across() {
	what=$1
	shift
	before
	while [ "$1" != -- ]; do
		$1 || fail "$what: $1"
		shift
	done
	shift
	meanwhile
	for c; do
		$c || fail "$what: $c"
	done
	after
	$LAST_OF_ALL || fail "$what: $LAST_OF_ALL"
	utctl destroy p >/dev/null || fail "destroy"
	whole "$what" "$T/trace" 2 3
}
LAST_OF_ALL=:

session
across stop 'utctl stop p' -- 'utctl start p'
session
across 'event' "utctl disable-event -s p func:*" -- \
    "utctl enable-event -s p func:*"
session
across 'channel' "utctl disable-channel -s p channel0" -- \
    "utctl enable-channel -s p channel0"
session
across 'track' 'utctl track -s p -n other' -- 'utctl untrack -s p -n other'

# Nobody that takes over in the pause forgets it.
session
again() {
	kill_utd 1
	start_utd
	until_ok connected
}
connected() {
	utctl events | grep -q named
}
across 'another utd' 'utctl stop p' again -- 'utctl start p'
session
consumer() {
	kill_consumers
	until_ok consumers
}
across 'another consumer' 'utctl stop p' consumer -- 'utctl start p'
session
across 'and before it is told' 'utctl stop p' -- 'utctl start p' consumer

session
killed() {
	kill -KILL $STOPPED && until_ok consumers
}
deaf() {
	STOPPED=$(consumers)
	kill -STOP $STOPPED
}
across 'a consumer that never hears of it' deaf \
    'utctl disable-event -s p func:*' -- 'utctl enable-event -s p func:*' killed
session
across 'a track of another utd' 'utctl track -s p -n other' again -- \
    'utctl untrack -s p -n other'

# What ends in a channel may have its end in none, while another one goes on.
session
utctl enable-channel -s p d && utctl enable-event -s p -c d 'app:*' ||
    fail "channel d"
before
utctl disable-channel -s p channel0 || fail "disable-channel"
program 'exit 1 0' 'caller 1'
utctl destroy p >/dev/null || fail "destroy"
whole 'a channel less' "$T/trace" 2
grep -q '^1 left out' "$T/stat" || fail "a channel less: $(cat "$T/stat")"

# A program that is stopped does not have others wait for their pairs.
session
background ./prog/seq -p 1000 1 2 9000000
SLEEPER=$LAST
until_ok sh -c 'utctl events | grep -q seq' || fail "seq"
utctl enable-event -s p 'seq:*' >/dev/null || fail "seq"
halt $SLEEPER
wakes() {
	kill -CONT $SLEEPER
	until_ok goes_on
}
goes_on() {
	[ "$(utctl view -e 'seq:*' "$T/trace" 2>/dev/null | tail -n 1)" != \
	    "$seen" ]
}
seen=$(utctl view -e 'seq:*' "$T/trace" | tail -n 1)
LAST_OF_ALL=wakes
across 'beside a stopped program' 'utctl stop p' -- 'utctl start p'
LAST_OF_ALL=:
kill $SLEEPER

# Each file has packets of one kind, also if others tell of losses there.
rm -rf "$T/trace"
utctl create -o "$T/trace" p >/dev/null &&
    utctl enable-channel -b 4k -n 16 channel0 &&
    utctl enable-event -s p 'func:*' 'toobig:*' &&
    utctl start p >/dev/null || fail "set-up"
told() {
	utctl stat "$T/trace" 2>/dev/null | grep -q ' 9 discarded'
}
./prog/toobig && until_ok told || fail "toobig"
across 'after losses' 'utctl stop p' -- 'utctl start p'

# A snapshot has the pauses since its first event.
rm -rf "$T/trace"
utctl create -S -o "$T/trace" p >/dev/null &&
    utctl enable-event -s p 'func:*' &&
    utctl start p >/dev/null || fail "set-up"
before
utctl stop p >/dev/null || fail "stop"
meanwhile
utctl start p >/dev/null || fail "start"
after
utctl snapshot p >/dev/null || fail "snapshot"
whole snapshot "$(echo "$T/trace/snapshots"/*)" 2 3
utctl destroy p >/dev/null || fail "destroy"

# Also those of which the session's own trace has told by then.
rm -rf "$T/trace" "$T/shot"
utctl create -o "$T/trace" p >/dev/null &&
    utctl enable-channel -i 60m -b 4k -n 64 channel0 &&
    utctl enable-event -s p 'func:*' 'seq:*' &&
    utctl start p >/dev/null || fail "set-up"
before
utctl disable-event -s p 'func:*' || fail "disable-event"
meanwhile
utctl enable-event -s p 'func:*' >/dev/null || fail "enable-event"
filled() {
	./prog/seq 1 1 3000
	find "$T/trace" -name 'channel0_*' -size +0 | grep -q .
}
until_ok filled || fail "no sub-buffer is written"
after
utctl snapshot -o "$T/shot" p >/dev/null || fail "snapshot"
whole 'snapshot of a trace' "$T/shot" 2 3
utctl destroy p >/dev/null || fail "destroy"

# What was removed while nobody read it is missing to who follows the trace.
session
: >"$T/view"	# what an earlier view has printed is there
utctl view -N -F -i "$T/trace" >"$T/view" 2>"$T/err" &
FOLLOWER=$!
CHILDREN="$CHILDREN $FOLLOWER"
before
until_ok grep -q 'entry.*addr = 0x1' "$T/view" || fail "view -F"
halt $FOLLOWER
meanwhile
utctl clear p >/dev/null || fail "clear"
kill -CONT $FOLLOWER
after
until_ok grep -q 'addr = 0x3.* us$' "$T/view" || fail "view -F after clear"
sed -i.all '/addr = 0x2/d' "$T/view"	# it may have come too late for that
spans "view -F" 3
utctl destroy p >/dev/null || fail "destroy"
wait $FOLLOWER

# Nothing is written of what has no end.
session
before
utctl stop p >/dev/null && utctl destroy p >/dev/null || fail "stop"
ls "$T"/trace/ust/uid/*/* >"$T/files"
[ "$(grep -c channel0 "$T/files")" -eq 1 ] || fail "files: $(cat "$T/files")"
