# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A user stops the consumer that works for that user: root's session is rotated
# and cleared in time all the same, a chunk is complete for everybody else and
# is not written any more, and the user's events are in a later chunk, once.

. ./shared/carried.sh

# It is stopped, and nobody knows, when the first session is rotated: what the
# next chunk is to have of it is begun by then.  When the other one is, it is
# known.
theirs 100
others 2 100
./prog/seq 3 1 100 || fail "seq"
for s in $sessions; do
	utctl list $s >/dev/null || fail "list"
done
stop_theirs
theirs 50
rotated_each 30 "; $PART" "stopped" '2 100' '3 100'
for s in $sessions; do
	expect 0 "warning: $PART" timeout 20 utctl list $s
done
others 5 10
rotated_each 20 "; $PART" "stopped still" '5 10'
others 6 10
for s in $sessions; do
	expect 0 "^session $s cleared; $PART" timeout 20 utctl clear $s
done
theirs 50
others 8 10

# What is stopped makes no chunk large.
number() {
	ls "$T/s" | sed -n 's/^chunk-//p' | sort -n | tail -n 1
}
archived() {
	utctl view "$T/s/archives" | grep -q 'writer = 9216,'
}
utctl rotate -z 1 s || fail "rotate -z"
others 9 10
until_ok archived || fail "not rotated by size: $(utctl list s)"
was=$(number)
sleep 2
[ "$(number)" -le $((was + 2)) ] || fail "from $was to $(number)"
utctl rotate -z 0 s || fail "rotate -z"
utctl rotate p >/dev/null || fail "rotate"
echo "by size: fine"

# It goes on, and so do its events.
kill -CONT $stopped
until_ok answers || fail "it does not answer again"
rotated_each 25 '' "goes on" '1 200'

# One is killed after that.
theirs 100
others 11 10
stop_theirs
theirs 50
rotated_each 30 "; $PART" "to be killed" '11 10'
kill -9 $stopped
until_ok answers ||
		    fail "nobody takes over: $(utctl list; cat "$T/utd.log")"
rotated_each 25 '' "killed" '1 150'

# What was carried is cleared, once it is complete.
theirs 10
stop_theirs
others 17 10
theirs 10
rotated_each 30 "; $PART" "to be cleared" '17 10'
kill -CONT $stopped
until_ok answers || fail "it does not answer again"
ntheirs=$((ntheirs - 20))
for s in $sessions; do
	expect 0 "^session $s cleared\$" timeout 20 utctl clear $s
	[ -z "$(find "$T/$s" -name '*-chunk-*' ! -path '*/archives/*')" ] ||
	    fail "left: $(find "$T/$s")"
done

ended
stop_utd || fail "utd: status $?"
[ -n "$(find "$T/s/archives" -name '65534-chunk-*')" ] || fail "nothing of it"
expect 0 '' utctl record -r -o "$T/s" ./prog/seq 1 1 10
[ ! -e "$T/s/archives" ] || fail "not removed: $(find "$T/s")"
