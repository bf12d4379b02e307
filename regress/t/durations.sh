# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl stat -d and -D: what awk computes from the text of view.

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

# calls NAME: the trace of what prog/named reads from that file.
calls() {
	recorded -m block -e 'func:*' -- sh -c './prog/named <"$1"' sh "$T/$1"
}

# At random, many are open, and some ends have no beginning; then many come and
# go.
awk 'function next_of(n) { x = x * 16807 % 2147483647; return x % n }
BEGIN {
	x = 1
	for (i = 0; i < 3000; i++)
		print next_of(4) ? "entry" : "exit", 1 + next_of(400), 1
	for (i = 1000; i < 2000; i++)
		printf "entry %d 1\nexit %d 1\nexit %d 1\n", i, i, i
}' >"$T/random"
calls random
check
awk 'NF == 2 { exit $1 < 100 || $2 < 1000 }' "$T/got" ||
    fail "not at random: $(cat "$T/stat")"

# Functions that call themselves and are left by longjmp(3) or exit(3): the outer
# calls are not counted, and the total of the inner ones is not less than their
# self time.
awk 'function next_of(n) { x = x * 16807 % 2147483647; return int(x / 127) % n }
BEGIN {
	x = 2
	for (i = 0; i < 2000; i++)
		print next_of(20) < 12 ? "entry" : "exit", 1 + next_of(4), 1
	print "entry 6 1\nentry 6 1\nentry 7 1\nentry 6 1\nexit 6 1"
	print "entry 6 1\nexit 6 1"
}' >"$T/recursive"
calls recursive
check
awk '$1 != "none" && NF > 2 && $2 < $3 { exit 1 }' "$T/got" ||
    fail "total less than self: $(cat "$T/stat")"

