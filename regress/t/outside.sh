# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utd in a PID namespace of its own and programs outside, which have no number
# there.  They live on when their connection goes, for longer than anybody
# would wait: what they have is nobody else's before they are dead, and their
# events are all there, once, whole, and have their names; also when utd and
# its consumer die meanwhile, and when the next utd is in another namespace.

. ./common.sh

need unshare
if [ "$(id -u)" -eq 0 ]; then
	new="unshare"
else
	new="unshare -Ur"
fi
$new -p -f true 2>/dev/null || skip "no PID namespaces here"

# One that the end of its parent kills, and with it all in the namespace.
utd_inside() {
	$new -p -f --kill-child utd -d -r "$UT_RUNDIR" 2>>"$T/utd.log" &
	SHELL_PID=$!
	CHILDREN="$CHILDREN $SHELL_PID"
	until_ok utctl list || fail "no utd: $(cat "$T/utd.log")"
}

kill_inside() {
	kill -9 "$SHELL_PID"
	wait "$SHELL_PID" 2>/dev/null
	until_ok sh -c '! utctl list' || fail "utd lives on"
}

# Small buffers, so that what is given back is soon another's.
session() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel -b 4k -n 64 c &&
	    utctl enable-event -c c 'seq:tick' && utctl start || fail "set-up"
}

is_listed() {	# session, program
	has_programs "$1" "$2"
}

# Others come and go meanwhile, and take what they find free.
others() {
	until [ $# -eq 0 ]; do
		./prog/seq "$1" 4 200 || fail "seq: $?"
		shift
	done
}

# All of session $1 is there, whole and in order; every event is of a program
# with a name and a number.
all_there() {
	expect 0 "$1 stopped: [0-9]* events, 0 lost" utctl stop "$1"
	readers_agree "$T/$1"
	grep 'seq:tick' "$T/view.out" |
	    grep -v -e '^[^ ]* [^ ]* \(seq\|closefds\)\[[1-9][0-9]*:[0-9]*\] ' \
	    >"$T/nameless"
	[ ! -s "$T/nameless" ] || fail "$1: $(wc -l <"$T/nameless") events" \
	    "of nobody: $(head -2 "$T/nameless")"
	grep -v -e "${3:-no such program}" "$T/view.out" |
	    ./prog/seqcheck ${2:-} >"$T/got" ||
	    fail "$1: $(cat "$T/got")"
	read -r events writers missing <"$T/got"
	[ "$missing" -eq 0 ] || fail "$1: $missing are missing"
	expect 0 "$1 destroyed" utctl destroy "$1"
	echo "$1: $events events"
}

# The dead are seen to be dead, where the system lets that be seen, and keep
# nothing from coming to an end where not.
buried() {	# session, program
	if ./prog/life; then
		until_ok has_programs "$1" "$2" 0 ||
		    fail "the dead stay: $(utctl list "$1")"
	fi
}

# It closes all its descriptors, the library's among them, and cannot connect
# again.
./prog/noapart /bin/sh -c : || skip "no system call can be forbidden here"
utd_inside
session closed
./prog/noapart ./prog/closefds 0 loop >"$T/prog.out" 2>"$T/prog.err" &
pid=$!
CHILDREN="$CHILDREN $pid"
until_ok is_listed closed closefds || fail "no program: $(utctl list)"
sleep 0.1
mkdir -m 700 "$T/away" && mv "$UT_RUNDIR/sock" "$T/away" || fail "mv"
kill -USR1 "$pid"
until_ok grep closed "$T/prog.out" || fail "not closed"
# Only when it is told something can utd find that it is not there.
UT_RUNDIR=$T/away
session other
sleep 2.5
UT_RUNDIR=$T/run
mv "$T/away/sock" "$UT_RUNDIR" || fail "mv"
others 1 2 3 4 5
kill -USR2 "$pid"
wait "$pid" || fail "closefds: $(cat "$T/prog.out" "$T/prog.err")"
total=$(sed -n 's/ events//p' "$T/prog.out")
buried closed closefds
all_there closed
cp "$T/view.out" "$T/closed.out"
# Where libut's thread has descriptors of its own the connection is not lost at
# all, and the program comes into this session in the middle.
all_there other '' ' closefds\['
n=$(grep -c closefds "$T/closed.out")
[ "$n" -eq "$total" ] || fail "$n events, not $total"

# It is stopped, as utd is killed and others come in its place.
stopped() {	# session, seconds, two steps from one utd to the next
	background ./prog/seq -p 200 100 2 1000000 "$T/progress"
	seq=$LAST
	until_ok is_listed "$1" seq || fail "$1: no program: $(utctl list)"
	sleep 0.2
	halt "$seq"
	"$3"
	"$4"
	sleep "$2"
	others 1 2 3 4 5
	kill -CONT "$seq"
	others 6 7 8 9 10
	sleep 0.3
	kill -9 "$seq"
	wait "$seq" 2>/dev/null
	[ "$1" != twice ] || buried twice seq
	all_there "$1" "100:$T/progress"
}

session twice
stopped twice 3.5 kill_inside utd_inside

# What has a number in one has another, or none, in the next.
if [ "$(id -u)" -eq 0 ]; then
	session inwards
	inwards() {
		kill_inside
		start_utd
	}
	stopped inwards 3.5 inwards true
	session outwards
	outwards() {
		kill_utd 1
		utd_inside
	}
	stopped outwards 2 outwards true
fi
kill_inside
