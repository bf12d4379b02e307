# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# ut:module and ut:unload say what the system and the files themselves say of
# the modules of a program: where they are, their paths, their build IDs.  They
# come before other events, to each region, and only for patterns of libut's.

. ./common.sh

# The thread sanitizer lets children begin threads, if asked.
TSAN_OPTIONS=${TSAN_OPTIONS:-die_after_fork=0}
export TSAN_OPTIONS

need python3
need readelf
[ -r /proc/self/maps ] || skip "nothing says what is mapped"
case $CFLAGS in
*-DUT_POSIX*)	skip "no such events in this build" ;;
esac

cat >"$T/lib.c" <<'END'
#include <stdlib.h>
int module_code(void);
int
module_code(void)
{
	return abs(-1);
}
END
cat >"$T/events.c" <<'END'
#include <ut.h>
UT_EVENT(modlib, event, UT_INFO)
int module_code(void);
int
module_code(void)
{
	UT(modlib, event);
	return 0;
}
END

# library NAME SOURCE option...
library() {
	lib=$T/$1.so source=$2
	shift 2
	$CC $CFLAGS -fPIC -shared -I"$TOP/libut" -o "$lib" "$source" "$@" ||
	    fail "cannot build $lib"
}
library one "$T/lib.c" -Dmodule_code=one
library two "$T/lib.c" -Dmodule_code=two -Wl,--build-id=none
library three "$T/lib.c"
library four "$T/events.c" $LINK
$CC $CFLAGS -D_GNU_SOURCE -I"$TOP/libut" -o "$T/modules" prog/modules.c \
    -Wl,--no-as-needed "$T/one.so" "$T/two.so" $LINK $LIBS $DL \
    -Wl,-rpath,"$T" || fail "cannot build modules"

# oracle JSON PID MAPS: the modules that the process PID has at the end, by the
# events in JSON, are those in MAPS, and each is as its file says.
cat >"$T/oracle.py" <<'END'
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
END

# traced DIR: its events, as JSON and in the order of time.
traced() {
	utctl view -j "$1" >"$T/json" || fail "view $1"
}

# agrees DIR PID MAPS [n]: of n modules or more.
agrees() {
	traced "$1"
	python3 "$T/oracle.py" "$T/json" "$2" "$3" >"$T/oracle" 2>&1 ||
	    fail "$1, $3: $(cat "$T/oracle")"
	[ "$(cat "$T/oracle")" -ge "${4:-3}" ] ||
	    fail "$1: $(cat "$T/oracle") modules"
}

# How often the event was recorded of a module of that name: told EVENT NAME.
told() {
	grep '"event":"'"$1"'"' "$T/json" | grep -c "/$2\""
}

