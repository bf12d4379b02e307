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
 * How events are printed: what the files print_*.c and ctf_print.c share.
 *
 * All functions that write take the place to write to and return the place
 * behind; out_room() makes sure that there is some.  ctf_body() has seen that
 * the events' bytes are all there.
 */

#ifndef PRINT_H
#define PRINT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../ctf/ctf.h"
#include "common/escape.h"

#define OUTSIZE	(256 * 1024)
#define ROOM	256		/* more than a number or an escape takes */

struct symbol;

/* How all is printed. */
struct style {
	int		 json;
	int		 colour;
	enum escape	 how;		/* strings are */
	char		 plain[256];	/* bytes that no string need escape */
};

extern struct style	 style;
extern char		 out[OUTSIZE];

/* ctf_print.c */
void	 ctf_print_init(int);
void	 ctf_print_trace(struct ctf_trace *);
void	 ctf_print_event(struct ctf_stream *);
void	 ctf_print_flush(void);

/* print_out.c: into a buffer, which is written when it is full. */
char	*out_begin(void);
void	 out_end(char *);
char	*out_full(char *);
char	*out_split(char *, const char *, size_t);

/* print_text.c */
char	*put_string(char *, const uint8_t *, size_t);
char	*put_symbol(char *, const struct symbol *);
char	*put_name(char *, const char *);
char	*put_who(char *, struct ctf_stream *);
char	*put_took(char *, int64_t);
void	 text_trace(struct ctf_trace *);

/* print_field.c */
char	*put_fields(char *, const struct ctf_stream *);

static inline char *
out_room(char *p, size_t n)
{
	return (size_t)(out + OUTSIZE - p) >= n ? p : out_full(p);
}

static inline char *
out_put(char *p, const char *s, size_t n)
{
	if (n > (size_t)(out + OUTSIZE - p))
		return out_split(p, s, n);
	memcpy(p, s, n);
	return p + n;
}

static inline char *
out_text(char *p, const char *s)
{
	return out_put(p, s, strlen(s));
}

#endif /* PRINT_H */
