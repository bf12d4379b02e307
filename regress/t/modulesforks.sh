# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# ut:module and ut:unload in children, also in those that find the run-time
# linker's lock taken, and while four threads load and unload.

. ./shared/modules.sh

start_utd
linker

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
session short
background "$T/modules" $forks 200 "$T/load1.so" "$T/load2.so" "$T/load3.so" \
    "$T/load4.so" >"$T/stress.out"
stress=$LAST n=1
ended short
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
[ "$loads" -ge $((4 + 196 * gone)) ] || fail "$loads loads, $n sessions"
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
