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
 * utctl report: one page of HTML about traces, which needs nothing else.  The
 * script and the style are page.js and page.css; all data are in one block of
 * JSON, which the script reads.
 */

#include <string.h>
#include <unistd.h>

#include "../ctf/select.h"
#include "../held/heap.h"
#include "../say.h"
#include "../show/print.h"
#include "../show/show.h"
#include "../sym/symbols.h"
#include "../when.h"
#include "page.h"

/* Is the event of one of these kinds? */
static int
is_call(const struct call_kind *kinds, const char *name)
{
	for (; kinds->event != NULL; kinds++)
		if (strcmp(kinds->event, name) == 0)
			return 1;
	return 0;
}

static void
look_for_parts(const struct reader *rd)
{
	const struct ctf_trace *tr;
	const struct ctf_eclass *ev;

	for (tr = rd->traces; tr != NULL; tr = tr->next)
		for (ev = tr->events; ev != NULL; ev = ev->next) {
			if (ev->unwanted)
				continue;
			page.has_heap |= is_call(heap_calls, ev->name);
			page.has_locks |= is_call(locks_calls, ev->name);
			page.has_samples |=
			    strcmp(ev->name, "cpu:sample") == 0;
		}
}

/* Are events of the kind drawn in another way than as instants? */
static int
is_drawn(const struct ctf_stream *s)
{
	const char *name = s->event->name;

	return s->event->pairs != NULL || is_call(heap_calls, name) ||
	    is_call(locks_calls, name) || strcmp(name, "cpu:sample") == 0;
}

static void
event(void *arg, struct ctf_stream *s)
{
	struct page_track *t = page_track_of(s);
	struct page_event *e = page_event_of(s);
	const struct page_bar instant = { -(int64_t)e->n - 1, s->ns, t->number,
	    e->number, 0, 0 };
	size_t slot;

	(void)arg;
	page_reach(s->ns);
	slot = page_slot(s->ns, PAGE_SLOTS);
	if (e->n++ == 0) {
		e->first = s->ns;
		e->drawn = is_drawn(s);
	}
	e->last = s->ns;
	e->bits += ctf_event_bits(s);
	e->slots[slot]++;
	t->n++;
	t->last = s->ns;
	if (t->cells != NULL)
		t->cells->n[slot]++;
	if (s->event->pairs != NULL)
		page_pairs_event(s, PAIR_FITS);
	if (t->cells == NULL)
		e->undrawn++;
	else if (!e->drawn)
		page_bar(&page.instants, &instant);
}

static void
refused(void *arg, struct ctf_stream *s)
{
	(void)arg;
	if (s->event->pairs != NULL)
		page_pairs_event(s, s->event->unfit ? PAIR_OPEN :
		    PAIR_REFUSED);
}

/*
 * Losses.
 */

/* Each two losses of a kind become one if they are near enough. */
static void
join_losses(void)
{
	struct page_loss *l, *before[LOSS_KINDS] = { NULL }, *b;
	const size_t n = page.nlosses;

	page.nlosses = 0;
	for (l = page.losses; l < page.losses + n; l++) {
		b = before[l->kind];
		if (b == NULL || when_sum(l->from, -b->to) > page.near) {
			before[l->kind] = &page.losses[page.nlosses];
			page.losses[page.nlosses++] = *l;
			continue;
		}
		if (l->from < b->from)
			b->from = l->from;
		if (l->to > b->to)
			b->to = l->to;
		b->n += l->n;
		if (l->track != b->track)
			b->track = LOSS_ANY;
		b->times += l->times;
		before[l->kind] = NULL;
	}
}

/*
 * The track of the thread that lost the events: it had the packet before the
 * loss and that behind it.
 */
static int64_t
loser(const struct ctf_stream *s, int kind, uint64_t n)
{
	const struct ctf_who *w = &s->who;
	struct page_track *t;

	if (kind != LOSS_EVENTS || s->class->eventwho || !s->stays ||
	    ctf_who_id(w, ROLE_VTID) == 0)
		return LOSS_ANY;
	t = page_track_whose(s, w);
	t->lost += n;
	return t->number;
}

static void
lose(const struct ctf_stream *s, int64_t from, int64_t to, uint64_t n,
    int kind)
{
	const struct page_loss loss = { from, to, n, 1, kind,
	    loser(s, kind, n) };

	pairs_lose(&page.pairs, s);
	if (page.nlosses == PAGE_LOSSES)
		while (page.nlosses > PAGE_LOSSES / 2) {
			page.near = when_sum(page.near, page.near) | 1;
			join_losses();
		}
	page.losses[page.nlosses++] = loss;
}

