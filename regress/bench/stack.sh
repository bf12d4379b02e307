# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What a call stack costs, beside backtrace(3), which takes turns with it.

. bench/common.sh
programs
if ! compile stack bench/stack.c "$LIBUT" 2>/dev/null ||
    ! "$T/stack" 26 >"$T/out" 2>&1; then
	row "a stack of 26 frames" ns "not measured here" "" ""
	exit 0
fi
for n in 10 26 66; do
	r=0
	while [ $r -lt "$ROUNDS" ]; do
		measure stack.$n "$T/stack" $n
		r=$((r + 1))
	done
	u=$(median stack.$n) b=$(median stack.$n 2)
	row "a stack of $n frames" ns "$u" "" "" \
	    "<= 8 ns a frame" "u <= 8 * $n"
	row "    backtrace(3), times that" "" "$(calc "$b / $u")" "" "" \
	    ">= 20" "u >= 20"
done
