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
 * TSDL: memory, complaints, tokens.
 *
 * The first error is said and ends the parse.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../say.h"
#include "ctf_parse.h"

#define CHUNK	(64 * 1024 / sizeof(max_align_t))
#define CHUNK_FIRST	(CHUNK / 64)

static uint64_t	 allocated;	/* bytes, of all traces */

static size_t
chunk_bytes(const struct ctf_chunk *c)
{
	return sizeof(*c) + c->size * sizeof(max_align_t);
}

void
ctf_alloc_free(struct ctf_trace *tr)
{
	struct ctf_chunk *c;

	while ((c = tr->chunks) != NULL) {
		tr->chunks = c->next;
		allocated -= chunk_bytes(c);
		free(c);
	}
}

/* All that one has allocated lives as long as the other. */
void
ctf_alloc_move(struct ctf_trace *to, struct ctf_trace *from)
{
	struct ctf_chunk *c;

	while ((c = from->chunks) != NULL) {
		from->chunks = c->next;
		c->next = to->chunks;
		to->chunks = c;
	}
}

/*
 * Zeroed memory that lives as long as the trace.  Chunks begin small, for what
 * an alias of CTF 2 allocates is kept in chunks of its own.
 */
void *
ctf_alloc(struct ctf_trace *tr, size_t n)
{
	struct ctf_chunk *c = tr->chunks;
	size_t size;

	n = (n + sizeof(max_align_t) - 1) / sizeof(max_align_t);
	if (c == NULL || n > c->size - c->used) {
		size = c == NULL ? CHUNK_FIRST : 2 * c->size;
		size = size > CHUNK ? CHUNK : size;
		size = size < n ? n : size;
		c = calloc(1, sizeof(*c) + size * sizeof(max_align_t));
		if (c == NULL)
			die_errno("malloc");
		c->size = size;
		allocated += chunk_bytes(c);
		if (allocated >> 20 >= CTF_MEMORY)
			die("%s: the metadata take more than %d MB of memory",
			    tr->file, CTF_MEMORY);
		c->next = tr->chunks;
		tr->chunks = c;
	}
	c->used += n;
	return &c->data[c->used - n];
}

char *
ctf_strdup(struct ctf_trace *tr, const char *s, size_t n)
{
	char *new = ctf_alloc(tr, n + 1);

	memcpy(new, s, n);
	return new;
}

/* Note an error; one at the end of the text means that the text is cut. */
void
ctf_error(struct ctf_parse *p, const char *fmt, ...)
{
	char msg[256];
	va_list ap;

	if (p->bad)
		return;
	p->bad = 1;
	p->tok = TOK_END;
	if (p->p == p->end && !p->whole) {
		p->cut = 1;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	if (p->at != NULL)
		ctf_damage(p->trace->file, "fragment %lu (byte %zu): %s",
		    p->line, (size_t)(p->at - p->begin), msg);
	else
		ctf_damage(p->trace->file, "line %lu: %s", p->line, msg);
}

/* Past a comment; one half of its beginning may be all there is. */
static const char *
lex_comment(struct ctf_parse *p, const char *s)
{
	if (s + 1 == p->end)
		return p->end;
	if (s[1] == '/') {
		while (s < p->end && *s != '\n')
			s++;
		return s;
	}
	for (s += 2; p->end - s >= 2; s++) {
		if (*s == '*' && s[1] == '/')
			return s + 2;
		if (*s == '\n')
			p->line++;
	}
	return p->end;
}

static void
lex_space(struct ctf_parse *p)
{
	const char *s = p->p;

	while (s < p->end) {
		if (*s == '/' && (s + 1 == p->end || s[1] == '/' ||
		    s[1] == '*')) {
			s = lex_comment(p, s);
			continue;
		}
		if (*s != '\n' && *s != ' ' && *s != '\t' && *s != '\r')
			break;
		if (*s++ == '\n')
			p->line++;
	}
	p->p = s;
}

static int
lex_isident(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	    (c >= '0' && c <= '9');
}

static void
lex_ident(struct ctf_parse *p)
{
	const char *s = p->p;

	while (p->p < p->end && lex_isident(*p->p))
		p->p++;
	if (p->p - s > CTF_TEXT) {
		ctf_error(p, "a name of more than %d bytes", CTF_TEXT);
		return;
	}
	p->str = ctf_strdup(p->trace, s, (size_t)(p->p - s));
	p->tok = TOK_IDENT;
}

/* The value of a hexadecimal digit; 16 if it is none. */
int
ctf_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static void
lex_number(struct ctf_parse *p)
{
	int base = 10, d;

	p->num = 0;
	if (*p->p == '0' && p->p + 1 < p->end) {
		base = 8;
		if (p->p[1] == 'x' || p->p[1] == 'X') {
			base = 16;
			p->p += 2;
		}
	}
	for (; p->p < p->end && (d = ctf_digit(*p->p)) < base; p->p++) {
		if (p->num > (UINT64_MAX - (uint64_t)d) / (uint64_t)base) {
			ctf_error(p, "too large a number");
			return;
		}
		p->num = p->num * (uint64_t)base + (uint64_t)d;
	}
	while (p->p < p->end && memchr("uUlL", *p->p, 4) != NULL)
		p->p++;
	p->tok = TOK_NUM;
	if (p->p < p->end && lex_isident(*p->p))
		ctf_error(p, "no number");
}

/* After a backslash; up to three digits are octal, two after x hexadecimal. */
static char
lex_escape(const char **sp, const char *end)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	const char *s = *sp, *f;
	int base = 8, max = 3, n = 0, d;

	if (*s == 'x') {
		base = 16;
		max = 2;
		s++;
	} else if (ctf_digit(*s) >= 8) {
		*sp = s + 1;
		f = memchr(from, *s, sizeof(from) - 1);
		return f == NULL ? *s : to[f - from];
	}
	for (; max > 0 && s < end && (d = ctf_digit(*s)) < base; max--, s++)
		n = n * base + d;
	*sp = s;
	return (char)(unsigned char)n;
}

