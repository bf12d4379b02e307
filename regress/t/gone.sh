# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Figures of traces that lack packets: the first of a stream, as with -W and in
# snapshots, some in the middle, and single events.  What is told of a pair, a
# block or a lock must be what really was, for the model knows what is missing.

. ./common.sh

# trace NAME: a trace of the packets on the standard input, as prog/rows.c reads
# them.  The field of an event is a thread and 65536 times the key.  If $user is
# set, the trace is a directory of that user's of one session.
user=
trace() {
	name=$1
	rm -rf "${T:?}/$name"
	mkdir "$T/$name" || exit 1
	cat >"$T/$name/metadata" <<-'END'
	/* CTF 1.8 */
	typealias integer { size = 16; align = 8; signed = false; } := u16;
	typealias integer { size = 32; align = 8; signed = false; } := u32;
	typealias integer { size = 64; align = 8; signed = false; } := u64;
	trace {
		major = 1; minor = 8; byte_order = le;
		packet.header := struct {
			u32 magic; u32 stream_id; u64 stream_instance_id;
		};
	};
	clock { name = c; freq = 1000000000; };
	typealias integer {
		size = 64; align = 8; signed = false; map = clock.c.value;
	} := ts;
	stream {
		id = 0;
		packet.context := struct {
			ts timestamp_begin; ts timestamp_end;
			u64 content_size; u64 packet_size;
			u64 packet_seq_num; u64 events_discarded;
		};
		event.header := struct { u32 id; ts timestamp; };
		event.context := struct { u16 vtid; };
	};
	END
	[ -z "$user" ] || cat >>"$T/$name/metadata" <<-END
	env {
		tracer_buffering_id = $user;
		trace_creation_datetime = "20260101T000000+0000";
	};
	END
	id=0
	for event in p:x_begin p:x_end q:open q:close libc:malloc libc:free \
	    pthread:mutex_request pthread:mutex_acquired pthread:mutex_release
	do
		case $event in
		libc:*)		field=ptr ;;
		pthread:*)	field=lock ;;
		*)		field=k ;;
		esac
		echo "event { name = \"$event\"; id = $id; stream_id = 0;" \
		    "fields := struct { u16 $field; }; };"
		id=$((id + 1))
	done >>"$T/$name/metadata"
	(cd "$T/$name" && "$TOP/regress/prog/rows") || fail "$name: rows"
}

# Of the bars with an end, and of those without.
bars() {
	tr '}' '\n' | grep -c "\"ph\":\"$1\""
}

# The thread's first packets were removed: with them, the end of what began in
# another stream, and the beginning of what ends there.
trace removed <<-END
	c_0_0 0 10 11 0 0 0 10 1
	c_0_0 0 30 31 1 0 1 30 1
	c_1_3 1 20 21 5 0 0 40 2 1 50 2
END
utctl stat -d -j "$T/removed" >"$T/out" || fail "stat"
grep -q '"unbegun":0,"left_out":1,.*"calls":1,' "$T/out" ||
    fail "stat: $(cat "$T/out")"
grep -q '"ns":"20000000000"' "$T/out" && fail "stat: $(cat "$T/out")"
utctl view -i -j "$T/removed" >"$T/out" || fail "view"
grep -q '"took_ns":"20000000000"' "$T/out" && fail "view: $(cat "$T/out")"
utctl export -F folded "$T/removed" >"$T/out" 2>"$T/err"
[ "$(cat "$T/out")" = "-;p:x 10000000000" ] || fail "folded: $(cat "$T/out")"
grep -q '1 pair left out' "$T/err" || fail "folded: $(cat "$T/err")"
utctl export "$T/removed" >"$T/out" || fail "chrome"
[ "$(bars B <"$T/out") $(bars E <"$T/out")" = "1 1" ] ||
    fail "chrome: $(cat "$T/out")"
# It is no loss to tell of.
expect 0 '^4 events, 0 discarded$' utctl view -q "$T/removed"
utctl view "$T/removed" >/dev/null 2>"$T/err"
[ ! -s "$T/err" ] || fail "view: $(cat "$T/err")"

# A file of the row goes on where the one before it ends.
trace row <<-END
	c_0_0 0 10 11 0 0 0 10 1
	c_0_1 0 20 21 1 0
	c_0_2 0 30 31 2 0 1 30 1
	c_1_0 1 5 15 0 0 0 5 2
	c_1_1 1 20 50 1 0 1 50 2
END
utctl stat -d -j "$T/row" >"$T/out" || fail "stat"
grep -q '"left_out":0,.*"calls":2,' "$T/out" || fail "row: $(cat "$T/out")"
# Or does not: the end of one file is not the beginning of the next.
trace hole <<-END
	c_0_0 0 10 11 0 0 0 10 1
	c_0_2 0 30 31 2 0 1 30 1
