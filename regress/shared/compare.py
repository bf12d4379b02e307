# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# compare.py make DIR SEED SLOWER RARE OTHER [DISCARDED]: a run that is drawn at
# random, in which one pair takes SLOWER times as long, another one comes RARE
# times as often, and the event p:OTHER is there.  LOOPS: how often the others
# come.
#
# compare.py check OUT N RUN...: is OUT what stat -j -a -C says of the first N
# runs and of the others, with -d if OUT has calls?  The same is computed here
# from what view -j prints, and t's distribution by Simpson's rule.
#
# compare.py sums OUT N JSON...: the same of stat -C -g function, or heap -C, from
# what stat -g function and heap print of each run.

import json, math, os, random, re, struct, subprocess, sys

NAMES = "outer inner rare".split()

def make(dir, seed, slower, rare, other, discarded=0):
    rnd = random.Random(seed)
    run = rnd.gauss(1, 0.003)
    now, body = 1000000000, b""
    def event(i, ns):
        nonlocal now, body
        body += struct.pack("<IQ", i, now)
        now += int(ns * run)
    for i in range(int(os.environ.get("LOOPS", 1500))):
        event(0, 300)
        event(2, 2000 * rnd.lognormvariate(0, 0.03) * slower)
        event(3, 200)
        if rnd.random() < 0.1 * rare:
            event(4, 5000 * rnd.lognormvariate(0, 0.2))
            event(5, 100)
        event(1, 1000)
        if i % 50 == 0:
            event(6, 10)
    os.mkdir(dir)
    with open(dir + "/metadata", "w") as f:
        f.write(sys.stdin.read())
        for i, n in enumerate([n + e for n in NAMES
            for e in ("_begin", "_end")] + [other]):
            f.write('event { name = "p:%s"; id = %d; stream_id = 0; };\n' %
                (n, i))
    half = len(body) // 24 * 12
    middle = struct.unpack_from("<Q", body, half + 4)[0]
    with open(dir + "/c_0", "wb") as f:
        for i, part, begin, end in ((0, body[:half], 1000000000, middle),
            (1, body[half:], middle, now)):
            bits = 8 * (64 + len(part))
            f.write(struct.pack("<IIQQQQQQQ", 0xc1fc1fc1, 0, 0, begin, end,
                bits, bits, i, i * discarded) + part)

