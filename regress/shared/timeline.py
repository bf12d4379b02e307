# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Readers of what utctl export -F chrome and -F perfetto write, as strict as
# their formats: both return the same kind of object.
import decimal, json, struct


class Timeline:
    def __init__(self):
        self.names = {}     # (pid, tid or None): name
        self.bars = []      # (begin, end or None, pid, tid, name, args, end's)
        self.keyed = []     # the same, of pairs with a key; tid: of the begin
        self.instants = []  # (ns, pid, tid, name, args)
        self.counters = []  # (ns, pid, name, value)
        self.arrows = []    # (from ns, pid, tid, to ns, pid, tid, name)
        self.losses = []    # (ns, until, name, count)

    # Bars of a thread nest: none ends behind the one around it.
    def nests(self):
        threads = {}
        for b in self.bars:
            threads.setdefault(b[2:4], []).append(b)
        for bars in threads.values():
            around = []
            last = max(b[1] or b[0] for b in bars) + 1
            for b in sorted(bars, key=lambda b: (b[0], -(b[1] or last))):
                end = b[1] or last
                while around and around[-1] <= b[0] and around[-1] < end:
                    around.pop()
                assert not around or end <= around[-1], b
                around.append(end)


def unique(pairs):
    d = dict(pairs)
    assert len(d) == len(pairs), pairs
    return d


def chrome(text, nested=True):
    t = Timeline()
    doc = json.loads(text, parse_float=decimal.Decimal,
        object_pairs_hook=unique)
    t.other = doc["otherData"]
    start = int(t.other.get("start_ns", 0))
    stacks, open, flows, marks = {}, {}, {}, 0

    def ns(us):
        us *= 1000
        assert us == int(us), us
        return int(us)
    events = doc["traceEvents"]
    for e in events:
        assert set(e) <= {"ph", "ts", "dur", "pid", "tid", "name", "cat",
            "id", "args", "s", "bp"}, e
        if e["ph"] == "M":
            kind = {"process_name": None, "thread_name": e["tid"]}[e["name"]]
            t.names.setdefault((e["pid"], kind), []).append(
                e["args"]["name"])
            continue
        # A process without a name is not told.
        e["ts"] = start + ns(e["ts"])
    for e in sorted((e for e in events if e["ph"] != "M"),
            key=lambda e: (e["ts"], -ns(e.get("dur", 0)))):
        ph, at = e["ph"], e["ts"]
        args = json.loads(json.dumps(e.get("args", {}), default=float))
        who = e["pid"], e["tid"]
        end = args.pop("unended", None) or args.pop("end", {})
        if ph == "X":
            t.bars.append((at, at + ns(e["dur"])) + who + (e["name"], args,
                end))
        elif ph == "B":
            stacks.setdefault(who, []).append((at, e["name"], args))
        elif ph == "E":
            b = stacks[who].pop()
            assert b[1] == e["name"], (b, e)
            t.bars.append((b[0], at) + who + (b[1], b[2], end))
        elif ph == "b":
            assert e["id"] not in open
            open[e["id"]] = (at,) + who + (e["name"], args)
        elif ph == "e":
            b = open.pop(e["id"])
            assert b[1:4] == who + (e["name"],), (b, e)
            t.keyed.append((b[0], at) + b[1:] + (end,))
        elif ph == "i" and e.get("s") == "g":
            t.losses.append((at, start + ns(e["args"]["until"]), e["name"],
                args["count"] or 0))
        elif ph == "i" and e.get("cat") == "arrow":
            marks += 1
        elif ph == "i":
            t.instants.append((at,) + who + (e["name"], args))
        elif ph == "C":
            t.counters.append((at, e["pid"], e["name"],
                float(args["value"])))
        elif ph == "s":
            assert e["id"] not in flows
            flows[e["id"]] = (at,) + who, e["name"]
        elif ph == "f":
            assert e["bp"] == "e"
            s = flows.pop(e["id"])
            assert s[1] == e["name"]
            t.arrows.append(s[0] + (at,) + who + s[1:])
        else:
            assert ph == "P", e
    assert not flows, flows
    t.bars += [(b[0], None) + w + b[1:] + ({},) for w in stacks
        for b in stacks[w]]
    t.keyed += [(b[0], None) + b[1:] + ({},) for b in open.values()]
    t.marks = marks
    if nested:
        t.nests()
    return t


# The fields of a message: numbers, 8 bytes, or bytes.
def fields(b):
    i = 0

    def varint():
        nonlocal i
        v = shift = 0
        while True:
            c = b[i]
            i += 1
            v |= (c & 0x7f) << shift
            shift += 7
            assert shift <= 70
            if c < 0x80:
                return v
    while i < len(b):
        key = varint()
        kind = key & 7
        assert kind in (0, 1, 2), key
        if kind == 1:
            v, i = b[i:i + 8], i + 8
        else:
            v = varint()
            if kind == 2:
                v, i = b[i:i + v], i + v
        assert i <= len(b)
        yield key >> 3, v


