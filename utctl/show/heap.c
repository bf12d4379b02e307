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

#include "../say.h"
#include "../utctl.h"
#include "heap.h"
#include "show.h"

static struct heap_run run;

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
	if (r->processes.n == 0 || !any)
		return;
	say("events were lost: what is live is not certain, %" PRIu64
	    " of the blocks may have been freed, and %" PRIu64 " more may "
	    "have been freed twice", blocks, twice);
}

static int
heap_option(int c)
{
	if (c == 'a')
		run.all = 1;
	else if (c == 'j')
		json_start(1);
	return c == 'a' || c == 'j';
}

static int
heap_traces(struct reader *rd, char **dirs)
{
	struct process *p;

	processes_read(&run.processes, rd, dirs);
	for (p = run.processes.first; p != NULL; p = p->next)
		over(p);
	if (show_any(rd))
		heap_print(&run, rd);
	return 0;
}

static void
say_all(const struct reader *rd)
{
	const struct processes *ps = &run.processes;

	say_unseen(&run);
	if (rd->nevents > 0 && ps->n == 0 && run.npaths == 0)
		say("no calls of malloc(3) in the trace: was it recorded with "
		    "-w malloc?");
	processes_say(ps, rd, "what is live, and what was freed twice");
	say_lost(&run);
}

static void
end(void)
{
	processes_free(&run.processes);
	while (run.npaths > 0)
		free(run.paths[--run.npaths]);
}

static int
heap_main(int argc, char **argv)
{
	static const struct process_ops ops = { heap_calls, heap_call,
	    sizeof(struct heap), over, release };
	static const struct show show_heap = { heap_option, NULL, NULL,
	    NULL, heap_traces, say_all, end };

	memset(&run, 0, sizeof(run));
	processes_init(&run.processes, &ops);
	run.top_ever.list = run.ever;
	run.top_live.list = run.live;
	run.top_ever.size = run.top_live.size = sizeof(struct heap_note);
	run.top_ever.most = run.top_live.most = HEAP_TOP;
	return show(&show_heap, argc, argv);
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
