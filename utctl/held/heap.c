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
 * utctl heap: what programs have allocated and not freed, by whom it was, how
 * much they had at most, and what was freed that should not have been.  What
 * is kept grows with the blocks that are live at a time and the places that
 * allocate, not with the trace.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../say.h"
#include "../show/compare.h"
#include "../show/show.h"
#include "heap.h"

static struct heap_run run;
static struct groups groups;	/* the run of -C that is read */
static int mixed;		/* processes: see is_mixed() */

static void
heap_over(struct process *p)
{
	heap_end(&run, (struct heap *)p);
}

/*
 * Output.
 */

static int
by_live(const void *a, const void *b)
{
	const struct heap *x = *(struct heap *const *)a;
	const struct heap *y = *(struct heap *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->allocated != y->allocated)
		return x->allocated < y->allocated ? 1 : -1;
	return (x->process.vpid > y->process.vpid) -
	    (x->process.vpid < y->process.vpid);
}

/*
 * Calls of processes that are not known are taken for one's.  If memory is then
 * allocated or freed again that was already, they are several's: nothing that
 * is counted is right.
 */
static int
is_mixed(struct heap_run *r)
{
	const struct heap *h;
	struct process *p;
	uint64_t n = 0;

	for (p = r->processes.first; p != NULL; p = p->next) {
		h = (const struct heap *)p;
		n += h->unseen + h->twice;
	}
	return r->processes.unknown && n > 0;
}

/* The processes with events, those with the most live bytes first. */
static struct heap **
sort_heaps(const struct heap_run *r, size_t *n)
{
	struct process *p;
	struct heap **all, *h;
	size_t most = 1;

	for (p = r->processes.first; p != NULL; p = p->next)
		most++;
	all = xcalloc(most, sizeof(*all));
	*n = 0;
	for (p = r->processes.first; p != NULL; p = p->next) {
		h = (struct heap *)p;
		if (h->calls + h->failed + h->unknown + h->twice +
		    h->unsure_twice > 0)
			all[(*n)++] = h;
	}
	if (*n > 1)
		qsort(all, *n, sizeof(struct heap *), by_live);
	return all;
}

/* The rows of a process. */
struct table {
	struct heap	*heap;
	struct heap_use	*uses;
};

/* The margins of sums, if these are estimates. */
static void
put_error(struct rows *t, const struct heap *h, const struct heap_error *e)
{
	if (h->every == 0)
		return;
	row_u64(t, "+-", "bytes_error", heap_margin(e->bytes));
	json_u64("blocks_error", heap_margin(e->blocks));
	json_u64("allocated_error", heap_margin(e->allocated));
}

static void
print_error(const struct heap *h)
{
	printf("  estimated from samples, one for %" PRIu64 " bytes:\n"
	    "  +- %" PRIu64 " bytes in +- %" PRIu64 " blocks live, +- %" PRIu64
	    " bytes allocated\n", h->every, heap_margin(h->error.bytes),
	    heap_margin(h->error.blocks), heap_margin(h->error.allocated));
}

static void
put_use(struct rows *t, const void *arg, size_t i)
{
	const struct table *table = arg;
	const struct heap_run *r = table->heap->run;
	const struct heap_use *u = &table->uses[i];
	char text[CALLER_TEXT];

	heap_caller_json(table->heap, u->caller);
	row_u64(t, "bytes", "bytes", u->bytes);
	put_error(t, table->heap, &u->error);
	row_u64(t, "blocks", "blocks", u->blocks);
	row_u64(t, r->graphs ? "at peak" : NULL, "peak", u->peak);
	if (table->heap->every == 0)
		row_u64(t, r->graphs ? "temporary" : NULL, "temporary",
		    u->temporary);
	row_u64(t, "largest", "largest", u->largest);
	row_u64(t, "calls", "calls", u->calls);
	row_u64(t, "allocated", "allocated", u->allocated);
	row_u64(t, r->all ? "not here" : NULL, "unknown", u->unknown);
	if (row_end(t, "caller"))
		row_add("  %s\n", heap_caller_text(table->heap, u->caller,
		    text));
	if (r->graphs && !t->isheads)
		heap_put_stacks(table->heap, u);
}

