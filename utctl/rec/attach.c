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
 * Programs that run already: where they look for utd, whether they have come to
 * it, and until when they are recorded.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/compat.h"
#include "common/rundir.h"
#include "record.h"

#define LOOK_MS		50		/* between looks for programs */
#define ALIVE_MS	100		/* between looks whether they run */
/*
 * How long programs may take to come to a utd that has just begun.  One that
 * lost a utd a moment ago pauses before it looks for the next one.
 */
#define COME_MS		10000
#define BEGIN_MS	3000		/* until its library has a thread */

/* Name the process in one word for messages; freed. */
static char *
process_word(pid_t pid)
{
	char *name = process_name(pid), *shown, *text;

	if (name == NULL)
		return format("process %ld", (long)pid);
	shown = clean(name);
	text = format("process %ld (%s)", (long)pid, shown);
	free(shown);
	free(name);
	return text;
}

static int
complain(pid_t pid, const char *why)
{
	char *text = process_word(pid);

	say("%s: %s", text, why);
	free(text);
	return -1;
}

/* A directory in a variable of the process, or in ours if we may not look. */
static char *
env_dir(pid_t pid, const char *name)
{
	const char *ours = getenv(name);
	char *dir = process_env(pid, name);

	if (dir == NULL && errno != 0 && ours != NULL)
		dir = format("%s", ours);
	if (dir != NULL && dir[0] != '/') {
		free(dir);
		dir = NULL;
	}
	return dir;
}

/* The run directory of the process's user, as libut finds it; or NULL. */
static char *
user_dir(pid_t pid)
{
	char *base, *dir = NULL;

	if ((base = env_dir(pid, "XDG_RUNTIME_DIR")) != NULL)
		dir = format("%s/utd", base);
	else if ((base = env_dir(pid, "HOME")) != NULL)
		dir = format("%s/.utd", base);
	free(base);
	return dir;
}

static int
is_set(const char *s)
{
	return s != NULL && s[0] != '\0';
}

/*
 * The only directory where the process looks, or NULL: the system's and its
 * user's.  UT_RUNDIR of utctl comes before what the process has.
 */
static char *
only_dir(pid_t pid)
{
	char *dir;
	uid_t uid;
	gid_t gid;

	if (is_set(getenv("UT_RUNDIR")))
		return format("%s", getenv("UT_RUNDIR"));
	dir = process_env(pid, "UT_RUNDIR");
	if (is_set(dir))
		return dir;
	free(dir);
	/* Programs of root look there: its utd serves all users. */
	if (geteuid() == 0 || (process_user(pid, &uid, &gid) == 0 && uid == 0))
		return format("%s", UT_RUNDIR_SYSTEM);
	return NULL;
}

/* Are they the same directory, under whatever names? */
static int
same_place(const char *a, const char *b)
{
	struct stat s, t;

	if (a == NULL || b == NULL)
		return a == b;
	if (stat(a, &s) == 0 && stat(b, &t) == 0)
		return s.st_dev == t.st_dev && s.st_ino == t.st_ino;
	return strcmp(a, b) == 0;
}

/* Do all look where the first one does? */
static int
same_dir(const struct record *r, const char *dir, char *(*find)(pid_t))
{
	char *other;
	size_t i;
	int same = 1;

	for (i = 1; same && i < r->npids; i++) {
		other = find(r->pids[i].pid);
		same = same_place(dir, other);
		if (!same)
			say("processes %ld and %ld look for utd in different "
			    "directories: record them by two commands",
			    (long)r->pids[0].pid, (long)r->pids[i].pid);
		free(other);
	}
	return same;
}

/* Can utd be started where the process looks?  Not if that place is gone. */
static int
check_place(pid_t pid, const char *dir)
{
	const char *slash = strrchr(dir, '/');
	char *above, *text;
	int gone;

	if (slash == NULL || slash == dir)
		return 0;
	above = format("%.*s", (int)(slash - dir), dir);
	gone = access(above, F_OK) == -1 && errno == ENOENT;
	free(above);
	if (!gone)
		return 0;
	text = format("looks for utd in %s, and there is no %.*s: start it "
	    "again", dir, (int)(slash - dir), dir);
	(void)complain(pid, text);
	free(text);
	return -1;
}

/* Is it a directory of which root knows only from the process? */
static int
is_foreign(const char *dir)
{
	return dir != NULL && geteuid() == 0 && !is_set(getenv("UT_RUNDIR")) &&
	    !same_place(dir, UT_RUNDIR_SYSTEM);
}

struct client *
attach_client(const struct record *r)
{
	return !r->foreign ? client_try(r->rundir) :
	    client_on(connect_as(r->uid, r->gid, r->rundir), r->rundir);
}

