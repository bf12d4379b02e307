# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the tests of utctl stat -d and -D have in common: what awk computes from
# the text of view.

. ./common.sh

# Times of the day are exact in awk; no midnight comes meanwhile.
hour=$(date -u +%H)
TZ=X$((${hour#0} - 12))
export TZ
# calls total self max of each pair; unended and unbegun.  Then how many of each
# pair did not end, how many are open yet, and their total and self until the
# last event of their thread.
cat >"$T/oracle" <<'E'
{
	split($2, t, /[:.]/)
	ns = ((t[1] * 60 + t[2]) * 60 + t[3]) * 1e9 + t[4]
	who = $3
	last[who] = ns
	ev = $4
	pair = id = ""
	if (ev ~ /^work:(outer_(begin|end)|inner_(entry|exit))$/) {
		pair = ev
		sub(/_(begin|end|entry|exit)$/, "", pair)
	} else if (ev ~ /^(call|func):/) {
		match($0, /addr = 0x[0-9a-f]+/)
		pair = substr(ev, 1, 4) " " substr($0, RSTART + 7, RLENGTH - 7)
	}
	if (pair == "")
		next
	if (ev ~ /(_begin|_entry|:entry)$/) {
		d = ++depth[who]
		name[who, d] = pair
		began[who, d] = ns
		inner[who, d] = 0
		open++
		next
	}
	for (d = depth[who]; d > 0 && name[who, d] != pair; d--)
		;
	if (d == 0) {
		unbegun++
		next
	}
	unended += depth[who] - d
	for (k = d + 1; k <= depth[who]; k++) {
		none[name[who, k]]++
		inner[who, d] += inner[who, k]
	}
	open -= depth[who] - d + 1
	depth[who] = d - 1
	took = ns - began[who, d]
	calls[pair]++
	self[pair] += took - inner[who, d]
	printf "%.3f %.3f\n", took / 1000, (took - inner[who, d]) / 1000 > ends
	# The total is what the counted ones cover: an earlier one is apart from
	# this one, or within it.
	k = n[who, pair]
	while (k > 0 && from[who, pair, k] >= ns - took)
		total[pair] -= length_of[who, pair, k--]
	from[who, pair, ++k] = ns - took
	length_of[who, pair, k] = took
	n[who, pair] = k
	total[pair] += took
	if (took > max[pair])
		max[pair] = took
	if (d > 1)
		inner[who, d - 1] += took
}
END {
	for (who in depth) {
		deeper = 0
		for (d = depth[who]; d > 0; d--) {
			pair = name[who, d]
			none[pair]++
			yet[pair]++
			took = last[who] - began[who, d]
			mine[pair] += took - inner[who, d] - deeper
			deeper = took
			for (k = d - 1; k > 0 && name[who, k] != pair; k--)
				;
			if (k == 0)
				until[pair] += took
		}
	}
	for (p in none)
		printf "none %d %d %.3f %.3f %s\n", none[p], yet[p],
		    until[p] / 1000, mine[p] / 1000, p
	printf "%d %d\n", unended + open, unbegun
	for (p in calls)
		printf "%d %.3f %.3f %.3f %s\n", calls[p], total[p] / 1000,
		    self[p] / 1000, max[p] / 1000, p
}
E
# The trace is as the oracle says; $T/want and $T/got have all pairs.
check() {
	[ "$lost" -eq 0 ] || fail "$lost lost"
	utctl view -N "$T/trace" >"$T/view.out" || fail "view"
	awk -f "$T/oracle" -v ends="$T/ends" "$T/view.out" | sort >"$T/want"
	utctl stat -N -d "$T/trace" >"$T/stat" 2>"$T/err" ||
	    fail "stat -d: $(cat "$T/err")"
	[ ! -s "$T/err" ] || fail "stat -d: $(cat "$T/err")"
	awk '/begun and not ended$/ { unended = $1 }
	/ended and not begun$/ { unbegun = $1 }
	/^ *calls / { on = 1; next }
	/^ *not ended / { on = 2; next }
	NF == 0 { on = 0 }
	on == 2 {
		k = $5 == "-" ? 6 : 7
		rest = $k
		if (NF > k)
			rest = rest " " $NF
		printf "none %d %d %.3f %.3f %s\n", $1, $2, $3, $4, rest
	}
	on == 1 { rest = $10; if (NF > 10) rest = rest " " $11
		printf "%d %.3f %.3f %.3f %s\n", $1, $2, $3, $9, rest }
	END { printf "%d %d\n", unended, unbegun }' "$T/stat" | sort >"$T/got"
	diff "$T/want" "$T/got" >"$T/diff" || fail "stat -d: $(cat "$T/diff")"
}
