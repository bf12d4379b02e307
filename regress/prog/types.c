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
 * An event for every kind of field, with values at the edges, and events
 * with no field and with sixteen.
 */

#include <arpa/inet.h>

#include <limits.h>
#include <math.h>
#include <string.h>

#include <ut.h>

UT_ENUMERATION(colour,
    UT_VALUE("red", 0),
    UT_VALUE("dark green, 2", 1),
    UT_RANGE("grey", 10, 20),
    UT_VALUE("lowest", INT_MIN),
    UT_VALUE("highest", INT_MAX));
UT_ENUMERATION(wide, UT_VALUE("least", INT64_MIN), UT_RANGE("below", -9, -1),
    UT_AUTO("nought"), UT_AUTO("one"), UT_VALUE("most", INT64_MAX));
UT_ENUMERATION(upward, UT_AUTO("nought"), UT_RANGE("few", 2, 4),
    UT_AUTO("five"), UT_VALUE("half", UINT64_C(1) << 63),
    UT_RANGE("top", UINT64_MAX - 1, UINT64_MAX));
UT_ENUMERATION(byte, UT_VALUE("lowest", -128), UT_VALUE("highest", 127));
UT_ENUMERATION(word, UT_AUTO("nought"), UT_VALUE("highest", UINT16_MAX));
enum speed { SLOW, FAST = 3000000000 };
UT_ENUMERATION(speed, UT_VALUE("slow", SLOW), UT_VALUE("fast", FAST));

UT_EVENT(types, none, UT_INFO)
UT_EVENT(types, small, UT_INFO, UT_I8(i8), UT_U8(u8), UT_X8(x8),
    UT_I16(i16), UT_U16(u16), UT_X16(x16))
UT_EVENT(types, big, UT_INFO, UT_I32(i32), UT_U32(u32), UT_X32(x32),
    UT_I64(i64), UT_U64(u64), UT_X64(x64))
UT_EVENT(types, native, UT_INFO, UT_INT(i), UT_UINT(u), UT_LONG(l),
    UT_ULONG(ul), UT_SIZE(z), UT_PTR(p), UT_BOOL(b))
UT_EVENT(types, net, UT_INFO, UT_NET16(n16), UT_NET32(n32), UT_NET64(n64))
UT_EVENT(types, real, UT_INFO, UT_F32(f), UT_F64(d))
UT_EVENT(types, colours, UT_INFO, UT_ENUM(colour, c))
UT_EVENT(types, labels, UT_INFO, UT_ENUM_OF(int64_t, wide, w),
    UT_ENUM_OF(uint64_t, upward, u), UT_ENUM_OF(signed char, byte, b),
    UT_ENUM_OF(uint16_t, word, h), UT_ENUM_OF(enum speed, speed, e))
UT_EVENT(types, str, UT_INFO, UT_STR(s), UT_TEXT(t, 4))
UT_EVENT(types, bytes, UT_INFO, UT_BYTES(b))
UT_EVENT(types, array, UT_INFO, UT_ARRAY(uint8_t, u8, 2),
    UT_ARRAY(int16_t, i16, 2), UT_ARRAY(double, d, 2),
    UT_ARRAY(uint64_t, u64, 1))
UT_EVENT(types, seqs, UT_INFO, UT_SEQ(int8_t, i8), UT_SEQ(uint32_t, u32),
    UT_SEQ(float, f), UT_SEQ(int64_t, i64))
UT_EVENT(types, rows, UT_INFO, UT_XARRAY(uint32_t, xa, 2),
    UT_NETARRAY(uint16_t, na, 2), UT_XSEQ(uint64_t, xs),
    UT_NETSEQ(uint32_t, ns), UT_XARRAY(uint8_t, b, 2))
/* A class, and events of it, one of that name. */
UT_EVENT_CLASS(types, pair, UT_INT(a), UT_STR(b));
UT_EVENT_OF(types, pair, types, pair, UT_INFO);
UT_EVENT_OF(types, pair, types, other, UT_DEBUG);
/* Names that are words of C or of TSDL, and our own. */
UT_EVENT(types, names, UT_INFO, UT_INT(string), UT_INT(id), UT_INT(event),
    UT_INT(timestamp), UT_INT(vpid), UT_INT(_x), UT_INT(align))
UT_EVENT(types, all16, UT_INFO, UT_I8(a), UT_STR(b), UT_I16(c), UT_STR(d),
    UT_I32(e), UT_BYTES(f), UT_I64(g), UT_F64(h), UT_U8(i), UT_TEXT(j, 3),
    UT_U16(k), UT_SEQ(uint16_t, l), UT_U32(m), UT_STR(n), UT_U64(o),
    UT_F32(p))

