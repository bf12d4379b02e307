# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Events in exported templates and inline functions of a C++20 module, used in a
# file that imports it.

. ./common.sh

need g++
not_cross
not_sanitized
CXX="g++ -O2 -std=c++20 -fmodules-ts -Wall -Wextra"
cat >"$T/m.cc" <<'END'
module;
#include <ut.h>
export module m;

UT_ENUMERATION(colour, UT_VALUE("red", 1));
UT_EVENT(mod, one, UT_INFO, UT_INT(n), UT_STRN(s), UT_ENUM(colour, c));
UT_SPAN(mod, span, UT_INFO, UT_INT(n));

export template <class T> T
twice(T t)
{
	UT_SCOPE(mod, span, (int)t);
	UT(mod, one, (int)t, "abc", 3, 1);
	UT_LOG(UT_INFO, "twice %d", (int)t);
	return t + t;
}

export inline int
thrice(int t)
{
	UT(mod, one, t, "abc", 2, 1);
	return 3 * t;
}
END
cat >"$T/main.cc" <<'END'
import m;

int
main()
{
	return twice(2) + (int)twice(3.0) + thrice(1) == 13 ? 0 : 1;
}
END
(cd "$T" && echo 'export module empty;' >empty.cc && $CXX -c empty.cc) \
    >"$T/out" 2>&1 || skip "g++ knows no modules"
(cd "$T" && $CXX -I"$TOP/libut" -c m.cc && $CXX -c main.cc &&
    g++ m.o main.o "$LIBUT" $LIBS -o main) >"$T/out" 2>&1 ||
    fail "$(cat "$T/out")"
[ ! -s "$T/out" ] || fail "$(cat "$T/out")"
recorded -- "$T/main"
[ "$events" -eq 9 ] || fail "$(cat "$T/record.err")"
readers_agree "$T/trace"
cut -d' ' -f4- "$T/view.out" | sed 's/file = [^ ]*, line = [0-9]*, //' >"$T/got"
expected "view" <<'END'
mod:span_begin { n = 2 }
mod:one { n = 2, s = "abc", c = red }
ut:log { msg = "twice 2", func = "twice" }
mod:span_end { }
mod:span_begin { n = 3 }
mod:one { n = 3, s = "abc", c = red }
ut:log { msg = "twice 3", func = "twice" }
mod:span_end { }
mod:one { n = 1, s = "ab", c = red }
END
exit 0
