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
 * A utd of utctl's own, and its run directory.  It stays the child of utctl,
 * which waits for its end: an orphan would be left to process 1, which in a
 * container may be a program that waits for nothing but its own.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../utctl.h"
#include "common/compat.h"
#include "common/msg.h"
#include "common/rundir.h"
#include "ut_abi.h"

static int lifeline = -1;	/* utd ends when it is closed */

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

/*
 * Can every user get to what is in that directory, and nobody but root change
 * the way there?
 */
static int
good_for_root(const char *dir)
{
	char path[PATH_MAX], *p = path;
	struct stat st;
	int ok;

	if (snprintf(path, sizeof(path), "%s/", dir) >= (int)sizeof(path))
		return 0;
	do {
		p += strcspn(p + 1, "/") + 1;
		*p = '\0';
		ok = stat(path, &st) == 0 && st.st_uid == 0 &&
		    (st.st_mode & S_IXOTH) != 0 &&
		    ((st.st_mode & (S_IWGRP | S_IWOTH)) == 0 ||
		    (st.st_mode & S_ISVTX) != 0);
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
	    (geteuid() == 0 && !good_for_root(tmp)))
		return "/tmp";
	return tmp;
}

/*
 * A run directory of our own.  It is a level deeper than need be, for programs
 * that outlive us make their run directory, but none above it.  What root runs
 * may become any user, and its utd serves them all.
 */
char *
private_make(void)
{
	const char *tmp = tmp_dir();
	char *dir = format("%s/ut-XXXXXX", tmp);
	const int made = mkdtemp(dir) != NULL;

	if (made && (geteuid() != 0 || chmod(dir, 0711) == 0))
		return dir;
	say_errno("run directory in %s", tmp);
	if (made)
		(void)rmdir(dir);
	free(dir);
	return NULL;
}

/* Print what utd said while it started. */
static void
copy_said(FILE *said)
{
	int c;

	rewind(said);
	while ((c = getc(said)) != EOF)
		putc(c, stderr);
}

/*
 * In the child: the output is for utd to say that it is ready, the input ends
 * when utctl does, and what keys and hangups do to utctl is no matter of utd.
 */
static void
prepare(const void *arg)
{
	const int *fds = arg;

	if (dup2(fds[3], 0) == -1 || dup2(fds[1], 1) == -1 ||
	    (fds[2] != -1 && dup2(fds[2], 2) == -1)) {
		say_errno("descriptors of utd");
		_exit(1);
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	/* Libraries of the program may keep descriptors that utd closes. */
	unsetenv("LD_PRELOAD");
}

/* Make utd's input, which ends when the lifeline is closed; -1 and errno. */
static int
lifeline_make(void)
{
	int fds[2];

	if (pipe(fds) == -1)
		return -1;
	lifeline = fds[1];
	(void)fcntl(lifeline, F_SETFD, FD_CLOEXEC);
	return fds[0];
}

void
utd_owned(void)
{
	if (lifeline != -1)
		close(lifeline);
	lifeline = -1;
}

/*
 * Start utd, with fds as prepare() wants them, and wait until it is ready: -1,
 * or the status with which it failed.
 */
static int
launch(char *utd, char *dir, int *sig, int fds[4], const char *when, pid_t *pid)
{
	char stay[] = "-f", opt[] = "-r", end[] = "-e", *argv[7], c;
	char *until = format("%s", when);
	int r;

	argv[0] = utd;
	argv[1] = opt;
	argv[2] = dir;
	argv[3] = stay;
	argv[4] = end;
	argv[5] = until;
	argv[6] = NULL;
	if ((*pid = child_spawn(argv, prepare, fds)) == -1)
		say_errno("cannot run %s", utd);
	close(fds[1]);
	close(fds[3]);
	r = *pid == -1 ? 0 : child_await(*pid, fds[0], -1, sig, NULL);
	if (r == -1 && read(fds[0], &c, 1) != 1) {
		utd_owned();		/* utd ends, if it has not failed */
		r = child_await(*pid, -1, -1, sig, NULL);
	}
	close(fds[0]);
	free(until);
	return r;
}

/*
 * Start utd: its PID once its socket accepts, or -1; *sig is the last signal
 * that came meanwhile, if any.  If another utd is there already, *taken becomes
 * 1 and nothing is said, unless taken is NULL.
 */
pid_t
utd_start(char *utd, char *dir, int *sig, int *taken)
{
	FILE *said = taken == NULL ? NULL : tmpfile();
	int fds[4] = { -1, -1, -1, -1 }, r;
	pid_t pid;

	if (taken != NULL)
		*taken = 0;
	if (pipe(fds) == -1 || (fds[3] = lifeline_make()) == -1) {
		say_errno("pipe");
		for (r = 0; r < 2; r++)
			if (fds[r] != -1)
				close(fds[r]);
		if (said != NULL)
			fclose(said);
		return -1;
	}
	fds[2] = said == NULL ? -1 : fileno(said);
	r = launch(utd, dir, sig, fds, taken == NULL ? "now" : "last", &pid);
	if (taken != NULL)
		*taken = pid != -1 && r == UT_RUNDIR_TAKEN;
	if (said != NULL && !*taken)
		copy_said(said);
	if (said != NULL)
		fclose(said);
	if (pid != -1 && r == -1)
		return pid;
	utd_owned();
	if (pid != -1 && (taken == NULL || !*taken))
		say("%s did not start", utd);
	return -1;
}

/*
 * Wait for its end, within bounds: 0, the signal that killed it, or -1 if it
 * does not end.
 */
int
utd_reap(pid_t pid)
{
	static const struct timespec nap = { 0, 5000000 };
	const int64_t deadline = ut_msg_now() + LINGER;
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (ut_msg_now() >= deadline)
			return -1;
		nanosleep(&nap, NULL);
	}
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
