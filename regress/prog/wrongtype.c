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
 * What a compiler must complain about: one mistake for each value of CASE,
 * none for 0.
 */

#include <ut.h>

UT_ENUMERATION(colour, UT_VALUE("red", 0));
UT_EVENT(wrong, none, UT_INFO)
UT_EVENT(wrong, one, UT_INFO, UT_INT(n))
UT_EVENT(wrong, str, UT_INFO, UT_STR(s))
UT_EVENT(wrong, text, UT_INFO, UT_TEXT(s, 4))
UT_EVENT(wrong, ptr, UT_INFO, UT_PTR(p))
UT_EVENT(wrong, real, UT_INFO, UT_F64(d))
UT_EVENT(wrong, seq, UT_INFO, UT_SEQ(uint32_t, v))
UT_EVENT(wrong, array, UT_INFO, UT_ARRAY(uint16_t, v, 2))
UT_EVENT(wrong, bytes, UT_INFO, UT_BYTES(v))
UT_EVENT(wrong, colour, UT_INFO, UT_ENUM(colour, c))
UT_EVENT(wrong, strn, UT_INFO, UT_STRN(k), UT_INT(n))
UT_SPAN(wrong, span, UT_INFO, UT_INT(n))
#if CASE == 20
UT_EVENT(wrong, unknown, UT_INFO, UT_ENUM(shape, c))
#elif CASE == 21
UT_EVENT(wrong, level, UT_LOUD)
#elif CASE == 22
UT_EVENT(wrong, one, UT_INFO, UT_INT(n))
#elif CASE == 23
UT_EVENT(wrong, twice, UT_INFO, UT_INT(n), UT_INT(n))
#elif CASE == 24
UT_EVENT(wrong, many, UT_INFO, UT_I8(a), UT_I8(b), UT_I8(c), UT_I8(d),
    UT_I8(e), UT_I8(f), UT_I8(g), UT_I8(h), UT_I8(i), UT_I8(j), UT_I8(k),
    UT_I8(l), UT_I8(m), UT_I8(n), UT_I8(o), UT_I8(p), UT_I8(q))
#elif CASE == 25
UT_EVENT(wrong, field, UT_INFO, UT_INTEGER(n))
#elif CASE == 27
UT_EVENT(wrong, nolevel, UT_INT(n))
#elif CASE == 28
UT_EVENT(wrong, nolevel, )
#elif CASE == 29
UT_EVENT(wrong, nolevel)
#elif CASE == 30
UT_EVENT(wrong, level, UT_DEBUG + 1, UT_INT(n))
#elif CASE == 31
UT_EVENT(wrong, level, UT_EMERG - 1)
#elif CASE == 40
UT_SPAN(wrong, nolevel, UT_INT(n))
#endif

int
main(void)
{
	static const uint32_t v[2] = { 1, 2 };
	static const uint16_t w[2] = { 1, 2 };

#if CASE == 0
	UT(wrong, none);
	UT(wrong, one, 1);
	UT(wrong, str, "s");
	UT(wrong, text, "s");
	UT(wrong, ptr, v);
	UT(wrong, real, 0.5);
	UT(wrong, seq, v, 2);
	UT(wrong, array, w);
	UT(wrong, bytes, v, sizeof(v));
	UT(wrong, colour, 0);
	UT_LOG(UT_INFO, "%d", 1);
	UT(wrong, strn, "key", 3, 1);
	UT_BEGIN(wrong, span, 1);
	UT_END(wrong, span);
	UT_SCOPE(wrong, span, 1);
#elif CASE == 1
	UT(wrong, one, "1");
#elif CASE == 2
	UT(wrong, one);
#elif CASE == 3
	UT(wrong, one, 1, 2);
#elif CASE == 4
	UT(wrong, none, 1);
#elif CASE == 5
	UT(wrong, str, 5);
#elif CASE == 6
	UT(wrong, str, v);
#elif CASE == 7
	UT(wrong, text, 7);
#elif CASE == 8
	UT(wrong, ptr, 8);
#elif CASE == 9
	UT(wrong, real, "0.9");
#elif CASE == 10
	UT(wrong, seq, w, 2);
#elif CASE == 11
	UT(wrong, seq, v);
#elif CASE == 12
	UT(wrong, array, v);
#elif CASE == 13
	UT(wrong, bytes, v);
#elif CASE == 14
	UT(wrong, colour, "red");
#elif CASE == 15
	UT(wrong, nothing, 1);
#elif CASE == 16
	UT_LOG(UT_INFO, "%d", "16");
#elif CASE == 17
	UT_LOG(UT_INFO, "%d");
#elif CASE == 18
	UT_LOG("info", "x");
#elif CASE == 26
	UT(wrong, one, 2.6);
#elif CASE == 19
	if (UT_ON(wrong, nothing))
		return 1;
#elif CASE == 32
	UT(wrong, strn, v, 2, 1);
#elif CASE == 33
	UT(wrong, strn, "key", 3);
#elif CASE == 34
	UT(wrong, strn, "key", "3", 1);
#elif CASE == 35
	UT_BEGIN(wrong, span);
#elif CASE == 36
	UT_END(wrong, span, 1);
#elif CASE == 37
	UT_SCOPE(wrong, span, "1");
#elif CASE == 38
	UT_SCOPE(wrong, one, 1);
#elif CASE == 39
	UT_BEGIN(wrong, nothing, 1);
#elif CASE == 41
	UT_SCOPE(wrong, span, 4.1);
#endif
	(void)v;
	(void)w;
	return 0;
}
