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
 * The first process of a container: what compat.h says of it.
 *
 * The system gives it the processes that lose their parents, and it has to wait
 * for them.  utd and utctl wait for their own children, one by one.
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "compat.h"

static const int passed[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };

static pid_t child;

/* The child is in the terminal's foreground, too, and has what that sends. */
static void
pass(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code == SI_USER || info->si_code == SI_QUEUE)
		(void)kill(child, sig);
}

void
ut_adopt_orphans(void)
{
	struct sigaction sa;
	sigset_t all, old;
	int status;
	pid_t ended;
	size_t i;

	if (getpid() != 1)
		return;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &old);
	if ((child = fork()) > 0) {
		memset(&sa, 0, sizeof(sa));
		sa.sa_sigaction = pass;
		sa.sa_flags = SA_SIGINFO;
		sigfillset(&sa.sa_mask);
		for (i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
			sigaction(passed[i], &sa, NULL);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	if (child <= 0)
		return;
	while ((ended = waitpid(-1, &status, 0)) != child)
		if (ended == -1 && errno != EINTR)
			_exit(1);
	_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
	    WEXITSTATUS(status));
}
