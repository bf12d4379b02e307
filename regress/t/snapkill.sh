# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Snapshots one behind the other while 8 threads write at full speed, and while
# programs, consumers and utd are killed: each that is told of can be read by
# both readers, has every thread's events in order, whole and once, and those
# whose calls had returned before it was asked for.  SNAP_SECONDS=10 is the long
# form.

. ./common.sh

seconds=${SNAP_SECONDS:-4}

# The newest that a thread had delivered may have been overwritten if the system
# stops that thread for long, or the consumer as it copies: in some milliseconds
# the threads fill all there is.  In most snapshots most are not.
newest() {
	./prog/seqcheck -s "$1:$2" <"$T/view.out" >"$T/got" 2>"$T/err"
	grep -v 'returned,' "$T/err" && fail "$3: $(cat "$T/err")"
	[ "$(grep -c 'returned,' "$T/err")" -lt 4 ] || {
		late=$((late + 1))
		cat "$T/err"
	}
}

# Behind the last gap of each thread: a good part of all, in most snapshots:
# on a busy machine, one of some hundred had a gap not far from its end.
complete() {
	sed -n 's/.*writer = \([0-9]*\), n = \([0-9]*\),.*/\1 \2/p' \
	    "$T/view.out" | awk '
	{
		if ($2 != last[$1] + 1)
			n[$1] = 0
		last[$1] = $2
		n[$1]++
	}
	END {
		for (w in n)
			all += n[w]
		printf "%d events, %d behind the last gap\n", NR, all
		exit all * 10 < NR
	}' || gappy=$((gappy + 1))
}

writer() {
	i=$((i + 1))
	: >"$T/progress.$i"
	./prog/seq $i 8 900000000 "$T/progress.$i" &
	WRITER=$!
	CHILDREN="$CHILDREN $!"
	until_ok has_begun "$T/progress.$i" || fail "writer $i does not begin"
}

has_begun() {
	[ "$(returned "$1")" -gt 0 ]
}

# Of which writer, and what had returned before.
shoot() {
	n=$((n + 1))
	echo $i >"$T/of.$n"
	cp "$T/progress.$i" "$T/before.$n"
	utctl snapshot -n x$n k >"$T/said.$n" 2>&1
}

start_utd
utctl create -S -o "$T/k" k >/dev/null && utctl enable-event 'seq:tick' &&
    utctl start >/dev/null || fail "set-up"
i=0 n=0 faults=0 failed=0
writer
until_ok utctl snapshot -n first || fail "no snapshot"
end=$(($(date +%s) + seconds))
while [ "$(date +%s)" -lt $end ]; do
	shoot || fail "$(cat "$T/said.$n")"
	# In the middle of one.
	shoot &
	shooting=$!
	n=$((n + 1))
	nap 90
	case $((n % 6)) in
	0)	kill -9 $WRITER ;;
	2)	victims=$(consumers)
		kill_consumers
		for p in $victims; do
			until_ok gone "$p"
		done ;;
	4)	kill_utd 0; start_utd ;;
	esac
	faults=$((faults + 1))
	if wait $shooting; then
		grep -q 'snapshot of [0-9]* events: ' "$T/said.$n" ||
		    fail "$(cat "$T/said.$n")"
	else
		failed=$((failed + 1))
		[ "$(wc -l <"$T/said.$n")" -eq 1 ] ||
		    fail "not one line: $(cat "$T/said.$n")"
	fi
	kill -0 $WRITER 2>/dev/null && [ $((n % 6)) -ne 0 ] || {
		wait $WRITER 2>/dev/null
		writer
	}
	# A new utd and a new consumer wait until all is there again.
	utctl snapshot -n ready$n k >"$T/ready" 2>&1 ||
	    fail "$(cat "$T/ready"; utctl list k)"
	! grep -q ' 0 events' "$T/ready" || fail "nothing is kept: $n"
done
kill -9 $WRITER
wait $WRITER 2>/dev/null

hidden=$(find "$T/k" -name '.utd-*')
[ -z "$hidden" ] || fail "left: $hidden"
read_some=0 gappy=0 late=0
for d in "$T/k"/snapshots/*; do
	readers_agree "$d"
	./prog/seqcheck <"$T/view.out" >"$T/got" 2>"$T/err" ||
	    fail "$d: $(cat "$T/err")"
	case $d in
	*/x*)	of=${d##*/x}
		grep -q 'snapshot of' "$T/said.$of" || continue
		# With a kill, another program may have overwritten all.
		[ $((of % 2)) -eq 0 ] ||
		    newest "$(cat "$T/of.$of")" "$T/before.$of" "$d"
		complete "$d"
		read_some=$((read_some + 1)) ;;
	esac
done
told=$(cat "$T"/said.* | grep -c 'snapshot of')
[ "$read_some" -eq "$told" ] || fail "$told told, $read_some there"
[ $((gappy * 2)) -le "$read_some" ] || fail "$gappy of $read_some full of gaps"
[ $((late * 2)) -le "$read_some" ] || fail "$late of $read_some lack the newest"
echo "SURVIVED: $faults faults, $read_some snapshots, all whole, and $failed" \
    "that could not be"
expect 0 'session k destroyed' utctl destroy k
stop_utd || fail "utd: status $?"
