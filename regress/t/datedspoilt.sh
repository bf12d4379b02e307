# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The dates of events by a file of points that makes no sense, or that changes
# while the trace is followed.

. ./shared/dated.sh

slewed
dated 1000 420 slewed

# Nothing of a file that makes no sense does harm, and what does is used.
spoilt() {
	rm -rf "$T/spoilt"
	cp -R "$T/slewed" "$T/spoilt"
}
size=$(wc -c <"$T/slewed/clock")
[ "$size" -eq $((61 * 132)) ] || fail "$size bytes"
spoilt
mv "$T/spoilt/clock" "$T/spoilt/renamed"
dated 1000 420 spoilt
: >"$T/spoilt/clock"
dated 1000 420 spoilt
rm "$T/spoilt/renamed"
dated 1000000000 420 spoilt
spoilt
head -c $((size - 1)) "$T/slewed/clock" >"$T/spoilt/clock"
expect 1 'clock: last packet cut short at byte 7920$' \
    utctl view -q "$T/spoilt"
expect 1 '^420 events' utctl view -q "$T/spoilt"
head -c 40 "$T/slewed/clock" >"$T/spoilt/clock"
expect 1 '^420 events' utctl view -q "$T/spoilt"
cp "$T/slewed/clock" "$T/spoilt/clock"
ln "$T/spoilt/clock" "$T/spoilt/again"
expect 1 'another file of the trace tells already what clocks said' \
    utctl view -q "$T/spoilt"
rm "$T/spoilt/again"
# Out of order, and with another in it that is no point.
{
	tail -c +$((132 * 30 + 1)) "$T/slewed/clock"
	head -c $((132 * 30)) "$T/slewed/clock"
} >"$T/spoilt/clock"
dated 1000 420 spoilt
{
	head -c 132 "$T/slewed/clock"
	head -c 132 /dev/zero
	tail -c +133 "$T/slewed/clock"
} >"$T/spoilt/clock"
expect 1 'clock: 1 of its packets ' utctl view -q "$T/spoilt"
(cd "$T" && utctl view -j spoilt 2>/dev/null) | cmp - "$T/view" ||
    fail "other events"
# Each byte of a point in the middle has other values: no event is missing, and
# times do not run backwards.
byte=0
while [ $byte -lt 132 ]; do
	for value in 0 1 127 255; do
		{
			echo point
			echo "run 60000000000 3"
			echo "bad $byte $value"
			echo point
			echo "bad 0 -1"
			echo "run 60000000000 3"
			echo point
		} | trace bad$value cycles 2100210000 $SLEWED
	done
	utctl view "$T"/bad* >"$T/out" 2>"$T/err"
	! grep 'backwards' "$T/err" || fail "byte $byte: $(cat "$T/err")"
	[ "$(wc -l <"$T/out")" -eq 24 ] ||
	    fail "byte $byte: $(cat "$T/out" "$T/err")"
	rm -rf "$T"/bad*
	byte=$((byte + 1))
done

# A file of a million points, and one of nothing that is very large.
spoilt
awk 'BEGIN { for (i = 0; i < 400; i++) print "point" }' |
    trace million monotonic 1000000000 $DATE
i=0
while [ $((i += 1)) -le 12 ]; do
	cat "$T/million/clock" "$T/million/clock" >"$T/double"
	mv "$T/double" "$T/million/clock"
done
echo "run 10 10" | trace million/x monotonic 1000000000 $DATE
expect 0 '^10 events' utctl view -q "$T/million"
if truncate -s 100G "$T/spoilt/clock" 2>/dev/null; then
	expect 1 'clock: [0-9]* of its packets ' utctl view -q "$T/spoilt"
fi

# While a trace is written, its metadata alone date events, and points that are
# added do no harm.  The directory of a session has another trace here.
lines() {
	[ "$(wc -l <"$T/followed")" -eq "$1" ]
}
rm -rf "$T/spoilt"
cp -R "$T/slewed" "$T/late" && cp -R "$T/slewed" "$T/later" &&
    cp -R "$T/slewed" "$T/spoilt" && rm "$T/spoilt/clock" || fail "cp"
utctl view -j "$T/spoilt" >"$T/view" || fail "view"
start_utd
utctl create -o "$T/live" s >/dev/null || fail "create"
utctl enable-event 'none:*' >/dev/null || fail "enable-event"
utctl start >/dev/null || fail "start"
mkdir -p "$T/live"
utctl view -F -j "$T/live" >"$T/followed" 2>"$T/err" &
CHILDREN="$CHILDREN $!"
mv "$T/late" "$T/live/late"
until_ok lines 420 || fail "not followed: $(cat "$T/err")"
{ echo point; minutes 30; } | trace line monotonic 1000000000 $DATE
{ echo "hz 2098950000"; echo point; minutes 5; } |
    trace other cycles 2100210000 $SLEWED
cat "$T/other/clock" "$T/line/clock" >>"$T/live/late/clock"
mv "$T/later" "$T/live/later"
until_ok lines 840 || fail "not followed: $(cat "$T/err")"
utctl stop >/dev/null || fail "stop"
wait $! || fail "view -F: $(cat "$T/err")"
[ ! -s "$T/err" ] || fail "view -F: $(cat "$T/err")"
cat "$T/view" "$T/view" | sort >"$T/a"
sort "$T/followed" | cmp - "$T/a" || fail "-F: other dates"
expect 0 '' utctl destroy
stop_utd || fail "utd: status $?"