END
utctl stat -d -j "$T/hole" >"$T/out" || fail "stat"
grep -q '"lost_packets":1,.*"left_out":1,' "$T/out" ||
    fail "hole: $(cat "$T/out")"

# B, a lost end, a lost beginning, E; all within a loss that goes on.
trace within <<-END
	c_0 0 0 1 0 0 0 1 1
	c_0 0 40 41 1 3
	c_1 1 10 30 0 0 0 10 2 1 20 2 1 30 1
END
utctl export "$T/within" >"$T/out" || fail "chrome"
[ "$(bars B <"$T/out") $(bars E <"$T/out") $(bars i <"$T/out")" = "1 1 2" ] ||
    fail "within: $(cat "$T/out")"

# Freed twice, or perhaps not, as the block may have been allocated again by a
# call that was lost; and live, or perhaps not.
trace blocks <<-END
	c_0 0 1 5 0 0 4 1 1048577 5 2 1048577 4 3 2097153
	c_0 0 10 20 1 1 5 11 1048577 5 12 1048577
	c_0 0 21 24 2 1 4 21 3145729 5 22 1048577 5 23 3145729 5 24 3145729
END
utctl heap -j "$T/blocks" >"$T/out" 2>"$T/err" || fail "heap"
grep -q '"twice":1,.*"unsure_blocks":1,"unsure_twice":3,' "$T/out" &&
    grep -q '"freed_twice":\[{"ptr":48,"first":{"ns":"23000000000"' "$T/out" ||
    fail "heap: $(cat "$T/out")"
utctl heap "$T/blocks" >"$T/out" 2>"$T/err" || fail "heap"
grep -q '1 of the blocks may have been freed, and 3 more may' "$T/err" &&
    [ "$(grep -c ', as far as is known$' "$T/out")" -eq 1 ] &&
    [ "$(grep -c '^ *again ' "$T/out")" -eq 1 ] ||
    fail "heap: $(cat "$T/err" "$T/out")"

# Released, but perhaps acquired among what was lost; and by a thread that has
# released a lock that another one had acquired before.
trace locks <<-END
	c_0 0 1 5 0 0 7 1 65537 8 2 65537
	c_0 0 10 20 1 1 8 19 65537
	c_0 0 21 23 2 1 8 21 65537 7 22 131073 8 23 131073
	c_0 0 24 40 3 1 7 24 131074 8 31 131074 8 32 131074
END
utctl locks -j "$T/locks" >"$T/out" || fail "locks"
grep -q '"unheld":1,.*"left_out":2,' "$T/out" || fail "locks: $(cat "$T/out")"

# What a user has lost is nothing of another user's.  The loss is between the
# beginning and the end of all pairs, and of a hold.
both() {
	echo "c_0 0 10 30 0 0 0 10 1 2 10 $1 4 10 65537 7 10 65537" \
	    "1 30 1 3 30 $1 8 30 65537"
}
# values MEMBER: of the processes, in order.
values() {
	grep -o "\"$1\":[0-9]*" "$T/out" | sed 's/.*://' | sort | tr '\n' ' '
}
user=1
both 65536 | trace other
# A later part of the same user's directory.
user=2
echo c_0 0 10 30 0 0 0 10 2 1 30 2 | trace chunk
for loss in 'c_1 1 1 2 0 0:c_1 1 12 20 1 1' 'c_1 1 1 2 0 0:c_1 1 20 20 2 0' \
    'c_1 1 20 20 1 0'; do
	{
		both 131072
		echo "$loss" | tr : '\n'
	} | trace loser
	set -- "$T/other" "$T/loser" "$T/chunk"
	utctl stat -d -j "$@" >"$T/out" || fail "two users: stat"
	grep -q '"unended":0,"unbegun":0,"left_out":2,.*"calls":1,' "$T/out" ||
	    fail "two users: stat: $loss: $(cat "$T/out")"
	# An end that has the key may be any user's.
	utctl stat -d -D q:open,q:close,k -j "$@" >"$T/out" ||
	    fail "two users: stat -D"
	grep -q '"unended":0,"unbegun":0,"left_out":4,' "$T/out" ||
	    fail "two users: stat -D: $loss: $(cat "$T/out")"
	utctl view -i -j "$@" >"$T/out" 2>&1 || fail "two users: view"
	[ "$(grep -c '"took_ns":"20000000000"' "$T/out")" -eq 1 ] ||
	    fail "two users: view: $loss: $(cat "$T/out")"
	utctl export -F folded "$@" 2>/dev/null >"$T/out"
	[ "$(cat "$T/out")" = "-;p:x 20000000000" ] ||
	    fail "two users: folded: $loss: $(cat "$T/out")"
	utctl export "$@" >"$T/out" || fail "two users: chrome"
	[ "$(grep -c '"args":{"end":' "$T/out")" -eq 1 ] ||
	    fail "two users: chrome: $loss: $(cat "$T/out")"
	utctl heap -j "$@" >"$T/out" 2>/dev/null || fail "two users: heap"
	[ "$(values unsure_blocks)" = "0 1 " ] ||
	    fail "two users: heap: $loss: $(cat "$T/out")"
	utctl locks -j "$@" >"$T/out" || fail "two users: locks"
	[ "$(values left_out)" = "0 1 " ] &&
	    grep -q '"holds":\[{"took_ns":"20000000000"' "$T/out" ||
	    fail "two users: locks: $loss: $(cat "$T/out")"