session() {
	name=$1
	shift
	utctl create -o "$T/$name.trace" "$name" >/dev/null ||
	    fail "create $name"
	[ $# -eq 0 ] || utctl enable-channel -s "$name" "$@" || fail "$*"
	utctl enable-event -s "$name" ut:module ut:unload 'modules:*' ||
	    fail "enable-event"
	utctl start "$name" >/dev/null || fail "start $name"
}

ended() {
	utctl stop "$1" >"$T/out" || fail "stop $1"
	grep -q ' 0 lost' "$T/out" || fail "$1: $(cat "$T/out")"
	utctl destroy "$1" >/dev/null || fail "destroy $1"
}

# From the start, before any event of the program; attached to a program that
# runs, to each session its own; and to each process its own.
start_utd
session start
pulse_start "$T/modules"
pulse maps "$T/maps"
pid=$answer
session attach
session perpid -p channel0
pulse fork "$T/maps.fork"
for s in start attach perpid; do
	ended $s
	agrees "$T/$s.trace" "$pid" "$T/maps"
	child=$(sed -n 's/.*"vpid":\([0-9]*\).*/\1/p' "$T/json" |
	    grep -v -x "$pid" | sort -u)
	agrees "$T/$s.trace" "$child" "$T/maps.fork"
	for p in $pid $child; do
		grep -m 1 "\"vpid\":$p," "$T/json" | grep -q ut:module ||
		    fail "$s: something comes before the modules of $p"
	done
done
[ "$(told ut:module two.so)" -eq 2 ] || fail "not each process once"

# What a program becomes by exec.
session exec
pulse exec
pulse maps "$T/maps.exec"
session after
ended exec
traced "$T/exec.trace"
[ "$(told ut:module modules)" -eq 2 ] || fail "exec: $(cat "$T/json")"
ended after
agrees "$T/after.trace" "$pid" "$T/maps.exec"

# What was told is gone after a clear, and is told again: once.
for with in '' '-p channel0'; do
	session cleared $with
	expect 0 'session cleared cleared' utctl clear cleared
	expect 0 'session cleared cleared' utctl clear cleared
	pulse maps "$T/maps.clear"
	ended cleared
	agrees "$T/cleared.trace" "$pid" "$T/maps.clear"
	rm -rf "$T/cleared.trace"
done
# Also if the clear ends when utctl has gone: what is there then is younger.
session cleared
consumer=$(consumers)
halt $consumer
complains '.* is being rotated: that takes long.*' utctl clear cleared
since=$(date +%s)
kill -CONT $consumer
told_again() {
	utctl view -j "$T/cleared.trace" 2>/dev/null | sed -n \
	    '1s/^{"ns":"\([0-9]*\)[0-9]\{9\}".*"ut:module".*/\1/p' >"$T/first"
	[ "$(cat "$T/first")" -ge $since ] 2>/dev/null
}
until_ok told_again || fail "not told: $(utctl view "$T/cleared.trace")"
ended cleared
agrees "$T/cleared.trace" "$pid" "$T/maps.clear"
rm -rf "$T/cleared.trace"

# A library without events is found when an address is named, by a relative
# name, and once; it is gone when libut is told, and so is one that was loaded
# in its place.  With no build ID, the table says none.
session load
pulse load "$T/three.so"
cp "$T/three.so" "$T/five.so"
pulse maps "$T/maps.load"
pulse code
pulse code
pulse fork "$T/maps.fork"
pulse unload
pulse maps "$T/maps.gone"
gone=1
! grep -q three.so "$T/maps.gone" || gone=0	# musl unmaps nothing
pulse gone
pulse gone
ended load
traced "$T/load.trace"
n=$(grep -c '"event":"modules:code"' "$T/json")
[ "$n" -eq 3 ] || fail "$n codes"
[ "$(told ut:module three.so)" -eq 2 ] || fail "three: $(cat "$T/json")"
[ "$(grep -c ut:unload "$T/json")" -eq $gone ] ||
    fail "unload: $(cat "$T/json")"
child=$(sed -n 's/.*"vpid":\([0-9]*\).*/\1/p' "$T/json" |
    grep -v -x "$pid" | sort -u)
agrees "$T/load.trace" "$child" "$T/maps.fork"
grep -v '"event":"ut:unload"' "$T/json" >"$T/json.load"
python3 "$T/oracle.py" "$T/json.load" "$pid" "$T/maps.load" >"$T/oracle" 2>&1 ||
    fail "load: $(cat "$T/oracle")"
[ $gone -eq 0 ] || grep "\"vpid\":$pid," "$T/json" |
    grep -e three.so -e ut:unload | tail -n 1 | grep -q ut:unload ||
    fail "order: $(cat "$T/json")"

# Children that find the run-time linker's lock taken by a thread that they do
# not have.
session held
pulse load "$T/three.so"
pulse code
pulse held 20
pulse unload
ended held
traced "$T/held.trace"
[ "$(told ut:module three.so)" -eq 21 ] ||
    fail "held: $(told ut:module three.so)"

# The same, and the children run the destructors.  Those of a sanitizer may wait
# for that lock themselves.
case $CFLAGS in
*-fsanitize*)	;;
*)	session exits
	pulse load "$T/three.so"
	pulse code
	pulse exits 20
	pulse unload
	ended exits
	traced "$T/exits.trace"
	[ "$(told ut:module three.so)" -eq 21 ] ||
	    fail "exits: $(told ut:module three.so)"
	;;
esac

# A thread that names an address has a lock of the program's that another one
# waits for, which has the linker's; and one forks that has the linker's.
session locked
pulse load "$T/three.so"
pulse locked
[ "$answer" -eq 0 ] || pulse locked
locked=$answer
pulse unload
ended locked
traced "$T/locked.trace"
[ "$locked" -eq 0 ] || [ "$(told ut:module three.so)" -eq 5 ] ||
    fail "locked: $(cat "$T/json")"

# One with events is found when it is loaded, and with it what came before; and
# what libut was not told of is found to be gone then.
session events
pulse load "$T/three.so"
pulse unload
pulse load "$T/five.so"
pulse load "$T/four.so"
pulse maps "$T/maps.four"
ended events
agrees "$T/events.trace" "$pid" "$T/maps.four"
[ "$(told ut:module five.so)" -eq 1 ] || fail "five: $(cat "$T/json")"
exec 3>&- 4<&-
wait $PULSE