recorded -- ./prog/pairs
check
[ "$(grep -vc '^none' "$T/got")" -eq 5 ] || fail "not 4 pairs: $(cat "$T/stat")"
[ "$(grep -c '^none' "$T/got")" -eq 2 ] || fail "not ended: $(cat "$T/stat")"
# The slowest of all is the greatest, and the table is sorted by total.
max=$(awk '$1 != "none" && NF > 2 && $4 > m { m = $4 }
    END { print m }' "$T/got")
awk 'on { print $1, $2 } /^ *us  *self us  began / { on = 1 }' "$T/stat" \
    >"$T/slowest"
[ "$(sed -n '1s/ .*//p' "$T/slowest")" = "$max" ] ||
    fail "the slowest: $(cat "$T/stat")"
[ "$(wc -l <"$T/slowest")" -eq 10 ] || fail "not 10: $(cat "$T/stat")"
for n in 1 17; do
	utctl stat -d -S $n "$T/trace" >"$T/out" || fail "-S $n: status $?"
	sed -n '/began  *pairs\[/,$p' "$T/out" >"$T/most"
	[ "$(wc -l <"$T/most")" -eq $((n + 1)) ] || fail "-S $n: $(cat "$T/out")"
	sed -n '/began  *pairs\[/,$p' "$T/stat" | head -n $((n + 1)) |
	    cmp -s - "$T/most" || [ $n -gt 10 ] || fail "-S $n: $(cat "$T/most")"
done
grep -v -x -F -f "$T/ends" "$T/slowest" >"$T/others" &&
    fail "no pair has these: $(cat "$T/others")"
awk '/^ *calls / { on = 1; next } on && NF == 0 { exit }
on { if (n++ && $2 > last) bad = 1; last = $2 }
END { exit bad }' "$T/stat" || fail "not sorted: $(cat "$T/stat")"
narrow "$T/stat" calls 9

# By what -g says, of the beginning; selection comes first.
count() {
	"$@" 2>/dev/null | awk '/^ *calls / { on = 1; next }
	    on && NF == 0 { on = 0 }
	    on { n += $1; rows++ } END { print rows + 0, n + 0 }'
}
is() {
	want=$1
	shift
	got=$(count utctl stat "$@" "$T/trace")
	[ "$got" = "$want" ] || fail "stat $*: $got, not $want"
}
all=$(awk '$1 != "none" && NF > 2 { n += $1 } END { print n }' "$T/got")
is "3 94" -d -e 'work:outer*' -g kind
is "3 94" -d -e 'work:outer*' -g thread
is "1 94" -d -e 'work:outer*' -g program
is "2 100" -d -e 'call:*'
is "4 $all" -d
# Requests, from thread to thread, by a number or a text.
is "1 4" -D req:start,req:done,id
is "1 4" -D req:start,req:done,key
is "1 4" -D req:start,req:done,key -D req:done,req:start,id
is "0 0" -D req:start,req:done
is "0 0" -D req:start,req:done,none
is "1 47" -D work:outer_begin,work:alone_begin
is "5 $((all + 4))" -d -D req:start,req:done,id

# A filter selects pairs, by a field of the beginning or of the end alone.
rest() {
	utctl stat "$@" "$T/trace" >"$T/out" 2>"$T/err" || fail "$*: status $?"
	sed -n '/^ *calls /q;/^ *not ended /q;2,$s/^\([0-9]*\) /\1 /p' "$T/out"
}
rest_is() {
	want=$1
	shift
	got=$(rest "$@" | tr '\n' ' ')
	[ "$got" = "$want" ] || fail "stat $*: $got, not $want"
}
outer='work:outer*'
is "1 47" -d -e "$outer" -f 'kind == "nested"'
rest_is "" -d -e "$outer" -f 'kind == "nested"'
is "1 47" -d -e "$outer" -f 'kind == "a" || kind == "b"'
rest_is "" -d -e "$outer" -f 'kind == "a" || kind == "b"'
awk '/^ *calls / { getline; exit $2 <= 0 || $2 != $3 }' "$T/out" ||
    fail "what is nested and refused counts: $(cat "$T/out")"
is "0 0" -d -e "$outer" -f 'n < 0'
rest_is "1 begun and not ended " -d -e "$outer" -f 'n < 0'
is "1 2" -d -e "$outer" -f 'n == 19 && kind == "nested"'
again=work:outer_end,work:outer_begin
is "1 44" -D $again -f 'kind == "nested"'
rest_is "3 ended and not begun " -D $again -f 'kind == "nested"'
is "1 1" -D req:start,req:done,id -f 'key == "c"'
rest_is "" -D req:start,req:done,id -f 'key == "c"'
rest_is "1 begun and not ended " -D req:start,req:done,id -f 'key == "lost"'
is "0 0" -D req:start,work:outer_end -f 'nothing == 1'
utctl stat -d -f 'kind == "nested"' -n 10 "$T/trace" >"$T/out" ||
    fail "-n: status $?"
grep -q '^10 events, ' "$T/out" || fail "-n counts others: $(cat "$T/out")"

# JSON, read by another program.
if command -v python3 >/dev/null 2>&1; then
	utctl stat -d -j "$T/trace" | python3 -c '
import json, sys
j = json.load(sys.stdin)
print(j["unended"], j["unbegun"])
for p in j["not_ended"]:
    print("none %d %d %.3f %.3f %s" % (p["calls"], p["open"],
        int(p["total_ns"]) / 1000, int(p["self_ns"]) / 1000,
        p["by"]["pair"]))
    assert ("began" in p) == (p["open"] > 0)
for p in j["pairs"]:
    print("%d %.3f %.3f %.3f %s" % (p["calls"], int(p["total_ns"]) / 1000,
        int(p["self_ns"]) / 1000, p["max"] / 1000, p["by"]["pair"]))
assert len(j["slowest"]) == 10
for s in j["slowest"]:
    print("%.3f %.3f" % (int(s["ns"]) / 1000, int(s["self_ns"]) / 1000),
        file=open(sys.argv[1], "a"))
assert all(a["ns"] and int(a["ns"]) >= int(b["ns"]) and b["vpid"] > 0
    for a, b in zip(j["slowest"], j["slowest"][1:]))
' "$T/slowest.json" | sort >"$T/got" || fail "JSON"
	diff "$T/want" "$T/got" >"$T/diff" || fail "-j: $(cat "$T/diff")"
	cmp "$T/slowest" "$T/slowest.json" || fail "-j: the slowest"
fi

# What ended in functions that were left by longjmp(3) is not the self time of
# the one that stays: 2 leaves 3 and 5; 4 ended in 3, and 6 in 5.
mv "$T/trace" "$T/trace.pairs"
printf '%s\n' 'entry 2 1' 'entry 3 1' 'entry 4 1' 'exit 4 1' \
    'entry 5 1' 'entry 6 1' 'exit 6 1' 'exit 2 1' >"$T/left"
calls left
utctl stat -N -d "$T/trace" >"$T/out" || fail "left: stat"
utctl export -N -F folded "$T/trace" >"$T/folded" || fail "left: export"
awk 'NR == FNR { sum += $NF; next }
/^ *calls / { on = 1; next }
NF == 0 { on = 0 }
on { total[$NF] = $2 * 1000; self[$NF] = $3 * 1000 }
function far(a, b) { return a - b > 0.5 || b - a > 0.5 }
END {
	all = total["0x2"]
	exit all <= 0 || self["0x4"] <= 0 || self["0x6"] <= 0 ||
	    far(self["0x2"] + self["0x4"] + self["0x6"], all) ||
	    far(sum, all)
}' "$T/folded" "$T/out" || fail "left: $(cat "$T/folded" "$T/out")"

rm -rf "$T/trace"
mv "$T/trace.pairs" "$T/trace"

# What cannot be.
complains "pair 'a:b': not an event, an event" utctl stat -D a:b "$T/trace"
complains "pair 'a:b,': not an event" utctl stat -D a:b, "$T/trace"
complains "pair 'a:b,c:d,': not an event" utctl stat -D a:b,c:d, "$T/trace"
complains "pair 'a:b,c:d,e,f': not" utctl stat -D a:b,c:d,e,f "$T/trace"
complains "pair 'a:b,a:b': an event cannot be its own end" \
    utctl stat -D a:b,a:b "$T/trace"
complains '-v and -d: the values' utctl stat -d -v n "$T/trace"
utctl stat -S 3 "$T/trace" >"$T/out" && utctl stat -d -S 3 "$T/trace" |
    cmp - "$T/out" || fail "-S without -d"
for n in 0 1001 -1 x '' 1k; do
	complains "^utctl: -S $n: not a number from 1 to 1000$" \
	    utctl stat -d -S "$n" "$T/trace"
done
expect 0 'no pairs of events: see -D in utctl-stat(1)$' utctl stat -d -e 'req:*' "$T/trace"
expect 0 "-D 'start': no event of the trace has such a name" \
    utctl stat -D start,req:done,id "$T/trace"
expect 0 '-D req:done: the event has no field none' \
    utctl stat -D req:start,req:done,none "$T/trace"
