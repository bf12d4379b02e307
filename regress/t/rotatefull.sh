# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A session is rotated in a file system that is full: what there is no room for
# waits in the buffers, and is in a chunk when there is room again.  Nothing is
# half there.  The same with a directory that is removed: that is said, and the
# session can be ended.

. ./common.sh

[ "$(uname -s)" = Linux ] && [ "$(id -u)" -eq 0 ] || skip "not root on Linux"
mkdir "$T/small"
mount -t tmpfs -o size=1m tmpfs "$T/small" 2>/dev/null || skip "no tmpfs"
trap 'umount "$T/small" 2>/dev/null || umount -l "$T/small"; finish' EXIT

start_utd
utctl create -o "$T/small/t" s >/dev/null &&
    utctl enable-channel -b 4k -n 256 c &&
    utctl enable-event -c c 'seq:tick' && utctl start || fail "set-up"
./prog/seq 1 1 1000 || fail "seq: $?"
expect 0 'rotated' utctl rotate s
dd if=/dev/zero of="$T/small/ballast" bs=1k 2>/dev/null
./prog/seq 2 1 500 || fail "seq: $?"
expect 0 'error: channel c: events wait: .*No space left' utctl list s
utctl rotate s >"$T/out" 2>&1
./prog/seq 3 1 500 || fail "seq: $?"
utctl rotate s >"$T/out" 2>&1
rm "$T/small/ballast"
written() {
	counts s
	[ "$events" -eq 2000 ]
}
until_ok written || fail "not written: $(utctl list s)"
until_ok utctl rotate s || fail "$(utctl rotate s 2>&1)"
./prog/seq 4 1 100 || fail "seq: $?"
expect 0 'destroyed: 2100 events, 0 lost' utctl destroy s
: >"$T/all"
for d in "$T"/small/t/archives/*; do
	[ -n "$(find "$d" -name metadata)" ] || continue
	readers_agree "$d"
	cat "$T/view.out" >>"$T/all"
done
./prog/seqcheck <"$T/all" >"$T/got" || fail "$(cat "$T/got")"
[ "$(cat "$T/got")" = "2100 4 0" ] || fail "$(cat "$T/got")"

# The directory goes.
utctl create -o "$T/t" s >/dev/null && utctl enable-event 'seq:tick' &&
    utctl rotate -t 100ms && utctl start || fail "set-up"
./prog/seq 1 1 1000 || fail "seq: $?"
rm -rf "$T/t"
./prog/seq 2 1 1000 || fail "seq: $?"
told_so() {
	utctl list s | grep -q 'error: .*removed'
}
until_ok told_so || fail "not said: $(utctl list s)"
[ "$(wc -l <"$T/utd.log")" -lt 30 ] || fail "said too often"
expect 0 'destroyed' utctl destroy s
stop_utd || fail "utd: status $?"
