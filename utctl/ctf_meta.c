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
 * TSDL: the tokens, the blocks, and what follows from them all.
 *
 * The first error is said and ends the parse.  The text of a trace that is
 * still written may stop anywhere: a last statement that is not whole is as
 * if it were not there.  So nothing is made part of the trace before its
 * semicolon was seen.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctf.h"

#define CHUNK	(64 * 1024)

/* Zeroed memory that lives as long as the trace. */
void *
ctf_alloc(struct ctf_trace *tr, size_t n)
{
	struct ctf_chunk *c = tr->chunks;
	size_t size;

	n = (n + sizeof(max_align_t) - 1) / sizeof(max_align_t);
	if (c == NULL || n > c->size - c->used) {
		size = n > CHUNK / sizeof(max_align_t) ? n :
		    CHUNK / sizeof(max_align_t);
		c = calloc(1, sizeof(*c) + size * sizeof(max_align_t));
		if (c == NULL)
			err(1, NULL);
		c->size = size;
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

/* What goes wrong where nothing follows is the end of the text. */
void
ctf_error(struct ctf_parse *p, const char *fmt, ...)
{
	char msg[256];
	va_list ap;

	if (p->bad)
		return;
	p->bad = 1;
	p->tok = TOK_END;
	if (p->p == p->end) {
		p->cut = 1;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
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
	p->str = ctf_strdup(p->trace, s, (size_t)(p->p - s));
	p->tok = TOK_IDENT;
}

static int
lex_digit(char c)
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
	for (; p->p < p->end && (d = lex_digit(*p->p)) < base; p->p++) {
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
	} else if (lex_digit(*s) >= 8) {
		*sp = s + 1;
		f = memchr(from, *s, sizeof(from) - 1);
		return f == NULL ? *s : to[f - from];
	}
	for (; max > 0 && s < end && (d = lex_digit(*s)) < base; max--, s++)
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
	} else if (c != '\0' && strchr("{}()[]<>;:,=.-", c) != NULL) {
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

/* a.b.c */
static const char *
meta_path(struct ctf_parse *p)
{
	const char *s = p->str;
	char *join;

	ctf_expect(p, TOK_IDENT, "a name");
	while (!p->bad && strlen(s) < 256 && ctf_accept(p, '.')) {
		if (p->tok != TOK_IDENT)
			break;
		join = ctf_alloc(p->trace, strlen(s) + strlen(p->str) + 2);
		strcpy(join, s);
		strcat(join, ".");
		strcat(join, p->str);
		s = join;
		ctf_next(p);
	}
	return s;
}

/* = value */
void
ctf_value(struct ctf_parse *p, struct ctf_value *v)
{
	ctf_expect(p, '=', "'='");
	v->neg = ctf_accept(p, '-');
	v->tok = p->tok;
	v->num = p->num;
	v->str = p->str;
	if (p->tok == TOK_IDENT && !v->neg)
		v->str = meta_path(p);
	else if (p->tok == TOK_NUM || (p->tok == TOK_STR && !v->neg))
		ctf_next(p);
	else
		ctf_error(p, "a value expected");
}

/* { key = value; ... } */
void
ctf_block(struct ctf_parse *p, ctf_key *key, void *arg)
{
	const char *name;

	ctf_expect(p, '{', "'{'");
	while (p->tok != '}' && !p->bad) {
		if (p->tok == TOK_IDENT && strcmp(p->str, "typealias") == 0)
			ctf_typealias(p);
		else {
			name = meta_path(p);
			if (!p->bad)
				key(p, name, arg);
		}
		ctf_expect(p, ';', "';'");
	}
	ctf_expect(p, '}', "'}'");
}

/* := struct { ... } */
static struct ctf_type *
meta_struct(struct ctf_parse *p)
{
	struct ctf_type *t;

	ctf_expect(p, TOK_ASSIGN, "':='");
	if ((t = ctf_type(p)) != NULL && t->kind != CTF_STRUCT) {
		ctf_error(p, "a struct expected");
		return NULL;
	}
	return t;
}

static uint64_t
meta_number(struct ctf_parse *p)
{
	struct ctf_value v;

	ctf_value(p, &v);
	if (!p->bad && (v.tok != TOK_NUM || v.neg))
		ctf_error(p, "a number expected");
	return v.num;
}

static int64_t
meta_signed(struct ctf_parse *p)
{
	struct ctf_value v;

	ctf_value(p, &v);
	if (!p->bad && (v.tok != TOK_NUM || v.num > INT64_MAX))
		ctf_error(p, "a number expected");
	if (p->bad)
		return 0;
	return v.neg ? -(int64_t)v.num : (int64_t)v.num;
}

static const char *
meta_string(struct ctf_parse *p)
{
	struct ctf_value v;

	ctf_value(p, &v);
	if (!p->bad && v.tok == TOK_NUM)
		ctf_error(p, "a string expected");
	return v.str;
}

static void
meta_uuid(struct ctf_parse *p, uint8_t *uuid)
{
	const char *s = meta_string(p);
	int i;

	for (i = 0; i < 16 && !p->bad; i++) {
		if (*s == '-')
			s++;
		if (lex_digit(s[0]) == 16 || lex_digit(s[1]) == 16)
			break;
		uuid[i] = (uint8_t)(lex_digit(s[0]) << 4 | lex_digit(s[1]));
		s += 2;
	}
	if (!p->bad && (i < 16 || *s != '\0'))
		ctf_error(p, "no UUID");
}

static void
meta_skip(struct ctf_parse *p)
{
	struct ctf_value v;

	ctf_value(p, &v);
}

static void
trace_key(struct ctf_parse *p, const char *key, void *arg)
{
	struct ctf_trace *tr = arg;
	const char *s;

	if (strcmp(key, "major") == 0 || strcmp(key, "minor") == 0) {
		if (meta_number(p) != (key[1] == 'a' ? 1 : 8) && !p->bad)
			ctf_error(p, "not CTF 1.8");
	} else if (strcmp(key, "uuid") == 0) {
		meta_uuid(p, tr->uuid);
		tr->hasuuid = 1;
	} else if (strcmp(key, "byte_order") == 0) {
		s = meta_string(p);
		if (p->bad)
			return;
		tr->big = strcmp(s, "be") == 0 || strcmp(s, "network") == 0;
		if (!tr->big && strcmp(s, "le") != 0)
			ctf_error(p, "no byte order");
	} else if (strcmp(key, "packet.header") == 0)
		tr->header = meta_struct(p);
	else
		meta_skip(p);
}

static void
meta_trace(struct ctf_parse *p)
{
	struct ctf_trace *tr = p->trace, got;

	if (tr->hastrace)
		ctf_error(p, "a second trace block");
	memset(&got, 0, sizeof(got));
	ctf_block(p, trace_key, &got);
	ctf_expect(p, ';', "';'");
	if (p->bad)
		return;
	tr->hastrace = 1;
	tr->big = got.big;
	tr->hasuuid = got.hasuuid;
	memcpy(tr->uuid, got.uuid, sizeof(tr->uuid));
	tr->header = got.header;
}

static void
env_key(struct ctf_parse *p, const char *key, void *arg)
{
	struct ctf_who *who = arg;
	struct ctf_value v;

	ctf_value(p, &v);
	if (p->bad)
		return;
	if (strcmp(key, "vpid") == 0 && v.tok == TOK_NUM) {
		who->vpid = (int64_t)v.num;
		who->has |= 1 << ROLE_VPID;
	} else if (strcmp(key, "procname") == 0 && v.tok == TOK_STR) {
		snprintf(who->name, sizeof(who->name), "%s", v.str);
		who->has |= 1 << ROLE_PROCNAME;
	}
}

static void
meta_env(struct ctf_parse *p)
{
	ctf_block(p, env_key, &p->trace->who);
	ctf_expect(p, ';', "';'");
}

static void
clock_key(struct ctf_parse *p, const char *key, void *arg)
{
	struct ctf_clock *c = arg;

	if (strcmp(key, "name") == 0)
		c->name = meta_string(p);
	else if (strcmp(key, "freq") == 0)
		c->freq = meta_number(p);
	else if (strcmp(key, "offset_s") == 0)
		c->offset_s = meta_signed(p);
	else if (strcmp(key, "offset") == 0)
		c->offset = meta_signed(p);
	else
		meta_skip(p);
}

/* Splits the offset so that ctf_ns() has little left to do. */
static void
clock_base(struct ctf_parse *p, struct ctf_clock *c)
{
	int64_t freq, s, rest;

	if (c->freq == 0 || c->freq > 1000000000000000000) {
		ctf_error(p, "no frequency of a clock");
		return;
	}
	freq = (int64_t)c->freq;
	s = c->offset / freq;
	rest = c->offset % freq;
	if (rest < 0) {
		s--;
		rest += freq;
	}
	c->rest = (uint64_t)rest;
	if (c->offset_s > 9000000000 || c->offset_s < -9000000000 ||
	    s > 9000000000 - c->offset_s || s < -9000000000 - c->offset_s) {
		ctf_error(p, "no time of this age");
		return;
	}
	c->base = (c->offset_s + s) * 1000000000;
}

static void
meta_clock(struct ctf_parse *p)
{
	struct ctf_clock *c;

	if (p->trace->nnames++ == CTF_NAMES)
		ctf_error(p, "too many clocks");
	c = ctf_alloc(p->trace, sizeof(*c));
	c->freq = 1000000000;
	c->name = "";
	ctf_block(p, clock_key, c);
	if (!p->bad)
		clock_base(p, c);
	ctf_expect(p, ';', "';'");
	if (p->bad)
		return;
	c->next = p->trace->clocks;
	p->trace->clocks = c;
}

static void
stream_key(struct ctf_parse *p, const char *key, void *arg)
{
	struct ctf_sclass *sc = arg;

	if (strcmp(key, "id") == 0)
		sc->id = meta_number(p);
	else if (strcmp(key, "event.header") == 0)
		sc->header = meta_struct(p);
	else if (strcmp(key, "packet.context") == 0)
		sc->packet = meta_struct(p);
	else if (strcmp(key, "event.context") == 0)
		sc->context = meta_struct(p);
	else
		meta_skip(p);
}

static struct ctf_sclass *
meta_sclass(const struct ctf_trace *tr, uint64_t id)
{
	struct ctf_sclass *sc;

	for (sc = tr->sclasses; sc != NULL; sc = sc->next)
		if (sc->id == id)
			return sc;
	return NULL;
}

static void
meta_stream(struct ctf_parse *p)
{
	struct ctf_sclass *sc;

	if (p->trace->nnames++ == CTF_NAMES)
		ctf_error(p, "too many streams");
	sc = ctf_alloc(p->trace, sizeof(*sc));
	sc->line = p->line;
	ctf_block(p, stream_key, sc);
	if (!p->bad && meta_sclass(p->trace, sc->id) != NULL)
		ctf_error(p, "a second stream %llu",
		    (unsigned long long)sc->id);
	ctf_expect(p, ';', "';'");
	if (p->bad)
		return;
	sc->next = p->trace->sclasses;
	p->trace->sclasses = sc;
}

static void
event_key(struct ctf_parse *p, const char *key, void *arg)
{
	struct ctf_eclass *ev = arg;

	if (strcmp(key, "name") == 0)
		ev->name = meta_string(p);
	else if (strcmp(key, "id") == 0)
		ev->id = meta_number(p);
	else if (strcmp(key, "stream_id") == 0)
		ev->stream = meta_number(p);
	else if (strcmp(key, "loglevel") == 0) {
		ev->level = meta_signed(p);
		ev->haslevel = 1;
	} else if (strcmp(key, "context") == 0)
		ev->context = meta_struct(p);
	else if (strcmp(key, "fields") == 0)
		ev->fields = meta_struct(p);
	else
		meta_skip(p);
}

static void
meta_event(struct ctf_parse *p)
{
	struct ctf_eclass *ev;

	ev = ctf_alloc(p->trace, sizeof(*ev));
	ev->line = p->line;
	ev->name = "";
	ctf_block(p, event_key, ev);
	ctf_expect(p, ';', "';'");
	if (p->bad)
		return;
	ev->next = p->trace->events;
	p->trace->events = ev;
}

static void
meta_type(struct ctf_parse *p)
{
	ctf_type(p);
	ctf_expect(p, ';', "';'");
}

static void
meta_typealias(struct ctf_parse *p)
{
	ctf_typealias(p);
	ctf_expect(p, ';', "';'");
}

static void
meta_statement(struct ctf_parse *p)
{
	static const struct {
		const char	*name;
		void		(*read)(struct ctf_parse *);
		int		 skip;		/* the name itself */
	} blocks[] = {
		{ "typealias", meta_typealias, 0 },
		{ "struct", meta_type, 0 },
		{ "enum", meta_type, 0 },
		{ "trace", meta_trace, 1 },
		{ "env", meta_env, 1 },
		{ "clock", meta_clock, 1 },
		{ "stream", meta_stream, 1 },
		{ "event", meta_event, 1 }
	};
	size_t i;

	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (p->tok == TOK_IDENT && strcmp(p->str, blocks[i].name) == 0)
			break;
	if (i == sizeof(blocks) / sizeof(blocks[0])) {
		ctf_error(p, "no statement of TSDL known here");
		return;
	}
	if (blocks[i].skip)
		ctf_next(p);
	blocks[i].read(p);
}

/* Names that the reader knows, wherever a struct has them. */
static enum ctf_role
role_find(const struct ctf_field *f)
{
	static const struct {
		const char	*name;
		enum ctf_role	 role;
	} roles[] = {
		{ "magic", ROLE_MAGIC },
		{ "uuid", ROLE_UUID },
		{ "stream_id", ROLE_STREAM },
		{ "timestamp_begin", ROLE_BEGIN },
		{ "timestamp_end", ROLE_END },
		{ "content_size", ROLE_CONTENT },
		{ "packet_size", ROLE_PACKET },
		{ "packet_seq_num", ROLE_SEQ },
		{ "events_discarded", ROLE_DISCARDED },
		{ "id", ROLE_ID },
		{ "timestamp", ROLE_TIME },
		{ "vpid", ROLE_VPID },
		{ "vtid", ROLE_VTID },
		{ "procname", ROLE_PROCNAME }
	};
	const struct ctf_type *t = f->type;
	size_t i;

	for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (strcmp(roles[i].name, f->name) == 0)
			break;
	if (i == sizeof(roles) / sizeof(roles[0]))
		return ROLE_NONE;
	if (roles[i].role == ROLE_UUID)
		return t->kind == CTF_ARRAY && t->fixed == 16 ? ROLE_UUID :
		    ROLE_NONE;
	if (roles[i].role == ROLE_PROCNAME)
		return t->kind == CTF_STRING || (t->kind == CTF_ARRAY &&
		    t->text) ? ROLE_PROCNAME : ROLE_NONE;
	return t->kind == CTF_INT || t->kind == CTF_ENUM ? roles[i].role :
	    ROLE_NONE;
}

/* The roles of a header's or context's fields; those found as bits. */
static int
roles_set(struct ctf_type *t)
{
	struct ctf_field *f;
	int has = 0;

	if (t == NULL)
		return 0;
	for (f = t->fields; f < t->fields + t->nfields; f++) {
		f->role = role_find(f);
		has |= 1 << f->role;
	}
	return has;
}

static const struct ctf_type *
role_type(const struct ctf_type *t, enum ctf_role role)
{
	size_t i;

	for (i = 0; t != NULL && i < t->nfields; i++)
		if (t->fields[i].role == role)
			return t->fields[i].type;
	return NULL;
}

static struct ctf_clock *
clock_find(struct ctf_trace *tr, const char *name)
{
	struct ctf_clock *c;

	for (c = tr->clocks; c != NULL; c = c->next)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

/* An integer that names no clock means the trace's. */
static void
finish_stream(struct ctf_trace *tr, struct ctf_sclass *sc)
{
	const struct ctf_type *t;
	int who;

	roles_set(sc->header);
	roles_set(sc->packet);
	who = roles_set(sc->context);
	sc->eventwho = (who & (1 << ROLE_VPID | 1 << ROLE_VTID |
	    1 << ROLE_PROCNAME)) != 0;
	sc->clock = sc->endclock = tr->clocks;
	if ((t = role_type(sc->packet, ROLE_END)) != NULL && t->clock != NULL)
		sc->endclock = t->clock;
	if ((t = role_type(sc->packet, ROLE_BEGIN)) != NULL) {
		sc->beginbits = 8 * t->nbytes;
		if (t->clock != NULL)
			sc->clock = t->clock;
	}
	if ((t = role_type(sc->header, ROLE_TIME)) != NULL) {
		sc->timebits = 8 * t->nbytes;
		if (t->clock != NULL)
			sc->clock = t->clock;
	}
}

static int
event_cmp(const void *a, const void *b)
{
	const struct ctf_eclass *x = *(struct ctf_eclass *const *)a;
	const struct ctf_eclass *y = *(struct ctf_eclass *const *)b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int
finish_sort(struct ctf_trace *tr, struct ctf_sclass *sc)
{
	size_t i;

	if (sc->nevents == 0)
		return 0;
	qsort(sc->events, sc->nevents, sizeof(*sc->events), event_cmp);
	for (i = 1; i < sc->nevents; i++)
		if (sc->events[i]->id == sc->events[i - 1]->id) {
			ctf_damage(tr->file, "line %lu: a second event %llu "
			    "of one stream", sc->events[i]->line,
			    (unsigned long long)sc->events[i]->id);
			return -1;
		}
	return 0;
}

static int
finish_events(struct ctf_trace *tr)
{
	struct ctf_eclass *ev;
	struct ctf_sclass *sc;

	for (ev = tr->events; ev != NULL; ev = ev->next) {
		if ((sc = meta_sclass(tr, ev->stream)) == NULL) {
			ctf_damage(tr->file, "line %lu: an event of no stream",
			    ev->line);
			return -1;
		}
		sc->nevents++;
	}
	for (sc = tr->sclasses; sc != NULL; sc = sc->next) {
		sc->events = ctf_alloc(tr, sc->nevents * sizeof(ev));
		sc->nevents = 0;
	}
	for (ev = tr->events; ev != NULL; ev = ev->next) {
		sc = meta_sclass(tr, ev->stream);
		sc->events[sc->nevents++] = ev;
	}
	for (sc = tr->sclasses; sc != NULL; sc = sc->next)
		if (finish_sort(tr, sc) == -1)
			return -1;
	return 0;
}

static int
finish_type(struct ctf_trace *tr, struct ctf_type *t)
{
	t->big = t->order == ORDER_BE || (t->order == ORDER_NATIVE && tr->big);
	if (t->map != NULL && (t->clock = clock_find(tr, t->map)) == NULL) {
		ctf_damage(tr->file, "line %lu: no clock '%.64s'", t->line,
		    t->map);
		return -1;
	}
	return 0;
}

static void
finish_runs(struct ctf_type *t)
{
	struct ctf_field *f;
	uint64_t len = 0;
	uint32_t run = 0;
	size_t i;

	for (i = t->nfields; i > 0; i--) {
		f = &t->fields[i - 1];
		if (f->type->fixed == 0 || f->role != ROLE_NONE || f->islen) {
			run = 0;
			len = 0;
		} else {
			run++;
			len += f->type->fixed;
		}
		f->run = run;
		f->runlen = len;
	}
}

/* What depends on blocks that may have come in any order. */
static int
meta_finish(struct ctf_trace *tr)
{
	struct ctf_sclass *sc;
	struct ctf_type *t;

	for (t = tr->types; t != NULL; t = t->next)
		if (finish_type(tr, t) == -1)
			return -1;
	roles_set(tr->header);
	for (sc = tr->sclasses; sc != NULL; sc = sc->next)
		finish_stream(tr, sc);
	for (t = tr->types; t != NULL; t = t->next)
		finish_runs(t);
	return finish_events(tr);
}

static int
meta_parse(struct ctf_trace *tr, const char *text, size_t n)
{
	struct ctf_parse p;

	if (n >= 10 && memcmp(text, "/* CTF 1.8", 10) != 0) {
		ctf_damage(tr->file, "not the plain text of CTF 1.8");
		return -1;
	}
	memset(&p, 0, sizeof(p));
	p.trace = tr;
	p.p = text;
	p.end = text + n;
	p.line = 1;
	ctf_next(&p);
	while (!p.bad && p.tok != TOK_END)
		meta_statement(&p);
	if (p.bad && !p.cut)
		return -1;
	return meta_finish(tr);
}

/* A file's bytes, which may become more meanwhile. */
static char *
meta_read(const char *file, size_t *np)
{
	struct stat st;
	char *buf = NULL;
	size_t n = 0, cap = 0;
	ssize_t got = 1;
	int fd;

	if ((fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) == -1)
		return NULL;
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode)) {
		close(fd);
		errno = EINVAL;
		return NULL;
	}
	while (got > 0 && n < CTF_METAMAX) {
		if (n == cap) {
			cap = cap == 0 ? CHUNK : 2 * cap;
			if ((buf = realloc(buf, cap)) == NULL)
				err(1, NULL);
		}
		if ((got = read(fd, buf + n, cap - n)) > 0)
			n += (size_t)got;
	}
	close(fd);
	*np = n;
	if (got != 0) {
		if (got > 0)
			errno = EFBIG;
		free(buf);
		return NULL;
	}
	return buf;
}

/* NULL: it was said why.  The file's name is the trace's from here on. */
struct ctf_trace *
ctf_open(char *file)
{
	struct ctf_trace *tr;
	char *text;
	size_t n;
	int ok;

	if ((tr = calloc(1, sizeof(*tr))) == NULL)
		err(1, NULL);
	tr->file = file;
	if ((text = meta_read(file, &n)) == NULL) {
		ctf_damage(file, "%s", strerror(errno));
		ctf_close(tr);
		return NULL;
	}
	ok = meta_parse(tr, text, n) == 0;
	free(text);
	if (!ok) {
		ctf_close(tr);
		return NULL;
	}
	return tr;
}

void
ctf_close(struct ctf_trace *tr)
{
	struct ctf_chunk *c;

	while ((c = tr->chunks) != NULL) {
		tr->chunks = c->next;
		free(c);
	}
	free(tr->file);
	free(tr);
}
