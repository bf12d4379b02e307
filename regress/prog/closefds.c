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
 * A program that closes all descriptors, as daemons do, opens as many of its
 * own as the argument says, and looks whether anyone touched them: closefds
 * [number [how]].  How is loop, closefrom, or daemon, which is daemon(3)
 * before all else and then a loop.  Its own are pipes and sockets.  Traces all
 * the while, and says which pid it has; commands come as signals: SIGUSR1
 * close all, SIGUSR2 look and end.  Writer 0 of seq:tick, for seqcheck.
 */

#include <sys/socket.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(seq, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))

#define MAXFD	1024

static volatile sig_atomic_t got_close, got_end;
static int ends[MAXFD];			/* the other end of each, or -1 */
static struct stat was[MAXFD];

static void
handler(int sig)
{
	if (sig == SIGUSR1)
		got_close = 1;
	else
		got_end = 1;
}

static void
close_all(const char *how)
{
	int i;

	if (strcmp(how, "closefrom") == 0) {
#if !defined(__linux__)
		closefrom(3);
		return;
#elif defined(SYS_close_range)
		if (syscall(SYS_close_range, 3u, ~0u, 0) == 0)
			return;
#endif
	}
	for (i = 3; i < MAXFD; i++)
		close(i);
}

/* Two that are connected: each pair another kind. */
static int
make_pair(int fd[2], int n)
{
	return n % 4 < 2 ? pipe(fd) : socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
}

/* Close all, then have so many. */
static void
take_all(int max, const char *how)
{
	int fd[2], i;

	close_all(how);
	memset(ends, -1, sizeof(ends));
	for (; max > 1 && make_pair(fd, max) == 0; max -= 2) {
		if (fd[0] >= MAXFD || fd[1] >= MAXFD)
			errx(1, "descriptors %d, %d", fd[0], fd[1]);
		ends[fd[0]] = fd[1];
		ends[fd[1]] = fd[0];
		/* A byte in each: who polls it finds it readable. */
		if (write(fd[1], "x", 1) != 1)
			err(1, "write");
		fcntl(fd[0], F_SETFL, O_NONBLOCK);
		fcntl(fd[1], F_SETFL, O_NONBLOCK);
	}
	for (i = 3; i < MAXFD; i++)
		if (ends[i] != -1 && fstat(i, &was[i]) == -1)
			err(1, "fstat");
}

static int
untouched(void)
{
	struct stat st;
	char c[2];
	int i, n = 0, bad = 0;

	for (i = 3; i < MAXFD; i++) {
		if (ends[i] == -1)
			continue;
		n++;
		if (fstat(i, &st) == -1 || st.st_ino != was[i].st_ino ||
		    st.st_dev != was[i].st_dev) {
			warnx("descriptor %d is another", i);
			bad = 1;
		}
		if (ends[i] > i && read(i, c, 2) != 1) {
			warnx("descriptor %d: not one byte", i);
			bad = 1;
		}
		if (ends[i] < i && S_ISSOCK(st.st_mode) &&
		    read(i, c, 2) != -1) {
			warnx("descriptor %d: something came", i);
			bad = 1;
		}
	}
	printf("%d descriptors\n", n);
	return bad;
}

int
main(int argc, char *argv[])
{
	const struct timespec nap = { 0, 100000 }, begun = { 0, 200000000 };
	const char *how = argc > 2 ? argv[2] : "loop";
	struct sigaction sa;
	uint64_t n = 0;
	int bad;

	if (strcmp(how, "daemon") == 0) {
		/* Sanitizers are not up to a fork while a thread begins. */
		nanosleep(&begun, NULL);
		if (daemon(1, 1) == -1)
			err(1, "daemon");
	}
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGUSR2, &sa, NULL);
	printf("ready %ld\n", (long)getpid());
	fflush(stdout);
	alarm(60);
	while (!got_end) {
		n++;
		UT(seq, tick, 0, n, "", n * UINT64_C(0x9e3779b97f4a7c15));
		nanosleep(&nap, NULL);
		if (got_close == 1) {
			take_all(argc > 1 ? atoi(argv[1]) : 0, how);
			got_close = 2;
			printf("closed %llu\n", (unsigned long long)n);
			fflush(stdout);
		}
	}
	printf("%llu events\n", (unsigned long long)n);
	bad = untouched();
	printf("status %d\n", bad);
	return bad;
}
