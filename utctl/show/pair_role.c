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
 * Which events begin and end which pairs: by their names, or by -D.
 */

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "pair_role.h"

/*
 * How names of events begin, and what the pair's begins with instead; or how
 * they end, and the rest is the pair's.
 */
static const struct rule {
	const char	*begin, *end;
	const char	*name;
	enum { PLAIN, CALL, BLIND, SYSCALL } how;
} rules[] = {
	{ "lttng_ust_cyg_profile:func_entry",
	    "lttng_ust_cyg_profile:func_exit", "func", CALL },
	{ "lttng_ust_cyg_profile_fast:func_entry",
	    "lttng_ust_cyg_profile_fast:func_exit", "func", BLIND },
	{ "syscall_entry_", "syscall_exit_", "syscall_", SYSCALL },
	{ "compat_syscall_entry_", "compat_syscall_exit_", "compat_syscall_",
	    SYSCALL },
	/* DTrace's names come before those that are their ends. */
	{ "__begin", "__end", NULL, PLAIN },
	{ "__start", "__done", NULL, PLAIN },
	{ "__start", "__end", NULL, PLAIN },
	{ "__entry", "__exit", NULL, PLAIN },
	{ "__entry", "__return", NULL, PLAIN },
	{ "_begin", "_end", NULL, PLAIN },
	{ "_entry", "_exit", NULL, PLAIN },
	{ ":entry", ":exit", NULL, CALL },
	{ ":begin", ":end", NULL, CALL },
	/* The last ones are of locks, whoever waits. */
	{ "pthread:mutex_request", "pthread:mutex_acquired",
	    "mutex", PLAIN },
	{ "pthread:mutex_request", "pthread:mutex_failed",
	    "mutex", PLAIN },
	{ "pthread:rdlock_request", "pthread:rdlock_acquired",
	    "rdlock", PLAIN },
	{ "pthread:rdlock_request", "pthread:rdlock_failed",
	    "rdlock", PLAIN },
	{ "pthread:wrlock_request", "pthread:wrlock_acquired",
	    "wrlock", PLAIN },
	{ "pthread:wrlock_request", "pthread:wrlock_failed",
	    "wrlock", PLAIN }
};

#define NRULES		(sizeof(rules) / sizeof(rules[0]))
#define NWAITS		6
#define WHOLE		"func:call"	/* with record -M */
#define EXIT_SYSCALL	"exit_syscall"	/* before LTTng 2.6 */

static struct pair *
pair_new(struct pair **list, char *name)
{
	struct pair *p = xcalloc(1, sizeof(*p));

	p->name = name;
	p->next = *list;
	*list = p;
	return p;
}

void
pairs_add(struct pairs *ps, const char *spec)
{
	char *copy = format("%s", spec), *end, *key = NULL;
	struct pair *p;

	if ((end = strchr(copy, ',')) != NULL) {
		*end++ = '\0';
		if ((key = strchr(end, ',')) != NULL)
			*key++ = '\0';
	}
	if (end == NULL || *copy == '\0' || *end == '\0' ||
	    (key != NULL && (*key == '\0' || strchr(key, ',') != NULL)))
		die("pair '%s': not an event, an event, and perhaps a field, "
		    "with commas between", spec);
	if (strcmp(copy, end) == 0)
		die("pair '%s': an event cannot be its own end", spec);
	p = pair_new(&ps->given, format("%s", spec));
	p->begin = format("%s", copy);
	p->end = format("%s", end);
	p->key = key == NULL ? NULL : format("%s", key);
	free(copy);
}

/* The pair of the name up to there; that of :entry is the provider alone. */
static struct pair *
pair_named(struct pairs *ps, const char *name, size_t n)
{
	const uint64_t key = map_bytes(0, name, n);
	struct pair *p, *first = map_get(&ps->names, key);

	for (p = first; p != NULL; p = p->same)
		if (strlen(p->name) == n && memcmp(p->name, name, n) == 0)
			return p;
	p = pair_new(&ps->found, format("%.*s", (int)n, name));
	p->same = first;
	map_put(&ps->names, key, p);
	return p;
}

static void
events_note(struct map *m, struct ctf_trace *tr)
{
	struct ctf_eclass *ev;

	for (ev = tr->events; ev != NULL; ev = ev->next)
		map_put(m, map_bytes(0, ev->name, strlen(ev->name)), ev);
}

static struct pair_role *
role_new(struct ctf_trace *tr, struct ctf_eclass *ev, struct pair *p, int ends)
{
	struct pair_role *r = ctf_alloc(tr, sizeof(*r)), **rp;

	memset(r, 0, sizeof(*r));
	r->pair = p;
	r->name = p->name;
	r->ends = ends;
	/* An event ends one pair before it begins the next. */
	for (rp = &ev->pairs; *rp != NULL && (!ends || (*rp)->ends);)
		rp = &(*rp)->next;
	r->next = *rp;
	*rp = r;
	return r;
}

