# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The dates of events, by clocks that are slewed, are set, leap, and sleep, on
# one host or several.

. ./shared/dated.sh

# On the line: the other reader has the same dates.
{ echo point; minutes 30; } | trace line monotonic 1000000000 $DATE
dated 0 210 line
[ ! -s "$T/err" ] || fail "$(cat "$T/err")"
expect 0 '^clock: monotonic$' utctl stat "$T/line"
expect 0 ',"hosts":\[{"host":"h","ntp_state":"ok","ntp_maximum_ns":20000,"set_ns":"0","slept_ns":"0"}\]' \
    utctl stat -j "$T/line"
expect 0 '^.*/metadata: 31 points$' utctl stat -c "$T/line"
expect 0 "^2023-11-14 .* $BOOT 1099511627776 $BOOT $END -1.500 0.500 20.000 3.000 ok\$" \
    utctl stat -c "$T/line"
expect 0 "\"points\":\[{\"time\":\"$END\",\"monotonic\":\"$BOOT\",\"cycles\":\"1099511627776\",.*\"ntp_state\":\"ok\"},{" \
    utctl stat -cj "$T/line"
{ echo point; minutes 30; } | trace counter cycles 2100000000 $LINE
dated 2 210 counter
for name in line counter; do
	command -v babeltrace2 >/dev/null 2>&1 || break
	babeltrace2 --clock-seconds "$T/$name" 2>&1 |
	    sed 's/^\[\([0-9]*\)\.\([0-9]*\)\].*/\1\2/' >"$T/bt2"
	utctl view -j "$T/$name" | cut -d'"' -f4 | paste - "$T/bt2" | awk '
	{ d = substr($1, 9) - substr($2, 9); n++ }
	d > 1 || d < -1 || NF != 2 { bad++ }
	END { exit !(n == 210 && bad == 0) }' || fail "$name: babeltrace2"
done

# The counter is slewed, at the points and between some of them.
slewed
dated 1000 420 slewed
expect 0 '^clock: cycles, by its points (off by 15\.0[0-9]* ms at most)$' \
    utctl stat "$T/slewed"
{
	echo point
	minutes 5
	for hz in 2101050000 2098950000 2100000000 2101050000; do
		echo "run 25000000000 11"
		echo "hz $hz"
		echo "run 35000000000 11"
		echo point
		minutes 5
	done
} | trace between cycles 2100210000 $SLEWED
dated $(($(told between))) 263 between
mkdir "$T/lone" && cp "$T"/between/[cm]* "$T/lone" && rm "$T/lone/clock"
awk 'BEGIN { exit !('"$(sed 's/ .*//' "$T/off")"' > 1000000) }' ||
    fail "between: $(cat "$T/off")"
(dated 1000000000 263 lone) || fail "no points"
[ "$(sed 's/ .*//' "$T/off")" -gt 100000000 ] || fail "lone: $(cat "$T/off")"

# A machine sleeps for an hour, its counter as well.  What comes before the next
# point is dated as if it had not; nothing else is off.
for clock in monotonic cycles; do
	freq=1000000000 line=$DATE
	[ $clock = monotonic ] || freq=2100000000 line=$LINE
	{
		echo point
		minutes 3
		echo "sleep 3600000000000"
		echo "run 1000000000 0"
		echo point
		minutes 3
	} | trace slept-$clock $clock $freq $line
	dated 1000 42 slept-$clock
	{
		echo point
		echo "run 1000000000 3"
		echo point
		echo "sleep 3600000000000"
		echo point
		echo "run 1000000000 3"
		echo point
	} | trace awoke-$clock $clock $freq $line
	dated 1000 6 awoke-$clock
	expect 0 "^clock: $clock, by its points$" utctl stat "$T/awoke-$clock"
	expect 0 '^the machine slept: 3600.000 s between 2023-11-14 23:39:40.0* and 2023-11-15 00:39:41.0*$' \
	    utctl stat "$T/slept-$clock"
	expect 0 "^clock: $clock, by its points (off by 3600\.[0-9]* s at most)\$" \
	    utctl stat "$T/slept-$clock"
	expect 0 '"slept_ns":"3600000000000","slept_from":"[0-9]*","slept_to":"[0-9]*"}' \
	    utctl stat -j "$T/slept-$clock"
done

# The counter leaps by a minute.
{
	echo point
	minutes 2
	echo "jump 126000000000"
	echo point
	minutes 2
} | trace leapt cycles 2100000000 $LINE
dated 1000 28 leapt

# It leaps back: what was before that is dated right, wherever it comes to.
{
	echo point
	echo "run 1000000000 5"
	echo "jump -1470000000"
	echo "run 100000000 0"
	echo point
	echo "run 1000000 0"
	echo point
} | trace back cycles 2100210000 $SLEWED
dated 200000 5 back
{
	echo point
	echo "run 1000000000 5"
	echo "jump -1470000000"
	echo "run 100000000 0"
	echo point
	echo "run 10000000000 0"
	echo point
	echo "run 10000000000 5"
	echo point
} | trace back/on cycles 2100210000 $SLEWED
mv "$T/back/on" "$T/on"
dated 200000 10 on

# It leapt back before the only point, which is of no use then.
{
	echo "run 1000000000 5"
	echo "jump -1470000000"
	echo "run 100000000 0"
	echo point
} | trace early cycles 2100000000 $LINE
dated 2 5 early

