# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The directory of a session is removed, or is not there for a while, when a
# consumer takes over or utd is started again:
# what was recorded is written as soon as that can be done, or counted as
# lost; programs are not kept waiting, and nothing stays in memory.

. ./inside.sh
. ./common.sh


# Some events in the files, and many in buffers that nobody has written.
HITS=1000
begin() {
	rm -rf "$T/s" "$T/away"
	start_utd
	utctl create -o "$T/s" s >/dev/null &&
	    utctl enable-channel -b 4k -n 64 ${1-} c &&
	    utctl enable-event -c c 'pulse:a' >/dev/null &&
	    utctl start >/dev/null || fail "set-up"
	pulse_start
	until_ok pulse_on a--- || fail "$answer"
	pulse hit 100
	utctl stop >/dev/null && utctl start || fail "stop and start"
	until_ok pulse_on a--- || fail "$answer"
	halt $(consumers)
	pulse hit $HITS
}

end() {
	exec 3>&- 4<&-
	wait $PULSE
	[ -z "$UTD_PID" ] || stop_utd || fail "$1: utd: status $?"
	[ ! -e "$T/run/state" ] || fail "$1: left: $(ls "$T/run")"
	[ -z "${UT_TEST_INSIDE-}" ] || [ -z "$(ls /dev/shm)" ] ||
	    fail "$1: left in memory: $(ls /dev/shm)"
	echo "$1: fine"
}

killed() {
	kill -9 $UTD_PID $(consumers)
	wait $UTD_PID 2>/dev/null
	start_utd
}

# What is lost is all that was not written, no more and no less.
all_counted() {
	read -r events lost <<-END
	$(sed -n 's/^.* \([0-9]*\) events, \([0-9]*\) lost.*/\1 \2/p' "$T/out")
	END
	echo "$1: $events events, $lost lost"
	[ $((events + lost)) -eq $((HITS + 100)) ] && [ "$lost" -ge $HITS ] ||
	    fail "$1: $events events, $lost lost of $((HITS + 100))"
}

said_lost() {
	n=$(sed -n 's/.*channel c: \([0-9]*\) events are lost.*/\1/p' \
	    "$T/utd.log")
	[ "$n" -eq $HITS ] || fail "$1: not said: $(cat "$T/utd.log")"
}

recorded_all() {
	utctl view -q "$T/s" >"$T/out" 2>"$T/err" && [ ! -s "$T/err" ] ||
	    fail "$1: view: $(head -3 "$T/err")"
	read -r events rest <"$T/out"
	[ "$events" -eq $((HITS + 100)) ] || fail "$1: $events events"
}

for how in '' -p; do
	# Removed while a consumer takes over: utctl says what is lost, ...
	begin $how
	rm -rf "$T/s"
	kill -9 $(consumers)
	until_ok sh -c 'utctl list s | grep -q "No such file"' ||
	    fail "removed: $(utctl list s)"
	expect 0 's destroyed: .*No such file' utctl destroy s
	all_counted "removed $how"
	said_lost "removed $how"
	end "removed $how"

	# ... or utd, when it ends.
	begin $how
	rm -rf "$T/s"
	kill -9 $(consumers)
	until_ok sh -c 'utctl list s | grep -q "No such file"' ||
	    fail "removed, end: $(utctl list s)"
	stop_utd || fail "removed, end: utd: status $?: $(cat "$T/utd.log")"
	said_lost "removed, end $how"
	end "removed, end $how"

	# Not there while utd is started: it is waited for, nobody else is.
	begin $how
	mv "$T/s" "$T/away"
	killed
	until_ok sh -c 'utctl list s | grep -q "No such file"' ||
	    fail "away: $(utctl list s)"
	took=$(./prog/ms ./prog/seq 1 1 10) || fail "seq"
	[ "$took" -lt 2000 ] || fail "away: a program waits $took ms"
	mkdir "$T/s"			# another: it is not written to
	sleep 1
	[ -z "$(ls "$T/s")" ] || fail "away: written to another"
	rmdir "$T/s"
	mv "$T/away" "$T/s"
	until_ok sh -c 'utctl list s | grep -q "there again"' ||
	    fail "away: $(utctl list s)"
	expect 0 "s destroyed: [0-9]* events, 0 lost, $BYTES" \
	    utctl destroy s
	recorded_all "away $how"
	end "away $how"

	# It does not come: all is lost, and said to be so.
	begin $how
	mv "$T/s" "$T/away"
	killed
	until_ok sh -c 'utctl list s | grep -q "No such file"' ||
	    fail "gone: $(utctl list s)"
	expect 0 's destroyed: .*No such file' utctl destroy s
	all_counted "gone $how"
	end "gone $how"

	# utd ends before it comes: the next one waits for it, too.
	begin $how
	mv "$T/s" "$T/away"
	killed
	until_ok sh -c 'utctl list s | grep -q "No such file"' ||
	    fail "later: $(utctl list s)"
	! stop_utd || fail "later: all was written?"
	grep -q 'are not all written: see utctl recover' "$T/utd.log" ||
	    fail "later: $(cat "$T/utd.log")"
	mv "$T/away" "$T/s"
	expect 0 's destroyed: [0-9]* events, 0 lost' utctl recover
	recorded_all "later $how"
	end "later $how"
done

# Removed with what is in it, and nobody takes over.
start_utd
utctl create -o "$T/r" r >/dev/null && utctl enable-event 'seq:*' >/dev/null &&
    utctl start >/dev/null || fail "set-up"
./prog/seq 1 1 10 || fail "seq"
written() {
	counts r
	[ "$events" -eq 10 ]
}
until_ok written || fail "not written"
rm -r "$T/r"
expect 0 'r stopped: 0 events, 10 lost.*; channel channel0: the files were removed' \
    utctl stop
expect 0 'r destroyed: 0 events, 10 lost.*the files were removed' utctl destroy
stop_utd || fail "utd: status $?"
