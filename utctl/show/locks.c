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

#include "../utctl.h"
#include "locks.h"
#include "show.h"

static struct locks_run run;

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
locks_option(int c)
{
	if (c == 'a')
		run.all = 1;
	else if (c == 'j')
		json_start(1);
	return c == 'a' || c == 'j';
}

static int
locks_traces(struct reader *rd, char **dirs)
{
	struct process *p;

	processes_read(&run.processes, rd, dirs);
	for (p = run.processes.first; p != NULL; p = p->next)
		locks_settle((struct locks *)p);
	if (show_any(rd))
		locks_print(&run, rd);
	return 0;
}

static void
say_all(const struct reader *rd)
{
	if (rd->nevents > 0 && run.processes.n == 0)
		say("no events of locks in the trace: was it recorded with "
		    "-w pthread?");
	processes_say(&run.processes, rd,
	    "who waited for whom, and how long");
}

static void
end(void)
{
	processes_free(&run.processes);
}

static int
locks_main(int argc, char **argv)
{
	static const struct process_ops ops = { locks_calls, locks_call,
	    sizeof(struct locks), over, release };
	static const struct show show_locks = { locks_option, NULL, NULL,
	    NULL, locks_traces, say_all, end };

	memset(&run, 0, sizeof(run));
	processes_init(&run.processes, &ops);
	run.top_waits.list = run.waits;
	run.top_holds.list = run.holds;
	run.top_waits.size = run.top_holds.size = sizeof(struct lock_note);
	run.top_waits.most = run.top_holds.most = LOCKS_TOP;
	return show(&show_locks, argc, argv);
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
