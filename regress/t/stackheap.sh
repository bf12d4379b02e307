# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl heap with call stacks: the callers are those outside of functions that
# allocate for others, and their trees have the sums of the whole.

. ./common.sh
. ./shared/stacks.sh

rows() {
	utctl heap -N "$@" "$ST" >"$T/heap" || fail "heap $*"
	awk '/ caller$/ { on = 1; next } on && NF == 0 { exit } on {
		$1 = $1; print }' "$T/heap"
}

# 0xa1 has three callers; 0xe1 has two, and calls 0xa1 and the allocator.
cat >"$T/calls" <<'END'
packet 7 7
def 1 0 0 0xa1 0xb1 0xc1
malloc 1 100 0x1000
malloc 1 200 0x1100
def 2 1 0 0xa1 0xb2
malloc 2 1000 0x2000
free 2 0x2000
malloc 2 10 0x2100
def 3 0 0 0xa1 0xe1 0xc2
malloc 3 5 0x3000
def 4 1 0 0xe1
malloc 4 7 0x3100
malloc 0 3 0x4000
def 5 0 1 0xe1 0xc3
malloc 5 2000 0x5000
free 1 0x1000
free 5 0x5000
free 5 0x9990
END
stacks <"$T/calls"
rows >"$T/got"
expected callers <<'END'
200 1 200 2 300 0xb1
12 2 7 3 2012 0xe1
10 1 10 2 1010 0xb2
3 1 3 1 3 0xca
END
rows -g >"$T/got"
expected trees <<'END'
200 1 300 0 200 2 300 0xb1
200 1 300 0 0xc1
12 2 2012 0 7 3 2012 0xe1
12 2 12 0 0xc2
0 0 2000 0 0xc3
10 1 10 1 10 2 1010 0xb2
10 1 10 1 0xc1
3 1 3 0 3 1 3 0xca
END
grep -q '^  2325 bytes live at most' "$T/heap" || fail "peak: $(cat "$T/heap")"
grep -q '^  1 freed by the next call of their thread' "$T/heap" ||
    fail "temporary: $(cat "$T/heap")"

# A call that fails is the next call of the thread, too.
stacks <<'END'
packet 7 7
malloc 0 10 0x1000
malloc 0 9999999 0
free 0 0x1000
malloc 0 20 0x2000
free 0 0x2000
END
rows -g >/dev/null
grep -q '^  1 freed by the next call of their thread' "$T/heap" ||
    fail "a failed call between: $(cat "$T/heap")"
recorded -e 'libc:*' -- ./prog/calls <<'END'
1 malloc 10 0x1000 1
1 realloc 0x1000 9999999 0 1
1 free 0x1000 1
1 malloc 20 0x2000 1
1 realloc 0x2000 0 0 1
2 malloc 20 0x2000 1
1 free 0x2000 1
END
utctl heap -N -g "$T/trace" >"$T/heap" || fail "heap"
grep -q '^  1 freed by the next call of their thread' "$T/heap" ||
    fail "realloc: $(cat "$T/heap")"

# With two callers, it is one of the places that allocate.
sed 's/0xa1 0xb2/0xa1 0xb1/' "$T/calls" >"$T/two"
stacks <"$T/two"
rows >"$T/got"
expected "two callers" <<'END'
215 3 200 5 1315 0xa1
7 1 7 2 2007 0xe1
3 1 3 1 3 0xca
END

# Two hosts have two programs in the flame graphs of a report.
stacks <"$T/calls"
for host in ha hb; do
	cp -R "$ST" "$T/$host" && sed "s/env {/& hostname = \"$host\";/" \
	    "$ST/metadata" >"$T/$host/metadata" || fail "cp"
done
utctl report "$T/ha" "$T/hb" | grep -o '"heap_flames":.*' |
    grep -o '"h[ab]:"' | sort | uniq -c | awk '{ print $1, $2 }' >"$T/got"
expected "hosts" <<'END'
2 "ha:"
2 "hb:"
END

# JSON has the stacks as they are, with the same sums.
need python3
stacks <"$T/calls"
utctl heap -N -g -j "$ST" >"$T/json" || fail "heap -j"
python3 - "$T/json" <<'END' || fail "heap -j"
import json, sys
p = json.load(open(sys.argv[1]))["processes"][0]
names = ["bytes", "blocks", "peak", "temporary", "calls", "allocated"]
for c in p["callers"]:
    for n in names if c["stacks"] else []:
        assert c[n] == sum(s[n] for s in c["stacks"]), (c, n)
for n in names[:4]:
    assert p[n] == sum(c[n] for c in p["callers"]), n
assert p["callers"][0]["stacks"][0]["stack"] == \
    [{"caller": a} for a in (0xa1, 0xb1, 0xc1)]
END
exit 0
