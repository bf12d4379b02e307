# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# ut:module and ut:unload say what the system and the files themselves say of
# the modules of a program: where they are, their paths, their build IDs.  They
# come before other events, to each region, and only for patterns of libut's.

. ./shared/modules.sh

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
python3 "$TOP/regress/shared/modules.py" "$T/json.load" "$pid" \
    "$T/maps.load" >"$T/oracle" 2>&1 || fail "load: $(cat "$T/oracle")"
[ $gone -eq 0 ] || grep "\"vpid\":$pid," "$T/json" |
    grep -e three.so -e ut:unload | tail -n 1 | grep -q ut:unload ||
    fail "order: $(cat "$T/json")"

# One whose program headers are elsewhere is told whole, and once, whether it is
# found by its code or by a look, as for another session.
. ./shared/moved.sh
moved moved "$T/lib.c"
session moved
pulse load "$T/moved.so"
pulse code
pulse gone
pulse code
session looked
pulse maps "$T/maps.moved"
ended looked
ended moved
agrees "$T/looked.trace" "$pid" "$T/maps.moved"
agrees "$T/moved.trace" "$pid" "$T/maps.moved"
[ "$(told ut:module moved.so)" -eq 1 ] || fail "moved: $(cat "$T/json")"
grep -e moved.so -e modules:code "$T/json" | head -n 1 | grep -q moved.so ||
    fail "moved, and told late: $(cat "$T/json")"
pulse unload

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
# When it is unloaded, it is gone at once, for another may take its place.
session leaves
pulse unload
ended leaves
traced "$T/leaves.trace"
start=$(grep /four.so "$T/json" | sed 's/.*\("start":[^,]*,\).*/\1/')
[ "$(grep ut:unload "$T/json" | grep -c -e "$start")" -eq $gone ] ||
    fail "leaves: $(cat "$T/json")"
# But libraries stay when the process exits.
session stays
pulse load "$T/four.so"
exec 3>&- 4<&-
wait $PULSE
ended stays
traced "$T/stays.trace"
[ "$(told ut:module four.so)" -ge 1 ] && ! grep ut:unload "$T/json" ||
    fail "stays: $(cat "$T/json")"

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
