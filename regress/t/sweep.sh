# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Hundreds of programs killed with SIGKILL at random moments, each with
# several threads, every third with children, in buffers that all share and
# in some of their own: every event whose call returned is in both traces,
# and utd has nothing left of them.  Programs wait for a buffer of their own
# where a busy disk keeps the consumer.  SWEEP=2000 is the long form.

. ./common.sh

programs=${SWEEP:-360}
start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-channel shared &&
    utctl enable-event -c shared 'seq:tick' &&
    utctl enable-channel -p -n 128 -m block own &&
    utctl add-context -c own caller nest uid errno cpu app_none &&
    utctl enable-event -c own 'seq:tick' && utctl start || fail "set-up"

# From i on to n: four at a time, each killed at another time.  All have the
# fifo open, also children that nobody waits for.
sweep() {
	cat "$T/alive" >/dev/null &
	cat=$!
	exec 8>"$T/alive"
	while [ $i -lt "$1" ]; do
		batch=
		for j in 0 1 2 3; do
			children=0
			[ $((i % 3)) -ne 0 ] || children=3
			./prog/seq -p 100 -f $children $i 4 100000000 \
			    "$T/progress.$i" &
			batch="$batch $!"
			i=$((i + 1))
		done
		for p in $batch; do
			nap 40
			kill -9 "$p"
		done
		wait $batch 2>/dev/null
	done
	exec 8>&-
	wait $cat
}

# Descriptors, mappings and shared memory of utd and the consumer.  Of shared
# files it has as many as threads ever traced at a time.
held() {
	for p in $UTD_PID $(consumers); do
		ls -l /proc/$p/fd | grep -c -v "$T/trace/ust/uid"
		grep -c -e '/ut-' -e '/dev/shm' /proc/$p/maps
		ls /dev/shm 2>/dev/null | grep -c "ut-$(printf %x "$p")-"
	done 2>/dev/null | tr '\n' ' '
}

nothing_left() {
	[ "$(held)" = "$before" ]
}

all_gone() {
	utctl list s >"$T/list" && ! grep -q '(pid' "$T/list"
}

mkfifo "$T/alive" || fail "mkfifo"
i=0
sweep $((programs / 2))
until_ok all_gone || fail "still there: $(cat "$T/list")"
before=$(held) rss=$(kilobytes)
sweep "$programs"
until_ok all_gone || fail "still there: $(cat "$T/list")"
echo "$i programs: held $before, then $(held); $rss kB, then $(kilobytes)"
if [ -d /proc/$UTD_PID ]; then
	until_ok nothing_left || fail "held $before, then $(held)"
fi
# With 720 programs it is no more: what is held at a time varies by a third.
[ "$(kilobytes)" -lt $((rss + 1536)) ] || fail "$rss kB, then $(kilobytes)"
expect 0 's stopped: [0-9]* events, 0 lost' utctl stop
expect 0 's destroyed' utctl destroy

args=
while [ $i -gt 0 ]; do
	i=$((i - 1))
	args="$args $i:$T/progress.$i"
done
total=0
for d in uid pid; do
	utctl view "$T/trace/ust/$d" 2>"$T/view.err" |
	    ./prog/seqcheck $args >"$T/got" ||
	    fail "$d: $(cat "$T/got" "$T/view.err")"
	[ ! -s "$T/view.err" ] || fail "$d: $(head -3 "$T/view.err")"
	read -r events writers missing <"$T/got"
	echo "$d: $events events of $writers threads, gaps of $missing"
	[ "$missing" -eq 0 ] || fail "$d: gaps of $missing"
	[ "$writers" -gt "$programs" ] || fail "$d: only $writers threads"
	total=$((total + events))
done
survived "$programs" "programs killed" \
    $(($(returned "$T"/progress.*) * 2)) $total
readers_agree "$T/trace/ust/uid"
stop_utd || fail "utd: status $?"
