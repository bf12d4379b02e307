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
 * utctl view -i: how deep an event is, and what it ends.
 */

#ifndef INDENT_H
#define INDENT_H

#include "../ctf/ctf.h"

#define INDENT_MOST	32	/* levels; deeper ones are shown there */
#define TOOK_NONE	INT64_MIN

/* From now on, of pairs of names like x_begin and x_end. */
void	 indent_start(void);
/* And of that pair, as -D gives it; or utctl ends. */
void	 indent_pair(const char *);
extern int indent_on;
/* Each trace, before its events. */
void	 indent_trace(struct ctf_trace *);
/* After ctf_body(): how deep, and how long what ends here took, in ns. */
size_t	 indent_event(const struct ctf_stream *, int64_t *);
/* Events were lost: the stream's item tells of them. */
void	 indent_lose(const struct ctf_stream *);
/* An event of a module: its process may execute another program. */
void	 indent_module(const struct ctf_stream *);
/* Say what -D names and no trace has, and what is not certain. */
void	 indent_say(void);
void	 indent_end(void);

#endif /* INDENT_H */
