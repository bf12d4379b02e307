# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl locks: figures that are known from calls which nobody makes, and those
# that python3 computes from the events of view, also of a real program.

. ./common.sh

# The calls of stdin, where "mutex" and so on is a request and its success.
calls() {
	awk '$2 ~ /^(mutex|rdlock|wrlock)$/ {
		print $1, $2 "_request", $3, $4
		$2 = $2 "_acquired"
	}
	{ print }'
}

# The rows of the table of locks, without its cells that have times.
lock_rows() {
	awk '/ lock, its name or first user$/ { on = 1; next }
	/ caller$/ { exit }
	on && $1 != "..." {
		print $1, $2, $3, $4 != "-", $8 != "-", $12, $13
	}' "$T/out"
}

# 1 to 4 are threads.  0xc, 0xd and 0xe are callers; 0xc9 releases.
calls >"$T/calls" <<'END'
1 mutex 0x100 0xc1
2 mutex_request 0x100 0xc2
3 mutex_request 0x100 0xc3
1 mutex_release 0x100 0xc9
2 mutex_acquired 0x100 0xc2
2 mutex_release 0x100 0xc9
3 mutex_acquired 0x100 0xc3
3 mutex 0x100 0xc4
3 mutex_release 0x100 0xc9
3 mutex_release 0x100 0xc9
4 mutex_request 0x100 0xc5
1 mutex 0x100 0xc1
1 mutex_release 0x100 0xc9
4 mutex_acquired 0x100 0xc5
4 mutex_release 0x100 0xc9
1 mutex 0x200 0xc1
2 mutex_request 0x200 0xc6
2 mutex_failed 0x200 16 0xc6
1 rdlock 0x300 0xd1
2 rdlock 0x300 0xd2
3 wrlock_request 0x300 0xd3
1 rwlock_release 0x300 0xd9
2 rwlock_release 0x300 0xd9
3 wrlock_acquired 0x300 0xd3
4 rdlock_request 0x300 0xd4
3 rwlock_release 0x300 0xd9
4 rdlock_acquired 0x300 0xd4
4 rwlock_release 0x300 0xd9
1 mutex 0x400 0xe1
1 mutex 0x400 0xe1
1 cond_wait 0x500 0x400 0xe2
2 mutex 0x400 0xe3
2 cond_signal 0x500 0xe4
2 mutex_release 0x400 0xe9
1 cond_woken 0x500 0x400 0 0xe2
1 mutex_release 0x400 0xe9
1 mutex_release 0x400 0xe9
2 mutex 0x400 0xe3
2 cond_wait 0x500 0x400 0xe5
1 cond_broadcast 0x500 0xe4
2 cond_woken 0x500 0x400 110 0xe5
2 mutex_release 0x400 0xe9
4 mutex_release 0x600 0xc9
1 mutex 0x700 0xc1
2 mutex_release 0x700 0xc9
1 mutex 0x800 0xc7
2 mutex 0x800 0xc8
2 mutex_release 0x800 0xc9
4 mutex_request 0x900 0xc1
4 mutex 0xa00 0xc1
4 mutex_release 0xa00 0xc9
1 mutex 0xb00 0xc1
2 mutex_release 0xb00 0xc9
3 mutex_request 0xb00 0xc2
2 mutex_kept 0xb00 1 0xc9
2 mutex_request 0xb00 0xc3
1 mutex_release 0xb00 0xc9
3 mutex_acquired 0xb00 0xc2
1 mutex_release 0xb00 0xc9
1 mutex_kept 0xb00 1 0xc9
3 cond_wait 0x580 0xb00 0xe2
3 mutex_kept 0xb00 22 0xe2
3 cond_failed 0x580 0xb00 22 0xe2
3 mutex_release 0xb00 0xc9
2 mutex_acquired 0xb00 0xc3
2 mutex_release 0xb00 0xc9
1 mutex 0xd00 0xc1
1 mutex 0xd00 0xc1
1 cond_wait 0x590 0xd00 0xe6
2 mutex_request 0xd00 0xc3
3 mutex_request 0xd00 0xc5
3 mutex_failed 0xd00 16 0xc5
1 cond_woken 0x590 0xd00 110 0xe6
1 mutex_release 0xd00 0xc9
1 mutex_release 0xd00 0xc9
2 mutex_acquired 0xd00 0xc3
2 mutex_release 0xd00 0xc9
4 mutex_release 0xb00 0xc9
4 mutex_kept 0xb00 1 0xc9
END

