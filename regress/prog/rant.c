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
 * A library to preload for utd: a consumer says more than it should before it
 * answers a request.  What it says depends on which of these files there is,
 * and the consumer removes that file, so that the next consumer is honest:
 *
 *	$RANT.type	messages of a type that does not exist, without end
 *	$RANT.deaf	it hears nothing more, and it and its children send
 *			messages about a region that does not exist, without end
 *	$RANT.progress	MANY times how much is left to write, then $RANT.said
 *			exists
 *	$RANT.made	BATCH times that it made a directory without a name, for
 *			each of the first IDS traces
 */

#include <sys/types.h>
#include <sys/socket.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../utd/utd.h"

#define MANY	400000
#define BATCH	2000
#define KIDS	40
#define IDS	100

static pid_t parent;

__attribute__((constructor))
static void
begin(void)
{
	parent = getpid();
}

static const char *
file(const char *what)
{
	static char path[1024];
	const char *rant = getenv("RANT");

	snprintf(path, sizeof(path), "%s.%s", rant != NULL ? rant : "", what);
	return path;
}

/* Send all bytes; the process ends when nobody hears it any more. */
static void
say(int s, const char *p, size_t n)
{
	struct pollfd pfd = { s, POLLOUT, 0 };
	ssize_t did;

	while (n > 0) {
		if ((did = send(s, p, n, MSG_NOSIGNAL)) > 0) {
			p += did;
			n -= (size_t)did;
		} else if (errno == EAGAIN || errno == ENOBUFS) {
			(void)poll(&pfd, 1, 10);
		} else if (errno != EINTR) {
			_exit(0);
		}
	}
}

/* So many messages of that type, with so many bytes behind the header. */
static void
rant(int s, uint16_t type, size_t body, long n)
{
	static char batch[BATCH * (sizeof(struct ut_msghdr) + 16)];
	struct ut_msghdr h;
	const size_t each = sizeof(h) + body;
	int i;

	memset(&h, 0, sizeof(h));
	alarm(90);			/* whatever utd does */
	h.len = (uint32_t)each;
	h.type = type;
	for (i = 0; i < BATCH; i++) {
		h.a = type == UT_C_MADE ? (uint32_t)i % IDS : 0;
		memcpy(batch + (size_t)i * each, &h, sizeof(h));
	}
	for (; n != 0; n -= n > 0 ? BATCH : 0)
		say(s, batch, BATCH * each);
}

static void
before_reply(int s)
{
	int i;

	if (unlink(file("type")) == 0)
		rant(s, 999, 0, -1);
	if (unlink(file("deaf")) == 0) {
		(void)shutdown(s, SHUT_RD);
		for (i = 0; i < KIDS && fork() > 0; i++)
			continue;
		rant(s, UT_C_GREW, 0, -1);
	}
	if (unlink(file("progress")) == 0) {
		rant(s, UT_C_PROGRESS, 16, MANY);
		close(open(file("said"), O_WRONLY | O_CREAT, 0600));
	}
	if (unlink(file("made")) == 0)
		rant(s, UT_C_MADE, 4, IDS * BATCH);
}

ssize_t
sendmsg(int s, const struct msghdr *m, int flags)
{
	ssize_t (*real)(int, const struct msghdr *, int);
	const struct ut_msghdr *h = m->msg_iov[0].iov_base;

	*(void **)&real = dlsym(RTLD_NEXT, "sendmsg");
	if (getpid() != parent && m->msg_iovlen > 0 &&
	    m->msg_iov[0].iov_len >= sizeof(*h) && h->type == UT_C_REPLY)
		before_reply(s);
	return real(s, m, flags);
}