/*
 * The process can name any directory.  If root started utd there, it would
 * write and remove what only root can, so root uses only a utd that runs there,
 * with the rights of the process's user.
 */
static int
find_foreign(struct record *r, pid_t pid, char *dir)
{
	char *text;

	r->rundir = dir;
	r->foreign = process_user(pid, &r->uid, &r->gid) == 0 && r->uid != 0;
	if (r->foreign && (r->client = attach_client(r)) != NULL)
		return 0;
	text = format("looks for utd in %s, where root starts none: start utd "
	    "there as the user of the process, or set UT_RUNDIR to a directory "
	    "that you trust", dir);
	(void)complain(pid, text);
	free(text);
	return -1;
}

/* Where utd runs: r->client, or where it has to be started: r->rundir. */
static int
find_utd(struct record *r)
{
	const pid_t pid = r->npids > 0 ? r->pids[0].pid : getpid();
	char *dir = only_dir(pid);

	if (!same_dir(r, dir, only_dir))
		return -1;
	if (is_foreign(dir))
		return find_foreign(r, pid, dir);
	if (dir != NULL && geteuid() == 0 && !is_set(getenv("UT_RUNDIR"))) {
		/* Use the name of the same place that cannot change. */
		free(dir);
		dir = format("%s", UT_RUNDIR_SYSTEM);
	}
	if (dir != NULL) {
		r->client = client_try(r->rundir = dir);
		return r->client != NULL || is_set(getenv("UT_RUNDIR")) ? 0 :
		    check_place(pid, dir);
	}
	if ((r->rundir = user_dir(pid)) != NULL)
		r->client = client_try(r->rundir);
	if (r->client == NULL &&
	    (r->client = client_try(UT_RUNDIR_SYSTEM)) != NULL) {
		free(r->rundir);
		r->rundir = format("%s", UT_RUNDIR_SYSTEM);
	} else if (!same_dir(r, r->rundir, user_dir)) {
		client_close(r->client);
		r->client = NULL;
		return -1;
	}
	if (r->rundir != NULL)
		return 0;
	say("no run directory: UT_RUNDIR, XDG_RUNTIME_DIR and HOME name none");
	return -1;
}

/* Is the process there, and ours?  One that only utd sees is not. */
static int
check_process(struct attached *a)
{
	if (kill(a->pid, 0) == -1 && errno == EPERM)
		return complain(a->pid,
		    "another user's: only root can record it");
	a->seen = !ut_dead(a->pid);
	return 0;
}

int
attach_find(struct record *r)
{
	size_t i;

	for (i = 0; i < r->npids; i++)
		if (check_process(&r->pids[i]) == -1)
			return -1;
	for (i = 0; i < r->npids; i++)
		if (r->pids[i].seen)
			break;
	/* A process that we do not see may be in another PID namespace. */
	if (find_utd(r) == -1)
		return -1;
	if (r->npids > 0 && i == r->npids && r->client == NULL)
		return complain(r->pids[0].pid, "there is no such process");
	r->shared = r->client != NULL;
	return 0;
}

/* The reason why the process will never come to utd, if seen; or NULL. */
static const char *
hopeless(const struct attached *a, int64_t waited)
{
	char *disable, *threads;
	const char *why = NULL;

	if (ut_dead(a->pid))
		return a->seen ? "has ended" : "there is no such process";
	if (process_stopped(a->pid))
		return "stopped: it cannot be recorded before it continues";
	disable = process_env(a->pid, "UT_DISABLE");
	threads = process_env(a->pid, "UT_THREADS");
	if (is_set(disable) && strcmp(disable, "0") != 0)
		why = "runs with UT_DISABLE: ut(3) does nothing in it";
	else if (process_thread(a->pid, "libut") == 0 && waited > BEGIN_MS)
		why = threads != NULL && strcmp(threads, "0") == 0 ?
		    "runs with UT_THREADS=0: only sessions that were started "
		    "before record it" :
		    "does not use ut(3), or has given up looking for utd";
	free(disable);
	free(threads);
	return why;
}

/* Why it has not come in so many ms, and will not. */
static int
absent(const struct record *r, const struct attached *a, int64_t waited)
{
	const char *why = hopeless(a, waited);
	char *dir, *text;
	int differs;

	if (why != NULL)
		return complain(a->pid, why);
	dir = process_env(a->pid, "UT_RUNDIR");
	differs = is_set(dir) && !same_place(dir, r->rundir);
	if (!differs && waited <= COME_MS) {
		free(dir);
		return 0;
	}
	text = differs ? format("looks for utd in %s, not in %s", dir,
	    r->rundir) : format("did not come to utd in %s: does it use "
	    "ut(3)? See ut(7)", r->rundir);
	(void)complain(a->pid, text);
	free(text);
	free(dir);
	return -1;
}

