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
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compat.h"
#include "utctl.h"

#ifndef SBINDIR
#define SBINDIR	"/usr/local/sbin"
#endif
#ifndef LIBDIR
#define LIBDIR	"/usr/local/lib"
#endif

#define SESSION		"record"
#define CHANNEL		"channel0"
#define LINGER		5000		/* ms that utd may take to end */

struct record {
	char		**argv;		/* the command */
	const char	*out;		/* of -o, or NULL */
	char		*dir;		/* of the trace */
	int		 keep;		/* it was there before */
	int		 created;	/* utd took it for the session */
	int		 ran;		/* the command did */
	char		**globs;
	size_t		 nglobs;
	struct geometry	 geometry;
	char		*preload;	/* library of -w, or NULL */
	char		*utd;
	char		*private;	/* directory */
	char		*rundir;	/* in there */
	struct client	*client;
};

/* Where they are, seen from the directory of utctl: installed, or built. */
static const char *const utd_places[] = {
	"utd", "../sbin/utd", "../utd/utd", NULL
};
static const char *const malloc_places[] = {
	"../lib/libut-malloc.so", "../libut/libut-malloc.so", NULL
};

/*
 * The signals that must not end utctl before it has cleaned up.  They are
 * blocked but while it waits for something that may take long.
 */
static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGCHLD };
#define NSIGNALS	(sizeof(signals) / sizeof(signals[0]))

static struct sigaction	 old_action[NSIGNALS];
static sigset_t		 old_mask;
static sigset_t		 wait_mask;	/* without those signals */
static sigset_t		 our_mask;	/* with them */

static void
signal_caught(int sig)
{
	/* What asks to end is not forgotten for a key that was hit. */
	if (sig == SIGTERM || sig == SIGHUP ||
	    (sig != SIGCHLD && client_interrupted() == 0))
		client_interrupt(sig);
}

static void
signals_catch(void)
{
	struct sigaction sa;
	size_t i;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = signal_caught;
	sigemptyset(&sa.sa_mask);
	sigprocmask(SIG_SETMASK, NULL, &old_mask);
	wait_mask = our_mask = old_mask;
	for (i = 0; i < NSIGNALS; i++) {
		sigaddset(&our_mask, signals[i]);
		sigdelset(&wait_mask, signals[i]);
	}
	sigprocmask(SIG_SETMASK, &our_mask, NULL);
	for (i = 0; i < NSIGNALS; i++) {
		sigaction(signals[i], NULL, &old_action[i]);
		/* As nohup(1) wants it. */
		if (old_action[i].sa_handler != SIG_IGN ||
		    signals[i] == SIGCHLD)
			sigaction(signals[i], &sa, NULL);
	}
}

/* In the child: what keys and hangups do to utctl is no matter of utd. */
static void
prepare_utd(const struct record *r)
{
	(void)r;
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}

static void
prepare_command(const struct record *r)
{
	const char *old = getenv("LD_PRELOAD");

	setenv("UT_RUNDIR", r->rundir, 1);
	if (r->preload == NULL)
		return;
	if (old == NULL || *old == '\0')
		setenv("LD_PRELOAD", r->preload, 1);
	else
		setenv("LD_PRELOAD", format("%s:%s", r->preload, old), 1);
}

/*
 * Is there a file of that name in PATH?  execvp(3) says EACCES also when it
 * may not look into a directory of PATH and finds nothing in the others.
 */
static int
somewhere(const char *name)
{
	const char *dir = getenv("PATH");
	char *path;
	int found;

	if (strchr(name, '/') != NULL || dir == NULL)
		return 1;
	for (; *dir != '\0'; dir += strspn(dir, ":")) {
		path = format("%.*s/%s", (int)strcspn(dir, ":"), dir, name);
		found = access(path, F_OK) == 0;
		free(path);
		if (found)
			return 1;
		dir += strcspn(dir, ":");
	}
	return 0;
}

/* In the child: signals are as utctl found them, or as prepare() wants. */
static int
execute(char **argv, void (*prepare)(const struct record *),
    const struct record *r)
{
	size_t i;

	for (i = 0; i < NSIGNALS; i++)
		sigaction(signals[i], &old_action[i], NULL);
	prepare(r);
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
	execvp(argv[0], argv);
	return errno == EACCES && !somewhere(argv[0]) ? ENOENT : errno;
}

