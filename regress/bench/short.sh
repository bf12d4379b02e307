# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What an event costs its program in short bursts, where a sub-buffer that is
# used for the first time or a cold cache shows: percentiles of bursts of 1,000.
# All take turns, and each time with a session of its own.

. bench/common.sh
programs
start_utd
# Not every processor has a counter.
compile load.cy -DPLAIN -DCYCLES bench/load.c 2>/dev/null
cycles=yes
have_cycles || cycles=

for e in one mix; do
	name="one int"
	[ $e = one ] || name="four fields"
	r=0
	while [ $r -lt "$ROUNDS" ]; do
		short_ut "ut.$e" $e
		short "fl.$e" load.fl $e
		if have_lttng; then
			lt_begin $e
			short "lt.$e" load.lt $e
			lt_ends "lt.$e"
		fi
		if [ -n "$cycles" ]; then
			short_ut "uk.$e" $e -k cycles
			[ ! -x "$T/load.cy" ] || short "fk.$e" load.cy $e
		fi
		r=$((r + 1))
	done
	percentiles "1000 events, $name" "ut.$e" "lt.$e" "fl.$e"
	[ -z "$cycles" ] ||
		percentiles "1000 cycles, $name" "uk.$e" "lt.$e" "fk.$e"
done
