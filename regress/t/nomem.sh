# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# One allocation fails, each in turn: in a program, in utctl, in utd, in its
# consumers.  Nothing crashes or hangs, what goes wrong is said in a line, a
# program runs on whatever fails, utd does for everybody else what it did,
# and what was recorded can be read.  NOMEM_ALL=1 tries every one of them.

. ./common.sh
not_sanitized
not_cross
[ "$(uname -s)" = Linux ] || skip "only with C libraries of Linux"
$CC $CFLAGS -std=c11 -D_GNU_SOURCE -fPIC -shared \
    -o "$T/nomem.so" prog/nomem.c $DL 2>"$T/err" ||
    skip "no shared objects: $(head -1 "$T/err")"

# without MEMORY variables... -- command: killed if it hangs.
without() {
	env LD_PRELOAD="$T/nomem.so" NOMEM_COUNT="$T/count" "$@"
}

counted() {
	od -An -t u8 "$T/count" | tr -d ' '
}

# $at takes the numbers of all allocations that a trial run has counted, or
# of some of them.
each() {
	at=0 all=$(counted)
	[ "$all" -gt 0 ] || skip "allocations cannot be counted"
	step=$(((all + $1 - 1) / $1))
	[ -z "${NOMEM_ALL-}" ] || step=1
}

next() {
	at=$((at + step))
	[ $at -le "$all" ]
}

ended() {	# status, command
	[ "$1" -lt 124 ] || fail "$2, allocation $at of $all: status $1:" \
	    "$(cat "$T/err")"
}

session() {
	rm -rf "$T/trace"
	$1 utctl create -o "$T/trace" s &&
	    $1 utctl enable-channel -b 4k -n 16 c &&
	    $1 utctl enable-channel -p -b 4k -n 16 p &&
	    $1 utctl enable-event -c c '*' &&
	    $1 utctl enable-event -l info -x 'x*' -c p 's*' &&
	    $1 utctl start
}

# A program has its status and its output, whatever it lacks; children, too.
start_utd
session "" >/dev/null || fail "set-up"
program="timeout 20 ./prog/seq -f 2 1 1 100"
without $program || fail "seq: $?"
each 40
while next; do
	for more in 0 1000000; do
		rm -f "$T/count"
		without NOMEM_AT=$at NOMEM_MORE=$more $program >"$T/out" \
		    2>"$T/err" || fail "seq without $at of $all: $?"
		[ ! -s "$T/out" ] && [ ! -s "$T/err" ] ||
		    fail "seq says $(cat "$T/out" "$T/err")"
	done
done
echo "program: $all"
grep . "$T/utd.log" | grep -v 'cannot attach' && fail "utd says more"
# There are few sub-buffers: what is in those of the others is drained first.
until_ok sh -c "utctl list s | grep -q '; 0 of 16 sub-buffers in use'" ||
    fail "in use: $(utctl list s)"
./prog/seq 2 1 100 || fail "seq: $?"
expect 0 'events' utctl stop
readers_agree "$T/trace"
[ "$(grep -c 'writer = 2048' "$T/view.out")" -eq 200 ] ||
    fail "the last program's events are not there"

# utctl does what it is to, or says that it cannot.
chmod 711 "$T" && mkdir "$T/tmp" && chmod 711 "$T/tmp" || exit 1
TMPDIR=$T/tmp
export TMPDIR
mv "$T/trace" "$T/kept"
session "" >/dev/null 2>&1
while read -r command; do
	rm -f "$T/count"
	set -- $command
	without utctl "$@" >/dev/null 2>&1
	each 12
	while next; do
		rm -rf "$T/count" "$T/rec"
		without NOMEM_AT=$at timeout 20 utctl "$@" >"$T/out" 2>"$T/err"
		status=$?
		ended $status "utctl $command"
		[ $status -eq 0 ] || [ "$(wc -l <"$T/err")" -ge 1 ] ||
		    fail "utctl $command, $at of $all: not a word"
	done
	echo "utctl $command: $all"
done <<END
list
list -j s
events
enable-event -s s -c c -x abc:a -x def:b some:thing
view $T/kept
view -j $T/kept
record -o $T/rec -- ./prog/seq 1 1 10
END
utctl destroy >/dev/null
stop_utd || fail "utd: status $?"
# Nor does a utd stay that was for a record.
none_left() {
	! ps -A -o args= | grep -v grep | grep -q "utd -r $T/tmp"
}
until_ok none_left || fail "left: $(ps -A -o args= | grep "$T/tmp")"
unset TMPDIR

