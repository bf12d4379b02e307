# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# page.py PAGE [KIND=FILE ...]: what is in a page of utctl report: its markup is
# that of every page, whatever its data are, and these are what -j of stat,
# stat -d, heap and locks has in the files (KIND is stat, pairs, heap or locks).

import html.parser
import json
import re
import sys

TAGS = "html meta meta meta title style body header main noscript script script"


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []
        self.attrs = []
        self.text = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attrs.append(dict(attrs))
        self.text.append("")

    def handle_data(self, data):
        if self.text:
            self.text[-1] += data


with open(sys.argv[1], encoding="utf-8") as f:    # dies if it is no UTF-8
    whole = f.read()
p = Page()
p.feed(whole)
assert p.tags == TAGS.split(), p.tags
csp = p.attrs[2]["content"].split("; ")
assert csp[0] == "default-src 'none'", csp
nonces = {c.split(" ")[0]: c.split("nonce-")[1][:16] for c in csp[3:]}
assert p.attrs[11] == {"nonce": nonces["script-src"]}, p.attrs[11]
assert p.attrs[5] == {"nonce": nonces["style-src"]}, p.attrs[5]
data = p.text[10]
assert not re.search("[<>&\u2028\u2029\u202a-\u202e\u200b-\u200f]", data)
j = json.loads(data)

files = dict(a.split("=", 1) for a in sys.argv[2:])
want = {k: json.load(open(v)) for k, v in files.items()}
if "stat" in want:
    w = want["stat"]
    for k in "events", "discarded", "lost_packets":
        assert j[k] == w[k], (k, j[k], w[k])
    assert j["first"] == w["first"]
    first = int(w["first"])
    got = {e["name"]: (e["events"], e["bytes"], e["first"], e["last"])
           for e in j["by_event"]}
    assert got == {g["by"]["event"]: (g["events"], g["bytes"],
                   int(g["first"]) - first, int(g["last"]) - first)
                   for g in w["groups"]}, got
    assert sum(t["events"] for t in j["tracks"]) == w["events"]
    assert all(sum(e["slots"]) == e["events"] for e in j["by_event"]
               if "slots" in e)
if "pairs" in want:
    w = want["pairs"]
    for k in "unended", "unbegun", "left_out":
        assert j[k] == w[k], (k, j[k], w[k])
    names = ("total_ns", "total"), ("self_ns", "self"), ("calls", "calls"), \
        ("min", "min"), ("p50", "p50"), ("p99", "p99"), ("max", "max")
    got = {q["name"]: q for q in j["pairs"] if q["calls"] > 0}
    assert len(got) == len(w["pairs"]), got.keys()
    for g in w["pairs"]:
        q = got[g["by"]["pair"].split(" ")[-1]]
        for k, name in names:
            assert q[name] == float(g[k]), (q["name"], name, q[name], g[k])
        assert sum(q["hist"][1::2]) == q["calls"], q
        assert sum(q.get("heat", [0, 0, q["calls"]])[2::3]) == q["calls"], q
    slow = [int(s["ns"]) for s in w["slowest"]]
    assert slow == [s["took"] for s in j["slowest"]][:len(slow)]
    assert j["nbars"] == sum(q["calls"] for q in got.values())
if "heap" in want:
    got = {h["pid"]: h for h in j["heap"]}
    for w in want["heap"]["processes"]:
        h = got[w["vpid"]]
        for k in "bytes", "blocks", "peak", "allocated", "allocations":
            assert h[k] == w[k], (k, h[k], w[k])
        assert max(h["slots"][1::3]) == h["peak"]
        assert h["slots"][-1] == h["bytes"]
if "locks" in want:
    n = 0
    for w in want["locks"]["processes"]:
        for lock in w["locks"]:
            got = [x for x in j["locks"] if x["pid"] == w["vpid"] and
                   x["name"] == lock.get("lock_sym", hex(lock["lock"]))]
            if got:
                n += 1
                for k in "acquired", "contended":
                    assert got[0][k] == lock[k], (k, got, lock)
                for k, name in ("waited", "wait"), ("hold_ns", "hold"):
                    assert got[0][k] == int(lock[name].get("total_ns", 0)), \
                        (k, got, lock)
    assert n == len(j["locks"]) and n > 0, n
    figures = "acquired", "contended"
    got = sorted((x["pid"], *(x[k] for k in figures), x["waited"], x["hold_ns"])
                 for x in j["callers"])
    assert got and got == sorted(
        (w["vpid"], *(c[k] for k in figures), *(int(c[k].get("total_ns", 0))
         for k in ("wait", "hold")))
        for w in want["locks"]["processes"] for c in w["callers"]), got
    assert [w["took"] for w in j["waits"]] == \
        [int(w["took_ns"]) for w in want["locks"]["waits"] if "holder" in w]
    assert n < 2 or j["locks_known"] and not j["locks_nobody"]
print(len(whole), j["nkept"], len(j["lock_bars"]) // 6 if "lock_bars" in j
      else 0)