cat >"$T/model.py" <<'END'
# From the JSON of view: when each thread waited for a lock, and had it.  Who
# kept whom from it is found afterwards, by comparing all with all.
import collections, json, sys

class Span:
    def __init__(s, **k):
        s.__dict__.update(k)
        s.end = s.stop = s.counts = None
    def over(s, counts=True):
        global lost
        s.end, s.stop, s.lossy = now, at, lossy
        s.counts = counts and s.start > lossy
        lost += s.start <= lossy

waits, holds, conds = [], [], collections.defaultdict(list)
waiting, having, sleeping = {}, collections.defaultdict(list), {}
acquired, failed = collections.Counter(), collections.Counter()
unheld = unseen = unended = lost = lossy = 0
free, taken = {}, {}

def exclude(a, b):
    return a.mode != "rd" or b.mode != "rd"

def have(mode, depth=1):
    global unseen
    h = Span(lock=lock, tid=tid, mode=mode, start=now, first=at, caller=caller)
    h.depth = depth
    h.left = None
    # The thread may have acquired it before, among what was lost.
    h.once = not lossy or free.get(lock, 0) > lossy or \
        taken.get(lock, (-1, tid))[0] > lossy and taken[lock][1] != tid
    if mode != "rd":
        taken[lock] = now, tid
    for o in having[lock][:]:
        if exclude(o, h) or o.tid == tid:
            o.over(o.left is not None)
            having[lock].remove(o)
            if o.left:
                o.end, o.stop = o.left
            else:
                unseen += o.start > lossy
    having[lock].append(h)
    holds.append(h)

def mine(sure=False):
    return [h for h in having[lock] if h.tid == tid and
        (not sure or h.start > lossy)]

def answered():
    w = waiting.pop(tid, None)
    if w and w.lock == lock:
        w.over()

# What the thread's next event says has failed has released nothing.
everything = [json.loads(line) for line in open(sys.argv[1])]
latest, void = {}, set()
for at, e in enumerate(everything):
    if e.get("event", "").startswith("pthread:"):
        if e["event"].endswith("_kept"):
            void |= {at, latest.get(e["vtid"])}
        latest[e["vtid"]] = at

for at, e in enumerate(everything):
    if "to" in e:
        lossy = max(lossy, int(e["to"]))
    if not e.get("event", "").startswith("pthread:"):
        continue
    f, now, tid = e["fields"], int(e["ns"]), e["vtid"]
    kind, what = e["event"][8:].split("_")
    lock, caller = f.get("lock"), f["caller"]
    if kind == "cond":
        c = conds[f["cond"]]
        if what == "wait":
            h = [] if at in void else mine()
            sleeping[tid] = f["cond"], now, h[0].depth if h else 1
            c.append(["waits", 1])
            for o in h:
                # Of a recursive mutex, once; or, if another thread acquires
                # it meanwhile, altogether.
                if o.depth > 1:
                    o.left = now, at
                    continue
                o.over()
                having[lock].remove(o)
        elif what in ("woken", "failed"):
            if what == "failed" or f["result"]:
                c.append(["failed", 1])
            s = sleeping.pop(tid, (None, 0, 1))
            if s[0] == f["cond"]:
                lost += s[1] <= lossy
                if s[1] > lossy:
                    c.append(["ns", now - s[1]])
            for o in mine():
                o.left = None
            if what == "woken" and not mine(True):
                have("mutex", s[2])
        else:
            c.append([what + ("s"), 1])
        continue
    if at in void:
        continue
    mode = kind.replace("lock", "") if what != "release" else None
    if what == "request":
        if tid in waiting:
            unended += waiting[tid].start > lossy
            lost += waiting[tid].start <= lossy
            waits.remove(waiting[tid])
        w = Span(lock=lock, tid=tid, mode=mode, start=now, first=at,
            caller=caller)
        waiting[tid] = w
        waits.append(w)
    elif what == "acquired":
        answered()
        acquired["lock", lock] += 1
        acquired["caller", caller] += 1
        if mine(True):
            mine()[0].depth += 1
        else:
            have(mode)
    elif what == "failed":
        answered()
        failed["lock", lock] += 1
        failed["caller", caller] += 1
    else:
        h = mine() or (having[lock] if kind == "mutex" else [])
        if not h:
            unheld += free.get(lock, 0) > lossy or not lossy
            lost += free.get(lock, 0) <= lossy and lossy > 0
        elif h[0].depth > 1:
            h[0].depth -= mine() != []
        else:
            o = h[0]
            o.over()
            having[lock].remove(o)
            if o.once and not having[lock]:
                free[lock] = now

