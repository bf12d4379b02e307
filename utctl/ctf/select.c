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
 * Which events of a trace are wanted: see select.h.  What depends on the class
 * of the event is decided once for each class, and what depends on the program
 * and the thread once for each packet, if all of it is of one thread.
 */

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"
#include "common/event_name.h"
#include "ctf_field.h"
#include "select.h"

#define WHYS	16	/* reasons that are looked into */

static void
patterns_init(struct patterns *ps, int n)
{
	if ((ps->v = calloc((size_t)n, sizeof(*ps->v))) == NULL)
		die_errno("malloc");
}

void
select_init(struct select *sel, int n)
{
	memset(sel, 0, sizeof(*sel));
	patterns_init(&sel->events, n);
	patterns_init(&sel->except, n);
	patterns_init(&sel->programs, n);
	patterns_init(&sel->threads, n);
	sel->from = INT64_MIN;
	sel->to = INT64_MAX;
}

void
select_free(struct select *sel)
{
	free(sel->events.v);
	free(sel->except.v);
	free(sel->programs.v);
	free(sel->threads.v);
	expr_free(sel->filter);
}

static void
add_glob(struct patterns *ps, const char *s)
{
	if (*s == '\0')
		die("a pattern is empty");
	ps->v[ps->n++].glob = s;
}

/* All digits: an ID. */
static void
add_id(struct patterns *ps, const char *what, const char *s)
{
	struct pattern *p = &ps->v[ps->n];
	char *end;

	add_glob(ps, s);
	if (s[strspn(s, "0123456789")] != '\0')
		return;
	p->glob = NULL;
	errno = 0;
	p->id = strtoll(s, &end, 10);
	if (errno != 0)
		die("%s '%s': too large", what, s);
}

static void
set_filter(struct select *sel, const char *s)
{
	char why[256];

	if (sel->filter != NULL)
		die("-f is given twice: && or || join filters");
	sel->text = s;
	if ((sel->filter = expr_parse_any(s, why, sizeof(why))) == NULL)
		die("filter '%s': %s", s, why);
}

static void
set_level(struct select *sel, int ch, const char *s)
{
	if (sel->levels != 0)
		die("-l and -L: one level can be given");
	sel->levels = ch;
	sel->level = parse_level(s);
}

static void
set_count(struct select *sel, const char *s)
{
	char *end;

	errno = 0;
	sel->count = strtoll(s, &end, 10);
	if (!isdigit((unsigned char)s[*s == '-']) || *end != '\0' ||
	    errno != 0)
		die("count '%s': not a number of events, perhaps behind a -",
		    s);
	sel->count_given = 1;
}

int
select_option(struct select *sel, int ch)
{
	switch (ch) {
	case 'b':
		when_parse(&sel->since, optarg);
		return 1;
	case 'u':
		when_parse(&sel->until, optarg);
		return 1;
	case 'e':
		add_glob(&sel->events, optarg);
		return 1;
	case 'x':
		add_glob(&sel->except, optarg);
		return 1;
	case 'p':
		add_id(&sel->programs, "process", optarg);
		return 1;
	case 't':
		add_id(&sel->threads, "thread", optarg);
		return 1;
	case 'f':
		set_filter(sel, optarg);
		return 1;
	case 'l':
	case 'L':
		set_level(sel, ch, optarg);
		return 1;
	case 'n':
		set_count(sel, optarg);
		return 1;
	default:
		return 0;
	}
}

static int
select_always(const struct select *sel)
{
	return sel->since.kind == WHEN_NONE && sel->until.kind == WHEN_NONE;
}

int
select_each(const struct select *sel)
{
	return sel->events.n == 0 && sel->except.n == 0 &&
	    sel->programs.n == 0 && sel->threads.n == 0 &&
	    sel->levels == 0 && sel->filter == NULL && select_always(sel);
}

int
select_all(const struct select *sel)
{
	return select_each(sel) && !sel->count_given;
}

int
select_within(const struct select *sel)
{
	return sel->threads.n > 0 || sel->filter != NULL;
}

