# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl report: the page has the figures of the other commands, nothing in a
# trace becomes markup or script, and a large trace makes no large page.

. ./shared/gone.sh
. ./shared/heaps.sh
. ./shared/stacks.sh
need python3

# page DIR OPTION...: the page of a trace, and the figures of it.
page() {
	dir=$1
	shift
	utctl report "$@" "$dir" >"$T/page.html" 2>"$T/err" ||
	    fail "report: $(cat "$T/err")"
	utctl stat -j "$dir" >"$T/stat" 2>/dev/null &&
	    utctl stat -d "$@" -j "$dir" >"$T/pairs" 2>/dev/null &&
	    utctl heap -j "$dir" >"$T/heap" 2>/dev/null &&
	    utctl locks -j "$dir" >"$T/locks" 2>/dev/null || fail "-j"
}
# same KIND...: in which the page has the same.
same() {
	for k; do
		set -- "$@" "$k=$T/$k"
		shift
	done
	python3 shared/page.py "$T/page.html" "$@" >"$T/size" 2>"$T/err" ||
	    fail "$*: $(tail -n 3 "$T/err")"
}

utctl record -o "$T/a" -- ./prog/pairs 50 2>"$T/err" || fail "$(cat "$T/err")"
page "$T/a"
same stat pairs
page "$T/a" -D req:start,req:done,id
same stat pairs
grep -q '"fields":"{ n = [0-9]*, kind = \\"[ab]\\" }"' "$T/page.html" ||
    fail "no fields of a beginning"
utctl record -o "$T/b" -e 'libc:*' -e 'pthread:*' -- ./prog/calls \
    2>"$T/err" <<'END' || fail "$(cat "$T/err")"
1 mutex_request 0x100 0xc1
1 mutex_acquired 0x100 0xc1
2 mutex_request 0x100 0xc2
1 malloc 1000 0x1000 0xa1
2 malloc 5000 0x4000 0xa2
1 malloc 70 0x8000 0xa1
1 free 0x4000 0xa3
1 mutex_release 0x100 0xc9
2 mutex_acquired 0x100 0xc2
2 mutex_release 0x100 0xc9
END
page "$T/b"
same stat heap locks
grep -q '"took":[0-9]*,"begin":[0-9]*,"track":[0-9],"lock":[0-9]*,"caller":"0xc2"'\
',"by":[0-9]*,"by_caller":"0xc1"' "$T/page.html" || fail "who held the lock"

# data: an expression of Python about the data of the page is true.
data() {
	sed -n 's/.*id="data">//p' "$T/page.html" | sed 's,</script>$,,' |
	    python3 -c 'import json, sys; j = json.load(sys.stdin); assert \
	    eval("(" + sys.argv[1] + ")"), [sys.argv[1], {k: j.get(k) for k in
	    ("losses", "locks", "heap", "waits")}]' "$1" 2>"$T/err" ||
	    fail "$(tail -n 1 "$T/err")"
}
# Who has most at the end had not most at the peak; the lock that is waited for
# is not among the first.
awk 'BEGIN {
	for (i = 0; i < 20; i++)
		print "1 malloc 100000", 4096 * (i + 1), 5000 + i
	for (i = 0; i < 19; i++)
		print "1 free", 4096 * (i + 1), 1
	for (i = 0; i < 9; i++)
		print "1 malloc 150000", 4096 * (i + 100), 57005
	for (i = 0; i < 400; i++) {
		print "1 mutex_request", 4096 + 64 * i, 1
		print "1 mutex_acquired", 4096 + 64 * i, 1
		print "1 mutex_release", 4096 + 64 * i, 1
	}
	print "1 mutex_request 9437184 1\n1 mutex_acquired 9437184 1"
	print "2 mutex_request 9437184 2"
	for (i = 0; i < 3000; i++)
		print "3 say wait"
	print "1 mutex_release 9437184 1\n2 mutex_acquired 9437184 2"
}' | utctl record -o "$T/c" -e 'libc:*' -e 'pthread:*' -- ./prog/calls \
    >/dev/null 2>"$T/err" || fail "$(cat "$T/err")"
