# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Start and end of programs, for the table: bench.sh's row 8.

. bench/common.sh
if [ -n "$QUICK" ]; then
	ROUNDS=2 COUNT=500
else
	ROUNDS=20 COUNT=10000
fi
export ROUNDS COUNT
sh bench/start.sh -b >"$T/starts" || fail "$(tail -3 "$T/starts")"
grep '|' "$T/starts" || fail "no rows"

# One after the other: does anything grow?
sh bench/start.sh -l >"$T/long" || fail "$(tail -3 "$T/long")"
grown() {
	awk -v who="$1" '
	{
		for (i = 1; i < NF; i++)
			if ($i == who && !first)
				first = $(i + 1)
			else if ($i == who)
				last = $(i + 1)
	}
	END { print last - first }' "$T/long"
}
us=$(sed -n 's/.*, \([0-9.]*\) us each.*/\1/p' "$T/long" | tail -1)
row "$COUNT programs in a row, each" us "$us" "not measured" ""
row "utd has grown by" kB "$(grown utd)" "not measured" ""
row "its consumer has grown by" kB "$(grown consumer)" "not measured" ""
