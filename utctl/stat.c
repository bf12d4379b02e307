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
 * utctl stat: what is in traces.  Events are counted by what they are grouped
 * by, and the values of a field are summed up for each group.  What is kept
 * grows with the number of groups, not with that of events.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat.h"
#include "ctf_field.h"
#include "escape.h"
#include "hist.h"
#include "reader.h"
#include "select.h"
#include "utctl.h"

#define GROUPS	8			/* -g */
#define PART	200			/* bytes of a name in a key */
#define KEY	(GROUPS * (PART + 1))
#define BARS	10			/* groups whose values get bars */
#define BAR	40			/* columns */
#define NS	1e9

/* Its key is the names of what it is grouped by, each with a NUL behind. */
struct group {
	char		*key;
	size_t		 len;
	uint64_t	 hash;
	uint64_t	 n;
	uint64_t	 bytes;
	int64_t		 first, last;
	struct hist	 values;
};

/* Where the fields are in events of a class: of -g, and of -v. */
struct places {
	const struct ctf_eclass	*event;
	struct ctf_field_at	 by[GROUPS];
	struct ctf_field_at	 value;
};

enum by { BY_EVENT, BY_PROGRAM, BY_THREAD, BY_FIELD };

struct stat_run {
	const char	*names[GROUPS];	/* as -g has them */
	enum by		 by[GROUPS];
	size_t		 nby;
	const char	*value;		/* -v; or NULL */
	int		 found[GROUPS], value_found;
	int		 json;

	struct group	**rows;		/* a hash table */
	size_t		 nrows, cap;
	struct places	*places;	/* in the order in which they came */
	size_t		 nplaces;
	const struct places *last;
	int64_t		 begin, end;
	uint64_t	 n, bytes;
};

static uint64_t
hash(const char *s, size_t n)
{
	uint64_t h = 14695981039346656037u;

	for (; n > 0; n--)
		h = (h ^ (unsigned char)*s++) * 1099511628211u;
	return h;
}

static struct group **
row_place(const struct stat_run *r, const char *key, size_t len, uint64_t h)
{
	size_t i = h & (r->cap - 1);

	while (r->rows[i] != NULL && (r->rows[i]->hash != h ||
	    r->rows[i]->len != len || memcmp(r->rows[i]->key, key, len) != 0))
		i = (i + 1) & (r->cap - 1);
	return &r->rows[i];
}

static void
rows_grow(struct stat_run *r)
{
	struct group **old = r->rows;
	const size_t n = r->cap;
	size_t i;

	r->cap = n == 0 ? 256 : 2 * n;
	if ((r->rows = calloc(r->cap, sizeof(*r->rows))) == NULL)
		die_errno("malloc");
	for (i = 0; i < n; i++)
		if (old[i] != NULL)
			*row_place(r, old[i]->key, old[i]->len,
			    old[i]->hash) = old[i];
	free(old);
}

static struct group *
row_get(struct stat_run *r, const char *key, size_t len)
{
	const uint64_t h = hash(key, len);
	struct group **p, *row;

	if (2 * r->nrows >= r->cap)
		rows_grow(r);
	if (*(p = row_place(r, key, len, h)) != NULL)
		return *p;
	if ((row = calloc(1, sizeof(*row))) == NULL ||
	    (row->key = malloc(len + 1)) == NULL)
		die_errno("malloc");
	memcpy(row->key, key, len);
	row->len = len;
	row->hash = h;
	*p = row;
	r->nrows++;
	return row;
}

/* The fields of an event of that class; found once. */
static const struct places *
places_of(struct stat_run *r, const struct ctf_stream *s)
{
	struct places *p;
	size_t i;

	for (p = r->places; p < r->places + r->nplaces; p++)
		if (p->event == s->event)
			return p;
	p = realloc(r->places, (r->nplaces + 1) * sizeof(*p));
	if (p == NULL)
		die_errno("malloc");
	r->places = p;
	p += r->nplaces++;
	memset(p, 0, sizeof(*p));
	p->event = s->event;
	for (i = 0; i < r->nby; i++)
		if (r->by[i] == BY_FIELD)
			r->found[i] |= ctf_field_find(&p->by[i], s->class,
			    s->event, r->names[i]);
	if (r->value != NULL)
		r->value_found |= ctf_field_find(&p->value, s->class,
		    s->event, r->value);
	return p;
}