page "$T/c"
same stat heap locks
data 'j["heap"][0]["keeper"] == "0xdead" and
    [c["bytes"] for c in j["heap"][0]["callers"]].count(9 * 150000) == 1'
data 'len(j["locks"]) == 300 and j["locks"][0]["name"] == "0x900000" and
    [w["lock"] for w in j["waits"]] == [j["locks"][0]["number"]]'
# All losses are marked, though there are many, and none beyond its time.
awk 'BEGIN {
	for (i = 0; i < 1200; i++)
		print "c_0 0", 10 * i + 1, 10 * i + 5, i, i, 0, 10 * i + 1, 1, \
		    1, 10 * i + 5, 1
}' >"$T/in"
trace many <"$T/in"
utctl report "$T/many" >"$T/page.html" || fail "losses"
data 'len(j["losses"]) <= 500 and sum(l[4] for l in j["losses"]) == 1199 ==
    sum(l[2] for l in j["losses"]) and j["losses"][-1][1] == j["length"] and
    max(l[1] - l[0] for l in j["losses"]) < 200 * 10 ** 9'
# Of two threads that had the same place one after the other, one lost events.
utctl record -m discard -b 4k -n 4 -o "$T/whose" -- \
    sh -c './prog/seq 1 1 200000; ./prog/seq 2 1 1' >/dev/null 2>"$T/err" ||
    fail "$(cat "$T/err")"
page "$T/whose"
data '[t["events"] > 1 for t in j["tracks"] if t["lost"] > 0] in ([True],
    [True][len(j["losses"]) <= 3:]) and
    sum(t["lost"] for t in j["tracks"]) <= j["discarded"] and
    {l[5] for l in j["losses"]} <= {-1, *(i for i, t in
    enumerate(j["tracks"]) if t["lost"] > 0)}'
# A loss between packets of two threads may be of either.
mkdir "$T/either" || fail "mkdir"
python3 - "$T/either" <<'END' || fail "either"
import struct, sys
open(sys.argv[1] + "/metadata", "w").write("""/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
trace { major = 1; minor = 8; byte_order = le;
	packet.header := struct { u32 magic; }; };
stream { packet.context := struct { u64 timestamp_begin; u64 timestamp_end;
	u64 content_size; u64 packet_size; u64 events_discarded;
	u32 vpid; u32 vtid; };
	event.header := struct { u64 timestamp; }; };
event { name = "p:x"; fields := struct { u32 k; }; };
""")
with open(sys.argv[1] + "/c_0", "wb") as f:
    for i, (tid, lost) in enumerate([(7, 0), (7, 3), (8, 8), (8, 19)]):
        f.write(struct.pack("<I5Q2I" "QI", 0xC1FC1FC1, 100 * i + 1,
            100 * i + 9, 64 * 8, 64 * 8, lost, 7, tid, 100 * i + 5, 0))
END
page "$T/either"
data '[(l[2], l[5] < 0) for l in j["losses"]] == [(3, False), (5, True),
    (11, False)] and [(t["tid"], t["lost"]) for t in j["tracks"]] ==
    [(7, 3), (8, 11)]'

# Two programs of two containers have the same IDs; one of the programs executes
# another one.  And durations on both sides of the least one of a bar.
mkdir "$T/same" "$T/octaves" || fail "mkdir"
took='1, 2, 3, 4, 5, 1023, 1024, 1030, 1448, 1449, 2048, 4095, 4096'
python3 - "$T" "$took" <<'END' || fail "same"
import struct, sys
def write(path, pairs):
    with open(path, "wb") as f:
        for program, begin, end, n in pairs:
            f.write(struct.pack("<I4Q2I8s" "QII" "QII", 0xC1FC1FC1, begin, end,
                84 * 8, 84 * 8, 1, 1, program, begin, 0, n, end, 1, n))
for name in "same", "octaves":
    open(sys.argv[1] + "/" + name + "/metadata", "w").write("""/* CTF 1.8 */
typealias integer { size = 8; align = 8; encoding = UTF8; } := char;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
trace { major = 1; minor = 8; byte_order = le;
	packet.header := struct { u32 magic; }; };
stream { packet.context := struct { u64 timestamp_begin; u64 timestamp_end;
	u64 content_size; u64 packet_size; u32 vpid; u32 vtid;
	char procname[8]; };
	event.header := struct { u64 timestamp; u32 id; }; };
event { name = "p:x_begin"; id = 0; fields := struct { u32 n; }; };
event { name = "p:x_end"; id = 1; fields := struct { u32 n; }; };
""")
write(sys.argv[1] + "/same/a", [(b"alpha", 100, 900, 111)])
write(sys.argv[1] + "/same/b", [(b"beta", 200, 350, 222),
    (b"gamma", 1000, 1007, 333)])
