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
 * What a user can ask utd for again and again without waiting for answers:
 *
 *	flood hello dir n		so many programs that come and go
 *	flood switch dir session n	the session is stopped and started, at
 *					most so often; prints how often until
 *					utd refused
 */

#include "message.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define SECONDS		60
#define SOME		64

/* As it was begun; there is room for that before utd looks. */
static void
say(int s)
{
	const uint32_t n = (uint32_t)len;

	memcpy(buf, &n, sizeof(n));
	if (send(s, buf, len, MSG_NOSIGNAL) != (ssize_t)len)
		err(1, "send");
}

/* The next message: its type. */
static int
hear(int s)
{
	struct ut_msghdr h;

	if (recv(s, &h, sizeof(h), MSG_WAITALL) != sizeof(h) ||
	    h.len < sizeof(h) || h.len > sizeof(buf))
		return -1;
	len = h.len - sizeof(h);
	if (recv(s, buf, len, MSG_WAITALL) != (ssize_t)len)
		return -1;
	return h.type;
}

static int
dial_up(const char *dir)
{
	int s;

	if ((s = dial(dir, SECONDS)) == -1)
		err(1, "socket");
	return s;
}

/* A program that is gone when utd knows that it came. */
static void
hello(const char *dir)
{
	int s = dial_up(dir);

	begin(UT_MSG_HELLO, UT_MSG_VERSION, sizeof(void *) * 8);
	put32((uint32_t)getpid());
	put_str("flood");
	put64(0);
	put64(0);
	put32(0);
	say(s);
	if (hear(s) != UT_MSG_WELCOME)
		errx(1, "no welcome");
	close(s);
}

/* Asked, and not waited for, as when utctl is interrupted. */
static int
ask(const char *dir, const char *session, int type)
{
	int s = dial_up(dir);

	begin(UT_CTL_HELLO, UT_MSG_VERSION, 0);
	say(s);
	begin(type, 0, 0);
	put_str(session);
	say(s);
	(void)shutdown(s, SHUT_WR);
	return s;
}

/* If utd refuses, it says so before it sees that we are gone. */
static int
refused(int s)
{
	int r;

	if (hear(s) != UT_CTL_OK)
		errx(1, "no answer");
	r = hear(s);
	close(s);
	buf[r == -1 ? 0 : len] = '\0';
	return r == UT_CTL_ERR &&
	    strstr((char *)buf + 2, "too many requests") != NULL;
}

/* Some at a time.  How many were not refused, of at most so many. */
static int
switches(const char *dir, const char *session, int most)
{
	int socks[SOME], i, n, some = 0;

	for (n = 0; n < most && some == 0; n += SOME - some) {
		for (i = 0; i < SOME; i++)
			socks[i] = ask(dir, session, i % 2 == 0 ? UT_CTL_STOP :
			    UT_CTL_START);
		for (i = 0; i < SOME; i++)
			some += refused(socks[i]);
	}
	return n;
}

int
main(int argc, char *argv[])
{
	int i, n;

	if (argc == 4 && strcmp(argv[1], "hello") == 0) {
		n = atoi(argv[3]);
		for (i = 0; i < n; i++)
			hello(argv[2]);
	} else if (argc == 5 && strcmp(argv[1], "switch") == 0) {
		printf("%d\n", switches(argv[2], argv[3], atoi(argv[4])));
	} else {
		errx(1, "flood hello dir n | switch dir session n");
	}
	return 0;
}