def message(b):
    m = {}
    for k, v in fields(b):
        m.setdefault(k, []).append(v)
    return m


def annotations(list, names):
    d = {}
    for a in map(message, list):
        name = names[a.pop(1)[0]]
        name = json.loads('"%s"' % name)
        (kind, v), = [(k, v[0]) for k, v in a.items() if k != 11] or [(11,
            a.get(11, []))]
        assert name not in d, (name, d)
        d[name] = v.decode() if kind == 6 else bool(v) if kind == 2 else \
            v - (v >> 63 << 64) if kind == 4 else json.loads(v) if kind == 9 \
            else struct.unpack("<d", v)[0] if kind == 5 else \
            annotations(v, names)
    return d


def perfetto(data, nested=True):
    t = Timeline()
    tracks, stacks, flows, events = {}, {}, {}, []
    names, notes, live = {}, {}, 0
    for k, p in fields(data):
        assert k == 1
        p = message(p)
        assert p[10] == [1]
        if 60 in p:
            d = message(p[60][0])
            parent = tracks[d[5][0]] if 5 in d else None
            name = d.get(2, [b""])[0].decode()
            if 3 in d:
                x = message(d[3][0])
                track = "process", x[1][0], None
                name = x[6][0].decode()
            elif 4 in d:
                x = message(d[4][0])
                track = "thread", x[1][0], x[2][0]
                assert parent[:2] == ("process", x[1][0])
                name = x[5][0].decode()
            else:
                track = "counter" if 8 in d else name if not parent else \
                    "lane", parent and parent[1], name
            if track[0] in ("process", "thread") and name:
                t.names.setdefault(track[1:], []).append(name)
            tracks[d[1][0]] = track
        if 11 not in p:
            continue
        flags = p[13][0]
        if flags & 1:
            names, notes, live = {}, {}, 1
        assert flags & 2 and live
        for i in map(message, p.get(12, [])):
            for field, to in ((2, names), (3, notes)):
                for n in map(message, i.get(field, [])):
                    assert n[1][0] not in to
                    to[n[1][0]] = n[2][0].decode()
        e = message(p[11][0])
        assert e[11][0] in tracks
        ns = p[8][0]
        assert ns < 1 << 63, ns
        events.append((ns, len(events), e[9][0], e[11][0],
            names[e[10][0]] if 10 in e else None,
            annotations(e.get(4, []), notes), e))
    for ns, _, kind, at, name, args, e in sorted(events,
            key=lambda e: e[:2]):
        track = tracks[at]
        stack = stacks.setdefault(at, [])
        if kind == 1:
            stack.append((ns,) + track[1:] + (name, args, e.get(22)))
        elif kind == 2:
            # A call that one event tells of is found by its category.
            b, = [x for x in stack if x[5] == e[22]] if 22 in e else stack[-1:]
            assert 22 in e or b[5] is None
            stack.remove(b)
            b = b[:5]
            end = args.pop("unended", None) or args.pop("end", {})
            assert not args
            if track[0] == "lane":
                assert not stack and b[2] == b[3]
                t.keyed.append((b[0], ns) + b[1:] + (end,))
            else:
                t.bars.append((b[0], ns) + b[1:] + (end,))
        elif kind == 4:
            assert track[0] == "counter"
            t.counters.append((ns,) + track[1:] +
                struct.unpack("<d", e[44][0]))
        elif 47 in e:
            flows[e[47][0]] = (ns,) + track[1:], name
        elif 48 in e:
            s = flows.pop(e[48][0])
            assert s[1] == name
            t.arrows.append(s[0] + (ns,) + track[1:] + s[1:])
        elif track[0] == "losses":
            t.losses.append((ns, int(args["until_ns"]), name, args["count"]))
        else:
            t.instants.append((ns,) + track[1:] + (name, args))
    assert not flows, flows
    for at, stack in stacks.items():
        for b in stack:
            (t.keyed if tracks[at][0] == "lane" else t.bars).append((b[0],
                None) + b[1:5] + ({},))
    if nested:
        t.nests()
    return t


# Both say the same: only JSON tells the thread of a pair with a key.
def agree(a, b):
    for what in ("bars", "instants", "counters", "arrows", "losses"):
        x, y = (sorted(json.dumps(i, default=str) for i in getattr(t, what))
            for t in (a, b))
        assert x == y, (what, len(x), len(y), sorted(set(x) ^ set(y))[:4])
    x, y = (sorted(json.dumps(i[:3] + i[4:], default=str) for i in t.keyed)
        for t in (a, b))
    assert x == y, ("keyed", sorted(set(x) ^ set(y))[:4])
    assert a.names == b.names, (a.names, b.names)