static size_t
put_name(char *key, const char *name)
{
	const size_t n = strlen(name);

	memcpy(key, name, n < PART ? n : PART);
	return n < PART ? n : PART;
}

/* One name of the key. */
static size_t
put_part(const struct stat_run *r, size_t i, const struct places *p,
    const struct ctf_stream *s, char *key)
{
	const struct ctf_who *who;
	struct ctf_who buf;

	if (r->by[i] == BY_EVENT)
		return put_name(key, s->event->name);
	if (r->by[i] == BY_FIELD)
		return p->by[i].type == NULL ? put_name(key, "-") :
		    ctf_field_text(&p->by[i], s, key, PART);
	who = ctf_whose(s, &buf);
	if (r->by[i] == BY_PROGRAM)
		return put_name(key, who->name);
	return (size_t)snprintf(key, PART, "%s[%" PRId64 ":%" PRId64 "]",
	    who->name, who->vpid, who->vtid);
}

static void
count_event(void *arg, struct ctf_stream *s)
{
	struct stat_run *r = arg;
	const uint64_t bytes = s->off + s->pos - s->at;
	char key[KEY];
	struct group *row;
	size_t i, n = 0;
	double v;

	if (r->last == NULL || r->last->event != s->event)
		r->last = places_of(r, s);
	for (i = 0; i < r->nby; i++) {
		n += put_part(r, i, r->last, s, key + n);
		key[n++] = '\0';
	}
	row = row_get(r, key, n);
	if (row->n++ == 0)
		row->first = s->ns;
	row->last = s->ns;
	row->bytes += bytes;
	if (r->last->value.type != NULL &&
	    ctf_field_number(&r->last->value, s, &v))
		hist_add(&row->values, v);
	if (r->n++ == 0)
		r->begin = s->ns;
	r->end = s->ns;
	r->bytes += bytes;
}

/* Losses are only counted. */
static void
lose(void *arg, const struct ctf_stream *s)
{
	(void)arg;
	(void)s;
}

/*
 * Output.
 */

static int
by_count(const void *a, const void *b)
{
	const struct group *x = *(struct group *const *)a;
	const struct group *y = *(struct group *const *)b;
	int c;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	c = memcmp(x->key, y->key, x->len < y->len ? x->len : y->len);
	return c != 0 ? c : (x->len > y->len) - (x->len < y->len);
}

static void
rows_sort(struct stat_run *r)
{
	size_t i, n = 0;

	for (i = 0; i < r->cap; i++)
		if (r->rows[i] != NULL)
			r->rows[n++] = r->rows[i];
	if (n > 1)
		qsort(r->rows, n, sizeof(*r->rows), by_count);
}

/* The names of the group, in columns. */
static void
print_key(const struct group *row)
{
	const char *s = row->key;
	char *shown;

	for (; s < row->key + row->len; s += strlen(s) + 1) {
		printf("  %s", shown = clean(s));
		free(shown);
	}
	putchar('\n');
}

static void
print_heads(const struct stat_run *r)
{
	size_t i;

	for (i = 0; i < r->nby; i++)
		printf("  %s", r->names[i]);
	putchar('\n');
}

static double
rate(const struct group *row, const struct stat_run *r)
{
	const double s = ((double)r->end - (double)r->begin) / NS;

	return s > 0 ? (double)row->n / s : 0;
}

static void
print_counts(const struct stat_run *r)
{
	const struct group *row;
	size_t i;

	printf("%12s %12s %14s %14s %14s", "events", "per second", "bytes",
	    "first", "last");
	print_heads(r);
	for (i = 0; i < r->nrows; i++) {
		row = r->rows[i];
		printf("%12" PRIu64 " %12.0f %14" PRIu64 " %+14.6f %+14.6f",
		    row->n, rate(row, r), row->bytes,
		    ((double)row->first - (double)r->begin) / NS,
		    ((double)row->last - (double)r->begin) / NS);
		print_key(row);
	}
}

