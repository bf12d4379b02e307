# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Samples of allocations: the estimates of heap against what the program knows
# of itself, the sums of the samples, and the calls one by one.

. ./common.sh
not_sanitized

need python3

# heap_of wrapper mode: $T/json, and what the program printed.
heap_of() {
	rm -rf "$T/trace"
	utctl record -g -w "$1" -o "$T/trace" ./prog/sampled "$2" \
	    >"$T/own" 2>"$T/err" || fail "$1: $(cat "$T/err")"
	grep -q ' 0 lost' "$T/err" || fail "$1: $(cat "$T/err")"
	utctl heap -a -j "$T/trace" >"$T/json" || fail "heap of $1"
}

# With a sample for each byte, all blocks are samples.
heap_of malloc exact
mv "$T/json" "$T/calls"
heap_of malloc=1 exact
python3 - "$T/calls" "$T/json" <<'END' || fail "malloc=1"
import json, sys
a, b = (json.load(open(f))["processes"][0] for f in sys.argv[1:])
for n in "bytes", "blocks", "allocated", "allocations", "frees":
    assert a[n] == b[n], (n, a[n], b[n])
assert a["unknown"] == b["unknown"] == b["twice"] == b["unseen"] == 0, b
assert "every" not in a and b["every"] == 1 and b["bytes_error"] == 0, b
place = lambda c: (c.get("caller_sym"), c["bytes"], c["blocks"])
assert sorted(map(place, (c for c in a["callers"] if c["bytes"]))) == \
    sorted(map(place, (c for c in b["callers"] if c["bytes"]))), b["callers"]
END

# estimated PROCESSES: the sums are what the processes say of themselves.  The
# true sum is beyond 6 standard errors once in 500 million cases.
estimated() {
	python3 - "$T/json" "$T/own" "$1" <<'END'
import json, sys
own = {}
for line in open(sys.argv[2]):
    pid, *v = map(int, line.split())
    was = own.get(pid, [0, 0, 0])
    own[pid] = [x + y for x, y in zip(was, v)]
heaps = {p["vpid"]: p for p in json.load(open(sys.argv[1]))["processes"]}
assert len(own) == int(sys.argv[3]) and set(own) == set(heaps), \
    (own, heaps.keys())
for pid, (bytes, blocks, allocated) in own.items():
    p = heaps[pid]
    assert p["every"] == 16384, p
    for n, true in ("bytes", bytes), ("blocks", blocks), \
            ("allocated", allocated):
        margin, got = p[n + "_error"], p[n]
        print(pid, n, true, got, margin)
        assert abs(got - true) <= margin * 6 / 1.96, (n, true, got, margin)
        assert 0 < margin < true / 5, (n, true, got, margin)
END
}
heap_of malloc=16k fails
estimated 1 || fail "malloc=16k: $(cat "$T/own")"
heap_of malloc=16k many
estimated 2 || fail "malloc=16k: $(cat "$T/own")"

# Each figure is the sum of its samples.
utctl view -N -e libc:malloc_sample "$T/trace" >"$T/view" \
    2>/dev/null || fail "view"
python3 - "$T/json" "$T/view" <<'END' || fail "sums"
import json, math, re, sys
sums, n = {}, 0
for line in open(sys.argv[2]):
    m = re.search(r"\[(\d+):.*size = (\d+).*every = (\d+)", line)
    pid, size, every = map(int, m.groups())
    sums[pid] = sums.get(pid, 0) + size / (1 - math.exp(-size / every))
    n += 1
assert n > 1000
for p in json.load(open(sys.argv[1]))["processes"]:
    assert abs(p["allocated"] - sums[p["vpid"]]) <= n, (p, sums)
END

# The free of each sample is recorded, and no other.
heap_of malloc=16k none
python3 - "$T/json" "$T/own" <<'END' || fail "none: $(cat "$T/own")"
import json, sys
for p in json.load(open(sys.argv[1]))["processes"]:
    assert p["frees"] > 100000 and p["unknown"] == 0, p
    assert p["bytes"] < 300000 and p["twice"] == p["unseen"] == 0, p
    assert (p["blocks"] == 0) == (p["bytes_error"] == 0), p
END

# Calls before main, of a library's constructor, are kept until it is known
# whether there are samples.
cat >"$T/early.c" <<'END'
#include <stdlib.h>
void	*reallocarray(void *, size_t, size_t);
static void *volatile sink;
static volatile size_t none;
int early(void);

static void __attribute__((constructor))
begin(void)
{
	int i;

	for (i = 0; i < 10; i++) {
		sink = malloc(1 << 20);
		sink = reallocarray(sink, none, 8);
	}
}

int
early(void)
{
	return 0;
}
END
echo 'int early(void); int main(void) { return early(); }' >"$T/main.c"
if $CC $CFLAGS -fPIC -shared -o "$T/libearly.so" "$T/early.c" &&
    $CC $CFLAGS -o "$T/early" "$T/main.c" "$T/libearly.so" \
    -Wl,-rpath,"$T"; then
	utctl record -w malloc=1 -o "$T/before" "$T/early" 2>"$T/err" &&
	    utctl heap -a -j "$T/before" >"$T/json" || fail "$(cat "$T/err")"
	python3 - "$T/json" <<'END' || fail "before main"
import json, sys
p = json.load(open(sys.argv[1]))["processes"][0]
assert p["allocated"] >= 10 << 20 and p["bytes"] < 1 << 20, p
END
fi

for n in 0 x 1x 2g 2000m -1; do
	utctl record -w "malloc=$n" true 2>"$T/err" && fail "malloc=$n"
	grep -q "wrapper 'malloc=$n': not a number from 1 to" "$T/err" ||
	    fail "malloc=$n: $(cat "$T/err")"
done
for n in 0 x -1 99999999999 1k; do
	UT_MALLOC_BYTES=$n utctl record -w malloc -o "$T/trace.$n" \
	    ./prog/sampled exact 2>"$T/err" || fail "UT_MALLOC_BYTES=$n"
	utctl heap -j "$T/trace.$n" | grep -q '"every"' &&
	    fail "UT_MALLOC_BYTES=$n: samples"
done

# Children that do the same have samples of their own: of a block, some six in a
# hundred, and not all or none of them.
recorded -w malloc=16k -- ./prog/sampled forks
utctl view -e libc:malloc_sample "$T/trace" | sed -n \
    's/.*{ size = 1000, ptr = \([^,]*\), .*/\1/p' | sort | uniq -c |
    awk '{ n += $1; if ($1 > most) most = $1 }
    END { print n, most; exit n < 800 || n > 1700 || most > 60 }' ||
    fail "children have the same samples"
exit 0
