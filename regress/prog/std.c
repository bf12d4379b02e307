/*
 * Copyright (c) 2026 The libut authors
 *
 * Permission to use, copy, modify, and distribute this software for any
 * purpose with or without fee is hereby granted, provided that the above
 * copyright notice and this permission notice appear in all copies.
 *
 * THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
 * WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
 * MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
 * ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
 * WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
 * ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF
 * OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.
 */

/*
 * All that ut.h has, for every compiler and standard: C and C++.
 */

#include <ut.h>

UT_ENUMERATION(colour, UT_VALUE("red", 0), UT_RANGE("grey", 1, 9));
UT_ENUMERATION(large, UT_VALUE("most", UINT64_MAX));
UT_ENUMERATION(few, UT_VALUE("eight", 8), UT_AUTO("nine"));
UT_EVENT(std, none, UT_EMERG);
UT_EVENT(std, one, UT_INFO, UT_INT(n));
UT_EVENT(std, numbers, UT_INFO, UT_I8(i8), UT_X16(x16), UT_NET32(net),
    UT_U64(u64), UT_F32(f), UT_F64(d), UT_PTR(p), UT_BOOL(b),
    UT_ENUM(colour, c), UT_ENUM_OF(uint64_t, large, l),
    UT_ENUM_OF(uint8_t, few, s));
/* With no semicolon, too, as these. */
UT_ENUMERATION(unused, UT_VALUE("only", 1))
UT_EVENT(std, rest, UT_DEBUG, UT_STR(s), UT_TEXT(t, 3), UT_BYTES(b),
    UT_ARRAY(int32_t, a, 2), UT_SEQ(double, d), UT_STRN(k))
UT_SPAN(std, scope, UT_INFO, UT_INT(n), UT_STRN(k));
UT_SPAN(std, bare, UT_DEBUG)
/* Named as what could be made for the events above. */
UT_EVENT(std, one_record, UT_INFO, UT_INT(n));
UT_EVENT(std, one_fields, UT_INFO);
UT_EVENT(std, bare, UT_INFO);
UT_EVENT(std, bare_end_record, UT_INFO);
UT_EVENT(std, bare_end_fields, UT_INFO);
UT_EVENT(std, never, UT_DEBUG, UT_INT(i0), UT_INT(i1), UT_INT(i2),
    UT_INT(i3), UT_INT(i4), UT_INT(i5), UT_INT(i6), UT_INT(i7), UT_INT(i8),
    UT_INT(i9), UT_INT(i10), UT_INT(i11), UT_INT(i12), UT_INT(i13),
    UT_INT(i14), UT_INT(i15))
UT_EVENT_CLASS(std, kind, UT_INT(n), UT_STRN(k));
UT_EVENT_OF(std, kind, std, kind, UT_INFO);
UT_EVENT_OF(std, kind, std, other, UT_DEBUG);

static void
scopes(int n)
{
	UT_SCOPE(std, scope, n, "key", 1);
	UT_SCOPE(std, bare);

	if (n == 3) {
		UT_SCOPE(std, bare);
		return;
	}
}

int
main(void)
{
	const int32_t a[2] = { -1, 1 };
	const double d[1] = { 0.5 };
	int i;

	UT(std, none);
	for (i = 0; i < 3; i++)
		UT(std, one, i);
	UT(std, one_record, i);
	UT(std, one_fields);
	if (i == 3)
		UT(std, numbers, -8, 16, 0, 64, 0.25f, 0.125, NULL, i > 2, 5,
		    UINT64_MAX, 9);
	else
		UT(std, one, -1);
	UT(std, rest, "s", "text", "b", 1, a, d, 1, "keys", 3);
	scopes(i);
	UT_BEGIN(std, scope, i + 1, NULL, 9);
	UT_END(std, scope);
	UT_BEGIN(std, bare);
	UT_END(std, bare);
	UT(std, bare);
	UT(std, bare_end_record);
	UT(std, bare_end_fields);
	UT(std, kind, 1, "key", 1);
	UT(std, other, 2, "", 0);
	if (UT_ON(std, one))
		UT_LOG(UT_INFO, "%s %d", "on", i);
	return 0;
}
