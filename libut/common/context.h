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
 * Contexts: what each event of a channel says besides its fields.  They stand
 * in front of the fields, in the order in which they were added, without
 * padding.  All have a fixed size, which is that of the table below in
 * programs of every ABI.  A new one goes to the enum, to context_table, to the
 * switch in libut/prefix.c, and to utctl-session(1) and ut_msg(5).
 */

#ifndef CONTEXT_H
#define CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "msg.h"

/* All that is in libut.a has such a name. */
#define context_table	ut_context_table
#define context_kind	ut_context_kind
#define context_name	ut_context_name
#define context_depth	ut_context_depth
#define contexts_put	ut_contexts_put
#define contexts_get	ut_contexts_get

#define CONTEXT_MAX	16u		/* per channel */
#define CONTEXT_NAME	64		/* bytes, with the NUL */
#define CONTEXT_APP	"app_"		/* in front of the programs' names */
#define CONTEXT_DEPTH	32u		/* frames, if it is not said */
#define CONTEXT_DEEPEST	128u

enum {
	CONTEXT_CPU,
	CONTEXT_UID,
	CONTEXT_GID,
	CONTEXT_EUID,
	CONTEXT_EGID,
	CONTEXT_NEST,
	CONTEXT_CALLER,
	CONTEXT_ERRNO,
	CONTEXT_STACK,			/* "stack", or "stack/DEPTH" */
	CONTEXT_OWN,			/* the program's own: CONTEXT_APP */
	CONTEXTS
};

/* Why a stack ends.  The values are in traces: see ut_abi(5). */
enum stack_end {
	STACK_DONE,			/* with the outermost frame */
	STACK_DEPTH,			/* no more frames were asked for */
	STACK_CUT,			/* the next caller could not be found */
	STACK_ENDS
};

struct context {
	const char	*name;
	uint8_t		 size;		/* in bytes: 1, 4 or 8 */
	uint8_t		 flags;		/* UT_F_ */
};

/* The contexts of a channel. */
struct contexts {
	uint32_t	 n;
	char		 name[CONTEXT_MAX][CONTEXT_NAME];
};

extern const struct context context_table[CONTEXTS];

/* The place in the table, or -1: there is no such context. */
int	 context_kind(const char *);
/* How many frames may a stack have, by the context's name?  0: not a stack. */
uint32_t context_depth(const char *);
/* Can a program call a context of its own that? */
bool	 context_name(const char *);
/* u32 how many, then for each: str name. */
void	 contexts_put(struct ut_msg *, const struct contexts *);
/*
 * Read the contexts, or none if the message ends; false if they are not valid.
 */
bool	 contexts_get(struct ut_msg *, struct contexts *);

#endif /* CONTEXT_H */