# From its directory, by relative names, and removed while it runs.
session relative
here=$PWD
cd "$T" || exit 1
cp modules removed
pulse_start ./removed
pulse pid
rm removed
pulse load ./three.so
pulse code
pulse maps "$T/maps.rel"
pid=$answer
cp modules removed
ended relative
agrees "$T/relative.trace" "$pid" "$T/maps.rel"
[ "$(told ut:module removed)" -eq 1 ] || fail "removed: $(cat "$T/json")"
exec 3>&- 4<&-
wait $PULSE
cd "$here" || exit 1

# All events, by any pattern that is not libut's, are without these; what is
# shown of events also.
pulse_start
utctl create -o "$T/all.trace" all >/dev/null && utctl start all >/dev/null ||
    fail "set-up"
expect 0 '' utctl enable-event '*' '[u]t:*'
for glob in '*:module' '*module' '??:unload'; do
	expect 0 ': 0 events of 0 programs' utctl enable-event "$glob"
done
expect 0 'pulse:a' utctl events
grep -e ut:module -e ut:unload "$T/out" && fail "events shows them"
expect 0 'pulse:a' utctl events -j
grep -e ut:module -e ut:unload "$T/out" && fail "events -j shows them"
expect 0 'ut:unload' utctl events 'ut:un*'
pulse hit 1
expect 0 '' utctl destroy all
traced "$T/all.trace"
grep ut:module "$T/json" && fail "recorded by *"
session mine
ended mine
traced "$T/mine.trace"
[ "$(told ut:module pulse)" -eq 1 ] || fail "ut:module is not recorded"
exec 3>&- 4<&-
wait $PULSE

# A program that has no run-time linker.
if $CC $CFLAGS -static -I"$TOP/libut" -o "$T/static" prog/pulse.c \
    "$TOP/libut/libut.a" $LIBS 2>/dev/null && "$T/static" </dev/null; then
	session static
	pulse_start "$T/static"
	pulse pid
	cp "/proc/$answer/maps" "$T/maps.static"
	ended static
	agrees "$T/static.trace" "$answer" "$T/maps.static" 1
	exec 3>&- 4<&-
	wait $PULSE
fi

# Four threads load and unload, and children are forked, while sessions come
# and go: nothing hangs, and no module is told twice, or in the place of
# another.
for i in 1 2 3 4; do
	cp "$T/three.so" "$T/load$i.so"
done
# A sanitizer copies a lock of its allocator that another thread has at a fork,
# and a child's first thread waits for the lock for ever: no forks there.
forks=fork
case $CFLAGS in
*-fsanitize*)	forks=alone ;;
esac
session long
background "$T/modules" $forks 200 "$T/load1.so" "$T/load2.so" "$T/load3.so" \
    "$T/load4.so" >"$T/stress.out"
stress=$LAST n=0
until gone $stress; do
	rm -rf "$T/short.trace"
	session short
	ended short
	n=$((n + 1))
done
wait $stress || fail "stress: status $?"
ended long
traced "$T/long.trace"
cat >"$T/places.py" <<'END'
import json, sys
live, loads = {}, 0
for line in open(sys.argv[1]):
    e = json.loads(line)
    f, had = e["fields"], live.setdefault(e["vpid"], {})
    if e["event"] == "ut:module":
        for start, size in had.items():
            if f["start"] < start + size and start < f["start"] + f["size"]:
                sys.exit("%s is in the place of another" % line)
        had[f["start"]] = f["size"]
        loads += "/load" in f["path"] and e["vpid"] == int(sys.argv[2])
    elif e["event"] == "ut:unload" and had.pop(f["start"], 0) != f["size"]:
        sys.exit("%s was not there" % line)
print(loads)
END
loads=$(python3 "$T/places.py" "$T/json" $stress) || fail "$loads"
echo "$loads modules told of 800, $n sessions, $(cat "$T/stress.out") forks"
[ "$loads" -ge $((4 + 196 * gone)) ] && [ "$n" -gt 0 ] ||
    fail "$loads loads, $n sessions"
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"

# of_child NAME: the trace of that session, without what is of the parent.
of_child() {
	ended "$1"
	traced "$T/$1.trace"
	grep -v "\"vpid\":$PULSE," "$T/json" >"$T/json.child"
	mv "$T/json.child" "$T/json"
	exec 3>&- 4<&-
	wait $PULSE || fail "$1: status $?"
}

