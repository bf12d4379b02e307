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
 * Run a command and record its events, with a utd of its own; or record what
 * runs already, with the utd that is there, or one as long as this takes.
 */

#include <sys/types.h>

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/compat.h"
#include "record.h"
#include "ut_abi.h"

#define AGAIN		20		/* times that it is started anew */
#define LOOK_MS		50		/* between looks for another utd */
#define TAKEN_MS	10000		/* ms for another utd to begin or end */

static char session_name[] = "record";
static pid_t unowned;		/* a utd that nobody owns, or 0 */

static void
prepare_command(const void *arg)
{
	const struct record *r = arg;
	const char *old = getenv("LD_PRELOAD");

	setenv("UT_RUNDIR", r->rundir, 1);
	if (r->preload == NULL)
		return;
	/*
	 * Programs that know nothing of libut may do what fails with a second
	 * thread.  Our rules never change, so nothing is lost without it.
	 */
	setenv("UT_THREADS", "0", 0);
	if (old == NULL || *old == '\0')
		setenv("LD_PRELOAD", r->preload, 1);
	else
		setenv("LD_PRELOAD", format("%s:%s", r->preload, old), 1);
}

/* End a utd that nobody owns; at exit, too, since utctl may lack memory. */
static void
utd_kill(void)
{
	if (unowned == 0)
		return;
	kill(unowned, SIGTERM);
	(void)utd_reap(unowned);
	unowned = 0;
}

/* Start utd, and own it.  A signal waits until then, or utd would stay. */
static int
utd_own(struct record *r)
{
	r->pid = utd_start(r->utd, r->rundir, &r->sig, r->argv == NULL ?
	    &r->taken : NULL);	/* a command has a utd of its own */
	if (r->pid == -1)
		return -1;
	unowned = r->pid;
	r->client = client_open(r->rundir, r->argv == NULL ? CLIENT_OWN_LAST :
	    CLIENT_OWN);
	if (r->client == NULL)
		utd_kill();
	utd_owned();
	unowned = 0;
	return r->client == NULL ? -1 : 0;
}

/*
 * A utd that ends in order removes its socket, but one that begins removes what
 * a killed one has left, too, for a moment: so look twice.
 */
static void
socket_look(struct record *r)
{
	char *path = format("%s/%s", r->rundir, UT_SOCKET);

	if (access(path, F_OK) == -1 && errno == ENOENT)
		r->absent++;
	else
		r->absent = 0;
	free(path);
}

/* Is there another utd in the place of one that is not ours?  -1: not yet. */
static int
shared_again(struct record *r)
{
	r->restarts++;
	if ((r->client = attach_client(r)) != NULL) {
		r->absent = r->said_gone = 0;
		return 0;
	}
	socket_look(r);
	if (r->absent == 0 && !r->said_gone) {
		say("utd in %s has gone away: session %s goes on with the "
		    "next one", r->rundir, r->session);
		r->said_gone = 1;
	}
	return -1;
}

/*
 * utd was killed: use the one that goes on with its sessions.  If ours was
 * killed, start it again, at most AGAIN times.  -1: there is none.
 */
static int
utd_again(struct record *r)
{
	client_close(r->client);
	r->client = NULL;
	if (r->shared)
		return shared_again(r);
	(void)utd_reap(r->pid);
	if (r->restarts++ < AGAIN && utd_own(r) == 0)
		return 0;
	if (r->taken) {
		r->shared = 1;
		return shared_again(r);
	}
	say("to have what was recorded: UT_RUNDIR=%s utctl recover",
	    r->rundir);
	return -1;
}

/*
 * If utd was killed, the session may have been stopped before that; -1: the
 * session is gone.
 */
