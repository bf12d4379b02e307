# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# From the JSON of view: what each caller has left, and what went wrong.
import collections, json, sys

live, gone, uses = {}, set(), collections.defaultdict(lambda: [0] * 5)
now = peak = twice = unknown = failed = frees = 0

def forget(p):
    global now, twice, unknown, frees
    if p in live:
        size, who = live.pop(p)
        now -= size
        uses[who][0] -= size
        uses[who][1] -= 1
        frees += 1
        gone.add(p)
    elif p in gone:
        twice += 1
    else:
        unknown += 1
        uses[f["caller"]][4] += 1

for line in open(sys.argv[1]):
    e = json.loads(line)
    if not e.get("event", "").startswith("libc:"):
        continue
    f, name = e["fields"], e["event"][5:]
    f = {k: int(v) for k, v in f.items() if not k.endswith("_sym")}
    if name == "free":
        if f["ptr"]:
            forget(f["ptr"])
        continue
    size = f["size"] * f.get("count", 1)
    if not f["ptr"] and (size or not f.get("old")):
        failed += 1
        continue
    if f.get("old"):
        forget(f["old"])
    if f["ptr"]:
        assert f["ptr"] not in live
        live[f["ptr"]] = size, f["caller"]
        u = uses[f["caller"]]
        u[0] += size
        u[1] += 1
        u[2] += 1
        u[3] += size
        now += size
        peak = max(peak, now)
h, = json.load(open(sys.argv[2]))["processes"]
got = {c["caller"]: [c[k] for k in ("bytes", "blocks", "calls", "allocated",
    "unknown")] for c in h["callers"]}
for k in set(got) | set(uses):
    assert got.get(k, [0] * 5) == uses[k], (k, got.get(k), uses[k])
want = now, len(live), peak, twice, unknown, failed, frees, 0
names = "bytes blocks peak twice unknown failed frees unseen".split()
assert want == tuple(h[k] for k in names), (want, h)
for c in h["callers"]:
    assert c["largest"] == max([0] + [s for s, w in live.values()
        if w == c["caller"]])
print(len(live), twice, unknown, failed)