static void
numbers(void)
{
	UT(types, small, INT8_MIN, 0, 0, INT16_MIN, 0, 0);
	UT(types, small, INT8_MAX, UINT8_MAX, UINT8_MAX, INT16_MAX,
	    UINT16_MAX, UINT16_MAX);
	UT(types, big, INT32_MIN, 0, 0, INT64_MIN, 0, 0);
	UT(types, big, INT32_MAX, UINT32_MAX, UINT32_MAX, INT64_MAX,
	    UINT64_MAX, UINT64_MAX);
	UT(types, native, INT_MIN, 0, -1L, 0, 0, NULL, 0);
	UT(types, native, INT_MAX, UINT_MAX, 1L, 1, 1, "" - (uintptr_t)"" +
	    0xabc, 256);
	UT(types, native, -1, 1, 0, 0, 0, NULL, -1);
	UT(types, net, htons(80), htonl(0x01020304), 0);
	UT(types, net, UINT16_MAX, htonl(1), UINT64_MAX);
}

static void
reals(void)
{
	UT(types, real, 0.0f, 0.0);
	UT(types, real, -0.0f, -0.0);
	UT(types, real, 1.5f, 0.1);
	UT(types, real, 0.1f, 1e300);
	UT(types, real, 1e-45f, 5e-324);
	UT(types, real, 3.4028234663852886e38f, 1.7976931348623157e308);
	UT(types, real, INFINITY, -(double)INFINITY);
	UT(types, real, NAN, (double)NAN);
}

static void
labels(void)
{
	UT(types, labels, INT64_MIN, 0, -128, 0, SLOW);
	UT(types, labels, INT64_MAX, 4, 127, UINT16_MAX, FAST);
	UT(types, labels, 0, 5, 0, 1, 1);
	UT(types, labels, 1, UINT64_C(1) << 63, 0, 1, 1);
	UT(types, labels, -9, UINT64_MAX, 0, 1, 1);
	UT(types, labels, -10, UINT64_MAX - 2, 0, 1, 1);
}

static void
strings(void)
{
	char four[4] = { 'a', 'b', 'c', 'd' };

	UT(types, str, "", "");
	UT(types, str, NULL, NULL);
	UT(types, str, "a", "abc");
	UT(types, str, "two\nlines\ttab \"quoted\" back\\slash", four);
	UT(types, str, "gr\303\274n", "abcdefgh");
	UT(types, str, "{ a = 1 }, [ b ]", "x}");
}

static void
rows(void)
{
	static const unsigned char bytes[] = { 0, 1, 0x7f, 0x80, 0xff };
	static const uint8_t u8[] = { 0, 255 };
	static const int16_t i16[] = { -32768, 32767 };
	static const double d[] = { -0.5, 1e100 };
	static const uint64_t u64[] = { UINT64_MAX };
	static const int8_t i8[] = { -128, 0, 127 };
	static const uint32_t u32[] = { UINT32_MAX };
	static const float f[] = { 0.25f, -2 };
	static const int64_t i64[] = { INT64_MIN };
	static const uint32_t xa[] = { 0, 0xdeadbeef };
	static const uint64_t xa64[] = { UINT64_MAX, 16 };
	const uint16_t na[] = { htons(258), htons(65535) };
	const uint32_t ns[] = { htonl(0x01020304) };

	UT(types, bytes, bytes, sizeof(bytes));
	UT(types, bytes, bytes, 0);
	UT(types, bytes, NULL, 0);
	UT(types, bytes, NULL, 7);
	UT(types, bytes, "= 41 |\",}", 9);
	UT(types, array, u8, i16, d, u64);
	UT(types, array, NULL, NULL, NULL, NULL);
	UT(types, seqs, i8, 3, u32, 1, f, 2, i64, 1);
	UT(types, seqs, i8, 0, NULL, 0, NULL, 9, i64, 1);
	UT(types, rows, xa, na, xa64, 2, ns, 1, u8);
	UT(types, rows, NULL, NULL, NULL, 0, NULL, 0, NULL);
}

int
main(void)
{
	static const uint16_t l[] = { 10, 11 };

	UT(types, none);
	numbers();
	reals();
	UT(types, colours, 0);
	UT(types, colours, 1);
	UT(types, colours, 10);
	UT(types, colours, 20);
	UT(types, colours, 21);
	UT(types, colours, -1);
	UT(types, colours, INT_MIN);
	UT(types, colours, INT_MAX);
	labels();
	strings();
	rows();
	UT(types, pair, 1, "one");
	UT(types, other, 2, NULL);
	UT(types, names, 1, 2, 3, 4, 5, 6, 7);
	UT(types, all16, 1, "two", 3, "", -5, "six", 3, 7, 8.5, 9, "ten", 11,
	    l, 2, 13, "fourteen", 15, 16.5f);
	UT(types, none);
	return 0;
}
