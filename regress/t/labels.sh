# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Labels of enumerations with characters that mean something between quotes:
# both readers know them.  What is not valid in an event is said.

. ./common.sh

# An enum of the program's has one type in C and in C++, with and without
# values below 0.
cat >"$T/both.h" <<'END'
#include <ut.h>

enum above { ZERO, ONE };
enum under { MINUS = -1, PLUS = 1 };
UT_ENUMERATION(above, UT_AUTO("zero"), UT_AUTO("one"));
UT_ENUMERATION(under, UT_VALUE("minus", -1), UT_VALUE("plus", 1));
UT_EVENT(both, above, UT_INFO, UT_ENUM_OF(enum above, above, e));
UT_EVENT(both, under, UT_INFO, UT_ENUM_OF(enum under, under, e));
#ifdef __cplusplus
extern "C"
#endif
void cxx(void);
END
cat >"$T/cxx.cc" <<'END'
#include "both.h"

void
cxx(void)
{
	UT(both, above, ZERO);
	UT(both, under, PLUS);
}
END
cat >"$T/both.c" <<'END'
#include "both.h"

int
main(void)
{
	UT(both, above, ONE);
	UT(both, under, MINUS);
	cxx();
	return 0;
}
END
if echo | $CC -x c++ -fsyntax-only - 2>/dev/null; then
	$CC $CFLAGS -w -I"$TOP/libut" -x c++ -c -o "$T/cxx.o" "$T/cxx.cc" ||
	    fail "C++"
	build "$T/both" "$T/both.c" "$T/cxx.o"
	recorded -- "$T/both"
	utctl view -j "$T/trace" | sed 's/.*"fields"://' >"$T/got"
	expected "C and C++" <<-'END'
		{"e":{"value":1,"label":"one"}}}
		{"e":{"value":-1,"label":"minus"}}}
		{"e":{"value":0,"label":"zero"}}}
		{"e":{"value":1,"label":"plus"}}}
	END
fi

cat >"$T/labels.c" <<'END'
#include <ut.h>

#define L "A label of 43 bytes, and six of it are 258."

UT_ENUMERATION(odd, UT_VALUE("a\"b", 0), UT_VALUE("c\\d", 1),
    UT_VALUE("e\nf\tg\0331", 2), UT_VALUE("\0017", 3), UT_VALUE("\\", 4),
    UT_VALUE("%s", 5), UT_VALUE("", 6), UT_VALUE("\177", 7),
    UT_RANGE("first", 8, 8), UT_RANGE("second", 8, 9), UT_VALUE("\377", 10),
    UT_VALUE("12", 11));
UT_ENUMERATION(down, UT_RANGE("do\033wn\"", 2, 1));
UT_ENUMERATION(full, UT_VALUE("all", UINT64_MAX), UT_AUTO("more"));
UT_ENUMERATION(below, UT_VALUE("below", -1));
UT_ENUMERATION(wide, UT_RANGE("wide", -2, 300));
UT_ENUMERATION(longer, UT_VALUE(L L L L L L, 0));

UT_EVENT(labels, one, UT_INFO, UT_ENUM(odd, e), UT_INT(n))
UT_EVENT(labels, two, UT_INFO, UT_INT(n), UT_ENUM(down, e))
UT_EVENT(labels, three, UT_INFO, UT_ENUM_OF(uint64_t, full, e))
UT_EVENT(labels, four, UT_INFO, UT_ENUM_OF(uint16_t, below, e))
UT_EVENT(labels, five, UT_INFO, UT_ENUM(longer, e))
UT_EVENT(labels, six, UT_INFO, UT_ENUM_OF(float, odd, e))
UT_EVENT(labels, seven, UT_INFO, UT_ENUM_OF(uint8_t, wide, e))

int
main(void)
{
	for (int i = 0; i < 13; i++)
		UT(labels, one, i, i);
	UT(labels, two, 1, 2);
	UT(labels, three, 3);
	UT(labels, four, 4);
	UT(labels, five, 5);
	UT(labels, six, 6);
	UT(labels, seven, 7);
	return 0;
}
END
build "$T/labels" "$T/labels.c"
recorded -- "$T/labels"
[ "$events" -eq 13 ] || fail "$(cat "$T/record.err")"
sed -n 's/.*event labels:\(.*\) of labels .* valid: \(.*\)/\1: \2/p' \
    "$T/record.err" | sort >"$T/got"
expected "utctl record" <<'END'
five: field e: label 1 has more than 255 bytes: not recorded
four: field e: label 'below' is -1, not of uint16: not recorded
seven: field e: label 'wide' is -2 to 300, not of uint8: not recorded
six: field e: of no type that is known: not recorded
three: field e: label 'more' is from 1 down to 0: not recorded
two: field e: label 'do\x1bwn"' is from 2 down to 1: not recorded
END
utctl view -j "$T/trace" | sed 's/.*"fields"://' >"$T/got"
expected "utctl view -j" <<'END'
{"e":{"value":0,"label":"a\"b"},"n":0}}
{"e":{"value":1,"label":"c\\d"},"n":1}}
{"e":{"value":2,"label":"e\nf\tg\u001b1"},"n":2}}
{"e":{"value":3,"label":"\u00017"},"n":3}}
{"e":{"value":4,"label":"\\"},"n":4}}
{"e":{"value":5,"label":"%s"},"n":5}}
{"e":{"value":6,"label":""},"n":6}}
{"e":{"value":7,"label":"\u007f"},"n":7}}
{"e":{"value":8,"label":"first"},"n":8}}
{"e":{"value":9,"label":"second"},"n":9}}
{"e":{"value":10,"label":"\ufffd"},"n":10}}
{"e":{"value":11,"label":"12"},"n":11}}
{"e":{"value":12,"label":null},"n":12}}
END
{
	utctl view -f 'n > 10' "$T/trace" | sed 's/.*{ //'
	utctl stat -f 'n > 10' -g e "$T/trace" | sed -n 's/.*  \(.*12.*\)/\1/p'
} >"$T/got"
expected "a label of digits" <<'END'
e = "12", n = 11 }
e = 12, n = 12 }
"12"
12
END
utctl view -f 'e == "a\"b"' "$T/trace" >"$T/view.out" || fail "view -f"
[ "$(wc -l <"$T/view.out")" -eq 1 ] || fail "view -f: $(cat "$T/view.out")"

need babeltrace2
babeltrace2 "$T/trace" 2>"$T/err" | tr '\377' '?' |
    sed 's/.*{ e/{ e/' >"$T/got"
[ ! -s "$T/err" ] || fail "babeltrace2: $(cat "$T/err")"
expected babeltrace2 <<'END'
{ e = ( "a\"b" : container = 0 ), n = 0 }
{ e = ( "c\\d" : container = 1 ), n = 1 }
{ e = ( "e\nf\tg\e1" : container = 2 ), n = 2 }
{ e = ( "\x017" : container = 3 ), n = 3 }
{ e = ( "\\" : container = 4 ), n = 4 }
{ e = ( "%s" : container = 5 ), n = 5 }
{ e = ( "" : container = 6 ), n = 6 }
{ e = ( "\x7f" : container = 7 ), n = 7 }
{ e = ( "first", "second" : container = 8 ), n = 8 }
{ e = ( "second" : container = 9 ), n = 9 }
{ e = ( "?" : container = 10 ), n = 10 }
{ e = ( "12" : container = 11 ), n = 11 }
{ e = ( <unknown> : container = 12 ), n = 12 }
END
exit 0
