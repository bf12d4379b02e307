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
 * utctl stat -g function, -g caller and -g stack: where the events with call
 * stacks are, by the functions that are on these, by these and who calls them,
 * or as a tree of who calls whom.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../show/compare.h"
#include "../show/rows.h"
#include "../show/show.h"
#include "../show/stacks.h"
#include "../sym/process.h"
#include "stat.h"

#define NS	1e9

/* A function, or a call of one: events in it, and in whatever it calls. */
struct where {
	const struct frame	*frame;
	const struct frame	*caller;	/* NULL: none, or not asked */
	uint64_t		 self, total;
	int64_t			 self_ns, total_ns;
	uint32_t		 last;		/* site + 1 that was counted */
};

/* Events of a site, and those with a time that they stand for. */
struct weight {
	uint64_t		 n, timed;
	int64_t			 ns;
};

struct profile {
	struct processes	 processes;
	struct sites		 sites;
	struct weight		*counts;	/* by site */
	size_t			 room;
	uint64_t		 n, samples;	/* with stacks; cpu:sample */
	int64_t			 ns;		/* in all; 0: no samples */
	uint64_t		 unsampled;	/* events that tell of such */
	double			 unsampled_s;	/* the known part */
	int64_t			 begin, end;
	struct where		*list;
	size_t			 nlist;
	int			 callers;	/* calls are told apart */
};

static struct profile	 run;

static void
count(void *arg, struct ctf_stream *s)
{
	struct profile *p = arg;
	const struct process *who = processes_get(&p->processes, s);
	const struct site *site;
	uint64_t ns = stack_time(s);

	if (stack_unsampled(s)) {
		p->unsampled++;
		p->unsampled_s += (double)ns / NS;
		return;
	}
	if ((site = site_get(&p->sites, s, who->serial)) == NULL)
		return;
	p->counts = xgrow(p->counts, site->number, &p->room,
	    sizeof(*p->counts));
	if (ns > (uint64_t)(INT64_MAX - p->ns))
		ns = (uint64_t)(INT64_MAX - p->ns);
	p->ns += (int64_t)ns;
	p->counts[site->number].ns += (int64_t)ns;
	p->counts[site->number].timed += ns > 0;
	p->counts[site->number].n++;
	p->samples += (uint64_t)s->event->stack->sample;
	if (p->n++ == 0)
		p->begin = s->ns;
	p->end = s->ns;
}

static double
percent(const struct profile *p, uint64_t n)
{
	return p->n == 0 ? 0 : 100 * (double)n / (double)p->n;
}

/*
 * Functions.
 */

static int
by_self(const void *a, const void *b)
{
	const struct where *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (x->frame->address > y->frame->address) -
	    (x->frame->address < y->frame->address);
}

/* A function that calls itself is counted once for each event. */
static void
add_site(struct profile *p, struct map *m, const struct site *site)
{
	const struct weight *c = &p->counts[site->number];
	const struct frame *caller;
	struct where *w;
	uint64_t key;
	size_t i;

	for (i = 0; i < site->n; i++) {
		key = frame_function(site->frames[i]);
		caller = p->callers && i + 1 < site->n ? site->frames[i + 1] :
		    NULL;
		if (caller != NULL)
			key = map_bytes(frame_function(caller), &key,
			    sizeof(key));
		if ((w = map_get(m, key)) == NULL) {
			w = &p->list[p->nlist++];
			w->frame = site->frames[i];
			w->caller = caller;
			map_put(m, key, w);
		}
		if (i == 0) {
			w->self += c->n;
			w->self_ns += c->ns;
		}
		if (w->last != site->number + 1) {
			w->total += c->n;
			w->total_ns += c->ns;
		}
		w->last = site->number + 1;
	}
}

static void
put_where(struct rows *t, const void *arg, size_t i)
{
	const struct profile *p = arg;
	const struct where *w = &p->list[i];
	char text[FRAME_TEXT];

	if (json_on)
		frame_json(w->frame);
	if (json_on && w->caller != NULL) {
		json_object("called_by");
		frame_json(w->caller);
		json_end();
	}
	row_u64(t, "self", "self", w->self);
	row_text(t, "%", "%.1f", percent(p, w->self));
	row_u64(t, "total", "total", w->total);
	row_text(t, "%", "%.1f", percent(p, w->total));
	if (p->ns > 0) {
		row_us(t, "self us", "self_ns", w->self_ns);
		row_us(t, "total us", "total_ns", w->total_ns);
	}
	if (!row_end(t, p->callers ? "function  caller" : "function"))
		return;
	row_add("  %s", frame_text(w->frame, text));
	if (p->callers)
		row_add("  %s", w->caller == NULL ? "-" :
		    frame_text(w->caller, text));
	row_add("\n");
}

static void
list_functions(struct profile *p)
{
	struct map m;
	size_t i, most = 1;

	memset(&m, 0, sizeof(m));
	for (i = 0; i < p->sites.n; i++)
		most += p->sites.v[i]->n;
	p->list = xcalloc(most, sizeof(*p->list));
	for (i = 0; i < p->sites.n; i++)
		add_site(p, &m, p->sites.v[i]);
	map_free(&m);
}

