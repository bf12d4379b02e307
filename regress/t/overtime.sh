# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# stat -i and heap -i: the events, values and losses of each interval, and what
# is live in it.

. ./common.sh
. ./shared/rows.sh

# The rows of a table, without the time.
table() {
	awk -v head="$1" '
	on && NF == 0 { exit }
	on { $NF = ""; print }
	$1 == head { on = 1 }' "$T/out" | sed 's/ *$//'
}

# Losses: 4 in any of three intervals, 2 in the third, and packets of which
# nobody knows the events, between 30 and 50.  An interval without events has a line.
trace lost <<-END
	c_0 0 0 9 0 0 0 1 1 1 5 1
	c_0 0 20 29 1 4 0 21 1 1 22 1 0 23 2
	c_0 0 30 30 2 6 1 30 2
	c_0 0 50 52 4 6 0 52 3
END
utctl stat -i 10 "$T/lost" >"$T/out" || fail "-i 10"
table events >"$T/got"
expected '-i 10' <<-END
	2 0 0-4
	0 0 0-4
	4 0 2-6+
	0 0 0+
	0 0 0+
	1 0 0
END
grep -q '^events: |= # *:|$' "$T/out" || fail "sparks: $(cat "$T/out")"
utctl stat -i 10s -d "$T/lost" >"$T/out" 2>"$T/err" ||
    fail "-d: $(cat "$T/err")"
table calls >"$T/got"
expected '-d -i 10s' <<-END
	1 0 4000000.000 4000000.000 4000000.000 0-4
	0 0 - - - 0-4
	0 0 - - - 2-6+
	0 0 - - - 0+
	0 0 - - - 0+
END
utctl stat -j -i 10s -v k "$T/lost" >"$T/out" || fail "-j"
for have in '"interval_ns":"10000000000","intervals":[' '"events":4,"p50":1,' \
    '"from":"21000000000",' '"lost":2,"perhaps_lost":4,"more_lost":true}' \
    '{"from":"31000000000","events":0,"lost":0,"perhaps_lost":0,"more_lost":true}'
do
	grep -q -F -e "$have" "$T/out" || fail "-j: no $have: $(cat "$T/out")"
done
# A loss that began before what is selected may be of another time.
utctl stat -i 1 -b @29 -u @30 "$T/lost" >"$T/out" || fail "-b"
table events >"$T/got"
expected '-b -u' <<-END
	0 0 0-6
	1 1 0-2+
END
# Times relative to the beginning and the end are those of all, in each command.
utctl stat -i 10 -b +25 -u -1 "$T/lost" >"$T/out" || fail "-b +25"
grep -q 'lost  from, s after [0-9-]* [0-9]*:[0-9:]*:01\.000000000$' "$T/out" &&
    grep -q '2-6+  +25\.000$' "$T/out" || fail "from: $(cat "$T/out")"
table events >"$T/got"
expected '-b +25 -u -1' <<-END
	1 0 2-6+
	0 0 0+
	0 0 0+
END

# The first interval has what was lost before the first event: 3 events, and 5
# of the same packet as that event.  With -b, losses of that time count no more.
trace before <<-END
	c_0 0 10 11 0 0
	c_0 0 12 13 1 3
	c_0 0 30 52 2 8 0 33 1 0 52 2
	c_0 0 52 53 4 8 1 53 2
END
utctl stat -i 10 "$T/before" >"$T/out" || fail "before"
table events >"$T/got"
expected 'before the first event' <<-END
	1 0 3-8
	1 0 0-5+
	1 0 0
END
utctl stat -i 30 "$T/before" >"$T/out" || fail "before, one interval"
table events >"$T/got"
expected 'before the first event, one interval' <<-END
	3 0 8+
END
# The last one has what a stream without events tells of a later time.
trace behind <<-END
	c_0 0 10 30 0 0 0 10 1 0 20 2
	c_1 1 15 16 0 0
	c_1 1 28 34 1 6
	c_1 1 35 36 2 7
END
utctl stat -i 10 "$T/behind" >"$T/out" || fail "behind"
table events >"$T/got"
expected 'behind the last event' <<-END
	1 0 0-6
	1 0 0-6
	0 0 1-7
END
utctl stat -i 10 -u @30 "$T/behind" >"$T/out" || fail "behind, -u"
table events >"$T/got"
expected 'behind, -u' <<-END
	1 0 0-6
	1 0 0-6
	0 0 0-6
END
for at in +0 @33; do
	utctl stat -i 30 -b $at "$T/before" >"$T/out" || fail "-b $at"
	table events >"$T/got"
	expected "-b $at" <<-END
		3 0 0-5+
	END
done

# What cannot be, and too many lines.
for i in 0 x '' -1s 1y; do
	complains "-i '$i': not a time" utctl stat -i "$i" "$T/lost"
	complains "-i '$i': not a time" utctl heap -i "$i" "$T/lost"
done
complains '-i and -g: ' utctl stat -i 1 -g k "$T/lost"
complains '-i and -g: ' utctl stat -i 1 -g stack "$T/lost"
for o in -c -dH '-d -S3'; do
	complains '-i goes with no -c, -H or -S' utctl stat -i 1 $o "$T/lost"
done
complains '-i goes with no -a, -C or -g' utctl heap -i 1 -a "$T/lost"
complains '-i: the trace has more than 10000 intervals of 0.001 s: choose' \
    utctl stat -i 1ms "$T/lost"
expect 0 '^  *1 ' utctl stat -i 1ms -b @52 "$T/lost"

# Several processes have the same figures, and the sums are those of all.
recorded -m block -e 'work:*' -e 'req:*' -- ./prog/pairs 20000
utctl stat -J 1 -j -i 3ms -v id "$T/trace" >"$T/one" || fail "-J 1"
for n in 2 3; do
	utctl stat -J $n -j -i 3ms -v id "$T/trace" | cmp - "$T/one" ||
	    fail "-J $n"
done
sum=$(tr '{' '\n' <"$T/one" |
    sed -n 's/^"from".*"events":\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n }')
[ "$sum" -eq "$events" ] || fail "$sum of $events events"

# The last interval is what heap says, sums are those of all, and no interval
# has more than the peak, which one of them has.
. ./shared/heap.sh
awk 'BEGIN { for (i = 1; i < 20000; i++) {
	p = 4096 * (1 + i * 7 % 31)
	if (have[p]) print 1, "free", p, "0xf1"
	else print 1, "malloc", i % 999, p, "0xa" i % 4
	have[p] = !have[p]
} }' | planted
check_heap() {
	utctl heap -j -i $1 "$T/trace" >"$T/heap" || fail "heap -j -i $1"
	utctl heap -j "$T/trace" >"$T/all" || fail "heap -j"
	python3 - "$T/heap" "$T/all" <<-'END' || fail "heap: $(cat "$T/heap")"
	import json, sys
	h, a = (json.load(open(f))["processes"][0] for f in sys.argv[1:])
	v = h["intervals"]
	assert len(v) > 3
	for k in ("bytes", "blocks", "bytes_error"):
	    assert v[-1].get(k) == a.get(k), k
	assert sum(i["allocated"] for i in v) == a["allocated"]
	live = 0
	for i in v:
	    live += i["allocated"] - i["freed"]
	    assert live == i["bytes"] <= i["most"] <= a["peak"]
	    assert not i["peak"] or i["most"] == a["peak"]
	assert sum(i["peak"] for i in v) == 1
	END
}
need python3
check_heap 1ms
utctl heap -i 1ms "$T/trace" | grep -c '  peak$' | grep -q -x 1 ||
    fail "heap -i: no peak"
exit 0
