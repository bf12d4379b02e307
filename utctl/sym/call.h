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
 * Events of calls: of those that have a known name, where the fields are that
 * matter.
 */

#ifndef CALL_H
#define CALL_H

#include <stddef.h>
#include <stdint.h>

#include "../ctf/ctf.h"
#include "../ctf/ctf_field.h"

#define CALL_FIELDS	6

/* A row of a table that ends with a name that is NULL. */
struct call_kind {
	const char	*event;
	int		 what;			/* for whoever has the table */
	const char	*fields[CALL_FIELDS];	/* NULL: none */
};

/* What an event is, if it is in a table. */
struct call {
	const struct call_kind	*kind;
	struct ctf_field_at	 at[CALL_FIELDS];
};

/* Each trace, before its events. */
void	 call_trace(struct ctf_trace *, const struct call_kind *);
/* After ctf_body(): the integer; false if the event has no such field. */
int	 call_field(const struct call *, size_t, const struct ctf_stream *,
	    uint64_t *);

#endif /* CALL_H */
