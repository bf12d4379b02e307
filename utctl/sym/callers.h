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
 * Where functions were called from: each place of a process is known by a small
 * number.
 */

#ifndef CALLERS_H
#define CALLERS_H

#include <stddef.h>
#include <stdint.h>

#include "../ctf/ctf.h"
#include "../map.h"

#define CALLER_TEXT	320	/* bytes of a caller as text */

struct caller {
	struct caller	*older;		/* of the same address */
	uint64_t	 address;
	char		*name;		/* NULL: not known */
	unsigned int	 modules;	/* as many changes as were seen then */
	uint32_t	 id;
};

struct callers {
	struct caller	**v;		/* by number */
	size_t		 n, room;
	struct map	 addresses;	/* to struct caller, the newest */
	struct map	 events;	/* where there are no addresses */
	unsigned int	 modules;	/* so often have modules changed */
	int		 numbers;	/* no names are wanted */
};

/* The number of a return address. */
uint32_t callers_get(struct callers *, const struct ctf_stream *, uint64_t);
/* That of an event of that name, which does not tell its caller. */
uint32_t callers_event(struct callers *, const char *);
/* A name, or the address in the buffer of CALLER_TEXT bytes. */
const char *callers_text(const struct callers *, uint32_t, char *);
/* The members of an object that say who it was. */
void	 callers_json(const struct callers *, uint32_t);
void	 callers_free(struct callers *);

#endif /* CALLERS_H */