def figure(value, means, least, times=False):
    if len(means) < 6:
        return value, least, least, 0
    n = len(means)
    m = sum(means) / n
    s = math.sqrt(sum((x - m) ** 2 for x in means) / (n - 1))
    if times:
        v = sorted(means)
        m, s = median(v), (v[n - 1 - n // 4] - v[n // 4]) / 1.349
    return value, math.hypot(least, s / m), \
        math.hypot(least, s / m / math.sqrt(n)), n

def median(v):
    v = sorted(v)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2

def means(v):
    """Blocks of equal size, fewer than 32, the size a power of two."""
    each = 1
    while len(v) // each >= 32:
        each *= 2
    return [sum(v[i:i + each]) / each
        for i in range(0, len(v) - each + 1, each)]

def times(v):
    m = means([median(v[i:i + 9]) for i in range(0, len(v) - 8, 9)])
    value = median(m) if m else median(v)
    return figure(value, m, 10 / value, True)

def run(dir, pairs):
    """Each group's figures."""
    out = subprocess.run(["utctl", "view", "-j", dir], check=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    took, selves, at, open = {}, {}, {}, []
    for line in out.splitlines():
        e = json.loads(line)
        name, ns = e["event"], int(e["ns"])
        if not pairs:
            at.setdefault(name, []).append(ns)
        elif name.endswith("_begin"):
            open.append([ns, 0])
        elif name.endswith("_end"):
            began, inner = open.pop()
            if open:
                open[-1][1] += ns - began
            name = name[:-4]
            took.setdefault(name, []).append(ns - began)
            selves.setdefault(name, []).append(ns - began - inner)
            at.setdefault(name, []).append(ns)
    first = min(v[0] for v in at.values())
    span = max(v[-1] for v in at.values()) - first
    all = {}
    for name, v in at.items():
        gaps = [v[i] - v[max(i - 9, 0)] for i in range(8, len(v), 9)]
        m = means(gaps)
        s, error, n = figure(0, m, 1 / math.sqrt(len(v)))[1:]
        s /= math.sqrt(max(len(m), 1))
        all[name] = {"count": (len(v), s, 1 / math.sqrt(len(v)), n),
            "rate": (len(v) * 1e9 / span, s, error, n)}
        if pairs:
            all[name]["time"] = times(took[name])
            all[name]["self"] = times(selves[name])
    return all

def tail(t, df):
    """Student's t, by Simpson's rule over the angle whose tangent it is."""
    def area(a, b, n=4000):
        h = (b - a) / n
        return h / 3 * sum((1 if i in (0, n) else 4 if i % 2 else 2) *
            math.cos(a + i * h) ** (df - 1) for i in range(n + 1))
    return area(math.atan(t / math.sqrt(df)), math.pi / 2) / \
        area(0, math.pi / 2)

def side(figures):
    """Logarithms, mean, variances of runs, of blocks, of the figures."""
    x = sorted(math.log(f[0]) for f in figures)
    n = len(x)
    mean = sum(x) / n
    v = sum((y - mean) ** 2 for y in x) / (n - 1) if n > 1 else 0
    return (x, mean, v) + tuple(sum(f[i] ** 2 for f in figures) / n
        for i in (1, 2))

def above(x, y):
    n = min(len(x), len(y))
    return x[len(x) // 5] - y[len(y) - 1 - len(y) // 5] > \
        math.log(1 + max(0.1, 4.5 / n ** 2))

def differ(before, after):
    a, b, m, n = side(before), side(after), len(before), len(after)
    blocks = [min(f[3] for f in s) for s in (before, after)]
    if min(m, n) < 3:
        if min(blocks) == 0:
            return None
        va, vb = max(a[2:4]), max(b[2:4])
        v = va + vb
        df = v * v / (va ** 2 / (blocks[0] - 1) + vb ** 2 / (blocks[1] - 1))
        apart = False
    else:
        df = m + n - 2
        v = max(((m - 1) * a[2] + (n - 1) * b[2]) / df,
            (m * a[4] + n * b[4]) / (m + n))
        v = max(v * (1 / m + 1 / n), a[2] / m + b[2] / n)
        apart = above(a[0], b[0]) or above(b[0], a[0])
    by = b[1] - a[1]
    return {"factor": math.exp(by), "before": math.exp(a[1]),
        "after": math.exp(b[1]), "p": tail(abs(by) / math.sqrt(v), df),
        "df": df, "error": math.sqrt(v), "apart": apart,
        "same": min(m, n) >= 3 and min(a[0]) == max(a[0]) and
            min(b[0]) == max(b[0])}

def counts(want, g, before, after):
    n, rate = (differ([r[w] for r in before], [r[w] for r in after])
        for w in ("count", "rate"))
    if n is None:
        return
    if min(len(before), len(after)) >= 3:
        n["apart"] = n["same"] and abs(n["after"] - n["before"]) >= 15.99 and \
            (min(len(before), len(after)) >= 6 or n["apart"])
        rate["apart"] = False
        want[g, "count"] = n
        if not n["same"] or n["before"] != n["after"]:
            want[g, "rate"] = rate
        return
    less = n if abs(math.log(n["factor"])) < abs(math.log(rate["factor"])) \
        else rate
    less["p"] = max(n["p"], rate["p"])
    if (n["factor"] < 1) != (rate["factor"] < 1):
        less["p"] = 1
    want[g, "count" if less is n else "rate"] = less

def change(k, d, least):
    """What kind of a change it is, if it is large enough."""
    more = d["factor"] > 1
    if abs(math.log(d["factor"])) < math.log(1 + least):
        return None
    if k[1] not in ("time", "self", "total us", "self us"):
        return ("fewer", "more")[more]
    if abs(d["after"] - d["before"]) >= 50:
        return ("faster", "slower")[more]

def check(out, n, *dirs):
    o = json.load(open(out))
    pairs = any(d["of"].startswith("call") for d in o["differences"])
    runs = [run(d, pairs) for d in dirs]
    least = 0.02 if min(n, len(runs) - n) >= 3 else 2
    want = {}
    for g in {g for r in runs for g in r}:
        before = [r[g] for r in runs[:n] if g in r]
        after = [r[g] for r in runs[n:] if g in r]
        if not before or not after:
            want[g, "new"] = {"change": "gone" if before else "new"}
            continue
        for what in ("time", "self") if pairs else ():
            want[g, what] = differ([r[what] for r in before],
                [r[what] for r in after])
        if pairs and want[g, "time"] == want[g, "self"]:
            del want[g, "self"]
        counts(want, g, before, after)
    settle(o, {k: d for k, d in want.items() if d is not None}, least,
        lambda d: "new" if "factor" not in d else d["of"]
        if d["of"] in ("time", "self") else
        "rate" if d["of"].endswith("/s") else "count")

def settle(o, want, least, name):
    for k, d in want.items():
        if d.get("apart"):
            d["change"] = change(k, d, least)
    tests = sorted((k for k in want if "p" in want[k] and
        want[k].get("change") is None), key=lambda k: want[k]["p"])
    for i, k in enumerate(tests):
        if want[k]["p"] * (len(tests) - i) >= 0.001:
            break
        want[k]["change"] = change(k, want[k], least)
    for d in o["differences"]:
        w = want.pop((list(d["by"].values())[0], name(d)))
        assert d.get("change") == w.get("change"), (d, w)
        assert "before" in d and "after" in d, d
        for k in ("factor", "before", "after") if "factor" in w else ():
            assert math.isclose(d[k], w[k], rel_tol=1e-9), (k, d, w)
        for k in ("low", "high") if "low" in d else ():
            t = abs(math.log(d[k] / d["factor"])) / w["error"]
            assert math.isclose(tail(t, w["df"]), 0.001, rel_tol=1e-3), (k, d)
    assert not want, want
    print(len(o["differences"]), "as they should be")

def sum_run(file):
    """Each group's sums, and of how many parts they are."""
    j, all = json.load(open(file)), {}
    def add(name, what, value, n):
        v = all.setdefault(name, {}).setdefault(what, [0, 0])
        v[0] += value
        v[1] += n
    def name_of(f):
        name = f.get("caller_sym") or hex(int(f["caller"]))
        if "module" in f:
            name += " (%s)" % f["module"]
        return re.sub(r"\+0x[0-9a-f]+ \(", " (", name)
    for f in j.get("functions", ()):
        name = name_of(f)
        for what in "total", "self":
            if "self_ns" in f:
                add(name, what + " us", int(f[what + "_ns"]), f[what])
            else:
                add(name, what, f[what], f[what])
    for c in (c for p in j.get("processes", ()) for c in p["callers"]):
        if c["calls"] == 0:
            continue
        name = name_of(c)
        part = max(1, c["allocated"] / c["calls"])
        for what, value in ("live", "bytes"), ("allocated", "allocated"), \
            ("at peak", "peak"):
            add(name, what, c[value], c[value] / part)
        add(name, "calls", c["calls"], c["allocated"] / part
            if c["allocated"] > 0 else c["calls"])
    return all

def sum_figures(f):
    value, n = f
    return (value, n ** -0.5, n ** -0.5, 32 if n >= 54 else 0) if n > 0 \
        else (0, 0, 0, 0)

def wants(runs, n):
    few = min(n, len(runs) - n)
    want = {}
    for g, what in {(g, w) for r in runs for g in r for w in r[g]}:
        f = [sum_figures(r.get(g, {}).get(what, (0, 0))) for r in runs]
        part = max(v[0] * v[1] ** 2 for v in f)
        enough = 16 * part if what[0] in "tsc" else \
            math.inf if what == "at peak" else 4096
        most = [max(v[0] for v in s) for s in (f[:n], f[n:])]
        if 0 in most:
            if max(most) > 0 and max(min(v[0] for v in s)
                for s in (f[:n], f[n:])) >= enough:
                want[g, what] = {"change": "new" if most[1] else "gone"}
            continue
        part = min(v[0] * v[1] ** 2 for v in f if v[0] > 0)
        f = [v if v[0] > 0 else (part / 2, 2 ** 0.5, 2 ** 0.5, 0) for v in f]
        d = want[g, what] = differ(f[:n], f[n:])
        if d is not None:
            d["apart"] = d["same"] and (few >= 6 or few >= 5 and d["apart"])
    for g in {g for g, what in want}:
        v = [want.get((g, w + u)) or {} for u in ("", " us")
            for w in ("total", "self")]
        for t, s in v[:2], v[2:]:
            if "p" in s and (t.get("before"), t.get("after")) == \
                (s["before"], s["after"]):
                want = {k: d for k, d in want.items() if d is not s}
    return {k: d for k, d in want.items() if d is not None}, \
        0.02 if few >= 3 else 2

def sums(out, n, *files):
    o = json.load(open(out))
    us = any("self_ns" in f for f in json.load(open(files[0])).get(
        "functions", ()))
    settle(o, *wants([sum_run(f) for f in files], n),
        lambda d: d["of"] + (" us" if us else ""))

if sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3], float(sys.argv[4]), float(sys.argv[5]),
        sys.argv[6], *map(int, sys.argv[7:]))
elif sys.argv[1] == "sums":
    sums(sys.argv[2], int(sys.argv[3]), *sys.argv[4:])
else:
    check(sys.argv[2], int(sys.argv[3]), *sys.argv[4:])