waits = [w for w in waits if w.counts]
by_lock = collections.defaultdict(list)
for h in holds:
    by_lock[h.lock].append(h)
for w in waits:
    others = [h for h in by_lock[w.lock] if h.tid != w.tid and
        exclude(h, w) and w.lossy < h.start and h.first < w.stop and
        (h.stop is None or h.stop > w.first)]
    w.contended = len(others) > 0
    w.kept = {}
    for h in others:
        k = h.tid, h.caller
        n = min(h.end or w.end, w.end) - max(h.start, w.start)
        w.kept[k] = max(w.kept.get(k, 0), n)

def near(a, b):
    return abs(a - b) <= 0.008 * b

def distributed(got, ns, what):
    ns = sorted(ns)
    assert got["n"] == len(ns), (what, got, len(ns))
    if ns:
        assert int(got["total_ns"]) == sum(ns), (what, got, sum(ns))
        assert got["min"] == ns[0] and got["max"] == ns[-1], what
        for q, n in ("p50", 500), ("p99", 990):
            assert near(got[q], ns[(len(ns) * n + 999) // 1000 - 1]), what

def same(got, key, name):
    w = [x for x in waits if getattr(x, name) == key]
    h = [x for x in holds if getattr(x, name) == key and x.counts]
    assert got["acquired"] == acquired[name, key], (name, key, got)
    assert got["failed"] == failed[name, key], (name, key, got)
    assert got["contended"] == sum(x.contended for x in w), (name, key, got)
    distributed(got["wait"], [x.end - x.start for x in w], (name, key))
    distributed(got["hold"], [x.end - x.start for x in h], (name, key))

j = json.load(open(sys.argv[2]))
p, = j["processes"]
assert [unheld, unseen, unended, lost] == [p[k] for k in
    ("unheld", "unseen", "unended", "left_out")], (lost, p)
assert len(p["locks"]) == len({l["lock"] for l in p["locks"]})
assert {l["lock"] for l in p["locks"]} >= set(by_lock)
for l in p["locks"]:
    same(l, l["lock"], "lock")
    assert sorted((h["vtid"], h["unsure"]) for h in l["held"]) == \
        sorted((h.tid, h.start <= lossy) for h in having[l["lock"]])
    assert {(w["vtid"], w["unsure"]) for w in l["waiting"]} == {(w.tid,
        w.start <= lossy) for w in waiting.values() if w.lock == l["lock"]}
callers = {x.caller for x in waits} | {x.caller for x in holds if x.counts}
assert {c["caller"] for c in p["callers"]} >= callers
for c in p["callers"]:
    same(c, c["caller"], "caller")
assert {c["cond"] for c in p["conditions"]} == set(conds)
for c in p["conditions"]:
    l = conds[c["cond"]]
    for k in "waits", "failed", "signals", "broadcasts":
        assert c[k] == sum(n for what, n in l if what == k), (k, c)
    distributed(c["wait"], [n for what, n in l if what == "ns"], c)
top = sorted((x.end - x.start for x in waits), reverse=True)[:10]
assert [int(w["took_ns"]) for w in j["waits"]] == top, (j["waits"], top)
top = sorted((x.end - x.start for x in holds if x.counts), reverse=True)[:10]
assert [int(h["took_ns"]) for h in j["holds"]] == top
held = 0
for n in j["waits"]:
    w, = [w for w in waits if w.tid == n["vtid"] and w.start == int(n["ns"])]
    assert n["lock"] == w.lock and n["caller"] == w.caller
    most = max(w.kept.values(), default=0)
    assert ("holder" in n) == (most > 0), (n, w.kept)
    if most > 0:
        h = n["holder"]
        assert w.kept[h["vtid"], h["caller"]] == most, (n, w.kept)
        held += 1
print(len(waits), sum(w.contended for w in waits), held)
END

# Whatever is in $T/trace, computed twice: waits, contended, waits with holders.
compared() {
	utctl view -j "$T/trace" >"$T/json" &&
	    utctl locks -j "$T/trace" >"$T/locks.json" || fail "-j"
	python3 "$T/model.py" "$T/json" "$T/locks.json" >"$T/got" \
	    2>"$T/err" || fail "$(tail -2 "$T/err" | cut -c1-1000)"
}

recorded -e 'pthread:*' -e calls:thread -- ./prog/calls <"$T/calls"
[ "$lost" -eq 0 ] || fail "$lost lost"
utctl locks "$T/trace" >"$T/out" 2>"$T/err" || fail "locks: $(cat "$T/err")"
narrow "$T/out" acquired 11
narrow "$T/out" waits 8
[ ! -s "$T/err" ] || fail "locks: $(cat "$T/err")"
lock_rows | sort -k 6 >"$T/got"
expected "by lock" <<'END'
6 3 0 1 1 0x100 0xc1
1 1 1 1 0 0x200 0xc1
4 2 0 1 1 0x300 0xd1
4 0 0 1 1 0x400 0xe1
0 0 0 0 0 0x600 0xc9
1 0 0 1 1 0x700 0xc1
2 1 0 1 1 0x800 0xc7
0 0 0 0 0 0x900 0xc1
1 0 0 1 1 0xa00 0xc1
3 2 0 1 1 0xb00 0xc1
3 2 1 1 1 0xd00 0xc1
END
awk '/ caller$/ && !on { on = 1; next } / condition, / { exit }
    on { print $1, $2, $3, $12 }' "$T/out" | sort -k 4 >"$T/got"
expected "by caller" <<'END'
8 0 0 0xc1
2 2 0 0xc2
3 3 0 0xc3
1 0 0 0xc4
1 2 1 0xc5
0 1 1 0xc6
1 0 0 0xc7
1 1 0 0xc8
1 0 0 0xd1
1 0 0 0xd2
1 1 0 0xd3
1 1 0 0xd4
2 0 0 0xe1
0 0 0 0xe2
2 0 0 0xe3
0 0 0 0xe5
END
awk '$9 == "0x500" { print $1, $2, $3, $4, $9, $10 }' "$T/out" >"$T/got"
[ "$(cat "$T/got")" = "2 1 1 1 0x500 0xe2" ] || fail "$(cat "$T/out")"
for want in '1 released, but not acquired here' \
    '1 released unseen: another thread acquired the lock' \
    '1 requested, neither acquired nor failed' \
    '0x200 not released by thread [0-9]*, which acquired it at .* from 0xc1'
do
	grep -q "^  $want\$" "$T/out" || fail "no '$want': $(cat "$T/out")"
done
[ "$(grep -c ' not released by ' "$T/out")" -eq 1 ] || fail "$(cat "$T/out")"
# Whatever is selected: those of one lock, of which one failed.
expect 0 '-t may leave out calls' utctl locks -f 'lock == 0x200' "$T/trace"
grep -q '  0x200  0xc6 (failed)  held by [0-9]* 0xc1$' "$T/out" ||
    fail "the wait that failed: $(cat "$T/out")"
grep -q '^calls\[[0-9]*\]: 1 lock, 0 conditions$' "$T/out" ||
    fail "-f: $(cat "$T/out")"
expect 0 'conditions$' utctl locks -e 'pthread:*' "$T/trace"
grep 'leave out' "$T/err" && fail "-e: $(cat "$T/err")"
expect 0 'no events of locks' utctl locks -e calls:thread "$T/trace"
# Two threads that wait for each other.
calls >"$T/dead" <<'END'
1 mutex 0x100 0xa1
2 mutex 0x200 0xa2
1 mutex_request 0x200 0xa3
2 mutex_request 0x100 0xa4
END
mv "$T/trace" "$T/first"
recorded -e 'pthread:*' -e calls:thread -- ./prog/calls <"$T/dead"
utctl locks "$T/trace" >"$T/out" || fail "deadlock"
awk '$2 == "not" { sub(/,/, "", $6); print $6, $3, $1, $NF }' "$T/out" |
    sort >"$T/got"
set -- $(cut -d ' ' -f 1 "$T/got" | sort -u)
[ $# -eq 2 ] || fail "not two threads: $(cat "$T/out")"
first=$(sed -n 's/ released 0x100 0xa1$//p' "$T/got")
second=$(sed -n 's/ released 0x200 0xa2$//p' "$T/got")
printf '%s\n' "$first acquired 0x200 0xa3" "$first released 0x100 0xa1" \
    "$second acquired 0x100 0xa4" "$second released 0x200 0xa2" | sort |
    expected deadlock
utctl locks -j "$T/trace" >"$T/out" || fail "deadlock -j"
n=$(grep -o '"waiting":\[{"vtid":[0-9]*' "$T/out" | sort -u | wc -l)
[ "$n" -eq 2 ] || fail "deadlock: $(cat "$T/out")"
rm -rf "$T/trace" && mv "$T/first" "$T/trace"
expect 1 'no/such: No such file or directory' utctl locks no/such
[ ! -s "$T/out" ] || fail "$(cat "$T/out")"

# The same, and many calls, and real ones, by another program.
if command -v python3 >/dev/null 2>&1; then
	compared
	[ "$(cut -d ' ' -f 1,2 "$T/got")" = "27 11" ] || fail "$(cat "$T/got")"
	python3 - >"$T/calls" <<'END'
import random
r = random.Random(2)
waits, has = {}, {l: {} for l in range(0x100, 0x110)}
for i in range(12000):
    t = r.randint(1, 4)
    who = 0xa00 + r.randrange(12)
    if t in waits:
        l, mode, who = waits[t]
        others = [m for o, (m, n) in has[l].items() if o != t]
        what = "mutex_" if mode == "mutex" else mode + "lock_"
        if not others or (mode == "rd" and set(others) == {"rd"}):
            print(t, what + "acquired", l, who)
            m, n = has[l].get(t, (mode, 0))
            has[l][t] = m, n + 1
            del waits[t]
        elif r.random() < 0.1:
            print(t, what + "failed", l, 16, who)
            del waits[t]
        continue
    mine = [l for l in has if t in has[l]]
    theirs = [l for l in range(0x100, 0x108) if has[l] and t not in has[l]]
    if theirs and r.random() < 0.1:
        l = r.choice(theirs)
        print(t, "mutex_release", l, who)
        print(t, "mutex_kept", l, 1, who)
        continue
    if mine and r.random() < 0.55:
        l = r.choice(mine)
        m, n = has[l][t]
        print(t, ("mutex" if m == "mutex" else "rwlock") + "_release", l, who)
        has[l][t] = m, n - 1
        if n == 1:
            del has[l][t]
    else:
        l = r.choice(list(has))
        mode = "mutex" if l < 0x108 else r.choice(["rd", "rd", "wr"])
        if mode == "wr" and t in has[l]:
            continue
        print(t, ("mutex" if mode == "mutex" else mode + "lock") + "_request",
            l, who)
        waits[t] = l, mode, who
END
	recorded -b 64k -n 64 -e 'pthread:*' -- ./prog/calls <"$T/calls"
	[ "$lost" -eq 0 ] || fail "$lost lost"
	compared
	awk '$1 < 1000 || $2 < 300 { exit 1 }' "$T/got" ||
	    fail "too little happened: $(cat "$T/got")"
fi

# A program whose calls fail: another thread's unlock, a wait with a time that is
# none, one without the mutex.  The mutex is held all the time, and then free.
cat >"$T/eperm.c" <<'END'
#define _GNU_SOURCE 1
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *
other(void *arg)
{
	(void)arg;
	if (pthread_mutex_unlock(&lock) != EPERM)
		return &lock;
	return pthread_cond_wait(&cond, &lock) == EPERM ? NULL : &lock;
}

int
main(void)
{
	const struct timespec nap = { 0, 50000000 }, never = { 0, -1 };
	pthread_mutexattr_t a;
	pthread_t t;
	void *failed;

	if (pthread_mutexattr_init(&a) != 0 ||
	    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK) != 0 ||
	    pthread_mutex_init(&lock, &a) != 0 || pthread_mutex_lock(&lock))
		return 1;
	nanosleep(&nap, NULL);
	if (pthread_create(&t, NULL, other, NULL) != 0 ||
	    pthread_join(t, &failed) != 0)
		return 1;
	if (failed != NULL ||
	    pthread_cond_timedwait(&cond, &lock, &never) != EINVAL)
		return 77;
	nanosleep(&nap, NULL);
	if (pthread_mutex_unlock(&lock) != 0)
		return 1;
	return pthread_mutex_unlock(&lock) == EPERM ? 0 : 77;
}
END
$CC $CFLAGS -o "$T/eperm" "$T/eperm.c" $LIBS || fail "cannot build eperm"
status=0
"$T/eperm" || status=$?
case $status,$CFLAGS in
*-fsanitize*|77,*)	;;	# not preloaded, or the system does not say EPERM
0,*)	recorded -w pthread -e 'pthread:*' -- "$T/eperm"
	[ "$lost" -eq 0 ] || fail "eperm: $lost lost"
	utctl view -N -e 'pthread:*_kept' "$T/trace" >"$T/view.out" || fail "view"
	[ "$(wc -l <"$T/view.out")" -eq 4 ] || fail "kept: $(cat "$T/view.out")"
	utctl locks -N "$T/trace" >"$T/out" || fail "eperm: locks"
	grep 'released' "$T/out" && fail "eperm: $(cat "$T/out")"
	awk '/ lock, its name or/ { getline; exit $1 != 1 || $8 < 100000 ||
	    $8 != $11 }' "$T/out" || fail "eperm: $(cat "$T/out")"
	! command -v python3 >/dev/null 2>&1 || compared ;;