static int
events_have(const struct map *events, const char *name)
{
	return map_get(events, map_bytes(0, name, strlen(name))) != NULL;
}

/* Does the name follow the rule?  The names of the other event and the pair. */
static int
rule_fits(const struct rule *rule, int ends, const char *name, char **other,
    char **pair)
{
	const char *mine = ends ? rule->end : rule->begin;
	const char *its = ends ? rule->begin : rule->end;
	const size_t n = strlen(name), k = strlen(mine);

	if (n < k + (rule->name == NULL) || memcmp(mine, rule->name == NULL ?
	    name + n - k : name, k) != 0)
		return 0;
	if (rule->name != NULL) {
		*other = format("%s%s", its, name + k);
		*pair = format("%s%s", rule->name, name + k);
	} else {
		*other = format("%.*s%s", (int)(n - k), name, its);
		*pair = format("%.*s", (int)(n - k), name);
	}
	return 1;
}

/* Is the pair there already, by -D, and wanted once? */
static int
is_given(const struct pairs *ps, const char *begin, const char *end)
{
	const struct pair *p = ps->once ? ps->given : NULL;

	while (p != NULL && (strcmp(p->begin, begin) != 0 ||
	    strcmp(p->end, end) != 0))
		p = p->next;
	return p != NULL;
}

static int
role_by_rule(struct pairs *ps, struct ctf_trace *tr, struct ctf_eclass *ev,
    const struct map *events, const struct rule *rule, int ends)
{
	const struct ctf_sclass *sc = ctf_sclass(tr, ev->stream);
	struct pair_role *r;
	char *other, *pair;
	int any;

	if ((rule->how == SYSCALL && !tr->kernel) ||
	    !rule_fits(rule, ends, ev->name, &other, &pair))
		return 0;
	any = events_have(events, other);
	if (any && !is_given(ps, ends ? other : ev->name,
	    ends ? ev->name : other)) {
		r = role_new(tr, ev, pair_named(ps, pair, strlen(pair)), ends);
		if ((rule->how == CALL || (rule->how == BLIND && !ends)) &&
		    sc != NULL)
			(void)ctf_field_find(&r->at, sc, ev, "addr");
		r->blind = rule->how == BLIND;
		r->stays = tr->kernel && rule->how != SYSCALL;
	}
	free(other);
	free(pair);
	return any;
}

/* One event ends them all: they are one pair, begun by several names. */
static void
role_syscall(struct pairs *ps, struct ctf_trace *tr, struct ctf_eclass *ev,
    const struct map *events)
{
	const int ends = strcmp(ev->name, EXIT_SYSCALL) == 0;
	struct pair_role *r;

	if (!tr->kernel || (!ends && strncmp(ev->name, "sys_", 4) != 0 &&
	    strncmp(ev->name, "compat_sys_", 11) != 0) ||
	    !events_have(events, EXIT_SYSCALL))
		return;
	r = role_new(tr, ev, pair_named(ps, EXIT_SYSCALL,
	    strlen(EXIT_SYSCALL)), ends);
	r->name = ev->name;
}

/* An event that tells how long a call took, at its end. */
static int
role_whole(struct pairs *ps, struct ctf_trace *tr, struct ctf_eclass *ev)
{
	const struct ctf_sclass *sc = ctf_sclass(tr, ev->stream);
	struct pair_role *r;

	if (strcmp(ev->name, WHOLE) != 0 || sc == NULL)
		return 0;
	r = role_new(tr, ev, pair_named(ps, WHOLE, strcspn(WHOLE, ":")), 1);
	(void)ctf_field_find(&r->at, sc, ev, "addr");
	(void)ctf_field_find(&r->self, sc, ev, "self");
	(void)ctf_field_find(&r->nested, sc, ev, "nested");
	(void)ctf_field_find(&r->took, sc, ev, "took");
	return 1;
}

/* Give the event its role by its name, if the trace has the other event. */
static void
role_by_name(struct pairs *ps, struct ctf_trace *tr, struct ctf_eclass *ev,
    const struct map *events)
{
	size_t i;

	if (role_whole(ps, tr, ev))
		return;
	for (i = 0; i < 2 * (ps->waits ? NRULES : NRULES - NWAITS); i++)
		if (role_by_rule(ps, tr, ev, events, &rules[i / 2], i % 2))
			return;
	role_syscall(ps, tr, ev, events);
}

static int
is_read(const struct pairs *ps, const struct ctf_eclass *ev)
{
	return !ev->unwanted || (ps->ignore_filter_at_end && ev->unfit);
}

