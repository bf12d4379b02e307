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

# Many that live, each with an event: does it matter how many?
# Per process with few and small sub-buffers: memory that a machine has not used
# for a while may cost it more than memory that it used just now, and 1000 times
# the default is half a gigabyte.
if [ -n "$QUICK" ]; then
	ROUNDS=1 LIVING=200
else
	ROUNDS=5 LIVING=1000
fi
# living NAME: the last 20 against the first 20, and milliseconds of both.
living() {
	./prog/living $LIVING 20 </dev/null >"$T/out" || fail "living: $?"
	awk '{ print $2 / $1, $1 / 1000, $2 / 1000 }' "$T/out" >>"$T/m.$1"
}
living_session() {
	ut_dir=$WHERE/ut
	utctl create -o "$ut_dir" s >/dev/null &&
	    utctl enable-channel "$@" c &&
	    utctl enable-event -c c living:event >/dev/null &&
	    utctl start >/dev/null || fail "cannot start a session"
}
n=0
while [ $n -lt $ROUNDS ]; do
	living none
	start_utd
	for d in uid pid; do
		if [ $d = uid ]; then
			living_session
		else
			living_session -p -n 4 -b 4k
		fi
		living $d
		ut_end
		[ "$ut_lost" -eq 0 ] || fail "$ut_lost events lost"
	done
	stop_utd
	n=$((n + 1))
done
for d in uid:per-UID pid:per-PID; do
	name=${d#*:} d=${d%:*}
	row "start of the first of $LIVING living, $name" ms "$(median $d 2)" \
	    "not measured" "$(median none 2)"
	row "start of the last of them, $name" ms "$(median $d 3)" \
	    "not measured" "$(median none 3)"
	row "the last against the first, $name" times "$(median $d 1)" \
	    "not measured" "$(median none 1)" "<= 1.1" "u <= 1.1"
done
