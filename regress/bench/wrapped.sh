# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the wrappers of record -w cost the calls of malloc(3) and free(3), and the
# lock and unlock of a mutex: recorded; with the wrapper, but not recorded; and,
# as the floor, without it.

. bench/common.sh
compile wrapped bench/wrapped.c || fail "cannot build"

# Preloaded: there is no utd.
turn() {
	n=$(burst_of 100)
	measure "floor.$1" "$T/wrapped" "$1" "$BURSTS" "$n"
	measure "off.$1" env LD_PRELOAD="$TOP/libut/libut-$1.so" \
	    "$T/wrapped" "$1" "$BURSTS" "$n"
	rm -rf "$T/trace"
	measure "on.$1" utctl record -w "$1" -o "$T/trace" -- \
	    "$T/wrapped" "$1" "$BURSTS" "$n" 2>"$T/err"
	read -r ut_events ut_lost <<-END
	$(sed -n 's/^utctl: \([0-9]*\) events, \([0-9]*\) lost.*/\1 \2/p' \
	    "$T/err")
	END
	# The C library calls them, too.
	[ $((ut_events + ut_lost)) -lt $((2 * n * BURSTS)) ] ||
	    ut_events=$((2 * n * BURSTS - ut_lost))
	told "on.$1" $((2 * n * BURSTS))
}

# rows WHAT TEXT
rows() {
	r=0
	while [ $r -lt "$ROUNDS" ]; do
		turn "$1"
		r=$((r + 1))
	done
	floor=$(median "floor.$1")
	row "$2, recorded" ns "$(value "on.$1")" "" "$floor"
	row "the same, not recorded" ns "$(median "off.$1")" "" "$floor"
}

rows malloc "malloc and free"
rows pthread "lock and unlock"
