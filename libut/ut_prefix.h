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
 * The contexts in front of the fields of each event in a region (prefix.c).
 * Under ut_lock, but for ut_prefix_put.
 */

#ifndef UT_PREFIX_H
#define UT_PREFIX_H

#include <stdbool.h>
#include <stdint.h>

#include "common/context.h"
#include "ut_priv.h"

struct app;

/* Constant while the region is attached. */
struct prefix {
	uint32_t	 len;		/* bytes; 0: nothing */
	uint32_t	 n;
	bool		 caller;	/* they include where it was called */
	uint32_t	 depth;		/* frames of CONTEXT_STACK; 0: none */
	uint64_t	 serial;	/* another each time that it is set */
	struct {
		uint32_t	 kind;	/* CONTEXT_ */
		struct app	*app;	/* if CONTEXT_OWN */
	} of[CONTEXT_MAX];
};

typedef uint64_t ut_callback(void);

extern struct prefix ut_prefixes[UT_REGIONS];
extern uint32_t ut_prefixed;		/* regions that have one: a bit each */

int		 ut_prefix_call(const char *, ut_callback *);
int		 ut_prefix_make(struct prefix *, const struct contexts *);
void		 ut_prefix_set(unsigned int, const struct prefix *);
/* Has the region one?  Constant while it is attached. */
static inline bool
ut_has_prefix(size_t i)
{
	return (__atomic_load_n(&ut_prefixed, __ATOMIC_RELAXED) >> i & 1) != 0;
}

/* Does one of those regions want the caller, and can the program say it? */
static inline bool
ut_wants_caller(const struct ut_event *ev, uint32_t mask)
{
	if (ev->caller == 0)
		return false;
	mask &= __atomic_load_n(&ut_prefixed, __ATOMIC_RELAXED);
	for (; mask != 0; mask &= mask - 1)
		if (ut_prefixes[__builtin_ctz(mask)].caller)
			return true;
	return false;
}

/* Async-signal-safe; returns what is behind it. */
unsigned char	*ut_prefix_put(const struct ut_record *,
		    const struct prefix *, unsigned char *);

/* The address of the call, if the program's ut.h is one that tells it. */
static inline uintptr_t
ut_prefix_caller(const struct ut_record *r)
{
	const struct level *l = r->level;

	return r->event->caller != 0 ? l->caller : 0;
}

/* callstack.c */
uint32_t	 ut_callstack_find(struct level *, const struct writer *,
		    const struct prefix *, uintptr_t);
uint32_t	 ut_callstack_whole(struct level *, const struct prefix *);
bool		 ut_callstack_holds(const struct level *, const struct writer *,
		    const struct prefix *);
void		 ut_callstack_put(const struct level *, unsigned char *);
void		 ut_callstack_commit(struct level *, const struct writer *);
void		 ut_callstack_defined(struct level *, const struct writer *,
		    const struct prefix *, uint32_t);

#endif /* UT_PREFIX_H */
