# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A consumer that does not get on, and a user who floods utd meanwhile with
# programs that come and go, and with commands that are not waited for: what
# utd remembers of that is bounded, others are served, and when the consumer
# goes on so does everything.

# What utd saves after each command shall not wait for a disk.
[ ! -w /dev/shm ] || TMPDIR=/dev/shm
. ./common.sh

memory() {
	ps -o rss= -p "$UTD_PID" | tr -d ' '
}

# A sanitizer's run time keeps what is freed.
bounded() {
	kb=$(memory)
	echo "$1: $before kB before, $kb kB after"
	case $CFLAGS in
	*-fsanitize*)	return ;;
	esac
	[ $((kb - before)) -lt "$2" ] ||
	    fail "$1: $before kB before, now $kb kB"
}

# Root's utd has users: one who floods, and others.
me= home=$T
if [ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null; then
	me="./prog/asuser 65534" home=$T/home
	chmod 711 "$T" && mkdir "$home" && chown 65534 "$home" || exit 1
fi

start_utd
[ -z "$me" ] || chmod 755 "$UT_RUNDIR" || exit 1
$me utctl create -o "$home/s" s >/dev/null && $me utctl enable-event 'seq:*' &&
    $me utctl start >/dev/null || fail "set-up"
$me ./prog/seq 1 1 1000 || fail "seq"
expect 0 ' 1000 events, 0 lost' $me utctl list s
$me ./prog/flood hello "$UT_RUNDIR" 1000 || fail "flood"
before=$(memory)
halt $(consumers)

# Programs that were sent no buffers are no matter of a consumer.
$me ./prog/flood hello "$UT_RUNDIR" 30000 || fail "flood"
bounded "30000 programs" 4000

# Commands are refused when there are too many.
taken=$($me ./prog/flood switch "$UT_RUNDIR" s 40000) || fail "flood"
bounded "$taken commands" 60000
[ "$taken" -lt 40000 ] || fail "nothing is refused"
complains 'the consumer of uid [0-9]* has too many requests' $me utctl list s
# So are programs, which do not wait.
background $me ./prog/seq -p 1000 2 1 9000000
until_ok grep -q 'programs have to wait' "$T/utd.log" ||
    fail "programs need not wait: $(tail -3 "$T/utd.log")"

# Nobody else notices.
if [ -n "$me" ]; then
	mkdir "$T/o" && chown 65533 "$T/o" || exit 1
	set -- timeout 10 ./prog/asuser 65533
	for c in "create -o $T/o/o o" 'enable-event -s o seq:*' 'start o' \
	    'list o'; do
		expect 0 '' "$@" utctl $c
	done
	UT_REGISTER_TIMEOUT=-1 "$@" ./prog/seq 1 1 10 || fail "seq"
	expect 0 ' 10 events, 0 lost' "$@" utctl destroy o
fi

# The consumer has to do all of it now, in its own time.
kill -CONT $(consumers)
tries=0
until $me utctl stop s >/dev/null 2>&1 || $me utctl list s 2>/dev/null |
    grep -q '(stopped)'; do
	tries=$((tries + 1))
	[ $tries -lt 600 ] || fail "does not go on: $($me utctl list s 2>&1)"
	sleep 0.1
done
expect 0 '' $me utctl start s
tries=0
until $me utctl list s | grep -q 'program seq'; do
	tries=$((tries + 1))
	[ $tries -lt 600 ] || fail "no program: $($me utctl list s 2>&1)"
	sleep 0.1
done
kill -9 "$LAST"
expect 0 ', 0 lost' $me utctl destroy s
stop_utd || fail "utd: status $?: $(tail "$T/utd.log")"
