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
 * The machine that decides whether an event passes a filter, for libut, utd
 * and utctl.  compile.c writes its code; libut gets that from a socket, and
 * runs it in the middle of an event: so nothing is believed (filter_valid), and
 * nothing here allocates, locks, waits or sets errno.
 *
 * A filter is one or more programs, each behind its length (u32, without
 * itself).  An event passes if any of them is true.
 *
 * A program is a row of instructions: a byte that says which, and its operands,
 * unaligned and in the byte order of the machine.  It runs from the first one
 * to the end, and can only jump forwards.  It has a stack of at most
 * FILTER_DEPTH values, integers of 64 bits (i), doubles (d) and strings (s), of
 * which an integer alone must be there at the end: it is true unless that is 0.
 * Below, "i d -> d" means that a double on top of an integer gives way to a
 * double.  The types are known before it runs, whichever way it takes.
 *
 * The fields are bytes, and the cursor is a place among them, 0 at first.
 * Offsets are from the cursor.  A program that reaches beyond the last byte, or
 * divides by 0, or shifts by more than 63, is false, and ends there.
 */

#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* All that is in libut.a has such a name. */
#define filter_valid	ut_filter_valid
#define filter_run	ut_filter_run
#define filter_is_range	ut_filter_is_range
#define filter_calc	ut_filter_calc
#define filter_glob	ut_filter_glob

#define FILTER_MAX	16384	/* bytes of a filter */
#define FILTER_DEPTH	16	/* values on the stack */
#define FILTER_JUMPS	128	/* at most, over the same instruction */

/* Numbers are not used again. */
enum {
	/* -> i or d: constants. */
	FILTER_INT = 1,		/* 8 bytes */
	FILTER_DOUBLE,		/* 8 bytes */

	/* -> i: of the thread; -> s: the name of the program. */
	FILTER_PID,
	FILTER_TID,
	FILTER_CPU,
	FILTER_PROGRAM,

	/* Move the cursor. */
	FILTER_SEEK,		/* u32: to there from the first byte */
	FILTER_PAST_STRING,	/* u32 offset: behind the NUL of a string */
	FILTER_PAST_SEQ,	/* u32 offset, u8 size: behind a sequence, of
				   a u32 number of elements of that size */

	/* Load a field. */
	FILTER_LOAD,		/* u8 FILTER_L_, u32 offset: -> i */
	FILTER_LOAD_FLOAT,	/* u32 offset: -> d */
	FILTER_LOAD_DOUBLE,	/* u32 offset: -> d */
	FILTER_LOAD_STRING,	/* u32 offset: -> s, up to the NUL */
	FILTER_LOAD_TEXT,	/* u32 offset, u32 count: -> s, so many bytes or
				   up to the first NUL */

	/* Make doubles of integers, signed or not. */
	FILTER_TO_DOUBLE,	/* i -> d */
	FILTER_UTO_DOUBLE,	/* i -> d */
	FILTER_UNDER_TO_DOUBLE,	/* i d -> d d */
	FILTER_UNDER_UTO_DOUBLE, /* i d -> d d */

	/* One operand. */
	FILTER_NEG,		/* i -> i */
	FILTER_INV,		/* i -> i: each bit */
	FILTER_NOT,		/* i -> i: 1 if it is 0, else 0 */
	FILTER_BOOL,		/* i -> i: 0 if it is 0, else 1 */
	FILTER_DNEG,		/* d -> d */
	FILTER_DBOOL,		/* d -> i: 0 if it is 0, else 1 */

	/* i i -> i: filter_calc; U is for unsigned. */
	FILTER_ADD,
	FILTER_SUB,
	FILTER_MUL,
	FILTER_AND,
	FILTER_OR,
	FILTER_XOR,
	FILTER_SHL,
	FILTER_SHR,		/* keeps the sign */
	FILTER_USHR,
	FILTER_DIV,
	FILTER_UDIV,
	FILTER_MOD,
	FILTER_UMOD,

	/* d d -> d */
	FILTER_DADD,
	FILTER_DSUB,
	FILTER_DMUL,
	FILTER_DDIV,

	/* i i -> i: 0 or 1.  u8: which are signed, FILTER_LEFT, FILTER_RIGHT */
	FILTER_EQ,
	FILTER_NE,
	FILTER_LT,
	FILTER_LE,
	FILTER_GT,
	FILTER_GE,

	/* d d -> i: 0 or 1 */
	FILTER_DEQ,
	FILTER_DNE,
	FILTER_DLT,
	FILTER_DLE,
	FILTER_DGT,
	FILTER_DGE,

	/* Strings: 0 or 1. */
	FILTER_SAME,		/* s s -> i */
	FILTER_MATCH,		/* u16 length, bytes of a pattern, in which
				   a NUL stands for any bytes: s -> i */

