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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../ctf/select.h"
#include "../say.h"
#include "../sym/symbols.h"
#include "../utctl.h"
#include "common/compat.h"
#include "heap.h"

static struct heap_run run;

static void
event(void *arg, struct ctf_stream *s)
{
	struct heap_run *r = arg;

	if (r->begin == INT64_MIN)
		r->begin = s->ns;
	r->end = s->ns;
	heap_event(r, s);
}

static void
lost(void *arg, const struct ctf_stream *s)
{
	struct heap_run *r = arg;

	processes_lose(&r->processes, s);
}

static void
module(void *arg, struct ctf_stream *s)
{
	struct heap_run *r = arg;

	processes_module(&r->processes, s);
}

static void
over(struct process *p)
{
	heap_end(&run, (struct heap *)p);
}

static void
release(struct process *p)
{
	struct heap *h = (struct heap *)p;
	size_t i;

	for (i = 0; i < h->threads.cap; i++)
		free(h->threads.v[i].value);
	map_free(&h->threads);
	blocks_free(&h->blocks);
	free(h->uses);
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
	uint64_t blocks = 0, twice = 0;
	int any = 0;

	for (p = r->processes.first; p != NULL; p = p->next) {
		h = (const struct heap *)p;
		any |= p->origin->lossy != INT64_MIN;
		blocks += h->unsure_blocks;
		twice += h->unsure_twice;
	}
	if (r->n == 0 || !any)
		return;
	say("events were lost: what is live is not certain, %" PRIu64
	    " of the blocks may have been freed, and %" PRIu64 " more may "
	    "have been freed twice", blocks, twice);
}

static int
heap_traces(struct heap_run *r, struct reader *rd, char **dirs)
{
	static const struct reader_ops ops = { event, lost, lost, NULL, module,
	    NULL, lost };
	struct process *p;
	int status;

	r->processes.numbers = !symbols_begin();
	rd->names = &symbols_names;		/* also without them: modules come and go */
	ut_confine_reader();	/* what it reads may be anybody's */
	processes_open(&r->processes, rd, dirs, heap_calls);
	reader_run(rd, &ops, r);
	for (p = r->processes.first; p != NULL; p = p->next)
		over(p);
	if (rd->ntraces > 0 || ctf_damaged() == 0)
		heap_print(r, rd);
	status = ctf_damaged() != 0;
	ctf_damage_say();
	if (rd->ntraces > 0 && rd->select != NULL)
		select_say(rd->select);
	say_unseen(r);
	if (rd->nevents > 0 && r->n == 0 && r->npaths == 0)
		say("no calls of malloc(3) in the trace: was it recorded with "
		    "-w malloc?");
	if (r->n > 0 && processes_partial(rd))
		say("-e, -x, -l, -L, -f or -t may leave out calls: what is "
		    "live, and what was freed twice, is not certain");
	processes_say(&r->processes);
	say_lost(r);
	return status;
}

static void
heap_init(struct heap_run *r)
{
	memset(r, 0, sizeof(*r));
	processes_init(&r->processes, sizeof(struct heap), over);
	r->begin = INT64_MIN;
	r->top_ever.list = r->ever;
	r->top_live.list = r->live;
	r->top_ever.size = r->top_live.size = sizeof(struct heap_note);
	r->top_ever.most = r->top_live.most = HEAP_TOP;
}

static int
heap_main(int argc, char **argv)
{
	struct select sel;
	struct reader rd;
	char **dirs;
	int c, status;

	heap_init(&run);
	memset(&rd, 0, sizeof(rd));
	select_init(&sel, argc);
	while ((c = option(argc, argv)) != -1)
		if (c == 'a')
			run.all = 1;
		else if (c == 'j')
			run.json = 1;
		else if (!select_option(&sel, c) && !symbols_option(c))
			return usage();
	if (!select_all(&sel))
		rd.select = &sel;
	dirs = which_traces(argv + optind);
	status = heap_traces(&run, &rd, dirs);
	which_free(dirs);
	processes_free(&run.processes, release);
	symbols_end();
	while (run.npaths > 0)
		free(run.paths[--run.npaths]);
	reader_free(&rd);
	select_free(&sel);
	return status;
}

const struct command cmd_heap = {
	.name = "heap", .page = "utctl-stat",
	.line = "show what programs have allocated and not freed",
	.usage = "[-aj] " SYMBOLS_USAGE " " SELECT_USAGE " [dir | session] ...",
	.options = {
	    "-a\talso callers of which nothing is left",
	    "-j\tJSON", SYMBOLS_HELP, SELECT_HELP
	},
	.run = heap_main
};
