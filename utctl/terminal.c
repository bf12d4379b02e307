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
 * Terminals: the pager that shows what utctl prints, and how far reading is.
 */

#include <sys/mman.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/compat.h"
#include "common/msg.h"
#include "utctl.h"

#define DEFAULT	"command -v less >/dev/null && exec less; exec cat"
#define PATIENCE	500		/* ms until progress is shown */
#define EVERY		200		/* ms until it is shown again */
#define SHOWN		36		/* columns of it */

#define BLANKS	" \t\n"
#define NO_RUN	126		/* status of sh(1), and 127 */

static pid_t	 pager;		/* 0: none */
static int	 complaints = -1;	/* stderr, not to the pager */

/*
 * The command for sh(1); NULL: no pager.  A pager may start shells, and users
 * who run utctl with the rights of another one need not have those for shells.
 */
static const char *
pager_command(void)
{
	const char *s = getenv("UT_PAGER"), *term = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || ut_issetugid() ||
	    getenv("SUDO_UID") != NULL || getenv("DOAS_USER") != NULL ||
	    getenv("PKEXEC_UID") != NULL)
		return NULL;
	if (s == NULL && (s = getenv("PAGER")) == NULL)
		return term == NULL || strcmp(term, "dumb") == 0 ? NULL :
		    DEFAULT;
	return s[strspn(s, BLANKS)] == '\0' || strcmp(s, "cat") == 0 ? NULL :
	    s;
}

/*
 * Let the pager end, as users decide: it has the terminal.  If it cannot run,
 * nobody sees the output.  Handlers of signals come here, too.
 */
static void
await(void)
{
	static const char text[] = "utctl: the pager cannot run, so nothing "
	    "is shown: change UT_PAGER, or PAGER, or set UT_PAGER=cat\n";
	int status = 0;

	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pager, &status, 0) == -1 && errno == EINTR)
		continue;
	if (!WIFEXITED(status) || WEXITSTATUS(status) < NO_RUN ||
	    WEXITSTATUS(status) > NO_RUN + 1)
		return;
	if (write(complaints, text, sizeof(text) - 1) == -1)
		_exit(1);
	_exit(1);
}

static void
finish(void)
{
	fflush(stdout);
	await();
}

/* End by the signal, once the pager has given the terminal back. */
static void
caught(int sig)
{
	await();
	(void)signal(sig, SIG_DFL);
	(void)raise(sig);
}

static void
signals_take(void)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP,
	    SIGPIPE };
	struct sigaction sa, old;
	size_t i;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = caught;
	sa.sa_flags = SA_NODEFER;
	sigemptyset(&sa.sa_mask);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &sa, NULL);
}

/* Become the pager, once there is something to show. */
static void
become(int from, const char *command)
{
	struct pollfd pfd = { .fd = from, .events = POLLIN };

	while (poll(&pfd, 1, -1) == -1 && errno == EINTR)
		continue;
	if ((pfd.revents & POLLIN) == 0)
		_exit(0);
	if (dup2(from, STDIN_FILENO) == -1 || setenv("LESS", "FRX", 0) == -1)
		_exit(1);
	if (from != STDIN_FILENO)
		close(from);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Start the pager before utctl confines itself; if it cannot be, do without. */
void
pager_start(void)
{
	const char *command = pager_command();
	int fds[2];

	if (command == NULL)
		return;
	complaints = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (pipe(fds) == -1)
		return;
	if ((pager = fork()) == 0) {
		close(fds[1]);
		become(fds[0], command);
	}
	if (pager > 0) {
		(void)dup2(fds[1], STDOUT_FILENO);
		if (isatty(STDERR_FILENO))
			(void)dup2(fds[1], STDERR_FILENO);
		setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
		signals_take();
		(void)atexit(finish);
	}
	close(fds[0]);
	close(fds[1]);
}

int
pager_colours(void)
{
	const char *less = getenv("LESS");

	return pager > 0 && (less == NULL || strpbrk(less, "Rr") != NULL);
}

/*
 * How far reading is.  Several processes may read, so they share this.
 */

static struct progress {
	_Atomic uint64_t	 total, done;	/* bytes; total 0: not known */
	_Atomic int64_t		 next;		/* ms: when a line is due */
	_Atomic int		 shown;
} *progress;			/* NULL: nothing is said */
static int	 fd;		/* the terminal */
static size_t	 part, parts;	/* runs that are read one by one */

void
progress_start(void)
{
	struct progress *p;

	progress = NULL;
	if (!isatty(STDERR_FILENO) ||
	    (fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) == -1 ||
	    (p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANON, -1, 0)) == MAP_FAILED)
		return;
	p->next = ut_msg_now() + PATIENCE;
	progress = p;
}

void
progress_part(size_t i, size_t n)
{
	part = i + 1;
	parts = n;
}

void
progress_total(uint64_t bytes)
{
	if (progress == NULL)
		return;
	progress->total = bytes;
	progress->done = 0;
}

/* Headers may be read twice: so there may seem to be more than all. */
void
progress_add(uint64_t bytes)
{
	struct progress *p = progress;
	uint64_t done;
	int64_t now, next;

	if (p == NULL || p->total == 0)
		return;
	done = atomic_fetch_add(&p->done, bytes) + bytes;
	next = p->next;
	if ((now = ut_msg_now()) < next ||
	    !atomic_compare_exchange_strong(&p->next, &next, now + EVERY))
		return;
	p->shown = 1;
	if (parts > 1)
		dprintf(fd, "\rutctl: run %zu of %zu: ", part, parts);
	dprintf(fd, "%s%2d %% read", parts > 1 ? "" : "\rutctl: ",
	    done >= p->total ? 99 :
	    (int)((double)done * 100 / (double)p->total));
}

void
progress_end(void)
{
	if (progress != NULL && progress->shown)
		dprintf(fd, "\r%*s\r", SHOWN, "");
	progress = NULL;
}
