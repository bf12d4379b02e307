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
 * Numbers as text: like all that view.c writes with, these take the place
 * to write to and return the place behind.  A double has as few digits, but at
 * least 15, as give it back, a float at least 7.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf.h"

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324"
    "25262728293031323334353637383940414243444546474849"
    "50515253545556575859606162636465666768697071727374"
    "75767778798081828384858687888990919293949596979899";

static const uint64_t ten[] = { 1, 10, 100, 1000, 10000, 100000, 1000000,
    10000000, 100000000, 1000000000, 10000000000, 100000000000,
    1000000000000, 10000000000000, 100000000000000, 1000000000000000,
    10000000000000000, 100000000000000000, 1000000000000000000,
    10000000000000000000u };

static inline char *
put_two(char *p, uint32_t v)
{
	memcpy(p, pairs + 2 * v, 2);
	return p + 2;
}

static inline char *
put_four(char *p, uint32_t v)
{
	return put_two(put_two(p, v / 100), v % 100);
}

/* n digits; v has no more. */
char *
ctf_put_digits(char *p, uint64_t v, size_t n)
{
	uint32_t low;
	size_t i;

	for (i = n; i >= 8; v /= 100000000) {
		low = (uint32_t)(v % 100000000);
		put_four(p + (i -= 4), low % 10000);
		put_four(p + (i -= 4), low / 10000);
	}
	for (; i > 1; v /= 100)
		put_two(p + (i -= 2), (uint32_t)(v % 100));
	if (i == 1)
		*p = (char)('0' + v);
	return p + n;
}

char *
ctf_put_u64(char *p, uint64_t v)
{
	if (v >= 10000)
		return put_four(ctf_put_u64(p, v / 10000),
		    (uint32_t)(v % 10000));
	if (v >= 100)
		return put_two(ctf_put_u64(p, v / 100), (uint32_t)(v % 100));
	if (v >= 10)
		return put_two(p, (uint32_t)v);
	*p = (char)('0' + v);
	return p + 1;
}

char *
ctf_put_i64(char *p, int64_t v)
{
	if (v >= 0)
		return ctf_put_u64(p, (uint64_t)v);
	*p++ = '-';
	return ctf_put_u64(p, 0 - (uint64_t)v);
}

/* Does a decimal of so many digits give the same number again? */
static int
float_same(const char *s, double d, int isfloat)
{
	return isfloat ? strtof(s, NULL) == (float)d : strtod(s, NULL) == d;
}

static char *
put_anyfloat(char *p, double d, int isfloat)
{
	int digits = isfloat ? 7 : 15, max = isfloat ? 9 : 17;
	char tmp[48];

	if (d == 0)
		return stpcpy(p, signbit(d) ? "-0" : "0");
	do
		snprintf(tmp, sizeof(tmp), "%.*g", digits, d);
	while (digits++ < max && !float_same(tmp, d, isfloat));
	return stpcpy(p, tmp);
}

/* a * b / 2^s to the nearest integer, and how far that is from it. */
static uint64_t
scale(uint64_t a, uint64_t b, int s, uint64_t *rest)
{
	uint64_t a0 = a & UINT32_MAX, a1 = a >> 32;
	uint64_t b0 = b & UINT32_MAX, b1 = b >> 32;
	uint64_t mid = a1 * b0 + (a0 * b0 >> 32);
	uint64_t mid2 = a0 * b1 + (mid & UINT32_MAX);
	uint64_t hi = a1 * b1 + (mid >> 32) + (mid2 >> 32), lo = a * b;
	uint64_t n = hi << (64 - s) | lo >> s, one = (uint64_t)1 << s;

	*rest = lo & (one - 1);
	if (*rest > one / 2 || (*rest == one / 2 && n % 2 != 0)) {
		*rest = one - *rest;
		n++;
	}
	return n;
}

/* n / 10^k, without zeros at the end. */
static char *
put_decimal(char *p, uint64_t n, int k)
{
	for (; k >= 8 && n % 100000000 == 0; k -= 8)
		n /= 100000000;
	for (; k >= 4 && n % 10000 == 0; k -= 4)
		n /= 10000;
	for (; k >= 1 && n % 10 == 0; k--)
		n /= 10;
	p = ctf_put_u64(p, n / ten[k]);
	if (k == 0)
		return p;
	*p++ = '.';
	return ctf_put_digits(p, n % ten[k], (size_t)k);
}

/*
 * Do what the printf(3) way does, for most numbers much faster.  The double is
 * m / 2^s; with 15, 16 or 17 digits it is n / 10^k, and that gives the double
 * back if it is nearer than half of 1 / 2^s.  A float is a double that ends in
 * 29 bits of 0: it needs 7 to 9 digits, and 2^29 times that distance will do.
 * All of this is exact.
 */
char *
ctf_put_real(char *p, double d, int isfloat)
{
	static const double from[] = { 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4,
	    1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14 };
	double a = d < 0 ? -d : d;
	uint64_t bits, m, n, rest;
	int k, s, max, most = isfloat ? 9 : 17, zeros = isfloat ? 29 : 0;

	memcpy(&bits, &d, sizeof(bits));
	m = (bits & UINT64_MAX >> 12) | (uint64_t)1 << 52;
	s = 1075 - (int)(bits >> 52 & 0x7ff);
	if (!(a >= 1e-3 && a < (isfloat ? 1e7 : 1e15)))
		return put_anyfloat(p, d, isfloat);
	for (k = most; k > 0 && a >= from[most - k]; k--)
		continue;
	for (max = k + 2;; k++) {
		n = scale(m, ten[k], s, &rest);
		if (k == max || 2 * rest >> zeros < ten[k])
			break;
	}
	/* Below a power of 2 numbers are twice as near. */
	if (m == (uint64_t)1 << 52 && 4 * rest >> zeros >= ten[k])
		return put_anyfloat(p, d, isfloat);
	if (d < 0)
		*p++ = '-';
	return put_decimal(p, n, k);
}
