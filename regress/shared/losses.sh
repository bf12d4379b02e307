# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the tests of where losses are told have in common.  Threads number their
# events, so what is missing, and between which two events, is known.  Each loss
# must be told between these two, all of them must be, and babeltrace2 must say
# the same.  What is whole outside of that time is not left out by stat -d.

. ./common.sh

# oracle SLACK: of $T/view.json and $T/calls.  A loss that no sub-buffer tells
# is told at a tick, so up to so many seconds before or after.
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
