# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# How long it takes to build, and of how much: bench.sh's row 12.

. bench/common.sh
compile timed bench/timed.c || fail "cannot build"
unset MAKEFLAGS MAKELEVEL MFLAGS
[ -z "$QUICK" ] || ROUNDS=1
files=$(cd "$TOP" && find libut utd utctl -name '*.[ch]') || exit 1
r=0
while [ $r -lt "$ROUNDS" ]; do
	rm -rf "$T/src"
	mkdir "$T/src"
	(cd "$TOP" && tar cf - Makefile $files) | (cd "$T/src" && tar xf -)
	(cd "$T/src" && "$T/timed" "${MAKE:-make}" -j2 CC="$CC" \
	    CFLAGS="$CFLAGS") >"$T/out" || fail "make"
	cat "$T/out" >>"$T/m.build"
	r=$((r + 1))
done
row "make -j2, from nothing" s "$(calc "$(median build) / 1000")" \
    "not built here" ""
row "lines of code, headers included" "" \
    "$(cd "$TOP" && cat $files | wc -l | tr -d ' ')" "not counted" ""