static void
print_blocks(const char *before, uint64_t bytes, uint64_t blocks,
    const char *what)
{
	printf("%s%" PRIu64 " byte%s in %" PRIu64 " block%s %s", before, bytes,
	    many(bytes), blocks, many(blocks), what);
}

static void
print_heap(const struct heap *h)
{
	char when[CTF_TIMELEN], *who = process_text(&h->process);

	printf("\n%s", who);
	free(who);
	print_blocks(": ", h->bytes, h->nblocks, "live at the end\n");
	if (h->unsure_blocks > 0)
		print_blocks("  of them ", h->unsure_bytes, h->unsure_blocks,
		    "may have been freed: events were lost since\n");
	print_blocks("  ", h->allocated, h->calls, "allocated");
	printf(", %" PRIu64 " block%s freed\n", h->frees, many(h->frees));
	if (h->every != 0)
		print_error(h);
	if (h->peak > 0) {
		ctf_print_time(h->peak_ns, when);
		printf("  %" PRIu64 " byte%s live at most, from %s on "
		    "(%+.6f s)\n", h->peak, many(h->peak), when,
		    when_seconds(h->run->processes.begin, h->peak_ns));
	}
	if (h->run->graphs && h->every == 0)
		show_count(NULL, h->temporary, "  ",
		    "freed by the next call of their thread: temporary");
	show_count(NULL, h->failed, "  ", h->failed == 1 ?
	    "call returned no memory" : "calls returned no memory");
	show_count(NULL, h->twice, "  ", "freed twice");
	show_count(NULL, h->unsure_twice, "  ",
	    "perhaps freed twice: events were lost meanwhile");
	show_count(NULL, h->unknown, "  ", "freed, but not allocated here");
	show_count(NULL, h->unseen, "  ",
	    "freed unseen: the memory was allocated again");
}

static void
json_heap(const struct heap *h)
{
	process_json(&h->process);
	json_u64("bytes", h->bytes);
	json_u64("blocks", h->nblocks);
	json_u64("allocated", h->allocated);
	json_u64("allocations", h->calls);
	json_u64("frees", h->frees);
	json_u64("failed", h->failed);
	json_u64("twice", h->twice);
	json_u64("unknown", h->unknown);
	json_u64("unseen", h->unseen);
	json_u64("peak", h->peak);
	if (h->every == 0)
		json_u64("temporary", h->temporary);
	else {
		json_u64("every", h->every);
		put_error(NULL, h, &h->error);
		json_u64("peak_error", heap_margin(h->peak_error));
	}
	json_u64("unsure_bytes", h->unsure_bytes);
	json_u64("unsure_blocks", h->unsure_blocks);
	json_u64("unsure_twice", h->unsure_twice);
	if (h->peak > 0)
		json_ns("peak_ns", h->peak_ns);
}

static void
put_heap(struct heap *h)
{
	static const int widths[2][2][9] = {
	    { { 14, 10, 12, 12, 16, 11 },
	    { 14, 10, 14, 10, 12, 12, 16, 11 } },
	    { { 14, 12, 10, 12, 12, 16, 11 },
	    { 14, 12, 10, 14, 12, 12, 16, 11 } } };
	struct rows t = { .fixed = widths[h->every != 0][h->run->graphs] };
	struct table table = { .heap = h };
	size_t n;

	json_object(NULL);
	if (json_on)
		json_heap(h);
	else
		print_heap(h);
	if (h->run->intervals.length > 0)
		heap_put_spans(h);
	else {
		n = heap_rows(h, &table.uses);
		rows_put(&t, "callers", n, put_use, &table);
		free(table.uses);
	}
	json_end();
}

