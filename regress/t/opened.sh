# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program without libut opens a library that has events, while it has
# threads: all of them trace, and nothing is lost.

. ./common.sh
not_sanitized
not_cross

$CC $CFLAGS -D_GNU_SOURCE -fPIC -shared -DLIBRARY -I"$TOP/libut" \
    -o "$T/library.so" prog/opened.c $LINK $LIBS || fail "no library"
$CC $CFLAGS -D_GNU_SOURCE -o "$T/opened" prog/opened.c $LIBS $DL ||
    fail "no program"
recorded -- "$T/opened" "$T/library.so"
[ "$events $lost" = "400 0" ] || fail "$events events, $lost lost"
readers_agree "$T/trace"
for i in 0 1 2 3; do
	n=$(grep -c "thread = $i, " "$T/view.out")
	[ "$n" -eq 100 ] || fail "thread $i: $n events"
done
