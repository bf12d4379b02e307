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
 * What processes have mapped: programs and libraries, and where.
 */

#ifndef MAPPED_H
#define MAPPED_H

#include <stdint.h>

#include "../ctf/ctf.h"
#include "image.h"

struct process;

/* A process has loaded that; or no longer has what is between these. */
void	 mapped_add(const struct ctf_stream *, const struct ctf_who *,
	    const struct mapping *);
void	 mapped_gone(const struct ctf_stream *, const struct ctf_who *,
	    uint64_t, uint64_t);
/* The process; NULL: nothing of it is known. */
const struct process *mapped_process(const struct ctf_stream *,
	    const struct ctf_who *);
/* What has that address; NULL: nothing. */
const struct mapping *mapped_find(const struct process *, uint64_t);
/* A number that changes with what the process has mapped, and is not 0. */
uint64_t mapped_serial(const struct process *);
void	 mapped_free(void);

#endif /* MAPPED_H */
