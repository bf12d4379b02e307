# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A flame graph of utctl report has room for so many call stacks: others count
# for those who called them, and no program goes without, however late it comes.
# All that a program allocated is there, and all that it kept.

. ./common.sh
need python3
not_sanitized

cat >"$T/paths.c" <<'END'
#include <stdlib.h>

static void *volatile kept;

static void	left(unsigned int, int), right(unsigned int, int);

static void
go(unsigned int way, int deep)
{
	if (deep == 0)
		kept = malloc(1 + way % 64);
	else if (way & 1U << deep)
		left(way, deep - 1);
	else
		right(way, deep - 1);
}

__attribute__((noinline)) static void
left(unsigned int way, int deep)
{
	go(way, deep);
	__asm__ volatile ("");
}

__attribute__((noinline)) static void
right(unsigned int way, int deep)
{
	go(way, deep);
	__asm__ volatile ("" ::: "memory");
}

int
main(int argc, char **argv)
{
	unsigned int way, n = (unsigned int)atoi(argv[argc - 1]);

	for (way = 0; way < n; way++)
		go(way << 1, 15);
	return 0;
}
END
$CC -O1 -fno-inline -o "$T/paths" "$T/paths.c" &&
    cp "$T/paths" "$T/late" || fail "paths"
utctl record -g -w malloc -o "$T/trace" -- sh -c \
    '"$0/paths" 32768; "$0/late" 3' "$T" >"$T/out" 2>&1 ||
    fail "record: $(cat "$T/out")"
utctl report "$T/trace" >"$T/page.html" 2>/dev/null || fail "report"
utctl heap -j "$T/trace" >"$T/heap" 2>/dev/null || fail "heap"
sed -n 's/.*id="data">//p' "$T/page.html" | sed 's,</script>$,,' |
    python3 -c '
import json, sys
j, heap = json.load(sys.stdin), json.load(open(sys.argv[1]))
assert len(j["heap_flames"]) == 2
for graph, member in zip(j["heap_flames"], ("allocated", "bytes")):
    assert graph["full"], "%d parts" % len(graph["nodes"])
    sums, names, want, v = {}, [], {}, graph["nodes"]
    for deep, name, own in zip(v[::3], v[1::3], v[2::3]):
        if isinstance(name, str):
            names.append(name)
        else:
            name = names[name]
        program = name if deep == 0 else program
        sums[program] = sums.get(program, 0) + own
    for p in heap["processes"]:
        want[p["procname"]] = want.get(p["procname"], 0) + p[member]
    want = {k: n for k, n in want.items() if n > 0}
    assert sums == want, (sums, want)
' "$T/heap" 2>"$T/err" || fail "graphs: $(tail -n 1 "$T/err" | cut -c 1-200)"
