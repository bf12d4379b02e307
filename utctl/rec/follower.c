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
 * utctl record -F: a process that prints the events while the command runs, on
 * the standard error, for the standard output is the command's.
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../show/follow.h"
#include "../show/print.h"
#include "../sym/symbols.h"
#include "common/compat.h"
#include "record.h"

#define UNREAD_MS	1000		/* is a while without a reader */
#define NAP_MS		5

/* Go on until the other end of the pipe is closed. */
static int
goes_on(void *arg)
{
	struct pollfd *pfd = arg;

	return poll(pfd, 1, 0) == 0;
}

static void
wait_ms(void *arg, int ms)
{
	struct pollfd *pfd = arg;

	ctf_print_flush();
	(void)poll(pfd, 1, ms);
}

/*
 * The follower ends with utctl, however utctl ends, and also where it waits for
 * a reader that takes nothing.
 */
static void *
life_watch(void *arg)
{
	const int fd = (int)(intptr_t)arg;
	char c;

	while (read(fd, &c, 1) == -1 && errno == EINTR)
		continue;
	_exit(1);
}

/* All signals but SIGTERM are utctl's: we end when all is printed. */
static void
signals_leave(void)
{
	sigset_t set;

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void
follower_print(const char *dir, int fd, int life, int64_t hold)
{
	struct pollfd pfd = { fd, POLLIN, 0 };
	struct follow f = { dir, hold, goes_on, wait_ms, &pfd };
	struct reader r;
	pthread_t watcher;

	memset(&r, 0, sizeof(r));
	r.names = symbols_begin() ? &symbols_names : NULL;
	if ((errno = pthread_create(&watcher, NULL, life_watch,
	    (void *)(intptr_t)life)) != 0)
		die_errno("-F");
	ctf_print_init(0);
	columns_set(COLUMNS_DEFAULT);
	ut_confine_reader(0);
	reader_follow(&r, &f, &print_ops, NULL);
	ctf_print_flush();
	ctf_damage_say();
	reader_free(&r);
}

/* Start the follower, without the connection to utd.  For hold see follow.h. */
int
follower_start(struct follower *fw, const char *dir, int64_t hold, int utd)
{
	int end[2], life[2];

	if (pipe(end) == -1 || pipe(life) == -1 || (fw->pid = fork()) == -1) {
		say_errno("-F");
		fw->pid = 0;
		return -1;
	}
	if (fw->pid != 0) {
		close(end[0]);
		close(life[0]);
		fcntl(end[1], F_SETFD, FD_CLOEXEC);
		fcntl(life[1], F_SETFD, FD_CLOEXEC);
		fw->fd = end[1];
		fw->life = life[1];
		return 0;
	}
	close(end[1]);
	close(life[1]);
	close(utd);
	signals_leave();
	if (dup2(STDERR_FILENO, STDOUT_FILENO) == -1)
		_exit(1);
	follower_print(dir, end[0], life[0], hold);
	_exit(0);
}

/*
 * Wait until all is printed.  If hurry is set, or once a signal has come, give
 * up on a terminal or a reader that has not taken anything for a while: nothing
 * more is printed then.
 */
void
follower_end(struct follower *fw, int hurry)
{
	struct pollfd pfd = { STDERR_FILENO, POLLOUT, 0 };
	int null;

	if (fw->pid == 0)
		return;
	close(fw->fd);
	while (waitpid(fw->pid, NULL, WNOHANG) == 0) {
		if (poll(&pfd, 1, UNREAD_MS) != 0)
			(void)poll(NULL, 0, NAP_MS);
		else if (hurry || client_interrupted() != 0) {
			kill(fw->pid, SIGKILL);
			if ((null = open("/dev/null", O_WRONLY)) != -1)
				(void)dup2(null, STDERR_FILENO);
		}
	}
	close(fw->life);
	fw->pid = 0;
}
