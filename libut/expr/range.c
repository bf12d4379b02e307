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
 * Most filters are one comparison: these need no machine.
 */

#include "filter.h"

#define LOAD_LEN	6u
#define INT_LEN		9u
#define CMP_LEN		2u
#define IN_LEN		(3u + FILTER_RANGE)	/* with one range */

static void
range_load(struct filter_range *r, const unsigned char *p)
{
	r->load = p[1];
	r->offset = filter_get32(p + 2);
}

/* v, signed or not, compared with c, signed or not. */
static void
range_set(struct filter_range *r, unsigned int op, bool v_signed, uint64_t c,
    bool c_signed)
{
	const uint64_t least = v_signed ? UINT64_C(1) << 63 : 0;

	r->low = least;
	r->width = UINT64_MAX;			/* all */
	r->outside = op == FILTER_NE || op == FILTER_LT || op == FILTER_GT;
	if (v_signed != c_signed && c >> 63 != 0) {
		/* No value is equal to c: all are on one side. */
		r->outside = !filter_holds(op, c_signed ? 1 : -1);
	} else if (op == FILTER_EQ || op == FILTER_NE) {
		r->low = c;
		r->width = 0;
	} else if (op == FILTER_LT || op == FILTER_GE) {
		r->low = c;
		r->width = least - 1 - c;	/* to the greatest */
	} else
		r->width = c - least;		/* from the least */
}

/* a < b is b > a. */
static unsigned int
turned(unsigned int op)
{
	switch (op) {
	case FILTER_LT:
		return FILTER_GT;
	case FILTER_LE:
		return FILTER_GE;
	case FILTER_GT:
		return FILTER_LT;
	case FILTER_GE:
		return FILTER_LE;
	default:
		return op;
	}
}

/* The bytes of a comparison that it is, or 0. */
static size_t
range_compare(const unsigned char *p, size_t n, struct filter_range *r)
{
	const size_t len = LOAD_LEN + INT_LEN + CMP_LEN;
	unsigned int op, is_signed;

	if (n < len || (op = p[len - 2]) < FILTER_EQ || op > FILTER_GE)
		return 0;
	is_signed = p[len - 1];
	if (p[0] == FILTER_LOAD && p[LOAD_LEN] == FILTER_INT) {
		range_load(r, p);
		range_set(r, op, (is_signed & FILTER_LEFT) != 0,
		    filter_get64(p + LOAD_LEN + 1),
		    (is_signed & FILTER_RIGHT) != 0);
		return len;
	}
	if (p[0] == FILTER_INT && p[INT_LEN] == FILTER_LOAD) {
		range_load(r, p + INT_LEN);
		range_set(r, turned(op), (is_signed & FILTER_RIGHT) != 0,
		    filter_get64(p + 1), (is_signed & FILTER_LEFT) != 0);
		return len;
	}
	return 0;
}

/* A filter that is true in one range. */
static size_t
range_in(const unsigned char *p, size_t n, struct filter_range *r)
{
	const size_t len = LOAD_LEN + IN_LEN;

	if (n < len || p[0] != FILTER_LOAD || p[LOAD_LEN] != FILTER_IN ||
	    filter_get16(p + LOAD_LEN + 1) != 1)
		return 0;
	range_load(r, p);
	r->low = filter_get64(p + LOAD_LEN + 3);
	r->width = filter_get64(p + LOAD_LEN + 11);
	r->outside = false;
	return len;
}

bool
filter_is_range(const unsigned char *code, size_t len, struct filter_range *r)
{
	size_t n;

	if (len < sizeof(uint32_t) ||
	    filter_get32(code) != len - sizeof(uint32_t))
		return false;
	code += sizeof(uint32_t);
	len -= sizeof(uint32_t);
	if ((n = range_compare(code, len, r)) == 0 &&
	    (n = range_in(code, len, r)) == 0)
		return false;
	for (; n < len; n++) {
		if (code[n] == FILTER_NOT)
			r->outside = !r->outside;
		else if (code[n] != FILTER_BOOL)
			return false;
	}
	r->end = r->offset + (1u << (r->load & FILTER_L_SIZE));
	return r->end > r->offset;		/* not wrapped */
}