*)	fail "eperm: status $status" ;;
esac

# What was held while events were lost may have been released then.
start_utd
utctl create -o "$T/loss" s >/dev/null && utctl enable-channel -b 4k -n 4 c &&
    utctl enable-event -c c 'pthread:*' 'libc:*' >/dev/null &&
    utctl start >/dev/null || fail "create"
pulse_start ./prog/calls
calls >&3 <<'END'
1 mutex 0x100 0xc1
2 mutex_request 0x100 0xc2
1 mutex 0x300 0xc1
1 mutex 0x400 0xc1
1 mutex 0x500 0xc1
1 rdlock 0x900 0xc1
4 mutex_request 0x600 0xc4
3 mutex_request 0x700 0xc3
END
pulse 1 say ok
utctl stop >/dev/null && utctl start >/dev/null || fail "stop, start"
stuck=$(consumers)
kill -STOP $stuck
# What was lost is told by the first thread's next packet: the first of these,
# or one that comes before the calls below.
awk 'BEGIN { for (i = 0; i < 3000; i++) print "1 malloc 1 0x1000 0xa1" }' >&3
pulse 1 say ok
kill -CONT $stuck
for i in 1 2; do
	utctl stop >/dev/null && utctl start >/dev/null || fail "stop, start"
	echo "1 malloc 1 0x1000 0xa1" >&3
	pulse 1 say ok
