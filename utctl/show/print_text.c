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
 * Strings, and text that is the same in many events and made ready once.
 */

#include <stdio.h>
#include <string.h>

#include "../sym/symbols.h"
#include "print.h"

/* Colours of the terminal's own palette: they suit a light one, too. */
#define PLAIN	"\033[0m"
#define BOLD	"\033[1m"
#define RED	"\033[1;31m"
#define YELLOW	"\033[1;33m"
#define GREEN	"\033[32m"
#define CYAN	"\033[36m"
#define WARNING	4		/* the level; what is below is worse */

#define EACH(c)	(UINT64_MAX / 255 * (c))	/* in each byte */

/*
 * Put eight bytes, if they are printable ASCII that is never escaped: the top
 * bit of a byte tells one that is not, or that a lower byte is not.
 */
static inline int
put_eight(char *p, const uint8_t *s)
{
	uint64_t w;

	memcpy(&w, s, sizeof(w));
	memcpy(p, &w, sizeof(w));
	return ((w | (w + EACH(1)) | (w - EACH(0x20)) |
	    ((w ^ EACH('"')) - EACH(1)) | ((w ^ EACH('\\')) - EACH(1))) &
	    EACH(0x80)) == 0;
}

/* Put what is plain at the beginning of n bytes: so many. */
static inline size_t
put_plain(char *p, const uint8_t *s, size_t n)
{
	size_t i = 0;

	while (n - i >= 8 && put_eight(p + i, s + i))
		i += 8;
	for (; i < n && style.plain[s[i]]; i++)
		p[i] = (char)s[i];
	return i;
}

/* The rest of a string. */
static char *
string_end(char *p, const uint8_t *s, const uint8_t *end)
{
	size_t n, left;

	while ((left = (size_t)(end - s)) > 0) {
		p = out_room(p, ROOM);
		n = put_plain(p, s, left < CHUNK ? left : CHUNK);
		p += n;
		s += n;
		if (n < left && n < CHUNK)
			p = escape_char(p, &s, end, style.how);
	}
	return out_text(p, "\"");
}

char *
put_string(char *p, const uint8_t *s, size_t len)
{
	return string_end(out_text(p, "\""), s, s + len);
}

/* Mostly all of it is plain, and its end is found on the way. */
char *
put_zstring(char *p, struct ctf_cur *c)
{
	const size_t n = put_plain(p + 1, c->p, CHUNK);
	const uint8_t *s = c->p + n;

	*p = '"';
	p += n + 1;
	if (*s != '\0') {
		c->p = memchr(s, '\0', (size_t)(c->end - s));
		return string_end(p, s, c->p++);
	}
	c->p = s + 1;
	*p++ = '"';
	return p;
}

/* A name, as long as there is room for it before stop. */
static char *
name_text(char *p, const char *stop, const char *name)
{
	const uint8_t *s = (const uint8_t *)name, *end = s + strlen(name);

	while (s < end && p < stop)
		if (style.plain[*s])
			*p++ = (char)*s++;
		else
			p = escape_char(p, &s, end, style.how);
	return p;
}

char *
put_symbol(char *p, const struct symbol *sym)
{
	if (sym->plain)
		return out_put(p, sym->text, sym->len);
	p = out_room(p, SYMBOLS_MAX * ESCAPE_MAX);
	return name_text(p, out + OUTSIZE, sym->text);
}

char *
put_member(char *p, const char *name, const char *text)
{
	if (text == NULL)
		return p;
	p = out_text(out_room(p, ROOM), name);
	p = out_room(p, PLACE_MAX * ESCAPE_MAX + 1);
	p = name_text(p, out + OUTSIZE - 1, text);
	*p++ = '"';
	return p;
}

/* The members of JSON that say who it is, with the name of the thread. */
static size_t
who_json(const struct ctf_who *w, char *buf, size_t size)
{
	char *p = buf;

	if (w->has & 1 << ROLE_PROCNAME)
		p = stpcpy(name_text(stpcpy(p, "\"procname\":\""),
		    buf + size - 160, w->name), "\",");
	if (w->has & 1 << ROLE_VPID)
		p = stpcpy(ctf_put_i64(stpcpy(p, "\"vpid\":"), w->vpid), ",");
	if (w->has & 1 << ROLE_VTID)
		p = stpcpy(ctf_put_i64(stpcpy(p, "\"vtid\":"), w->vtid), ",");
	if (w->has & 1 << ROLE_THREAD && w->thread[0] != '\0')
		p = stpcpy(name_text(stpcpy(p, "\"thread\":\""),
		    buf + size - 16, w->thread), "\",");
	return (size_t)(p - buf);
}

/* procname[vpid:vtid], or what of it there is. */
static size_t
who_text(const struct ctf_who *w, char *buf, size_t size)
{
	const int pid = w->has & 1 << ROLE_VPID;
	const int tid = w->has & 1 << ROLE_VTID;
	char *p = buf;

	if ((w->has & (1 << ROLE_PROCNAME | 1 << ROLE_VPID |
	    1 << ROLE_VTID)) == 0)
		return 0;
	if (style.colour)
		p = stpcpy(p, GREEN);
	if (w->has & 1 << ROLE_PROCNAME)
		p = name_text(p, buf + size - 160, w->name);
	if (pid || tid) {
		*p++ = '[';
		if (pid)
			p = ctf_put_i64(p, w->vpid);
		if (tid)
			p = ctf_put_i64(stpcpy(p, ":"), w->vtid);
		*p++ = ']';
	}
	if (style.colour)
		p = stpcpy(p, PLAIN);
	return (size_t)(p - buf);
}