static void
discarded(void *arg, const struct ctf_stream *s)
{
	(void)arg;
	lose(s, s->from, s->to, s->ndiscarded, LOSS_EVENTS);
}

static void
lost(void *arg, const struct ctf_stream *s)
{
	(void)arg;
	lose(s, s->lostfrom, s->lost, s->nlost, LOSS_PACKETS);
}

static void
gone(void *arg, const struct ctf_stream *s)
{
	(void)arg;
	lose(s, s->gonefrom, s->goneto, 0, LOSS_GONE);
}

/* The process may be another one now, with another name. */
static void
module(void *arg, struct ctf_stream *s)
{
	(void)arg;
	(void)s;
	page.stream = NULL;
}

static void
read_all(struct reader *rd)
{
	static const struct reader_ops ops = { event, discarded, lost,
	    text_trace, module, refused, gone };
	struct ctf_trace *tr;
	struct reread again;

	page.pairs.ops = &page_pair_ops;
	page.top.list = page.slow;
	page.top.size = sizeof(page.slow[0]);
	page.top.most = PAGE_SLOWEST;
	page.bars.most = PAGE_BARS;
	page.lock_bars.most = PAGE_LOCKS;
	page.instants.most = PAGE_INSTANTS;
	page.flame.title = "Time in pairs of events";
	page.flame.unit = "ns";
	symbols_use(rd, &page.pairs.processes);
	rd->refused = rd->select != NULL;
	for (tr = rd->traces; tr != NULL; tr = tr->next)
		pairs_trace(&page.pairs, tr);
	ctf_print_init(0);
	reread_begin(&again, rd);
	reader_run(rd, &ops, NULL);
	pairs_finish(&page.pairs);
	page_pairs_fields(&again);
	reread_end(&again);
}

/* Read once more; what is damaged has been told of. */
static void
again(const struct reader *first, struct reader_dir *dirs,
    void (*call)(struct reader *, struct reader_dir *))
{
	const unsigned long n = ctf_damage_lines();
	struct reader rd;

	memset(&rd, 0, sizeof(rd));
	rd.select = first->select;
	rd.names = first->names;
	call(&rd, dirs);
	reader_free(&rd);
	ctf_damage_forget(n);
}

static int
report(struct reader *rd, struct reader_dir *dirs)
{
	reader_open_all(rd, dirs);
	if (!show_any(rd))
		return 0;
	look_for_parts(rd);
	read_all(rd);
	if (page.has_locks)
		again(rd, dirs, page_locks);
	json_start(1);
	page_head();
	page_put(rd);
	if (page.has_locks)
		page_put_locks();
	json_array("flames");
	flame_put(&page.flame);
	if (page.has_samples)
		again(rd, dirs, page_samples);
	json_end();
	if (page.has_samples)
		page_put_cpu();
	if (page.has_heap)
		again(rd, dirs, page_heap);
	page_put_bars();
	page_tail();
	return 0;
}

static int
report_option(int c)
{
	if (c != 'D')
		return 0;
	pairs_add(&page.pairs, optarg);
	return 1;
}

static void
check(void)
{
	if (isatty(STDOUT_FILENO))
		die("report: the page is for a browser: put >page.html behind "
		    "the command");
}

static void
report_say(const struct reader *rd)
{
	(void)rd;
	pairs_say(&page.pairs);
}

static void
report_end(void)
{
	flame_free(&page.flame);
	pairs_free(&page.pairs);
	page_free();
}

static int
report_main(int argc, char **argv)
{
	static const struct show show_report = { report_option, check, NULL,
	    NULL, report, report_say, report_end };

	memset(&page, 0, sizeof(page));
	page.begin = INT64_MIN;
	pairs_init(&page.pairs);
	page.pairs.named = 1;
	return show(&show_report, argc, argv);
}

const struct command cmd_report = {
	.name = "report", .page = "utctl-report",
	.line = "write a page of HTML that shows what is in traces",
	.usage = "[-D begin,end[,field]] ... " SHOW_USAGE,
	.options = {
	    "-D a,b,key\tpairs of these events; key: a field of both",
	    SHOW_HELP
	},
	.run = report_main
};
