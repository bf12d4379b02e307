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
 * The types of fields, and what the bytes of one mean.
 */

#ifndef CTF_TYPE_H
#define CTF_TYPE_H

#include <stddef.h>
#include <stdint.h>

#define CTF_DEPTH	16		/* nested structs and arrays */
#define CTF_NODES	65536		/* per type */
#define CTF_EVENTMAX	(32 << 20)	/* bytes of an event, or a header */
#define CTF_EMPTY	256		/* per type, that may have no bits */
#define CTF_EMPTIES	65536		/* elements of no bits, and 64 a byte */
#define CTF_LABELS	65536		/* per enum */

struct ctf_clock;

enum ctf_kind {
	CTF_INT,
	CTF_ENUM,
	CTF_FLOAT,
	CTF_STRING,
	CTF_ARRAY,
	CTF_SEQ,
	CTF_STRUCT,
	CTF_VARIANT			/* CTF 2's optional, too */
};

/* The fields that mean something to the reader. */
enum ctf_role {
	ROLE_NONE,
	ROLE_MAGIC,			/* packet.header */
	ROLE_UUID,
	ROLE_STREAM,
	ROLE_INSTANCE,
	ROLE_BEGIN,			/* packet.context */
	ROLE_END,
	ROLE_CONTENT,
	ROLE_PACKET,
	ROLE_SEQ,
	ROLE_DISCARDED,
	ROLE_ID,			/* event.header */
	ROLE_TIME,
	ROLE_VPID,			/* any context */
	ROLE_VTID,
	ROLE_PROCNAME,
	ROLE_THREAD,			/* packet.context: a name */
	ROLE_CPU,
	ROLE_MAX
};

/* A field whose value is shown as a name, if there is one: symbols.c. */
enum ctf_address {
	ADDRESS_NONE,
	ADDRESS_EXACT,
	ADDRESS_RETURN,			/* behind a call */
	ADDRESS_DATA			/* a variable */
};

enum ctf_order {
	ORDER_NATIVE,			/* the trace's */
	ORDER_LE,
	ORDER_BE
};

struct ctf_label {
	const char	*name;
	const char	*text;		/* for print_text.c */
	uint64_t	 lo, hi;	/* signed if the enum is */
	size_t		 option;	/* VARIANT: the index in fields */
};

/* The values of a label that no earlier label has. */
struct ctf_range {
	uint64_t		 lo, hi;	/* in the order of the enum */
	const struct ctf_label	*label;
};

struct ctf_field {
	struct ctf_type	*type;
	const char	*name;		/* without TSDL's leading _ */
	const char	*raw;		/* the metadata have this */
	const char	*key;		/* for print_text.c */
	size_t		 keylen;
	enum ctf_role	 role;
	/*
	 * The value is the length of a sequence, or the tag of a variant, of
	 * the same struct (slot) or elsewhere (outer), and the reader notes it
	 * there in ctf_cur's vals.  0: no.
	 */
	uint32_t	 slot, outer;
	int		 hidden;	/* a length that is named so */
	enum ctf_address address;	/* symbols.c's */
	int		 how;		/* print_text.c's: see print.h */
};

struct ctf_type {
	struct ctf_type		*next;		/* all, newest first */
	enum ctf_kind		 kind;
	uint32_t		 align;		/* bits */
	uint32_t		 most;		/* the largest inside */
	uint32_t		 bits;		/* INT, ENUM, FLOAT */
	uint32_t		 nbytes;	/* theirs, unless isbits */
	uint32_t		 shift;		/* 64 less their bits */
	int			 isbits;	/* not whole bytes at a byte */
	int			 leb;		/* isbits: LEB128, CTF 2's */
	int			 turned;	/* isbits: the bits' order is */
	enum ctf_order		 order;
	int			 big;		/* order, when all is known */
	int			 sign;
	int			 base;
	int			 text;		/* a character, or some */
	int			 wide;		/* UTF-16 or -32: bytes */
	int			 isbool;	/* INT: 1 or 0; isbits */
	int			 ismap;		/* ENUM: labels are of bits */
	const char		*map;		/* the clock's name */
	struct ctf_clock	*clock;
	struct ctf_type		*elem;		/* ARRAY, SEQ; VARIANT: tag */
	uint64_t		 count;		/* ARRAY */
	uint32_t		 slot;		/* SEQ, VARIANT; ctf_field's */
	const char		*path;		/* slot's, if it is absolute */
	int			 optional;	/* VARIANT: or nothing */
	int			 owned;		/* all of it is of one place */
	struct ctf_field	*fields;	/* STRUCT, VARIANT */
	size_t			 nfields;
	struct ctf_label	*labels;	/* ENUM, VARIANT (its tag's) */
	size_t			 nlabels;
	struct ctf_range	*ranges;	/* the labels': ctf_label.c */
	size_t			 nranges;
	/*
	 * Bytes, if it begins at any byte and always has as many; or 0: they
	 * vary, or there are none.
	 */
	uint64_t		 fixed;
	uint64_t		 min;		/* bits, at least */
	uint32_t		 depth;
	uint32_t		 nodes;
	uint32_t		 empty;		/* nodes, perhaps of no bits */
	unsigned long		 line;
};

/* ctf_walk.c: the floating-point number that is of these bits. */
double	 ctf_real(const struct ctf_type *, uint64_t);

/* ctf_text.c */
int	 ctf_istext(const struct ctf_type *);
/* A character as UTF-8, of up to 4 bytes; returns the place behind. */
uint8_t	*ctf_put_char(uint8_t *, uint32_t);
uint32_t ctf_unit(const uint8_t *, const struct ctf_type *);
const uint8_t *ctf_narrow(const uint8_t *, const uint8_t *,
	    const struct ctf_type *, size_t *);

/* ctf_label.c */
const struct ctf_label *ctf_label(const struct ctf_type *, uint64_t);

/*
 * Eight bytes: whoever fills a buffer leaves eight bytes of room behind it, one
 * more for what begins in a bit.
 */
static inline uint64_t
ctf_word(const uint8_t *p, int big)
{
	if (big)
		return (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 |
		    (uint64_t)p[2] << 40 | (uint64_t)p[3] << 32 |
		    (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 |
		    (uint64_t)p[6] << 8 | (uint64_t)p[7];
	return (uint64_t)p[7] << 56 | (uint64_t)p[6] << 48 |
	    (uint64_t)p[5] << 40 | (uint64_t)p[4] << 32 |
	    (uint64_t)p[3] << 24 | (uint64_t)p[2] << 16 |
	    (uint64_t)p[1] << 8 | (uint64_t)p[0];
}

/* The integer that begins there. */
static inline uint64_t
ctf_load(const uint8_t *p, const struct ctf_type *t)
{
	uint64_t v = ctf_word(p, t->big);

	v = t->big ? v >> t->shift : v << t->shift >> t->shift;
	if (t->sign && v >> (63 - t->shift) != 0)
		v |= ~(UINT64_MAX >> t->shift);
	return v;
}

#endif /* CTF_TYPE_H */
