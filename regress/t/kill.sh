# Programs killed with SIGKILL at random moments while several threads trace:
# every event whose call returned is in the trace, and stop and destroy
# return within a second.  KILLS=200 is the long form.

. ./common.sh

kills=${KILLS:-40}
start_utd
utctl create -o "$T/trace" k >/dev/null && utctl enable-event 'seq:tick' &&
    utctl start || fail "set-up"
i=0 args=
while [ $i -lt "$kills" ]; do
	batch=
	for j in 0 1 2 3; do
		./prog/seq -p 1 $i 4 100000000 "$T/progress.$i" &
		batch="$batch $!"
		args="$args $i:$T/progress.$i"
		i=$((i + 1))
	done
	nap 100
	for p in $batch; do
		kill -9 "$p"
	done
	wait $batch 2>/dev/null
done
t0=$(date +%s%N 2>/dev/null)
expect 0 "stopped" utctl stop
t1=$(date +%s%N 2>/dev/null)
utctl list -j k >"$T/list"
expect 0 "destroyed" utctl destroy
t2=$(date +%s%N 2>/dev/null)
case $t0$t1$t2 in
*N*)	;;		# no nanoseconds here
*)	echo "stop $(((t1 - t0) / 1000000)) ms, destroy $(((t2 - t1) / 1000000)) ms"
	[ $((t1 - t0)) -lt 3000000000 ] || fail "stop took $((t1 - t0)) ns"
	[ $((t2 - t1)) -lt 3000000000 ] ||
	    fail "destroy took $((t2 - t1)) ns" ;;
esac
utctl view "$T/trace" 2>"$T/view.err" | ./prog/seqcheck $args >"$T/got" ||
    fail "$(cat "$T/got" "$T/view.err")"
read -r events writers missing <"$T/got"
echo "$events events of $writers threads, gaps of $missing"
[ "$writers" -gt "$kills" ] || fail "only $writers threads traced"
[ ! -s "$T/view.err" ] || fail "$(head -3 "$T/view.err")"
[ "$missing" -eq 0 ] || fail "gaps of $missing without a discarded event"
survived "$kills" "programs killed" "$(returned "$T"/progress.*)" "$events"
stop_utd || fail "utd: status $?"
