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


/* Shared by the parts of the compiler; compile.h is for others. */

#ifndef COMPILER_H
#define COMPILER_H

#include "compile.h"

enum type { SIGNED, UNSIGNED, REAL, TEXT };

struct value {
	enum type	 type;
	bool		 truth;		/* 0 or 1 */
	bool		 constant;	/* an integer, n, and no other code */
	uint64_t	 n;
	size_t		 at;		/* where its code begins */
};

/*
 * Fields of variable length part the others into segments: in one, offsets are
 * known from where it begins, and that is where the cursor is.
 */
#define NOWHERE	SIZE_MAX

struct compiler {
	const struct expr	*e;
	const struct expr_field	*fields;
	size_t			 nfields;
	struct filter_code	*code;
	size_t			 segment;	/* the cursor's, or NOWHERE */
	bool			 bad;
	struct expr_why		*why;
};

static inline const struct expr_node *
node(const struct compiler *c, uint16_t i)
{
	return &c->e->nodes[i];
}

/*
 * compile_field.c.  Both return false.  Only the first error is told.
 */
bool	 code_complain(struct compiler *, const char *, ...)
	    __attribute__((format(printf, 2, 3)));
/* The event lacks the field; the string is a hint, or "". */
bool	 field_complain(struct compiler *, const struct expr_node *,
	    const char *);
void	 code_put(struct compiler *, const void *, size_t);
void	 code_put8(struct compiler *, unsigned int);
void	 code_put16(struct compiler *, size_t);
void	 code_put32(struct compiler *, uint64_t);
/* The field; $cpu and its like are one if the event has it as a context. */
const struct expr_field *field_lookup(const struct compiler *,
	    const struct expr_node *);
bool	 field_is_text(const struct compiler *, const struct expr_node *);
bool	 field_emit(struct compiler *, const struct expr_node *,
	    struct value *);

/*
 * compile_name.c.  Is an integer the value of a label that matches that text?
 * Complain about a field that is not there.
 */
bool	 label_emit(struct compiler *, const struct expr_field *,
	    const struct expr_node *);
void	 names_check(struct compiler *);

#endif /* COMPILER_H */
