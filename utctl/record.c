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
 * Run a command and record its events, with a utd of its own.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat.h"
#include "ut_abi.h"
#include "utctl.h"

#define SESSION		"record"
#define CHANNEL		"channel0"
#define EVERY		"*"
#define AGAIN		20		/* times that it is started anew */

static pid_t unowned;		/* a utd that nobody owns, or 0 */

struct record {
	char		**argv;		/* the command */
	const char	*out;		/* of -o, or NULL */
	char		*dir;		/* of the trace */
	int		 keep;		/* it was there before */
	int		 created;	/* utd took it for the session */
	int		 ran;		/* the command did */
	int		 keeps;		/* write what there is if it fails, */
	int		 failed;	/* and it did */
	char		*shot;		/* what utd said of that, or NULL */
	char		**globs;
	size_t		 nglobs;
	const char	*filter;	/* of -f, or NULL */
	struct attrs	 attrs;		/* of the channel */
	char		*preload;	/* library of -w, or NULL */
	char		*utd;
	char		*private;	/* directory */
	char		*rundir;	/* in there */
	pid_t		 pid;		/* of utd */
	struct client	*client;	/* or NULL: utd is no more */
	int		 again;		/* how often it was killed */
};

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

static int
remove_any(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	if (ftw->level == 0)
		return 0;
	if (type == FTW_DP)
		rmdir(path);
	else
		unlink(path);
	return 0;
}

/*
 * The directory, if it is empty, or with all that is in it.  Who can write
 * above it may have put another in its place, or a link to one.
 */
static void
remove_dir(const char *path, int all)
{
	char *above = format("%s", path), *name;
	size_t n = strlen(above);

	while (n > 1 && above[n - 1] == '/')
		above[--n] = '\0';
	if (all && ut_walk(above, 0, 0) == 0)
		nftw(".", remove_any, 8, FTW_DEPTH | FTW_PHYS);
	name = strrchr(above, '/');
	*name++ = '\0';
	if (ut_walk(above, 0, 0) == 0)
		rmdir(name);
	free(above);
}