static void
put_functions(struct profile *p)
{
	static const int widths[] = { 12, 6, 12, 6, 14, 14 };
	struct rows t = { .fixed = widths };

	list_functions(p);
	if (p->nlist > 1)
		qsort(p->list, p->nlist, sizeof(*p->list), by_self);
	rows_put(&t, p->callers ? "calls" : "functions", p->nlist, put_where,
	    p);
}

/*
 * Stacks.
 */

static void
print_line(const void *arg, const struct tree *t, int indent)
{
	const struct profile *p = arg;
	char text[FRAME_TEXT];

	printf("%12" PRIu64 " %6.1f %12" PRIu64 " %6.1f", t->values[0],
	    percent(p, t->values[0]), t->values[1], percent(p, t->values[1]));
	if (p->ns > 0)
		printf(" %14.3f %14.3f", (double)t->values[2] / 1000,
		    (double)t->values[3] / 1000);
	printf(" %*s%s\n", indent, "", frame_text(t->frame, text));
}

static void
put_stacks(const struct profile *p)
{
	uint64_t values[TREE_VALUES] = { 0 };
	struct tree root = { .child = NULL }, *leaf;
	const struct site *site;
	size_t i;

	json_array("stacks");
	for (i = 0; i < p->sites.n; i++) {
		site = p->sites.v[i];
		values[0] = p->counts[i].n;
		values[2] = (uint64_t)p->counts[i].ns;
		if (!json_on) {
			leaf = tree_add_inwards(&root, site, values);
			leaf->values[1] += values[0];
			leaf->values[3] += values[2];
			continue;
		}
		json_object(NULL);
		json_u64("events", values[0]);
		if (p->ns > 0)
			json_ns("ns", p->counts[i].ns);
		site_json(site);
		json_end();
	}
	json_end();
	if (root.child != NULL)
		printf("%12s %6s %12s %6s%s  function\n", "total", "%", "self",
		    "%", p->ns == 0 ? "" : "       total us        self us");
	tree_sort(&root);
	tree_print(&root, print_line, p);
	tree_free(&root);
}

static void
read_stacks(struct reader *rd)
{
	static const struct process_ops none = { .size =
	    sizeof(struct process) };
	static const struct reader_ops ops = { .event = count };

	run.sites.functions = 1;
	run.begin = INT64_MIN;
	processes_init(&run.processes, &none);
	symbols_use(rd, &run.processes);
	rd->stacks = 1;
	reader_run(rd, &ops, &run);
}

static void
say_unsampled(const struct reader *rd)
{
	if (run.unsampled > 0)
		say("CPU time was not sampled, %.3f s of which is known: see "
		    "utctl view -e cpu:unsampled", run.unsampled_s);
	else if (run.n == 0 && rd->nevents > 0)
		say("no event has a call stack: record with record -g, or "
		    "add-context stack");
}

/* Other events than samples say nothing of where the CPU time is. */
static void
say_mixed(const char *by)
{
	if (run.samples > 0 && run.samples < run.n)
		say("-g %s counts %" PRIu64 " samples of the CPU and %" PRIu64
		    " other events together: -e cpu:sample selects the samples "
		    "alone", by, run.samples, run.n - run.samples);
}

void
profile(struct reader *rd, const char *by)
{
	run.callers = strcmp(by, "caller") == 0;
	read_stacks(rd);
	if (show_any(rd)) {
		show_totals(rd);
		show_count("with_stacks", run.n, "",
		    "of them with a call stack");
		show_span(run.begin, run.end, "\n");
		if (strcmp(by, "stack") == 0)
			put_stacks(&run);
		else
			put_functions(&run);
		json_end();
	}
	say_mixed(by);
	say_unsampled(rd);
}

/*
 * Runs of -C.
 */

static void
compare(struct groups *g, const char *key, int what, int64_t ns, uint64_t n)
{
	compare_sum(groups_row(g, key, strlen(key) + 1), what, run.ns > 0 ?
	    (double)ns : (double)n, (double)n);
}

void
profile_read(struct reader *rd, const char *by, struct groups *g)
{
	const int stacks = strcmp(by, "stack") == 0;
	const struct where *w;
	struct site *site;
	char *text;
	size_t i;

	g->prefix = by;
	g->nby = 0;
	run.callers = strcmp(by, "caller") == 0;
	read_stacks(rd);
	say_unsampled(rd);
	for (i = 0; run.ns > 0 && i < run.sites.n; i++)
		run.counts[i].n = run.counts[i].timed;
	for (i = 0; stacks && i < run.sites.n; i++) {
		site = run.sites.v[i];
		text = site_text(site, 0);
		compare(g, text, SUM_TOTAL, run.counts[i].ns, run.counts[i].n);
		free(text);
	}
	if (!stacks)
		list_functions(&run);
	for (w = run.list; w < run.list + run.nlist; w++) {
		text = format("%s%s%s", w->frame->text, w->caller == NULL ?
		    "" : " < ", w->caller == NULL ? "" : w->caller->text);
		compare(g, text, SUM_TOTAL, w->total_ns, w->total);
		compare(g, text, SUM_SELF, w->self_ns, w->self);
		free(text);
	}
	compare_run(run.ns > 0 ? COMPARE_TIMES : COMPARE_STACKS, run.begin,
	    run.end);
	profile_end();
}

void
profile_end(void)
{
	processes_free(&run.processes);
	sites_free(&run.sites);
	frames_free();
	free(run.counts);
	free(run.list);
	memset(&run, 0, sizeof(run));
}
