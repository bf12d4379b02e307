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
 * The heap over time, who had the memory at its peak, and allocations by stack.
 */

#include <stdlib.h>
#include <string.h>

#include "../held/heap.h"
#include "../say.h"
#include "page.h"

#define SHOWN	8		/* processes, with the greatest peaks */
#define TOP	15		/* callers */

/* Live bytes of a process: the most in a slot, and the last. */
struct level {
	struct heap	*heap;
	uint64_t	 most[PAGE_SLOTS], last[PAGE_SLOTS];
	int		 any[PAGE_SLOTS];
	int		 over;		/* the program was executed again */
	int64_t		 end;		/* time of that exec */
};

/* A call stack, and how many bytes are its. */
struct stack_bytes {
	const struct process *process;
	const struct site *site;
	uint64_t	 bytes;
};

static struct heap_run	 run;
static struct map	 levels;

static void
heap_event(struct processes *ps, struct ctf_stream *s)
{
	const size_t i = page_slot(s->ns, PAGE_SLOTS);
	struct level *l;
	struct heap *h;

	heap_call(ps, s);
	h = (struct heap *)processes_get(ps, s);
	if ((l = map_get(&levels, (uintptr_t)h)) == NULL) {
		l = xcalloc(1, sizeof(*l));
		l->heap = h;
		map_put(&levels, (uintptr_t)h, l);
	}
	l->any[i] = 1;
	l->last[i] = h->bytes;
	if (h->bytes > l->most[i])
		l->most[i] = h->bytes;
}

static void
heap_over(struct process *p)
{
	struct level *l = map_get(&levels, (uintptr_t)p);

	if (l == NULL)
		return;
	l->over = 1;
	l->end = run.processes.end;
}

/* The time of the last event of the process that has the heap. */
static int64_t
level_end(const struct level *l)
{
	const struct page_track *t;
	int64_t end = page.begin;
	size_t i;

	if (l->over)
		return l->end;
	for (i = 0; i < page.tracks.n; i++) {
		t = page.tracks.v[i];
		if (t->process == l->heap->process.key && t->n > 0 &&
		    t->last > end)
			end = t->last;
	}
	return end;
}

static int
by_peak(const void *a, const void *b)
{
	const struct level *x = *(struct level *const *)a;
	const struct level *y = *(struct level *const *)b;

	if (x->heap->peak != y->heap->peak)
		return x->heap->peak < y->heap->peak ? 1 : -1;
	return (x->heap->process.vpid > y->heap->process.vpid) -
	    (x->heap->process.vpid < y->heap->process.vpid);
}

static int
use_by_peak(const void *a, const void *b)
{
	const struct heap_use *x = a, *y = b;

	if (x->peak != y->peak)
		return x->peak < y->peak ? 1 : -1;
	return (x->allocated < y->allocated) - (x->allocated > y->allocated);
}

