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
 * What pair.c and pair_role.c share.
 */

#ifndef PAIR_ROLE_H
#define PAIR_ROLE_H

#include "pair.h"

struct pair {
	struct pair	*next;
	char		*name;		/* as it is shown */
	char		*begin, *end;	/* the events, of -D; or NULL */
	char		*key;		/* the field, or NULL: a thread's */
	int		 found[2];	/* of -D: a trace has the events, */
	int		 keyed[2];	/* and these have the field */
};

/* What an event is in one pair. */
struct pair_role {
	struct pair_role	*next;
	struct pair		*pair;
	int			 ends;
	struct ctf_field_at	 at;	/* the key, or the address */
};

#endif /* PAIR_ROLE_H */
