# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl view beside babeltrace2, which read the same trace: bench.sh's row 10.

. bench/common.sh
programs
start_utd
if [ -n "$QUICK" ]; then
	millions=1 ROUNDS=1
else
	millions=10
fi
ut_begin one
# Bursts that do not count are written nevertheless.
"$T/load.ut" -e one -n 25000 -b $((millions * 40 - 2)) -p 10 burst \
    >/dev/null || fail "load"
ut_end -k
[ "$ut_lost" -eq 0 ] || fail "$ut_lost events lost"
events=$((millions * 1000000))
[ "$ut_events" -eq $events ] || fail "$ut_events events"

r=0
while [ $r -lt "$ROUNDS" ]; do
	measure ut.text "$T/timed" utctl view "$ut_dir"
	measure ut.quiet "$T/timed" utctl view -q "$ut_dir"
	if command -v babeltrace2 >/dev/null 2>&1; then
		measure bt.text "$T/timed" babeltrace2 "$ut_dir"
		measure bt.quiet "$T/timed" babeltrace2 "$ut_dir" -o dummy
	fi
	r=$((r + 1))
done
per_second() {
	ms=$(median "$1")
	[ -z "$ms" ] || calc "$events / $ms"
}
absent="no babeltrace2"
for what in text quiet; do
	u=$(per_second ut.$what) l=$(per_second bt.$what)
	row "view (babeltrace2), $what" k/s "$u" "${l:-$absent}" "" \
	    ">= 10 x babeltrace2" "u >= 10 * l"
	u=$(median ut.$what 2) l=$(median bt.$what 2)
	row "memory at most" kB "$u" "${l:-$absent}" ""
done