static int
session_active(struct record *r)
{
	struct row *rows;
	int active;

	if (r->restarts == 0)
		return 1;
	if (client_ask(r->client, UT_CTL_LIST, r->session, &rows) == -1) {
		if (!client_gone(r->client))
			say("somebody has ended utd, and its sessions, "
			    "meanwhile");
		return -1;
	}
	active = rows->child != NULL &&
	    strcmp(row_str(rows->child, "state"), "active") == 0;
	row_free(rows);
	return active;
}

/* The command failed: write what its programs recorded last, if anything. */
static int
snapshot_ask(struct record *r)
{
	struct row *rows;
	const struct row *s;
	uint64_t events, lost;
	bool any;

	if (!r->keeps || !r->failed || r->shot != NULL)
		return 0;
	if (client_ask(r->client, UT_CTL_LIST, r->session, &rows) == -1)
		return -1;
	if (rows->child != NULL)
		(void)modules_hide(r, rows->child, &lost);
	any = rows->child != NULL && row_num(rows->child, "written") > 0;
	row_free(rows);
	if (!any)
		return 0;
	if (record_dir_replace(&r->out, 0) == -1 || client_snapshot(r->client,
	    r->session, r->out.dir, NULL, NULL, &rows) == -1)
		return -1;
	if ((s = row_first(rows->child, "snapshot")) != NULL) {
		events = row_num(s, "events");
		r->shot = format("snapshot of %" PRIu64 " event%s%s: %s",
		    events, many(events), row_str(s, "lacks"),
		    row_str(s, "dir"));
	} else
		r->shot = format("%s", client_text(r->client));
	row_free(rows);
	return 0;
}

static int
session_ask(struct record *r, struct row **rows)
{
	int active;

	if (snapshot_ask(r) == -1 || (active = session_active(r)) == -1)
		return -1;
	return (active &&
	    client_ask(r->client, UT_CTL_STOP, r->session, NULL) == -1) ||
	    client_ask(r->client, UT_CTL_LIST, r->session, rows) == -1 ||
	    client_ask(r->client, UT_CTL_DESTROY, r->session, NULL) == -1 ?
	    -1 : 0;
}

/* Were we told to end?  The command may have survived a ^C. */
static int
told_to_end(const struct record *r)
{
	return r->argv == NULL || r->failed || r->sig != SIGINT ? r->sig : 0;
}

static void
say_incomplete(const struct record *r)
{
	say(r->keeps ? "there is no snapshot in %s" :
	    "the trace in %s may not be complete", r->out.dir);
}

static int
session_end(void *arg)
{
	struct record *r = arg;
	struct row *rows = NULL;
	int result = -1;

	while (r->client != NULL &&
	    (result = session_ask(r, &rows)) == -1 &&
	    client_gone(r->client) && utd_again(r) == 0) {
		row_free(rows);
		rows = NULL;
	}
	follower_end(&r->follower, told_to_end(r));
	if (result == 0)
		result = report(r, rows);
	else
		say_incomplete(r);
	if (r->client == NULL && r->shared)
		say("what is left in buffers is written by the next utd in %s, "
		    "or by UT_RUNDIR=%s utctl recover", r->rundir, r->rundir);
	row_free(rows);
	return result;
}

/* The command goes on, and is not recorded any more. */
static void
time_over(struct record *r)
{
	r->until = -1;
	r->over = interruptible(session_end, r) == -1 ? -1 : 1;
	say("the time of -T is over: record waits for the end of %s",
	    r->argv[0]);
}

static int
session_lost(struct record *r)
{
	struct row *rows, *s;
	int lost = 1;

	if (client_ask(r->client, UT_CTL_LIST, "", &rows) == -1)
		return 0;
	for (s = rows->child; s != NULL; s = s->next)
		lost &= strcmp(row_str(s, "name"), r->session) != 0;
	row_free(rows);
	return lost;
}

/*
 * utd is gone.  A utd that was killed leaves the session to the next one; a utd
 * that was told to end has ended the session: say so.
 */