# utd, or its consumers: what is asked for works or is refused in a line, and
# utd goes on or says why it does not.  Then the next one takes over.
scenario() {
	session "timeout 20" >"$T/out" 2>"$T/err"
	ended $? "set-up with $1"
	timeout 20 ./prog/seq -f 2 1 2 100 >"$T/out" 2>"$T/err"
	[ $? -eq 0 ] && [ ! -s "$T/err" ] ||
	    fail "seq with $1, $at of $all: $(cat "$T/err")"
	for command in "list s" events "stop s"; do
		timeout 20 utctl $command >"$T/out" 2>"$T/err"
		ended $? "$command with $1"
	done
}

# Another, if it has ended.
revive() {
	gone $UTD_PID || return 0
	wait $UTD_PID
	ended $? "utd"
	grep -q 'annot allocate memory' "$T/utd.log" ||
	    fail "$1, $at of $all: $(cat "$T/utd.log")"
	died=$((died + 1))
	start_utd
}

# Only one allocation fails, so that the second attempt is a good one.
again() {
	for attempt in 1 2 3; do
		revive $1
		timeout 20 utctl destroy s >"$T/out" 2>&1
		ended $? "destroy with $1"
		timeout 20 utctl list >"$T/out" 2>&1
		ended $? "list with $1"
		[ "$(cat "$T/out")" != "no sessions" ] || break
	done
	[ "$(cat "$T/out")" = "no sessions" ] ||
	    fail "$1, $at of $all: $(cat "$T/out")"
	if [ -d "$T/trace" ] && find "$T/trace" -name metadata -size +0 |
	    grep -q .; then
		utctl view "$T/trace" >"$T/view.out" 2>"$T/view.err" ||
		    fail "view with $1, $at of $all: $(cat "$T/view.err")"
	fi
	stop_utd || fail "$1, $at of $all: utd: $?: $(cat "$T/utd.log")"
}

# The one that lacks memory, until it answers or has ended.
start_without() {
	rm -f "$T/count"
	LD_PRELOAD="$T/nomem.so" NOMEM_COUNT="$T/count" NOMEM_AT=$at \
	    utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
	UTD_PID=$!
	tries=0
	until utctl list >/dev/null 2>&1 || gone $UTD_PID; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || fail "$1, $at of $all: no answer"
		sleep 0.1
	done
}

for who in utd consumer; do
	[ $who = utd ] || export NOMEM_CHILD=1
	at=0 all=0 died=0
	start_without $who
	scenario $who
	again $who
	each 24
	while next; do
		start_without $who
		scenario $who
		again $who
	done
	echo "$who: $all, $died times utd ended"
done

# What utd needs for a connection: that is dropped, and utd goes on, with all
# that it had.
unset NOMEM_CHILD
connections() {
	timeout 20 ./prog/seq 2 1 10 >"$T/out" 2>&1 || fail "seq: $?"
	timeout 20 utctl start none >"$T/out" 2>"$T/err"
	ended $? "start none"
	as_user timeout 20 utctl start none >"$T/out" 2>"$T/err"
	ended $? "start none of another user"
}
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
from=0 at=0 all=0
while [ $at -le $all ]; do
	rm -rf "$T/trace"
	start_without connections
	utctl create -o "$T/trace" s >/dev/null &&
	    utctl enable-channel -b 4k -n 16 c &&
	    utctl enable-event -c c 'seq:*' >/dev/null &&
	    utctl start >/dev/null || fail "set-up"
	timeout 20 ./prog/seq 1 1 10 || fail "seq: $?"
	[ $at -gt 0 ] || from=$(counted)
	connections
	! gone $UTD_PID || fail "utd has ended: $at of $all: $(cat "$T/utd.log")"
	[ $at -gt 0 ] || at=$from all=$(counted)
	at=$((at + 1))
	# How many allocations there are differs: the last may be of this one.
	timeout 20 utctl list s >"$T/out" 2>&1 ||
	    timeout 20 utctl list s >"$T/out" 2>&1 ||
	    fail "list: $(cat "$T/out")"
	stop_utd || fail "connections: utd: $?: $(cat "$T/utd.log")"
done
echo "connections: $((all - from)) allocations"
