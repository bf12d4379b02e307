# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The directory of a session is moved while it records: what names it then
# names the place where it is now, also for another utd; or says that it is not
# there any more.

. ./common.sh

start_utd
utctl create -o "$T/a" s >/dev/null && utctl enable-event 'seq:*' >/dev/null &&
    utctl start >/dev/null || fail "set-up"
./prog/seq 1 1 10 || fail "seq"
mkdir "$T/sub" && mv "$T/a" "$T/sub/b" || exit 1
expect 0 "session s (active): $T/sub/b\$" utctl list
expect 0 "session s rotated: $T/sub/b/archives/2" utctl rotate s
[ -d "$(sed 's/.*rotated: //' "$T/out")" ] || fail "$(cat "$T/out")"
expect 0 "session s (active): $T/sub/b\$" utctl list s
expect 0 "warning: $T/a was moved to $T/sub/b" utctl list s
./prog/seq 2 1 20 || fail "seq"
mv "$T/sub" "$T/c" || exit 1
expect 0 "session s: snapshot of [0-9]* events: $T/c/b/snapshots/2" \
    utctl snapshot s
[ -d "$(sed 's/.*events: //' "$T/out")" ] || fail "$(cat "$T/out")"

# The command for a chunk is told the right one.
utctl rotate -c "cp -R \"\$1\" $T/copied" s >/dev/null || fail "rotate -c"
mv "$T/c" "$T/d" || exit 1
expect 0 "session s rotated: $T/d/b/archives/2" utctl rotate s
until_ok [ -d "$T/copied/ust" ] || fail "no copy: $(utctl list s)"

# For another utd.
kill_utd 2
start_utd
until_ok member_is "$T/d/b" s dir ||
    fail "$(utctl list s)"
./prog/seq 3 1 30 || fail "seq"
until_ok member_is 60 s written || fail "$(utctl list s)"

# In its place is another one, and it moved again; then it is gone.
mv "$T/d/b" "$T/e" && mkdir "$T/d/b" || exit 1
expect 0 's destroyed: 60 events, 0 lost, [0-9]* bytes in '"$T/e; 2 warn\|$T/e" \
    utctl destroy s
# What was not written yet is in the snapshot as well; only view leaves that out.
rm -rf "$T/e/snapshots"
readers_agree "$T/e"
[ "$(wc -l <"$T/view.out")" -eq 60 ] || fail "$(cat "$T/view.out")"
[ -z "$(ls "$T/d/b")" ] || fail "used: $(ls "$T/d/b")"

utctl create -o "$T/f" f >/dev/null && utctl enable-event 'seq:*' >/dev/null &&
    utctl start >/dev/null || fail "set-up of f"
./prog/seq 4 1 10 || fail "seq"
while [ -e "$T/f" ]; do rm -rf "$T/f"; done
expect 0 "session f (active): $T/f (not there any more)" utctl list f
expect 0 "f destroyed: .* in $T/f: not there any more: moved or removed" \
    utctl destroy f

expect 0 ": 10 events, 0 lost, [0-9]* bytes in $T/h\$" utctl record -o "$T/g" -- \
    sh -c "./prog/seq 5 1 10; mv $T/g $T/h"
# The consumer may make a file meanwhile, in a directory that is not removed yet.
expect 1 "bytes in $T/i: not there any more" utctl record -o "$T/i" -- \
    sh -c "./prog/seq 6 1 10; while [ -e $T/i ]; do rm -rf $T/i; done"

# One without anything, whose consumer has ended.
utctl create -o "$T/j" j >/dev/null || fail "create"
no_consumers() {
	[ -z "$(consumers)" ]
}
until_ok no_consumers || fail "consumers: $(consumers)"
mv "$T/j" "$T/k" || exit 1
expect 0 "session j (stopped): $T/k\$" utctl list j
expect 0 "session j destroyed: .* in $T/k;" utctl destroy j
stop_utd || fail "utd: status $?"