static void
utd_next(struct record *r)
{
	const int again = utd_again(r);

	if (r->over || (again == -1 ? r->absent < 2 : !session_lost(r)))
		return;
	say("utd has ended, and session %s with it: %s %s", r->session,
	    r->keeps ? "there is no snapshot in" :
	    "what was recorded until then is in", r->out.dir);
	r->over = -1;
}

/* Run the command; -> exit status. */
static int
command_run(struct record *r)
{
	int saved, status;
	pid_t pid;

	if ((pid = child_spawn(r->argv, prepare_command, r)) == -1) {
		saved = errno;
		say_errno("%s", r->argv[0]);
		return saved == ENOENT ? 127 : 126;
	}
	r->ran = 1;
	while ((status = child_await(pid, r->over ? -1 : client_fd(r->client),
	    r->until, &r->sig, &r->killed)) == -1) {
		if (r->until != -1 && ut_msg_now() >= r->until)
			time_over(r);
		else if (client_look(r->client))
			utd_next(r);
	}
	return status;
}

/* Record what runs, until there is a reason to end; -> exit status. */
static int
attached_run(struct record *r)
{
	r->ran = 1;
	while (r->over == 0 && attach_wait(r) == -1)
		if (r->client == NULL || client_look(r->client))
			utd_next(r);
	return 0;
}

/*
 * Find or start utd, and wait until the programs are connected to it.  Somebody
 * else may start one at the same time, or one may be about to end: wait for it.
 */
static int
attach(struct record *r)
{
	const int64_t deadline = ut_msg_now() + TAKEN_MS;

	do {
		if (attach_find(r) == -1)
			return -1;
		if (r->client != NULL)	/* no signal interrupts us yet */
			client_bound(r->client, 1);
		r->rundir_made = !r->shared && access(r->rundir, F_OK) == -1;
		if (r->shared || utd_own(r) == 0)
			return attach_await(r);
		if (!r->taken)
			return -1;
		(void)wait_signal(-1, LOOK_MS, &r->sig);
	} while (r->sig == 0 && ut_msg_now() < deadline);
	if (r->sig == 0)
		say("utd in %s does not answer", r->rundir);
	return -1;
}

/* Record from the start of utd to the end of the trace; -> exit status. */
static int
record(struct record *r)
{
	int status;

	status = r->argv == NULL ? attach(r) : utd_own(r);
	(void)wait_signal(-1, 0, &r->sig);	/* which came meanwhile */
	if (status == 0 && r->sig == 0) {
		status = interruptible(record_begin, r);
		r->sig = client_interrupted();
		client_interrupt(0);
	}
	/* Programs that run may have recorded something: end as usual. */
	if (r->sig != 0 && (r->argv != NULL || status == -1 || !r->created))
		return 128 + r->sig;
	if (status == -1)
		return 1;
	status = r->argv == NULL ? attached_run(r) : command_run(r);
	r->failed = status != 0 || r->argv == NULL;
	if (r->ran && r->over == 0)
		r->over = interruptible(session_end, r) == -1 ? -1 : 1;
	if (r->over == -1 && status == 0)
		status = 1;
	return status;
}

/*
 * Without a command, utd ends with its last session, which may be somebody
 * else's: then it stays.  Our own session does not count, for it may be one
 * that could not be started or destroyed.
 */
static int
utd_stays(struct record *r)
{
	struct row *rows, *s;
	int any = 0;

	if (r->shared)
		return 1;
	if (r->argv != NULL ||
	    client_ask(r->client, UT_CTL_LIST, "", &rows) == -1)
		return 0;
	for (s = rows->child; s != NULL; s = s->next)
		any |= strcmp(row_str(s, "name"), r->session) != 0;
	row_free(rows);
	if (any)
		say("utd in %s goes on as long as it has other sessions",
		    r->rundir);
	return any;
}

/*
 * End utd, which ends when nobody owns it.  One that was killed has left what
 * the next one removes.
 */
