# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The cycle counter as a clock: where the system trusts it, times are those of
# CLOCK_MONOTONIC; where not, the channel is refused.

. ./common.sh

# How stat names the clock, whose line and points differ by parts of a us.
ONLINE='^clock: monotonic\( (off by 0\.[0-9]* us at most)\)\{0,1\}$'

start_utd
utctl create -o "$T/trace" s >/dev/null || fail "create"
complains 'clock sundial: neither monotonic nor cycles' \
    utctl enable-channel -k sundial c
if ! utctl enable-channel -k cycles cycles 2>"$T/err"; then
	grep -q '^utctl: channel cycles: .*cycle counter' "$T/err" ||
	    fail "$(cat "$T/err")"
	complains 'cycle counter' utctl record -k cycles -o "$T/none" -- true
	recorded -- ./prog/clocks 1
	expect 0 "$ONLINE" utctl stat "$T/trace"
	[ ! -d "$T/none" ] || fail "a directory for nothing"
	case $CFLAGS in
	*-DUT_POSIX*)	exit 0 ;;
	esac
	skip "$(cat "$T/err")"
fi
case $CFLAGS in
*-DUT_POSIX*)	fail "cycles, and plain POSIX" ;;
esac
expect 0 '' utctl enable-channel monotonic
expect 0 '' utctl enable-channel -p -k cycles alone
complains 'channel cycles exists' utctl enable-channel -k cycles cycles
expect 0 'channel cycles: discard, 512 sub-buffers of 16k, clock cycles' \
    utctl list s
expect 0 'channel alone: .* per process, clock cycles' utctl list s
expect 0 '"clock":"cycles"' utctl list -j s
for c in cycles monotonic alone; do
	utctl enable-event -c $c 'clocks:*' >/dev/null || fail "enable $c"
done
utctl start >/dev/null || fail "start"

# One while utd is young, and one that ends when the session is over.
./prog/clocks 1 || fail "clocks: $?"
set -- "$T"/trace/ust/uid/*/*/metadata
[ -f "$1" ] || fail "no metadata"
cp "$1" "$T/before"
utctl view "$T/trace" >"$T/live" || fail "not readable while it grows"
# One digit is made wrong, to see it made right.
sed '/"cycles"/,/}/s/[0-9]\(.....;\)/7\1/' "$T/before" >"$T/spoilt"
cmp -s "$T/before" "$T/spoilt" && fail "a frequency of 7s"
cat "$T/spoilt" >"$1"
background ./prog/clocks 4
sleep 1.5
utctl stop >/dev/null || fail "stop"

# What is known better is written over what was there.
freq() {
	sed -n '/name = "cycles"/,/}/s/.*freq = *\([0-9]*\);/\1/p' "$1"
}
[ "$(head -c "$(wc -c <"$T/before")" "$1" | wc -l)" -eq \
    "$(wc -l <"$T/before")" ] || fail "the metadata are torn"
awk -v a="$(freq "$T/before")" -v b="$(freq "$1")" 'BEGIN {
	exit !(a > 1e6 && b > 1e6 && a / b < 1.0002 && b / a < 1.0002) }' ||
    fail "from $(freq "$T/before") Hz to $(freq "$1")"

# Each event in three channels, but for the last ones, which the end of the
# session overtook: the program leaves one channel after the other, and may be
# held up between two.  The time of an event, and its time as it says itself, in
# ns after midnight.
# Another time zone moves all by the same.
utctl view "$T/trace" >"$T/view.out" 2>"$T/view.err" || fail "view"
[ ! -s "$T/view.err" ] || fail "view: $(cat "$T/view.err")"
ns='{ split($2, t, /[:.]/); ns = ((t[1] * 60 + t[2]) * 60 + t[3]) * 1e9 + t[4] }'
TZ=UTC0 utctl view "$T/trace" | awk "$ns"'
{
	pid = $3
	match($0, /ns = [0-9]+/)
	at = substr($0, RSTART + 5, RLENGTH - 5)
	off = ns - (substr(at, 1, length(at) - 9) % 86400 * 1e9 + \
	    substr(at, length(at) - 8))
	key = pid " " at
	if (!(key in first)) { first[key] = ns; line[key] = NR }
	if (ns > last[key]) last[key] = ns
	times[key]++
	n++
	if (off < -5000) early++
	if (off > 100000) late++
}
END {
	for (key in first)
		if (times[key] == 3 && line[key] > end) end = line[key]
	for (key in first) {
		keys++
		if (times[key] != 3 && line[key] < end) three++
		if (last[key] - first[key] > 20000) apart++
	}
	printf "%d events, %d early, %d late, %d keys, %d not thrice, " \
	    "%d apart\n", n, early, late, keys, three, apart
	exit !(keys > 900 && early == 0 && late < n / 10 && three == 0 &&
	    apart < keys / 10)
}' >"$T/got" || fail "$(cat "$T/got")"

# The other reader has the same times, but for one ns: it computes them in
# floating point.
if command -v babeltrace2 >/dev/null 2>&1; then
	babeltrace2 "$T/trace" >"$T/bt2.out" 2>"$T/bt2.err" ||
	    fail "babeltrace2"
	[ ! -s "$T/bt2.err" ] || fail "babeltrace2: $(cat "$T/bt2.err")"
	what() {
		sed "$1"' s/.*\(..:..:..\..........\).* n = \([0-9]*\),.*/x \1 \2/' \
		    "$2" | awk "$ns"' { printf "%.0f %s\n", ns, $3 }' |
		    sort -n
	}
	what '' "$T/view.out" >"$T/a"
	what '' "$T/bt2.out" >"$T/b"
	paste "$T/a" "$T/b" | awk '{ d = $1 - $3 }
	    d > 1 || d < -1 { bad++ }
	    END { exit !(NR > 1000 && bad == 0) }' ||
	    fail "babeltrace2: other times: $(paste "$T/a" "$T/b" | head -3)"
fi
expect 0 '' utctl destroy

# What record takes if it is not told, and how far off that was: a session of
# some seconds was compared.
recorded -- ./prog/clocks 3
expect 0 '^clock: cycles\(, by its points\)\{0,1\} (off by [0-9.]* [um]s at most)$' \
    utctl stat "$T/trace"
expect 0 '"clocks":\[{"name":"cycles","dates":"[a-z]*","error_ns":[1-9][0-9]*}\]' \
    utctl stat -j "$T/trace"
recorded -F -- ./prog/clocks 1
expect 0 "$ONLINE" utctl stat "$T/trace"
recorded -k monotonic -- ./prog/clocks 1
expect 0 "$ONLINE" utctl stat "$T/trace"
expect 0 '"clocks":\[{"name":"monotonic","dates":"line","error_ns":[0-9]*}\]' \
    utctl stat -j "$T/trace"

# The times of many threads do not go back, which both readers check.
recorded -k cycles -n 2048 -- ./prog/seq 1 8 20000
[ "$lost" -eq 0 ] || fail "$lost lost"
utctl view "$T/trace" 2>"$T/view.err" | ./prog/seqcheck >"$T/got" ||
    fail "$(cat "$T/view.err" "$T/got")"
[ "$(cat "$T/got")" = "160000 8 0" ] || fail "$(cat "$T/got")"
awk '{ if ($2 < was && was !~ /^23/) exit 1; was = $2 }' "$T/view.out" ||
    fail "view is not in order"
stop_utd || fail "utd: status $?"
