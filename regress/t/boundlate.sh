# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A session with a size (create -M), of whose users several stop their consumers,
# each when it has filled much of a chunk: their parts are carried into one chunk,
# again and again.  All files together stay within the size all the time.

. ./common.sh

not_sanitized
[ "$(id -u)" -eq 0 ] || skip "for root"
./prog/asuser 65531 true 2>/dev/null || skip "no other users"
size=$((16 << 20))

# What two walks have was there between: see bound.sh.
sizes() {
	find "$T/w" -type f -printf '%i %s\n' 2>/dev/null
}
bytes() {
	{ sizes; echo; sizes; } | awk '
	    NF == 0 { second = 1; next }
	    !second { was[$1] = $2; next }
	    $1 in was { n += was[$1] < $2 ? was[$1] : $2; delete was[$1] }
	    END { print n + 0 }'
}
watch() {
	max=0
	while n=$(bytes); do
		[ "$n" -le "$max" ] || echo "$((max = n))" >>"$T/sum"
		sleep 0.02
	done
}
chunk() {
	ls -d "$T/w"/chunk-* 2>/dev/null | sed 's/.*-//' | sort -n | tail -n 1
}
is_next() {
	[ "$(chunk)" != "$was" ] || { ./prog/seq -p 10 1 1 4000; false; }
}
is_complete() {
	[ "$(ls -d "$T/w"/chunk-* | wc -l)" -le 1 ]
}

start_utd
chmod 755 "$T" "$UT_RUNDIR"
utctl create -M 16m -o "$T/w" w >/dev/null &&
    utctl enable-channel -s w -b 16k -n 128 c &&
    utctl enable-event -s w -c c 'seq:tick' &&
    utctl start w >/dev/null || fail "set-up"
watch &
WATCH=$!
CHILDREN="$CHILDREN $WATCH"
for round in 1 2 3; do
	stopped=
	for uid in 65525 65526 65527 65528 65529 65530 65531 65532 65533; do
		./prog/asuser $uid ./prog/seq -p 100 1 8 3600 || fail "seq"
		nap 300
		pid=$(consumer_of $uid)
		halt $pid
		stopped="$stopped $pid"
		was=$(chunk)
		until_ok is_next || fail "not rotated: $(utctl list w)"
		echo "$round $uid: $(bytes) bytes, chunk $(chunk)"
		[ $round$uid != 365526 ] || break
	done
	kill -CONT $stopped
	until_ok is_complete || fail "not complete: $(ls "$T/w")"
done
kill $WATCH
wait $WATCH 2>/dev/null

expect 0 ' 0 lost' utctl stop w
utctl destroy w >/dev/null || fail "destroy"
largest=$(tail -n 1 "$T/sum")
echo "largest $largest in $(ls "$T/w/archives" | wc -l) chunks"
[ "$largest" -le $size ] || fail "$largest bytes"
[ "$largest" -gt $((size / 2)) ] || fail "only $largest bytes"
utctl view "$T/w" >/dev/null 2>"$T/err" || fail "view: $(cat "$T/err")"
stop_utd || fail "utd: status $?"