done
utctl stop >/dev/null && utctl start >/dev/null || fail "stop, start"
calls >&3 <<'END'
4 mutex_request 0x300 0xc4
4 mutex_failed 0x300 16 0xc4
1 mutex_release 0x100 0xc9
2 mutex_acquired 0x100 0xc2
1 mutex 0x200 0xc1
1 mutex_release 0x200 0xc9
1 mutex 0x400 0xc1
1 mutex_release 0x400 0xc9
2 mutex 0x400 0xc2
2 mutex_release 0x400 0xc9
1 cond_woken 0x800 0x500 0 0xc1
1 mutex_release 0x500 0xc9
1 rdlock 0x900 0xc1
1 rwlock_release 0x900 0xc9
END
pulse 1 say ok
exec 3>&- 4<&-
wait $PULSE || fail "calls: $?"
utctl destroy >/dev/null || fail "destroy"
stop_utd || fail "utd: $?"
utctl locks "$T/loss" >"$T/out" || fail "loss"
read -r n word lost rest <"$T/out"
[ "$lost" -gt 1000 ] || fail "nothing lost: $(cat "$T/out")"
sed -n 's/thread [0-9]*, which .* from/thread/; s/^  //
    /^[0-9x]* not /p; / meanwhile$/p' "$T/out" | sort >"$T/got"
