# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Labels of enumerations with characters that mean something between quotes:
# both readers know them.  What is not valid in an event is said.

. ./common.sh

cat >"$T/labels.c" <<'END'
#include <ut.h>

UT_ENUMERATION(odd, UT_VALUE("a\"b", 0), UT_VALUE("c\\d", 1),
    UT_VALUE("e\nf\tg\0331", 2), UT_VALUE("\0017", 3), UT_VALUE("\\", 4),
    UT_VALUE("%s", 5), UT_VALUE("", 6), UT_VALUE("\177", 7));
UT_ENUMERATION(down, UT_RANGE("down", 2, 1));

UT_EVENT(labels, one, UT_INFO, UT_ENUM(odd, e), UT_INT(n))
UT_EVENT(labels, two, UT_INFO, UT_INT(n), UT_ENUM(down, e))

int
main(void)
{
	for (int i = 0; i < 8; i++)
		UT(labels, one, i, i);
	UT(labels, two, 1, 2);
	return 0;
}
END
build "$T/labels" "$T/labels.c"
recorded -- "$T/labels"
[ "$events" -eq 8 ] || fail "$(cat "$T/record.err")"
grep -q "event labels:two of labels .*: description not valid: field e: label \
'down' is from 2 down to 1: not recorded" "$T/record.err" ||
    fail "no reason: $(cat "$T/record.err")"
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
END
utctl view -f 'e == "a\"b"' "$T/trace" >"$T/view.out" || fail "view -f"
[ "$(wc -l <"$T/view.out")" -eq 1 ] || fail "view -f: $(cat "$T/view.out")"

need babeltrace2
babeltrace2 "$T/trace" 2>"$T/err" | sed 's/.*{ e/{ e/' >"$T/got"
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
END
exit 0