/* The event of a block: when, in which thread, and by which caller. */
static void
put_place(const struct rows *t, const char *head, const struct heap *h,
    int64_t ns, int32_t thread, uint32_t caller)
{
	const struct process *p = &h->process;
	char text[CALLER_TEXT];

	json_ns("ns", ns);
	row_who(t, head, ns, p->host, p->name, p->vpid, thread);
	heap_caller_json(h, caller);
	if (row_end(t, "caller"))
		row_add("  %s", heap_caller_text(h, caller, text));
}

static void
put_note(struct rows *t, const void *arg, size_t i)
{
	const struct top *top = arg;
	const struct heap_note *n = (const struct heap_note *)top->list + i;

	row_u64(t, "bytes", "bytes", n->block.size);
	put_place(t, "allocated", n->heap, n->block.ns, n->block.thread,
	    n->block.caller);
	if (top == &n->heap->run->top_live)
		json_bool("unsure", n->unsure);
	if (row_end(t, NULL))
		row_add("%s\n", n->unsure ? ", as far as is known" : "");
}

static void
put_twice(struct rows *t, const void *arg, size_t i)
{
	const struct heap_note *n = (const struct heap_note *)arg + i;

	json_address("ptr", n->block.address);
	row_text(t, "block", "0x%016" PRIx64, n->block.address);
	json_object("first");
	put_place(t, "freed", n->heap, n->block.ns, n->block.thread,
	    n->block.caller);
	json_end();
	if (row_end(t, NULL)) {
		row_add("\n");
		row_add("%18s", "again");
	} else if (!json_on)
		return;
	json_object("again");
	put_place(t, NULL, n->heap, n->ns, n->thread, n->caller);
	json_end();
	if (row_end(t, NULL))
		row_add("\n");
}

static void
heap_print(const struct heap_run *r, const struct reader *rd)
{
	static const int width = 18;
	struct rows t = { .fixed = &width };
	struct heap **all;
	size_t i, n;

	rows_program(&r->processes);
	show_totals(rd);
	if (!json_on && r->processes.n == 0)
		return;
	show_span(r->processes.begin, r->processes.end, "\n");
	all = sort_heaps(r, &n);
	json_array("processes");
	for (i = 0; i < n; i++)
		put_heap(all[i]);
	json_end();
	free(all);
	if (r->intervals.length > 0) {
		json_ns("interval_ns", r->intervals.length);
		json_end();
		return;
	}
	top_put("the largest blocks that are live", "largest_live",
	    &r->top_live, put_note);
	top_put("the largest blocks of all", "largest", &r->top_ever,
	    put_note);
	if (!json_on && r->ntwice > 0)
		printf("\nfreed twice:\n");
	rows_put(&t, "freed_twice", r->ntwice, put_twice, r->twice);
	json_end();
}

/* Name each program, or library, that an allocator is linked into. */
static void
say_unseen(const struct heap_run *r)
{
	char *shown;
	size_t i;

	for (i = 0; i < r->npaths; i++) {
		shown = clean(r->paths[i]);
		say("%s calls an allocator that -w malloc does not see: what "
		    "it allocates and frees is missing", shown);
		free(shown);
	}
}

/* The blocks that are listed as freed twice were, whatever was lost. */
static void
say_lost(const struct heap_run *r)
{
	const struct process *p;
	const struct heap *h;
	const char *why;
	uint64_t blocks = 0, twice = 0;
	int any = 0, losses = 0;

	for (p = r->processes.first; p != NULL; p = p->next) {
		h = (const struct heap *)p;
		any |= p->origin->lossy != INT64_MIN;
		losses |= p->origin->losses;
		blocks += h->unsure_blocks;
		twice += h->unsure_twice;
	}
	if (r->processes.n == 0 || !any)
		return;
	why = losses ? "events were lost" :
	    "the oldest events were removed (-W, -M) or overwritten";
	if (blocks + twice == 0)
		say("%s: what is live is not certain", why);
	else
		say("%s: what is live is not certain, %" PRIu64 " of the "
		    "blocks may have been freed, and %" PRIu64 " more may "
		    "have been freed twice", why, blocks, twice);
}

