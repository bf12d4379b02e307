# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl export: python3 parses what it writes, and compares it with what view
# and stat say of the same events.

. ./common.sh
need python3

cat >"$T/check.py" <<'E' || exit 1
import decimal, json, os, subprocess, sys

dir, mode, options = sys.argv[1], sys.argv[2], sys.argv[3:]
select = [o for o in options]
while "-D" in select:
    i = select.index("-D")
    del select[i:i + 2]
SUFFIXES = (("_begin", "_end"), ("_entry", "_exit"), (":entry", ":exit"))

def utctl(*args):
    p = subprocess.run(("utctl",) + args + (dir,), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    assert p.returncode == 0, (args, p.returncode, p.stderr)
    return p.stdout.decode()

def number(s):
    return decimal.Decimal(s)

def ns(e):
    t = e["ts"] * 1000
    assert t == int(t), e
    return start + int(t)

view = [json.loads(l) for l in utctl("view", "-j", *select).splitlines()]
losses = [v for v in view if "ns" not in v]
# Until when events were lost, of those that had been told of.
lossy = -1
for v in view:
    v["lossy"] = lossy = max(lossy, int(v.get("to", -1)),
        int(v.get("before", -1)))
view = [v for v in view if "ns" in v]
names = {v["event"] for v in view}
chrome = json.loads(utctl("export", *options), parse_float=number)
assert chrome["displayTimeUnit"] == "ns"
other = chrome["otherData"]
start = int(other["start_ns"])
events = chrome["traceEvents"]
by = {}
for e in events:
    by.setdefault(e["ph"], []).append(e)
times = [ns(e) for e in events if e["ph"] != "M"]
assert times == sorted(times), "not in the order of time"
assert losses or start in [int(v["ns"]) for v in view]

# Names, each before the first event.
seen = set()
for e in events:
    if e["ph"] == "M":
        seen.add((e["name"], e["pid"], e["tid"], e["args"]["name"]))
    elif e.get("s") != "g":
        assert any(s[0] == "process_name" and s[1] == e["pid"] for s in seen)
        assert any(s[0] == "thread_name" and s[1:3] == (e["pid"], e["tid"])
            for s in seen)
want = {("process_name", v["vpid"], v["vpid"], v["procname"]) for v in view}
want |= {("thread_name", v["vpid"], v["vtid"], v.get("thread") or
    v["procname"]) for v in view}
assert seen <= want and (options or losses or seen == want), seen ^ want

# What each event is by its name alone.
def pair_of(name):
    for b, e in SUFFIXES:
        if name.endswith(b) and name[:-len(b)] + e in names:
            return name[:-len(b)], 0
        if name.endswith(e) and name[:-len(e)] + b in names:
            return name[:-len(e)], 1
    return None, 0

keyed = [options[i + 1].split(",") for i, o in enumerate(options) if o == "-D"]
keyed = {n: k[:2] for k in keyed for n in k[:2]}
instants, begins = [], []
for v in view:
    p, ends = pair_of(v["event"])
    args = {k: v[k] for k in ("fields", "context", "event_context") if k in v}
    what = (int(v["ns"]), v["vpid"], v["vtid"])
    if v["event"] in keyed:
        assert v["lossy"] == -1
        if v["event"] == keyed[v["event"]][0]:
            begins.append(what + (",".join(keyed[v["event"]]), args))
    elif p is None:
        instants.append(what + (v["event"], args))
    elif not ends and int(v["ns"]) <= v["lossy"]:
        # What ends it may be among what was lost.
        instants.append(what + (v["event"], args))
    elif not ends:
        f = v["fields"]
        name = p
        if p in ("func", "call"):
            name = f.get("addr_sym", "0x%x" % f["addr"])
        begins.append(what + (name, args))
def told(list):
    return [(ns(e), e["pid"], e["tid"], e["name"], e["args"]) for e in list]
def same(a, b, what):
    a, b = (sorted(json.dumps(x) for x in l) for l in (a, b))
    assert a == b, (what, len(a), len(b), sorted(set(a) ^ set(b))[:4])
same(told(e for e in by.get("i", ()) if e["s"] == "t"), instants, "instants")
same(told(e for e in events if e["ph"] in "Bb"), begins, "begins")

# Bars nest; those that ended have times, and stacks.
stacks, calls, total, folded = {}, {}, {}, {}
bars = []
for e in events:
    stack = stacks.setdefault((e["pid"], e["tid"]), [])
    if e["ph"] == "B":
        stack.append([e, 0])
    elif e["ph"] == "E":
        b, inner = stack.pop()
        # speedscope ends nothing at an E of another name, or of none.
        assert e["name"] == b["name"], (b, e)
        bars.append((ns(b), ns(e)))
        if "args" not in e:
            continue
        assert set(e["args"]) == {"end"}
        took = ns(e) - ns(b)
        if stack:
            stack[-1][1] += took
        n = b.get("cat", b["name"]), b["name"]
        calls[n] = calls.get(n, 0) + 1
        prog = [s[3] for s in seen if s[:2] == ("process_name", e["pid"])][0]
        path = ";".join(s.replace(" ", "_").replace(";", ":") for s in
            [prog] + [s[0]["name"] for s in stack] + [b["name"]])
        folded[path] = folded.get(path, 0) + took - inner
opened, done = {}, set()
for e in events:
    if e["ph"] == "b":
        assert e["id"] not in done and e["id"] not in opened
        opened[e["id"]] = e
    elif e["ph"] == "e":
        b = opened.pop(e["id"])
        done.add(e["id"])
        assert (b["cat"], b["name"], b["pid"]) == (e["cat"], e["name"],
            e["pid"])
        n = b["cat"], b["name"]
        if "args" in e:
            calls[n] = calls.get(n, 0) + 1

assert other["discarded"] == sum(e["args"]["count"] for e in by.get("i", ())
    if e["name"] == "events discarded")
lines = utctl("export", "-F", "folded", *options).splitlines()
got = {l.rsplit(" ", 1)[0]: int(l.rsplit(" ", 1)[1]) for l in lines}
assert len(got) == len(lines)
stat = json.loads(utctl("stat", "-d", "-j", *options))
assert other["discarded"] == stat["discarded"]
selfs = {}
for path, t in got.items():
    n = path.rsplit(";", 1)[1]
    selfs[n] = selfs.get(n, 0) + t
keynames = {",".join(k) for k in keyed.values()}
for p in stat["pairs"]:
    n = p["by"]["pair"]
    short = n.split(" ", 1)[-1].replace(" ", "_")
    if n not in keynames:
        assert selfs.pop(short, 0) == int(p["self_ns"]), (n, p)
    if mode == "all":
        n = (n.split(" ", 1) * 2)[:2]
        assert calls.pop(tuple(n)) == p["calls"], (n, p)
assert not selfs, selfs
if mode == "all":
    assert not calls, calls
    assert {k: v for k, v in folded.items() if v} == got
else:
    # No bar is open while events are lost.
    lost = [(ns(e), start + int(e["args"]["until"] * 1000))
        for e in by["i"] if e["s"] == "g"]
    assert lost
    assert not any(b <= y and e > x for b, e in bars for x, y in lost)
    # What is open when a loss begins is cut there, as the events say; what
    # begins meanwhile is no bar.
    func = {(v["fields"]["addr"], v["event"]): v for v in view
        if v["event"].startswith("func:")}
    b = int(func[0x1000, "func:entry"]["ns"])
    assert [x for x in bars if x[0] == b] == \
        [(b, min(x for x, y in lost if x > b))], "bar"
    b = int(func[0x1010, "func:entry"]["ns"])
    within = any(x <= b <= y for x, y in lost)
    assert within == (not [x for x in bars if x[0] == b]), "bar within"
print(len(view), len(by.get("B", ())), len(by.get("E", ())),
    len(by.get("b", ())), len(by.get("e", ())), len(got))
E

# check MODE OPTION...: and what there was of each kind.
check() {
	mode=$1
	shift
	python3 "$T/check.py" "$T/trace" "$mode" "$@" >"$T/counts" \
	    2>"$T/err" || fail "export $*: $(tail -n 3 "$T/err")"
	read -r nview nB nE nb ne nfolded <"$T/counts"
}

recorded -- ./prog/pairs
[ "$lost" -eq 0 ] || fail "$lost lost"
check all
[ $nview -eq "$events" ] && [ $nB -eq 356 ] && [ $nE -eq 355 ] &&
    [ $nfolded -ge 4 ] || fail "counts: $(cat "$T/counts")"
check all -N
check all -t '*' -e 'work:*' -e 'call:*'
check all -e 'call:*' -x 'call:none'
# Ends that are not selected: the beginnings are instants.
check all -e 'work:*_begin'
[ $nB -eq 0 ] || fail "B without E: $(cat "$T/counts")"
check all -D req:start,req:done,id
[ "$nb $ne" = "5 4" ] || fail "by a key: $(cat "$T/counts")"
check all -D req:start,req:done,key -e 'req:*'
[ "$nB $nb $ne" = "0 5 4" ] || fail "only by a key: $(cat "$T/counts")"

# An end without the field: there are no bars, and that is said as stat says it.
field=req:start,work:outer_end,id
for c in 'export' 'export -F folded' 'stat' 'view -i'; do
	utctl $c -D $field "$T/trace" >"$T/out" 2>"$T/err" || fail "$c: -D"
	grep -qx 'utctl: -D work:outer_end: the event has no field id' \
	    "$T/err" || fail "$c: $(cat "$T/err")"
done
utctl export -D $field -D req:start,work:none,id "$T/trace" 2>"$T/err" |
    grep -q '"ph":"[be]"' && fail "bars of what never ends"
grep -qx "utctl: -D 'work:none': no event of the trace has such a name" \
    "$T/err" || fail "no such event: $(cat "$T/err")"
utctl export -D req:start,req:done,id -e req:start "$T/trace" |
    grep -q '"ph":"[be]"' && fail "bars whose ends are not selected"

# A filter of the beginning brings the end, too.
nested() {
	utctl export -e 'work:outer*' -f "$1" "$T/trace" | python3 -c '
import json, sys
depth, n = {}, 0
for e in json.load(sys.stdin)["traceEvents"]:
    w = e["pid"], e["tid"]
    depth[w] = depth.get(w, 0) + {"B": 1, "E": -1}.get(e["ph"], 0)
    assert depth[w] >= 0
    n += e["ph"] == "B"
print(n, sum(depth.values()))'
}
[ "$(nested 'kind == "nested"')" = "47 0" ] || fail "-f: $(nested \
    'kind == "nested"')"
[ "$(nested 'n < 0')" = "1 1" ] || fail "-f: $(nested 'n < 0')"
# So do stacks, as stat counts them.
utctl export -F folded -e 'work:outer*' -f 'kind == "nested"' "$T/trace" |
    awk '{ n += $2 } END { printf "%d\n", n }' >"$T/got"
utctl stat -d -j -e 'work:outer*' -f 'kind == "nested"' "$T/trace" |
    sed 's/"slowest".*//; s/.*"self_ns":"\([0-9]*\)".*/\1/' >"$T/want"
cmp -s "$T/got" "$T/want" || fail "folded -f: $(cat "$T/got" "$T/want")"

# Strings and names of all bytes; a name of a program and of a pair that would
# end the string, or the stack.
cp -R "$T/trace" "$T/odd"
chmod -R u+w "$T/odd"
meta=$(find "$T/odd" -name metadata)
sed 's/"work:outer_/"work;o \\"ut\\\\er\\n_/; s/"call:/"\\377\\302\\233:/
s/"req:start"/"\\t\\001[31m"/' "$meta" >"$T/meta" && cp "$T/meta" "$meta"
utctl export "$T/odd" >"$T/out" || fail "odd: status $?"
python3 -c '
import json, sys
names = {e.get("name") for e in json.load(open(sys.argv[1]))["traceEvents"]}
assert "work;o \"ut\\er\n" in names, names
assert "\t\x01[31m" in names, names
' "$T/out" 2>"$T/err" || fail "odd: $(cat "$T/err")"
utctl export -F folded "$T/odd" >"$T/out" || fail "odd: status $?"
LC_ALL=C grep -q '[^ -~]' "$T/out" && fail "odd: raw: $(cat "$T/out")"
grep -v '^[^ ;][^ ]* [0-9][0-9]*$' "$T/out" && fail "odd: $(cat "$T/out")"
grep -q '^pairs;work:o_"ut' "$T/out" || fail "odd: $(cat "$T/out")"
cp prog/quote "$T/q\"\\;u
" || fail "cp"
bytes=$(awk 'BEGIN { for (i = 1; i < 256; i++) printf "%c", i }')
recorded -- "$T/q\"\\;u
" "$bytes" "$(printf '\303(\355\240\200')"
check all
[ $nview -eq 4 ] || fail "$nview strings"

# What is damaged, or not read to its end.
recorded -- ./prog/pairs 200
for f in $(find "$T/trace" -name '*_*' -type f); do
	size=$(wc -c <"$f")
	dd if="$f" of="$T/cut" bs=1 count=$((size * 2 / 3)) 2>/dev/null
	cp "$T/cut" "$f"
done
utctl export "$T/trace" >"$T/out" 2>"$T/err" && fail "damage: status 0"
grep -q . "$T/err" || fail "damage is not told"
python3 -c 'import json, sys
json.load(open(sys.argv[1]))' "$T/out" 2>"$T/err" ||
    fail "damage: $(tail -n 1 "$T/err")"
: >"$(find "$T/trace" -name metadata)"
utctl export "$T/trace" >"$T/out" 2>/dev/null && fail "no metadata: status 0"
python3 -m json.tool "$T/out" >/dev/null 2>&1 || fail "no metadata: no JSON"

# Where events of another channel are lost; nobody makes room.
seen() {
	utctl view -N "$T/trace" 2>/dev/null | grep -q "$1"
}
start_utd
rm -rf "$T/trace"
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-channel -b 4k -n 4 c && utctl enable-channel func &&
    utctl enable-event -c c 'work:*' >/dev/null &&
    utctl enable-event -c func 'func:*' >/dev/null &&
    utctl start >/dev/null || fail "loss"
mkfifo "$T/fifo"
background sh -c 'exec ./prog/named <"$1"' sh "$T/fifo"
exec 3>"$T/fifo"
echo 'entry 0x1000 0x1' >&3
until_ok seen 'func:entry' || fail "not recorded"
./prog/pairs 0 || fail "pairs: $?"
stuck=$(consumers)
kill -STOP $stuck
./prog/pairs 2000 || fail "pairs: $?"
echo 'entry 0x1010 0x1' >&3
sleep 0.2
kill -CONT $stuck
until_ok seen '0x1010' || fail "not recorded"
./prog/pairs 100 || fail "pairs: $?"
printf 'exit 0x1010 0x1\nexit 0x1000 0x1\n' >&3
exec 3>&-
wait $LAST
utctl stop s >/dev/null || fail "stop"
stop_utd || fail "utd: status $?"
check loss
[ $nE -gt 100 ] || fail "loss: $(cat "$T/counts")"

# What cannot be.
complains '-F svg: there are chrome and folded' utctl export -F svg "$T/trace"
complains "pair 'a:b': not an event" utctl export -D a:b "$T/trace"
complains 'nothing: No such file' utctl export "$T/nothing"
expect 0 'no pairs of events that ended: see -D in utctl-view(1)$' \
    utctl export -F folded -e work:alone_begin "$T/trace"

# Names of functions.
case $CC,$CFLAGS in
*-m32*|*-fsanitize*)	;;
*)	$CC -finstrument-functions -o "$T/funcs" prog/funcs.c \
	    "$TOP/libut/libut-func.o" "$TOP/libut/libut.a" $LIBS ||
	    fail "cannot build funcs"
	recorded -b 64k -n 512 -e 'func:*' -e ut:module -- "$T/funcs"
	[ "$lost" -eq 0 ] || fail "$lost lost"
	check all
	utctl export -F folded "$T/trace" >"$T/out"
	if grep -q '"addr_sym"' <<-END
	$(utctl view -j -n 20 "$T/trace")
	END
	then
		grep -q '^funcs;.*(funcs);.*(funcs) [0-9]*$' "$T/out" ||
		    fail "no names: $(head -n 3 "$T/out")"
		utctl export -N "$T/trace" | grep -q '_sym' && fail "-N"
		check all -N
	fi ;;
