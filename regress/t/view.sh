# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl view of what others have damaged: the whole packets are printed, then
# comes what is missing, and the status is 1; it never crashes.

. ./common.sh

# A small trace of some packets: every list takes what there is.
start_utd
utctl create -o "$T/t" s >/dev/null && utctl enable-event 'pulse:[ac]' &&
    utctl start || fail "set-up"
pulse_start
for i in 1 2 3; do
	pulse hit 1
	utctl list >/dev/null || fail "list"
done
expect 0 '6 events, 0 lost' utctl destroy
stop_utd || fail "utd: status $?"
stream=$(echo "$T"/t/ust/uid/*/*/channel0_0)
meta=${stream%/*}/metadata
utctl view "$T/t" >"$T/good" 2>"$T/err" || fail "view: $(cat "$T/err")"
[ "$(wc -l <"$T/good")" -eq 6 ] || fail "not 6 events"
[ ! -s "$T/err" ] || fail "$(cat "$T/err")"
utctl view -j "$T/t" >"$T/json" || fail "view -j"
[ "$(wc -l <"$T/json")" -eq 6 ] || fail "not 6 lines of JSON"
expect 0 '^6 events, 0 discarded$' utctl view -q "$T/t"
./prog/packets "$stream" >"$T/packets" || fail "packets"
size=$(wc -c <"$stream")
set -- $(tail -n 1 "$T/packets")
last=$1
[ "$(wc -l <"$T/packets")" -eq 3 ] && [ $(($1 + $2)) -eq "$size" ] ||
    fail "not 3 packets in $size bytes: $(cat "$T/packets")"
cp "$stream" "$T/stream" && cp "$meta" "$T/meta" || exit 1
head -n 4 "$T/good" >"$T/four"

# view of the damaged one: status 0 or 1, and a word for each 1.
try() {
	utctl view "$T/t" >"$T/out" 2>"$T/err"
	status=$?
	[ $status -le 1 ] || fail "$1: status $status $(cat "$T/err")"
	grep -i -e sanitizer -e 'runtime error' "$T/err" && fail "$1"
	[ $status -eq 0 ] || [ -s "$T/err" ] || fail "$1: nothing said"
	grep -v '^utctl: ' "$T/err" && fail "$1: $(cat "$T/err")"
	return 0
}

# The last packet is cut at every byte.
at=$((last + 1))
while [ $at -lt "$size" ]; do
	dd if="$T/stream" of="$stream" bs=$at count=1 2>/dev/null
	try "cut at $at"
	[ $status -eq 1 ] || fail "cut at $at: status $status"
	cmp -s "$T/out" "$T/four" || fail "cut at $at: $(cat "$T/out")"
	grep -q "channel0_0: last packet cut short at byte $last: " \
	    "$T/err" || fail "cut at $at: $(cat "$T/err")"
	[ "$(wc -l <"$T/err")" -eq 1 ] || fail "cut at $at: $(cat "$T/err")"
	at=$((at + 1))
done
dd if="$T/stream" of="$stream" bs="$last" count=1 2>/dev/null
try "cut between packets"
[ $status -eq 0 ] && cmp -s "$T/out" "$T/four" || fail "cut between packets"
dd if="$T/stream" of="$stream" bs=10 count=1 2>/dev/null
try "cut in the first packet"
[ $status -eq 1 ] && [ ! -s "$T/out" ] || fail "cut in the first packet"

# One bit in every byte.
at=0
while [ $at -lt "$size" ]; do
	cp "$T/stream" "$stream"
	./prog/packets -x $at "$stream" || exit 1
	try "bit in byte $at"
	at=$((at + 1))
done
cp "$T/stream" "$stream"
at=0
n=$(wc -c <"$meta")
while [ $at -lt "$n" ]; do
	./prog/packets -x $at "$meta" || exit 1
	try "bit in byte $at of the metadata"
	cp "$T/meta" "$meta"
	at=$((at + 7))
done
try "restored"
[ $status -eq 0 ] && cmp -s "$T/out" "$T/good" || fail "not restored"

# A time that 32 bits do not hold.  What the clocks said would be believed more.
rm -f "${meta%/*}/clock"
sed 's/offset_s = [0-9]*/offset_s = 2540000000/' "$T/meta" >"$meta"
try "a later time"
[ $status -eq 0 ] && [ "$(grep -c '^2050-' "$T/out")" -eq 6 ] ||
    fail "a later time: $(cat "$T/out" "$T/err")"
cp "$T/meta" "$meta"

# What is before and after a bad packet is printed.
set -- $(sed -n 2p "$T/packets")
./prog/packets -x "$1" "$stream" || exit 1
try "magic"
[ $status -eq 1 ] && [ "$(wc -l <"$T/out")" -eq 4 ] ||
    fail "bad magic in the second packet: $(cat "$T/out" "$T/err")"
cp "$T/stream" "$stream"

# The first packet comes last.
dd if="$T/stream" bs="$1" skip=1 of="$stream" 2>/dev/null
dd if="$T/stream" bs="$1" count=1 2>/dev/null >>"$stream"
try "the first packet last"
[ $status -eq 1 ] && [ "$(wc -l <"$T/out")" -eq 6 ] &&
    [ "$(wc -l <"$T/err")" -eq 1 ] && grep -q \
    "channel0_0: time runs backwards at byte $((size - $1)): from 2.* to 2" \
    "$T/err" || fail "the first packet last: $(cat "$T/out" "$T/err")"
cp "$T/stream" "$stream"

# The metadata is cut, empty, or not there.
dd if="$T/meta" of="$meta" bs=$((n / 2)) count=1 2>/dev/null
try "half of the metadata"
[ $status -eq 1 ] || fail "half of the metadata: status 0"
: >"$meta"
try "empty metadata"
[ $status -eq 1 ] || fail "empty metadata: status 0"
rm "$meta"
try "no metadata"
[ $status -eq 1 ] && grep -q 'streams of events, but no metadata' "$T/err" ||
    fail "$(cat "$T/err")"
cp "$T/meta" "$meta"

# A stream of no bytes is none; a metadata alone is an empty trace.
: >"${stream%_0}_1"
try "an empty stream"
[ $status -eq 0 ] && cmp -s "$T/out" "$T/good" || fail "an empty stream"
rm "$stream" "${stream%_0}_1"
try "no stream"
[ $status -eq 0 ] && [ ! -s "$T/out" ] &&
    grep -q ': an empty trace: there is no file of events' "$T/err" ||
    fail "no stream: $(cat "$T/err")"
printf 'not a stream of events, but a text, which is longer than a head, yes' \
    >"$stream"
try "text"
[ $status -eq 1 ] && [ ! -s "$T/out" ] || fail "text: $(cat "$T/out")"

# No trace at all.
mkdir "$T/empty"
complains "$T/empty: no trace here" utctl view "$T/empty"
complains "$T/none: No such file" utctl view "$T/none"
complains "$T/meta: Not a directory" utctl view "$T/meta"
complains 'a name is empty' utctl view ''
ln -s . "$T/empty/loop"
complains "$T/empty: no trace here" utctl view "$T/empty"
if [ "$(id -u)" -ne 0 ]; then
	chmod 0 "$T/empty"
	complains 'Permission denied' utctl view "$T/empty"
	chmod 700 "$T/empty"
fi
exit 0
