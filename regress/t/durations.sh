# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl stat -d says of pairs what awk computes from the text of view, also as
# JSON, and however functions are left; the slowest are shown.

. ./shared/durations.sh

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
