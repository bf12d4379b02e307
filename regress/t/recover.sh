# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Everything is killed, programs, consumers and utd: what the buffers still
# have is written by utctl recover, and nothing is left behind.

. ./common.sh

complains 'state: No such file' utctl recover
start_utd
complains 'utd runs in .*taken up' utctl recover
for s in one two; do
	utctl create -o "$T/$s" $s >/dev/null &&
	    utctl enable-channel -s $s -n 4096 uid &&
	    utctl enable-channel -s $s -p -n 2048 pid &&
	    utctl enable-event -s $s -c uid 'seq:*' >/dev/null &&
	    utctl enable-event -s $s -c pid 'seq:*' >/dev/null &&
	    utctl start $s >/dev/null || fail "set-up of $s"
done
# However busy the machine is, they begin when all regions are attached.
UT_REGISTER_TIMEOUT=60000
export UT_REGISTER_TIMEOUT
background ./prog/seq -p 20 1 3 9000000 "$T/progress1"
pids=$LAST
background ./prog/seq -p 20 2 3 9000000 "$T/progress2"
pids="$pids $LAST"
until_ok test -s "$T/progress1" && until_ok test -s "$T/progress2" ||
    fail "no programs"
sleep 1.3
# The consumer first, so that much is still in the buffers.
halt $(consumers) $UTD_PID $pids
kill -9 $(consumers) $UTD_PID $pids
wait "$UTD_PID" 2>/dev/null
UTD_PID=
expect 0 'session one destroyed: [0-9]* events, 0 lost' utctl recover
cat "$T/out"
[ "$(grep -c destroyed "$T/out")" -eq 2 ] || fail "$(cat "$T/out")"
total=0
for s in one two; do
	for d in "$T/$s"/ust/uid/* "$T/$s/ust/pid"; do
		utctl view "$d" 2>"$T/view.err" | ./prog/seqcheck \
		    1:"$T/progress1" 2:"$T/progress2" >"$T/got" 2>"$T/bad" ||
		    fail "$d: $(head -3 "$T/view.err" "$T/bad")"
		read -r got writers missing <"$T/got"
		[ "$writers $missing" = "6 0" ] || fail "$d: $(cat "$T/got")"
		total=$((total + got))
	done
	readers_agree "$T/$s"
done
until_ok test ! -e "$T/run/sock" || fail "a utd is left"
[ "$(ls "$T/run" | grep -v wake)" = "" ] || fail "left: $(ls "$T/run")"
complains 'state: No such file' utctl recover
survived 2 "programs, utd and its consumer killed" \
    $((4 * $(returned "$T"/progress*))) $total
