# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The file "clock" of a trace directory says what the clocks were, and is there
# whatever happens: rotation, snapshots, programs that end at once, consumers
# and utd that are killed, somebody who cuts or removes it, a full disk.  No
# reader has anything to say about it.

. ./common.sh

# What utd is not allowed as a service of the system kills it.
grep -q '^SystemCallFilter=.* adjtimex clock_adjtime$' "$TOP/utd/rc/systemd" ||
    fail "the service may not ask what the system thinks of its clock"

need od

# When points are due, by clocks that do anything.
$CC -std=c11 -D_GNU_SOURCE -Wall -Wextra $CFLAGS -I"$TOP/libut" \
    -o "$T/points" prog/points.c || fail "cannot build points"
"$T/points" >"$T/got" || fail "points: status $?"
[ ! -s "$T/got" ] || fail "$(cat "$T/got")"

# The points in a file, one a line: number, time, cycles, boottime, realtime,
# state; or what is wrong.  Numbers of 64 bits are in two halves, as awk cannot
# hold them otherwise without an error of less than a microsecond.
points() {
	od -An -v -t u4 "$1" | awk -v low="$low" '
	{ for (i = 1; i <= NF; i++) v[n++] = $i }
	function u64(at) {
		return v[at + low] + v[at + 1 - low] * 4294967296
	}
	END {
		if (n == 0 || n % 33 != 0)
			print "bad size", n * 4
		for (p = 0; p + 33 <= n; p += 33) {
			if (v[p] != 3254525889 || v[p + 5] != 4294967295 ||
			    u64(p + 6) != 0 || u64(p + 8) != u64(p + 10) ||
			    u64(p + 12) != 1056 || u64(p + 14) != 1056)
				print "bad packet", p / 33
			if (u64(p + 16) != p / 33)
				print "bad number", u64(p + 16)
			if (p > 0 && u64(p + 8) <= time)
				print "bad time", p / 33
			time = u64(p + 8)
			printf "%d %.0f %.0f %.0f %.0f %.0f\n", u64(p + 16),
			    time, u64(p + 18), u64(p + 20), u64(p + 22),
			    v[p + 32]
		}
	}'
}
# Which half comes first, the low one?
low=$(printf '\001\000' | od -An -t u2 | awk '{ print $1 == 1 ? 0 : 1 }')

seconds() {
	date +%s
}

# checked DIR LEAST FROM TO: the file is right, has so many points at least,
# all of that time.
checked() {
	points "$1/clock" >"$T/got" || fail "no clock in $1"
	! grep bad "$T/got" || fail "$1: $(cat "$T/got")"
	[ "$(wc -l <"$T/got")" -ge "$2" ] ||
	    fail "$1: $(wc -l <"$T/got") points, not $2"
	awk -v from="$3" -v to="$4" '
	$5 < from * 1e9 - 1000 || $5 > (to + 1) * 1e9 { bad++ }
	$4 < $2 - 1000 { bad++ }
	NR > 1 && $3 != 0 && $3 <= cycles { bad++ }
	{ cycles = $3 }
	END { exit bad > 0 }' "$T/got" ||
	    fail "$1, from $3 to $4: $(cat "$T/got")"
}

has_points() {
	[ "$(wc -c <"$1/clock")" -ge $(($2 * 132)) ]
}

events_come() {
	counts s
	[ "$events" -gt "$was" ]
}

# Some more events are in the trace.
record_more() {
	counts s
	was=$events
	until_ok events_come || fail "no more events"
}

# Begin and end; and what babeltrace2 makes of it.
start_utd
from=$(seconds)
utctl create -o "$T/s" s >/dev/null && utctl enable-channel c &&
    utctl enable-event -c c 'clocks:*' && utctl start || fail "set-up"