/* Start a program: its pid, or -1 with the errno that exec(2) gave. */
static pid_t
spawn(char **argv, void (*prepare)(const struct record *),
    const struct record *r)
{
	int fds[2], error = 0;
	pid_t pid;

	if (pipe(fds) == -1)
		return -1;
	if ((pid = fork()) == 0) {
		close(fds[0]);
		fcntl(fds[1], F_SETFD, FD_CLOEXEC);
		error = execute(argv, prepare, r);
		while (write(fds[1], &error, sizeof(error)) == -1 &&
		    errno == EINTR)
			continue;
		_exit(127);
	}
	if (pid == -1)
		error = errno;
	close(fds[1]);
	while (read(fds[0], &error, sizeof(error)) == -1 && errno == EINTR)
		continue;
	close(fds[0]);
	if (error == 0)
		return pid;
	if (pid != -1)
		waitpid(pid, NULL, 0);
	errno = error;
	return -1;
}

/*
 * Wait for a child, passing on what asks utctl to end; *last is the last
 * signal that came meanwhile, or 0.  Returns what the shell would.
 */
static int
await(pid_t pid, int *last)
{
	int sig, status;

	*last = 0;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		sigsuspend(&wait_mask);
		if ((sig = client_interrupted()) == 0)
			continue;
		client_interrupt(0);
		*last = sig;
		if (sig == SIGTERM || sig == SIGHUP)
			kill(pid, sig);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
	    WEXITSTATUS(status);
}

static int
is_file(const char *path, int mode)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, mode) == 0;
}

/* The directory of this utctl, or NULL. */
static char *
own_dir(void)
{
	const char *p, *name = utctl_path, *slash = strrchr(name, '/');
	char *dir, *path;
	size_t n;
	int found;

	if (slash != NULL)
		return format("%.*s/", (int)(slash - name), name);
	for (p = getenv("PATH"); p != NULL; p = p[n] == '\0' ? NULL :
	    p + n + 1) {
		n = strcspn(p, ":");
		dir = n == 0 ? format("./") : format("%.*s/", (int)n, p);
		path = format("%s%s", dir, name);
		found = is_file(path, X_OK);
		free(path);
		if (found)
			return dir;
		free(dir);
	}
	return NULL;
}

/* A file at one of these places, or where it is installed; else NULL. */
static char *
find(const char *const *places, const char *installed, int mode)
{
	char *path, *dir;

	if ((dir = own_dir()) != NULL) {
		for (; *places != NULL; places++) {
			path = format("%s%s", dir, *places);
			if (is_file(path, mode)) {
				free(dir);
				return path;
			}
			free(path);
		}
		free(dir);
	}
	return is_file(installed, mode) ? format("%s", installed) : NULL;
}

/* utd; in PATH, or nowhere, if it is not where it should be. */
char *
utd_find(void)
{
	char *path = find(utd_places, SBINDIR "/utd", X_OK);

	return path != NULL ? path : format("utd");
}

/* The library for -w. */
static char *
find_wrapper(const char *name)
{
	char *path, *full;

	if (strcmp(name, "malloc") != 0)
		errx(1, "wrapper '%s': there is only malloc", clean(name));
	path = find(malloc_places, LIBDIR "/libut-malloc.so", R_OK);
	if (path == NULL)
		errx(1, "libut-malloc.so: not in %s, nor near utctl", LIBDIR);
	if ((full = realpath(path, NULL)) == NULL)
		err(1, "%s", path);
	free(path);
	if (strpbrk(full, ": ") != NULL)
		errx(1, "%s: a path in LD_PRELOAD has no colon and no space",
		    full);
	return full;
}

static int
remove_any(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type == FTW_DP)
		rmdir(path);
	else
		unlink(path);
	return 0;
}

static int
remove_empty(const char *path, const struct stat *st, int type,
    struct FTW *ftw)
{
	(void)st;
	if (type == FTW_DP && ftw->level > 0)
		rmdir(path);
	return 0;
}

/*
 * A private run directory, with a path that fits the name of a socket.  It is
 * a level deeper than need be, for programs that outlive us make their run
 * directory, but none above it.
 */
