# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# gone.py SEED all|some TRACE: what really was, and what is there of it; then
# what utctl makes of that.  With "-" in place of the trace, prints the packets.
import json, random, subprocess, sys, timeline

seed, lossless, path = int(sys.argv[1]), sys.argv[2] == "all", sys.argv[3]
rnd = random.Random(seed)
NAMES = "x_begin x_end begin end malloc free request acquired release".split()
ID = {n: i for i, n in enumerate(NAMES)}
THREADS, STREAMS = 4, 5

def model():
    """All that happens: time, thread, event, key; and what is true of it."""
    events, stacks = [], {t: [] for t in range(1, THREADS + 1)}
    keyed, live, freed = {}, {}, {}
    holders = {}
    true = {k: set() for k in ("x", "key", "live", "twice", "hold", "inner",
        "unheld")}
    for now in range(1, 400):
        t = rnd.randint(1, THREADS)
        what = rnd.choice(("x", "x", "key", "heap", "lock"))
        k = rnd.randint(1, 6)
        if what == "x":
            if stacks[t] and rnd.random() < 0.5:
                true["x"].add((stacks[t].pop(), now))
                events.append((now, t, "x_end", 0))
            else:
                stacks[t].append(now)
                events.append((now, t, "x_begin", 0))
        elif what == "key":
            if k in keyed:
                true["key"].add((keyed.pop(k), now))
                events.append((now, t, "end", k))
            else:
                keyed[k] = now
                events.append((now, t, "begin", k))
        elif what == "heap":
            if k in live:
                del live[k]
                freed[k] = now
                events.append((now, t, "free", k))
            elif k in freed and rnd.random() < 0.3:
                true["twice"].add((freed[k], now))
                freed[k] = now
                events.append((now, t, "free", k))
            else:
                live[k] = now
                events.append((now, t, "malloc", k))
        elif k not in holders:
            if rnd.random() < 0.2:
                true["unheld"].add(now)
                events.append((now, t, "release", k))
            else:
                holders[k] = [t, now, 1, []]
                events.append((now, t, "acquired", k))
        else:
            h = holders[k]
            if rnd.random() < 0.3:
                h[2] += 1
                h[3].append(now)
                events.append((now, h[0], "acquired", k))
            elif h[2] > 1:
                h[2] -= 1
                true["inner"].add((h[3].pop(), now))
                events.append((now, h[0], "release", k))
            else:
                true["hold"].add((h[1], now))
                events.append((now, h[0], "release", k))
                del holders[k]
    true["live"] = {(b,) for b in live.values()}
    true["held"] = {(h[1], k) for k, h in holders.items()}
    return events, true

events, true = model()

# A thread changes its stream now and then, for one that nobody has.
has = {t: t - 1 for t in range(1, THREADS + 1)}
streams = [[] for s in range(STREAMS)]
for e in events:
    if rnd.random() < 0.03:
        has[e[1]] = rnd.choice([s for s in range(STREAMS)
            if s not in has.values()])
    streams[has[e[1]]].append(e)

def packets(s, events):
    """Its packets: file, begin, end, number, discarded, events."""
    out, seq, lost, i = [], 0, 0, 0
    while i < len(events):
        n = rnd.randint(1, 9)
        part = events[i:i + n]
        i += n
        # As utd has it, a packet may begin long before its first event.
        begin = part[0][0]
        if not lossless and rnd.random() < 0.06 and i < len(events):
            m = min(rnd.randint(1, 6), len(events) - i - 1)
            lost += len(events[i:i + m])
            del events[i:i + m]
        out.append([begin, part[-1][0], seq, lost, part])
        seq += 1
    # What is lost behind a packet is told by the next.
    for a, b in zip(out[:0:-1], out[-2::-1]):
        a[3] = b[3]
    if out:
        out[0][3] = 0
    return out

