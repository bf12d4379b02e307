# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl view -q: the totals and nothing else, with -j as JSON; only damage is
# told besides.

. ./common.sh

# totals STATUS DIR EVENTS DISCARDED LOST: in both forms, however asked for;
# none or one is lost.
totals() {
	text="$3 events, $4 discarded"
	[ "$5" -eq 0 ] || text="$text, $5 packet lost"
	json="{\"events\":$3,\"discarded\":$4,\"lost_packets\":$5}"
	for opts in -q -jq -qj "-j -q" "-q -j"; do
		line=$text
		[ "$opts" = -q ] || line=$json
		expect "$1" '' utctl view $opts "$2"
		[ "$(cat "$T/out")" = "$line" ] ||
		    fail "view $opts: $(cat "$T/out"), not $line"
		[ "$1" -ne 0 ] || [ ! -s "$T/err" ] ||
		    fail "view $opts says $(head -3 "$T/err")"
	done
}

# Discarded events, of several threads.
recorded -b 4k -n 2 -- ./prog/seq 1 4 50000
[ "$lost" -gt 0 ] || fail "nothing was lost of 8 kB"
readers_agree "$T/trace"
[ "$(discarded)" -gt 0 ] || fail "nothing is said: $(cat "$T/view.err")"
totals 0 "$T/trace" $(($(wc -l <"$T/view.out"))) "$(discarded)" 0

# A packet is missing; another is cut short.
recorded -- ./prog/seq 1 1 10000
stream=$(find "$T/trace" -name channel0_0)
./prog/packets "$stream" >"$T/packets" && [ "$(wc -l <"$T/packets")" -ge 4 ] ||
    fail "packets: $(cat "$T/packets")"
set -- $(sed -n 2p "$T/packets")
{ dd if="$stream" bs="$1" count=1; dd if="$stream" bs=$(($1 + $2)) skip=1
} >"$T/less" 2>/dev/null
cp "$T/less" "$stream" || exit 1
expect 0 ': 1 packet lost before' utctl view "$T/trace"
n=$(($(wc -l <"$T/out")))
[ "$n" -lt 10000 ] || fail "$n events"
totals 0 "$T/trace" "$n" 0 1
dd if="$T/less" of="$stream" bs=$(($(wc -c <"$T/less") - 1)) count=1 2>/dev/null
expect 1 'last packet cut short' utctl view "$T/trace"
totals 1 "$T/trace" $(($(wc -l <"$T/out"))) 0 1
[ "$(wc -l <"$T/err")" -eq 1 ] && grep -q 'cut short' "$T/err" ||
    fail "damage: $(cat "$T/err")"