/* Which pairs have an event that ends them and is selected? */
static void
ends_note(const struct pairs *ps, const struct ctf_trace *tr)
{
	const struct ctf_eclass *ev;
	struct pair_role *r;

	for (ev = tr->events; ev != NULL; ev = ev->next)
		for (r = ev->pairs; r != NULL; r = r->next)
			r->pair->ends = 0;
	for (ev = tr->events; ev != NULL; ev = ev->next)
		if (is_read(ps, ev))
			for (r = ev->pairs; r != NULL; r = r->next)
				r->pair->ends |= r->ends;
}

/* Beginnings of threads whose ends cannot come do not count as such. */
static void
drop_endless(const struct pairs *ps, struct ctf_trace *tr)
{
	struct ctf_eclass *ev;
	struct pair_role **rp;

	ends_note(ps, tr);
	for (ev = tr->events; ev != NULL; ev = ev->next)
		for (rp = &ev->pairs; *rp != NULL;)
			if (!(*rp)->ends && (*rp)->pair->key == NULL &&
			    !(*rp)->pair->ends)
				*rp = (*rp)->next;
			else
				rp = &(*rp)->next;
}

void
pairs_trace(struct pairs *ps, struct ctf_trace *tr)
{
	const struct ctf_sclass *sc;
	struct ctf_eclass *ev;
	struct pair_role *r;
	struct map events = { NULL, 0, 0 };
	struct pair *p;
	int ends;

	if (ps->named)
		events_note(&events, tr);
	for (ev = tr->events; ev != NULL; ev = ev->next) {
		sc = ctf_sclass(tr, ev->stream);
		if (ps->named)
			role_by_name(ps, tr, ev, &events);
		for (p = ps->given; p != NULL; p = p->next) {
			ends = strcmp(p->end, ev->name) == 0;
			if (!ends && strcmp(p->begin, ev->name) != 0)
				continue;
			r = role_new(tr, ev, p, ends);
			p->found[ends] = 1;
			if (p->key != NULL && sc != NULL)
				(void)ctf_field_find(&r->at, sc, ev, p->key);
			p->keyed[ends] |= r->at.type != NULL;
			p->comes[ends] |= r->at.type != NULL &&
			    is_read(ps, ev);
		}
	}
	map_free(&events);
	if (ps->need_end)
		drop_endless(ps, tr);
}

int
pair_role_counts(const struct pairs *ps, const struct pair_role *r)
{
	return r->pair->key == NULL || (r->at.type != NULL &&
	    (!ps->need_end || (r->pair->comes[0] && r->pair->comes[1])));
}

/*
 * The four fates of pairs: they end, can no longer end, or are open yet; or it
 * is not known, as events were lost.
 */

/* Neither event is refused, and the filter is true for one of them. */
int
pair_fits(enum pair_fit begin, enum pair_fit end)
{
	return begin != PAIR_REFUSED && end != PAIR_REFUSED &&
	    (begin == PAIR_FITS || end == PAIR_FITS);
}

/* Is the pair left out, as its end may be missing? */
static int
leave_out(struct pairs *ps, const struct origin *o, int64_t begin)
{
	if (!origin_unsure(o, begin))
		return 0;
	ps->lost++;
	ps->losses |= o->losses;
	return 1;
}

int
pair_over(struct pairs *ps, const struct origin *o,
    const struct ctf_stream *s, const struct pair_end *e)
{
	if (leave_out(ps, o, e->begin))
		return 0;
	ps->ops->end(ps->arg, s, e);
	return 1;
}

/* Count an end without a beginning, which any loss before it may have. */
void
pair_unbegun(struct pairs *ps, const struct origin *o, enum pair_fit fit)
{
	if (fit == PAIR_FITS && !leave_out(ps, o, INT64_MIN))
		ps->unbegun++;
}

/* Count a pair without an end; not if the end may be lost. */
static int
pair_unended(struct pairs *ps, const struct origin *o, int64_t begin,
    enum pair_fit fit)
{
	if (fit != PAIR_FITS || leave_out(ps, o, begin))
		return 0;
	ps->unended++;
	return 1;
}

void
pair_left(struct pairs *ps, const struct origin *o, int64_t begin,
    enum pair_fit fit, void *what)
{
	if (pair_unended(ps, o, begin, fit) && ps->ops->left != NULL)
		ps->ops->left(ps->arg, what);
}

int
pair_open(struct pairs *ps, const struct origin *o, enum pair_fit fit,
    const struct pair_end *e)
{
	if (!pair_unended(ps, o, e->begin, fit))
		return 0;
	if (ps->ops->open != NULL)
		ps->ops->open(ps->arg, e);
	return 1;
}

void
pair_total(struct pairs *ps, void *what, int64_t ended, int64_t open)
{
	if (what != NULL && (ended != 0 || open != 0) &&
	    ps->ops->total != NULL)
		ps->ops->total(ps->arg, what, ended, open);
}
