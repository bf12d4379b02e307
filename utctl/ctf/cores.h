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
 * Reading on several cores, by processes that read slices of the traces in turn
 * (ctf_slices.c).  What a slice prints, and what is said meanwhile, comes out
 * when all slices before it have.
 */

#ifndef CORES_H
#define CORES_H

#include <stddef.h>
#include <stdint.h>

#include "reader.h"

#define CORES_MAX	64
#define CORES_HELP	"-J n\tread with n processes (default: if it pays)"

/* How a command reads so. */
struct reader_cores {
	uint32_t	 n;		/* from -J; 0: as it pays */
	int		 sums;		/* one slice each, and no output */
	/* In each process that reads: before all, and behind each slice. */
	void		(*begin)(void);
	void		(*end)(void *);
	/* Write what begin() has sent to cores_print(), in its turn. */
	void		(*print)(const char *, size_t);
	/* Take what end() has sent by cores_give(), in the first process. */
	void		(*take)(void *, const void *, size_t);
};

/* Read all on several cores; 0: that cannot be, or would not pay. */
int	 cores_run(struct reader *, const struct reader_ops *, void *);
void	 cores_print(const char *, size_t);
void	 cores_give(const void *, size_t);

/* ctf_slices.c */
struct slices {
	const struct reader	*whole;
	struct reader		 walk;
	struct ctf_stream	**at;	/* streams of the walk, by index */
	struct ctf_stream	**read;	/* streams read before, by index */
	uint64_t		 walked;	/* bytes */
	uint64_t		 size;	/* bytes of a slice, about */
	size_t			 n;	/* so many slices; 0: as many as fit */
	int64_t			 from, to;	/* first and last time */
	int			 last;	/* this slice goes on to the end */
};

uint64_t slices_size(const struct reader *, uint64_t, size_t);
int	 slices_can(const struct reader *, uint64_t *);
int	 slices_order(const struct reader *, size_t, size_t);
void	 slices_open(struct slices *, const struct reader *, uint64_t, size_t);
int	 slices_look(const struct reader *, uint64_t *);
int	 slices_apart(const struct reader *);
int64_t	 slices_late(const struct reader *, uint64_t);
/* Go to the next slice, without reading this one. */
void	 slice_pass(struct slices *);
/* Read the slice; the second reader counts what is in it. */
void	 slice_read(struct slices *, struct reader *,
	    const struct reader_ops *, void *);

#endif /* CORES_H */