static const struct {
	const char	*name;
	unsigned int	 of_1000;
} quantiles[] = {
	{ "p50", 500 }, { "p90", 900 }, { "p99", 990 }, { "p99.9", 999 }
};

#define NQUANTILES	(sizeof(quantiles) / sizeof(quantiles[0]))

static void
print_values(const struct stat_run *r)
{
	struct group *row;
	size_t i, q;

	printf("%12s %12s %12s", r->value, "min", "mean");
	for (q = 0; q < NQUANTILES; q++)
		printf(" %12s", quantiles[q].name);
	printf(" %12s", "max");
	print_heads(r);
	for (i = 0; i < r->nrows; i++) {
		row = r->rows[i];
		if (row->values.n == 0)
			continue;
		printf("%12" PRIu64 " %12.6g %12.6g", row->values.n,
		    row->values.min, row->values.sum / (double)row->values.n);
		for (q = 0; q < NQUANTILES; q++)
			printf(" %12.6g", hist_quantile(&row->values,
			    quantiles[q].of_1000));
		printf(" %12.6g", row->values.max);
		print_key(row);
	}
}

/* From here on, the next bar begins there: powers of two, also negative. */
static double
next_bound(double v)
{
	if (v == 0)
		return 1;
	return v > 0 ? 2 * v : v > -1.5 ? 0 : v / 2;
}

static double
first_bound(double min)
{
	double v = min < 0 ? -1 : 1;

	if (min >= 0 && min < 1)
		return 0;
	while (min < 0 ? v > min : 2 * v <= min)
		v *= 2;
	return v;
}

static void
print_bars(const struct group *row)
{
	const struct hist *h = &row->values;
	uint64_t n, most = 0;
	double v;
	int i, width;

	if (h->n == 0)
		return;
	print_key(row);
	for (v = first_bound(h->min); v <= h->max; v = next_bound(v))
		if ((n = hist_between(h, v, next_bound(v))) > most)
			most = n;
	for (v = first_bound(h->min); v <= h->max; v = next_bound(v)) {
		n = hist_between(h, v, next_bound(v));
		width = (int)((double)n * BAR / (double)most + 0.999);
		printf("%14.6g to %12.6g %12" PRIu64 " |", v, next_bound(v), n);
		for (i = 0; i < width; i++)
			putchar('#');
		putchar('\n');
	}
}

static void
print_text(const struct stat_run *r, const struct reader *rd)
{
	char begin[CTF_TIMELEN], end[CTF_TIMELEN];
	size_t i;

	reader_totals(rd);
	if (r->n == 0)
		return;
	ctf_print_time(r->begin, begin);
	ctf_print_time(r->end, end);
	printf("from %s to %s: %.9f s, %" PRIu64 " bytes\n\n", begin, end,
	    ((double)r->end - (double)r->begin) / NS, r->bytes);
	print_counts(r);
	if (r->value == NULL || !r->value_found)
		return;
	putchar('\n');
	print_values(r);
	for (i = 0; i < r->nrows && r->nrows <= BARS; i++) {
		putchar('\n');
		print_bars(r->rows[i]);
	}
}

static void
json_values(struct group *row)
{
	struct hist *h = &row->values;
	size_t q;

	printf(",\"values\":%" PRIu64 ",\"min\":%.17g,\"mean\":%.17g", h->n,
	    h->min, h->sum / (double)h->n);
	for (q = 0; q < NQUANTILES; q++)
		printf(",\"%s\":%.17g", quantiles[q].name,
		    hist_quantile(h, quantiles[q].of_1000));
	printf(",\"max\":%.17g", h->max);
}