write(sys.argv[1] + "/octaves/a", [(b"p", 10000 * i, 10000 * i + t, t)
    for i, t in enumerate(eval(sys.argv[2]), 1)])
END
page "$T/same"
same stat pairs
data '[(s["took"], s["fields"], j["tracks"][s["track"]]["name"])
    for s in j["slowest"]] == [(800, "{ n = 111 }", "alpha"),
    (150, "{ n = 222 }", "beta"), (7, "{ n = 333 }", "gamma")] and
    sorted((t["name"], t["pid"], t["tid"], t["events"]) for t in j["tracks"])
    == [(n, 1, 1, 2) for n in ("alpha", "beta", "gamma")]'
# Each program has the time of its own pair.
data '(lambda v: sorted(zip((n for n in v[1::3] if n != "p:x" and
    isinstance(n, str)), [own for own in v[2::3] if own > 0])))
    (j["flames"][0]["nodes"]) ==
    [("alpha", 800), ("beta", 150), ("gamma", 7)]'
# Programs of two hosts are two in flame graphs, as in stacks.
for host in ha hb; do
	cp -R "$T/same" "$T/$host" || fail "cp"
	echo "env { hostname = \"$host\"; };" >>"$T/$host/metadata"
done
utctl report "$T/ha" "$T/hb" >"$T/page.html" || fail "hosts"
data 'sorted(n for n in j["flames"][0]["nodes"][1::3] if isinstance(n, str) and
    n != "p:x") == '"$(utctl export -F folded "$T/ha" "$T/hb" |
    sed 's/;.*//' | sort | tr '\n' ' ' | sed "s/.*/'&'.split()/")"
page "$T/octaves"
same stat pairs
data '(lambda h: {r: h[2 * i + 1] for i, r in enumerate(h[::2])} ==
    {r: sum(2 ** r <= t * t < 2 ** (r + 1) for t in ('"$took"'))
    for r in h[::2]})(j["pairs"][0]["hist"])'

# The fields of the event that began a pair with a key, or a deep one.
mkdir "$T/keyed" "$T/deep" || fail "mkdir"
{
	rows_metadata
	id=0
	for event in q:open q:close p:x_begin p:x_end; do
		echo "event { name = \"$event\"; id = $id; stream_id = 0;" \
		    "fields := struct { u16 k; u16 n; }; };"
		id=$((id + 1))
	done
} | tee "$T/keyed/metadata" >"$T/deep/metadata"
awk 'BEGIN {
	printf "c_0 0 1 999 0 0"
	for (i = 1; i <= 4; i++)
		printf " 0 %d %d", i, 65536 + i
	for (i = 4; i > 0; i--)
		printf " 1 %d %d", 100 - 10 * i, 65536 * 2 + i
	print "" }' | rows keyed
page "$T/keyed" -D q:open,q:close,k
same stat
slowest_agree() {
	python3 - "$T/page.html" "$T/pairs" 2>"$T/err" <<-'END' ||
	import json, re, sys
	page = json.loads(re.search('id="data">(.*?)</script>', open(
	    sys.argv[1], encoding="utf-8").read(), re.DOTALL).group(1))
	stat = json.load(open(sys.argv[2]))["slowest"]
	first = page["first"] if isinstance(page["first"], int) else 	    int(page["first"])
	want = {(int(s["ns"]), int(s["began"]) - first):
	    "{ " + ", ".join("%s = %s" % f for f in s["fields"].items()) + " }"
	    for s in stat}
	got = {(s["took"], s["begin"]): s["fields"] for s in page["slowest"]}
	assert len(stat) > 1 and {k: got.get(k) for k in want} == want, 	    (got, want)
	END
	    fail "$(tail -n 1 "$T/err")"
}
slowest_agree
awk 'BEGIN {
	printf "c_0 0 1 999 0 0"
	for (i = 1; i <= 300; i++)
		printf " 2 %d %d", i, 65536 + i
	for (i = 300; i > 290; i--)
		printf " 3 %d %d", 10 * (340 - i), 65536 * 2 + i
	print "" }' | rows deep