expected loss <<'END'
0x100 not released by thread 0xc2
0x300 not released by thread 0xc1, as far as is known
0x700 not acquired by thread 0xc3, as far as is known
6 left out: events were lost meanwhile
END
lock_rows | sort -k 6 >"$T/got"
expected "locks of loss" <<'END'
2 0 0 1 0 0x100 0xc1
1 0 0 1 1 0x200 0xc1
1 0 1 1 0 0x300 0xc1
3 0 0 1 1 0x400 0xc1
1 0 0 1 1 0x500 0xc1
0 0 0 0 0 0x600 0xc4
0 0 0 0 0 0x700 0xc3
2 0 0 1 1 0x900 0xc1
END
grep ' held by ' "$T/out" && fail "loss: $(cat "$T/out")"
expect 0 'events were lost: what is live' utctl heap "$T/loss"
if command -v python3 >/dev/null 2>&1; then
	rm -rf "$T/trace" && mv "$T/loss" "$T/trace"
	compared
fi

# Each object of a program may have a lock: twenty thousand in 32 megabytes.
awk 'BEGIN { for (i = 1; i <= 20000; i++) {
	print 1, "mutex", 64 * i, 7 * i
	print 1, "mutex_release", 64 * i, 7 * i
} }' | calls >"$T/calls"
recorded -b 64k -n 64 -m block -e 'pthread:*' -- ./prog/calls <"$T/calls"
[ "$lost" -eq 0 ] || fail "$lost lost"
case $CFLAGS in
*-fsanitize*)	;;
*)	(ulimit -d 32768 2>/dev/null; utctl locks "$T/trace") >"$T/out" \
	    2>"$T/err" || fail "many locks: $(cat "$T/err")"
	grep -q '^calls\[[0-9]*\]: 20000 locks, ' "$T/out" ||
	    fail "many locks: $(head -n 5 "$T/out")" ;;