esac

# What is in memory does not grow with the trace.
case $CFLAGS in
*-fsanitize*)	exit 0 ;;
esac

# Two functions whose names differ at the end alone: what is cut is marked, and
# they stay two.
long_names() {
awk 'BEGIN {
	for (i = 0; i < 1400; i++)
		a = a "a"
	print "#include <stdlib.h>"
	for (i = 1; i <= 2; i++)
		print "__attribute__((noinline)) void *" a i "(void);\nvoid *" a i \
		    "(void) { void *volatile p = malloc(" i "000); return p; }"
	print "int main(void) {\nfree(" a "1()); free(" a "2()); return 0; }"
}' >"$T/long.c"
$CC $CFLAGS -g -finstrument-functions -rdynamic -o "$T/long" "$T/long.c" ||
    fail "cannot build long"
recorded -w func,malloc -- "$T/long"
utctl export -F folded "$T/trace" | grep -c ';aaa[^ ]*#' >"$T/out"
[ "$(cat "$T/out")" = 2 ] || fail "folded: $(cat "$T/out") of 2 functions"
utctl stat -d -e 'func:*' "$T/trace" >"$T/out" || fail "long: stat"
awk '/^ *calls / { on = 1 } on && NF == 0 { exit } on' "$T/out" |
    grep -c aaa >"$T/n"
