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
 * A program puts a socket of its own where the library's is, just when the
 * library's thread goes to sleep on that, and closes it later: taken.  The
 * other end has to see that.  The functions that it may sleep in are ours.
 */

#include <sys/socket.h>
#include <sys/stat.h>

#include <err.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

/* glibc's poll does not read that, says its header. */
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#if defined(__NetBSD__)
#define ppoll	pollts
#endif

UT_EVENT(taken, tick, UT_INFO, UT_INT(n))

#define SLOW	15000			/* ms */

static pthread_t first;
static int place = -1, mine[2];
static _Atomic int armed, done;

/* Of the library's thread, which shares our descriptors if it is at s. */
static void
take(int s)
{
	if (armed && !pthread_equal(pthread_self(), first) && s == place &&
	    atomic_exchange(&armed, 0)) {
		if (dup2(mine[0], place) == -1)
			_exit(2);
		done = 1;
	}
}

ssize_t
recv(int s, void *buf, size_t n, int flags)
{
	if (flags == MSG_PEEK)
		take(s);
	return recvfrom(s, buf, n, flags, NULL, NULL);
}

int
poll(struct pollfd *fds, nfds_t n, int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	if (n == 1)
		take(fds[0].fd);
	return ppoll(fds, n, ms < 0 ? NULL : &ts, NULL);
}

int
main(void)
{
	const struct timespec nap = { 0, 1000000 };
	struct pollfd pfd;
	struct stat st;
	int i, n = 0;

	first = pthread_self();
	for (i = 400; i < 1024 && place == -1; i++)
		if (fstat(i, &st) == 0 && S_ISSOCK(st.st_mode))
			place = i;
	if (place == -1)
		return 77;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, mine) == -1)
		err(1, "socketpair");
	printf("ready\n");
	fflush(stdout);
	/* The script has something said to it now. */
	nanosleep(&(struct timespec){ 0, 300000000 }, NULL);
	armed = 1;
	for (i = 0; i < 3000 && !done; i++) {
		UT(taken, tick, n++);
		nanosleep(&nap, NULL);
	}
	if (!done && dup2(mine[0], place) == -1)
		err(1, "dup2");
	printf("%s\n", done ? "in time" : "not shared");
	fflush(stdout);
	close(mine[0]);
	close(place);
	pfd.fd = mine[1];
	pfd.events = POLLIN;
	if (poll(&pfd, 1, SLOW) != 1)
		errx(1, "it is still held");
	printf("closed\n");
	fflush(stdout);
	alarm(60);
	for (;;) {
		UT(taken, tick, n++);
		nanosleep(&nap, NULL);
	}
}
