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
 * Events as text or JSON.  All functions that write take the place to write
 * to and return the place behind; room() makes sure that there is some.
 * ctf_body() has seen that the events' bytes are all there.
 */

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ctf.h"
#include "escape.h"
#include "say.h"

#define OUTSIZE	(256 * 1024)
#define ROOM	256		/* more than a number or an escape takes */
#define NS	1000000000

static char	 out[OUTSIZE];
static char	*outp = out;		/* between events */
static int	 json;
static enum escape how;			/* strings are */
static char	 plain[256];		/* bytes that no string need escape */

/* The second that was printed last. */
static int64_t	 date_ns = INT64_MIN;	/* its beginning */
static char	 date[80];
static size_t	 datelen;
static char	 zone[16];

static void
out_write(const char *p, size_t n)
{
	struct pollfd pfd;
	ssize_t done;

	while (n > 0) {
		if ((done = write(STDOUT_FILENO, p, n)) == -1) {
			if (errno == EINTR)
				continue;
			if (errno == EAGAIN) {
				pfd.fd = STDOUT_FILENO;
				pfd.events = POLLOUT;
				poll(&pfd, 1, -1);
				continue;
			}
			if (errno == EPIPE)
				exit(1);
			die_errno("stdout");
		}
		p += done;
		n -= (size_t)done;
	}
}

static char *
room(char *p, size_t n)
{
	if ((size_t)(out + OUTSIZE - p) >= n)
		return p;
	out_write(out, (size_t)(p - out));
	return out;
}

static char *
put(char *p, const char *s, size_t n)
{
	size_t k;

	while (n > (k = (size_t)(out + OUTSIZE - p))) {
		memcpy(p, s, k);
		out_write(out, OUTSIZE);
		p = out;
		s += k;
		n -= k;
	}
	memcpy(p, s, n);
	return p + n;
}

static char *
put_text(char *p, const char *s)
{
	return put(p, s, strlen(s));
}

/* The bits of an integer, by 1, 3 or 4. */
static char *
put_bits(char *p, const struct ctf_type *t, uint64_t v)
{
	char tmp[64], *s = tmp + sizeof(tmp);
	int shift = t->base == 16 ? 4 : t->base == 8 ? 3 : 1;
	size_t n;

	v = v << t->shift >> t->shift;
	*p++ = '0';
	if (t->base != 8)
		*p++ = t->base == 16 ? 'x' : 'b';
	do {
		*--s = "0123456789abcdef"[v & (((uint64_t)1 << shift) - 1)];
		v >>= shift;
	} while (v != 0);
	n = (size_t)(tmp + sizeof(tmp) - s);
	memcpy(p, s, n);
	return p + n;
}

/* Many readers of JSON have doubles only: more than they hold is text. */
static int
is_large(const struct ctf_type *t, uint64_t v)
{
	if (t->sign && v > INT64_MAX)
		v = 0 - v;
	return v > (uint64_t)1 << 53;
}

static char *
put_int(char *p, const struct ctf_type *t, uint64_t v)
{
	if (t->base != 10 && !json)
		return put_bits(p, t, v);
	if (json && is_large(t, v)) {
		*p++ = '"';
		p = t->sign ? ctf_put_i64(p, (int64_t)v) : ctf_put_u64(p, v);
		*p++ = '"';
		return p;
	}
	return t->sign ? ctf_put_i64(p, (int64_t)v) : ctf_put_u64(p, v);
}

static char *
put_string(char *p, const uint8_t *s, size_t len)
{
	const uint8_t *end = s + len, *stop;

	p = room(p, ROOM);
	*p++ = '"';
	while (s < end) {
		p = room(p, ROOM);
		stop = (size_t)(end - s) > ROOM / 2 ? s + ROOM / 2 : end;
		while (s < stop && plain[*s])
			*p++ = (char)*s++;
		if (s < stop)
			p = escape_char(p, &s, end, how);
	}
	p = room(p, ROOM);
	*p++ = '"';
	return p;
}

