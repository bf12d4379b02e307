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
 * Groups of events: see stat.h.  What is kept grows with the number of groups,
 * not with that of events.
 */

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../sym/image.h"
#include "../sym/process.h"
#include "../sym/symbols.h"
#include "group.h"

#define TAIL	24		/* bytes of dots, an address and a NUL */
#define IDS	48		/* bytes of those of a process and a thread */
#define BAR	40		/* columns */
#define LAST	ldexp(1, DBL_MAX_EXP - 1)	/* power of two */
#define US	1e3		/* ns */
#define KEY	((GROUP_BY + 1) * (GROUP_PART + 1))

/* The places of the fields in events of a class. */
struct places {
	const struct ctf_eclass	*event;
	struct group		*row;		/* if the class tells it */
	struct ctf_field_at	 by[GROUP_BY + 1];
};

static struct group **
row_place(const struct groups *g, const char *key, size_t len, uint64_t h)
{
	size_t i = h & (g->cap - 1);

	while (g->rows[i] != NULL && (g->rows[i]->hash != h ||
	    g->rows[i]->len != len || memcmp(g->rows[i]->key, key, len) != 0))
		i = (i + 1) & (g->cap - 1);
	return &g->rows[i];
}

static void
rows_grow(struct groups *g)
{
	struct group **old = g->rows;
	const size_t n = g->cap;
	size_t i;

	g->cap = n == 0 ? 256 : 2 * n;
	g->rows = xcalloc(g->cap, sizeof(*g->rows));
	for (i = 0; i < n; i++)
		if (old[i] != NULL)
			*row_place(g, old[i]->key, old[i]->len,
			    old[i]->hash) = old[i];
	free(old);
}

static inline struct group *
row_get(struct groups *g, const char *key, size_t len)
{
	const uint64_t h = map_bytes(0, key, len);
	struct group **p, *row;

	if (2 * g->nrows >= g->cap)
		rows_grow(g);
	if (*(p = row_place(g, key, len, h)) != NULL)
		return *p;
	row = xcalloc(1, sizeof(*row));
	row->key = xcalloc(1, len + 1);
	memcpy(row->key, key, len);
	row->len = len;
	row->hash = h;
	*p = row;
	g->nrows++;
	return row;
}

struct group *
groups_row(struct groups *g, const char *key, size_t len)
{
	return row_get(g, key, len);
}

/* The fields of an event of that class; found once. */
static struct places *
places_of(struct groups *g, const struct ctf_stream *s)
{
	const uint64_t key = (uintptr_t)s->event;
	struct places *p;
	size_t i;

	if ((p = map_get(&g->places, key)) != NULL)
		return p;
	p = xcalloc(1, sizeof(*p));
	p->event = s->event;
	map_put(&g->places, key, p);
	for (i = 0; i <= g->nby; i++)
		if (g->by[i] == BY_CALLER)
			(void)ctf_field_find(&p->by[i], s->class, s->event,
			    "call_site");
		else if (g->by[i] == BY_FIELD && g->names[i] != NULL)
			g->found[i] |= ctf_field_find(&p->by[i], s->class,
			    s->event, g->names[i]) ||
			    ctf_field_is_cpu(g->names[i], s->class);
	return p;
}

static size_t
put_name(char *key, const char *name)
{
	const size_t n = strlen(name);

	if (n <= GROUP_PART) {
		memcpy(key, name, n);
		return n;
	}
	cut_text(key, GROUP_PART + 1, name);
	return strlen(key);
}

static size_t
put_thread(char *key, const struct ctf_stream *s, const struct ctf_who *who)
{
	char *name = host_name(s->trace->label, who->name);
	char *p = key;

	cut_text(p, GROUP_PART + 1 - IDS, name);
	free(name);
	p += strlen(p);
	*p++ = '[';
	if (who->has & 1 << ROLE_VPID)
		p = ctf_put_i64(p, who->vpid);
	*p++ = ':';
	if (who->has & 1 << ROLE_VTID)
		p = ctf_put_i64(p, who->vtid);
	*p++ = ']';
	return (size_t)(p - key);
}

size_t
group_address(char *key, size_t size, const char *before, const char *name,
    uint64_t addr)
{
	const size_t a = strlen(before), b = strlen(name);

	if (a + b < size) {
		memcpy(key, before, a);
		memcpy(key + a, name, b + 1);
		return a + b;
	}
	snprintf(key, size, "%s%s", before, name);
	snprintf(key + size - TAIL, TAIL, "... 0x%" PRIx64, addr);
	return strlen(key);
}