static size_t
who_prefix(const struct ctf_who *w, char *buf, size_t size)
{
	return style.json ? who_json(w, buf, size) : who_text(w, buf, size);
}

/* Mostly it is the same in all of a packet. */
char *
put_who(char *p, struct ctf_stream *s)
{
	struct ctf_who w;
	char buf[sizeof(s->prefix)];

	if (!s->class->eventwho) {
		if (s->prefixpkt != s->pkt + 1) {
			s->prefixlen = who_prefix(&s->who, s->prefix,
			    sizeof(s->prefix));
			s->prefixpkt = s->pkt + 1;
		}
		return out_short(p, s->prefix, s->prefixlen);
	}
	return out_put(p, buf, who_prefix(ctf_whose(s, &w), buf, sizeof(buf)));
}

/* A name that is no part of a longer text, or a dash if there is none. */
char *
put_name(char *p, const char *name)
{
	char buf[256 + ESCAPE_MAX];

	if (name == NULL || name[0] == '\0')
		return out_text(p, "-");
	return out_put(p, buf, (size_t)(name_text(buf, buf + 256, name) - buf));
}

/* s as strings print it, between before and after, as long as the trace. */
static const char *
escaped(struct ctf_trace *tr, const char *before, const char *s,
    const char *after, size_t *lenp)
{
	size_t b = strlen(before), n = b + escape(NULL, 0, s, style.how) +
	    strlen(after);
	char *new = ctf_alloc(tr, n + SHORT);

	memcpy(new, before, b);
	b += escape(new + b, n + 1 - b, s, style.how);
	strcpy(new + b, after);
	*lenp = n;
	return new;
}

/* JSON has larger numbers as text: put_int(). */
static enum how
field_how(const struct ctf_field *f)
{
	const struct ctf_type *t = f->type;

	if (f->slot != 0 || f->outer != 0 || f->address != ADDRESS_NONE)
		return HOW_SPECIAL;
	if (t->kind == CTF_STRING && !t->wide)
		return HOW_STRING;
	if (t->kind != CTF_INT || t->isbool ||
	    (style.json ? t->bits > 53 : t->base != 10))
		return HOW_ANY;
	return t->sign ? HOW_SIGNED : HOW_UNSIGNED;
}

static void
print_keys(struct ctf_trace *tr, struct ctf_type *t)
{
	struct ctf_field *f;
	size_t i;

	for (i = 0; i < t->nfields; i++) {
		f = &t->fields[i];
		f->key = escaped(tr, style.json ? ",\"" : style.colour ?
		    ", " CYAN : ", ", f->name, style.json ? "\":" :
		    style.colour ? PLAIN " = " : " = ", &f->keylen);
		f->how = field_how(f);
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
		if (style.json && t->ismap)
			l->text = escaped(tr, "\"", l->name, "\"", &n);
		else if (style.json)
			l->text = escaped(tr, ",\"label\":\"", l->name, "\"}",
			    &n);
		else if (l->name[strspn(l->name, "0123456789")] == '\0' ||
		    l->name[strspn(l->name, word)] != '\0')
			l->text = escaped(tr, "\"", l->name, "\"", &n);
		else
			l->text = l->name;
}

/* The event's name; in JSON its level and URI, of which text has a colour. */
static void
print_name(struct ctf_trace *tr, struct ctf_eclass *ev)
{
	const char *before = "\"event\":\"", *after = "";
	char level[64] = "\",";
	size_t n;

	if (style.json) {
		if (ev->haslevel)
			snprintf(level, 48, "\",\"level\":%lld,",
			    (long long)ev->level);
		after = level;
		if (ev->uri != NULL)
			after = escaped(tr, strcat(level, "\"emf_uri\":\""),
			    ev->uri, "\",", &n);
	} else if (style.colour) {
		before = !ev->haslevel || ev->level > WARNING ? BOLD :
		    ev->level == WARNING ? YELLOW : RED;
		after = PLAIN;
	} else
		before = "";
	ev->text = escaped(tr, before, ev->name, after, &ev->textlen);
}

static void
print_source(struct ctf_trace *tr)
{
	char uuid[2 * sizeof(tr->uuid) + 5], *u = uuid, *p;
	size_t i;

	for (i = 0; i < sizeof(tr->uuid); i++)
		u += snprintf(u, 4, "%s%02x", i == 4 || i == 6 || i == 8 ||
		    i == 10 ? "-" : "", tr->uuid[i]);
	p = put_member(out_hold(), ",\"boot_id\":\"", tr->boot_id);
	p = put_member(p, ",\"session\":\"", tr->session_name);
	p = put_member(p, ",\"trace\":\"", tr->hasuuid ? uuid : NULL);
	p = out_held(p, &tr->sourcelen);
	tr->source = ctf_strdup(tr, p, tr->sourcelen);
}

/* Makes ready all of the trace's own text that may be printed. */
void
text_trace(struct ctf_trace *tr)
{
	struct ctf_eclass *ev;
	struct ctf_type *t;

	for (t = tr->types; t != NULL; t = t->next)
		if (t->kind == CTF_STRUCT || t->kind == CTF_VARIANT)
			print_keys(tr, t);
		else if (t->kind == CTF_ENUM)
			print_labels(tr, t);
	for (ev = tr->events; ev != NULL; ev = ev->next)
		print_name(tr, ev);
	if (style.json)
		print_source(tr);
}

char *
put_took(char *p, int64_t ns)
{
	if (style.colour)
		p = stpcpy(p, YELLOW);
	p = stpcpy(put_us(p, ns), " us");
	return style.colour ? stpcpy(p, PLAIN) : p;
}
