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
 * utctl view -o: what a line of text has.
 */

#ifndef COLUMNS_H
#define COLUMNS_H

#include "../ctf/ctf.h"

#define COLUMNS_DEFAULT	"time,who,event,fields"
#define COLUMNS_HOSTS	"time,host,who,event,fields"	/* if several */

/* Names between commas; or utctl ends. */
void	 columns_set(const char *);
/* Is this one of them? */
int	 columns_have(const char *);
/* The names of the columns, one by one; NULL: no more. */
const char *column_name(size_t);
/* When the first event was, if not when the first line is printed. */
void	 columns_from(int64_t);
/* Each trace, before its events. */
void	 columns_trace(struct ctf_trace *);
/* An event, whose name is moved to the right by so many levels. */
char	*columns_event(char *, struct ctf_stream *, size_t);

#endif /* COLUMNS_H */