/* Does any match? */
static int
match_name(struct patterns *ps, const char *name)
{
	struct pattern *p;
	int any = 0;

	for (p = ps->v; p < ps->v + ps->n; p++)
		if (fnmatch(p->glob, name, 0) == 0)
			any = p->used = 1;
	return any;
}

/* Does what is known of a program or a thread match any pattern? */
static int
match_id(struct patterns *ps, int has, int idrole, int64_t id, int namerole,
    const char *name)
{
	struct pattern *p;
	int any = 0;

	for (p = ps->v; p < ps->v + ps->n; p++)
		if (p->glob == NULL ? (has & 1 << idrole) && p->id == id :
		    (has & 1 << namerole) && fnmatch(p->glob, name, 0) == 0)
			any = p->used = 1;
	return any || ps->n == 0;
}

static int
wants_who(struct select *sel, const struct ctf_who *who)
{
	return match_id(&sel->programs, who->has, ROLE_VPID, who->vpid,
	    ROLE_PROCNAME, who->name) &&
	    match_id(&sel->threads, who->has, ROLE_VTID, who->vtid,
	    ROLE_THREAD, who->thread);
}

static int
wants_class(struct select *sel, const struct ctf_eclass *ev)
{
	int named = sel->events.n == 0 || match_name(&sel->events, ev->name);

	if (match_name(&sel->except, ev->name) || !named)
		return 0;
	if (sel->levels == 0)
		return 1;
	if (!ev->haslevel || (sel->levels == 'l' ?
	    ev->level > (int64_t)sel->level :
	    ev->level != (int64_t)sel->level))
		return 0;
	return sel->level_used = 1;
}

/*
 * Does the reason hold for all?  A field that one event lacks another may have.
 */
static int
holds(struct select *sel, const struct ctf_trace *tr, const char *field)
{
	const struct ctf_eclass *ev;
	const struct ctf_sclass *sc;
	struct ctf_field_at at;

	if (field == NULL)
		return 1;
	for (ev = tr->events; ev != NULL; ev = ev->next) {
		sc = ctf_sclass(tr, ev->stream);
		if (sc != NULL && wants_class(sel, ev) &&
		    ctf_field_find(&at, sc, ev, field))
			return 0;
	}
	return 1;
}

static void
note_why(struct select *sel, const struct ctf_trace *tr,
    const struct ctf_eclass *ev, const struct expr_why *why)
{
	struct ctf_field_at at;

	if (sel->why_holds || sel->whys++ >= WHYS)
		return;
	sel->why_holds = holds(sel, tr, why->lacks);
	sel->why_address = why->number != NULL && ctf_field_find(&at,
	    ctf_sclass(tr, ev->stream), ev, why->number) &&
	    at.type->kind == CTF_INT && at.type->base == 16;
	sel->why = *why;
}

/* Roles that events tell, and those that ctf_whose() makes of them. */
static int
roles_of(const struct ctf_trace *tr)
{
	const struct ctf_sclass *sc;
	int has = tr->who.has | 1 << ROLE_NONE;

	for (sc = tr->sclasses; sc != NULL; sc = sc->next)
		has |= sc->who | (!sc->bycpu ? 0 : 1 << ROLE_VTID |
		    1 << ROLE_PROCNAME);
	if ((tr->lttng || tr->kernel) && has & 1 << ROLE_PROCNAME)
		has |= 1 << ROLE_THREAD;
	return has;
}

void
select_trace(struct select *sel, struct ctf_trace *tr)
{
	struct ctf_eclass *ev;
	struct expr_why why;

	sel->roles |= roles_of(tr);
	for (ev = tr->events; ev != NULL; ev = ev->next) {
		ev->unwanted = !wants_class(sel, ev);
		ev->unfit = 0;
		if (ev->unwanted || sel->filter == NULL)
			continue;
		ev->filter = ctf_filter(tr, ctf_sclass(tr, ev->stream), ev,
		    sel->filter, &why);
		if (ev->filter != NULL) {
			sel->passes = 1;
			continue;
		}
		ev->unwanted = ev->unfit = 1;
		note_why(sel, tr, ev, &why);
	}
}