background ./prog/clocks 10000
begun() {
	has_points "$(echo "$T"/s/ust/uid/*/*-bit)" 1
}
until_ok begun || fail "no points: $(ls -lR "$T/s")"
dir=$(echo "$T"/s/ust/uid/*/*-bit)
until_ok has_points "$dir" 2 || fail "no points: $(ls -l "$dir")"
checked "$dir" 2 "$from" "$(seconds)"
if [ -r /proc/uptime ]; then
	tail -n 1 "$T/got" | awk -v now="$(cut -d ' ' -f 1 /proc/uptime)" '
	{ exit !($4 / 1e9 < now + 1 && $4 / 1e9 > now - 70) }' ||
	    fail "not the uptime $(cat /proc/uptime): $(cat "$T/got")"
fi
n=$(wc -l <"$T/got")
sleep 0.2
expect 0 '' utctl stop
checked "$dir" $((n + 1)) "$from" "$(seconds)"
[ "$(ls -l "$dir/clock" | cut -c 1-10)" = -rw------- ] || fail "mode"
readers_agree "$T/s"
if command -v babeltrace2 >/dev/null 2>&1; then
	babeltrace2 -c sink.text.details "$T/s" >"$T/details" 2>"$T/err" ||
	    fail "details: $(cat "$T/err")"
	[ ! -s "$T/err" ] || fail "details: $(cat "$T/err")"
	# awk(1) is off by some hundred.
	tr -d , <"$T/details" | awk '
	$1 == "cycles:" && NF == 2 { cycles = $2 }
	$1 == "boottime:" { boot = $2 }
	$1 == "realtime:" { real = $2 }
	$1 == "ntp_state:" && $2 ~ /^-*[0-9]+$/ {
		printf "%.0f %.0f %.0f %.0f\n", cycles, boot, real,
		    $2 < 0 ? $2 + 4294967296 : $2
	}' >"$T/details.points"
	cut -d ' ' -f 3- <"$T/got" | diff - "$T/details.points" ||
	    fail "babeltrace2 reads other points"
fi

# Counts of bytes are those of the channels.
counts s
[ "$bytes" -eq "$(stream_bytes "$T/s")" ] || fail "$bytes bytes counted"

# The end of a chunk, and the beginning of the next one.
expect 0 '' utctl start
record_more
sleep 0.2
now=$(seconds)
expect 0 '' utctl rotate
record_more
set -- "$T"/s/archives/*/ust/uid/*/*-bit
checked "$1" $((n + 2)) "$from" "$(seconds)"
last=$(tail -n 1 "$T/got" | cut -d ' ' -f 2)
dir=$(echo "$T"/s/*/ust/uid/*/*-bit)
dir=$(find "$T/s" -path "$T/s/archives" -prune -o -name '*-bit' -print)
until_ok has_points "$dir" 1 || fail "rotate: no points"
checked "$dir" 1 "$((now - 1))" "$(seconds)"
awk -v last="$last" 'NR == 1 { exit !($2 < last + 2e9) }' "$T/got" ||
    fail "rotate: begins late: $last $(cat "$T/got")"

# A consumer is killed, and in the end of the file there is half a packet; then
# utd.
counted() {
	points "$dir/clock" | wc -l
}
until_ok has_points "$dir" 2 || fail "no second point"
n=$(counted)
victim=$(consumers)
kill -STOP "$victim"
head -c 60 "$dir/clock" >"$T/half"
cat "$T/half" >>"$dir/clock"
kill -9 "$victim"
record_more
until_ok has_points "$dir" $((n + 1)) || fail "killed: no points"
checked "$dir" $((n + 1)) "$from" "$(seconds)"
n=$(counted)
kill_utd 1
start_utd
record_more
until_ok has_points "$dir" $((n + 1)) || fail "utd killed: no points"
checked "$dir" $((n + 1)) "$from" "$(seconds)"

# Somebody cuts it, and removes it.  What is older than a tenth of a second has
# a point of its own.
head -c 200 "$dir/clock" >"$T/half"
cat "$T/half" >"$dir/clock"
sleep 0.2
expect 0 '' utctl stop
checked "$dir" 2 "$from" "$(seconds)"
expect 0 '' utctl start
rm "$dir/clock"
sleep 0.2
expect 0 '' utctl stop
checked "$dir" 1 "$from" "$(seconds)"

# It is not written into a file of somebody else's, nor through a link.
for how in more other link; do
	expect 0 '' utctl start
	cp "$dir/clock" "$T/saved"
	case $how in
	more)	echo more >>"$dir/clock" ;;
	other)	rm "$dir/clock"
		echo other >"$dir/clock" ;;
	link)	echo target >"$T/target"
		rm "$dir/clock"
		ln -s "$T/target" "$dir/clock" ;;
	esac
	cp "$dir/clock" "$T/before"
	sleep 0.2
	expect 0 '' utctl stop
	cmp -s "$dir/clock" "$T/before" || fail "$how: written"
	rm "$dir/clock"
	cp "$T/saved" "$dir/clock"
	# The log is that of the last utd alone.
	[ "$(grep -c -- '-bit: what the clocks say' "$T/utd.log")" -eq 1 ] ||
	    fail "$how: $(cat "$T/utd.log")"
	kill_utd 1
	start_utd
done
readers_agree "$T/s"
counts s
[ "$lost" -eq 0 ] || fail "$lost lost"
expect 0 '' utctl destroy
checked "$(echo "$T"/s/archives/*-2/ust/uid/*/*-bit)" 1 "$from" "$(seconds)"