/* We get there, and nobody but us and root can rename what we make there. */
static int
tmp_safe(const char *tmp)
{
	struct stat st;
	int here, safe;

	if ((here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
		return 0;
	safe = ut_walk(tmp, 0, 0) == 0 && stat(".", &st) == 0 &&
	    (st.st_uid == 0 || st.st_uid == geteuid()) &&
	    ((st.st_mode & (S_IWGRP | S_IWOTH)) == 0 ||
	    (st.st_mode & S_ISVTX) != 0);
	if (fchdir(here) == -1)
		die_errno("fchdir");
	close(here);
	return safe;
}

/* Can every user get to what is in that directory? */
static int
open_to_all(const char *dir)
{
	char path[PATH_MAX], *p = path;
	struct stat st;
	int ok;

	if (snprintf(path, sizeof(path), "%s/", dir) >= (int)sizeof(path))
		return 0;
	do {
		p += strcspn(p + 1, "/") + 1;
		*p = '\0';
		ok = stat(path, &st) == 0 && (st.st_mode & S_IXOTH) != 0;
		*p = '/';
	} while (ok && p[1] != '\0');
	return ok;
}

/* For a run directory, whose socket has a name that is bounded. */
static const char *
tmp_dir(void)
{
	const size_t max = sizeof(((struct sockaddr_un *)NULL)->sun_path);
	const char *tmp = getenv("TMPDIR");

	if (tmp == NULL || tmp[0] != '/' || !tmp_safe(tmp) ||
	    strlen(tmp) + strlen("/ut-XXXXXX/run/" UT_SOCKET) >= max ||
	    (geteuid() == 0 && !open_to_all(tmp)))
		return "/tmp";
	return tmp;
}

/*
 * A run directory of our own.  It is a level deeper than need be, for programs
 * that outlive us make their run directory, but none above it.  What root runs
 * may become any user, and its utd serves them all.
 */
static int
rundir_make(struct record *r)
{
	const char *tmp = tmp_dir();

	r->private = format("%s/ut-XXXXXX", tmp);
	if (mkdtemp(r->private) != NULL &&
	    (geteuid() != 0 || chmod(r->private, 0711) == 0)) {
		r->rundir = format("%s/run", r->private);
		return 0;
	}
	say_errno("run directory in %s", tmp);
	return -1;
}

/* Where the trace goes. */
static char *
output_name(const struct record *r)
{
	const char *slash = strrchr(r->argv[0], '/');
	char *name, *unique, *dir;

	if (r->out != NULL)
		return absolute(r->out);
	name = format("ut-trace-%.64s", slash == NULL ? r->argv[0] :
	    slash + 1);
	unique = stamped(name);
	dir = absolute(unique);
	free(unique);
	free(name);
	return dir;
}

/* It is made at the end, perhaps; what keeps us from that is said now. */
static int
output_try(struct record *r)
{
	char *first = r->dir;
	int n = 1;

	r->keep = 1;
	while (mkdir(r->dir, 0700) == -1) {
		if (errno == ENOENT && r->out != NULL)
			return 0;
		if (errno != EEXIST || n == 1000 || r->out != NULL) {
			say_errno("%s", r->dir);
			return -1;
		}
		r->dir = format("%s-%d", first, ++n);
	}
	rmdir(r->dir);
	return 0;
}

/*
 * If nobody said where, that is a new directory, in the one where we are: by
 * its path that may be another by now.
 */
static int
output_make(struct record *r)
{
	char *first = r->dir;
	int n = 1;

	if (r->keeps)
		return output_try(r);
	if (r->out != NULL) {
		r->keep = access(r->dir, F_OK) == 0;
		return 0;
	}
	while (mkdir(strrchr(r->dir, '/') + 1, 0777) == -1) {
		if (errno != EEXIST || n == 1000) {
			say_errno("%s", r->dir);
			r->keep = 1;
			return -1;
		}
		if (r->dir != first)
			free(r->dir);
		r->dir = format("%s-%d", first, ++n);
	}
	if (r->dir != first)
		free(first);
	return 0;
}

/* It would stay; at exit, too, as utctl ends where it lacks memory. */
static void
utd_kill(void)
{
	if (unowned == 0)
		return;
	kill(unowned, SIGTERM);
	utd_reap(unowned);
	unowned = 0;
}

/* Start utd, and own it.  A signal has to wait until then, or it would stay. */
static int
utd_own(struct record *r, int *sig)
{
	if ((r->pid = utd_start(r->utd, r->rundir, sig)) == -1)
		return -1;
	unowned = r->pid;
	r->client = client_open(r->rundir, 1);
	if (r->client == NULL)
		utd_kill();
	unowned = 0;
	return r->client == NULL ? -1 : 0;
}

/* It was killed: another takes up what it had; -1 if there is none. */
static int
utd_again(struct record *r, int *sig)
{
	client_close(r->client);
	r->client = NULL;
	utd_reap(r->pid);
	if (r->again++ < AGAIN && utd_own(r, sig) == 0)
		return 0;
	say("to have what was recorded: UT_RUNDIR=%s utctl recover",
	    r->rundir);
	return -1;
}

static int
session_begin(void *arg)
{
	struct record *r = arg;
	struct rule rule = { SESSION, CHANNEL, "", UT_RULE_ALL, 0, NULL, 0,
	    r->filter };
	struct client *c = r->client;
	struct ut_msg *m;
	size_t i;

	m = client_begin(c, UT_CTL_CREATE);
	ut_msg_str(m, SESSION);
	ut_msg_str(m, r->keeps ? "" : r->dir);
	ut_msg_u32(m, (uint32_t)r->keeps);
	if (client_request(c, NULL) == -1)
		return -1;
	r->created = 1;
	if (client_channel(c, UT_CTL_CHANNEL, SESSION, CHANNEL,
	    &r->attrs) == -1)
		return -1;
	for (i = 0; i < r->nglobs; i++) {
		rule.glob = r->globs[i];
		if (client_rule(c, UT_CTL_ENABLE, &rule) == -1)
			return -1;
	}
	return client_ask(c, UT_CTL_START, SESSION, NULL);
}

/* Was there a program with an event that matches, or with any event? */
static int
had_event(const struct row *session, const char *glob)
{
	const struct row *ch, *r, *e;

	for (ch = session->child; ch != NULL; ch = ch->next)
		for (r = ch->child; r != NULL; r = r->next)
			for (e = strcmp(r->what, "registry") == 0 ? r->child :
			    NULL; e != NULL; e = e->next)
				if (fnmatch(glob, row_str(e, "name"), 0) == 0)
					return 1;
	return 0;
}

/* Nobody may have an event of that name, or not one that can be recorded. */
static void
report_globs(const struct record *r, const struct row *session)
{
	size_t i;

	for (i = 0; i < r->nglobs; i++) {
		if (had_event(session, r->globs[i]))
			continue;
		if (strcmp(r->globs[i], EVERY) == 0)
			say("no program came that uses ut(3)");
		else
			say("no program came that has an event %s",
			    r->globs[i]);
	}
}

/* What went into the background is not waited for. */
static void
report_left(const struct row *session)
{
	const struct row *a, *first = NULL;
	unsigned int n = 0;

	for (a = session->child; a != NULL; a = a->next) {
		if (strcmp(a->what, "program") != 0 ||
		    ut_dead((pid_t)row_num(a, "pid")))
			continue;
		if (n++ == 0)
			first = a;
	}
	if (n > 0)
		say("%s (%" PRIu64 ")%s still run%s, unrecorded from now on: "
		    "for programs that outlive a command there are sessions",
		    row_str(first, "name"), row_num(first, "pid"),
		    n > 1 ? " and others" : "", n > 1 ? "" : "s");
}

/* Say what was recorded; -1 if it is not all. */
static int
report(const struct record *r, struct row *rows)
{
	const struct row *s, *w;
	const char *error;
	char over[48] = "";

	if ((s = rows->child) == NULL) {
		say("utd has lost the session");
		return -1;
	}
	error = row_str(s, "error");
	for (w = s->child; w != NULL; w = w->next)
		if (strcmp(w->what, "warning") == 0 &&
		    strcmp(row_str(w, "text"), error) != 0)
			say("warning: %s", row_str(w, "text"));
	if (*error != '\0')
		say("%s", error);
	if (row_num(s, "overwritten") > 0)
		snprintf(over, sizeof(over), ", %" PRIu64 " overwritten",
		    row_num(s, "overwritten"));
	if (r->shot != NULL)
		say("%s", r->shot);
	else if (r->keeps)
		say("%" PRIu64 " events, %" PRIu64 " lost%s, not written%s",
		    row_num(s, "written"), row_num(s, "lost"), over,
		    r->failed ? "" : ": the command did not fail");
	else
		say("%" PRIu64 " events, %" PRIu64 " lost%s, %" PRIu64
		    " bytes in %s", row_num(s, "written"), row_num(s, "lost"),
		    over, row_num(s, "bytes"), r->dir);
	report_globs(r, s);
	report_left(s);
	return *error == '\0' && row_num(s, "missed") == 0 ? 0 : -1;
}

/* Of a session that was taken up nobody knows how far its end has come. */
static int
session_active(struct record *r)
{
	struct row *rows;
	int active;

	if (r->again == 0)
		return 1;
	if (client_ask(r->client, UT_CTL_LIST, SESSION, &rows) == -1)
		return 0;
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
	const char *text;
	bool any;

	if (!r->keeps || !r->failed || r->shot != NULL)
		return 0;
	if (client_ask(r->client, UT_CTL_LIST, SESSION, &rows) == -1)
		return -1;
	any = rows->child != NULL && row_num(rows->child, "written") > 0;
	row_free(rows);
	if (!any)
		return 0;
	if (client_snapshot(r->client, SESSION, r->dir, NULL, NULL) == -1)
		return -1;
	text = strstr(client_text(r->client), "snapshot");
	r->shot = clean(text != NULL ? text : client_text(r->client));
	return 0;
}

static int
session_ask(struct record *r, struct row **rows)
{
	return snapshot_ask(r) == -1 || (session_active(r) &&
	    client_ask(r->client, UT_CTL_STOP, SESSION, NULL) == -1) ||
	    client_ask(r->client, UT_CTL_LIST, SESSION, rows) == -1 ||
	    client_ask(r->client, UT_CTL_DESTROY, SESSION, NULL) == -1 ?
	    -1 : 0;
}

static int
session_end(void *arg)
{
	struct record *r = arg;
	struct row *rows = NULL;
	int result = -1, sig = 0;

	while (r->client != NULL &&
	    (result = session_ask(r, &rows)) == -1 &&
	    client_gone(r->client) && utd_again(r, &sig) == 0) {
		row_free(rows);
		rows = NULL;
	}
	if (result == 0)
		result = report(r, rows);
	else
		say(r->keeps ? "there is no snapshot in %s" :
		    "the trace in %s may not be complete", r->dir);
	row_free(rows);
	return result;
}

/* Run the command; -> exit status. */
static int
command_run(struct record *r)
{
	int sig = 0, saved, status;
	pid_t pid;

	if ((pid = child_spawn(r->argv, prepare_command, r)) == -1) {
		saved = errno;
		say_errno("%s", r->argv[0]);
		return saved == ENOENT ? 127 : 126;
	}
	r->ran = 1;
	while ((status = child_await(pid, client_fd(r->client), &sig)) == -1)
		if (client_look(r->client))
			(void)utd_again(r, &sig);
	return status;
}

/* All from a utd that runs to a trace that is whole; -> exit status. */
static int
record(struct record *r)
{
	int sig = 0, status;

	status = utd_own(r, &sig);
	if (status == 0 && sig == 0) {
		status = interruptible(session_begin, r);
		sig = client_interrupted();
	}
	if (sig != 0)
		return 128 + sig;
	if (status == -1)
		return 1;
	status = command_run(r);
	r->failed = status != 0;
	if (r->ran && interruptible(session_end, r) == -1 && status == 0)
		status = 1;
	return status;
}

static int
utd_end(void *arg)
{
	struct record *r = arg;

	client_end(r->client);
	utd_reap(r->pid);
	return 0;
}

/* Leave nothing behind but the trace. */
static void
clean_up(struct record *r)
{
	if (r->client != NULL)
		interruptible(utd_end, r);
	if (r->client == NULL && r->ran)
		return;			/* something is left to recover */
	remove_dir(r->private, 1);
	if (access(r->private, F_OK) == 0)
		say("%s could not be removed", r->private);
	if (r->ran)
		return;
	if (r->created && !r->keeps)
		remove_dir(format("%s/ust", r->dir), 0);
	if (!r->keep)
		remove_dir(r->dir, 0);
}

static int
parse_options(struct record *r, int argc, char **argv)
{
	int ch;

	r->globs = calloc((size_t)argc, sizeof(*r->globs));
	if (r->globs == NULL)
		die_errno("malloc");
	while ((ch = option_first(argc, argv, "+So:e:f:w:")) != -1) {
		switch (ch) {
		case 'S':
			r->keeps = 1;
			break;
		case 'o':
			r->out = optarg;
			break;
		case 'e':
			check_glob(r->globs[r->nglobs++] = optarg);
			break;
		case 'f':
			if (r->filter != NULL)
				die("record: -f is given twice");
			check_filter(r->filter = optarg);
			break;
		case 'w':
			r->preload = wrapper_find(optarg);
			break;
		default:
			if (!attr_option(&r->attrs, ch))
				return -1;
		}
	}
	check_attrs(&r->attrs);
	if (r->keeps && r->attrs.v[ATTR_MODE] == UT_MODE_BLOCK)
		die("-S and -m block: nobody would make room for who waits");
	r->argv = argv + optind;
	return argc == optind ? -1 : 0;
}

int
cmd_record(int argc, char **argv)
{
	static char every[] = EVERY;
	static struct record r;
	int status = 1;

	if (parse_options(&r, argc, argv) == -1)
		return usage();
	if (r.nglobs == 0)
		r.globs[r.nglobs++] = every;
	r.utd = utd_find();
	r.dir = output_name(&r);
	signals_catch();
	atexit(utd_kill);
	if (rundir_make(&r) == -1)
		return 1;
	if (output_make(&r) == 0)
		status = record(&r);
	clean_up(&r);
	return status;
}
