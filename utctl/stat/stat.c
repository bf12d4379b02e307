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

#include "../ctf/cores.h"
#include "../show/compare.h"
#include "../show/show.h"
#include "stat.h"

#define SLOWEST		10		/* pairs, without -S */
#define SLOWEST_MAX	1000
#define BARS	10			/* groups whose values get bars */

static struct reader_cores cores = { .sums = 1, .end = stat_give,
    .take = stat_take };
static struct stat_run run;

static void
count_event(void *arg, struct ctf_stream *s)
{
	struct stat_run *r = arg;
	const uint64_t bits = ctf_event_bits(s);
	struct group *row = groups_get(&r->groups, s, NULL);
	double v;
	const int valued = groups_value(&r->groups, s, &v);

	if (s->class->clock != NULL && s->class->clock != r->clocks.last)
		clocks_note(&r->clocks, s->class->clock);
	if (row->n++ == 0)
		row->first = s->ns;
	row->last = s->ns;
	row->bits += bits;
	r->value_isnumber |= valued;
	if (r->intervals.length > 0)
		intervals_add(&r->intervals, s->ns, valued ? &v : NULL);
	else if (valued)
		hist_add(&row->values, v);
	r->n++;
	if (r->begin == INT64_MIN)
		r->begin = s->ns;
	r->end = s->ns;
	r->bits += bits;
}

/* Losses are counted by the reader. */
static void
stat_lose(void *arg, const struct ctf_stream *s)
{
	struct stat_run *r = arg;

	if (r->intervals.length > 0)
		intervals_lose(&r->intervals, s);
}

/*
 * Output.
 */

static int
by_count(const struct group *x, const struct group *y)
{
	return (x->n < y->n) - (x->n > y->n);
}

static double
rate(const struct group *row, const struct stat_run *r)
{
	const double s = when_seconds(r->begin, r->end);

	return s > 0 ? (double)row->n / s : 0;
}

static void
put_values(struct rows *t, struct group *row)
{
	row_u64(t, run.value, "values", row->values.n);
	row_hist(t, &row->values, 0);
	if (json_on && run.bars)
		group_bars(row, 0);
}

static void
put_counts(struct rows *t, const void *arg, size_t i)
{
	const struct stat_run *r = arg;
	struct group *row = r->groups.rows[i];

	group_json(&r->groups, row);
	row_u64(t, "events", "events", row->n);
	row_text(t, "per second", "%.0f", rate(row, r));
	row_u64(t, "bytes", "bytes", row->bits / 8);
	json_ns("first", row->first);
	row_text(t, "first", "%+.6f", when_seconds(r->origin, row->first));
	json_ns("last", row->last);
	row_text(t, "last", "%+.6f", when_seconds(r->origin, row->last));
	if (json_on && row->values.n != 0)
		put_values(t, row);
	group_end(t, &r->groups, row);
}

static void
put_value(struct rows *t, const void *arg, size_t i)
{
	const struct stat_run *r = arg;
	struct group *row = r->groups.rows[i];

	if (!t->isheads && row->values.n == 0)
		return;
	put_values(t, row);
	group_end(t, &r->groups, row);
}

static void
stat_print(struct stat_run *r, const struct reader *rd)
{
	static const int counts[] = { 12, 12, 14, 14, 14 };
	static const int values[] = { 12, 12, 12, 12, 12, 12, 12, 12 };
	struct rows t = { .fixed = counts };
	size_t i;

	show_totals(rd);
	if (!json_on && r->n == 0)
		return;
	json_u64("bytes", r->bits / 8);
	show_span(r->begin, r->end, ", ");
	if (!json_on)
		printf("%" PRIu64 " bytes\n", r->bits / 8);
	clocks_print(&r->clocks, rd);
	if (r->intervals.length > 0) {
		intervals_put(&r->intervals);
		json_end();
		return;
	}
	rows_put(&t, "groups", r->groups.nrows, put_counts, r);
	json_end();
	if (json_on || r->value == NULL || !r->value_isnumber)
		return;
	putchar('\n');
	t.fixed = values;
	rows_put(&t, NULL, r->groups.nrows, put_value, r);
	for (i = 0; i < r->groups.nrows && (r->bars || r->groups.nrows <=
	    BARS); i++)
		group_bars(r->groups.rows[i], 0);
}

/* Say which fields of -g and -v no event has. */
static void
say_missing(const struct stat_run *r, const struct ctf_trace *traces)
{
	if (!r->any)
		return;
	groups_say_missing(&r->groups, traces);
	if (r->value != NULL && r->groups.found[r->groups.nby] &&
	    !r->value_isnumber)
		say("-v %s: no number in any event", r->value);
}