page "$T/deep"
slowest_agree

# Functions have the same address, or name, though their pairs have other names.
mkdir "$T/functions" || fail "mkdir"
{
	rows_metadata
	id=0
	for event in func:entry func:exit gate:entry gate:exit; do
		echo "event { name = \"$event\"; id = $id; stream_id = 0;" \
		    "fields := struct { u32 addr; }; };"
		id=$((id + 1))
	done
} >"$T/functions/metadata"
echo 'c_0 0 1 20 0 0 0 1 9 1 2 9 2 3 9 3 9 9 0 11 7 1 14 7' | rows functions
page "$T/functions"
data 'sorted((p["name"].split(" ")[-1], p["calls"], p["total"] // 10 ** 9,
    sum(p["heat"][2::3])) for p in j["pairs"]) ==
    [("0x7", 1, 3, 1), ("0x9", 1, 1, 1), ("0x9", 1, 6, 1)] and
    len({p["name"] for p in j["pairs"]}) == 3'

# What has a row keeps it when there is no room for others any more.
mkdir "$T/rest" "$T/again" || fail "mkdir"
{
	rows_metadata
	id=0
	for event in entry exit; do
		echo "event { name = \"func:$event\"; id = $id;" \
		    "stream_id = 0; fields := struct { u32 addr; }; };"
		id=$((id + 1))
	done
} >"$T/rest/metadata"
awk 'BEGIN {
	printf "c_0 0 1 9999 0 0"
	for (i = 0; i < 2000; i++)
		printf " 0 %d %d 1 %d %d", 2 * i + 1, i < 1500 ? i : 7, \
		    2 * i + 2, i < 1500 ? i : 7
	print "" }' | rows rest
page "$T/rest"
data 'len(j["pairs"]) == 1025 and {p["name"]: p["calls"] for p in j["pairs"]
    if p["calls"] > 1} == {"0x7": 501, "(other pairs)": 476}'
data '[own for name, own in zip(j["flames"][0]["nodes"][1::3],
    j["flames"][0]["nodes"][2::3]) if name == "0x7"] == [501 * 10 ** 9]'
for name in rest again; do
	awk -v name=$name 'BEGIN {
		for (i = 0; i < (name == "rest" ? 1100 : 1); i++)
			print "event { name = \"e:" i "\"; id = " i \
			    "; stream_id = 0; fields := struct { u32 n; }; };"
	}' >"$T/in"
	rm -f "$T/$name/c_0"
	{ rows_metadata; cat "$T/in"; } >"$T/$name/metadata"
done
awk 'BEGIN {
	printf "c_0 0 1 1100 0 0"
	for (i = 0; i < 1100; i++)
		printf " %d %d 1", i, i + 1
	print "" }' | rows rest
echo "c_0 9 2000 2002 0 0 0 2000 1 0 2001 1" | rows again
utctl report "$T/rest" "$T/again" >"$T/page.html" || fail "rest"
data 'len(j["by_event"]) == 1025 and {e["name"]: e["events"]
    for e in j["by_event"] if e["events"] > 1} ==
    {"e:0": 3, "(other events)": 76}'
mkdir "$T/cpu" || fail "mkdir"
python3 - "$T/cpu" <<'END' || fail "cpu"
import struct, sys
open(sys.argv[1] + "/metadata", "w").write("""/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 64; align = 8; base = 16; } := address;
trace { major = 1; minor = 8; byte_order = le;
	packet.header := struct { u32 magic; }; };
stream { event.header := struct { u64 timestamp; };
	event.context := struct { u32 n; address callstack_user[n]; }; };
event { name = "cpu:sample"; fields := struct { u64 time; }; };
""")
with open(sys.argv[1] + "/stream", "wb") as f:
    f.write(struct.pack("<I", 0xC1FC1FC1))
    for i in range(2000):
        f.write(struct.pack("<QIQQQ", i, 2, 4096 + i if i < 1500 else 4096,
            9 if i < 1500 else i, 1000))
