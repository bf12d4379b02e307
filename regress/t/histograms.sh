# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# stat -H: bars of powers of two, as python3 counts them from what view prints,
# and the fields of what began the slowest pairs.

. ./common.sh
. ./shared/rows.sh

need python3
recorded -m block -e 'work:outer*' -e 'req:*' -- ./prog/pairs 2000
utctl stat -jH -d -D req:start,req:done,id -S 20 "$T/trace" >"$T/stat" ||
    fail "stat -jH"
utctl view -j "$T/trace" >"$T/view" || fail "view -j"
python3 - "$T/view" "$T/stat" <<'END' || fail "$(cat "$T/stat")"
import json, sys
took, begun, fields = {}, {}, {}
for line in open(sys.argv[1]):
    e = json.loads(line)
    prefix, _, what = e["event"].rpartition(":")
    name = {"outer_begin": "work:outer", "outer_end": "work:outer",
        "start": "req:start,req:done,id"}.get(what, "req:start,req:done,id")
    key = (name, e["fields"].get("id") if prefix == "req" else e["vtid"])
    if what in ("outer_begin", "start"):
        begun.setdefault(key, []).append((int(e["ns"]), e["fields"]))
    elif begun.get(key):
        ns, f = begun[key].pop()
        took.setdefault(name, []).append(int(e["ns"]) - ns)
        fields[int(e["ns"]) - ns, ns] = f
j = json.load(open(sys.argv[2]))
shown = [p for p in j["pairs"] if p["by"]["pair"] == "work:outer"]
assert len(shown) == 1
for p in j["pairs"]:
    b = p["buckets"]
    assert sum(x["n"] for x in b) == p["calls"]
    assert all(x["to"] == 2 * x["from"] or x["from"] == 0 for x in b)
    if p in shown:
        want = {}
        for t in took["work:outer"]:
            want[t.bit_length()] = want.get(t.bit_length(), 0) + 1
        assert want == {x["to"].bit_length() - 1: x["n"] for x in b}, want
assert len(j["slowest"]) == 20
for s in j["slowest"]:
    f = fields.get((int(s["ns"]), int(s["began"])))
    assert f is None or f == s["fields"], (f, s)
assert any((int(s["ns"]), int(s["began"])) in fields for s in j["slowest"])
END
# In text, of each pair, and the sums are the calls.
utctl stat -dH "$T/trace" >"$T/out" || fail "stat -dH"
calls=$(awk '/ work:outer$/ { print $1; exit }' "$T/out")
bars=$(awk '/ to .* us .*\|/ { n += $(NF - 1) } /^the slow/ { exit } END { print n }' "$T/out")
[ -n "$calls" ] && [ "$calls" -eq "$bars" ] ||
    fail "$bars of $calls: $(cat "$T/out")"
grep -q '  work:outer  { n = [0-9]*, kind = "[a-z]*" }$' "$T/out" ||
    fail "no fields: $(cat "$T/out")"
complains '-H: for -d, -D or -v' utctl stat -H "$T/trace"

# The greatest and the least values that there are.
mkdir "$T/huge" || exit 1
{
	rows_metadata
	echo 'event { name = "p:f"; id = 0; stream_id = 0; fields := struct {
	    floating_point { exp_dig = 11; mant_dig = 53; align = 8; } f; }; };'
} >"$T/huge/metadata"
python3 - "$T/huge/c" <<'END' || exit 1
import struct, sys
events = b"".join(struct.pack("<IQd", 0, i, v) for i, v in
    enumerate((-1.7e308, -1e308, -8e307, 1e308)))
size = 8 * (64 + len(events))
open(sys.argv[1], "wb").write(struct.pack("<IIQQQQQQQ", 0xc1fc1fc1, 0, 0, 0, 9,
    size, size, 0, 0) + events)
END
expect 0 ' 2 |#####*$' timeout 60 utctl stat -H -v f "$T/huge"
# The mean of these is not known, which JSON has no number for.
expect 0 '^ *4 *-1\.7e+308 *- ' utctl stat -v f "$T/huge"
utctl stat -j -v f "$T/huge" | python3 -c 'import json, sys
def bad(what):
    raise ValueError(what)
g, = json.load(sys.stdin, parse_constant=bad)["groups"]
assert g["values"] == 4 and g["max"] == 1e308 and "mean" not in g, g' ||
    fail "-j: $(utctl stat -j -v f "$T/huge")"

