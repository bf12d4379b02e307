# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Figures of traces that lack packets: the first of a stream, as with -W and in
# snapshots, some in the middle, and single events.

. ./shared/gone.sh

# The thread's first packets were removed: with them, the end of what began in
# another stream, and the beginning of what ends there.
trace removed <<-END
	c_0_0 0 10 11 0 0 0 10 1
	c_0_0 0 30 31 1 0 1 30 1
	c_1_3 1 20 21 5 0 0 40 2 1 50 2
END
trace opened <<-END
	c_0_0 0 10 11 0 0 2 10 1
	c_0_0 0 30 31 1 0 3 30 1
	c_1_3 1 20 21 5 0 1 50 2
END
utctl stat -d -j "$T/removed" >"$T/out" || fail "stat"
grep -q '"unbegun":0,"left_out":1,.*"calls":1,' "$T/out" ||
    fail "stat: $(cat "$T/out")"
grep -q '"ns":"20000000000"' "$T/out" && fail "stat: $(cat "$T/out")"
# Nothing was lost: no larger buffers help.
for o in -d '-D q:open,q:close,k'; do
	utctl stat $o "$T/$([ "$o" = -d ] && echo removed || echo opened)" \
	    >"$T/out" 2>"$T/err" || fail "stat $o"
	grep -q '^1 left out: events from then were removed, ' "$T/out" &&
	    grep -q '^utctl: pairs were left out, as events were removed ' \
	    "$T/err" || fail "stat $o: $(cat "$T/out" "$T/err")"
done
utctl view -i -j "$T/removed" >"$T/out" || fail "view"
grep -q '"took_ns":"20000000000"' "$T/out" && fail "view: $(cat "$T/out")"
utctl export -F folded "$T/removed" >"$T/out" 2>"$T/err"
[ "$(cat "$T/out")" = "-;p:x 10000000000" ] || fail "folded: $(cat "$T/out")"
grep -q '1 pair left out: events from then were removed' "$T/err" || fail "folded: $(cat "$T/err")"
utctl export "$T/removed" >"$T/out" || fail "chrome"
[ "$(bars X <"$T/out")" -eq 1 ] && ! grep -q unended "$T/out" ||
    fail "chrome: $(cat "$T/out")"
# It is no loss to tell of.
expect 0 '^4 events, 0 discarded$' utctl view -q "$T/removed"
utctl view "$T/removed" >/dev/null 2>"$T/err"
[ ! -s "$T/err" ] || fail "view: $(cat "$T/err")"

# An end without a beginning, which may be among what was lost before it; but
# not if it comes before all losses.
trace unbegun <<-END
	c_0_0 0 9 11 0 0 1 9 1 0 10 1
	c_0_0 0 12 13 1 2
	c_0_0 0 20 22 2 2 1 20 1 1 21 1 3 22 1
END
utctl stat -d -j "$T/unbegun" >"$T/out" || fail "stat"
grep -q '"unbegun":1,"left_out":2,' "$T/out" || fail "unbegun: $(cat "$T/out")"
utctl stat -D q:open,q:close,k -j "$T/unbegun" >"$T/out" || fail "stat -D"
grep -q '"unbegun":0,"left_out":1,' "$T/out" ||
    fail "unbegun, -D: $(cat "$T/out")"

# A file of the row goes on where the one before it ends.
trace row <<-END
	c_0_0 0 10 11 0 0 0 10 1
	c_0_1 0 20 21 1 0
	c_0_2 0 30 31 2 0 1 30 1
	c_1_0 1 5 15 0 0 0 5 2
	c_1_1 1 20 50 1 0 1 50 2
END
utctl stat -d -j "$T/row" >"$T/out" || fail "stat"
grep -q '"left_out":0,.*"calls":2,' "$T/out" || fail "row: $(cat "$T/out")"
# Or does not: the end of one file is not the beginning of the next.
trace hole <<-END
	c_0_0 0 10 11 0 0 0 10 1
	c_0_2 0 30 31 2 0 1 30 1
END
utctl stat -d -j "$T/hole" >"$T/out" || fail "stat"
grep -q '"lost_packets":1,.*"left_out":1,' "$T/out" ||
    fail "hole: $(cat "$T/out")"
