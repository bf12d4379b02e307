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

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat.h"
#include "record.h"
#include "ut_abi.h"

#define SESSION		"record"
#define CHANNEL		"channel0"
#define EVERY		"*"
#define AGAIN		20		/* times that it is started anew */
#define FOLLOW_MS	100		/* flush interval of -F */
#define FOLLOW_HOLD	(INT64_C(300) * 1000000)

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
	struct client *c = r->client;
	struct ut_msg *m;
	size_t i;

	m = client_begin(c, UT_CTL_CREATE);
	ut_msg_str(m, SESSION);
	ut_msg_str(m, r->keeps ? "" : r->out.dir);
	ut_msg_u32(m, (uint32_t)r->keeps);
	if (client_request(c, NULL) == -1)
		return -1;
	r->created = 1;
	if (modules_enable(r, SESSION) == -1)
		return -1;
	if (client_channel(c, UT_CTL_CHANNEL, SESSION, CHANNEL,
	    &r->attrs) == -1)
		return -1;
	for (i = 0; i < r->nglobs; i++) {
		r->rule.glob = r->globs[i];
		if (client_rule(c, UT_CTL_ENABLE, &r->rule) == -1)
			return -1;
	}
	return client_ask(c, UT_CTL_START, SESSION, NULL);
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
	if (rows->child != NULL)
		modules_hide(r, rows->child);
	any = rows->child != NULL && row_num(rows->child, "written") > 0;
	row_free(rows);
	if (!any)
		return 0;
	if (client_snapshot(r->client, SESSION, r->out.dir, NULL, NULL) == -1)
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
	follower_end(&r->follower);
	if (result == 0)
		result = report(r, rows);
	else
		say(r->keeps ? "there is no snapshot in %s" :
		    "the trace in %s may not be complete", r->out.dir);
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
	const int wrote = r->ran && (!r->keeps || r->shot != NULL);

	if (r->client != NULL)
		interruptible(utd_end, r);
	if (wrote)
		output_done(&r->out);
	if (r->client == NULL && r->ran)
		return;			/* something is left to recover */
	remove_dir(r->private, 1);
	if (access(r->private, F_OK) == 0)
		say("%s could not be removed", r->private);
	if (!wrote)
		output_undo(&r->out, r->created && !r->keeps);
}

static int
parse_options(struct record *r, int argc, char **argv)
{
	int ch;

	r->rule.session = SESSION;
	r->rule.channel = CHANNEL;
	rule_init(&r->rule, argc);
	r->globs = calloc((size_t)argc, sizeof(*r->globs));
	if (r->globs == NULL)
		die_errno("malloc");
	while ((ch = option_first(argc, argv, "+FSo:e:rw:" RULE_OPTIONS)) !=
	    -1) {
		switch (ch) {
		case 'F':
			r->follow = 1;
			break;
		case 'S':
			r->keeps = 1;
			break;
		case 'o':
			r->out.given = optarg;
			break;
		case 'r':
			r->out.replace = 1;
			break;
		case 'e':
			check_glob(r->globs[r->nglobs++] = optarg);
			break;
		case 'w':
			r->preload = wrapper_add(r->preload, optarg);
			break;
		default:
			if (!rule_option(&r->rule, ch) &&
			    !attr_option(&r->attrs, ch))
				return -1;
		}
	}
	if (r->follow)
		r->attrs.v[ATTR_FLUSH] = FOLLOW_MS;
	rule_check(&r->rule);
	check_attrs(&r->attrs);
	if (r->keeps && r->follow)
		die("-S and -F: nothing is written while the command runs");
	if (r->out.replace && r->out.given == NULL)
		die("-r: name the trace that is replaced with -o");
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
	output_name(&r.out, r.argv[0]);
	signals_catch();
	atexit(utd_kill);
	if ((r.private = private_make()) == NULL)
		return 1;
	r.rundir = format("%s/run", r.private);
	if ((r.keeps ? output_try(&r.out) : output_make(&r.out)) == 0 &&
	    (!r.follow || follower_start(&r.follower, r.out.dir,
	    FOLLOW_HOLD) == 0))
		status = record(&r);
	follower_end(&r.follower);
	clean_up(&r);
	return status;
}
