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
 * utctl locks: how long threads waited for locks, how long they held them, and
 * who did so meanwhile.  What is kept grows with the locks, the threads and the
 * places that use them, not with the trace.
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../ctf/select.h"
#include "../sym/symbols.h"
#include "../utctl.h"
#include "common/compat.h"
#include "locks.h"

static void
event(void *arg, struct ctf_stream *s)
{
	struct locks_run *r = arg;

	if (r->begin == INT64_MIN)
		r->begin = s->ns;
	r->end = s->ns;
	locks_event(r, s);
}

static void
lost(void *arg, const struct ctf_stream *s)
{
	struct locks_run *r = arg;

	processes_lose(&r->processes, s);
}

static void
module(void *arg, struct ctf_stream *s)
{
	struct locks_run *r = arg;

	processes_module(&r->processes, s);
}

/* Its memory is gone: nobody has a lock, or waits for one. */
static void
over(struct process *p)
{
	struct locks *ls = (struct locks *)p;
	struct lock_thread *t;
	struct lock *l;
	size_t i;

	locks_settle(ls);
	for (i = 0; i < ls->locks.cap; i++)
		if ((l = ls->locks.v[i].value) != NULL) {
			l->nholders = 0;
			l->waiters = NULL;
		}
	for (i = 0; i < ls->threads.cap; i++)
		if ((t = ls->threads.v[i].value) != NULL)
			t->wait.lock = NULL;
}

static void
release(struct process *p)
{
	locks_free((struct locks *)p);
}

static int
locks_traces(struct locks_run *r, struct reader *rd, char **dirs)
{
	static const struct reader_ops ops = { event, lost, lost, NULL, module,
	    NULL, lost };
	struct process *p;
	int status;

	r->processes.numbers = !symbols_begin();
	rd->names = &symbols_names;		/* also without them: modules come and go */
	ut_confine_reader();	/* what it reads may be anybody's */
	processes_open(&r->processes, rd, dirs, locks_calls);
	reader_run(rd, &ops, r);
	for (p = r->processes.first; p != NULL; p = p->next)
		locks_settle((struct locks *)p);
	if (rd->ntraces > 0 || ctf_damaged() == 0) {
		if (r->json)
			locks_json(r, rd);
		else
			locks_print(r, rd);
	}
	status = ctf_damaged() != 0;
	ctf_damage_say();
	if (rd->ntraces > 0 && rd->select != NULL)
		select_say(rd->select);
	if (rd->nevents > 0 && r->n == 0)
		say("no events of locks in the trace: was it recorded with "
		    "-w pthread?");
	if (r->n > 0 && processes_partial(rd))
		say("-e, -x, -l, -L, -f or -t may leave out calls: who waited "
		    "for whom, and how long, is not certain");
	processes_say(&r->processes);
	return status;
}

static void
locks_init(struct locks_run *r)
{
	memset(r, 0, sizeof(*r));
	processes_init(&r->processes, sizeof(struct locks), over);
	r->begin = INT64_MIN;
	r->top_waits.list = r->waits;
	r->top_holds.list = r->holds;
	r->top_waits.size = r->top_holds.size = sizeof(struct lock_note);
	r->top_waits.most = r->top_holds.most = LOCKS_TOP;
}

static int
locks_main(int argc, char **argv)
{
	struct select sel;
	struct reader rd;
	struct locks_run r;
	char **dirs;
	int c, status;

	locks_init(&r);
	memset(&rd, 0, sizeof(rd));
	select_init(&sel, argc);
	while ((c = option(argc, argv)) != -1)
		if (c == 'a')
			r.all = 1;
		else if (c == 'j')
			r.json = 1;
		else if (!select_option(&sel, c) && !symbols_option(c))
			return usage();
	if (!select_all(&sel))
		rd.select = &sel;
	dirs = which_traces(argv + optind);
	status = locks_traces(&r, &rd, dirs);
	which_free(dirs);
	processes_free(&r.processes, release);
	symbols_end();
	reader_free(&rd);
	select_free(&sel);
	return status;
}

const struct command cmd_locks = {
	.name = "locks", .page = "utctl-stat",
	.line = "show how long threads waited for locks, and held them",
	.usage = "[-aj] " SYMBOLS_USAGE " " SELECT_USAGE " [dir | session] ...",
	.options = {
	    "-a\tall of them, not only 20 of a kind",
	    "-j\tJSON", SYMBOLS_HELP, SELECT_HELP
	},
	.run = locks_main
};
