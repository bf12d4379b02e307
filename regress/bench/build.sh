# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# How long it takes to build, and of how much: bench.sh's row 12.

. bench/common.sh
compile timed bench/timed.c || fail "cannot build"
unset MAKEFLAGS MAKELEVEL MFLAGS
[ -z "$QUICK" ] || ROUNDS=1
r=0
while [ $r -lt "$ROUNDS" ]; do
	rm -rf "$T/src"
	mkdir "$T/src"
	(cd "$TOP" && tar cf - Makefile libut utd utctl) |
	    (cd "$T/src" && tar xf -)
	# There are no tests to be cleaned.
	(cd "$T/src" && "${MAKE:-make}" -i clean) >/dev/null 2>&1
	[ $r -gt 0 ] || lines=$(cd "$T/src" &&
	    find . -name '*.[ch]' -exec cat {} + | wc -l | tr -d ' ')
	(cd "$T/src" && "$T/timed" "${MAKE:-make}" -j2 CC="$CC" \
	    CFLAGS="$CFLAGS") >"$T/out" || fail "make"
	cat "$T/out" >>"$T/m.build"
	r=$((r + 1))
done
row "make -j2, from nothing" s "$(calc "$(median build) / 1000")" \
    "not built here" ""
row "lines of code, headers included" "" \
    "$lines" "not counted" ""