# The least value of a bar is in it, also of a negative one, and percentiles are
# as near as those of positive values.
cat >"$T/bars.py" <<'END' || fail "bars.py"
import json, struct, subprocess, sys
trace = sys.argv[1]
def check(values):
    events = b"".join(struct.pack("<IQd", 0, i, v) for i, v in
        enumerate(values))
    size = 8 * (64 + len(events))
    with open(trace + "/c", "wb") as f:
        f.write(struct.pack("<IIQQQQQQQ", 0xc1fc1fc1, 0, 0, 0, len(values),
            size, size, 0, 0) + events)
    j = json.loads(subprocess.run(("utctl", "stat", "-jHN", "-v", "f", trace),
        check=True, stdout=subprocess.PIPE).stdout)
    g, = j["groups"]
    got = [(b["from"], b["n"]) for b in g["buckets"]]
    want = [(b["from"], sum(b["from"] <= v < b.get("to", float("inf"))
        for v in values)) for b in g["buckets"]]
    assert got == want and sum(b[1] for b in got) == len(values), (got, want)
    right = sorted(values)[(len(values) + 1) // 2 - 1]
    assert abs(g["p50"] - right) <= abs(right) * .0079, (g["p50"], right)
    if all(v == int(v) and -256 <= v < 256 for v in values):
        assert g["p50"] == right, (g["p50"], right)
check([-1, -2, -3, -255, -256, -257, -300, -511, -512, -513, -1000])
check([-1, -1.004, -2, -2.01, -.75, -.5, -.25, -0.0, 0, 1, 2, 256, 257, 512])
check([1.7e308, -1.7976931348623157e308, 1.7e308, -1.795e308, 1e308,
    -2.0 ** 1023])
for i in range(1, 520):
    check([float(-i)])
END
python3 "$T/bars.py" "$T/huge" 2>"$T/err" || fail "$(tail -n 1 "$T/err")"

# Fields that are hostile, or too long: escaped, and cut at a character.
mkdir "$T/hostile" || exit 1
{
	rows_metadata
	cat <<-'END'
	event { name = "p:begin"; id = 0; stream_id = 0;
		fields := struct { u32 k; string s; }; };
	event { name = "p:end"; id = 1; stream_id = 0;
		fields := struct { u32 k; }; };
	END
} >"$T/hostile/metadata"
python3 - "$T/hostile/c_0" <<'END' || fail "python3"
import struct, sys
body = b""
for i, s in enumerate((b"\x1b[2J\x07\n", "\u20ac".encode() * 100)):
    t = 10 ** 9 * (1 + 3 * i)
    body += struct.pack("<IQI", 0, t, i) + s + b"\0"
    body += struct.pack("<IQI", 1, t + 10 ** 9, i)
n = 64 + len(body)
open(sys.argv[1], "wb").write(struct.pack("<IIQQQQQQQ", 0xc1fc1fc1, 0, 0,
    10 ** 9, 9 * 10 ** 9, 8 * n, 8 * n, 0, 0) + body)
END
LC_ALL=C utctl stat -d "$T/hostile" >"$T/out" || fail "hostile"
grep -q '  p  { k = 0, s = "\\x1b\[2J\\x07\\n" }$' "$T/out" ||
    fail "hostile: $(cat "$T/out")"
python3 - "$T/out" <<'END' || fail "not UTF-8, or too long: $(cat "$T/out")"
import sys
for line in open(sys.argv[1], "rb"):
    text = line.decode("utf-8")
    assert len(line) < 330 and "\x1b" not in text
assert "\u20ac..." in open(sys.argv[1], encoding="utf-8").read()
END
# In JSON they are whole, or if they are much too long, not there.
for n in 60000 70000; do
	python3 - "$T/hostile/c_0" $n <<-'END' || fail "python3"
	import struct, sys
	body = (struct.pack("<IQI", 0, 10 ** 9, 1) + b"x" * int(sys.argv[2]) +
	    b"\0" + struct.pack("<IQI", 1, 2 * 10 ** 9, 1))
	n = 64 + len(body)
	open(sys.argv[1], "wb").write(struct.pack("<IIQQQQQQQ", 0xc1fc1fc1, 0,
	    0, 10 ** 9, 9 * 10 ** 9, 8 * n, 8 * n, 0, 0) + body)
	END
	utctl stat -dj "$T/hostile" >"$T/out" || fail "$n bytes"
	python3 - "$T/out" $n <<-'END' || fail "$n: $(cut -c 1-999 "$T/out")"
	import json, sys
	n = int(sys.argv[2])
	fields = json.load(open(sys.argv[1]))["slowest"][0].get("fields")
	assert (fields is None) == (n > 65536)
	assert fields is None or fields["s"] == "x" * n
	END
done
exit 0
