# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# From the JSON of view: when each thread waited for a lock, and had it.  Who
# kept whom from it is found afterwards, by comparing all with all.
import collections, json, sys

class Span:
    def __init__(s, **k):
        s.__dict__.update(k)
        s.end = s.stop = s.counts = None
    def over(s, counts=True):
        global lost
        s.end, s.stop, s.lossy = now, at, lossy
        s.counts = counts and s.start > lossy
        lost += s.start <= lossy

waits, holds, conds = [], [], collections.defaultdict(list)
waiting, having, sleeping = {}, collections.defaultdict(list), {}
acquired, failed = collections.Counter(), collections.Counter()
unheld = unseen = unended = lost = lossy = 0
free, taken = {}, {}

def exclude(a, b):
    return a.mode != "rd" or b.mode != "rd"

def have(mode, depth=1):
    global unseen
    h = Span(lock=lock, tid=tid, mode=mode, start=now, first=at, caller=caller)
    h.depth = depth
    h.left = None
    # The thread may have acquired it before, among what was lost.
    h.once = not lossy or free.get(lock, 0) > lossy or \
        taken.get(lock, (-1, tid))[0] > lossy and taken[lock][1] != tid
    if mode != "rd":
        taken[lock] = now, tid
    for o in having[lock][:]:
        if exclude(o, h) or o.tid == tid:
            o.over(o.left is not None)
            having[lock].remove(o)
            if o.left:
                o.end, o.stop = o.left
            else:
                unseen += o.start > lossy
    having[lock].append(h)
    holds.append(h)

def mine(sure=False):
    return [h for h in having[lock] if h.tid == tid and
        (not sure or h.start > lossy)]

def answered():
    w = waiting.pop(tid, None)
    if w and w.lock == lock:
        w.over()

# What the thread's next event says has failed has released nothing.
everything = [json.loads(line) for line in open(sys.argv[1])]
latest, void = {}, set()
for at, e in enumerate(everything):
    if e.get("event", "").startswith("pthread:"):
        if e["event"].endswith("_kept"):
            void |= {at, latest.get(e["vtid"])}
        latest[e["vtid"]] = at

for at, e in enumerate(everything):
    if "to" in e:
        lossy = max(lossy, int(e["to"]))
    if not e.get("event", "").startswith("pthread:"):
        continue
    f, now, tid = e["fields"], int(e["ns"]), e["vtid"]
    kind, what = e["event"][8:].split("_")
    lock, caller = f.get("lock"), f["caller"]
    if kind == "cond":
        c = conds[f["cond"]]
        if what == "wait":
            h = [] if at in void else mine()
            sleeping[tid] = f["cond"], now, h[0].depth if h else 1
            c.append(["waits", 1])
            for o in h:
                # Of a recursive mutex, once; or, if another thread acquires
                # it meanwhile, altogether.
                if o.depth > 1:
                    o.left = now, at
                    continue
                o.over()
                having[lock].remove(o)
        elif what in ("woken", "failed"):
            if what == "failed" or f["result"]:
                c.append(["failed", 1])
            s = sleeping.pop(tid, (None, 0, 1))
            if s[0] == f["cond"]:
                lost += s[1] <= lossy
                if s[1] > lossy:
                    c.append(["ns", now - s[1]])
            for o in mine():
                o.left = None
            if what == "woken" and not mine(True):
                have("mutex", s[2])
        else:
            c.append([what + ("s"), 1])
        continue
    if at in void:
        continue
    mode = kind.replace("lock", "") if what != "release" else None
    if what == "request":
        if tid in waiting:
            unended += waiting[tid].start > lossy
            lost += waiting[tid].start <= lossy
            waits.remove(waiting[tid])
        w = Span(lock=lock, tid=tid, mode=mode, start=now, first=at,
            caller=caller)
        waiting[tid] = w
        waits.append(w)
    elif what == "acquired":
        answered()
        acquired["lock", lock] += 1
        acquired["caller", caller] += 1
        if mine(True):
            mine()[0].depth += 1
        else:
            have(mode)
    elif what == "failed":
        answered()
        failed["lock", lock] += 1
        failed["caller", caller] += 1
    else:
        h = mine() or (having[lock] if kind == "mutex" else [])
        if not h:
            unheld += free.get(lock, 0) > lossy or not lossy
            lost += free.get(lock, 0) <= lossy and lossy > 0
        elif h[0].depth > 1:
            h[0].depth -= mine() != []
        else:
            o = h[0]
            o.over()
            having[lock].remove(o)
            if o.once and not having[lock]:
                free[lock] = now

