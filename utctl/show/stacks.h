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
 * Call stacks for whoever shows them: the frames by name, and the stacks of a
 * process or a run (stacks.c), and trees of them (tree.c).
 */

#ifndef STACKS_H
#define STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "../ctf/ctf_stack.h"
#include "../map.h"

#define FRAME_TEXT	320	/* bytes of a frame as text */

/* A function of a stack: strings as those of struct place. */
struct frame {
	uint64_t	 address;
	const char	*function;	/* NULL: no name is known, or wanted */
	const char	*exact;		/* see struct place */
	const char	*file;		/* NULL: not known */
	const char	*module;	/* NULL: not known, or in the name */
	const struct image *image;	/* NULL: not known */
	unsigned int	 line;
	int		 inlined;	/* is it part of the next frame? */
	char		*text;		/* In a site: see frame_text() */
};

/* A stack by name. */
struct site {
	const struct stack	*stack;
	uint32_t		 number;	/* from 0, in its sites */
	uint32_t		 outside;	/* see sites_outside() */
	size_t			 n;
	const struct frame	*frames[];	/* the innermost first */
};

struct sites {
	struct site	**v;		/* by number */
	size_t		 n, room;
	struct map	 map;		/* by stack and modules */
	int		 functions;	/* lines do not matter */
};

/*
 * The functions of a stack of the event, the innermost first, as its process
 * has them now; none if the stack is NULL.  Good until the next call.
 */
size_t	 stack_frames(const struct ctf_stream *, const struct stack *,
	    const struct frame **);
/*
 * The event's stack, whose process has these modules: struct process's serial;
 * NULL: it has none.  Equal frames are one object.
 */
struct site *site_get(struct sites *, const struct ctf_stream *,
	    uint64_t);
/*
 * Find which frame of each stack is the first one outside of functions that
 * allocate for others: see outside.c.
 */
void	 sites_outside(struct sites *);
/* The name of the file alone. */
const char *frame_file(const struct frame *);
/* A name for the terminal, in a buffer of FRAME_TEXT bytes. */
const char *frame_text(const struct frame *, char *);
/* The members of an object that say where it is. */
void	 frame_json(const struct frame *);
void	 site_json(const struct site *);
/* The functions from that frame on outwards: "in < out", to be freed. */
char	*site_text(const struct site *, size_t);
/* A number for the function of a frame, whatever its line. */
uint64_t frame_function(const struct frame *);
/* Are these the same place for who reads? */
int	 frame_is(const struct frame *, const struct frame *);
void	 sites_free(struct sites *);
/* All frames; after all sites. */
void	 frames_free(void);

#define TREE_VALUES	4

/* Stacks that have a part in common: sums of theirs. */
struct tree {
	const struct frame	*frame;		/* NULL: the root */
	struct tree		*child, *next;
	uint64_t		 values[TREE_VALUES];
};

/*
 * Add a stack, from that frame on outwards, and its values.  One tree is made
 * at a time.
 */
void	 tree_add(struct tree *, const struct site *, size_t,
	    const uint64_t *);
/* Add all of a stack inwards; the innermost frame's node. */
struct tree *tree_add_inwards(struct tree *, const struct site *,
	    const uint64_t *);
/* Children with the greatest first value come first. */
void	 tree_sort(struct tree *);
/* Print a line for each node but the root: a function does, so far indented. */
typedef void tree_line_fn(const void *, const struct tree *, int);
void	 tree_print(const struct tree *, tree_line_fn *, const void *);
void	 tree_free(struct tree *);

#endif /* STACKS_H */
