# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Threads of several processes that have the same process and thread ID are
# several threads to pairs: what is found in traces together is what is found in
# each alone.

. ./common.sh

# calls TRACE LINE...: the trace of what prog/named reads.
calls() {
	to=$1
	shift
	printf '%s\n' "$@" >"$T/lines"
	recorded -m block -e 'func:*' -- sh -c './prog/named <"$1"' sh \
	    "$T/lines"
	mv "$T/trace" "$T/$to"
}
calls one 'entry 2 1' 'entry 3 1' 'exit 3 1' 'entry 4 1' 'exit 4 1' \
    'exit 2 1' 'entry 5 1' 'exit 6 1'

# Another host: all has the same times and IDs, and only its name tells.
cp -R "$T/one" "$T/two" || fail "cp"
find "$T/two" -name metadata | while read -r f; do
	sed 's/hostname = ".*"/hostname = "another"/' "$f" >"$T/meta" &&
	    cp "$T/meta" "$f" || exit 1
done || fail "hostname"

# calls total self of each pair, all of these as often, and what is left.
table() {
	awk -v n="$1" '/ begun and not ended$/ || / ended and not begun$/ {
		$1 *= n
		print
	}
	/^ *calls / { on = 1; next }
	NF == 0 { on = 0 }
	on { printf "%d %.3f %.3f %s\n", n * $1, n * $2, n * $3, $10 $11 }' \
	    "$2" | sort
}
utctl stat -N -d "$T/one" >"$T/stat1" || fail "stat"
[ "$(table 1 "$T/stat1" | wc -l)" -eq 5 ] || fail "stat: $(cat "$T/stat1")"
utctl stat -N -d "$T/one" "$T/two" >"$T/stat2" 2>"$T/err" || fail "stat of two"
[ ! -s "$T/err" ] || fail "stat of two: $(cat "$T/err")"
table 2 "$T/stat1" >"$T/want"
table 1 "$T/stat2" >"$T/got"
diff "$T/want" "$T/got" >"$T/diff" || fail "stat -d: $(cat "$T/diff")"

utctl export -N -F folded "$T/one" | awk '{ $NF *= 2; print }' |
    sort >"$T/want"
utctl export -N -F folded "$T/one" "$T/two" | sort >"$T/got"
[ "$(wc -l <"$T/want")" -eq 3 ] || fail "folded: $(cat "$T/want")"
diff "$T/want" "$T/got" >"$T/diff" || fail "folded: $(cat "$T/diff")"

utctl view -N -i "$T/one" | sed p >"$T/want"
utctl view -N -i "$T/one" "$T/two" >"$T/got"
diff "$T/want" "$T/got" >"$T/diff" || fail "view -i: $(cat "$T/diff")"

# On each track, each E ends the B before it that is open: the bars of both.
cat >"$T/bars.py" <<'END'
import collections, json, sys
stacks, bars, ids = collections.defaultdict(list), [], {}
for e in json.load(sys.stdin)["traceEvents"]:
    track = e["pid"], e["tid"]
    if e["ph"] == "B":
        stacks[track].append((e["name"], e["ts"]))
    elif e["ph"] == "E":
        name, ts = stacks[track].pop()
        assert name == e["name"], (name, e)
        bars.append((name, round(e["ts"] - ts, 3), len(stacks[track])))
    elif e["ph"] == "M":
        ids[e["name"], track] = e["args"]["name"]
for b in sorted(bars) * int(sys.argv[1]):
    print(*b)
for name in sorted(ids.values()):
    print("track", name.partition("[")[0])
    if sys.argv[1] == "2":
        print("track", name)
END
if command -v python3 >/dev/null 2>&1; then
	utctl export -N "$T/one" | python3 "$T/bars.py" 2 | sort >"$T/want" ||
	    fail "bars"
	utctl export -N "$T/one" "$T/two" | python3 "$T/bars.py" 1 |
	    sort >"$T/got"
	[ "$(grep -vc track "$T/want")" -eq 6 ] || fail "$(cat "$T/want")"
	diff "$T/want" "$T/got" >"$T/diff" || fail "chrome: $(cat "$T/diff")"
fi

# Two programs of one user in PID namespaces of their own, one after the other,
# known by their names.
new="unshare -p -f"
[ "$(id -u)" -eq 0 ] || new="unshare -Ur -p -f"
$new true 2>/dev/null || exit 0
cp prog/named "$T/first" && cp prog/named "$T/second" || fail "cp"
printf 'entry 2 1\n' >"$T/begin"
printf 'exit 2 1\nentry 3 1\nexit 3 1\n' >"$T/end"
recorded -e 'func:*' -- sh -c "$new '$T/first' <'$T/begin'
    $new '$T/second' <'$T/end'"
utctl stat -N -d "$T/trace" >"$T/out" || fail "namespaces: stat"
grep -qx '1 begun and not ended' "$T/out" &&
    grep -qx '1 ended and not begun' "$T/out" ||
    fail "namespaces: $(cat "$T/out")"