	/* i -> i: 1 if it is in one of the ranges. */
	FILTER_IN,		/* u16 number, ranges: u64 low, u64 width, by
				   which the last value is greater */

	/* i -> or jump so far on from the next instruction, and push again. */
	FILTER_ELSE0,		/* u16: jump if it is 0, with 0 */
	FILTER_ELSE1,		/* u16: jump if it is not 0, with 1 */

	/* Load a field of text, as those above: numbers stay. */
	FILTER_LOAD_STRN,	/* u32 offset: -> s, of a u32 number of bytes
				   so many behind it or up to the first NUL */

	FILTER_HAS,		/* u32 offset, u32 n: the sequence there has
				   more than n elements, or it is false */

	FILTER_OPS
};

/* FILTER_LOAD: the size is 1 << (load & FILTER_L_SIZE). */
#define FILTER_L_SIZE	3u
#define FILTER_L_SIGNED	4u
#define FILTER_L_BE	8u		/* network byte order */
#define FILTER_L_ALL	15u

#define FILTER_RANGE	16u		/* bytes of one of FILTER_IN */

#define FILTER_LEFT	1u		/* the one that is under the other */
#define FILTER_RIGHT	2u

struct filter_code {
	size_t		 len;
	unsigned char	 b[FILTER_MAX];
};

/* Values that are not in the fields. */
struct filter_env {
	const char	*program;
	uint32_t	 pid, tid;
	uint32_t	(*cpu)(void);	/* async-signal-safe */
};

/* One field against one constant, as integers. */
struct filter_range {
	uint64_t	 low, width;	/* low to low + width, which may wrap */
	uint32_t	 offset;
	uint32_t	 end;		/* end of the field */
	uint8_t		 load;
	bool		 outside;	/* true is what is not in there */
};

/* verify.c */
bool	 filter_valid(const unsigned char *, size_t);

/*
 * filter.c.  These two want valid code; the numbers of bytes are of the code
 * and of the fields.
 */
bool	 filter_run(const unsigned char *, size_t, const unsigned char *,
	    size_t, const struct filter_env *);
/*
 * range.c: is the whole a comparison of one field at a fixed place with a
 * constant?
 */
bool	 filter_is_range(const unsigned char *, size_t, struct filter_range *);

/* FILTER_ADD to FILTER_UMOD; false: there is no such number. */
bool	 filter_calc(unsigned int, uint64_t, uint64_t, uint64_t *);
/* Does the pattern match the string? */
bool	 filter_glob(const unsigned char *, size_t, const unsigned char *,
	    size_t);

/* Operands, which are not aligned. */
static inline unsigned int
filter_get16(const unsigned char *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t
filter_get32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t
filter_get64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Does the comparison of two integers hold?  Order is -1, 0 or 1. */
static inline bool
filter_holds(unsigned int op, int order)
{
	switch (op) {
	case FILTER_EQ:
		return order == 0;
	case FILTER_NE:
		return order != 0;
	case FILTER_LT:
		return order < 0;
	case FILTER_LE:
		return order <= 0;
	case FILTER_GT:
		return order > 0;
	default:
		return order >= 0;
	}
}

static inline uint64_t
filter_load_be(const unsigned char *p, unsigned int load)
{
	const unsigned int size = 1u << (load & FILTER_L_SIZE);
	uint64_t v = 0, sign = UINT64_C(1) << (size * 8 - 1);
	unsigned int i;

	for (i = 0; i < size; i++)
		v = v << 8 | p[i];
	return (load & FILTER_L_SIGNED) != 0 ? (v ^ sign) - sign : v;
}

/* The bytes are known to be there. */
static inline uint64_t
filter_load(const unsigned char *p, unsigned int load)
{
	uint64_t v64;
	uint32_t v32;
	uint16_t v16;

	switch (load) {
	case 0:
		return *p;
	case 1:
		memcpy(&v16, p, sizeof(v16));
		return v16;
	case 2:
		memcpy(&v32, p, sizeof(v32));
		return v32;
	case 0 | FILTER_L_SIGNED:
		return (uint64_t)(int8_t)*p;
	case 1 | FILTER_L_SIGNED:
		memcpy(&v16, p, sizeof(v16));
		return (uint64_t)(int16_t)v16;
	case 2 | FILTER_L_SIGNED:
		memcpy(&v32, p, sizeof(v32));
		return (uint64_t)(int32_t)v32;
	case 3:
	case 3 | FILTER_L_SIGNED:
		memcpy(&v64, p, sizeof(v64));
		return v64;
	default:
		return filter_load_be(p, load);
	}
}

/* The result that filter_run would have, for fields of so many bytes. */
static inline bool
filter_in_range(const struct filter_range *r, const unsigned char *fields,
    size_t len)
{
	if (len < r->end)
		return false;
	return (filter_load(fields + r->offset, r->load) - r->low <=
	    r->width) != r->outside;
}

#endif /* FILTER_H */