static void
stat_counts(struct stat_run *r, struct reader *rd)
{
	static const struct reader_ops ops = { count_event, stat_lose,
	    stat_lose, NULL, NULL, NULL, stat_lose };
	int64_t end;
	const int known = reader_span(rd, &r->origin, &end);

	reader_run(rd, &ops, r);
	if (!known)
		r->origin = r->begin;
	r->any |= r->groups.places.n != 0;
	groups_sort(&r->groups, by_count);
	if (show_any(rd))
		stat_print(r, rd);
}

/* With insertion for each pair, the list is not for very many. */
static size_t
parse_slowest(const char *s)
{
	unsigned long long n;

	if (parse_size(s, &n) == -1 || n == 0 || n > SLOWEST_MAX)
		die("-S %s: not a number from 1 to %d", s, SLOWEST_MAX);
	return (size_t)n;
}

static int
stat_option(int c)
{
	struct stat_run *r = &run;

	switch (c) {
	case 'a':
		return r->all = 1;
	case 'C':
		compare_with(optarg);
		return 1;
	case 'c':
		return r->points = 1;
	case 'd':
		return r->durations = r->pairs.named = 1;
	case 'D':
		pairs_add(&r->pairs, optarg);
		return r->durations = 1;
	case 'g':
		if (strcmp(optarg, "function") == 0 ||
		    strcmp(optarg, "stack") == 0)
			r->profile = optarg;
		else
			groups_by(&r->groups, optarg);
		return 1;
	case 'H':
		return r->bars = 1;
	case 'i':
		intervals_length(&r->intervals, optarg);
		return 1;
	case 'j':
		json_start(1);
		return 1;
	case 'J':
		cores.n = cores_option(optarg);
		return 1;
	case 'S':
		r->slowest = parse_slowest(optarg);
		return 1;
	case 'v':
		if (r->value != NULL)
			die("-v is given twice");
		r->value = optarg;
		return 1;
	}
	return 0;
}

/* A line for each interval, and nothing for each group. */
static void
check_intervals(struct stat_run *r)
{
	if (r->groups.nby > 0 || r->profile != NULL)
		die("-i and -g: intervals have no groups; -e, -f, -p and -t "
		    "select events");
	if (r->points || r->bars || r->slowest != 0)
		die("-i goes with no -c, -H or -S");
	r->intervals.what = r->durations ? "calls" : "events";
	r->intervals.values = r->durations ? INTERVALS_NS :
	    r->value != NULL ? INTERVALS_VALUES : INTERVALS_NONE;
}

static void
check(void)
{
	struct stat_run *r = &run;

	show_paged(1);
	if (r->slowest != 0 && !r->durations)
		r->durations = r->pairs.named = 1;
	if (r->groups.nby == 1 && r->groups.by[0] == BY_CALLER &&
	    !r->durations && r->profile == NULL)
		r->profile = r->groups.names[--r->groups.nby];
	if (r->durations && r->value != NULL)
		die("-v and %s: the values of a pair are its durations",
		    r->pairs.named ? "-d" : "-D");
	if (compare_on() && (r->value != NULL || r->points ||
	    r->slowest != 0 || r->intervals.length > 0 || r->bars))
		die("-C goes with neither -c, -H, -i, -S nor -v");
	if (r->all && !compare_on())
		die("-a: for -C");
	if (r->intervals.length > 0)
		check_intervals(r);
	if (r->bars && !r->durations && r->value == NULL)
		die("-H: for -d, -D or -v");
	if (r->profile != NULL && (r->groups.nby > 0 || r->value != NULL ||
	    r->durations || r->points))
		die("-g %s goes with no other -g, -v, -c, -d or -D",
		    r->profile);
	if (!r->durations && r->groups.nby == 0)
		groups_by(&r->groups, "event");
	r->groups.names[r->groups.nby] = r->value;
	r->groups.by[r->groups.nby] = BY_FIELD;
}

static void
stat_begin(struct reader *rd, struct reader_dir *dirs)
{
	if (compare_on())
		compare_begin(dirs);
	else if (!run.points && !run.durations && run.profile == NULL)
		rd->cores = &cores;
}

