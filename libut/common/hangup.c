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
 * Hanging up on a peer who may mean harm: what compat.h says of it.
 *
 * What is in the queue of a socket goes when the socket is closed, and with it
 * the descriptors in there.  Closing one of these can take as long as whoever
 * has sent it likes, for example if it is a socket with SO_LINGER and data that
 * nobody reads; we cannot look at it without having to close it ourselves.  So
 * a process that does nothing else has the queue last, and ends.  (Linux does
 * not even linger then.)
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "compat.h"

#define HIGH	16			/* above the standard descriptors */

/* Are there descriptors in the queue?  What is before them is dropped. */
static int
has_descriptors(int s)
{
	char buf[4096];

	/* From now on, nothing can be added. */
	if (shutdown(s, SHUT_RDWR) == -1 && errno != ENOTCONN)
		return 0;
	while (ut_recv_bare(s, buf, sizeof(buf)) > 0)
		continue;
	return errno == EBADMSG;
}

/* End when the pipe does, which is when nobody else has the socket. */
static void
outlast(int s, int pipe_end)
{
	const int end = fcntl(pipe_end, F_DUPFD, HIGH);
	const int last = fcntl(s, F_DUPFD, HIGH);
	char c;

	if (end == -1 || last == -1 || dup2(end, 0) == -1 ||
	    dup2(last, 1) == -1)
		_exit(1);
	ut_closefrom(2);
	while (read(0, &c, 1) == -1 && errno == EINTR)
		continue;
	_exit(0);
}

/* Close a socket, which a grandchild, whom we need not wait for, has longer. */
static void
hang_up_later(int s)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends) == -1) {
		close(s);
		return;
	}
	if ((pid = fork()) == 0) {
		if (fork() == 0)
			outlast(s, ends[0]);
		_exit(0);
	}
	while (pid != -1 && waitpid(pid, NULL, 0) == -1 && errno == EINTR)
		continue;
	close(s);
	close(ends[0]);
	close(ends[1]);
}

void
ut_hang_up(int s)
{
	errno = 0;
	if (has_descriptors(s))
		hang_up_later(s);
	else
		close(s);
}
