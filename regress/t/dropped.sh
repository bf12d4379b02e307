# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Overwrite mode, where threads share sub-buffers, of which no slot's numbers
# tell: the trace says how many are missing and between which times, so that no
# beginning is paired with the end of another.  In files, also after a consumer
# that was killed, and in snapshots.

. ./common.sh
UT_REGISTER_TIMEOUT=60000
export UT_REGISTER_TIMEOUT

set_up() {	# name, options of create
	name=$1
	shift
	utctl create "$@" "$name" >/dev/null &&
	    utctl enable-channel -m overwrite -b 4k -n 16 c &&
	    utctl enable-event -c c 'dropped:*' >/dev/null &&
	    utctl start >/dev/null || fail "set-up of $name"
}

all_known() {
	[ $(($(member "$name" written) + $(member "$name" overwritten))) -eq "$1" ]
}

# The program, up to where it waits, and then to its end.
begin() {	# length of texts
	mkfifo "$T/to" "$T/from" || exit 1
	./prog/dropped 60 40 "$1" <"$T/to" >"$T/from" &
	PROGRAM=$!
	CHILDREN="$CHILDREN $PROGRAM"
	exec 3>"$T/to" 4<"$T/from"
	read -r events rest <&4 || fail "dropped"
}

finish_it() {
	echo >&3
	wait $PROGRAM || fail "dropped: $?"
	exec 3>&- 4<&-
	rm "$T/to" "$T/from"
}