static int
rundir_make(struct record *r)
{
	const size_t max = sizeof(((struct sockaddr_un *)NULL)->sun_path);
	const char *tmp = getenv("TMPDIR");

	if (tmp == NULL || tmp[0] != '/' ||
	    strlen(tmp) + strlen("/ut-XXXXXX/run/" UT_SOCKET) >= max)
		tmp = "/tmp";
	r->private = format("%s/ut-XXXXXX", tmp);
	if (mkdtemp(r->private) != NULL) {
		r->rundir = format("%s/run", r->private);
		return 0;
	}
	warn("run directory in %s", tmp);
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

/* If nobody said where, that is a new directory. */
static int
output_make(struct record *r)
{
	char *first = r->dir;
	int n = 1;

	if (r->out != NULL) {
		r->keep = access(r->dir, F_OK) == 0;
		return 0;
	}
	while (mkdir(r->dir, 0777) == -1) {
		if (errno != EEXIST || n == 1000) {
			warn("%s", r->dir);
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

/*
 * Start utd, which goes into the background once its socket accepts, and
 * own it.  A signal has to wait until then, or utd would stay.
 */
static int
utd_start(struct record *r, int *sig)
{
	char opt[] = "-r", *argv[4];
	pid_t pid;

	argv[0] = r->utd;
	argv[1] = opt;
	argv[2] = r->rundir;
	argv[3] = NULL;
	if ((pid = spawn(argv, prepare_utd, r)) == -1) {
		warn("cannot run %s", r->utd);
		return -1;
	}
	if (await(pid, sig) != 0) {
		warnx("%s did not start", r->utd);
		return -1;
	}
	r->client = client_open(r->rundir, 1);
	return r->client == NULL ? -1 : 0;
}

static int
session_begin(struct record *r)
{
	struct rule rule = { SESSION, CHANNEL, "", UT_RULE_ALL, 0, NULL, 0 };
	struct client *c = r->client;
	struct ut_msg *m;
	size_t i;

	m = client_begin(c, UT_CTL_CREATE);
	ut_msg_str(m, SESSION);
	ut_msg_str(m, r->dir);
	if (client_request(c, NULL) == -1)
		return -1;
	r->created = 1;
	if (client_channel(c, SESSION, CHANNEL, &r->geometry) == -1)
		return -1;
	for (i = 0; i < r->nglobs; i++) {
		rule.glob = r->globs[i];
		if (client_rule(c, UT_CTL_ENABLE, &rule) == -1)
			return -1;
	}
	return client_ask(c, UT_CTL_START, SESSION, NULL);
}

/* Say what was recorded; -1 if it is not all. */
static int
report(const struct record *r, struct row *rows)
{
	const struct row *s, *w;
	const char *error;

	rows_clean(rows);
	if ((s = rows->child) == NULL) {
		warnx("utd has lost the session");
		return -1;
	}
	error = row_str(s, "error");
	for (w = s->child; w != NULL; w = w->next)
		if (strcmp(w->what, "warning") == 0 &&
		    strcmp(row_str(w, "text"), error) != 0)
			warnx("warning: %s", row_str(w, "text"));
	if (*error != '\0')
		warnx("%s", error);
	warnx("%" PRIu64 " events, %" PRIu64 " lost, %" PRIu64 " bytes in %s",
	    row_num(s, "written"), row_num(s, "lost"), row_num(s, "bytes"),
	    r->dir);
	return *error == '\0' ? 0 : -1;
}

static int
session_end(struct record *r)
{
	struct row *rows = NULL;
	int result;

	if (client_ask(r->client, UT_CTL_STOP, SESSION, NULL) == -1 ||
	    client_ask(r->client, UT_CTL_LIST, SESSION, &rows) == -1 ||
	    client_ask(r->client, UT_CTL_DESTROY, SESSION, NULL) == -1) {
		warnx("the trace in %s may not be complete", r->dir);
		result = -1;
	} else
		result = report(r, rows);
	row_free(rows);
	return result;
}

/* Run the command; -> exit status. */
static int
command_run(struct record *r)
{
	int sig, saved;
	pid_t pid;

	if ((pid = spawn(r->argv, prepare_command, r)) == -1) {
		saved = errno;
		warn("%s", r->argv[0]);
		return saved == ENOENT ? 127 : 126;
	}
	r->ran = 1;
	return await(pid, &sig);
}

/* Let the signals through while that function works. */
static int
interruptible(int (*function)(struct record *), struct record *r)
{
	int result;

	sigprocmask(SIG_SETMASK, &wait_mask, NULL);
	result = function(r);
	sigprocmask(SIG_SETMASK, &our_mask, NULL);
	return result;
}

/* All from a utd that runs to a trace that is whole; -> exit status. */
static int
record(struct record *r)
{
	int sig = 0, status;

	status = utd_start(r, &sig);
	if (status == 0 && sig == 0) {
		status = interruptible(session_begin, r);
		sig = client_interrupted();
	}
	if (sig != 0)
		return 128 + sig;
	if (status == -1)
		return 1;
	status = command_run(r);
	if (r->ran && interruptible(session_end, r) == -1 && status == 0)
		status = 1;
	return status;
}

/* utd ends when nobody owns it: wait for that, within bounds. */
static int
utd_end(struct record *r)
{
	static const struct timespec nap = { 0, 5000000 };
	int64_t deadline = ut_msg_now() + LINGER;
	char *path = format("%s/%s", r->rundir, UT_SOCKET);
	int gone = client_gone(r->client);

	client_close(r->client);
	client_interrupt(0);
	while (!gone && access(path, F_OK) == 0 && client_interrupted() == 0) {
		if (ut_msg_now() > deadline) {
			warnx("utd in %s does not end", r->rundir);
			break;
		}
		nanosleep(&nap, NULL);
	}
	free(path);
	return 0;
}

/*
 * Who can write above the trace may have put another directory in its place,
 * or a link to one.
 */
static void
remove_trace(struct record *r)
{
	size_t n = strlen(r->dir);
	char *name;

	if (r->created && ut_walk(r->dir, 0, 0) == 0)
		nftw(".", remove_empty, 8, FTW_DEPTH | FTW_PHYS);
	if (r->keep)
		return;
	while (n > 1 && r->dir[n - 1] == '/')
		r->dir[--n] = '\0';
	name = strrchr(r->dir, '/');
	*name++ = '\0';
	if (ut_walk(r->dir, 0, 0) == 0)
		rmdir(name);
}

/* Leave nothing behind but the trace. */
static void
clean_up(struct record *r)
{
	if (r->client != NULL)
		interruptible(utd_end, r);
	nftw(r->private, remove_any, 8, FTW_DEPTH | FTW_PHYS);
	if (access(r->private, F_OK) == 0)
		warnx("%s could not be removed", r->private);
	if (!r->ran)
		remove_trace(r);
}

static int
parse_options(struct record *r, int argc, char **argv)
{
	int ch;

	r->globs = calloc((size_t)argc, sizeof(*r->globs));
	if (r->globs == NULL)
		err(1, NULL);
	while ((ch = getopt(argc, argv, "+o:e:b:n:k:w:")) != -1) {
		switch (ch) {
		case 'o':
			r->out = optarg;
			break;
		case 'e':
			r->globs[r->nglobs++] = optarg;
			break;
		case 'b':
			r->geometry.subsize = parse_subsize(optarg);
			break;
		case 'n':
			r->geometry.count = parse_count(optarg);
			break;
		case 'k':
			r->geometry.clock = parse_clock(optarg);
			break;
		case 'w':
			r->preload = find_wrapper(optarg);
			break;
		default:
			return -1;
		}
	}
	r->argv = argv + optind;
	return argc == optind ? -1 : 0;
}

int
cmd_record(int argc, char **argv)
{
	static char every[] = "*";
	static struct record r;
	int status = 1;

	if (parse_options(&r, argc, argv) == -1)
		return usage(argv[0]);
	if (r.nglobs == 0)
		r.globs[r.nglobs++] = every;
	r.utd = utd_find();
	r.dir = output_name(&r);
	signals_catch();
	if (rundir_make(&r) == -1)
		return 1;
	if (output_make(&r) == 0)
		status = record(&r);
	clean_up(&r);
	return status;
}