static int
heap_option(int c)
{
	if (c == 'g')
		run.graphs = 1;
	if (c == 'i')
		intervals_length(&run.intervals, optarg);
	if (c == 'C')
		compare_with(optarg);
	return c == 'g' || c == 'i' || c == 'C' ||
	    show_all_option(c, &run.all);
}

static void
check(void)
{
	show_paged(1);
	if (run.intervals.length > 0 && (run.all || run.graphs ||
	    compare_on()))
		die("-i goes with no -a, -C or -g: intervals have no callers");
}

static void
begin(struct reader *rd, struct reader_dir *dirs)
{
	(void)rd;
	if (compare_on())
		compare_begin(dirs);
}

static void
opened(struct processes *ps, struct reader *rd)
{
	(void)ps;
	if (run.intervals.length > 0)
		intervals_begin(&run.intervals, rd);
}

static void
read_heaps(struct reader *rd, struct reader_dir *dirs)
{
	struct process *p;

	rd->stacks = 1;
	run.processes.opened = opened;
	processes_read(&run.processes, rd, dirs);
	if ((mixed = is_mixed(&run)))
		processes_free(&run.processes);
	if (mixed)
		run.processes.n = run.top_ever.n = run.ntwice = 0;
	for (p = run.processes.first; p != NULL; p = p->next)
		heap_over(p);
}

static void
say_all(const struct reader *rd)
{
	const struct processes *ps = &run.processes;

	say_unseen(&run);
	if (mixed)
		say("the trace has calls of several processes, and does not "
		    "tell of which: record with lttng add-context -u -t vpid");
	else if (rd->nevents > 0 && ps->n == 0 && run.npaths == 0)
		calls_say_none(rd, "calls of malloc(3)", "libc", "malloc");
	if (mixed)
		return;
	processes_say(ps, rd, "what is live, and what was freed twice");
	say_lost(&run);
}

/* Read a run of -C; lines differ from program to program. */
static uint64_t
read_run(struct reader *rd)
{
	const struct process_ops *ops = run.processes.ops;
	const int graphs = run.graphs;
	struct process *p;

	run.functions = 1;
	read_heaps(rd, NULL);
	for (p = run.processes.first; p != NULL; p = p->next)
		heap_compare((struct heap *)p, &groups);
	groups_sort(&groups, NULL);
	say_all(rd);
	compare_run(COMPARE_HEAP, run.processes.begin, run.processes.end);
	heap_free(&run);
	heap_init(&run, ops);
	run.graphs = graphs;
	return 0;
}

static int
heap_traces(struct reader *rd, struct reader_dir *dirs)
{
	if (compare_on()) {
		groups.prefix = run.graphs ? "stack" : "caller";
		compare_runs(rd, &groups, COMPARE_HEAP, run.all, read_run);
		return 0;
	}
	read_heaps(rd, dirs);
	if (show_any(rd))
		heap_print(&run, rd);
	return 0;
}

static void
say_none(const struct reader *rd)
{
	if (!compare_on())
		say_all(rd);
}

static void
heap_finish(void)
{
	compare_end();
	groups_free(&groups);
	heap_free(&run);
}

static int
heap_main(int argc, char **argv)
{
	static const struct process_ops ops = { heap_calls, heap_call,
	    sizeof(struct heap), heap_over, heap_release };
	static const struct show show_heap = { heap_option, check, NULL,
	    begin, heap_traces, say_none, heap_finish };

	memset(&groups, 0, sizeof(groups));
	heap_init(&run, &ops);
	return show(&show_heap, argc, argv);
}

const struct command cmd_heap = {
	.name = "heap", .page = "utctl-stat",
	.line = "show what programs have allocated and not freed",
	.usage = "[-agj] [-C before] ... [-i time] " SHOW_USAGE,
	.options = {
	    "-a\talso callers of which nothing is left, or that do not differ",
	    "-C before\tcompare with this run; may be repeated",
	    "-g\twho calls the callers, as trees",
	    "-i time\twhat is live over time: a line for each interval, as 1s",
	    "-j\tJSON", SHOW_HELP
	},
	.run = heap_main
};
