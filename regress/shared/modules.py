# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# modules.py JSON PID MAPS: the modules that the process PID has at the end, by
# the events in JSON, are those in MAPS, and each is as its file says.
import json, os, re, subprocess, sys

def file_facts(path):
    out = subprocess.run(["readelf", "-lnW", path], capture_output=True,
        text=True, check=True).stdout
    loads = [l.split() for l in out.splitlines() if re.match(r"\s+LOAD ", l)]
    low = min(int(l[2], 16) for l in loads) & ~(page - 1)
    high = max(int(l[2], 16) + int(l[5], 16) for l in loads)
    m = re.search(r"Build ID: ([0-9a-f]+)", out)
    return low, high - low, m.group(1) if m else ""

page = os.sysconf("SC_PAGESIZE")
events, pid, maps = sys.argv[1], int(sys.argv[2]), sys.argv[3]
start, code = {}, set()
for line in open(maps):
    f = line.rstrip("\n").split(None, 5)
    if len(f) < 6 or not f[5].startswith("/"):
        continue
    path = re.sub(r" \(deleted\)$", "", f[5])
    at = int(f[0].split("-")[0], 16)
    start[path] = min(at, start.get(path, at))
    if "x" in f[1]:
        code.add(path)
want = set()
for path in code:
    low, size, ident = file_facts(path)
    want.add((path, start[path] - low, start[path], size, ident))
got = {}
for line in open(events):
    e = json.loads(line)
    if e["vpid"] != pid:
        continue
    f = e["fields"]
    if e["event"] == "ut:module":
        if not f["path"].startswith("/"):
            sys.exit("path %s" % f["path"])
        if f["start"] in got:
            sys.exit("twice: %s" % f)
        got[f["start"]] = (os.path.realpath(f["path"]), f["base"], f["start"],
            f["size"], "".join("%02x" % b for b in f["build_id"]))
    elif e["event"] == "ut:unload":
        was = got.pop(f["start"], None)
        if was is None or was[1:4] != (f["base"], f["start"], f["size"]):
            sys.exit("unload of %s, which was %s" % (f, was))
if want != set(got.values()):
    sys.exit("not told: %s\nwrong: %s" % (want - set(got.values()),
        set(got.values()) - want))
print(len(want))
