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
 * One field of events, by its name.
 */

#ifndef CTF_FIELD_H
#define CTF_FIELD_H

#include <stddef.h>

#include "ctf_stream.h"

/* Where a field is in the events of a class. */
struct ctf_field_at {
	const struct ctf_type	*parts[CTF_PARTS];
	int			 part;
	size_t			 index;
	const struct ctf_type	*type;	/* NULL: there is none */
	int			 isfixed;	/* off is always the same */
	size_t			 off;		/* bytes into the body */
};

/* The type, or that of a variant's option that is there; NULL: nothing is. */
const struct ctf_type *ctf_chosen(const struct ctf_cur *,
	    const struct ctf_type *);
/* The name of a context is behind a $; false if the events have none such. */
int	 ctf_field_find(struct ctf_field_at *, const struct ctf_sclass *,
	    const struct ctf_eclass *, const char *);
/* Where only the $ is wrong, or missing: words that say so, or none. */
char	*ctf_field_other(const struct ctf_trace *, const char *);
/* Is it the CPU, which LTTng has in the context of packets? */
int	 ctf_field_is_cpu(const char *, const struct ctf_sclass *);
/*
 * After ctf_read(): a number, as it is, or the CPU, if there is no such field;
 * false if it is none.
 */
int	 ctf_field_value(const struct ctf_field_at *,
	    const struct ctf_stream *, const char *, double *);
/* The bits of an integer; false if it is none. */
int	 ctf_field_bits(const struct ctf_field_at *,
	    const struct ctf_stream *, uint64_t *);
/* Is it an array of bytes?  These are copied, so many at most: how many. */
int	 ctf_field_is_bytes(const struct ctf_field_at *);
size_t	 ctf_field_bytes(const struct ctf_field_at *,
	    const struct ctf_stream *, uint8_t *, size_t);
/* An array of integers: these are copied, so many at most; how many it has. */
size_t	 ctf_field_words(const struct ctf_field_at *,
	    const struct ctf_stream *, uint64_t *, size_t);
/* The bytes as text, which is cut: its length. */
size_t	 ctf_field_text(const struct ctf_field_at *, const struct ctf_stream *,
	    char *, size_t);

#endif /* CTF_FIELD_H */