/* Has a trace an event of that name which is selected? */
static int
has_event(const struct reader *rd, const char *name)
{
	const struct ctf_trace *tr;
	const struct ctf_eclass *ev;

	for (tr = rd->traces; tr != NULL; tr = tr->next)
		for (ev = tr->events; ev != NULL; ev = ev->next)
			if (!ev->unwanted && strcmp(ev->name, name) == 0)
				return 1;
	return 0;
}

/* Are there events of calls, which tell more than stacks do? */
static int
has_calls(const struct reader *rd)
{
	return has_event(rd, "func:exit") || has_event(rd, "func:call") ||
	    has_event(rd, "lttng_ust_cyg_profile:func_exit");
}

static void
measure_event(void *arg, struct ctf_stream *s)
{
	struct stat_run *r = arg;

	compare_add(groups_get(&r->groups, s, NULL), s->ns, 0, 0);
}

/* Read a run of -C, and say of each what is not certain. */
static uint64_t
read_run(struct reader *rd)
{
	static const struct reader_ops ops = { measure_event, stat_lose,
	    stat_lose, NULL, NULL, NULL, NULL };
	struct stat_run *r = &run;

	if (r->profile != NULL)
		profile_read(rd, r->profile, &r->groups);
	else if (r->durations)
		durations_read(rd, &r->pairs, &r->groups);
	else
		reader_run(rd, &ops, r);
	r->any = r->groups.places.n != 0;
	groups_sort(&r->groups, by_count);
	pairs_say(&r->pairs);
	say_missing(r, rd->traces);
	return r->pairs.lost;
}

static int
stat_traces(struct reader *rd, struct reader_dir *dirs)
{
	struct stat_run *r = &run;

	if (compare_on()) {
		compare_runs(rd, &r->groups, r->durations ? COMPARE_PAIRS :
		    COMPARE_EVENTS, r->all, read_run);
		return 0;
	}
	reader_open_all(rd, dirs);
	if (r->intervals.length > 0)
		intervals_begin(&r->intervals, rd);
	if (r->profile != NULL && strcmp(r->profile, "caller") == 0 &&
	    has_calls(rd)) {
		r->profile = NULL;
		r->groups.nby = 0;
		groups_by(&r->groups, "caller");
		r->durations = r->pairs.named = 1;
	}
	if (r->profile != NULL)
		profile(rd, r->profile);
	else if (r->points)
		clocks_points(rd);
	else if (r->durations)
		durations(rd, r, r->slowest == 0 ? SLOWEST :
		    r->slowest);
	else
		stat_counts(r, rd);
	return 0;
}

static void
say_all(const struct reader *rd)
{
	if (compare_on())
		return;
	pairs_say(&run.pairs);
	pairs_say_lost(&run.pairs);
	say_missing(&run, rd->traces);
}

static void
stat_end(void)
{
	compare_end();
	groups_free(&run.groups);
	clocks_free(&run.clocks);
	pairs_free(&run.pairs);
	intervals_free(&run.intervals);
	profile_end();
}

static int
stat_main(int argc, char **argv)
{
	static const struct show show_stat = { stat_option,
	    check, NULL, stat_begin, stat_traces, say_all, stat_end };

	memset(&run, 0, sizeof(run));
	cores.n = 0;
	run.begin = INT64_MIN;
	pairs_init(&run.pairs);
	return show(&show_stat, argc, argv);
}

const struct command cmd_stat = {
	.name = "stat", .page = "utctl-stat",
	.line = "count the events of traces, and sum up their fields",
	.usage = "[-acHj] [-C before] ... [-d] "
	    "[-D begin,end[,field]] ... [-i time] [-J processes] [-S count] "
	    "[-g event | program | thread | host | caller | function | stack | "
	    "field] ... [-v field] "
	    SHOW_USAGE,
	.options = {
	    "-g name\tby event (the default), program, thread, host or a field",
	    "-g caller\tfunctions, by who calls them",
	    "-g function | stack\tby who calls, and what is called meanwhile",
	    "-c\tprint what the clocks said, instead of events",
	    "-C before\tcompare with this run; may be repeated",
	    "-a\twith -C, also what does not differ",
	    "-d\thow long pairs of events took: x_begin and x_end",
	    "-D a,b,key\tpairs of these events; key: a field of both",
	    "-H\thistograms: bars for each pair of -d, or group of -v",
	    "-i time\ta line for each interval, as 100ms",
	    "-S count\tprint so many of the slowest pairs (default: 10)",
	    "-v field\tits least, mean, greatest value, and percentiles",
	    "-j\tJSON", CORES_HELP, SHOW_HELP
	},
	.letter = 'g', .value = group_name,
	.run = stat_main
};