# orphan NAME command...: a child finds the linker's lock taken by a thread that
# it does not have, and utd comes only then: neither the session nor the child's
# own fork waits for the lock, nor does libut when it is told of an unload that
# did not need the lock.
orphan() {
	name=$1
	shift
	pulse_start "$@" "$T/modules"
	pulse load "$T/three.so"
	pulse child
	start_utd
	session "$name"
	pulse await
	[ "$locked" -eq 0 ] || pulse gone
	pulse code
	pulse fork
	of_child "$name"
	[ "$(grep -c '"event":"modules:code"' "$T/json")" -eq 2 ] ||
	    fail "$name: $(cat "$T/json")"
	[ "$locked" -eq 0 ] || [ "$(told ut:module three.so)" -eq 2 ] ||
	    fail "$name: $(cat "$T/json")"
}
orphan orphan

# The same where the system does not say how many threads a program has.  A
# sanitizer cannot do without /proc.
cat >"$T/hidden" <<'END'
#!/bin/sh
mount -t tmpfs none /proc && exec "$@"
END
chmod +x "$T/hidden"
for unshare in 'unshare -m' 'unshare -mUr'; do
	case $CFLAGS in
	*-fsanitize*)	break ;;
	esac
	$unshare "$T/hidden" true 2>/dev/null || continue
	stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"
	orphan hidden $unshare "$T/hidden"
	break
done

# What a parent that utd knows loads after its first fork, its children know.
# A child records what it unloads itself, and what it loads in its place.
pulse_start "$T/modules"
pulse fork "$T/maps.fork"
pulse load "$T/four.so"
pulse heir
session heir
pulse await
pulse load "$T/three.so"
pulse code
pulse unload
pulse load "$T/five.so"
pulse gone
pulse code
of_child heir
for so in three four five; do
	[ "$(told ut:module $so.so)" -eq 1 ] || fail "heir: $(cat "$T/json")"
done
[ "$(grep -c ut:unload "$T/json")" -eq $gone ] ||
    fail "heir: $(cat "$T/json")"

# What went while nobody listened is not taken for what is in its place.
pulse_start "$T/modules"
pulse load "$T/three.so"
session early
pulse await
ended early
pulse unload
pulse gone
pulse load "$T/five.so"
pulse heir
session late
pulse await
of_child late
[ "$(told ut:module three.so)" -eq $((1 - gone)) ] &&
    [ "$(told ut:module modules)" -eq 1 ] || fail "late: $(cat "$T/json")"
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"

# record -w does it all, and counts what it was asked for.
case "$CC $CFLAGS" in
*-m32*|*musl*|*-fsanitize*)	exit 0 ;;
esac
recorded -w malloc -- true
traced "$T/trace"
[ "$(grep -c '"event":"libc:' "$T/json")" -eq "$events" ] ||
    fail "$events events, not $(grep -c '"event":"libc:' "$T/json")"
head -n 1 "$T/json" | grep -q '"event":"ut:module"' ||
    fail "record: $(head -n 1 "$T/json")"
[ "$(told ut:module libut-malloc.so)" -eq 1 ] || fail "record: no module"
for with in '' '-x ut:log' '-x ut:mod*' '-l notice'; do
	recorded -w malloc -e 'ut:*' -e 'libc:*' $with -- true
	traced "$T/trace"
	[ "$(told ut:module libut-malloc.so)" -eq 1 ] ||
	    fail "ut:* $with: $(told ut:module libut-malloc.so) times"
done
# Where the user's channel does not keep them all, another one does.
for with in '-m overwrite' '-C 1m -W 2'; do
	recorded -w malloc -e 'ut:*' -e 'libc:*' $with -- true
	traced "$T/trace"
	[ "$(told ut:module libut-malloc.so)" -eq 2 ] ||
	    fail "ut:* $with: $(told ut:module libut-malloc.so) times"
done
recorded -w malloc -e 'nothing:*' -- ./prog/pulse
[ "$events $lost" = '0 0' ] || fail "nothing: $events events, $lost lost"
grep -q 'no program came that has an event nothing:\*' "$T/record.err" ||
    fail "nothing: $(cat "$T/record.err")"
recorded -- ./prog/pulse
traced "$T/trace"
grep ut:module "$T/json" && fail "recorded without -w"
exit 0