# Snapshots have the points since their first event, and one of now.
from=$(seconds)
utctl create -S -o "$T/kept" kept >/dev/null &&
    utctl enable-channel -m overwrite c &&
    utctl enable-event -c c 'clocks:*' && utctl start || fail "set-up"
taken() {
	shots=$((${shots:-0} + 1))
	now=$(seconds)
	utctl snapshot -n "$shots" || return 1
	shot=$(echo "$T/kept/snapshots/$shots"/ust/uid/*/*-bit)
	has_points "$shot" 3
}
until_ok taken || fail "snapshot: no points: $(points "$shot/clock")"
checked "$shot" 3 $((from - 61)) "$(seconds)"
awk -v now="$now" '{ last = $5 } END { exit !(last >= now * 1e9 - 1000) }' \
    "$T/got" || fail "snapshot: no point of now: $(cat "$T/got")"
readers_agree "$T/kept/snapshots/$shots"
expect 0 '' utctl destroy kept
kill -9 "$LAST"

# Programs with buffers of their own: also those that end at once.
utctl create -o "$T/own" own >/dev/null && utctl enable-channel -p c &&
    utctl enable-event -c c 'seq:*' && utctl start || fail "set-up"
for i in 1 2 3 4 5; do
	./prog/seq 1 1 10 || fail "seq"
done
expect 0 '' utctl destroy
set -- "$T"/own/ust/pid/*
[ $# -eq 5 ] || fail "$# directories"
for d; do
	checked "$d" 1 $((from - 61)) "$(seconds)"
done
readers_agree "$T/own"
stop_utd || fail "utd: status $?"

# Without room: the events are what they are without the clock, and all is
# removed that is cleared.
[ "$(uname -s)" = Linux ] && [ "$(id -u)" -eq 0 ] || exit 0
mkdir "$T/small"
mount -t tmpfs -o size=200k tmpfs "$T/small" 2>/dev/null || exit 0
trap 'umount "$T/small" 2>/dev/null || umount -l "$T/small"; finish' EXIT
start_utd
utctl create -o "$T/small/s" s >/dev/null && utctl enable-channel c &&
    utctl enable-event -c c 'clocks:*' && utctl start || fail "set-up"
background ./prog/clocks 10000
record_more
dir=$(echo "$T"/small/s/ust/uid/*/*-bit)
until_ok has_points "$dir" 1 || fail "small: no points"
: >"$dir/clock"
dd if=/dev/zero of="$T/small/ballast" bs=1k 2>/dev/null
sleep 0.2
expect 0 '' utctl stop
[ "$(wc -c <"$dir/clock")" -eq 0 ] || fail "half a point"
! grep clock "$T/utd.log" || fail "said: $(cat "$T/utd.log")"
rm "$T/small/ballast"
expect 0 '' utctl start
sleep 0.2
expect 0 '' utctl stop
checked "$dir" 2 "$from" "$(seconds)"
expect 0 '' utctl clear
expect 0 '' utctl destroy
stop_utd || fail "utd: status $?"