waits = [w for w in waits if w.counts]
by_lock = collections.defaultdict(list)
for h in holds:
    by_lock[h.lock].append(h)
for w in waits:
    others = [h for h in by_lock[w.lock] if h.tid != w.tid and
        exclude(h, w) and w.lossy < h.start and h.first < w.stop and
        (h.stop is None or h.stop > w.first)]
    w.contended = len(others) > 0
    w.kept = {}
    for h in others:
        k = h.tid, h.caller
        n = min(h.end or w.end, w.end) - max(h.start, w.start)
        w.kept[k] = max(w.kept.get(k, 0), n)

def near(a, b):
    return abs(a - b) <= 0.008 * b

def distributed(got, ns, what):
    ns = sorted(ns)
    assert got["n"] == len(ns), (what, got, len(ns))
    if ns:
        assert int(got["total_ns"]) == sum(ns), (what, got, sum(ns))
        assert got["min"] == ns[0] and got["max"] == ns[-1], what
        for q, n in ("p50", 500), ("p99", 990):
            assert near(got[q], ns[(len(ns) * n + 999) // 1000 - 1]), what

def same(got, key, name):
    w = [x for x in waits if getattr(x, name) == key]
    h = [x for x in holds if getattr(x, name) == key and x.counts]
    assert got["acquired"] == acquired[name, key], (name, key, got)
    assert got["failed"] == failed[name, key], (name, key, got)
    assert got["contended"] == sum(x.contended for x in w), (name, key, got)
    distributed(got["wait"], [x.end - x.start for x in w], (name, key))
    distributed(got["hold"], [x.end - x.start for x in h], (name, key))

j = json.load(open(sys.argv[2]))
p, = j["processes"]
assert [unheld, unseen, unended, lost] == [p[k] for k in
    ("unheld", "unseen", "unended", "left_out")], (lost, p)
assert len(p["locks"]) == len({l["lock"] for l in p["locks"]})
assert {l["lock"] for l in p["locks"]} >= set(by_lock)
for l in p["locks"]:
    same(l, l["lock"], "lock")
    assert sorted((h["vtid"], h["unsure"]) for h in l["held"]) == \
        sorted((h.tid, h.start <= lossy) for h in having[l["lock"]])
    assert {(w["vtid"], w["unsure"]) for w in l["waiting"]} == {(w.tid,
        w.start <= lossy) for w in waiting.values() if w.lock == l["lock"]}
callers = {x.caller for x in waits} | {x.caller for x in holds if x.counts}
assert {c["caller"] for c in p["callers"]} >= callers
for c in p["callers"]:
    same(c, c["caller"], "caller")
assert {c["cond"] for c in p["conditions"]} == set(conds)
for c in p["conditions"]:
    l = conds[c["cond"]]
    for k in "waits", "failed", "signals", "broadcasts":
        assert c[k] == sum(n for what, n in l if what == k), (k, c)
    distributed(c["wait"], [n for what, n in l if what == "ns"], c)
top = sorted((x.end - x.start for x in waits), reverse=True)[:10]
assert [int(w["took_ns"]) for w in j["waits"]] == top, (j["waits"], top)
top = sorted((x.end - x.start for x in holds if x.counts), reverse=True)[:10]
assert [int(h["took_ns"]) for h in j["holds"]] == top
held = 0
for n in j["waits"]:
    w, = [w for w in waits if w.tid == n["vtid"] and w.start == int(n["ns"])]
    assert n["lock"] == w.lock and n["caller"] == w.caller
    most = max(w.kept.values(), default=0)
    assert ("holder" in n) == (most > 0), (n, w.kept)
    if most > 0:
        h = n["holder"]
        assert w.kept[h["vtid"], h["caller"]] == most, (n, w.kept)
        held += 1
print(len(waits), sum(w.contended for w in waits), held)