# The clock is set back by 2 s, then forward by an hour: the last setting holds
# for all, in the next chunk, too.
FINAL=$((DATE + 3598000000000))
{
	echo point
	minutes 2
	echo "set -2000000000"
	echo point
	minutes 2
} | trace chunks/1 monotonic 1000000000 $DATE $FINAL
first=$BOOT
BOOT=$((BOOT + 240000000000)) DATE=$((DATE - 2000000000))
{
	echo point
	minutes 1
	echo "set 3600000000000"
	echo point
	minutes 1
} | trace chunks/2 monotonic 1000000000 $((DATE + 2000000000)) $FINAL
BOOT=$first DATE=$((DATE + 2000000000))
dated 1000 42 chunks
[ "$(grep -c 'clock was set' "$T/err")" -eq 1 ] || fail "$(cat "$T/err")"
grep -q 'metadata: the .* clock was set 2 times, by +3598.000000 s in all, between 2023-11-15.00:38:38.0* and 2023-11-15.00:41:38.0*: ' \
    "$T/err" || fail "$(cat "$T/err")"
dated 1000 42 chunks/2 chunks/1
expect 0 '"set_ns":"3598000000000","set_from":"[0-9]*","set_to":"[0-9]*","slept_ns":"0"}\]' \
    utctl stat -j "$T/chunks"
expect 0 '^28 events' utctl view -q -b 00:36:38 -u 00:40:37 "$T/chunks"
(dated 1000 28 chunks/1) >/dev/null && fail "a chunk alone has what is known there"

# A clock that is set by a hair again and again is told, too.
i=0
{
	while [ $((i += 1)) -le 200 ]; do
		echo point
		echo "run 1000000000 1"
		echo "set 900000"
	done
	echo point
} | trace hair monotonic 1000000000 $DATE $((DATE + 180000000))
dated 1000 200 hair
grep -q 'clock was set 100 times, by +0.180000 s in all' "$T/err" ||
    fail "a hair: $(cat "$T/err")"

# How long the machine slept is corrected afterwards: what was before is not.
{
	echo point
	minutes 2
	echo point
	echo "sleep 3600000000000"
	echo point
	echo "run 1000000000 0"
	echo "set -700000000"
	echo point
	minutes 2
} | trace rtc monotonic 1000000000 $DATE
(cd "$T" && utctl view -j rtc) 2>/dev/null | awk -F'"' '
{
	d = (substr($4, 1, 8) - substr($(NF - 1), 1, 8)) * 1e11 + \
	    substr($4, 9) - substr($(NF - 1), 9)
	want = NR <= 14 ? 0 : -700000000
	if (d < want - 1000 || d > want + 1000)
		exit bad = 1
}
END { exit bad || NR != 28 }' || fail "the clock was corrected after a sleep"

# Events before the first point, between which and the beginning of the session
# the machine slept: nobody knows whether they are before that.
{
	echo "run 1000000000 3"
	echo "sleep 3600000000000"
	echo "run 1000000000 3"
	echo point
	minutes 1
} | trace unsure monotonic 1000000000 $DATE
[ $(($(told unsure))) -ge 3600000000000 ] || fail "unsure: $(told unsure)"

# Sessions of one name, begun in the same second on hosts of one name.
for i in 1 2; do
	{
		echo point
		minutes 2
	} | trace same/$i monotonic 1000000000 $DATE
	BOOT=$((BOOT + 864000000000000)) DATE=$((DATE - 864000000000000))
done
BOOT=$first DATE=1700000000000000000
dated 1000 28 same
[ ! -s "$T/err" ] || fail "same names: $(cat "$T/err")"

# A user's points date no trace of another user.
if [ "$(id -u)" -eq 0 ]; then
	for owner in 1 2; do
		{
			echo point
			minutes 2
			[ $owner -eq 1 ] || echo "set 90000000000"
			echo "run 1000000000 0"
			echo point
		} | trace users/$owner monotonic 1000000000 $DATE
	done
	utctl view -j "$T/users/1" >"$T/alone" 2>"$T/err" || fail "users"
	for whose in . clock; do
		chown -R 0 "$T/users/2"
		chown -R 65534 "$T/users/2/$whose"
		utctl view -j "$T/users" >"$T/view" 2>"$T/err" || fail "users"
		[ "$(grep -c -F -x -f "$T/alone" "$T/view")" -eq 14 ] ||
		    fail "a user's points date another's trace ($whose)"
	done
	grep -q "users/2/metadata: the .* clock was set" "$T/err" ||
	    fail "users: $(cat "$T/err")"
fi

# Two hosts whose counters and metadata have nothing in common.
{
	echo point
	minutes 5
} | trace two/a cycles 2100210000 $SLEWED
for i in 1 2 3 4 5; do
	echo point
	echo "run 7000000000 3"
	echo "hz $((2100000000 + i * 100000))"
	echo point
	echo "run 53000000000 5"
	echo point
done | trace two/b cycles 2099000000 1700004476923034392 $DATE other
echo point | trace two/none cycles 2099000000 $LINE $DATE third
dated 1000 75 two

# -b and -u are dates, in packets that are left out and others.
utctl view -j "$T/two" >"$T/view" || fail "view"
for window in "00 59" "30 31" "05 20"; do
	set -- $window
	b=23:37:$1.5 u=23:39:$2.25
	inside=$(awk -F'"' -v b="$1" -v u="$2" '
	{
		s = substr($(NF - 1), 6, 14) / 1e9	# 5000 is 23:36:40
		from = 5020 + b + 0.5
		to = 5140 + u + 0.25
		n += s >= from && s <= to
	}
	END { print n }' "$T/view")
	expect 0 "^$inside events" utctl view -q -b $b -u $u "$T/two"
	[ "$inside" -gt 5 ] || fail "$window: $inside"
done

# Points are only at the beginning, or there is one.
{
	echo point
	echo "run 10000000000 3"
	echo point
	echo "run 3000000000000 4"
} | trace begins cycles 2100210000 $SLEWED
dated 2000 7 begins
{
	echo point
	echo "run 10000000000 3"
} | trace one cycles 2100000000 1700009000000000000
dated 10 3 one