utctl stat -d "$T/hole" >"$T/out" 2>"$T/err" || fail "stat"
grep -q '^1 left out: events were lost meanwhile$' "$T/out" &&
    grep -q '^utctl: pairs were .*: record -m block' "$T/err" ||
    fail "hole: $(cat "$T/out" "$T/err")"

# B, a lost end, a lost beginning, E; all within a loss that goes on.
trace within <<-END
	c_0 0 0 1 0 0 0 1 1
	c_0 0 40 41 1 3
	c_1 1 10 30 0 0 0 10 2 1 20 2 1 30 1
END
utctl export "$T/within" >"$T/out" || fail "chrome"
[ "$(bars X <"$T/out") $(bars i <"$T/out")" = "1 2" ] ||
    fail "within: $(cat "$T/out")"

# Freed twice, or perhaps not, as the block may have been allocated again by a
# call that was lost; and live, or perhaps not.
trace blocks <<-END
	c_0 0 1 5 0 0 4 1 1048577 5 2 1048577 4 3 2097153
	c_0 0 10 20 1 1 5 11 1048577 5 12 1048577
	c_0 0 21 24 2 1 4 21 3145729 5 22 1048577 5 23 3145729 5 24 3145729
END
utctl heap -j "$T/blocks" >"$T/out" 2>"$T/err" || fail "heap"
grep -q '"twice":1,.*"unsure_blocks":1,"unsure_twice":3,' "$T/out" &&
    grep -q '"freed_twice":\[{"ptr":48,"first":{"ns":"23000000000"' "$T/out" ||
    fail "heap: $(cat "$T/out")"
utctl heap "$T/blocks" >"$T/out" 2>"$T/err" || fail "heap"
grep -q '1 of the blocks may have been freed, and 3 more may' "$T/err" &&
    [ "$(grep -c ', as far as is known$' "$T/out")" -eq 1 ] &&
    [ "$(grep -c '^ *again ' "$T/out")" -eq 1 ] ||
    fail "heap: $(cat "$T/err" "$T/out")"

# Released, but perhaps acquired among what was lost; and by a thread that has
# released a lock that another one had acquired before.
trace locks <<-END
	c_0 0 1 5 0 0 7 1 65537 8 2 65537
	c_0 0 10 20 1 1 8 19 65537
	c_0 0 21 23 2 1 8 21 65537 7 22 131073 8 23 131073
	c_0 0 24 40 3 1 7 24 131074 8 31 131074 8 32 131074
END
utctl locks -j "$T/locks" >"$T/out" || fail "locks"
grep -q '"unheld":1,.*"left_out":2,' "$T/out" || fail "locks: $(cat "$T/out")"

# What a user has lost is nothing of another user's.  The loss is between the
# beginning and the end of all pairs, and of a hold.
both() {
	echo "c_0 0 10 30 0 0 0 10 1 2 10 $1 4 10 65537 7 10 65537" \
	    "1 30 1 3 30 $1 8 30 65537"
}
# values MEMBER: of the processes, in order.
values() {
	grep -o "\"$1\":[0-9]*" "$T/out" | sed 's/.*://' | sort | tr '\n' ' '
}
user=1
both 65536 | trace other
# A later part of the same user's directory.
user=2
echo c_0 0 10 30 0 0 0 10 2 1 30 2 | trace chunk
for loss in 'c_1 1 1 2 0 0:c_1 1 12 20 1 1' 'c_1 1 1 2 0 0:c_1 1 20 20 2 0' \
    'c_1 1 20 20 1 0'; do
	{
		both 131072
		echo "$loss" | tr : '\n'
	} | trace loser
	set -- "$T/other" "$T/loser" "$T/chunk"
	utctl stat -d -j "$@" >"$T/out" || fail "two users: stat"
	grep -q '"unended":0,"unbegun":0,"left_out":2,.*"calls":1,' "$T/out" ||
	    fail "two users: stat: $loss: $(cat "$T/out")"
	# An end that has the key may be any user's.
	utctl stat -d -D q:open,q:close,k -j "$@" >"$T/out" ||
	    fail "two users: stat -D"
	grep -q '"unended":0,"unbegun":0,"left_out":4,' "$T/out" ||
	    fail "two users: stat -D: $loss: $(cat "$T/out")"
	utctl view -i -j "$@" >"$T/out" 2>&1 || fail "two users: view"
	[ "$(grep -c '"took_ns":"20000000000"' "$T/out")" -eq 1 ] ||
	    fail "two users: view: $loss: $(cat "$T/out")"
	utctl export -F folded "$@" 2>/dev/null >"$T/out"
	[ "$(cat "$T/out")" = "-;p:x 20000000000" ] ||
	    fail "two users: folded: $loss: $(cat "$T/out")"
	utctl export "$@" >"$T/out" || fail "two users: chrome"
	[ "$(grep -v unended "$T/out" | bars X)" -eq 1 ] ||
	    fail "two users: chrome: $loss: $(cat "$T/out")"
	utctl heap -j "$@" >"$T/out" 2>/dev/null || fail "two users: heap"
	[ "$(values unsure_blocks)" = "0 1 " ] ||
	    fail "two users: heap: $loss: $(cat "$T/out")"
	utctl locks -j "$@" >"$T/out" || fail "two users: locks"
	[ "$(values left_out)" = "0 1 " ] &&
	    grep -q '"holds":\[{"took_ns":"20000000000"' "$T/out" ||
	    fail "two users: locks: $loss: $(cat "$T/out")"
