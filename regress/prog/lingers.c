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
 * Sends a socket along that takes long to be closed: one with SO_LINGER, and
 * data that nobody reads.
 *
 *	lingers utd dir		to each utctl that says hello
 *	lingers peer dir n	to utd, as so many utctls, with their hello
 *
 * It keeps none itself, but the other ends.  The peer says whether they are
 * "sent" or "refused", and stays until stdin ends.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <netinet/in.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

#define LINGER_S	30

static int refused;

/* A connection with ourselves that is full. */
static int
full(void)
{
	const struct linger on = { 1, LINGER_S };
	static const char zeros[65536];
	struct sockaddr_in sin;
	socklen_t n = sizeof(sin);
	int l, s;

	memset(&sin, 0, sizeof(sin));
	sin.sin_family = AF_INET;
	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if ((l = socket(AF_INET, SOCK_STREAM, 0)) == -1 ||
	    bind(l, (struct sockaddr *)&sin, sizeof(sin)) == -1 ||
	    listen(l, 1) == -1 ||
	    getsockname(l, (struct sockaddr *)&sin, &n) == -1 ||
	    (s = socket(AF_INET, SOCK_STREAM, 0)) == -1 ||
	    connect(s, (struct sockaddr *)&sin, sizeof(sin)) == -1 ||
	    accept(l, NULL, NULL) == -1 ||
	    setsockopt(s, SOL_SOCKET, SO_LINGER, &on, sizeof(on)) == -1 ||
	    fcntl(s, F_SETFL, O_NONBLOCK) == -1)
		err(77, "no TCP here");
	while (send(s, zeros, sizeof(zeros), MSG_NOSIGNAL) > 0)
		continue;
	close(l);
	/* It is whoever closes it that waits. */
	if (fcntl(s, F_SETFL, 0) == -1)
		err(1, "fcntl");
	return s;
}

/* Send what is in buf, with such a socket. */
static void
post(int s)
{
	union {
		struct cmsghdr	hdr;
		unsigned char	room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { buf, len };
	struct msghdr mh;
	struct cmsghdr *c;
	uint32_t n = (uint32_t)len;
	const int fd = full();

	memcpy(buf, &n, sizeof(n));
	memset(&mh, 0, sizeof(mh));
	memset(&control, 0, sizeof(control));
	mh.msg_iov = &iov;
	mh.msg_iovlen = 1;
	mh.msg_control = control.room;
	mh.msg_controllen = sizeof(control.room);
	c = CMSG_FIRSTHDR(&mh);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (sendmsg(s, &mh, MSG_NOSIGNAL) == -1) {
		if (errno != EPERM)
			err(1, "sendmsg");
		refused = 1;
		return;
	}
	close(fd);
}

static void
serve(const char *dir)
{
	struct sockaddr_un sun;
	struct ut_msghdr h;
	int l, s;

	memset(&sun, 0, sizeof(sun));
	sun.sun_family = AF_UNIX;
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/%s", dir, UT_SOCKET);
	if ((l = socket(AF_UNIX, SOCK_STREAM, 0)) == -1 ||
	    bind(l, (struct sockaddr *)&sun, sizeof(sun)) == -1 ||
	    listen(l, 100) == -1)
		err(1, "%s", sun.sun_path);
	printf("ready\n");
	fflush(stdout);
	while ((s = accept(l, NULL, NULL)) != -1) {
		if (recv(s, &h, sizeof(h), MSG_WAITALL) == sizeof(h)) {
			begin(UT_CTL_OK, UT_MSG_VERSION, 0);
			put_str("");
			post(s);
		}
		/* Until it has hung up. */
		while (recv(s, &h, sizeof(h), 0) > 0)
			continue;
		close(s);
	}
	err(1, "accept");
}

int
main(int argc, char *argv[])
{
	int i;

	if (argc == 3 && strcmp(argv[1], "utd") == 0)
		serve(argv[2]);
	if (argc != 4 || strcmp(argv[1], "peer") != 0)
		errx(1, "lingers utd dir | peer dir n");
	for (i = 0; i < atoi(argv[3]); i++) {
		begin(UT_CTL_HELLO, UT_MSG_VERSION, 0);
		post(dial(argv[2], 2));
	}
	printf(refused ? "refused\n" : "sent\n");
	fflush(stdout);
	while (getchar() != EOF)
		continue;
	_exit(0);			/* without waiting for its own */
}
