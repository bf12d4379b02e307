# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# browser.py CHROMIUM PAGE STAT DIR [PAGE TEXT ...] ...: what a browser makes of a page of utctl
# report, whose figures are those of stat -j in the file STAT: what it shows,
# and what keys and clicks do.  The browser keeps its files in DIR.  The heads
# of other pages, whose names end in .html, have these texts.

import json
import os
import re
import subprocess
import sys
import time

chromium, page, stat, where = sys.argv[1:5]
want = json.load(open(stat))


class Browser:
    """Messages of the DevTools protocol, each with a NUL behind, by pipes."""

    def __init__(self):
        theirs, self.out = os.pipe()
        back, ours = os.pipe()
        os.dup2(theirs, 200)
        os.dup2(ours, 201)
        self.run = subprocess.Popen(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--user-data-dir=" + where, "about:blank"], pass_fds=(3, 4),
            preexec_fn=lambda: (os.dup2(200, 3), os.dup2(201, 4)),
            stderr=subprocess.DEVNULL)
        for fd in theirs, ours, 200, 201:
            os.close(fd)
        self.back = os.fdopen(back, "rb")
        self.session, self.n, self.rest, self.seen = None, 0, b"", []
        target = self.ask("Target.createTarget", url="about:blank")
        self.session = self.ask("Target.attachToTarget", flatten=True,
                                targetId=target["targetId"])["sessionId"]
        for domain in "Page", "Runtime", "Log":
            self.ask(domain + ".enable")

    def take(self):
        while b"\0" not in self.rest:
            more = os.read(self.back.fileno(), 1 << 16)
            assert more, "the browser has ended"
            self.rest += more
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def ask(self, method, **params):
        self.n += 1
        m = {"id": self.n, "method": method, "params": params}
        if self.session is not None:
            m["sessionId"] = self.session
        os.write(self.out, json.dumps(m).encode() + b"\0")
        while (r := self.take()).get("id") != self.n:
            self.seen.append(r)
        assert "error" not in r, (method, r)
        return r["result"]

    def open(self, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width,
                 height=height, deviceScaleFactor=1, mobile=False)
        self.seen = [e for e in self.seen if e.get("method") !=
                     "Page.loadEventFired"]
        self.ask("Page.navigate", url="file://" + page)
        while not any(e.get("method") == "Page.loadEventFired"
                      for e in self.seen):
            self.seen.append(self.take())

    def js(self, text):
        r = self.ask("Runtime.evaluate", expression=text, returnByValue=True)
        assert "exceptionDetails" not in r, (text, r)
        return r["result"].get("value")

    def key(self, key, text=None):
        for kind in "keyDown", "keyUp":
            self.ask("Input.dispatchKeyEvent", type=kind, key=key,
                     **({"text": text} if text else {}))

    def point(self, x, y):
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def place(self, of):
        return self.js(f"""(() => {{ const e = {of}; e.scrollIntoView({{
            block: 'center' }}); const r = e.getBoundingClientRect(); return [
            r.left, r.top, r.width, r.height]; }})()""")

    def wrong(self):
        return [e["params"] for e in self.seen if e.get("method") in
                ("Runtime.exceptionThrown", "Log.entryAdded",
                 "Runtime.consoleAPICalled")]


def near(a, b):
    return abs(a - b) < 1e-6 * max(abs(a), abs(b), 1)


# The chart stays where it is, whatever the text above it says of a place.
def timeline_stays():
    x, y, w, h = b.place("T.canvas")
    for i in range(0, 101, 2):
        b.point(x + 1 + (w - 2) * i / 100, y + min(h - 2, 20 + i))
        said = b.js("T.said.textContent")
        assert b.place("T.canvas")[1] == y, said
        assert said[0] == "+" and ": 0 events" not in said, said
        assert b.js("T.t0 + (T.t1 - T.t0) * T.x <= D.length + 1"), said
    b.point(2, 2)
    assert b.js("T.on") is False and said != b.js("T.said.textContent")


b = Browser()
b.open(1280, 800)
assert not b.wrong(), b.wrong()
title = b.js("document.title")
events = format(want["events"], ",")
assert title.startswith("a: "), title
assert b.js("T.on") is False, "a crosshair where nobody points"
assert title == b.js("document.querySelector('h1').textContent"), title
assert f" {events} event" in title and "none lost" in title, title

# The table of events: all rows, and another order.
rows = """[...document.querySelectorAll('#events tbody tr')].map(r =>
    [r.lastChild.textContent, r.firstChild.textContent])"""
shown = {name: int(n.replace(",", "")) for name, n in b.js(rows)}
assert shown == {g["by"]["event"]: g["events"] for g in want["groups"]}, shown
b.js("document.querySelector('#events th:last-child button').focus()")
b.key("Enter", "\r")
names = [r[0] for r in b.js(rows)]
assert names == sorted(names), names
assert b.js("""document.querySelector('#events th:last-child')
    .getAttribute('aria-sort')""") == "ascending"

# The timeline: keys, the slowest pair, the wheel.
b.js("T.canvas.focus()")
whole = b.js("T.t1 - T.t0")
b.key("+", "+")
assert near(b.js("T.t1 - T.t0"), whole / 2)
left = b.js("T.t0")
was = b.js("T.x")
b.key("ArrowLeft")
assert near(b.js("T.t0"), left) and b.js("T.x") < was
for i in range(40):
    b.key("+", "+")
