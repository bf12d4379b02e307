# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Where losses are told.  Threads number their events, so what is missing, and
# between which two events, is known.  Each loss must be told between these two,
# all of them must be, and babeltrace2 must say the same.  What is whole outside
# of that time is not left out by stat -d.  Consumers are stopped, so that
# events are lost, and killed, and utd with them; sessions are rotated.

. ./common.sh

# oracle SLACK: of $T/view.json and $T/calls.  A loss that no sub-buffer tells is
# told at a tick, so up to so many seconds before or after.
oracle() {
	awk -v slack="$1" '
	function ns(name) {
		match($0, "\"" name "\":\"[0-9]+\"")
		at = substr($0, RSTART, RLENGTH - 1)
		return substr(at, length(at) - 14) / 1e9
	}
	function num(name) {
		match($0, "\"" name "\":[0-9]+")
		return substr($0, RSTART + length(name) + 3) + 0
	}
	# Events between two losses may have been in shared sub-buffers, which
	# tell of none: a few of them do not part the two.
	function gap(w, n, from, to) {
		all += n
		if (w in open && since[w] < 30) {
			missing[open[w]] += n
			before[open[w]] = to
			since[w] = 0
			return
		}
		ngaps++
		open[w] = ngaps
		since[w] = 0
		of[ngaps] = w
		missing[ngaps] = n
		after[ngaps] = from
		before[ngaps] = to
	}
	/^calls/ {
		sum += $3
		if ($3 > last[$2])
			gap($2, $3 - last[$2], when[$2], 1e15)
		next
	}
	/"lossy:e"/ {
		w = num("w")
		n = num("n")
		if (n <= last[w])
			print "thread", w, "has", n, "behind", last[w]
		if (n > last[w] + 1)
			gap(w, n - last[w] - 1, when[w] + 0, ns("ns"))
		last[w] = n
		when[w] = ns("ns")
		since[w]++
	}
	/"discarded":[0-9]/ && /"from"/ {
		told[++ntold] = num("discarded")
		from[ntold] = ns("from")
		to[ntold] = ns("to")
		total += told[ntold]
	}
	END {
		for (i = 1; i <= ntold; i++) {
			begins = ends = 0
			# A few, of a thread that shared for a moment.
			lax = told[i] < all / 20 && slack < 1.5 ? 1.5 : slack
			for (g = 1; g <= ngaps; g++) {
				# The slot may have gone to another thread.
				begins += from[i] >= after[g] - lax - 1e-6 &&
				    from[i] <= before[g] + lax
				ends += to[i] >= after[g] - lax &&
				    to[i] <= before[g] + lax + 1e-6
				if (from[i] <= before[g] + slack &&
				    to[i] >= after[g] - slack)
					covered[g] += told[i]
			}
			if (!begins || !ends)
				printf "%d told from %.6f to %.6f: none is " \
				    "missing there\n", told[i], from[i], to[i]
		}
		for (g = 1; g <= ngaps; g++)
			if (covered[g] < missing[g])
				printf "%d of thread %d are missing from %.6f" \
				    " to %.6f: %d told\n", missing[g], of[g],
				    after[g], before[g], covered[g]
		if (total != all)
			print all, "missing,", total, "told"
		if (all == 0)
			print "none is missing"
		printf "%d missing, told in %d packets\n", all, ntold \
		    >"/dev/stderr"
	}' "$T/view.json" "$T/calls" >"$T/wrong" 2>"$T/said"
	[ ! -s "$T/wrong" ] || fail "$name: $(head -4 "$T/wrong")"
	echo "$name: $(cat "$T/said")"
}

# babeltrace2 says the same times and numbers as view, which JSON has as well.
same_losses() {
	TZ=UTC readers_agree "$T/$name"
	command -v babeltrace2 >/dev/null 2>&1 || return 0
	sed -n 's/^utctl: \([0-9]* events*\) discarded between .* \([0-9:.]*\) and .* \([0-9:.]*\) in .*/\1 \2 \3/p' \
	    "$T/view.err" | sort >"$T/view.lost"
	sed -n 's/.*Tracer discarded \([0-9]* events*\) between \[\([0-9:.]*\)\] and \[\([0-9:.]*\)\].*/\1 \2 \3/p' \
	    "$T/bt2.err" | sort >"$T/bt2.lost"
	diff "$T/view.lost" "$T/bt2.lost" >"$T/diff" ||
	    fail "$name: babeltrace2 says otherwise: $(head -4 "$T/diff")"
}

# Of the pairs of the thread that loses nothing, those that no thread's loss
# meets are counted, and those that are open in the middle of it are not.
durations() {
	utctl stat -d "$T/$name" >"$T/stat" 2>&1 ||
	    fail "$name: stat: $(cat "$T/stat")"
	left=$(sed -n 's/^ *\([0-9]*\) left out: events were lost.*/\1/p' \
	    "$T/stat")
	awk -v slack="${1:-0}" '
	function ns() {
		match($0, /"ns":"[0-9]+"/)
		return substr($0, RSTART + RLENGTH - 16, 15) / 1e9
	}
	/"whole:begin"/ { begin[++n] = ns() }
	/"whole:end"/ { end[n] = ns() }
	/"lossy:e"/ {
		match($0, /"w":[0-9]+/)
		w = substr($0, RSTART, RLENGTH)
		match($0, /"n":[0-9]+/)
		i = substr($0, RSTART + 4, RLENGTH - 4) + 0
		if (i > last[w] + 1) {
			from[++m] = when[w] + 0
			to[m] = ns()
		}
		last[w] = i
		when[w] = ns()
	}
	END {
		for (i = 1; i <= n; i++) {
			met = within = 0
			for (j = 1; j <= m; j++) {
				met += begin[i] <= to[j] + slack &&
				    end[i] >= from[j] - slack
				within += begin[i] > from[j] + 0.1 &&
				    end[i] < to[j] - 0.1
			}
			most += met > 0
			least += within > 0
		}
		print least + 0, most + 0, n
	}' "$T/view.json" >"$T/pairs"
	read -r least most n <"$T/pairs"
	echo "$name: ${left:-0} of $n pairs left out ($least to $most)"
	[ "${left:-0}" -ge "$least" ] && [ "${left:-0}" -le "$most" ] ||
	    fail "$name: stat -d leaves out ${left:-0} of $n pairs," \
	    "not $least to $most"
}

