# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Consumers are killed, at any time: another takes over what they had, on the
# same regions and files.  Nothing is lost, nothing is there twice, requests
# are answered, and utd says what happened.  KILLS is how many.

. ./common.sh
KILLS=${KILLS:-${FEWER:-6}}
# What comes before a program is known is not recorded.
UT_REGISTER_TIMEOUT=60000
export UT_REGISTER_TIMEOUT

# As an ordinary user's utd would have it, and per process.
try() {
	start_utd
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel -n 4096 ${2:-} channel0 &&
	    utctl enable-event 'seq:*' >/dev/null && utctl start >/dev/null ||
	    fail "set-up of $1"
	background $as ./prog/seq -p 20 1 2 9000000 "$T/public/progress"
	a=$LAST
	background ./prog/seq -p 20 2 2 9000000 "$T/progress2"
	b=$LAST
	until_ok test -s "$T/public/progress" &&
	    until_ok test -s "$T/progress2" || fail "no programs"
	i=0
	while [ $i -lt $KILLS ]; do
		sleep 0.$((i * 7 % 10))
		kill_consumers
		case $((i % 5)) in
		0)	./prog/seq $((i + 10)) 1 100 "$T/short$i" ||
			    fail "seq" ;;
		1)	utctl list >"$T/list" ||
		    fail "list: $(cat "$T/list")" ;;
		2)	utctl enable-event "other$i:*" >"$T/list" ||
			    fail "enable-event: $(cat "$T/list")" ;;
		esac
		# Not so often that it is given up.
		sleep 0.6
		i=$((i + 1))
	done
	kill -9 $a $b
	kill_consumers
	expect 0 'stopped: [0-9]* events, 0 lost' utctl stop
	total=$(sed -n 's/.*: \([0-9]*\) events.*/\1/p' "$T/out")
	utctl view "$T/$1" 2>"$T/view.err" | ./prog/seqcheck \
	    1:"$T/public/progress" 2:"$T/progress2" >"$T/got" ||
	    fail "$1: $(head -3 "$T/view.err")"
	[ ! -s "$T/view.err" ] || fail "$1: $(head -3 "$T/view.err")"
	read -r got writers missing <"$T/got"
	echo "$1: $got events of $writers writers, $missing missing"
	[ "$got" -eq "$total" ] || fail "$1: $got events, not $total"
	[ "$missing" -eq 0 ] || fail "$1: $missing missing"
	readers_agree "$T/$1"
	all_read=$((all_read + got))
	all_returned=$((all_returned + \
	    $(returned "$T/public/progress" "$T/progress2" "$T"/short*)))
	all_kills=$((all_kills + KILLS))
	rm -f "$T"/progress* "$T"/short*
	expect 0 'warning: the consumer of uid [0-9]* ended; another took over' \
	    utctl list "$1"
	expect 0 '' utctl destroy
	stop_utd || fail "utd: status $?"
	rm "$T/public/progress"
}

as=
all_read=0 all_returned=0 all_kills=0
mkdir "$T/public" && chmod 1777 "$T/public" || exit 1
try uid
try pid -p
# Of another user, in directories that the session's owner makes.
if [ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null; then
	chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
	as="./prog/asuser 65534"
	KILLS=2
	try other -p
fi
# At the worst moment: its last packet is in the file, but not noted, and half
# of another is behind it.
at_worst() {
	start_utd
	utctl create -o "$T/worst" w >/dev/null &&
	    utctl enable-event 'pulse:a' && utctl start || fail "set-up"
	pulse_start
	until_ok pulse_on a--- || fail "$answer"
	pulse hit 100
	expect 0 ' 100 events, 0 lost' utctl list w
	halt $UTD_PID
	kill_consumers
	./prog/region -u /proc/$UTD_PID/fd/* >"$T/forgot"
	[ "$(cat "$T/forgot")" = "100 events" ] || fail "$(cat "$T/forgot")"
	stream=$(ls "$T"/worst/ust/uid/*/*/channel0_0)
	dd if="$stream" bs=60 count=1 2>/dev/null >"$T/half"
	cat "$T/half" >>"$stream"
	kill -CONT $UTD_PID
	pulse hit 50
	expect 0 ' 150 events, 0 lost' utctl destroy
	exec 3>&- 4<&-
	stop_utd || fail "utd: status $?"
	readers_agree "$T/worst"
	[ "$(wc -l <"$T/view.out")" -eq 150 ] ||
	    fail "$(wc -l <"$T/view.out") events, not 150"
}
[ ! -d "/proc/$$/fd" ] || at_worst
# While more is lost than is written: each event is counted once.
lossy() {
	start_utd
	utctl create -o "$T/lossy" lossy >/dev/null &&
	    utctl enable-channel -b 4k -n 2 c &&
	    utctl enable-event -c c 'seq:*' >/dev/null &&
	    utctl start >/dev/null || fail "set-up of lossy"
	n=0
	while [ $n -lt 3 ]; do
		n=$((n + 1))
		background ./prog/seq 1 2 3000000
		sleep 0.3
		kill_consumers
		wait $LAST || fail "lossy: seq"
		sleep 0.3
	done
	expect 0 'stopped' utctl stop lossy
	counts lossy
	echo "lossy: $events events, $lost lost"
	[ $((events + lost)) -eq $((n * 6000000)) ] && [ "$lost" -gt 0 ] ||
	    fail "lossy: $events events and $lost lost are not $((n * 6000000))"
	readers_agree "$T/lossy"
	[ "$(discarded)" -eq "$lost" ] ||
	    fail "lossy: $(discarded) discarded, not $lost"
	utctl destroy >/dev/null && stop_utd || fail "lossy: utd"
}
lossy
survived $all_kills "consumers killed" $all_returned $all_read