[ "$(cat "$T/n")" = 2 ] || fail "long: $(cat "$T/out")"
utctl heap -a "$T/trace" >"$T/out" || fail "long: heap"
[ "$(grep -o 'aaaaaa*\.\.\.#[0-9a-f]*$' "$T/out" | sort -u | wc -l)" -eq 2 ] ||
    fail "long: $(cat "$T/out")"
}
# With UT_POSIX there are no modules, and so no names.
case $CFLAGS in
*-DUT_POSIX*)	;;
*)		long_names ;;
esac

[ -r /proc/self/status ] || exit 0
recorded -b 64k -n 512 -- ./prog/pairs 12000
python3 - "$T/trace" >"$T/out" 2>&1 <<'E' || fail "memory: $(cat "$T/out")"
import subprocess, sys
args = ["utctl", "export", sys.argv[1]]
size = len(subprocess.run(args, stdout=subprocess.PIPE).stdout)
assert size > 8 << 20, size
p = subprocess.Popen(args, stdout=subprocess.PIPE)
def most():
    for l in open("/proc/%d/status" % p.pid):
        if l.startswith("VmHWM:"):
            return int(l.split()[1])
left = size - len(p.stdout.read(2 << 20))
begin = most()
p.stdout.read(left - (1 << 20))
end = most()
p.stdout.read()
assert p.wait() == 0
print(size, begin, end)
assert end - begin < 256, "grows"
E
cat "$T/out"
