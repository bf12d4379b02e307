# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What somebody has put where utd, utctl and programs look for something: in
# place of the run directory, of what is in there, of the FIFO in /tmp, into a
# trace that somebody else views, and into names.

. ./common.sh

clean() {
	rm -rf "$(./prog/intruder fifo 65534 "$T/sys")"
	finish
}
trap clean EXIT
utd_refuses() {	# pattern rundir
	utd -d -r "$2" 2>"$T/err" &
	UTD_PID=$!
	until_ok gone $UTD_PID || fail "utd runs in $2"
	stop_utd
	grep -q -e "$1" "$T/err" && [ "$(wc -l <"$T/err")" -eq 1 ] ||
	    fail "$2: $(cat "$T/err")"
}
root() {
	[ "$(id -u)" -eq 0 ]
}
chmod 711 "$T" || exit 1

# In place of the run directory, for whoever runs utd.
mkdir -m 700 "$T/real" "$T/open" "$T/group" "$T/victim" && chmod 777 \
    "$T/open" && chmod 770 "$T/group" && : >"$T/file" && ln -s real "$T/link" &&
    ln -s "$T/loop" "$T/loop" || exit 1
echo untouched >"$T/victim/sock" && cp "$T/victim/sock" "$T/victim/state" &&
    chmod 640 "$T/victim/state" || exit 1
utd_refuses 'writable by others' "$T/open"
utd_refuses 'writable by others' "$T/group"
utd_refuses 'Not a directory' "$T/file"
utd_refuses 'ymbolic link' "$T/loop"
UT_RUNDIR=$T/link
start_utd
[ -S "$T/real/sock" ] || fail "one's own link"
stop_utd || fail "utd: status $?"

# In place of what is in there.
for f in sock wake utd.pid state state.new programs programs.new \
    consumer-$(id -u); do
	rm -rf "$T/real"
	mkdir -m 700 "$T/real" && ln -s "$T/victim/state" "$T/real/$f" ||
	    exit 1
	utd -d -r "$T/real" 2>"$T/err" &
	UTD_PID=$!
	case $f in
	wake|utd.pid)
		until_ok gone $UTD_PID || fail "$f: a link is used" ;;
	*)	UT_RUNDIR=$T/real
		until_ok utctl list || fail "$f: $(cat "$T/err")"
		utctl create -o "$T/t.$f" s >/dev/null 2>&1 ;;
	esac
	stop_utd
	[ "$(cat "$T/victim/state")" = untouched ] || fail "$f: written"
	# A file of our own with another name.
	rm -rf "$T/real"
	mkdir -m 700 "$T/real" && ln "$T/victim/state" "$T/real/$f" || exit 1
	utd -d -r "$T/real" 2>"$T/err" &
	UTD_PID=$!
	case $f in
	wake|utd.pid)
		until_ok gone $UTD_PID || fail "$f: a link is used" ;;
	*)	UT_RUNDIR=$T/real
		until_ok utctl list || fail "$f, linked: $(cat "$T/err")" ;;
	esac
	stop_utd
	[ "$(cat "$T/victim/state")" = untouched ] || fail "$f: written, linked"
	[ "$(ls -l "$T/victim/state" | cut -c1-10)" = -rw-r----- ] ||
	    fail "$f: $(ls -l "$T/victim/state")"
	mkdir -m 700 "$T/with.$f" && mkdir "$T/with.$f/$f" || exit 1
	utd -d -r "$T/with.$f" 2>"$T/err" &
	UTD_PID=$!
	sleep 0.1
	stop_utd
	[ -d "$T/with.$f/$f" ] || fail "$f: a directory is gone"
done
# A FIFO, for which nobody waits.
rm -rf "$T/real"
mkdir -m 700 "$T/real" && mkfifo "$T/real/state" || exit 1
UT_RUNDIR=$T/real
start_utd
stop_utd || fail "status $?"