/* Times are text: they are more than a double holds. */
static void
print_json(const struct stat_run *r, const struct reader *rd)
{
	struct group *row;
	const char *s;
	size_t i, k;

	printf("{\"events\":%llu,\"discarded\":%llu,\"lost_packets\":%llu,"
	    "\"bytes\":%" PRIu64, rd->nevents, rd->ndiscarded, rd->nlost,
	    r->bytes);
	if (r->n != 0)
		printf(",\"first\":\"%" PRId64 "\",\"last\":\"%" PRId64 "\"",
		    r->begin, r->end);
	printf(",\"groups\":[");
	for (i = 0; i < r->nrows; i++) {
		row = r->rows[i];
		printf("%s{\"by\":{", i == 0 ? "" : ",");
		for (k = 0, s = row->key; k < r->nby; k++, s += strlen(s) + 1) {
			printf(k == 0 ? "" : ",");
			put_json(r->names[k]);
			putchar(':');
			put_json(s);
		}
		printf("},\"events\":%" PRIu64 ",\"bytes\":%" PRIu64
		    ",\"first\":\"%" PRId64 "\",\"last\":\"%" PRId64 "\"",
		    row->n, row->bytes, row->first, row->last);
		if (row->values.n != 0)
			json_values(row);
		putchar('}');
	}
	printf("]}\n");
}

/* What was asked for and is in no event. */
static void
say_missing(const struct stat_run *r)
{
	size_t i;

	for (i = 0; i < r->nby && r->n > 0; i++)
		if (r->by[i] == BY_FIELD && !r->found[i])
			say("-g %s: no field of any event", r->names[i]);
	if (r->value != NULL && !r->value_found && r->n > 0)
		say("-v %s: no field of any event", r->value);
}

static int
stat_traces(struct stat_run *r, struct reader *rd, char **dirs)
{
	static const struct reader_ops ops = { count_event, lose, lose,
	    NULL };
	int status;

	ut_confine_reader();	/* what it reads may be anybody's */
	for (; *dirs != NULL; dirs++)
		reader_open(rd, *dirs);
	reader_run(rd, &ops, r);
	status = ctf_damaged() != 0;
	rows_sort(r);
	if (r->json && (rd->ntraces > 0 || status == 0))
		print_json(r, rd);
	else if (rd->ntraces > 0 || status == 0)
		print_text(r, rd);
	ctf_damage_say();
	if (rd->ntraces > 0 && rd->select != NULL)
		select_say(rd->select);
	say_missing(r);
	return status;
}

static void
group_by(struct stat_run *r, const char *name)
{
	if (r->nby == GROUPS)
		die("-g: at most %d times", GROUPS);
	if (*name == '\0')
		die("-g: a name is empty");
	r->by[r->nby] = strcmp(name, "event") == 0 ? BY_EVENT :
	    strcmp(name, "program") == 0 ? BY_PROGRAM :
	    strcmp(name, "thread") == 0 ? BY_THREAD : BY_FIELD;
	r->names[r->nby++] = name;
}

static void
run_free(struct stat_run *r)
{
	size_t i;

	for (i = 0; i < r->nrows; i++) {
		hist_free(&r->rows[i]->values);
		free(r->rows[i]->key);
		free(r->rows[i]);
	}
	free(r->rows);
	free(r->places);
}

int
cmd_stat(int argc, char **argv)
{
	struct select sel;
	struct reader rd;
	struct stat_run r;
	char **dirs;
	int c, status;

	memset(&r, 0, sizeof(r));
	memset(&rd, 0, sizeof(rd));
	select_init(&sel, argc);
	while ((c = option(argc, argv, "+jg:v:" SELECT_OPTIONS)) != -1)
		if (c == 'j')
			r.json = 1;
		else if (c == 'g')
			group_by(&r, optarg);
		else if (c == 'v' && r.value == NULL)
			r.value = optarg;
		else if (c == 'v')
			die("-v is given twice");
		else if (!select_option(&sel, c))
			return usage();
	if (r.nby == 0)
		group_by(&r, "event");
	if (!select_all(&sel))
		rd.select = &sel;
	dirs = which_traces(argv + optind);
	status = stat_traces(&r, &rd, dirs);
	which_free(dirs);
	run_free(&r);
	reader_free(&rd);
	select_free(&sel);
	return status;
}