static int
use_by_bytes(const void *a, const void *b)
{
	const struct heap_use *x = a, *y = b;

	return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

/* Put callers of the peak, and those of the end that are not among them. */
static void
put_callers(struct heap *h)
{
	char text[CALLER_TEXT];
	struct heap_use *uses;
	const size_t n = heap_rows(h, &uses);
	size_t i;

	if (n > 0) {
		page_text("keeper", heap_caller_text(h, uses[0].caller, text));
		json_u64("keeps", uses[0].bytes);
		qsort(uses, n, sizeof(*uses), use_by_peak);
		if (n > TOP)
			qsort(uses + TOP, n - TOP, sizeof(*uses), use_by_bytes);
	}
	json_array("callers");
	for (i = 0; i < n && (i < TOP || (i < 2 * TOP && uses[i].bytes > 0));
	    i++) {
		json_object(NULL);
		page_text("caller", heap_caller_text(h, uses[i].caller, text));
		json_u64("peak", uses[i].peak);
		json_u64("bytes", uses[i].bytes);
		json_u64("blocks", uses[i].blocks);
		json_u64("calls", uses[i].calls);
		json_u64("allocated", uses[i].allocated);
		json_end();
	}
	json_end();
	json_u64("ncallers", n);
	free(uses);
}

static void
put_level(const struct level *l)
{
	struct heap *h = l->heap;
	size_t i;

	json_object(NULL);
	page_process("name", &h->process);
	json_bool("lossy", h->process.origin->lossy != INT64_MIN);
	json_u64("margin", heap_margin(h->error.bytes));
	json_u64("peak_margin", heap_margin(h->peak_error));
	json_u64("bytes", h->bytes);
	json_u64("blocks", h->nblocks);
	json_u64("peak", h->peak);
	page_put_ns("peak_at", h->peak > 0 ? h->peak_ns : page.begin);
	json_u64("allocated", h->allocated);
	json_u64("allocations", h->calls);
	json_u64("unsure_bytes", h->unsure_bytes);
	json_u64("twice", h->twice);
	json_u64("every", h->every);
	json_u64("until", page_slot(level_end(l), PAGE_SLOTS));
	json_array("slots");
	for (i = 0; i < PAGE_SLOTS; i++)
		if (l->any[i]) {
			json_u64(NULL, i);
			json_u64(NULL, l->most[i]);
			json_u64(NULL, l->last[i]);
		}
	json_end();
	put_callers(h);
	json_end();
}

static int
by_value(const void *a, const void *b)
{
	const struct stack_bytes *x = a, *y = b;

	return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

/*
 * Flame graphs of blocks that are live at the end, and of all.  The greatest
 * come first, because a graph has room for so many parts.
 */
static void
put_flames(int live)
{
	struct stack_bytes *list = NULL;
	const struct process *p;
	const struct heap *h;
	size_t i, n = 0, room = 0;
	uint64_t bytes;
	struct flames fs;
	char *program;

	memset(&fs, 0, sizeof(fs));
	fs.title = live ? "Memory that is not freed, by call stack" :
	    "Memory that was allocated, by call stack";
	fs.unit = "B";
	for (p = run.processes.first; p != NULL; p = p->next) {
		h = (const struct heap *)p;
		for (i = 0; i < h->sites.n && i < h->by_site.n; i++) {
			bytes = live ? h->by_site.v[i].bytes :
			    h->by_site.v[i].allocated;
			if (bytes == 0)
				continue;
			list = xgrow(list, n, &room, sizeof(*list));
			list[n].process = p;
			list[n].site = h->sites.v[i];
			list[n++].bytes = bytes;
		}
	}
	if (n > 1)
		qsort(list, n, sizeof(*list), by_value);
	for (i = 0; i < n; i++) {
		p = list[i].process;
		program = host_name(p->host, p->name);
		flame_site(&fs, program, list[i].site, list[i].bytes);
		free(program);
	}
	free(list);
	flame_put(&fs);
	flame_free(&fs);
}

static void
put_heaps(void)
{
	struct level **all = (struct level **)map_sorted(&levels, by_peak);
	size_t i, n = 0;

	json_array("heap");
	for (i = 0; i < levels.n; i++) {
		if (all[i]->heap->calls > 0 && n++ < SHOWN)
			put_level(all[i]);
		free(all[i]);
	}
	json_end();
	json_u64("nheaps", n);
	json_array("heap_flames");
	put_flames(0);
	put_flames(1);
	json_end();
	free(all);
	map_free(&levels);
}

/* Calls of several processes that are taken for one's are no heap. */
void
page_heap(struct reader *rd, struct reader_dir *dirs)
{
	static const struct process_ops ops = { heap_calls, heap_event,
	    sizeof(struct heap), heap_over, heap_release };
	struct process *p;

	memset(&levels, 0, sizeof(levels));
	heap_init(&run, &ops);
	rd->stacks = 1;
	processes_read(&run.processes, rd, dirs);
	for (p = run.processes.first; p != NULL; p = p->next)
		heap_end(&run, (struct heap *)p);
	json_bool("heap_nobody", run.processes.unknown);
	if (!run.processes.unknown)
		put_heaps();
	heap_free(&run);
}