assert near(b.js("T.t1 - T.t0"), 20), "no nanoseconds"
b.key("Home")
assert near(b.js("T.t1 - T.t0"), whole) and b.js("T.on") is False
b.js("document.querySelector('#slowest tbody tr').click()")
assert b.js("T.t0 <= D.slowest[0].begin && T.t1 >= D.slowest[0].begin + "
            "D.slowest[0].took && T.t1 - T.t0 < 2 * D.slowest[0].took + 20")
name = b.js("D.pairs[D.slowest[0].pair].name")
assert name in b.js("T.said.textContent"), b.js("T.said.textContent")
assert b.js("""(() => { const p = T.canvas.getContext('2d').getImageData(0, 0,
    T.canvas.width, T.canvas.height).data; return p.some(v => v !== 0); })()""")

# A flame graph: a part, and all of it.
b.js("document.querySelector('.fl button:last-child').click()")
assert b.js("document.querySelector('.fl [tabindex=\"0\"]').style.width") == \
    "100%"
b.js("document.querySelector('.fl [tabindex=\"0\"]').focus()")
b.key("ArrowUp")
assert b.js("document.activeElement.tabIndex") == -1
b.key("Escape")
assert b.js("document.querySelector('.fl [tabindex=\"0\"]').textContent") == \
    "all"

assert b.js("document.activeElement.textContent") == "all"
b.key("ArrowDown")
part = b.js("document.activeElement.textContent")
b.key("Enter", "\r")
assert b.js("document.activeElement.textContent") == part != "all"
b.key("Escape")
find = """(() => { const f = document.querySelector('.fl').parentNode;
    f.querySelector('input').value = '%s';
    f.querySelector('input').dispatchEvent(new Event('input'));
    f.querySelector('.fl button').focus();
    return f.textContent; })()"""
assert "none found" in b.js(find % "no such")
assert " % of all" in b.js(find % part) and "none" not in b.js(find % "")

# Narrow parts are one, and no part lies over another.
b.js("""root.append(flame({ title: 'narrow', unit: 'ns', nodes: [0, 'wide', 1000,
    0, 'a', 1, 0, 'b', 1, 0, 'c', 1, 0, 'd', 1, 0, 'e', 1] }))""")
parts = b.js("""[...root.lastChild.querySelectorAll('.fl button')].map(e =>
    [e.ariaLabel.split(',')[0], e.offsetLeft, e.getBoundingClientRect().width])
    """)
assert [p[0] for p in parts] == ["all", "wide", "5 narrow parts"], parts
assert parts[1][1] + parts[1][2] <= parts[2][1] + 1 and parts[2][2] < 7, parts

# A chart has an axis, and tells the value that is pointed at.
x, y, w, h = b.place("document.querySelector('#rates svg')")
b.point(x + 1, y + h / 2)
said = "document.querySelector('#rates output').textContent"
first = b.js(said)
assert re.match(r"\+0\.0* s: \d+ events?, [\d,.]+/s$", first), first
b.js("document.querySelector('#rates svg').focus()")
b.key("ArrowRight")
assert b.js(said)[0] == "+" and b.js(said) != first, b.js(said)
assert b.js("document.querySelector('#rates .x').children.length") == 3

# No other script runs, and nothing is fetched.
b.js("""{ const s = document.createElement('script'); s.textContent =
    'window.broken = 1'; document.body.append(s); }""")
assert b.js("window.broken") is None
b.seen = [e for e in b.seen if "Content Security" not in json.dumps(e)]
assert b.js("performance.getEntriesByType('resource').length") == 0

# The heads of others.
b.seen = []
for a in sys.argv[5:]:
    if a.endswith(".html"):
        page = a
        b.open(1280, 800)
        text = b.js("document.querySelector('header').innerText")
        b.js("""D.slowest.forEach(s => show(s.begin, s.begin + s.took,
            s.track)); for (let i = 0; i < 70; i++) zoom(0.5, 0.5); tell()""")
        mark = b.js("""D.losses.length > 0 && D.losses[0][0] < 0 &&
            document.querySelector('#rates svg rect')?.getAttribute('x')""")
        assert mark in (False, None, "0"), (a, mark)
        assert mark or "before" not in a, "no loss begins before 0"
        if "calls" in a:
            rows = b.js("""T.tracks[0].rows.map(r => r.map(v => [v.b, v.e,
                D.pairs[v.what].name]))""")
            first = rows[0][0][0]
            assert first >= 0 and [[[v[0] - first, v[1] - first, v[2]]
                for v in r] for r in rows] == [[[0, 10000, "0x3"],
                [10500, 11000, "0x4"]], [[2000, 5000, "0x1"],
                [5500, 6000, "0x2"]]], (a, rows)
        if "heaps" in a:
            heaps = b.js("D.heap.map(h => [h.name, levels(h)])")
            assert heaps == [[name, [size if begin * 1000 // 4096 <= i <=
                end * 1000 // 4096 else 0 for i in range(len(v))]]
                for (name, size, begin, end), (_, v) in zip((
                ("alpha", 1000, 100, 200), ("again", 700, 610, 700),
                ("quiet", 500, 400, 500), ("again", 40, 810, 900),
                ("beta", 10, 300, 1000)), heaps)], (a, heaps)
        assert "ticks" not in a or b.js("instants.length") == 128, a
        if b.js("D.losses.length > 99"):
            for width in 1280, 400:
                b.open(width, 800)
                timeline_stays()
        assert not b.wrong(), (a, b.wrong())
        b.seen = []
    else:
        assert a in text, (page, a, text)
page = sys.argv[2]

# A phone.
b.seen = []
b.open(400, 800)
time.sleep(0.2)
assert b.js("document.documentElement.scrollWidth") <= 400
assert not b.wrong(), b.wrong()
try:
    b.ask("Browser.close")
except AssertionError:
    pass
b.run.wait()
