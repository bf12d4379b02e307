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
 * The call stacks of events.
 *
 * An event of ours has the ID of its stack in the context "stack"; an event
 * ut:stack before it, in the same packet, has the frames: see ut_abi(5).  Equal
 * stacks of a run are one object, so pointers tell whether two are the same.
 * LTTng has the frames themselves in a context, which is taken as well.
 */

#ifndef CTF_STACK_H
#define CTF_STACK_H

#include "common/context.h"
#include "ctf_field.h"

#define STACK_MAX	CONTEXT_DEEPEST

struct stack {
	struct stack	*same;		/* with the same hash */
	uint32_t	 number;	/* from 0 */
	uint32_t	 n;
	enum stack_end	 end;
	uint64_t	 frames[];	/* return addresses, innermost first */
};

/* The stack in the events of a class. */
struct stack_at {
	int			 defines;	/* ut:stack */
	int			 hidden;	/* no option asks for it */
	int			 whole;		/* all frames are in context */
	int			 sample;	/* cpu:sample */
	int			 unsampled;	/* cpu:unsampled */
	int			 exact;		/* frame 0 follows no call */
	struct ctf_field_at	 context;	/* the ID, or all frames */
	struct ctf_field_at	 keep, end, frames;
	struct ctf_field_at	 time;		/* only in events of cpu */
};

/*
 * Find the stacks of a trace, before its events.  Definitions are no events for
 * those who did not ask for them by name.
 */
void	 stack_trace(struct ctf_trace *, int);
/* After ctf_read(): note the stack that the event defines, if it does. */
void	 stack_define(struct ctf_stream *);
/* After ctf_read(): the stack of the event; NULL: none, or it is not known. */
const struct stack *stack_of(const struct ctf_stream *);
/* The ns that the event stands for if it is a sample, or 0. */
uint64_t stack_time(const struct ctf_stream *);
/* Does it tell of such ns without samples?  Its stack is just anything then. */
int	 stack_unsampled(const struct ctf_stream *);
/* The kind of address that a frame is. */
enum ctf_address stack_kind(const struct ctf_stream *, size_t);
/* Forget what the stream has defined; and all stacks. */
void	 stack_drop(struct ctf_stream *);
void	 stack_free(void);

#endif /* CTF_STACK_H */
