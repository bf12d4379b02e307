# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# export.py TRACE all|loss OPTION...: what utctl export writes is what view and
# stat say of the same events, in each format.  Prints how many there are of
# each kind.
import json, re, subprocess, sys
import timeline

dir, mode, options = sys.argv[1], sys.argv[2], sys.argv[3:]
select = [o for o in options]
for o in "-D", "-v":
    while o in select:
        i = select.index(o)
        del select[i:i + 2]
SUFFIXES = (("_begin", "_end"), ("_entry", "_exit"), (":entry", ":exit"))
WAITS = ("mutex", "rdlock", "wrlock")


def utctl(*args):
    p = subprocess.run(("utctl",) + args + (dir,), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    assert p.returncode == 0, (args, p.returncode, p.stderr)
    return p.stdout


def lines(*args):
    return utctl(*args).decode().splitlines()


def same(a, b, what):
    a, b = (sorted(json.dumps(x) for x in l) for l in (a, b))
    assert a == b, (what, len(a), len(b), sorted(set(a) ^ set(b))[:4])


view = [json.loads(l) for l in lines("view", "-j", *select)]
losses = [v for v in view if "ns" not in v]
# Until when events were lost, of those that had been told of.
lossy = -1
for v in view:
    v["lossy"] = lossy = max(lossy, int(v.get("to", -1)),
        int(v.get("before", -1)))
view = [v for v in view if "ns" in v]
names = {v["event"] for v in view}
t = timeline.chrome(utctl("export", *options))
timeline.agree(t, timeline.perfetto(utctl("export", "-F", "perfetto",
    *options)))
assert losses or int(t.other["start_ns"]) == min(int(v["ns"]) for v in view)

want = {}
for v in view:
    for k, n in ((None, v["procname"]), (v["vtid"], v.get("thread") or
            v["procname"])):
        had = want.setdefault((v["vpid"], k), [])
        if had[-1:] != [n]:
            had.append(n)
assert t.names == want or options or losses, (t.names, want)
assert all(k in want and set(n) <= set(want[k]) for k, n in t.names.items())


# What each event is by its name alone: the pair, and does the event end it?
def pair_of(name):
    for w in WAITS:
        for e in "_acquired", "_failed":
            if name in ("pthread:%s_request" % w, "pthread:%s%s" % (w, e)) \
                    and {"pthread:%s_request" % w} <= names:
                return w, not name.endswith("_request")
    for b, e in SUFFIXES:
        if name.endswith(b) and name[:-len(b)] + e in names:
            return name[:-len(b)], False
        if name.endswith(e) and name[:-len(e)] + b in names:
            return name[:-len(e)], True
    return None, False


def alone(sym, prog):
    name, file = (sym.rsplit(" (", 1) + [""])[:2]
    return name + " (" + file if file and file != prog + ")" else name


# Locks that are variables.
locks = {}
for l in json.loads(utctl("locks", "-a", "-j", *select)).get("processes", []):
    for l in l["locks"]:
        if "lock_sym" in l:
            locks[l["lock"]] = l["lock_sym"]


# The members of an event: names instead of addresses, without the place in the
# function and the file, if that is the program.
def args_of(v, isfunc):
    args = {"$" + k: v[k] for k in ("context", "event_context") if k in v}
    for k, x in v["fields"].items():
        sym = v["fields"].get(k + "_sym")
        if k[-4:] == "_sym" or k[-6:] == "_lines" or \
                isfunc and k in ("addr", "call_site"):
            continue
        if k == "lock" and x in locks:
            x = alone(locks[x], v["procname"])
        if sym is not None:
            x = alone(re.sub(r"\+0x[0-9a-f]+ \(", " (", sym), v["procname"])
        args[k] = x
    return args


keyed = [options[i + 1].split(",") for i, o in enumerate(options) if o == "-D"]
keyed = {n: k for k in keyed for n in k[:2]}
instants, begins = [], []
for v in view:
    p, ends = pair_of(v["event"])
    isfunc = p in ("func", "call")
    what = int(v["ns"]), v["vpid"], v["vtid"]
    if v["event"] in keyed:
        assert v["lossy"] == -1
        if v["event"] == keyed[v["event"]][0]:
            begins.append(what + (",".join(keyed[v["event"]]),
                args_of(v, 0)))
    elif p is None or not ends and int(v["ns"]) <= v["lossy"]:
        # What ends it may be among what was lost.
        instants.append(what + (v["event"], args_of(v, False)))
    elif not ends:
        f = v["fields"]
        name = f.get("addr_sym", "0x%x" % f["addr"]) if isfunc else p
        begins.append(what + (name, args_of(v, isfunc)))
same(t.instants, instants, "instants")
same([(b[0],) + b[2:6] for b in t.bars + t.keyed], begins, "begins")

# Bars that ended have times, and stacks; of equal ones the inner is first.
calls, folded, around = {}, {}, {}
for b in sorted(t.bars[::-1], key=lambda b: (b[0], -(b[1] or 1 << 63))):
    if b[4] in WAITS:
        continue
    stack = around.setdefault(b[2:4], [])
    while stack and (stack[-1][0][1] or 1 << 63) <= b[0] and \
            not (b[1] == b[0] == stack[-1][0][0]):
        stack.pop()
    prog = t.names[b[2], None][0]
    path = ";".join(s.replace(" ", "_").replace(";", ":") for s in
        [prog] + [s[0][4] for s in stack] + [b[4]])
    if b[1] is not None and b[6] is not True:
        folded[path] = folded.get(path, 0) + b[1] - b[0]
        ended = [s for s in stack[-1:] if s[0][1] and s[0][6] is not True]
        for s in ended:
            folded[s[1]] -= b[1] - b[0]
    stack.append((b, path))
for b in t.bars + t.keyed:
    if b[1] is not None and b[6] is not True:
        n = calls.setdefault(b[4], [0, 0])
        n[0] += 1
        n[1] += b[1] - b[0]

stat = json.loads(utctl("stat", "-d", "-j", *(o for o in options)))
assert t.other["discarded"] == stat["discarded"] == sum(l[3] for l in t.losses
    if l[2] == "events discarded")
got = {l.rsplit(" ", 1)[0]: int(l.rsplit(" ", 1)[1])
    for l in lines("export", "-F", "folded", *options)}
selfs = {}
for path, ns in got.items():
    n = path.rsplit(";", 1)[1]
    selfs[n] = selfs.get(n, 0) + ns
keynames = {",".join(k) for k in keyed.values()}
for p in stat["pairs"]:
    n = p["by"]["pair"]
    short = n.split(" ", 1)[-1]
    if n not in keynames:
        assert selfs.pop(short.replace(" ", "_"), 0) == int(p["self_ns"]), \
            (n, p)
    n, total = calls.pop(short)
    assert n == p["calls"] and \
        abs(total - p["mean"] * n) <= total * 1e-9, (n, total, p)
assert not selfs, selfs
assert not set(calls) - set(WAITS), calls
if mode == "all":
    folded = {k: v for k, v in folded.items() if v}
    assert folded == got, [(k, folded.get(k), got.get(k)) for k in
        sorted(set(folded) | set(got)) if folded.get(k) != got.get(k)][:9]
else:
    # No bar is open while events are lost.
    assert t.losses
    bars = [b[:2] for b in t.bars if b[1]]
    lost = [l[:2] for l in t.losses]
    assert not any(b <= y and e > x for b, e in bars for x, y in lost)
    # What is open when a loss begins is cut there, as the events say; what
    # begins meanwhile is no bar.
    func = {(v["fields"]["addr"], v["event"]): v for v in view
        if v["event"].startswith("func:")}
    b = int(func[0x1000, "func:entry"]["ns"])
    assert [x for x in t.bars if x[0] == b and x[6] is True] and \
        [x for x in bars if x[0] == b] == \
        [(b, min(x for x, y in lost if x > b))], "bar"
    b = int(func[0x1010, "func:entry"]["ns"])
    within = any(x <= b <= y for x, y in lost)
    assert within == (not [x for x in bars if x[0] == b]), "bar within"
kinds = [b for b in t.bars if b[1] is not None]
print(len(view), len(t.bars), len(kinds), len(t.keyed),
    len([b for b in t.keyed if b[1] is not None]), len(got))