static int
listed(const struct row *rows, pid_t pid)
{
	const struct row *p;

	for (p = rows->child; p != NULL; p = p->next)
		if (strcmp(p->what, "program") == 0 &&
		    row_num(p, "pid") == (uint64_t)pid)
			return 1;
	return 0;
}

/* Have all come?  -1: one will not, which was said. */
static int
all_there(struct record *r, int64_t waited)
{
	struct row *rows;
	size_t i;
	int all = 1;

	if (client_ask(r->client, UT_CTL_EVENTS, NULL, &rows) == -1)
		return -1;
	for (i = 0; all != -1 && i < r->npids; i++) {
		if (listed(rows, r->pids[i].pid))
			continue;
		all = absent(r, &r->pids[i], waited);
	}
	row_free(rows);
	return all;
}

int
attach_await(struct record *r)
{
	const int64_t begun = ut_msg_now();
	int there = r->npids == 0;

	while (there == 0 && r->sig == 0) {
		there = all_there(r, ut_msg_now() - begun);
		if (there == 0)
			(void)wait_signal(-1, LOOK_MS, &r->sig);
	}
	return there == -1 ? -1 : 0;
}

/* Make the default name of the trace. */
const char *
attach_name(const struct record *r)
{
	char *name, *p;

	if (r->npids == 0)
		return "all";
	if ((name = process_name(r->pids[0].pid)) == NULL)
		return format("%ld", (long)r->pids[0].pid);
	for (p = name; *p != '\0'; p++)
		if (strchr("/ \t", *p) != NULL || (unsigned char)*p < ' ')
			*p = '_';
	return name;
}

/* The session records these processes only. */
int
attach_track(struct record *r)
{
	struct ut_msg *m;
	size_t i;

	if (r->npids == 0)
		return 0;
	m = client_begin(r->client, UT_CTL_TRACK);
	ut_msg_str(m, r->session);
	ut_msg_u32(m, (uint32_t)r->npids);
	for (i = 0; i < r->npids; i++) {
		ut_msg_u32(m, UT_TRACK_PID);
		ut_msg_u32(m, (uint32_t)r->pids[i].pid);
		ut_msg_str(m, "");
	}
	return client_request(r->client, NULL);
}

/* Say what is recorded from now on, and until when. */
void
attach_say(const struct record *r)
{
	char *what, *limit;

	if (r->npids == 0)
		what = format("all programs of the utd in %s", r->rundir);
	else if (r->npids == 1)
		what = process_word(r->pids[0].pid);
	else
		what = format("%zu processes", r->npids);
	limit = r->limit == -1 ? NULL : time_text((uint64_t)r->limit);
	say("recording %s %s %s%s%s%s until %s^C", what, r->keeps ?
	    "in memory, for a snapshot in" : "into", r->out.dir,
	    limit == NULL ? "" : " for ", limit == NULL ? "" : limit,
	    limit == NULL ? "" : " or", r->npids == 0 ? "" :
	    r->npids == 1 ? "it ends or " : "they end or ");
	free(limit);
	free(what);
}

/* Does any of the processes run?  Ask utd about those that we do not see. */
static int
any_runs(struct record *r)
{
	struct row *rows;
	size_t i, unseen = r->npids;
	int any = 0;

	for (i = 0; i < r->npids; i++) {
		if (!r->pids[i].seen)
			unseen = i;
		else if (!ut_dead(r->pids[i].pid))
			return 1;
	}
	if (unseen == r->npids)
		return r->npids == 0;
	if (r->client == NULL)
		return 1;
	if (client_ask(r->client, UT_CTL_EVENTS, NULL, &rows) == -1)
		return 1;
	for (i = 0; !any && i < r->npids; i++)
		any = !r->pids[i].seen && listed(rows, r->pids[i].pid);
	row_free(rows);
	return any;
}

/*
 * Until a signal comes, the time is over, or no process is left: 0.  -1: there
 * is something to read from utd, or no utd.
 */
int
attach_wait(struct record *r)
{
	int64_t left = ALIVE_MS;

	while (r->sig == 0 && any_runs(r)) {
		if (r->until != -1) {
			left = r->until - ut_msg_now();
			if (left <= 0)
				return 0;
		}
		if ((r->npids > 0 || r->client == NULL || r->until == -1) &&
		    left > ALIVE_MS)
			left = ALIVE_MS;
		/* utd went while it was asked which of them run. */
		if (r->client != NULL && client_gone(r->client))
			return -1;
		if (wait_signal(client_fd(r->client), (int)left, &r->sig) ||
		    r->client == NULL)
			return -1;
	}
	return 0;
}