esac

# Threads that contend, and what a person wants to know: who kept whom.
not_sanitized
case $CC in
*-m32*|*musl*)	exit 0 ;;
esac
command -v python3 >/dev/null 2>&1 || exit 0
cat >"$T/slow.c" <<'END'
#include <pthread.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t two = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t many[25];
static pthread_cond_t signalled = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;

static void
ms(int n)
{
	const struct timespec ts = { 0, n * 1000000L };

	nanosleep(&ts, NULL);
}

void NOINLINE
too_long(void)
{
	pthread_mutex_lock(&one);
	pthread_barrier_wait(&both);
	ms(200);
	pthread_mutex_unlock(&one);
}

void NOINLINE
patient(void)
{
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&one);
	pthread_mutex_unlock(&one);
}

static void *
thread(void *arg)
{
	int i;

	patient();
	for (i = 0; i < 500; i++) {
		pthread_mutex_lock(&two);
		pthread_mutex_unlock(&two);
	}
	return arg;
}

int
main(void)
{
	pthread_t t;
	int i;

	pthread_barrier_init(&both, NULL, 2);
	if (pthread_create(&t, NULL, thread, NULL) != 0)
		return 1;
	too_long();
	for (i = 0; i < 500; i++) {
		pthread_mutex_lock(&two);
		pthread_mutex_unlock(&two);
	}
	pthread_join(t, NULL);
	for (i = 0; i < 25; i++) {
		pthread_mutex_init(&many[i], NULL);
		pthread_mutex_lock(&many[i]);
		pthread_mutex_unlock(&many[i]);
	}
	pthread_cond_signal(&signalled);
	return 0;
}
END
$CC -O1 -g -o "$T/slow" "$T/slow.c" -pthread || fail "cannot build slow"
recorded -b 64k -n 64 -w pthread -e 'pthread:*' -e 'ut:*' -- "$T/slow"
[ "$lost" -eq 0 ] || fail "$lost lost"
compared
# With UT_POSIX there are no modules, and so no names.
case $CFLAGS in
*UT_POSIX*)	exit 0 ;;
esac
utctl locks "$T/trace" >"$T/out" || fail "locks"
tid=$(sed -n 's/.*\[\([0-9]*\):\1\] pthread:mutex_acquired .*/\1/p' <<-END
$(utctl view "$T/trace")
END
)
awk -v tid="$(echo "$tid" | sed 1q)" '
/^the longest waits:/ { getline; getline
	if ($1 < 100000 || $0 !~ (" 0x[0-9a-f]+ one \\(slow\\)  " \
	    "patient\\+0x[0-9a-f]+ \\(slow\\)  held by "))
		exit 1
	if ($0 !~ (" held by " tid " too_long\\+0x[0-9a-f]+ \\(slow\\)$"))
		exit 1
	found++ }
