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
 * The columns of a line: -o names them.
 */

#include <stdlib.h>
#include <string.h>

#include "../ctf/ctf_field.h"
#include "../utctl.h"
#include "common/event_name.h"
#include "print.h"

#define NS	UINT64_C(1000000000)

#define MOST		32		/* columns of a line */
#define INDENT		2		/* characters a level */

static char	*put_event(char *, struct ctf_stream *);

static int64_t	 from = INT64_MIN;	/* the first event was */
static int64_t	 before = INT64_MIN;	/* the last line was printed */
static size_t	 levels;		/* this event's */
static int	 stack;			/* is a stack below each line? */

static char *
put_local(char *p, struct ctf_stream *s)
{
	return put_time(p, s->ns);
}

static char *
put_universal(char *p, struct ctf_stream *s)
{
	return put_utc(p, s->ns);
}

static char *
put_epoch(char *p, struct ctf_stream *s)
{
	return put_seconds(p, s->ns);
}

/* Damaged traces may have any times. */
static char *
put_since(char *p, int64_t ns, int64_t then)
{
	const uint64_t n = ns >= then ? (uint64_t)ns - (uint64_t)then :
	    (uint64_t)then - (uint64_t)ns;

	*p++ = ns >= then ? '+' : '-';
	p = ctf_put_u64(p, n / NS);
	*p++ = '.';
	return ctf_put_digits(p, n % NS, 9);
}

static char *
put_delta(char *p, struct ctf_stream *s)
{
	return put_since(p, s->ns, before == INT64_MIN ? s->ns : before);
}

static char *
put_relative(char *p, struct ctf_stream *s)
{
	if (from == INT64_MIN)
		from = s->ns;
	return put_since(p, s->ns, from);
}

static char *
put_level(char *p, struct ctf_stream *s)
{
	const struct ctf_eclass *ev = s->event;
	const char *name = ev->haslevel && ev->level >= 0 ?
	    level_name((uint64_t)ev->level) : NULL;

	if (name == NULL && ev->haslevel)
		return ctf_put_i64(p, ev->level);
	return put_name(p, name);
}

static char *
put_host(char *p, struct ctf_stream *s)
{
	return put_name(p, s->trace->host);
}

static char *
put_program(char *p, struct ctf_stream *s)
{
	struct ctf_who buf;
	const struct ctf_who *w = ctf_whose(s, &buf);

	return put_name(p, w->has & 1 << ROLE_PROCNAME ? w->name : NULL);
}

static char *
put_id(char *p, struct ctf_stream *s, enum ctf_role role)
{
	struct ctf_who buf;
	const struct ctf_who *w = ctf_whose(s, &buf);

	if ((w->has & 1 << role) == 0)
		return put_name(p, NULL);
	return ctf_put_i64(p, role == ROLE_VPID ? w->vpid : w->vtid);
}

static char *
put_pid(char *p, struct ctf_stream *s)
{
	return put_id(p, s, ROLE_VPID);
}

static char *
put_tid(char *p, struct ctf_stream *s)
{
	return put_id(p, s, ROLE_VTID);
}

static char *
put_thread(char *p, struct ctf_stream *s)
{
	struct ctf_who buf;
	const struct ctf_who *w = ctf_whose(s, &buf);

	return put_name(p, w->has & 1 << ROLE_THREAD ? w->thread : NULL);
}

static char *
put_cpu(char *p, struct ctf_stream *s)
{
	uint64_t cpu = s->who.cpu;

	if (s->event->cpu == NULL ? (s->who.has & 1 << ROLE_CPU) == 0 :
	    !ctf_field_bits(s->event->cpu, s, &cpu))
		return put_name(p, NULL);
	return ctf_put_i64(p, (int64_t)cpu);
}

static char *
put_body(char *p, struct ctf_stream *s)
{
	return put_fields(p, s);
}

static const struct column {
	const char	*name;
	char		*(*put)(char *, struct ctf_stream *);
} all[] = {
	{ "time",	put_local },
	{ "utc",	put_universal },
	{ "epoch",	put_epoch },
	{ "delta",	put_delta },
	{ "relative",	put_relative },
	{ "level",	put_level },
	{ "host",	put_host },
	{ "who",	put_who },
	{ "program",	put_program },
	{ "pid",	put_pid },
	{ "tid",	put_tid },
	{ "thread",	put_thread },
	{ "cpu",	put_cpu },
	{ "event",	put_event },
	{ "fields",	put_body },
	{ "stack",	NULL }		/* lines of their own, below */
};

#define NALL	(sizeof(all) / sizeof(all[0]))

static char	*(*columns[MOST + 1])(char *, struct ctf_stream *);

static char *
put_event(char *p, struct ctf_stream *s)
{
	const size_t n = levels * INDENT;

	if (n > 0)
		p = memset(p, ' ', n);
	return out_short(p + n, s->event->text, s->event->textlen);
}

const char *
column_name(size_t i)
{
	return i < NALL ? all[i].name : NULL;
}

static const struct column *
column(const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < NALL; i++)
		if (strlen(all[i].name) == n &&
		    memcmp(all[i].name, name, n) == 0)
			return &all[i];
	die("-o: column '%.*s': none of %s", (int)n, name,
	    names_text(column_name));
}

/* With stack alone, lines have what they have else. */
void
columns_set(const char *list)
{
	const struct column *c;
	size_t i = 0, n;

	from = before = INT64_MIN;
	stack = 0;
	for (; list != NULL && i < MOST; list = list[n] == '\0' ? NULL :
	    list + n + 1) {
		n = strcspn(list, ",");
		c = column(list, n);
		if (c->put == NULL)
			stack = 1;
		else
			columns[i++] = c->put;
	}
	if (list != NULL)
		die("-o: more than %d columns", MOST);
	columns[i] = NULL;
	if (i == 0) {
		columns_set(COLUMNS_DEFAULT);
		stack = 1;
	}
}

int
columns_have(const char *name)
{
	const struct column *c = column(name, strlen(name));
	size_t i;

	for (i = 0; columns[i] != NULL; i++)
		if (columns[i] == c->put)
			return 1;
	return c->put == NULL && stack;
}

void
columns_from(int64_t ns)
{
	from = ns;
}

/* libut names the context cpu, others cpu_id. */
void
columns_trace(struct ctf_trace *tr)
{
	const struct ctf_sclass *sc;
	struct ctf_field_at at, *new;
	struct ctf_eclass *ev;

	if (!columns_have("cpu"))
		return;
	for (ev = tr->events; ev != NULL; ev = ev->next) {
		sc = ctf_sclass(tr, ev->stream);
		if (sc == NULL || (!ctf_field_find(&at, sc, ev, "$cpu") &&
		    !ctf_field_find(&at, sc, ev, "$cpu_id")))
			continue;
		new = ctf_alloc(tr, sizeof(*new));
		*new = at;
		ev->cpu = new;
	}
}

char *
columns_event(char *p, struct ctf_stream *s, size_t depth)
{
	char *(*const *put)(char *, struct ctf_stream *) = columns;
	char *q;

	levels = depth;
	p = (*put++)(p, s);
	for (; *put != NULL; put++) {
		p = out_room(p, ROOM);
		*p++ = ' ';
		q = (*put)(p, s);
		/*
		 * The program is not known: no column, no blank.  Fields may
		 * come round the buffer to the place where they began.
		 */
		p = q == p && *put == put_who ? p - 1 : q;
	}
	before = s->ns;
	return p;
}
