# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utd is told to end while threads trace: what they had traced up to then is
# in the files, whole and readable, and utd's status is 0.

. ./common.sh

for sig in TERM INT; do
	./prog/asuser - utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
	UTD_PID=$!
	until_ok utctl list || fail "utd: $(cat "$T/utd.log")"
	utctl create -o "$T/$sig" s >/dev/null && utctl enable-event 'seq:*' &&
	    utctl start || fail "set-up"
	rm -f "$T/progress"
	background ./prog/seq -p 50 1 4 100000000 "$T/progress"
	pid=$LAST
	until_ok test -s "$T/progress" || fail "seq does not run"
	sleep 0.5
	cp "$T/progress" "$T/snapshot"
	kill -$sig $UTD_PID
	wait $UTD_PID
	status=$?
	UTD_PID=
	[ $status -eq 0 ] || fail "SIG$sig: status $status $(cat "$T/utd.log")"
	gone "$pid" && fail "SIG$sig: seq is gone"
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	readers_agree "$T/$sig"
	./prog/seqcheck -s "1:$T/snapshot" <"$T/view.out" >"$T/got" ||
	    fail "SIG$sig: $(cat "$T/got")"
	read -r events writers missing <"$T/got"
	echo "SIG$sig: $events events of $writers threads, gaps of $missing"
	[ "$writers" -eq 4 ] || fail "SIG$sig: $writers threads"
	[ "$missing" -eq 0 ] || fail "SIG$sig: gaps of $missing"
	[ ! -s "$T/view.err" ] || fail "SIG$sig: $(head -3 "$T/view.err")"
	rm -f "$T/progress"
	[ ! -s "$T/utd.log" ] || fail "SIG$sig: utd warns: $(cat "$T/utd.log")"
done
exit 0