done
# Nor is its heap uncertain, if nothing that is told is the loser's.
user=2
printf '%s\n' 'c_1 1 1 2 0 0' 'c_1 1 12 20 1 1' | trace loser
utctl heap "$T/other" "$T/loser" >"$T/out" 2>"$T/err" || fail "other: heap"
[ ! -s "$T/err" ] || fail "other: heap: $(cat "$T/err")"
user=

# A trace that grows while it is followed: of the second file of a row, not even
# the first packet is all there at first.  In another file there is a hole,
# where a window of it begins.
{
	echo c_0_0 0 10 11 0 0 0 10 1
	echo c_0_1 0 20 21 1 5 0 20 1
	echo c_0_1 0 30 31 2 7 0 30 1
	awk 'BEGIN { for (i = 0; i < 1024; i++)
		print "c_1_0 1 12 13", i, 0, "2 12 1 2 12 1 2 12 1 2 12 1" }'
} >"$T/packets"
trace grows <"$T/packets"
start_utd
utctl create -o "$T/s" s >/dev/null && utctl enable-event -s s 'seq:*' \
    >/dev/null && utctl start >/dev/null || fail "session"
mv "$T/grows" "$T/all"
mkdir "$T/grows"
cp "$T/all/metadata" "$T/all/c_0_0" "$T/all/c_1_0" "$T/grows"
head -c 20 "$T/all/c_0_1" >"$T/grows/c_0_1"
dd if=/dev/zero of="$T/grows/c_1_0" bs=1 count=1 seek=16777216 conv=notrunc \
    2>/dev/null || fail "dd"
mv "$T/grows" "$T/s/grows"
(utctl view -F -j s >"$T/follow" 2>"$T/follow.err"; :) &
FOLLOW=$!
CHILDREN="$CHILDREN $FOLLOW"
printed() {
	grep -q "\"ns\":\"$1" "$T/follow"
}
until_ok printed 100 || fail "follow: $(cat "$T/follow.err")"
until_ok printed 120 || fail "follow: $(cat "$T/follow.err")"
tail -c +21 "$T/all/c_0_1" >>"$T/s/grows/c_0_1"
until_ok printed 300 || fail "follow: $(cat "$T/follow.err")"
expect 0 'stopped' utctl stop s
wait $FOLLOW
sed -n 's/^{"discarded":\([a-z0-9]*\),.*/\1/p' "$T/follow" | tr '\n' ' ' \
    >"$T/got"
[ "$(cat "$T/got")" = "5 2 " ] || fail "follow: discarded $(cat "$T/got")"
[ "$(grep -c 'nothing was ever written there' "$T/follow.err")" -eq 1 ] ||
    fail "follow: $(head -n 3 "$T/follow.err")"
expect 0 'destroyed' utctl destroy s
stop_utd || fail "utd: status $?"