static char *
put_float(char *p, const struct ctf_type *t, uint64_t v)
{
	const double d = ctf_real(t, v);

	if (isfinite(d))
		return ctf_put_real(p, d, t->nbytes == 4);
	return put_text(p, json ? "null" : isnan(d) ? "nan" : d < 0 ? "-inf" :
	    "inf");
}

static char *
put_enum(char *p, const struct ctf_type *t, uint64_t v)
{
	const struct ctf_label *l = ctf_label(t, v);
	const char *name = l != NULL ? l->text : NULL;

	if (json) {
		memcpy(p, "{\"value\":", 9);
		p = put_int(p + 9, t, v);
		if (name == NULL)
			name = ",\"label\":null}";
	}
	return name == NULL ? put_int(p, t, v) : put(p, name, strlen(name));
}

static char	*put_value(char *, struct ctf_cur *, const struct ctf_type *);

static char *
put_elems(char *p, struct ctf_cur *c, const struct ctf_type *t, uint64_t n)
{
	const uint8_t *nul;
	uint64_t i;

	if (t->text) {
		nul = memchr(c->p, '\0', (size_t)n);
		p = put_string(p, c->p, nul == NULL ? (size_t)n :
		    (size_t)(nul - c->p));
		c->p += n;
		return p;
	}
	*p++ = '[';
	for (i = 0; i < n; i++) {
		p = room(p, ROOM);
		if (i != 0) {
			*p++ = ',';
			if (!json)
				*p++ = ' ';
		}
		p = put_value(p, c, t->elem);
	}
	p = room(p, ROOM);
	*p++ = ']';
	return p;
}

static int
is_who(const struct ctf_field *f)
{
	return f->role == ROLE_VPID || f->role == ROLE_VTID ||
	    f->role == ROLE_PROCNAME;
}

/* Where context is set, who it is was printed before. */
static char *
put_struct(char *p, struct ctf_cur *c, const struct ctf_type *t, int context)
{
	struct ctf_field *f = t->fields, *end = f + t->nfields;
	size_t skip = json ? 1 : 2;	/* no comma before the first */

	ctf_align(c, t->align);
	p = room(p, ROOM);
	*p++ = '{';
	if (!json)
		*p++ = ' ';
	for (; f < end; f++) {
		if (f->islen)
			ctf_length(c, f);
		else if (context && is_who(f))
			ctf_walk_type(c, f->type);
		else {
			p = put(p, f->key + skip, f->keylen - skip);
			p = put_value(p, c, f->type);
			skip = 0;
		}
	}
	p = room(p, ROOM);
	if (!json && skip == 0)
		*p++ = ' ';
	*p++ = '}';
	return p;
}

static char *
put_value(char *p, struct ctf_cur *c, const struct ctf_type *t)
{
	const uint8_t *s;
	uint64_t v;

	p = room(p, ROOM);
	switch (t->kind) {
	case CTF_STRING:
		s = c->p;
		c->p = memchr(s, '\0', (size_t)(c->end - s));
		p = put_string(p, s, (size_t)(c->p - s));
		c->p++;
		return p;
	case CTF_ARRAY:
		return put_elems(p, c, t, t->count);
	case CTF_SEQ:
		return put_elems(p, c, t, t->len->val);
	case CTF_STRUCT:
		return put_struct(p, c, t, 0);
	case CTF_INT:
	case CTF_ENUM:
	case CTF_FLOAT:
		break;
	}
	ctf_align(c, t->align);
	v = ctf_load(c->p, t);
	c->p += t->nbytes;
	return t->kind == CTF_INT ? put_int(p, t, v) : t->kind == CTF_ENUM ?
	    put_enum(p, t, v) : put_float(p, t, v);
}

