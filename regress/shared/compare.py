# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# compare.py make DIR SEED SLOWER RARE OTHER [DISCARDED]: a run that is drawn at
# random, in which one pair takes SLOWER times as long, another one comes RARE
# times as often, and the event p:OTHER is there.
#
# compare.py check OUT N RUN...: is OUT what stat -j -a -C says of the first N
# runs and of the others, with -d if OUT has calls?  The same is computed here
# from what view -j prints, and t's distribution by Simpson's rule.

import json, math, os, random, struct, subprocess, sys

NAMES = "outer inner rare".split()

def make(dir, seed, slower, rare, other, discarded=0):
    rnd = random.Random(seed)
    run = rnd.gauss(1, 0.003)
    now, body = 1000000000, b""
    def event(i, ns):
        nonlocal now, body
        body += struct.pack("<HQ", i, now)
        now += int(ns * run)
    for i in range(1500):
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
    half, middle = len(body) // 20 * 10, struct.unpack_from("<Q", body,
        len(body) // 20 * 10 + 2)[0]
    with open(dir + "/c_0", "wb") as f:
        for i, part, begin, end in ((0, body[:half], 1000000000, middle),
            (1, body[half:], middle, now)):
            bits = 8 * (64 + len(part))
            f.write(struct.pack("<IIQQQQQQQ", 0xc1fc1fc1, 0, 0, begin, end,
                bits, bits, i, i * discarded) + part)

def figure(value, means, least):
    if len(means) < 6:
        return value, least, 0
    m = sum(means) / len(means)
    s = math.sqrt(sum((x - m) ** 2 for x in means) / (len(means) - 1))
    return value, math.hypot(least, s / m), len(means)

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
    return figure(value, m, 10 / value)

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
        s, n = figure(0, m, 1 / math.sqrt(len(v)))[1:]
        s /= math.sqrt(max(len(m), 1))
        all[name] = {"count": (len(v), s, n),
            "rate": (len(v) * 1e9 / span, s, n)}
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

def side(figures, few):
    x = [math.log(f[0]) for f in figures]
    n, blocks = len(x), min(f[2] for f in figures)
    if few and blocks == 0:
        return None
    mean = sum(x) / n
    v = sum((y - mean) ** 2 for y in x) / (n - 1) if n > 1 else 0
    v = max(v, sum(f[1] ** 2 for f in figures) / n)
    return mean, v if few else v / n, (blocks if few else n) - 1

def differ(before, after):
    few = min(len(before), len(after)) < 3
    a, b = side(before, few), side(after, few)
    if a is None or b is None:
        return None
    by, v = b[0] - a[0], a[1] + b[1]
    df = v * v / (a[1] ** 2 / a[2] + b[1] ** 2 / b[2])
    return {"factor": math.exp(by), "before": math.exp(a[0]),
        "after": math.exp(b[0]), "p": tail(abs(by) / math.sqrt(v), df),
        "df": df, "error": math.sqrt(v)}

def count(before, after):
    n, rate = (differ([r[w] for r in before], [r[w] for r in after])
        for w in ("count", "rate"))
    if n is None:
        return None
    less = n if abs(math.log(n["factor"])) < abs(math.log(rate["factor"])) \
        else rate
    less["p"] = max(n["p"], rate["p"])
    if (n["factor"] < 1) != (rate["factor"] < 1):
        less["p"] = 1
    return less

def check(out, n, *dirs):
    o = json.load(open(out))
    pairs = any(d["of"].startswith("call") for d in o["differences"])
    runs = [run(d, pairs) for d in dirs]
    least = 0.02 if min(n, len(runs) - n) >= 3 else 0.9
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
        want[g, "count"] = count(before, after)
    want = {k: d for k, d in want.items() if d is not None}
    tests = sorted((k for k in want if "p" in want[k]),
        key=lambda k: want[k]["p"])
    real = True
    for i, k in enumerate(tests):
        d = want[k]
        real = real and d["p"] * (len(tests) - i) < 0.001
        more = d["factor"] > 1
        if real and abs(math.log(d["factor"])) >= math.log(1 + least) and \
            (k[1] == "count" or abs(d["after"] - d["before"]) >= 50):
            d["change"] = ("fewer", "more")[more] if k[1] == "count" else \
                ("faster", "slower")[more]
    for d in o["differences"]:
        what = "new" if "factor" not in d else d["of"] \
            if d["of"] in ("time", "self") else "count"
        w = want.pop((list(d["by"].values())[0], what))
        assert d.get("change") == w.get("change"), (d, w)
        for k in ("factor", "before", "after") if "factor" in w else ():
            assert math.isclose(d[k], w[k], rel_tol=1e-9), (k, d, w)
        for k in ("low", "high") if "factor" in w else ():
            t = abs(math.log(d[k] / d["factor"])) / w["error"]
            assert math.isclose(tail(t, w["df"]), 0.001, rel_tol=1e-3), (k, d)
    assert not want, want
    print(len(o["differences"]), "as they should be")

if sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3], float(sys.argv[4]), float(sys.argv[5]),
        sys.argv[6], *map(int, sys.argv[7:]))
else:
    check(sys.argv[2], int(sys.argv[3]), *sys.argv[4:])