static void
utd_finish(struct record *r)
{
	int sig;

	client_close(r->client);
	if ((sig = utd_reap(r->pid)) == -1)
		say("utd in %s does not end", r->rundir);
	if (sig <= 0)
		return;
	say("utd in %s was killed by signal %d%s", r->rundir, sig,
	    r->over == 1 ? "; the trace was complete" : "");
	if (utd_own(r) == 0) {
		client_close(r->client);
		(void)utd_reap(r->pid);
	}
}

static int
utd_end(void *arg)
{
	struct record *r = arg;

	if (utd_stays(r)) {
		client_close(r->client);
		return 0;
	}
	utd_finish(r);
	if (r->rundir_made)
		remove_dir(r->rundir, 0);
	return 0;
}

/* Leave nothing behind but the trace. */
static void
clean_up(struct record *r)
{
	const int wrote = r->ran && (!r->keeps || r->shot != NULL);

	if (r->client != NULL)
		interruptible(utd_end, r);
	if (wrote)
		record_dir_done(&r->out);
	if (r->client == NULL && r->ran)
		return;			/* something is left to recover */
	if (r->private != NULL)
		remove_dir(r->private, 1);
	if (r->private != NULL && access(r->private, F_OK) == 0)
		say("%s could not be removed", r->private);
	if (!wrote && r->dir_in_use) {
		say_incomplete(r);
		record_dir_done(&r->out);
	} else if (!wrote)
		record_dir_undo(&r->out, r->created && !r->keeps);
}

/* A run directory that nobody else has, for a command. */
static int
private_dir(struct record *r)
{
	if (r->argv == NULL)
		return 0;
	if ((r->private = private_make()) == NULL)
		return -1;
	r->rundir = format("%s/run", r->private);
	return 0;
}

static int
record_main(int argc, char **argv)
{
	static struct record r;
	int status = 1;

	r.session = session_name;
	if (record_options(&r, argc, argv) == -1)
		return usage();
	ut_adopt_orphans();
	r.utd = utd_find();
	record_dir_name(&r.out, r.argv != NULL ? r.argv[0] : attach_name(&r));
	signals_catch();
	atexit(utd_kill);
	if (private_dir(&r) == -1)
		return 1;
	if ((r.keeps ? record_dir_try(&r.out) : record_dir_make(&r.out)) == 0)
		status = record(&r);
	follower_end(&r.follower, 1);
	clean_up(&r);
	return status;
}

static const char *
wrapper_what(size_t i)
{
	return wrappers[i].what;
}

const struct command cmd_record = {
	.name = "record", .page = "utctl-record",
	.line = "record the events of a command, or of what runs",
	.usage = "[-F] [-S] [-r] [-T time] [-o dir] [-e glob] ... "
	    RULE_USAGE " [-g | -G depth] [-w wrapper,...] ... "
	    "[-c glob] ... [-D depth] [-M time] "
	    "[-p pid] ... | [--] command [argument ...]",
	.options = {
	    "-F\tprint the events, too, on the standard error",
	    "-S\tkeep the newest events; write them if the command fails",
	    "-r\treplace the trace, which becomes DIR.old",
	    "-c glob\t-w func: only these functions; may be repeated",
	    "-D depth\t-w func: so many levels of calls, the outermost first",
	    "-M time\t-w func: only calls that took at least so long",
	    "-T time\tstop recording after this time, as 10s or 1.5h",
	    "-p pid\trecord this process, which runs; may be repeated",
	    "-g\trecord the call stack with each event",
	    "-G depth\tso, and up to so many frames (default: 32)",
	    "-o dir\twhere the trace goes (default: ut-trace-COMMAND-DATE)",
	    "-e glob\tonly events that match; may be repeated", RULE_HELP
	},
	.attrs = ATTR_RECORD,
	.letter = 'w', .value = wrapper_name, .meaning = wrapper_what,
	.run = record_main
};