END
utctl report "$T/cpu" >"$T/page.html" || fail "cpu"
data '{v["name"]: v["ns"] for v in j["cpu"] if v["ns"] > 1000} ==
    {"0x1000": 501000, "other functions": 476000} and j["cpu_ns"] == 2000000'

# Functions of one name are those of their files.  The samples are written as
# events that have a number, which is their time.
if command -v nm >/dev/null; then
	echo 'int spin(int n) { return n * n + 1; }' >"$T/spin.c"
	for f in one two; do
		$CC $CFLAGS -shared -fPIC -Wl,--build-id=0x01020304 \
		    -o "$T/$f.so" "$T/spin.c" || fail "$f"
	done
	at=$(nm -P "$T/one.so" | awk '$1 == "spin" { print $3 }')
	stacks <<-END
	packet 7 7
	module 0x10000000 0x100000 $T/one.so 1 2 3 4
	def 1 0 0 $((0x10000001 + 0x$at))
	v 1 4000
	packet 8 8
	module 0x10000000 0x100000 $T/two.so 1 2 3 4
	v 1 3000
	v 1 2000
	END
	sed -e 's/"cpu:sample"/"e:none"/' -e '/"e:v"/{n;s/_n/_time/;}' \
	    "$ST/metadata" >"$T/in"
	sed 's/"e:v"/"cpu:sample"/' "$T/in" >"$ST/metadata"
	utctl report "$ST" >"$T/page.html" || fail "spin"
	data '[(v["name"], v["ns"]) for v in j["cpu"]] ==
	    [("spin (two.so)", 5000), ("spin (one.so)", 4000)]'
fi

# A heap lasts until the last event of its process, though another program is
# executed, or 128 other threads are busier.
heaps_trace "$T/heaps"
utctl report "$T/heaps" >"$T/page.html" || fail "heaps"
data 'sorted((h["name"], h["until"]) for h in j["heap"]) == [(name, us * 1000 //
    j["slot"]) for name, us in [("again", 700), ("again", 900), ("alpha", 200),
    ("beta", 1000), ("quiet", 500)]] and
    not any(t["cells"] for t in j["tracks"] if t["name"] == "quiet")'

# Of many threads, those that were longest in pairs are drawn, not the first.
awk 'BEGIN {
	printf "c_0 0 1 9999 0 0"
	for (i = 1; i <= 200; i++)
		printf " 0 %d %d 1 %d %d", 20 * i, i, 20 * i + i % 150 / 9, i
	print ""
}' >"$T/in"
trace threads <"$T/in"
utctl report "$T/threads" >"$T/page.html" || fail "threads"
data 'len(j["tracks"]) == 200 and [i for i, t in enumerate(j["tracks"])
    if t["cells"]][0] > 8 and {b for b in j["bars"][2::5]} ==
    {i for i, t in enumerate(j["tracks"]) if t["cells"]} and
    sum(1 for t in j["tracks"] if t["cells"]) == 128 and j["nbars"] == 200'

# Threads behind the first 2000 take no rows.
awk 'BEGIN {
	printf "c_0 0 1 9999 0 0"
	for (i = 1; i <= 2200; i++)
		printf " 0 %d %d 1 %d %d", 3 * i, i, 3 * i + 1 + (i > 2000), i
	print ""
}' >"$T/in"
trace behind <"$T/in"
utctl report "$T/behind" >"$T/page.html" || fail "behind"
data 'j["ntracks"] == 2200 and len(j["tracks"]) == 2000 and
    sum(1 for t in j["tracks"] if t["cells"]) == 128 and
    j["nbars"] == 2200 and j["nkept"] == 128'

# Ticks of threads that have no row do not count as cut.
awk 'BEGIN {
	printf "c_0 0 1 9999 0 0 2 1 1"
	for (i = 1; i <= 200; i++)
		printf " 2 %d %d 4 %d %d", i + 1, i, i + 1, i
	print "" }' >"$T/in"
