# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the wrappers of record -w cost the calls of malloc(3) and free(3), and the
# lock and unlock of a mutex: recorded; with the wrapper, but not recorded; and,
# as the floor, without it.

. bench/common.sh
compile wrapped bench/wrapped.c || fail "cannot build"
lost=0

# Preloaded: there is no utd.
turn() {
	n=$(burst_of 100)
	measure "floor.$1" "$T/wrapped" "$1" "$BURSTS" "$n"
	measure "off.$1" env LD_PRELOAD="$TOP/libut/libut-$1.so" \
	    "$T/wrapped" "$1" "$BURSTS" "$n"
	rm -rf "$T/trace"
	measure "on.$1" utctl record -w "$1" -o "$T/trace" -- \
	    "$T/wrapped" "$1" "$BURSTS" "$n" 2>"$T/err"
	read -r events lost_now <<-END
	$(sed -n 's/^utctl: \([0-9]*\) events, \([0-9]*\) lost.*/\1 \2/p' \
	    "$T/err")
	END
	[ "$events" -ge $((2 * n * BURSTS)) ] || lost_now=$((lost_now + 1))
	lost=$((lost + lost_now))
}

# rows WHAT TEXT
rows() {
	r=0 lost=0
	while [ $r -lt "$ROUNDS" ]; do
		turn "$1"
		r=$((r + 1))
	done
	floor=$(median "floor.$1")
	row "$2, recorded" ns "$(unless_lost "$(median "on.$1")" "$lost")" \
	    "" "$floor"
	row "the same, not recorded" ns "$(median "off.$1")" "" "$floor"
}

rows malloc "malloc and free"
rows pthread "lock and unlock"