/* A field: the value, or the name of an address. */
static size_t
put_field(char *key, const char *named, const struct ctf_field_at *at,
    const struct ctf_stream *s)
{
	const char *name = symbols_at(at, s);
	uint64_t addr;

	if (at->type == NULL && ctf_field_is_cpu(named, s->class))
		return (size_t)(ctf_put_u64(key, s->who.cpu) - key);
	if (at->type == NULL)
		return put_name(key, "-");
	if (name == NULL || !ctf_field_bits(at, s, &addr))
		return ctf_field_text(at, s, key, GROUP_PART);
	return group_address(key, GROUP_PART + 1, "", name, addr);
}

/* The function that called. */
static size_t
put_caller(char *key, const struct ctf_field_at *at,
    const struct ctf_stream *s)
{
	const struct mapping *m;
	const struct place *p;
	uint64_t addr;
	size_t n;
	char *text;

	if (at->type == NULL || !ctf_field_bits(at, s, &addr) ||
	    (n = symbols_places(s, addr, ADDRESS_RETURN, &p)) == 0)
		return put_field(key, "", at, s);
	p += n - 1;
	m = symbols_mapping(s, addr, ADDRESS_RETURN);
	text = p->exact != NULL || m == NULL ? format("%s", p->function) :
	    format("%s (%s)", p->function, base_name(image_path(m->image)));
	n = put_name(key, text);
	free(text);
	return n;
}

static size_t
put_part(const struct groups *g, size_t i, const struct ctf_stream *s,
    char *key)
{
	const struct ctf_field_at *at = &g->last->by[i];
	const struct ctf_who *who;
	struct ctf_who buf;

	if (g->by[i] == BY_EVENT)
		return put_name(key, s->event->name);
	if (g->by[i] == BY_HOST)
		return put_name(key, s->trace->host == NULL ||
		    s->trace->host[0] == '\0' ? "-" : s->trace->host);
	if (g->by[i] == BY_CALLER)
		return put_caller(key, at, s);
	if (g->by[i] == BY_FIELD)
		return put_field(key, g->names[i], at, s);
	who = ctf_whose(s, &buf);
	return g->by[i] == BY_PROGRAM ? put_name(key, who->name[0] == '\0' ?
	    "-" : who->name) :
	    put_thread(key, s, who);
}

struct group *
groups_get(struct groups *g, const struct ctf_stream *s, const char *prefix)
{
	char key[KEY];
	struct group *row;
	size_t i, n = 0;

	if (g->last == NULL || g->last->event != s->event)
		g->last = places_of(g, s);
	if (prefix == NULL && g->last->row != NULL)
		return g->last->row;
	if (prefix != NULL) {
		n = put_name(key, prefix);
		key[n++] = '\0';
	}
	for (i = 0; i < g->nby; i++) {
		n += put_part(g, i, s, key + n);
		key[n++] = '\0';
	}
	row = row_get(g, key, n);
	if (prefix == NULL && g->nby == 1 && g->by[0] == BY_EVENT)
		g->last->row = row;
	return row;
}

/* Any other name is a field's. */
static const char *const names[] = {
	[BY_EVENT] = "event", [BY_PROGRAM] = "program",
	[BY_THREAD] = "thread", [BY_HOST] = "host",
	[BY_CALLER] = "caller"
};

const char *
group_name(size_t i)
{
	return i < BY_FIELD ? names[i] : i == BY_FIELD ? "function" :
	    i == BY_FIELD + 1 ? "stack" : NULL;
}

void
groups_by(struct groups *g, const char *name)
{
	enum group_by by = 0;

	if (g->nby == GROUP_BY)
		die("-g: at most %d times", GROUP_BY);
	if (*name == '\0')
		die("-g: a name is empty");
	while (by < BY_FIELD && strcmp(name, names[by]) != 0)
		by++;
	g->by[g->nby] = by;
	g->names[g->nby++] = name;
}

static int	(*order)(const struct group *, const struct group *);

static int
compare(const void *a, const void *b)
{
	const struct group *x = *(struct group *const *)a;
	const struct group *y = *(struct group *const *)b;
	int c;

	if (order != NULL && (c = order(x, y)) != 0)
		return c;
	c = memcmp(x->key, y->key, x->len < y->len ? x->len : y->len);
	return c != 0 ? c : (x->len > y->len) - (x->len < y->len);
}

void
groups_sort(struct groups *g,
    int (*by)(const struct group *, const struct group *))
{
	size_t i, n = 0;

	for (i = 0; i < g->cap; i++)
		if (g->rows[i] != NULL)
			g->rows[n++] = g->rows[i];
	g->cap = n;
	order = by;
	if (n > 1)
		qsort(g->rows, n, sizeof(*g->rows), compare);
}