lines, end_of_loss = [], 0
for s, evs in enumerate(streams):
    ps = packets(s, evs[:])
    if not lossless:
        if rnd.random() < 0.4:
            del ps[:rnd.randint(0, len(ps) // 2)]
        if len(ps) > 3 and rnd.random() < 0.3:
            at = rnd.randint(0, len(ps) - 3)
            del ps[at:at + rnd.randint(1, 2)]
    number, before = 0, None
    for begin, end, seq, lost, part in ps:
        number += rnd.random() < 0.4
        if seq != (before[0] + 1 if before else 0):
            end_of_loss = max(end_of_loss, begin)
        if lost != (before[1] if before else 0):
            end_of_loss = max(end_of_loss, end)
        before = seq, lost
        lines.append("c_%d_%d %d %d %d %d %d " % (s, number, s, begin, end,
            seq, lost) + " ".join("%d %d %d" % (ID[n], now, t + 65536 * k)
            for now, t, n, k in part))
kept = {int(w) for l in lines for w in l.split()[7::3]}
if path == "-":
    print("\n".join(lines))
    sys.exit()

def utctl(*args):
    return subprocess.run(("utctl",) + args + (path,), check=True,
        capture_output=True, text=True).stdout
S = 10 ** 9
KEY = "-D", "q:open,q:close,k"

def right(what, got, want):
    """What is told is true; what is there after all losses is told."""
    assert got <= want, (what, "wrong", sorted(got - want)[:4])
    known = {w for w in want if min(w) > end_of_loss and set(w) <= kept}
    assert known <= got, (what, "left out", sorted(known - got)[:4])

pairs = true["x"] | true["key"]
stat = json.loads(utctl("stat", "-d", *KEY, "-S", "1000", "-j"))
got = [(int(p["began"]) // S, (int(p["began"]) + int(p["ns"])) // S)
    for p in stat["slowest"]]
right("stat", set(got), pairs)
for read in timeline.chrome, timeline.perfetto:
    bars = read(subprocess.run(("utctl", "export", "-F", read.__name__) + KEY +
        (path,), check=True, capture_output=True).stdout)
    right(read.__name__, {(b[0] // S, b[1] // S) for b in bars.bars + bars.keyed
        if b[1] is not None and b[6] is not True}, pairs)
got = set()
for line in utctl("view", "-i", "-j").splitlines():
    e = json.loads(line)
    if "took_ns" in e:
        got.add(((int(e["ns"]) - int(e["took_ns"])) // S, int(e["ns"]) // S))
right("view", got, true["x"])
folded = sum(int(l.split()[-1]) for l in
    utctl("export", "-F", "folded").splitlines())
want = json.loads(utctl("stat", "-d", "-j"))["pairs"]
assert folded == sum(int(p["self_ns"]) for p in want), folded

heap = json.loads(utctl("heap", "-j"))
p, = heap["processes"]
got = {(int(f["first"]["ns"]) // S, int(f["again"]["ns"]) // S)
    for f in heap["freed_twice"]}
assert len(got) == min(p["twice"], 10), p
if p["twice"] <= 10:
    right("twice", got, true["twice"])
else:
    assert got <= true["twice"], got
assert p["twice"] <= len(true["twice"]), p
got = {(int(b["ns"]) // S,) for b in heap["largest_live"]
    if not b["unsure"]}
right("live", got, true["live"])
assert p["blocks"] - p["unsure_blocks"] == len(got), p

locks = json.loads(utctl("locks", "-j"))
p, = locks["processes"]
got = {(int(h["ns"]) // S, (int(h["ns"]) + int(h["took_ns"])) // S)
    for h in locks["holds"]}
# A recursive mutex may have been acquired before that, among what was lost.
inner = set() if lossless else true["inner"]
assert got <= true["hold"] | inner, ("hold", got - true["hold"] - inner)
n = len([u for u in true["unheld"] if u in kept])
assert p["unheld"] <= n, ("unheld", p["unheld"], n)
if lossless:
    assert p["unheld"] == n and p["left_out"] == 0, p
    assert stat["left_out"] == 0, stat["left_out"]
got = {int(str(l["lock"]), 0) for l in p["locks"] for h in l["held"]
    if not h["unsure"]}
want = {k for now, k in true["held"]}
assert got <= want, ("held", got, want)
assert got >= {k for now, k in true["held"] if now > end_of_loss and
    now in kept}, ("not held", got, true["held"])
