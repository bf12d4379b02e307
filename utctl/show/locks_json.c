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
 * utctl locks -j: what it prints as JSON.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../say.h"
#include "locks.h"

/* Times in ns: the total is text, for it may be more than a double holds. */
static void
put_hist(const char *name, struct hist *h)
{
	size_t q;

	printf(",\"%s\":{\"n\":%" PRIu64, name, h->n);
	if (h->n > 0) {
		printf(",\"total_ns\":\"%.0f\",\"min\":%.17g", h->sum, h->min);
		for (q = 0; q < HIST_QUANTILES; q++)
			printf(",\"%s\":%.17g", hist_quantiles[q].name,
			    hist_quantile(h, hist_quantiles[q].of_1000));
		printf(",\"max\":%.17g", h->max);
	}
	putchar('}');
}

static void
put_stat(struct lock_stat *st)
{
	printf(",\"acquired\":%" PRIu64 ",\"contended\":%" PRIu64
	    ",\"failed\":%" PRIu64, st->acquired, st->contended, st->failed);
	put_hist("wait", &st->wait);
	put_hist("hold", &st->hold);
}

/* The variable that has the address, if it is known. */
static void
put_name(const char *member, const char *name)
{
	if (name == NULL)
		return;
	printf(",\"%s\":", member);
	put_json(name);
}

/* A thread that has a lock at the end, or waits for it. */
static void
put_end(const struct locks *ls, int first, int32_t thread, int64_t ns,
    uint32_t caller)
{
	printf("%s{\"vtid\":%" PRId32 ",\"ns\":\"%" PRId64 "\",",
	    first ? "" : ",", thread, ns);
	callers_json(&ls->process.callers, caller);
	printf(",\"unsure\":%s}", lock_unsure(ls, ns) ? "true" : "false");
}

static void
put_ends(const struct locks *ls, const struct lock *l)
{
	const struct lock_holder *h;
	const struct lock_thread *t;

	printf(",\"held\":[");
	for (h = l->holders; h < l->holders + l->nholders; h++)
		put_end(ls, h == l->holders, h->thread, h->ns, h->caller);
	printf("],\"waiting\":[");
	for (t = l->waiters; t != NULL; t = t->next)
		put_end(ls, t == l->waiters, t->id, t->wait.ns, t->wait.caller);
	putchar(']');
}

static void
put_locks(const struct locks *ls)
{
	void **all = locks_sorted(ls), **p;
	struct lock *l;

	printf(",\"locks\":[");
	for (p = all; *p != NULL; p++) {
		l = *p;
		printf("%s{\"lock\":", p == all ? "" : ",");
		json_address(l->address);
		put_name("lock_sym", l->name);
		printf(",\"kind\":\"%s\",", l->isrw ? "rwlock" : "mutex");
		callers_json(&ls->process.callers, l->first);
		put_stat(&l->stat);
		put_ends(ls, l);
		putchar('}');
	}
	free(all);
	putchar(']');
}

static void
put_callers(const struct locks *ls)
{
	uint32_t *list;
	size_t i, n = locks_callers(ls, &list);

	printf(",\"callers\":[");
	for (i = 0; i < n; i++) {
		printf("%s{", i == 0 ? "" : ",");
		callers_json(&ls->process.callers, list[i]);
		put_stat(ls->callers[list[i]]);
		putchar('}');
	}
	free(list);
	putchar(']');
}

static void
put_conds(const struct locks *ls)
{
	void **all = conds_sorted(ls), **p;
	struct cond *c;

	printf(",\"conditions\":[");
	for (p = all; *p != NULL; p++) {
		c = *p;
		printf("%s{\"cond\":", p == all ? "" : ",");
		json_address(c->address);
		put_name("cond_sym", c->name);
		putchar(',');
		callers_json(&ls->process.callers, c->first);
		printf(",\"waits\":%" PRIu64 ",\"failed\":%" PRIu64
		    ",\"signals\":%" PRIu64 ",\"broadcasts\":%" PRIu64,
		    c->waits, c->failed, c->signals, c->broadcasts);
		put_hist("wait", &c->wait);
		putchar('}');
	}
	free(all);
	putchar(']');
}

static void
put_process(const struct locks *ls)
{
	putchar('{');
	process_json(&ls->process);
	printf(",\"unheld\":%" PRIu64 ",\"unseen\":%" PRIu64 ",\"unended\":%"
	    PRIu64 ",\"left_out\":%" PRIu64, ls->unheld, ls->unseen,
	    ls->unended, ls->lost);
	put_locks(ls);
	put_callers(ls);
	put_conds(ls);
	putchar('}');
}

static void
put_note(const struct lock_note *n)
{
	const struct callers *cs = &n->process->process.callers;

	printf("{\"took_ns\":\"%" PRId64 "\",\"ns\":\"%" PRId64 "\",", n->took,
	    n->ns);
	process_json(&n->process->process);
	printf(",\"vtid\":%" PRId32 ",\"lock\":", n->thread);
	json_address(n->lock->address);
	put_name("lock_sym", n->lock->name);
	putchar(',');
	callers_json(cs, n->caller);
	printf(",\"failed\":%s", n->failed ? "true" : "false");
	if (n->known) {
		printf(",\"holder\":{\"vtid\":%" PRId32 ",", n->holder);
		callers_json(cs, n->holder_caller);
		putchar('}');
	}
	putchar('}');
}

static void
put_top(const char *name, const struct top *t)
{
	const struct lock_note *notes = t->list, *n;

	printf(",\"%s\":[", name);
	for (n = notes; n < notes + t->n; n++) {
		printf(n == notes ? "" : ",");
		put_note(n);
	}
	putchar(']');
}

void
locks_json(const struct locks_run *r, const struct reader *rd)
{
	const struct process *p;
	const char *comma = "";

	reader_totals_json(rd, r->processes.begin, r->processes.end);
	printf(",\"processes\":[");
	for (p = r->processes.first; p != NULL; p = p->next)
		if (!locks_isempty((const struct locks *)p)) {
			printf("%s", comma);
			put_process((const struct locks *)p);
			comma = ",";
		}
	putchar(']');
	put_top("waits", &r->top_waits);
	put_top("holds", &r->top_holds);
	printf("}\n");
}