void
group_json(const struct groups *g, const struct group *row)
{
	const char *s = row->key;
	size_t i;

	json_object("by");
	if (g->prefix != NULL) {
		json_string(g->prefix, s);
		s += strlen(s) + 1;
	}
	for (i = 0; i < g->nby; i++, s += strlen(s) + 1)
		json_string(g->names[i], s);
	json_end();
}

void
group_names(const struct group *row)
{
	const char *s = row->key;
	char *shown;

	for (; s < row->key + row->len; s += strlen(s) + 1) {
		row_add("  %s", shown = clean(s));
		free(shown);
	}
}

void
group_print(const struct group *row)
{
	group_names(row);
	row_add("\n");
}

void
group_heads(const struct groups *g)
{
	size_t i;

	if (g->prefix != NULL)
		row_add("  %s", g->prefix);
	for (i = 0; i < g->nby; i++)
		row_add("  %s", g->names[i]);
}

void
group_end(const struct rows *t, const struct groups *g,
    const struct group *row)
{
	if (!row_tail(t))
		return;
	if (t->isheads)
		group_heads(g);
	else
		group_names(row);
	row_add("\n");
}

/*
 * Bars.
 */

/* The end of the bar that begins at v: powers of two, also negative. */
static double
next_bound(double v)
{
	if (v == 0)
		return 1;
	if (v < -LAST)
		return -LAST;
	return v > 0 ? 2 * v : v > -1.5 ? 0 : v / 2;
}

static double
first_bound(double min)
{
	double v = min < 0 ? -1 : 1;

	if (min >= 0 && min < 1)
		return 0;
	while (min < 0 ? v > min && v > -LAST : 2 * v <= min)
		v *= 2;
	return v > min && min < 0 ? -DBL_MAX : v;
}

static void
put_bar(double v, uint64_t n, uint64_t most, int isns)
{
	const double to = next_bound(v);
	int i, width = (int)((double)n * BAR / (double)most + 0.999);

	if (json_on && n > 0) {
		json_object(NULL);
		json_real("from", v);
		if (isfinite(to))
			json_real("to", to);
		json_u64("n", n);
		json_end();
	}
	if (json_on)
		return;
	if (isns)
		printf("%14.3f to %12.3f us", v / US, to / US);
	else
		printf("%14.*g to %12.*g", row_digits(v), v, row_digits(to),
		    to);
	printf(" %12" PRIu64 " |", n);
	for (i = 0; i < width; i++)
		putchar('#');
	putchar('\n');
}

void
group_bars(const struct group *row, int isns)
{
	const struct hist *h = &row->values;
	uint64_t n, most = 0;
	double v;

	if (h->n == 0)
		return;
	if (!json_on) {
		putchar('\n');
		group_print(row);
	}
	for (v = first_bound(h->min); v <= h->max; v = next_bound(v))
		if ((n = hist_between(h, v, next_bound(v))) > most)
			most = n;
	json_array("buckets");
	for (v = first_bound(h->min); v <= h->max; v = next_bound(v))
		put_bar(v, hist_between(h, v, next_bound(v)), most, isns);
	json_end();
}

int
groups_value(const struct groups *g, const struct ctf_stream *s, double *v)
{
	return g->names[g->nby] != NULL &&
	    ctf_field_value(&g->last->by[g->nby], s, g->names[g->nby], v);
}

/* Say which fields no event has. */
void
groups_say_missing(const struct groups *g, const struct ctf_trace *traces)
{
	char *other;
	size_t i;

	for (i = 0; i <= g->nby; i++) {
		if (g->by[i] != BY_FIELD || g->names[i] == NULL || g->found[i])
			continue;
		other = ctf_field_other(traces, g->names[i]);
		say("-%c %s: no field of any event%s", i < g->nby ? 'g' : 'v',
		    g->names[i], other);
		free(other);
	}
}

void
groups_free(struct groups *g)
{
	size_t i;

	for (i = 0; i < g->nrows; i++) {
		hist_free(&g->rows[i]->values);
		free(g->rows[i]->measured);
		free(g->rows[i]->key);
		free(g->rows[i]);
	}
	free(g->rows);
	map_release(&g->places);
}

void
groups_again(struct groups *g)
{
	groups_free(g);
	g->rows = NULL;
	g->nrows = g->cap = 0;
	memset(&g->places, 0, sizeof(g->places));
	g->last = NULL;
}