static void
lex_string(struct ctf_parse *p)
{
	const char *s = p->p + 1, *e;
	char *to;

	for (e = s; e < p->end && *e != '"' && *e != '\n'; e++)
		if (*e == '\\' && e + 1 < p->end)
			e++;
	p->p = e;
	if (e == p->end || *e != '"') {
		ctf_error(p, "a string without end");
		return;
	}
	if (e - s > CTF_TEXT) {
		ctf_error(p, "a string of more than %d bytes", CTF_TEXT);
		return;
	}
	p->p++;
	to = ctf_strdup(p->trace, s, (size_t)(e - s));
	p->str = to;
	while (s < e) {
		if (*s == '\\') {
			s++;
			*to++ = lex_escape(&s, e);
		} else
			*to++ = *s++;
	}
	*to = '\0';
	p->tok = TOK_STR;
}

/* 'c', which is a number. */
static void
lex_char(struct ctf_parse *p)
{
	const char *s = p->p + 1;

	if (s < p->end && *s == '\\' && p->end - s >= 2) {
		s++;
		p->num = (unsigned char)lex_escape(&s, p->end);
	} else if (s < p->end)
		p->num = (unsigned char)*s++;
	p->p = s;
	if (s == p->end || *s != '\'') {
		ctf_error(p, "a character constant without end");
		return;
	}
	p->p++;
	p->tok = TOK_NUM;
}

static void
lex_punct(struct ctf_parse *p)
{
	size_t left = (size_t)(p->end - p->p);
	unsigned char c = (unsigned char)*p->p;

	if (left >= 2 && memcmp(p->p, ":=", 2) == 0) {
		p->tok = TOK_ASSIGN;
		p->p += 2;
	} else if (left >= 3 && memcmp(p->p, "...", 3) == 0) {
		p->tok = TOK_DOTS;
		p->p += 3;
	} else if (c != '\0' && strchr("{}()[]<>;:,=.+-*", c) != NULL) {
		p->tok = c;
		p->p++;
	} else
		ctf_error(p, "byte 0x%x is not of TSDL", (unsigned int)c);
}

void
ctf_next(struct ctf_parse *p)
{
	if (p->bad)
		return;
	lex_space(p);
	if (p->p == p->end)
		p->tok = TOK_END;
	else if (*p->p >= '0' && *p->p <= '9')
		lex_number(p);
	else if (lex_isident(*p->p))
		lex_ident(p);
	else if (*p->p == '"')
		lex_string(p);
	else if (*p->p == '\'')
		lex_char(p);
	else
		lex_punct(p);
}

int
ctf_accept(struct ctf_parse *p, int tok)
{
	if (p->tok != tok)
		return 0;
	ctf_next(p);
	return 1;
}

void
ctf_expect(struct ctf_parse *p, int tok, const char *what)
{
	if (!ctf_accept(p, tok))
		ctf_error(p, "%s expected", what);
}
