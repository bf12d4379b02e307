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
 * A process of root's utctl becomes another user, so that the system refuses
 * what that user may not do.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "common/compat.h"
#include "common/msg.h"
#include "utctl.h"

#define PATIENCE	10000		/* ms for a connection */
#define MOST		300000		/* ms that users can keep us waiting */
#define SLICE		50		/* ms between looks */

/* One deadline for all that a job has users do: single ones would add up. */
int64_t
as_user_deadline(void)
{
	return ut_msg_now() + MOST;
}

/*
 * Call a function, which returns 0 or an errno, as that user; this is returned.
 * The process is killed when a signal asks utctl to end, or the time is over.
 */
int
as_user(uid_t uid, gid_t gid, int (*function)(void *), void *arg,
    int64_t deadline)
{
	pid_t pid;
	int sig = 0, status;

	if (ut_msg_now() >= deadline)
		return ETIMEDOUT;
	if ((pid = fork()) == 0) {
		_exit(ut_become(uid, gid) == -1 ? errno : function(arg));
	}
	if (pid == -1)
		return errno;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		/* The signal of its end may be over, if none is blocked. */
		(void)wait_signal(-1, SLICE, &sig);
		if (sig != 0 || ut_msg_now() >= deadline)
			kill(pid, SIGKILL);
	}
	if (sig != 0)
		client_interrupt(sig);
	return WIFEXITED(status) ? WEXITSTATUS(status) :
	    sig != 0 ? EINTR : ETIMEDOUT;
}

struct connecting {
	const char	*dir;
	int		 fd;		/* for the socket that is connected */
	struct ut_msg	 m;
};

static int
connect_there(void *arg)
{
	struct connecting *c = arg;
	const int64_t deadline = ut_msg_now() + PATIENCE;
	const int s = ut_msg_connect(c->dir, deadline);

	if (s == -1)
		return errno;
	ut_msg_init(&c->m, 0, 0, 0);
	ut_msg_fd(&c->m, s);
	return ut_msg_send(c->fd, &c->m, deadline) == -1 ? errno : 0;
}

/*
 * A socket connected to utd in that directory, or -1 with errno.  The user has
 * put there what is there: it may be a link to a socket to which only root can
 * connect.
 */
int
connect_as(uid_t uid, gid_t gid, const char *dir)
{
	static struct connecting c;
	int pair[2], s = -1, error;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1)
		return -1;
	c.dir = dir;
	c.fd = pair[1];
	error = ut_nonblock(pair[0]) == -1 || ut_nonblock(pair[1]) == -1 ?
	    errno : as_user(uid, gid, connect_there, &c, as_user_deadline());
	close(pair[1]);
	ut_msg_init(&c.m, 0, 0, 0);
	if (error == 0 && (ut_msg_recv(pair[0], &c.m, ut_msg_now()) == -1 ||
	    (s = ut_msg_get_fd(&c.m)) == -1))
		error = errno;
	close(pair[0]);
	errno = error;
	return s;
}