trace ticks <"$T/in"
utctl report "$T/ticks" >"$T/page.html" || fail "ticks"
data '[(e["events"], e["events"] - e["undrawn"], e["number"])
    for e in j["by_event"] if e["name"] == "q:open"] == [(201, 129, 0)] and
    [w for w in j["instants"][4::5]] == [0] * 129'

# A process whose ID the trace does not tell.
echo 'c_0 0 1 9 0 0 4 1 65536 6 2 65536 7 3 65536 8 4 65536' >"$T/in"
trace nopid <"$T/in"
utctl report "$T/nopid" >"$T/page.html" || fail "nopid"
data 'len(j["heap"]) == len(j["locks"]) == 1 and
    not any("pid" in v for v in j["heap"] + j["locks"] + j["tracks"])'

# So are those that waited for a lock, though they have few events.
awk 'BEGIN {
	printf "c_0 0 1 9999 0 0 6 1 65836 7 1 65836 6 2 65837"
	for (i = 1; i <= 200; i++)
		printf " 2 %d %d 3 %d %d 2 %d %d", i + 2, i, i + 2, i, i + 2, i
	print " 8 400 65836 7 400 65837"
}' >"$T/in"
trace waiters <"$T/in"
utctl report "$T/waiters" >"$T/page.html" || fail "waiters"
data 'j["ntracks"] == 202 and j["shown"] == 128 and
    301 in [t["tid"] for t in j["tracks"] if t["cells"]]'

# A part of it.
utctl report -e 'work:outer*' "$T/a" >"$T/page.html" || fail "-e"
utctl stat -j -e 'work:outer*' "$T/a" >"$T/stat" || fail "stat -e"
same stat
utctl report -e 'no:*' "$T/a" >"$T/page.html" || fail "-e no:*"
python3 shared/page.py "$T/page.html" >/dev/null || fail "no events"
expect 1 'no/such: No such file' utctl report no/such
[ ! -s "$T/out" ] || fail "$(cat "$T/out")"

# Names of events, fields, hosts and programs, and strings, as bad as can be.
bad='</script><script>alert(1)</script><!--'
for name in "$bad" "$(printf '\342\200\256\342\200\250&quot;')" \
    "$(printf '\303(\200\377')" '"],}' '\u003cb\\"'; do
	rm -rf "$T/bad"
	cp -R "$T/a" "$T/bad" || fail "cp"
	for m in "$T"/bad/ust/uid/*/*-bit/metadata; do
		NAME=$name python3 - "$m" <<'END' || fail "metadata"
import os, re, sys
b = open(sys.argv[1], "rb").read()
name = re.sub(rb'["\\]', rb"\\\g<0>", os.environb[b"NAME"])
b = b.replace(b'"work:outer_', b'"' + name + b'_')
b = b.replace(b'"call:entry', b'"' + name)
b = re.sub(rb'(hostname = ")[^"]*', lambda m: m.group(1) + name, b)
open(sys.argv[1], "wb").write(b)
END
	done
	page "$T/bad"
	same
	[ "$(utctl stat "$T/bad" 2>/dev/null | head -n 1)" = \
	    "$(utctl stat "$T/a" | head -n 1)" ] || fail "$name: not read"
done
cp ./prog/pairs "$T/<img src=x onerror=alert(1)>" || fail "cp"
utctl record -o "$T/q" -- "$T/<img src=x onerror=alert(1)>" >/dev/null \
    2>"$T/err" || fail "record: $(cat "$T/err")"
page "$T/q"
same stat
grep -qi -e innerHTML -e outerHTML -e insertAdjacent -e document.write \
    -e 'eval *(' -e 'Function *(' -e 'src *=' -e 'http:' -e '@import' \
    "$TOP/utctl/report/page.js" "$TOP/utctl/report/page.css" |
    grep -v "'http://www.w3.org/2000/svg'" &&
    fail "the script, or the style, reaches out"

# What is drawn is aggregated.
utctl record -o "$T/large" -- ./prog/pairs 60000 2>"$T/err" ||
    fail "record: $(cat "$T/err")"
page "$T/large"
same stat pairs
read -r size kept locks <"$T/size"
[ "$size" -lt 4000000 ] && [ "$kept" -ge 40000 ] || fail "$(cat "$T/size")"
echo "SURVIVED: a page of $size bytes: $(utctl stat "$T/large" | head -n 1)"