/^held longest:/ { getline; getline
	if ($1 < 200000 || $0 !~ / too_long\+0x[0-9a-f]+ \(slow\)$/)
		exit 1
	found++ }
END { exit found != 2 }' "$T/out" || fail "who held it: $(cat "$T/out")"

# Tables are cut, unless all is wanted; and locks have names, as nm(1) says.
[ "$(lock_rows | wc -l)" -eq 20 ] &&
    grep -q '^ *\.\.\. and [0-9]* more, which -a shows$' "$T/out" ||
    fail "not 20 locks: $(cat "$T/out")"
utctl locks -a "$T/trace" >"$T/out" || fail "locks -a"
[ "$(lock_rows | wc -l)" -ge 27 ] && ! grep -q 'which -a shows$' "$T/out" ||
    fail "not all: $(cat "$T/out")"
for name in one two many 'many+0x[0-9a-f]*' signalled; do
	grep -q "  0x[0-9a-f]* $name (slow)\$" "$T/out" ||
	    fail "no $name: $(cat "$T/out")"
done
utctl locks -a -N "$T/trace" >"$T/out" || fail "locks -N"
grep '(slow)$' "$T/out" && fail "-N: $(cat "$T/out")"
need nm
nm -P "$T/slow" >"$T/nm" || fail "nm"
python3 - "$T/nm" "$T/locks.json" >"$T/got" 2>&1 <<'END' ||
import json, sys
addr = {l.split()[0]: int(l.split()[2], 16) for l in open(sys.argv[1])
    if l.split()[1] in "bBdD"}
j = json.load(open(sys.argv[2]))
p, = j["processes"]
named = [(int(l["lock"]), l["lock_sym"]) for l in p["locks"] if
    l.get("lock_sym", "").endswith(" (slow)")]
named += [(int(c["cond"]), c["cond_sym"]) for c in p["conditions"]]
base = set()
for lock, text in named:
    name, plus, offset = text[:-len(" (slow)")].partition("+")
    base.add(lock - addr[name] - int(offset or "0", 16))
assert len(named) == 28 and len(base) == 1, (named, base)
assert j["waits"][0]["lock_sym"] == "one (slow)", j["waits"][0]
END
    fail "names: $(tail -n 2 "$T/got")"