static int
wants_thread(struct select *sel, struct ctf_stream *s)
{
	struct ctf_who who;

	if (sel->programs.n == 0 && sel->threads.n == 0)
		return 1;
	if (s->class->eventwho)
		return wants_who(sel, ctf_whose(s, &who));
	if (!s->whoknown || s->whopkt != s->pkt) {
		s->whofits = wants_who(sel, &s->who);
		s->whoknown = 1;
		s->whopkt = s->pkt;
	}
	return s->whofits;
}

static int
wants_time(struct select *sel, struct ctf_stream *s)
{
	if (s->ns < sel->from || s->ns > sel->to)
		return 0;
	sel->intime = 1;
	if (!wants_thread(sel, s))
		return 0;
	return sel->ofthem = 1;
}

/* After ctf_read(). */
int
select_event(struct select *sel, struct ctf_stream *s)
{
	const struct ctf_eclass *ev = s->event;

	return !ev->unwanted && wants_time(sel, s) &&
	    (ev->filter == NULL || ctf_passes(ev->filter, s));
}

int
select_refuses(struct select *sel, struct ctf_stream *s)
{
	const struct ctf_eclass *ev = s->event;

	return (ev->unfit || ev->filter != NULL) && wants_time(sel, s);
}

/*
 * A loss may have been of anything: what a thread lost behind its last packet
 * is told in the next packet of the file, which may be another's.
 */
int
select_loss(const struct select *sel, const struct ctf_stream *s)
{
	return ctf_lost_until(s) >= sel->from && s->ns <= sel->to;
}

/* Names and IDs are of these roles, of which the trace may tell none. */
static void
say_unused(const struct select *sel, const struct patterns *ps, char option,
    const char *what, int idrole, int namerole)
{
	const struct pattern *p;

	for (p = ps->v; p < ps->v + ps->n; p++)
		if (p->used)
			continue;
		else if (!(sel->roles & 1 << (p->glob == NULL ? idrole :
		    namerole)))
			say("-%c: the trace does not tell the %s of %s", option,
			    p->glob == NULL ? "IDs" : "names", option == 'p' ?
			    "programs" : "threads");
		else if (p->glob != NULL)
			say("-%c '%s': no %s name", option, p->glob, what);
		else
			say("-%c %lld: no %s ID", option, (long long)p->id,
			    what);
}

/* No event can pass the filter. */
static void
say_why(const struct select *sel)
{
	if (!sel->why_holds)
		say("filter '%s': no event has all of its fields", sel->text);
	else if (sel->why.lacks != NULL)
		say("filter '%s': %s in any event", sel->text, sel->why.text);
	else
		say("filter '%s': in all events, %s%s", sel->text,
		    sel->why.text, !sel->why_address ? "" :
		    ": give the address, which view -N prints");
}

void
select_say(const struct select *sel, unsigned long long selected)
{
	say_unused(sel, &sel->events, 'e', "event of the trace has such a",
	    ROLE_NONE, ROLE_NONE);
	say_unused(sel, &sel->except, 'x', "event of the trace has such a",
	    ROLE_NONE, ROLE_NONE);
	if (sel->levels != 0 && !sel->level_used)
		say("-%c %s: no event of the trace has this level%s",
		    sel->levels, level_names[sel->level], sel->levels == 'l' ?
		    " or a more severe one" : "");
	if (sel->count_given && sel->count >= 0 &&
	    selected >= (unsigned long long)sel->count)
		return;				/* not all of it was read */
	say_unused(sel, &sel->programs, 'p', "selected event is of a program "
	    "of that", ROLE_VPID, ROLE_PROCNAME);
	say_unused(sel, &sel->threads, 't', "selected event is of a thread of "
	    "that", ROLE_VTID, ROLE_THREAD);
	if (sel->filter != NULL && !sel->passes && sel->whys > 0)
		say_why(sel);
	else if (selected == 0 && sel->filter != NULL && sel->ofthem)
		say("filter '%s': no selected event passes it", sel->text);
	if (selected == 0 && !sel->intime && !select_always(sel))
		say("-b or -u: no selected event is of that time");
}
