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
 * Runs a command in a process group of its own, for so many seconds at most:
 *
 *	within seconds report command [argument ...]
 *
 * When the time is over, `sh report N' says what the processes of that group,
 * N, are doing, and then they are killed: with SIGTERM, for the command to
 * clean up, and a while later with SIGKILL.  The status is 124 then, or that of
 * the command, 128 + N if a signal N has killed the command.
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define REPORT		30		/* seconds for the report */
#define CLEAN_UP	40		/* seconds after SIGTERM */

static volatile sig_atomic_t over;
static pid_t group;

/* The alarm comes again: the first one may come just before a wait. */
static void
on_alarm(int sig)
{
	(void)sig;
	over = 1;
	alarm(1);
}

/* The group gets what this process gets: it is not the terminal's. */
static void
on_end(int sig)
{
	if (group > 0)
		kill(-group, sig);
	signal(sig, SIG_DFL);
	raise(sig);
}

static pid_t
start(char *argv[])
{
	pid_t pid;

	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid != 0)
		return pid;
	setpgid(0, 0);
	execvp(argv[0], argv);
	warn("%s", argv[0]);
	_exit(127);
}

/* False if that takes longer. */
static bool
ends_within(pid_t pid, int *status, unsigned int seconds)
{
	bool ended;

	over = 0;
	alarm(seconds);
	while (!(ended = waitpid(pid, status, 0) == pid) && !over)
		if (errno != EINTR)
			err(1, "waitpid");
	alarm(0);
	return ended;
}

static void
report(char *script)
{
	char number[24], *argv[] = { "sh", script, number, NULL };
	int status;
	pid_t pid;

	snprintf(number, sizeof(number), "%ld", (long)group);
	pid = start(argv);
	if (!ends_within(pid, &status, REPORT))
		kill(-pid, SIGKILL);
}

int
main(int argc, char *argv[])
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	struct sigaction sa = { .sa_handler = on_alarm };
	int status;
	size_t i;
	long seconds;

	if (argc < 4 || (seconds = strtol(argv[1], NULL, 10)) < 0)
		errx(1, "within seconds report command [argument ...]");
	sigaction(SIGALRM, &sa, NULL);
	group = start(argv + 3);
	setpgid(group, group);
	sa.sa_handler = on_end;
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaction(ends[i], &sa, NULL);
	if (!ends_within(group, &status, (unsigned int)seconds)) {
		report(argv[2]);
		kill(-group, SIGTERM);
		kill(-group, SIGCONT);
		if (!ends_within(group, &status, CLEAN_UP))
			kill(-group, SIGKILL);
		return 124;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
	    WEXITSTATUS(status);
}
