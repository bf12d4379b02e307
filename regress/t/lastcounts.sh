# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utd and its consumer are killed while they close the buffers of a process: the
# next utd tells as many events and bytes as the files have, and nothing stays
# in memory.  KILLS is how often they are killed at any moment.

. ./inside.sh
. ./common.sh
KILLS=${KILLS:-5}

begin() {
	rm -rf "$T/s"
	start_utd
	utctl create -o "$T/s" s >/dev/null && utctl enable-channel -p own &&
	    utctl enable-event -c own 'seq:tick' >/dev/null &&
	    utctl start >/dev/null || fail "set-up"
	programs
}

recorded() {
	[ "$(has_programs s seq 2 && member s channels own written)" -gt 100 ]
}

# Two programs, of which one goes on.
programs() {
	background ./prog/seq -p 100 1 2 90000000
	first=$LAST
	background ./prog/seq -p 100 2 2 90000000
	until_ok recorded || fail "nothing is recorded: $(utctl list s)"
}

# What is told of the session, unless utd had ended it, and what is left.
end() {
	kill -9 $first $LAST 2>/dev/null
	wait $first $LAST 2>/dev/null
	if has_sessions 1; then
		until_ok has_programs s seq 0 || fail "$1: $(utctl list s)"
		utctl stop >/dev/null || fail "$1: stop"
		check "$1"
		said="$events events"
		utctl destroy s >/dev/null || fail "$1: destroy"
	else
		case $1 in
		*"unlinkat, end of utd") ;;
		*)	fail "$1: no session" ;;
		esac
	fi
	stop_utd || fail "$1: utd: status $?: $(cat "$T/utd.log")"
	! grep "events are lost" "$T/utd.log" || fail "$1: it had the names"
	[ -z "${UT_TEST_INSIDE-}" ] || [ -z "$(ls /dev/shm)" ] ||
	    fail "$1: left in memory: $(ls /dev/shm)"
	echo "$1: ${said-it was destroyed}"
	unset said
}

check() {
	counts s
	utctl view "$T/s" >"$T/out" 2>"$T/err" || fail "$1: $(cat "$T/err")"
	found=$(wc -l <"$T/out")
	[ "$events" -eq $((found)) ] ||
	    fail "$1: $events events are told, $found are in the files"
	found=$(find "$T/s" -name 'own_*' -exec cat {} + | wc -c)
	[ "$bytes" -eq $((found)) ] ||
	    fail "$1: $bytes bytes are told, the files have $found"
}

# slow WHEN CALLS: utd takes long for these, just before or behind.
slow() {
	command -v strace >/dev/null 2>&1 || return 1
	strace -qq -e trace=$2 -e "inject=$2:delay_$1=4000000" \
	    -o "$T/strace" -p "$UTD_PID" 2>"$T/strace.err" &
	CHILDREN="$CHILDREN $!"
	sleep 0.3
	! gone $!
}

# The counts are saved, and then the name is removed.
for when in "enter pwrite64" "enter unlink,unlinkat" "exit unlink,unlinkat"; do
	begin
	slow $when || break
	kill -9 $first
	sleep 1
	kill_utd 1
	start_utd
	end "$when"

	# It is told to end, and its consumers have.
	begin
	slow $when
	kill "$UTD_PID"
	sleep 1
	kill_utd 0
	start_utd
	end "$when, end of utd"
done
[ -z "$UTD_PID" ] || end "utd is not slowed down: $(cat "$T/strace.err")"

# What utd is told last is neither lost nor counted twice.
begin
i=0
seeded
while [ $i -lt $KILLS ]; do
	kill -9 $first $LAST
	nap 20
	kill_utd $((i % 3))
	start_utd
	programs
	i=$((i + 1))
done
end "$KILLS kills"
