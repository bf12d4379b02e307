# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Any number of threads that hardly trace: thousands in one program and in
# fifty, programs that trace once and stay, threads that trace once and end,
# with the default buffers and with four, and beside threads at full speed.  No
# event of theirs is lost, of four buffers hardly one, and each costs few bytes.
# TRICKLE_LONG=1 is the long form, of five minutes.

. ./common.sh

# Who is late would have its first events unrecorded: that is not asked here.
UT_REGISTER_TIMEOUT=-1
export UT_REGISTER_TIMEOUT
threads="1000 3000" seconds=2 programs=1000 row=20000
case $CFLAGS in
*-fsanitize*)	threads=300 programs=100 row=2000 ;;
esac
[ -z "${TRICKLE_LONG:-}" ] ||
    threads="1000 3000 10000" seconds=10 programs=5000 row=100000
# Each has a descriptor in utd.
most=$(ulimit -n)
[ "$most" = unlimited ] || [ $most -ge $((programs + 500)) ] ||
    ulimit -n $((programs + 500)) 2>/dev/null || programs=100
[ "$MOST_THREADS" = unlimited ] || [ "$MOST_THREADS" -ge 12000 ] ||
    threads=300 programs=100

# Of trickle's events without what is 21 bytes of fields.
bytes_each() {
	cat "$T"/trace/ust/uid/*/*/*_[0-9]* | wc -c |
	    awk -v n="$1" '{ printf "%.0f\n", $1 / n - 21 }'
}

# trickle EVENTS WRITERS [option of record ...] -- command...: all are there, but
# for MAY that are lost.
MAY=0
trickle() {
	want=$1 writers=$2
	shift 2
	recorded "$@"
	echo "$writers: $events events, $lost lost," \
	    "$(bytes_each "$want") bytes each," \
	    "$(ls "$T"/trace/ust/uid/*/*/*_[0-9]* | wc -l) streams"
	[ $((events + lost)) -eq "$want" ] && [ "$lost" -le $MAY ] ||
	    fail "$*: $events events, $lost lost"
	readers_agree "$T/trace"
	./prog/seqcheck <"$T/view.out" >"$T/got" || fail "$(cat "$T/got")"
	case $lost:$(cat "$T/got") in
	"0:$want $writers 0" | [1-9]*:"$events "*)	;;
	*)	fail "$*: $(cat "$T/got")" ;;
	esac
	[ "$(bytes_each "$want")" -le 40 ] || fail "$*: too many bytes"
}

# many THREADS PROGRAMS EVENTS MS [option of record ...]
many() {
	m_threads=$1 m_programs=$2 m_events=$3 m_ms=$4
	shift 4
	trickle $((m_threads * m_events)) "$m_threads" "$@" -- sh -c '
	i=0
	while [ $i -lt '$m_programs' ]; do
		./prog/trickle $((i * 10)) '"$((m_threads / m_programs)) \
		    $m_events $m_ms"' &
		i=$((i + 1))
	done
	wait'
}

for n in $threads; do
	many "$n" 1 $((seconds * 10)) 100
	many "$n" 50 $((seconds * 10)) 100
done
trickle "$row" "$row" -- ./prog/trickle -r 16 0 "$row"

# With so few there is not much to be shared; here no event waits long.  A thread
# that loses its processor in the middle of an event keeps one of the four from
# the others; if all four are kept so, who comes then gives up after a while.
MAY=100
many 1000 1 "$seconds" 1000 -b 64k -n 4
many 1000 50 "$seconds" 1000 -b 64k -n 4
MAY=0

# Programs that stay.  They are seen at once, or within a second.
start_utd
utctl create -o "$T/idle" idle >/dev/null && utctl enable-event 'trickle:*' &&
    utctl start || fail "set-up"
hold ./prog/trickle -i 0 "$programs"
enough() {
	counts idle
	[ "$events" -eq "$programs" ]
}
tries=0
until enough; do
	tries=$((tries + 1))
	[ $tries -lt 600 ] || fail "$events of $programs idle programs"
	sleep 0.1
done
[ "$lost" -eq 0 ] || fail "$lost of idle programs are lost"
release
utctl stop >/dev/null || fail "stop"
readers_agree "$T/idle"
./prog/seqcheck <"$T/view.out" >"$T/got" || fail "$(cat "$T/got")"
[ "$(cat "$T/got")" = "$programs $programs 0" ] || fail "idle: $(cat "$T/got")"
utctl destroy >/dev/null || fail "destroy"

# Beside two at full speed, more than can be written: what is lost is theirs,
# and it is counted.
n=$((${threads##* } > 3000 ? 3000 : ${threads##* }))
utctl create -o "$T/full" full >/dev/null &&
    utctl enable-event 'seq:*' 'trickle:*' && utctl start || fail "set-up"
./prog/seq 900 2 1500000 &
fast=$!
CHILDREN="$CHILDREN $fast"
./prog/trickle 0 "$n" $((seconds * 10)) 100 || fail "trickle"
wait $fast
utctl stop full >/dev/null || fail "stop"
counts full
total=$((n * seconds * 10 + 3000000))
echo "$n beside two fast ones: $events events, $lost lost"
[ $((events + lost)) -eq $total ] || fail "$events + $lost are not $total"
utctl view "$T/full" 2>"$T/view.err" |
    awk '{ sub(/.*writer = /, ""); if ($0 + 0 < 900 * 1024) print "slow";
    else print "fast" }' | sort | uniq -c >"$T/got"
slow=$(awk '$2 == "slow" { print $1 }' "$T/got")
[ "$slow" -eq $((n * seconds * 10)) ] ||
    fail "$slow of $((n * seconds * 10)) events of slow threads"

# A program that has another name by the time that it is told of a session is
# called the same in shared packets, which one of two has, and in its own.
cat >"$T/renamed.c" <<'END'
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <ut.h>

UT_EVENT(renamed, tick, UT_INFO, UT_INT(n))

int
main(void)
{
	const struct timespec nap = { 0, 10000000 };

#ifdef __linux__
	program_invocation_short_name = "later";
#else
	setprogname("later");
#endif
	while (!UT_ON(renamed, tick))
		(void)nanosleep(&nap, NULL);
	for (int i = 0; i < 20; i++) {
		UT(renamed, tick, i);
		for (int n = 0; n < 5; n++)
			(void)nanosleep(&nap, NULL);
	}
	return 0;
}
END
build "$T/renamed" -D_GNU_SOURCE "$T/renamed.c"
background "$T/renamed"
one=$LAST
background "$T/renamed"
until_ok sh -c "utctl events | grep -q '^renamed (pid $one' &&
    utctl events | grep -q '^renamed (pid $LAST'" || fail "renamed: not known"
utctl create -o "$T/named" named >/dev/null &&
    utctl enable-channel -b 4k -n 4 c &&
    utctl enable-event -c c 'renamed:*' >/dev/null && utctl start ||
    fail "set-up"
wait $one && wait $LAST || fail "renamed: status $?"
expect 0 'stopped: 40 events, 0 lost' utctl stop named
readers_agree "$T/named"
[ "$(grep -c ' renamed\[' "$T/view.out")" -eq 40 ] ||
    fail "other names: $(sed 's/:.*//' "$T/view.out" | sort | uniq -c)"
stop_utd || fail "utd: status $?"