done
# Nor is its heap uncertain, if nothing that is told is the loser's.
user=2
printf '%s\n' 'c_1 1 1 2 0 0' 'c_1 1 12 20 1 1' | trace loser
utctl heap "$T/other" "$T/loser" >"$T/out" 2>"$T/err" || fail "other: heap"
[ ! -s "$T/err" ] || fail "other: heap: $(cat "$T/err")"
user=

# A trace that grows while it is followed: of the second file of a row, not even
# the first packet is all there at first.  In another file there is a hole,
# where a window of it begins.
{
	echo c_0_0 0 10 11 0 0 0 10 1
	echo c_0_1 0 20 21 1 5 0 20 1
	echo c_0_1 0 30 31 2 7 0 30 1
	awk 'BEGIN { for (i = 0; i < 1024; i++)
		print "c_1_0 1 12 13", i, 0, "2 12 1 2 12 1 2 12 1 2 12 1" }'
} >"$T/packets"
trace grows <"$T/packets"
start_utd
utctl create -o "$T/s" s >/dev/null && utctl enable-event -s s 'seq:*' \
    >/dev/null && utctl start >/dev/null || fail "session"
mv "$T/grows" "$T/all"
mkdir "$T/grows"
cp "$T/all/metadata" "$T/all/c_0_0" "$T/all/c_1_0" "$T/grows"
head -c 20 "$T/all/c_0_1" >"$T/grows/c_0_1"
dd if=/dev/zero of="$T/grows/c_1_0" bs=1 count=1 seek=16777216 conv=notrunc \
    2>/dev/null || fail "dd"
mv "$T/grows" "$T/s/grows"
(utctl view -F -j s >"$T/follow" 2>"$T/follow.err"; :) &
FOLLOW=$!
CHILDREN="$CHILDREN $FOLLOW"
printed() {
	grep -q "\"ns\":\"$1" "$T/follow"
}
until_ok printed 100 || fail "follow: $(cat "$T/follow.err")"
until_ok printed 120 || fail "follow: $(cat "$T/follow.err")"
tail -c +21 "$T/all/c_0_1" >>"$T/s/grows/c_0_1"
until_ok printed 300 || fail "follow: $(cat "$T/follow.err")"
expect 0 'stopped' utctl stop s
wait $FOLLOW
sed -n 's/^{"discarded":\([a-z0-9]*\),.*/\1/p' "$T/follow" | tr '\n' ' ' \
    >"$T/got"
[ "$(cat "$T/got")" = "5 2 " ] || fail "follow: discarded $(cat "$T/got")"
[ "$(grep -c 'nothing was ever written there' "$T/follow.err")" -eq 1 ] ||
    fail "follow: $(head -n 3 "$T/follow.err")"
expect 0 'destroyed' utctl destroy s
stop_utd || fail "utd: status $?"

command -v python3 >/dev/null 2>&1 || exit 0

# What really was, and what is there of it; then what utctl makes of that.
cat >"$T/model.py" <<'END'
import json, random, subprocess, sys

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
got, opened, ids, joined = set(), {}, {}, set()
for e in json.loads(utctl("export", *KEY))["traceEvents"]:
    now = e.get("ts", 0) * 1000
    if e["ph"] == "B":
        opened.setdefault(e["tid"], []).append(now)
    elif e["ph"] == "b":
        ids[e["id"]] = now
    elif e["ph"] in "Ee":
        begin = opened[e["tid"]].pop() if e["ph"] == "E" else ids.pop(e["id"])
        if "args" in e:
            joined.add((begin, now))
other = json.loads(utctl("export", *KEY))["otherData"]
zero = int(other["start_ns"])
right("chrome", {tuple(round((x + zero) / S) for x in b) for b in joined},
    pairs)
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
END
i=0
while [ $i -lt "${GONE:-30}" ]; do
	i=$((i + 1))
	for mode in all some; do
		[ $mode = some ] || [ $i -le 5 ] || continue
		python3 "$T/model.py" $i $mode - >"$T/packets" ||
		    fail "model $i"
		trace model <"$T/packets"
		python3 "$T/model.py" $i $mode "$T/model" 2>"$T/err" ||
		    fail "model $i, $mode: $(tail -n 1 "$T/err")"
	done
done
