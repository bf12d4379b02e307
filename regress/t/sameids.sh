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

# A copy of a trace is the same trace: each packet is read once.
cp -R "$T/one" "$T/same" || fail "cp"
utctl stat -N -d "$T/one" "$T/same" >"$T/stat2" 2>"$T/err" || fail "stat of copy"
[ ! -s "$T/err" ] || fail "stat of copy: $(cat "$T/err")"
table 1 "$T/stat1" >"$T/want"
table 1 "$T/stat2" >"$T/got"
diff "$T/want" "$T/got" >"$T/diff" || fail "copy: $(cat "$T/diff")"

# Two threads that nothing tells apart have packets that overlap.
utctl export -F ctf -N -e 'func:*' -n 6 -o "$T/copy" "$T/one" ||
    fail "export -F ctf"
unsure='1 thread, such as named\[[0-9]*:[0-9]*\]: the pairs are not certain, '
expect 0 "$unsure" utctl stat -d "$T/one" "$T/copy"
expect 0 "$unsure" utctl view -i "$T/one" "$T/copy"
expect 0 "$unsure" utctl export "$T/one" "$T/copy"
expect 0 "$unsure" utctl export -F folded "$T/one" "$T/copy"
[ "$(utctl stat -d "$T/one" "$T/copy" 2>&1 >/dev/null |
    grep -c 'not certain')" -eq 1 ] ||
    fail "not one line: $(utctl stat -d "$T/one" "$T/copy" 2>&1 >/dev/null)"
# Two copies of libut in one process have, too, but only one of them has pairs.
# A wrapper with a sanitizer in it cannot be preloaded.
case $CFLAGS in
*-fsanitize*)	wrapper= ;;
*)	wrapper=../libut/libut-malloc.so ;;
esac
if [ -f "$wrapper" ]; then
	recorded -w malloc -e '*' -- ./prog/pairs
	utctl view "$T/trace" | grep -q ' libc:' || fail "no libc: events"
	utctl stat -N -d "$T/trace" >"$T/out" 2>"$T/err" && [ ! -s "$T/err" ] ||
	    fail "two copies: $(cat "$T/err")"
fi

utctl export -N -F folded "$T/one" | awk '{ $NF *= 2; print }' |
    sort >"$T/want"
# Of several hosts, that of a program is in front of its name.
utctl export -N -F folded "$T/one" "$T/two" | awk '
{ sub(/^[^:]*:/, ""); n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n }
END { for (stack in sum) print stack, sum[stack] }' | sort >"$T/got"
[ "$(wc -l <"$T/want")" -eq 3 ] || fail "folded: $(cat "$T/want")"
diff "$T/want" "$T/got" >"$T/diff" || fail "folded: $(cat "$T/diff")"

utctl view -N -i "$T/one" | sed p >"$T/want"
utctl view -N -i -o time,who,event,fields "$T/one" "$T/two" >"$T/got"
diff "$T/want" "$T/got" >"$T/diff" || fail "view -i: $(cat "$T/diff")"

# The bars of both.
cat >"$T/bars.py" <<'END'
import json, sys
bars, ids = [], {}
for e in json.load(sys.stdin)["traceEvents"]:
    track = e["pid"], e["tid"]
    if e["ph"] == "X":
        bars.append((e["name"], e["dur"]))
    elif e["ph"] == "M":
        ids[e["name"], track] = e["args"]["name"].split(":")[-1]
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

# The program that a process executes has nothing of what was open before, also
# if it is the same program: where it lies tells.
cat >"$T/again.c" <<'END'
#include <stdlib.h>
#include <unistd.h>
#include <ut.h>

UT_EVENT(t, op_begin, UT_INFO, UT_INT(n))
UT_EVENT(t, op_end, UT_INFO, UT_INT(n))

int
main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 0;
	char next[] = { (char)('0' + n - 1), '\0' };

	UT(t, op_begin, n);
	if (n > 0)
		execl(argv[0], argv[0], next, (char *)NULL);
	UT(t, op_end, n);
	return 0;
}
END
build "$T/again" "$T/again.c"
recorded -e 't:*' -e ut:module -- "$T/again" 2
utctl view "$T/trace" >"$T/view.out" || fail "exec: view"
[ "$(grep -c ' t:op_begin ' "$T/view.out")" -eq 3 ] ||
    fail "exec: $(cat "$T/view.out")"
# A program that lies where it lay before cannot be told from itself.
if [ "$(grep "ut:module .* path = \"$T/again\"" "$T/view.out" |
    sed 's/.*base = \([^,]*\),.*/\1/' | uniq | wc -l)" -eq 3 ]; then
	utctl export -F folded "$T/trace" | sed 's/ .*//' >"$T/got"
	expected "exec: folded" <<-'END'
	again;t:op
	END
	utctl view -i -o event,fields "$T/trace" |
	    sed -n '/t:op/s/ }.*/ }/p' >"$T/got"
	expected "exec: view -i" <<-'END'
	t:op_begin { n = 2 }
	t:op_begin { n = 1 }
	t:op_begin { n = 0 }
	t:op_end { n = 0 }
	END
	utctl stat -N -d "$T/trace" >"$T/out" || fail "exec: stat"
	grep -qx '2 begun and not ended' "$T/out" || fail "exec: $(cat "$T/out")"
	if command -v python3 >/dev/null 2>&1; then
		utctl export "$T/trace" | python3 -c '
import collections, json, sys
n = collections.defaultdict(str)
for e in json.load(sys.stdin)["traceEvents"]:
    if e["ph"] in "BX":
        n[e["tid"]] += e["ph"]
print(*sorted(n.values()))
' >"$T/got"
		expected "exec: chrome" <<-'END'
		B B X
		END
	fi
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
