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
 * How events are printed: what view.c, the files print_*.c, columns.c and
 * indent.c share.
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

#include "../ctf/reader.h"
#include "common/escape.h"

#define OUTSIZE	(256 * 1024)
#define ROOM	256		/* more than a number or an escape takes */
#define SHORT	32		/* bytes of a text: see out_short() */
#define CHUNK	128		/* bytes of a string before room is made */

#define COLUMNS_DEFAULT	"time,who,event,fields"
#define COLUMNS_HOSTS	"time,host,who,event,fields"	/* if several */

#define INDENT_MOST	32	/* levels; deeper ones are shown there */
#define TOOK_NONE	INT64_MIN

struct symbol;

/* How the value of a field is printed. */
enum how {
	HOW_ANY,
	HOW_UNSIGNED,			/* decimal numbers */
	HOW_SIGNED,
	HOW_STRING,			/* strings that end with a zero */
	HOW_SPECIAL			/* addresses, and what is noted */
};

/* Parts of an address in JSON, which may have a name. */
enum addresses {
	ADDRESSES_ALL,			/* the number, the name and the lines */
	ADDRESSES_NAMES,		/* the name, if it has one */
	ADDRESSES_LESS			/* nothing */
};

struct style {
	int		 json;
	int		 colour;
	int		 numbers;	/* addresses have no names */
	int		 typed;		/* JSON: no number is text */
	enum escape	 how;		/* strings are */
	enum addresses	 addresses;
	char		 plain[256];	/* bytes that no string need escape */
};

extern struct style	 style;
extern char		 out[OUTSIZE];

/* print_out.c: into a buffer, which is written when it is full. */
void	 ctf_print_init(int);
void	 ctf_print_flush(void);
/* Set the function that takes the buffer; first it is ctf_print_write(). */
void	 ctf_print_to(void (*)(const char *, size_t));
void	 ctf_print_write(const char *, size_t);
char	*out_begin(void);
void	 out_end(char *);
/*
 * Put text between these two to get it as a string, of so many bytes, which is
 * good until the second one after it.
 */
char	*out_hold(void);
char	*out_held(char *, size_t *);
char	*out_full(char *);
char	*out_split(char *, const char *, size_t);

/* print_text.c */
char	*put_string(char *, const uint8_t *, size_t);
/* The string there, which ends with a zero, and past that. */
char	*put_zstring(char *, struct ctf_cur *);
char	*put_symbol(char *, const struct symbol *);
/* A member of JSON, unless its text is NULL: `"name":"' is the name's part. */
char	*put_member(char *, const char *, const char *);
char	*put_name(char *, const char *);
char	*put_who(char *, struct ctf_stream *);
char	*put_took(char *, int64_t);
void	 text_trace(struct ctf_trace *);

/* print_field.c */
char	*put_fields(char *, const struct ctf_stream *);
/*
 * Members of JSON: the fields, and objects of what contexts there are; the last
 * one has a comma behind it.
 */
char	*put_members(char *, const struct ctf_stream *, enum addresses);
char	*put_hex(char *, uint64_t);

/* print_stack.c: lines, and members, of the event's call stack. */
char	*put_stack(char *, const struct ctf_stream *);
char	*put_json_stack(char *, const struct ctf_stream *);

/* columns.c: what a line of text has, as view -o names it. */
/* Set the columns: names between commas; dies if one is unknown. */
void	 columns_set(const char *);
int	 columns_have(const char *);
/* The names of the columns, one by one; NULL: no more. */
const char *column_name(size_t);
/* Tell the time of the first event, if it is not that of the first line. */
void	 columns_from(int64_t);
/* Each trace, before its events. */
void	 columns_trace(struct ctf_trace *);
/* Print an event, whose name is moved to the right by so many levels. */
char	*columns_event(char *, struct ctf_stream *, size_t);

/* indent.c: how deep an event is, and what it ends, for view -i. */
/* Count pairs of names like x_begin and x_end from now on. */
void	 indent_start(void);
/* Add the pair begin,end[,key] of -D; dies if it is wrong. */
void	 indent_pair(const char *);
extern int indent_on;
/* The reader is to tell of modules: processes execute other programs. */
void	 indent_begin(struct reader *);
/* Each trace, before its events. */
void	 indent_trace(struct ctf_trace *);
/* After ctf_body(): how deep, and how long what ends here took, in ns. */
size_t	 indent_event(const struct ctf_stream *, int64_t *);
/* Events were lost: the stream's item tells of them. */
void	 indent_lose(const struct ctf_stream *);
/* Say what -D names and no trace has, and what is not certain. */
void	 indent_say(void);
void	 indent_end(void);

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

/*
 * Put text that print_text.c made ready.  SHORT bytes of it can be read, even
 * if it has fewer: copying always as many is a few moves.  There must be ROOM,
 * and enough of it is left for a value.
 */
static inline char *
out_short(char *p, const char *s, size_t n)
{
	if (n > SHORT)
		return out_room(out_put(p, s, n), ROOM);
	memcpy(p, s, SHORT);
	return p + n;
}

static inline char *
out_text(char *p, const char *s)
{
	return out_put(p, s, strlen(s));
}

#endif /* PRINT_H */