# setup NAME ATTRIBUTES: a session with a small channel, and one with room.
setup() {
	name=$1
	utctl create -o "$T/$name" "$name" >/dev/null &&
	    utctl enable-channel -b 4k $2 small &&
	    utctl enable-event -c small 'lossy:*' >/dev/null &&
	    utctl enable-channel room &&
	    utctl enable-event -c room 'whole:*' >/dev/null &&
	    utctl start >/dev/null || fail "set-up of $name"
}

# losses ARGUMENTS: the program runs until it is finished.
losses() {
	./prog/losses "$@" >"$T/calls" &
	PROGRAM=$!
	CHILDREN="$CHILDREN $PROGRAM"
	until_ok recording || fail "$name: nothing is recorded"
	sleep 0.3
}

recording() {
	counts "$name"
	[ "$events" -gt 0 ]
}

# Events are lost meanwhile.
stopped() {
	at=$(consumers)
	halt $at
	sleep "$1"
}

finished() {
	kill $PROGRAM 2>/dev/null
	wait $PROGRAM || fail "$name: the program failed"
	expect 0 'stopped' utctl stop "$name"
	counts "$name"
	utctl view -j "$T/$name" >"$T/view.json" 2>"$T/view.err"
	told=$(awk '/"discarded":[0-9]/ && /"from"/ {
		match($0, /"discarded":[0-9]+/)
		n += substr($0, RSTART + 12, RLENGTH - 12)
	} END { print n + 0 }' "$T/view.json")
	[ "$told" -eq "$lost" ] || [ "${1:-}" = cut ] ||
	    fail "$name: $told told, not $lost"
	same_losses
	expect 0 '' utctl destroy "$name"
}

start_utd

# The consumer is stopped for a while.
setup stopped '-n 8'
losses 3 300
stopped 1.2
kill -CONT $at
sleep 0.4
finished
oracle 0
durations

# It is stopped until the program has ended.
setup ended '-n 8'
losses 3 300
stopped 1
kill $PROGRAM
until_ok grep -q 'calls 2' "$T/calls" || fail "$name: the program"
kill -CONT $at
sleep 0.4
finished
oracle 0

# Many threads, most of which share sub-buffers, or get none.
setup shared '-n 4'
losses 60 40000
stopped 1.2
kill -CONT $at
sleep 0.4
finished
oracle 1.5
durations 1.5

# Writers wait, in vain, and are without a slot then.
setup block '-n 4 -m block -t 2ms'
losses 3 1000
stopped 1.2
kill -CONT $at
sleep 0.4
finished
oracle 1.5

# Some events fit into no sub-buffer: the others are not lost for that.
setup toobig '-n 64'
losses -b 2 2000
sleep 1.5
finished
oracle 1.5

# A snapshot tells of those, too, as far as it goes back.
name=shot
utctl create -S -o "$T/shot" shot >/dev/null &&
    utctl enable-channel -b 4k -n 16 small &&
    utctl enable-event -c small 'lossy:*' >/dev/null &&
    utctl start >/dev/null || fail "set-up of shot"
./prog/losses -b 2 2000 >"$T/calls" &
PROGRAM=$!
CHILDREN="$CHILDREN $PROGRAM"
sleep 1.2
until_ok eval '[ "$(member shot lost)" -gt 0 ]' ||
    fail "shot: none is lost"
expect 0 'snapshot of' utctl snapshot shot
kill $PROGRAM
shot=$(echo "$T"/shot/snapshots/*)
readers_agree "$shot"
[ "$(discarded)" -gt 0 ] || fail "shot: none was lost"
expect 0 '' utctl destroy shot

# Files are cut; then the oldest are removed.
setup cut '-n 8 -C 16k'
losses 3 200
stopped 0.7
kill -CONT $at
sleep 0.5
stopped 0.5
kill -CONT $at
sleep 0.4
finished
oracle 0
durations
setup removed '-n 8 -C 8k -W 12'
losses 2 200
for i in 1 2 3; do
	stopped 0.4
	kill -CONT $at
	sleep 0.2
done
finished cut
echo "removed: $told told of $lost"
[ "$told" -gt 0 ] && [ "$told" -le "$lost" ] ||
    fail "removed: $told told of $lost"

# A session is rotated while events are lost.
setup rotate '-n 8'
losses 3 300
stopped 0.7
kill -CONT $at
expect 0 '' utctl rotate rotate
stopped 0.5
kill -CONT $at
sleep 0.4
finished
oracle 0

# Consumers are killed while events are lost, and so is utd.
setup killed '-n 8'
losses 3 300
for i in 1 2 3; do
	stopped 0.5
	kill -9 $at
	sleep 0.$((i * 2 + 1))
done
finished
oracle 0
setup restart '-n 8'
losses 3 300
stopped 0.5
kill_utd 1
start_utd
sleep 0.3
kill_consumers
sleep 0.2
kill_utd 2
sleep 0.3
start_utd
finished
oracle 0
stop_utd || fail "utd: status $?"