/* Local time is asked for once per second of the trace. */
static void
date_set(int64_t ns)
{
	int64_t s = ns / NS - (ns % NS < 0);
	time_t t = (time_t)s;
	struct tm tm;

	date_ns = s * NS;
	zone[0] = '\0';
	if ((int64_t)t != s || localtime_r(&t, &tm) == NULL) {
		datelen = (size_t)snprintf(date, sizeof(date), "@%lld.",
		    (long long)s);
		return;
	}
	datelen = strftime(date, sizeof(date), json ? "%Y-%m-%dT%H:%M:%S." :
	    "%Y-%m-%d %H:%M:%S.", &tm);
	/* +hhmm, in ISO 8601 with a colon */
	if (strftime(zone, sizeof(zone) - 1, "%z", &tm) == 5) {
		memmove(zone + 4, zone + 3, 3);
		zone[3] = ':';
	} else
		zone[0] = '\0';
}

static char *
put_time(char *p, int64_t ns)
{
	uint64_t rest = (uint64_t)ns - (uint64_t)date_ns;

	if (rest >= NS) {
		date_set(ns);
		rest = (uint64_t)ns - (uint64_t)date_ns;
	}
	/* All of it: so many bytes, known here, are a few moves. */
	memcpy(p, date, sizeof(date));
	return ctf_put_digits(p + datelen, rest, 9);
}

/* The blocks of the contexts, if they hold more than who it is. */
static char *
put_context(char *p, struct ctf_cur *c, const struct ctf_type *t,
    const char *name)
{
	size_t i;

	for (i = 0; t != NULL && i < t->nfields; i++)
		if (!is_who(&t->fields[i]))
			break;
	if (t == NULL)
		return p;
	if (i == t->nfields) {
		ctf_walk(c, t, NULL);
		return p;
	}
	if (json)
		p = put_text(p, name);
	p = put_struct(p, c, t, 1);
	return put_text(p, json ? "," : ", ");
}

/* A name, as long as there is room for it before stop. */
static char *
name_text(char *p, const char *stop, const char *name)
{
	const uint8_t *s = (const uint8_t *)name, *end = s + strlen(name);

	while (s < end && p < stop)
		if (plain[*s])
			*p++ = (char)*s++;
		else
			p = escape_char(p, &s, end, how);
	return p;
}

/*
 * procname[vpid:vtid] and a space, or what of it there is.  JSON has the name of
 * the thread, too.
 */
static size_t
who_text(const struct ctf_who *w, char *buf, size_t size)
{
	int pid = w->has & 1 << ROLE_VPID, tid = w->has & 1 << ROLE_VTID;
	char *p = buf, *stop = buf + size - 160;

	if (w->has & 1 << ROLE_PROCNAME) {
		if (json)
			p = stpcpy(p, "\"procname\":\"");
		p = name_text(p, stop, w->name);
		if (json)
			p = stpcpy(p, "\",");
	}
	if (json && pid)
		p = stpcpy(ctf_put_i64(stpcpy(p, "\"vpid\":"), w->vpid), ",");
	if (json && tid)
		p = stpcpy(ctf_put_i64(stpcpy(p, "\"vtid\":"), w->vtid), ",");
	if (json && w->has & 1 << ROLE_THREAD && w->thread[0] != '\0')
		p = stpcpy(name_text(stpcpy(p, "\"thread\":\""),
		    buf + size - 16, w->thread), "\",");
	if (!json && (pid || tid)) {
		*p++ = '[';
		if (pid)
			p = ctf_put_i64(p, w->vpid);
		if (tid)
			p = ctf_put_i64(stpcpy(p, ":"), w->vtid);
		*p++ = ']';
	}
	if (!json && p != buf)
		*p++ = ' ';
	return (size_t)(p - buf);
}

/* Mostly it is the same in all of a packet. */
static char *
put_who(char *p, struct ctf_stream *s)
{
	struct ctf_who who;
	char buf[sizeof(s->prefix)];

	if (!s->class->eventwho) {
		if (s->prefixlen == 0 || s->prefixpkt != s->pkt) {
			s->prefixlen = who_text(&s->who, s->prefix,
			    sizeof(s->prefix));
			s->prefixpkt = s->pkt;
		}
		return put(p, s->prefix, s->prefixlen);
	}
	return put(p, buf, who_text(ctf_whose(s, &who), buf, sizeof(buf)));
}