# In a trace: what is no file of it is not read, nor waited for.
recorded -- ./prog/seq 1 1 10
[ "$events" -eq 10 ] || fail "$events events, not 10"
d=$(echo "$T"/trace/ust/uid/*/*)
utctl view "$T/trace" >"$T/view0" || fail "view"
echo "a secret" >"$T/secret"
ln -s "$T/secret" "$d/channel0_1" && mkfifo "$d/channel0_2" &&
    ln -s . "$d/loop" && ln -s / "$d/root" && ln -s "$T/secret" "$d/index" ||
    exit 1
expect 0 '' utctl view "$T/trace"
cmp -s "$T/view0" "$T/out" || fail "view: $(cat "$T/out")"
for how in 'mkfifo' "ln -s $T/secret" 'mkdir'; do
	rm "$d/metadata"
	$how "$d/metadata" || exit 1
	expect 1 'streams of events, but no metadata' utctl view "$T/trace"
	grep -q secret "$T/out" "$T/err" && fail "$how: it is read"
	: >"$d/x" && rm -rf "$d/metadata" && mv "$d/x" "$d/metadata" || exit 1
done

# In a name: the log, and who lists, are sent nothing that a terminal obeys.
UT_RUNDIR=$T/run
start_utd -v
name="$T/$(printf 'x\033[2Jy\rz\nutd: all is well')"
cp prog/pulse "$name" || fail "cp"
pulse_start "$name"
until_ok sh -c "utctl events | grep -q 'x.x1b\[2Jy.x0dz'" ||
    fail "events: $(utctl events | cat -v)"
exec 3>&- 4<&-
stop_utd || fail "utd: status $?"
grep -q 'program x.x1b\[2Jy.x0dz.nutd: all' "$T/utd.log" ||
    fail "log: $(cat -v "$T/utd.log")"
tr -d '\n' <"$T/utd.log" | grep '[[:cntrl:]]' && fail "the log"

root || exit 0
name=$(./prog/intruder fifo 65534 "$T/sys") || exit 1
two="./prog/asuser 65533"
one="./prog/asuser 65534"

# Put there by somebody else.
mkdir "$T/two" && chown 65533 "$T/two" || exit 1
mkdir -m 1777 "$T/tmp" && chmod 1777 "$T/tmp" || exit 1
ls -lR "$T/victim" >"$T/before"
$two ln -s "$T/victim" "$T/tmp/link" && $two mkdir "$T/tmp/dir" &&
    $two ln -s "$T/victim" "$T/two/link" || exit 1
for link in "$T/tmp/link" "$T/two/link" "$T/two/link/" "$T/two/link///"; do
	utd_refuses 'a symbolic link of uid 65533\|Permission denied' "$link"
done
utd_refuses 'owned by uid 65533, not by 0' "$T/tmp/dir"
# In a directory of somebody else, or behind a link or a directory in there.
mkdir "$T/two/run" "$T/two/roots" "$T/two/roots/run" &&
    ln -s "$T/real" "$T/two/roots/link" && ln -s "$T/two/run" "$T/tolink" &&
    mkdir -m 755 "$T/open.up" && chmod 777 "$T/open.up" &&
    mkdir -m 755 "$T/open.up/run" || exit 1
for dir in two/run two/roots/run two/roots/link tolink open.up/run; do
	utd_refuses 'others can put another directory there' "$T/$dir"
done
rm -r "$T/two/run" "$T/two/roots" "$T/tolink" "$T/open.up"
UT_RUNDIR=$T/two/link ./prog/about >/dev/null || fail "about"
[ ! -e "$T/victim/wake" ] || fail "a FIFO is made behind another's link"
ls -lR "$T/victim" | cmp -s - "$T/before" || fail "$(ls -lR "$T/victim")"

# The FIFO in /tmp on which one's programs would sleep: whatever two puts
# there, no program sleeps there, is woken from there, or waits.
UT_RUNDIR=$T/sys
system_at "$UT_RUNDIR"
build "$T/pulse" prog/pulse.c
run="./prog/asuser 65534 env UT_RUNDIR= XDG_RUNTIME_DIR= HOME=/nonexistent"
pulse_start $run "$T/pulse"
pulse hit 1
until_ok test -p "$name" || fail "no FIFO of one: $name"
exec 3>&- 4<&-
wait $PULSE
rm "$name"
: >"$T/two/file" && chown 65533 "$T/two/file" && mkfifo -m 600 "$T/fifo" &&
    chown 65534 "$T/fifo" || exit 1
for what in "mkfifo -m 666 $name" "touch $name" "mkdir $name" \
    "ln -s $T/fifo $name" "ln -s $T/victim/state $name" \
    "ln $T/two/file $name" "ln -s $name $name"; do
	$two $what || fail "$what"
	pulse_start $run "$T/pulse"
	pulse hit 1
	pulse pid
	PULSE=$answer
	threads 1 "$what"
	utd -d -r "$UT_RUNDIR" 2>"$T/err" &
	UTD_PID=$!
	until_ok utctl list || fail "$what: no utd: $(cat "$T/err")"
	$run "$T/pulse" </dev/null >/dev/null || fail "$what: pulse"
	stop_utd || fail "$what: utd: $?"
	exec 3>&- 4<&-
	until_ok gone $PULSE || fail "$what: pulse stays"
	rm -rf "$name" "$T/sys" "$T/sys.wake"
done
[ "$(cat "$T/victim/state")" = untouched ] || fail "written"
ls -lR "$T/victim" | cmp -s - "$T/before" || fail "$(ls -lR "$T/victim")"
