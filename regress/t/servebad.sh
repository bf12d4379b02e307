# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl serve reads files that are anybody's: what a user of a session has put
# beside their own traces neither stops a viewer nor makes events of others late,
# and a viewer is not told of it, or is told that it was left out.

. ./common.sh
. ./serve.sh

need babeltrace2
[ "$(id -u)" -eq 0 ] || skip "needs root, for two users"
chmod 755 "$T" "$UT_RUNDIR"
start_utd

utctl create -o "$T/s" s >/dev/null && utctl enable-event 'seq:*' \
    >/dev/null && utctl start >/dev/null || fail "s"
theirs=$T/s/ust/uid/65534
as_user ./prog/seq 64 1 100 || fail "seq of another user"
serve s
watch w
until_ok printed w seq:tick 100 || fail "nothing: $(cat "$T/w.err")"

bits=$(ls "$theirs")
# forge DIR: a trace of theirs, with another UUID, for more commands on it.
forge() {
	as_user sh -c 'umask 077; cp -R "$1" "$2"; uuid=$(sed -n \
	    "s/.*uuid = \"\(........\).*/\1/p" "$2/metadata" | head -n 1)
	    sed "s/$uuid/deadbeef/" "$2/metadata" >"$2/m" &&
	    mv "$2/m" "$2/metadata"' - "$theirs/$bits" "$theirs/$1" ||
	    fail "forge $1"
}
now=$(date +%s)
# Its clock is an hour ahead.
forge ahead
as_user sh -c 'sed "s/offset_s = [0-9]*/offset_s = $2/" "$1/metadata" >"$1/m" &&
    mv "$1/m" "$1/metadata"; rm -f "$1"/*_*' - "$theirs/ahead" \
    $((now + 3600)) || fail "ahead"
# Packets that are damaged behind their headers, and no other.
for d in damaged broken; do
	forge $d
	for f in "$theirs/$d"/*_*; do
		head -c 4096 /dev/urandom | as_user sh -c 'dd of="$1" \
		    bs=1 seek=150 conv=notrunc 2>/dev/null' - "$f"
	done
done
# What is not a file, and what has another one's name.
forge odd
as_user sh -c 'cd "$1" && rm -f *_* && mkfifo a_0 && ln -s /dev/zero b_0 &&
    ln -s "$2" c_0 && mkdir d_0' - "$theirs/odd" \
    "$(ls "$theirs/$bits"/*_0)" || fail "odd"
sleep 2

# Of traces with one UUID, one goes.
as_user rm -rf "$theirs/damaged" || fail "rm"

# Events of others come as if nothing had been.
for i in 1 2 3 4 5 6; do
	./prog/seq $((i * 8)) 1 100 || fail "seq"
	sleep 0.3
done
until_ok printed w 'writer = [0-9]*, n = 100,' 7 ||
    fail "late: $(grep -c 'n = 100,' "$T/w.out") $(cat "$T/serve.err")"
utctl stop >/dev/null || fail "stop"
wait $WATCH_w
[ "$(cat "$T/w.status")" -eq 0 ] || fail "$(tail -5 "$T/w.err")"
wait $SERVE
grep -v 'packets\{0,1\} left out that cannot be read' "$T/serve.err" |
    grep . && fail "serve: $(cat "$T/serve.err")"
stop_utd || fail "utd: $?"