static char *
put_when(char *p, int64_t ns)
{
	if (!json) {
		p = put_time(p, ns);
		*p++ = ' ';
		return p;
	}
	p = ctf_put_i64(put_text(p, "{\"ns\":\""), ns);
	p = put_time(put_text(p, "\",\"time\":\""), ns);
	return put_text(put_text(p, zone), "\",");
}

void
ctf_print_event(struct ctf_stream *s)
{
	const struct ctf_eclass *ev = s->event;
	struct ctf_cur c;
	char *p = room(outp, ROOM);

	ctf_cur(&c, s);
	p = put_when(p, s->ns);
	p = put_who(p, s);
	p = put(p, ev->text, ev->textlen);
	p = put_context(p, &c, s->class->context, "\"context\":");
	p = put_context(p, &c, ev->context, "\"event_context\":");
	if (json)
		p = put_text(p, "\"fields\":");
	if (ev->fields != NULL)
		p = put_struct(p, &c, ev->fields, 0);
	else
		p = put_text(p, json ? "{}" : "{ }");
	outp = put_text(p, json ? "}\n" : "\n");
}

void
ctf_print_flush(void)
{
	out_write(out, (size_t)(outp - out));
	outp = out;
}

/* s as strings print it, between before and after, as long as the trace. */
static const char *
escaped(struct ctf_trace *tr, const char *before, const char *s,
    const char *after, size_t *lenp)
{
	size_t b = strlen(before), n = b + escape(NULL, 0, s, how) +
	    strlen(after);
	char *new = ctf_alloc(tr, n + 1);

	memcpy(new, before, b);
	b += escape(new + b, n + 1 - b, s, how);
	strcpy(new + b, after);
	*lenp = n;
	return new;
}

static void
print_keys(struct ctf_trace *tr, struct ctf_type *t)
{
	struct ctf_field *f;
	size_t i;

	for (i = 0; i < t->nfields; i++) {
		f = &t->fields[i];
		f->key = escaped(tr, json ? ",\"" : ", ", f->name,
		    json ? "\":" : " = ", &f->keylen);
	}
}

static void
print_labels(struct ctf_trace *tr, struct ctf_type *t)
{
	static const char word[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	    "abcdefghijklmnopqrstuvwxyz0123456789";
	struct ctf_label *l;
	size_t n;

	for (l = t->labels; l < t->labels + t->nlabels; l++)
		if (json)
			l->text = escaped(tr, ",\"label\":\"", l->name, "\"}",
			    &n);
		else if (l->name[0] == '\0' ||
		    l->name[strspn(l->name, word)] != '\0')
			l->text = escaped(tr, "\"", l->name, "\"", &n);
		else
			l->text = l->name;
}

/* Makes ready all of the trace's own text that may be printed. */
void
ctf_print_trace(struct ctf_trace *tr)
{
	struct ctf_eclass *ev;
	struct ctf_type *t;
	char level[48] = "\",";

	for (t = tr->types; t != NULL; t = t->next)
		if (t->kind == CTF_STRUCT)
			print_keys(tr, t);
		else if (t->kind == CTF_ENUM)
			print_labels(tr, t);
	for (ev = tr->events; ev != NULL; ev = ev->next) {
		if (ev->haslevel)
			snprintf(level, sizeof(level), "\",\"level\":%lld,",
			    (long long)ev->level);
		else
			strcpy(level, "\",");
		ev->text = escaped(tr, json ? "\"event\":\"" : "", ev->name,
		    json ? level : " ", &ev->textlen);
	}
}

void
ctf_print_time(int64_t ns, char *buf)
{
	*put_time(buf, ns) = '\0';
}

void
ctf_print_init(int asjson)
{
	int c;

	json = asjson;
	how = json ? ESCAPE_JSON : ESCAPE_STRING;
	for (c = 0x20; c < 0x7f; c++)
		plain[c] = c != '"' && c != '\\';
}
