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
 * utd: the daemon that programs and utctl talk to.  See utd(8).
 */

#include <sys/types.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../libut/common/rundir.h"
#include "parent/act/client.h"
#include "parent/store/consumers.h"
#include "parent/talk/listen.h"
#include "parent/parent.h"

static int signal_pipe[2];
static struct file signal_file;
static int ready = -1;			/* tells the foreground, until then */
static bool tied;
static pid_t loader;			/* loads saved sessions; or 0 */

static void
usage(void)
{
	fprintf(stderr, "usage: utd [-v] [-d | -f [-e now|last]] "
	    "[-l dir] [-r rundir]\n");
	exit(1);
}

static void
on_signal(int sig)
{
	int error = errno;
	unsigned char c = (unsigned char)sig;
	ssize_t n;

	do
		n = write(signal_pipe[1], &c, 1);
	while (n == -1 && errno == EINTR);
	/* If the pipe is full, others are waiting already. */
	errno = error;
}

/*
 * Detach only now, when programs can connect and find what saved sessions want:
 * until here failures were told to the terminal.  A starter that has gone
 * meanwhile is not told that we are ready.
 */
static void
detach(void)
{
	if (ready == -1)
		return;			/* -d */
	log_detach();
	if (write(ready, "", 1) != 1 && !tied)
		fatal("the foreground process");
	close(ready);
}

static void
signal_came(void *arg, short revents)
{
	unsigned char c;

	(void)arg;
	(void)revents;
	while (read(signal_pipe[0], &c, 1) == 1) {
		if (c != SIGCHLD) {
			loop_stop();
			continue;
		}
		consumers_reap();
		wake_reap();
		jobs_reap();
		if (loader > 0 && waitpid(loader, NULL, WNOHANG) == loader) {
			loader = 0;
			detach();
		}
	}
}

static void
signals_init(void)
{
	const int flags = SA_RESTART | SA_NOCLDSTOP;
	sigset_t none;

	if (pipe(signal_pipe) == -1 || ut_nonblock(signal_pipe[0]) == -1 ||
	    ut_nonblock(signal_pipe[1]) == -1)
		fatal("pipe");
	if (!file_add(&signal_file, signal_pipe[0], POLLIN, signal_came, NULL))
		fatal("pipe");
	catch_signal(SIGTERM, on_signal, flags);
	catch_signal(SIGINT, on_signal, flags);
	catch_signal(SIGCHLD, on_signal, flags);
	catch_signal(SIGHUP, SIG_IGN, flags);
	/* In consumers, until they listen. */
	catch_signal(SIGUSR1, SIG_IGN, flags);
	catch_signal(SIGPIPE, SIG_IGN, flags);
	catch_signal(SIGXFSZ, SIG_IGN, flags);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/*
 * Into the background; the foreground ends when the socket is there, which
 * the byte in the pipe says, or with failure, when the pipe closes.
 */
static int
background(void)
{
	int end[2], status;
	pid_t pid;
	char c;

	if (pipe(end) == -1)
		fatal("pipe");
	if ((pid = fork()) == -1)
		fatal("fork");
	if (pid > 0) {
		close(end[1]);
		if (read(end[0], &c, 1) == 1)
			_exit(0);
		_exit(waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
		    WEXITSTATUS(status) : 1);
	}
	close(end[0]);
	return end[1];
}

/* Whoever started us waits for the same on our output, and for our end. */
static int
foreground(void)
{
	const int fd = fcntl(1, F_DUPFD_CLOEXEC, 3);

	if (fd == -1)
		fatal("standard output");
	return fd;
}

/*
 * The process that started us has the other end of our input, and ends us by
 * its own end until it is the owner.
 */
static void
tie(const char *when)
{
	const bool last = strcmp(when, "last") == 0;
	const int fd = fcntl(0, F_DUPFD_CLOEXEC, 3);

	if (!last && strcmp(when, "now") != 0)
		usage();
	if (fd == -1 || !client_starter(fd, last))
		fatal("standard input");
}

/* The caller may have closed 0 to 2: what we open must not get these. */
static void
open_standard(void)
{
	int fd;

	while ((fd = open("/dev/null", O_RDWR)) != -1 && fd <= 2)
		continue;
	if (fd != -1)
		close(fd);
}

/* A descriptor for every program. */
static void
raise_limits(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) == 0) {
		rl.rlim_cur = rl.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &rl);
	}
}

/*
 * We leave the directory that we were started in.  With a slash at its end,
 * a name that is a link would not look like one.
 */
static void
make_absolute(char *dir, size_t size)
{
	char cwd[PATH_MAX], rel[PATH_MAX];
	size_t len;

	for (len = strlen(dir); len > 1 && dir[len - 1] == '/'; len--)
		dir[len - 1] = '\0';
	if (dir[0] == '/')
		return;
	if (getcwd(cwd, sizeof(cwd)) == NULL)
		fatal("getcwd");
	snprintf(rel, sizeof(rel), "%s", dir);
	make_path(dir, size, cwd, rel);
}

static void
take_dir(char *dir, size_t size, const char *what)
{
	if (*optarg == '\0' || strlen(optarg) >= size) {
		errno = *optarg == '\0' ? ENOENT : ENAMETOOLONG;
		fatal("%s", what);
	}
	strcpy(dir, optarg);
	make_absolute(dir, size);
}

int
main(int argc, char *argv[])
{
	char dir[PATH_MAX] = "", saved[PATH_MAX] = "";
	const char *end = NULL;
	bool debug = false, stay = false, verbose = false, boots;
	int c;

	while ((c = getopt(argc, argv, "de:fl:r:v")) != -1) {
		switch (c) {
		case 'd':
			debug = true;
			break;
		case 'e':
			end = optarg;
			break;
		case 'f':
			stay = true;
			break;
		case 'l':
			take_dir(saved, sizeof(saved), "saved sessions");
			break;
		case 'r':
			take_dir(dir, sizeof(dir), "run directory");
			break;
		case 'v':
			verbose = true;
			break;
		default:
			usage();
		}
	}
	if (argc > optind || (debug && stay) || (end != NULL && !stay))
		usage();
	ut_adopt_orphans();
	boots = saved[0] != '\0' || (dir[0] == '\0' && end == NULL &&
	    getenv("UT_RUNDIR") == NULL);
	if (dir[0] == '\0' && ut_rundir(dir, sizeof(dir)) == -1)
		fatal("no run directory: neither -r nor UT_RUNDIR, "
		    "XDG_RUNTIME_DIR or HOME names one");
	make_absolute(dir, sizeof(dir));
	log_init(debug, verbose);
	ut_closefrom(3);	/* whoever waits for the end of them */
	open_standard();
	umask(022);
	raise_limits();
	if (!debug) {
		ready = stay ? foreground() : background();
		if (setsid() == -1 && !stay)
			fatal("setsid");
	}
	signals_init();
	if ((tied = end != NULL))
		tie(end);
	if (chdir("/") == -1)
		fatal("/");
	parent_open(dir);
	if (boots && sessions == NULL && (loader = boot_load(saved, dir)) == -1)
		fatal("fork");
	if (loader == 0)
		detach();
	log_info("run directory %s", dir);
	loop_run(conn_reap, parent_stop);
	return parent_close() ? 0 : 1;
}
