# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# UT_ON in a file that has no UT of the event: the compiler may not take for
# constant what it says, whichever compiler that is.

. ./common.sh
not_sanitized

cat >"$T/listens.c" <<'END'
#include <ut.h>
#include <stdio.h>

UT_EVENT(listens, event, UT_INFO)

int
main(void)
{
	puts(UT_ON(listens, event) ? "on" : "off");
	return 0;
}
END
for cc in "$CC" gcc clang; do
	command -v ${cc%% *} >/dev/null 2>&1 || continue
	for o in -O0 -O1 -O2 -O3; do
		$cc $o -I"$TOP/libut" -o "$T/listens" "$T/listens.c" "$LIBUT" \
		    $LIBS 2>"$T/err" || continue	# for other libraries
		[ "$("$T/listens")" = off ] || fail "$cc $o: on"
		rm -rf "$T/trace"
		[ "$(utctl record -o "$T/trace" -- "$T/listens" 2>"$T/err")" = \
		    on ] || fail "$cc $o: off: $(cat "$T/err")"
		built=1
	done
done
[ -n "${built-}" ] || fail "not built: $(cat "$T/err")"
