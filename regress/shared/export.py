# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# export.py TRACE all|loss OPTION...: what utctl export writes is what view and
# stat say of the same events.  Prints how many there are of each kind.
import decimal, json, os, subprocess, sys

dir, mode, options = sys.argv[1], sys.argv[2], sys.argv[3:]
select = [o for o in options]
while "-D" in select:
    i = select.index("-D")
    del select[i:i + 2]
SUFFIXES = (("_begin", "_end"), ("_entry", "_exit"), (":entry", ":exit"))

def utctl(*args):
    p = subprocess.run(("utctl",) + args + (dir,), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    assert p.returncode == 0, (args, p.returncode, p.stderr)
    return p.stdout.decode()

def number(s):
    return decimal.Decimal(s)

def ns(e):
    t = e["ts"] * 1000
    assert t == int(t), e
    return start + int(t)

view = [json.loads(l) for l in utctl("view", "-j", *select).splitlines()]
losses = [v for v in view if "ns" not in v]
# Until when events were lost, of those that had been told of.
lossy = -1
for v in view:
    v["lossy"] = lossy = max(lossy, int(v.get("to", -1)),
        int(v.get("before", -1)))
view = [v for v in view if "ns" in v]
names = {v["event"] for v in view}
chrome = json.loads(utctl("export", *options), parse_float=number)
assert chrome["displayTimeUnit"] == "ns"
other = chrome["otherData"]
start = int(other["start_ns"])
events = chrome["traceEvents"]
by = {}
for e in events:
    by.setdefault(e["ph"], []).append(e)
times = [ns(e) for e in events if e["ph"] != "M"]
assert times == sorted(times), "not in the order of time"
assert losses or start in [int(v["ns"]) for v in view]

# Names, each before the first event.
seen = set()
for e in events:
    if e["ph"] == "M":
        seen.add((e["name"], e["pid"], e["tid"], e["args"]["name"]))
    elif e.get("s") != "g":
        assert any(s[0] == "process_name" and s[1] == e["pid"] for s in seen)
        assert any(s[0] == "thread_name" and s[1:3] == (e["pid"], e["tid"])
            for s in seen)
want = {("process_name", v["vpid"], v["vpid"], v["procname"]) for v in view}
want |= {("thread_name", v["vpid"], v["vtid"], v.get("thread") or
    v["procname"]) for v in view}
assert seen <= want and (options or losses or seen == want), seen ^ want

# What each event is by its name alone.
def pair_of(name):
    for b, e in SUFFIXES:
        if name.endswith(b) and name[:-len(b)] + e in names:
            return name[:-len(b)], 0
        if name.endswith(e) and name[:-len(e)] + b in names:
            return name[:-len(e)], 1
    return None, 0

keyed = [options[i + 1].split(",") for i, o in enumerate(options) if o == "-D"]
keyed = {n: k[:2] for k in keyed for n in k[:2]}
instants, begins = [], []
for v in view:
    p, ends = pair_of(v["event"])
    args = {k: v[k] for k in ("fields", "context", "event_context") if k in v}
    what = (int(v["ns"]), v["vpid"], v["vtid"])
    if v["event"] in keyed:
        assert v["lossy"] == -1
        if v["event"] == keyed[v["event"]][0]:
            begins.append(what + (",".join(keyed[v["event"]]), args))
    elif p is None:
        instants.append(what + (v["event"], args))
    elif not ends and int(v["ns"]) <= v["lossy"]:
        # What ends it may be among what was lost.
        instants.append(what + (v["event"], args))
    elif not ends:
        f = v["fields"]
        name = p
        if p in ("func", "call"):
            name = f.get("addr_sym", "0x%x" % f["addr"])
        begins.append(what + (name, args))
def told(list):
    return [(ns(e), e["pid"], e["tid"], e["name"], e["args"]) for e in list]
def same(a, b, what):
    a, b = (sorted(json.dumps(x) for x in l) for l in (a, b))
    assert a == b, (what, len(a), len(b), sorted(set(a) ^ set(b))[:4])
same(told(e for e in by.get("i", ()) if e["s"] == "t"), instants, "instants")
same(told(e for e in events if e["ph"] in "Bb"), begins, "begins")

# Bars nest; those that ended have times, and stacks.
stacks, calls, total, folded = {}, {}, {}, {}
bars = []
for e in events:
    stack = stacks.setdefault((e["pid"], e["tid"]), [])
    if e["ph"] == "B":
        stack.append([e, 0])
    elif e["ph"] == "E":
        b, inner = stack.pop()
        # speedscope ends nothing at an E of another name, or of none.
        assert e["name"] == b["name"], (b, e)
        bars.append((ns(b), ns(e)))
        if "args" not in e:
            continue
        assert set(e["args"]) == {"end"}
        took = ns(e) - ns(b)
        if stack:
            stack[-1][1] += took
        n = b.get("cat", b["name"]), b["name"]
        calls[n] = calls.get(n, 0) + 1
        prog = [s[3] for s in seen if s[:2] == ("process_name", e["pid"])][0]
        path = ";".join(s.replace(" ", "_").replace(";", ":") for s in
            [prog] + [s[0]["name"] for s in stack] + [b["name"]])
        folded[path] = folded.get(path, 0) + took - inner
opened, done = {}, set()
for e in events:
    if e["ph"] == "b":
        assert e["id"] not in done and e["id"] not in opened
        opened[e["id"]] = e
    elif e["ph"] == "e":
        b = opened.pop(e["id"])
        done.add(e["id"])
        assert (b["cat"], b["name"], b["pid"]) == (e["cat"], e["name"],
            e["pid"])
        n = b["cat"], b["name"]
        if "args" in e:
            calls[n] = calls.get(n, 0) + 1

assert other["discarded"] == sum(e["args"]["count"] for e in by.get("i", ())
    if e["name"] == "events discarded")
lines = utctl("export", "-F", "folded", *options).splitlines()
got = {l.rsplit(" ", 1)[0]: int(l.rsplit(" ", 1)[1]) for l in lines}
assert len(got) == len(lines)
stat = json.loads(utctl("stat", "-d", "-j", *options))
assert other["discarded"] == stat["discarded"]
selfs = {}
for path, t in got.items():
    n = path.rsplit(";", 1)[1]
    selfs[n] = selfs.get(n, 0) + t
keynames = {",".join(k) for k in keyed.values()}
for p in stat["pairs"]:
    n = p["by"]["pair"]
    short = n.split(" ", 1)[-1].replace(" ", "_")
    if n not in keynames:
        assert selfs.pop(short, 0) == int(p["self_ns"]), (n, p)
    if mode == "all":
        n = (n.split(" ", 1) * 2)[:2]
        assert calls.pop(tuple(n)) == p["calls"], (n, p)
assert not selfs, selfs
if mode == "all":
    assert not calls, calls
    assert {k: v for k, v in folded.items() if v} == got
else:
    # No bar is open while events are lost.
    lost = [(ns(e), start + int(e["args"]["until"] * 1000))
        for e in by["i"] if e["s"] == "g"]
    assert lost
    assert not any(b <= y and e > x for b, e in bars for x, y in lost)
    # What is open when a loss begins is cut there, as the events say; what
    # begins meanwhile is no bar.
    func = {(v["fields"]["addr"], v["event"]): v for v in view
        if v["event"].startswith("func:")}
    b = int(func[0x1000, "func:entry"]["ns"])
    assert [x for x in bars if x[0] == b] == \
        [(b, min(x for x, y in lost if x > b))], "bar"
    b = int(func[0x1010, "func:entry"]["ns"])
    within = any(x <= b <= y for x, y in lost)
    assert within == (not [x for x in bars if x[0] == b]), "bar within"
print(len(view), len(by.get("B", ())), len(by.get("E", ())),
    len(by.get("b", ())), len(by.get("e", ())), len(got))