# pairs DIR LEAST: each end that a reader has paired is that of its beginning,
# by the number in both; and so many could be paired.
pairs() {
	utctl view -i -j "$1" >"$T/view" 2>"$T/err" ||
	    fail "view: $(head -3 "$T/err")"
	awk -v least="$2" '
	function value(name) {
		if (!match($0, "\"" name "\":\"?[0-9]+"))
			return ""
		s = substr($0, RSTART, RLENGTH)
		sub(/.*[":]/, "", s)
		return s
	}
	/work_begin/ { begun[value("n")] = value("ns") }
	/work_end/ && /took_ns/ {
		pairs++
		n = value("n")
		# Seconds and the rest: awk has 53 bits.
		a = begun[n]
		b = value("ns")
		took = (substr(b, 1, 10) - substr(a, 1, 10)) * 1e9 + \
		    substr(b, 11) - substr(a, 11)
		if (a == "" || took != value("took_ns")) {
			print "of another: " $0
			bad = 1
		}
	}
	END {
		print pairs + 0 " pairs"
		exit bad || pairs < least
	}' "$T/view" >"$T/got" || fail "$1: $(tail -n 3 "$T/got")"
	echo "$1: $(cat "$T/got")"
}

lost_packets() {
	sed -n 's/.*"lost_packets":\([0-9]*\),"before".*/\1/p' "$T/view" |
	    awk '{ n += $1 } END { print n + 0 }'
}

# While the consumer is stopped, most is overwritten; then it goes on, or is
# killed, and another one takes over, which may not know when that began.
start_utd
least=500
for how in CONT KILL; do
	set_up $how -o "$T/$how"
	begin 60
	until_ok all_known "$events" || fail "not all of $events: $(utctl list)"
	c=$(consumers)
	halt $c
	finish_it
	kill -$how $c
	expect 0 ' 0 lost, [1-9][0-9]* overwritten' utctl stop
	pairs "$T/$how" $least
	n=$(lost_packets) over=$(member "$name" overwritten)
	echo "$n packets, $over events"
	[ "$n" -gt 5 ] && [ "$n" -lt "$over" ] || fail "$n packets, $over events"
	expect 0 destroyed utctl destroy
	least=0
done

# Each event fills a sub-buffer, so that as many packets are missing, but for
# the first of a thread, and for what was written before it was dropped.
set_up large -o "$T/large"
begin 2500
until_ok all_known "$events" || fail "not all of $events: $(utctl list)"
c=$(consumers)
halt $c
finish_it
kill -CONT $c
expect 0 stopped utctl stop
pairs "$T/large" 0
n=$(lost_packets) over=$(member "$name" overwritten)
[ "$n" -le $((over + 16)) ] && [ "$n" -ge $((over - 16)) ] ||
    fail "$n packets, $over events"
expect 0 destroyed utctl destroy

# A snapshot has what came last: what was dropped among that is told, and
# nothing of what is older than its first event.
set_up kept -S
begin 60
finish_it
expect 0 snapshot utctl snapshot -o "$T/kept"
pairs "$T/kept" 100
echo "$(lost_packets) packets"
expect 0 destroyed utctl destroy

# A thread ended, and all of its own but the first was overwritten: no packet
# with events tells of that.
cat >"$T/ended.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <ut.h>

UT_EVENT(dropped, work_begin, UT_INFO, UT_U32(n))
UT_EVENT(dropped, work_end, UT_INFO, UT_U32(n))
UT_EVENT(dropped, fill, UT_INFO)
UT_EVENT(dropped, tick, UT_INFO)

static void
await(const char *what)
{
	puts(what);
	fflush(stdout);
	(void)getchar();
}

static void *
thread(void *arg)
{
	unsigned int i;

	(void)arg;
	for (i = 0; i < 20; i++)
		UT(dropped, fill);
	UT(dropped, work_begin, 0);
	await("begun");
	for (i = 0; i < 2000; i++) {
		UT(dropped, work_end, i);
		UT(dropped, work_begin, i + 1);
	}
	return NULL;
}

static void *
ticks(void *arg)
{
	for (;;) {
		UT(dropped, tick);
		usleep(40000);
	}
	return arg;
}

/* A thread that ends; or one whose beginning is among slow ones. */
int
main(int argc, char *argv[])
{
	pthread_t t;
	unsigned int i;

	(void)argv;
	if (argc > 1) {
		for (i = 0; i < 4; i++)
			pthread_create(&t, NULL, ticks, NULL);
		usleep(200000);
		UT(dropped, work_begin, 0);
		usleep(200000);
		UT(dropped, fill);
		for (i = 0; i < 20000; i++) {
			UT(dropped, work_end, i);
			UT(dropped, work_begin, i + 1);
		}
		await("written");
		return 0;
	}
	UT(dropped, fill);		/* or this one had its slot */
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	await("ended");
	for (i = 0; i < 40000; i++)
		UT(dropped, fill);
	await("filled");
	return 0;
}
END
$CC $CFLAGS -I"$TOP/libut" -o "$T/ended" "$T/ended.c" $LINK $LIBS ||
    fail "cannot build ended"

# says WORD: the program is so far.
says() {
	read -r line <&4 && [ "$line" = "$1" ] || fail "$1: $line"
}
set_up ended -o "$T/ended.t"
mkfifo "$T/to" "$T/from" || exit 1
"$T/ended" <"$T/to" >"$T/from" &
PROGRAM=$!
CHILDREN="$CHILDREN $PROGRAM"
exec 3>"$T/to" 4<"$T/from"
says begun
until_ok all_known 22 || fail "not all: $(utctl list)"
c=$(consumers)
halt $c
echo >&3
says ended
echo >&3
says filled
kill -CONT $c
expect 0 ' 0 lost, [1-9][0-9]* overwritten' utctl stop
finish_it
pairs "$T/ended.t" 0
over=$(member "$name" overwritten)
grep -q '"n":1,' "$T/view" && fail "nothing was overwritten"
babeltrace2 "$T/ended.t" 2>&1 >/dev/null | grep -q 'discarded [1-9]' ||
    ! command -v babeltrace2 >/dev/null 2>&1 || fail "babeltrace2 knows nothing"
n=$(lost_packets)
echo "$n packets, $over events"
# Of 4k: the thread's, with events of 10 bytes, and those of the other, of 6.
want=$((4001 * 10 / 4096 + (over - 4001) * 6 / 4096 - 1))
[ "$n" -ge $want ] || fail "$n packets, not $want, $over events"
expect 0 destroyed utctl destroy

# And in a snapshot: a beginning that is kept, and an end that is not.
set_up slow -S
mkfifo "$T/to" "$T/from" || exit 1
"$T/ended" slow <"$T/to" >"$T/from" &
PROGRAM=$!
CHILDREN="$CHILDREN $PROGRAM"
exec 3>"$T/to" 4<"$T/from"
says written
expect 0 snapshot utctl snapshot -o "$T/slow.t"
finish_it
pairs "$T/slow.t" 1000
expect 0 destroyed utctl destroy
