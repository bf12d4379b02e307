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
 * Many programs, as far as utd can tell: connects path processes each.  Every
 * process connects so many times and says HELLO, without events.  They answer
 * nothing, and go when the input ends.  Prints how many connections there are
 * when utd has welcomed all of them, or with -n at once, whatever becomes of
 * them; with -m they say nothing at all.  With -p they pause for so many
 * seconds before they say HELLO, as on a machine that is too busy for them.
 */

#include <sys/types.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../libut/ut_msg.h"

#define HELLO	1
#define WELCOME	16

/* ut_msg(5) */
struct hello {
	uint32_t	 len;
	uint16_t	 type;
	uint16_t	 nfds;
	uint32_t	 a;
	uint32_t	 b;
	unsigned char	 body[4 + 2 + 8 + 8 + 8 + 4];
};

static struct sockaddr_un sun;
static int awaits = 1, mute;
static unsigned int pause_s;

static void
say_hello(int s)
{
	const uint32_t pid = (uint32_t)getpid();
	const uint16_t n = 8;
	struct hello h;

	memset(&h, 0, sizeof(h));
	h.len = sizeof(h);
	h.type = HELLO;
	h.a = UT_MSG_VERSION;
	h.b = sizeof(void *) * 8;
	memcpy(h.body, &pid, sizeof(pid));
	memcpy(h.body + 4, &n, sizeof(n));
	memcpy(h.body + 6, "connects", 8);
	if (send(s, &h, sizeof(h), MSG_NOSIGNAL) != sizeof(h) && awaits)
		err(1, "send");
}

/* EAGAIN is that the queue is full, and so is ECONNREFUSED on NetBSD. */
static int
connection(void)
{
	static const struct timespec nap = { 0, 1000000 };
	int s, tries = 30000;

	if ((s = socket(AF_UNIX, SOCK_STREAM, 0)) == -1)
		err(1, "socket");
	while (connect(s, (struct sockaddr *)&sun, sizeof(sun)) == -1) {
		if (errno != EAGAIN && errno != EINTR &&
		    (errno != ECONNREFUSED || tries-- == 0))
			err(1, "%s", sun.sun_path);
		nanosleep(&nap, NULL);
	}
	sleep(pause_s);
	if (!mute)
		say_hello(s);
	return s;
}

static void
child(int n, int in, int out)
{
	struct hello h;
	int *socks, i;
	char c = 0;

	if ((socks = calloc((size_t)n, sizeof(*socks))) == NULL)
		err(1, "calloc");
	for (i = 0; i < n; i++)
		socks[i] = connection();
	for (i = 0; i < n && awaits; i++)
		if (recv(socks[i], &h, 16, MSG_WAITALL) != 16 ||
		    h.type != WELCOME)
			errx(1, "no welcome");
	if (write(out, &c, 1) != 1)
		err(1, "write");
	(void)!read(in, &c, 1);
	_exit(0);
}

/* Processes, all of them connected; they go when that is closed. */
static int
start(int processes, int each)
{
	int in[2], out[2], i;
	char c;

	if (pipe(in) == -1 || pipe(out) == -1)
		err(1, "pipe");
	for (i = 0; i < processes; i++) {
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			close(in[1]);
			child(each, in[0], out[1]);
		}
	}
	close(out[1]);
	for (i = 0; i < processes; i++)
		if (read(out[0], &c, 1) != 1)
			errx(1, "not all are there");
	return in[1];
}

static void
raise_limit(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl) == 0) {
		rl.rlim_cur = rl.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &rl);
	}
}

int
main(int argc, char *argv[])
{
	int ch, fd, processes, each, status, bad = 0;
	char c;

	while ((ch = getopt(argc, argv, "mnp:")) != -1) {
		switch (ch) {
		case 'm':
			mute = 1;
			/* FALLTHROUGH */
		case 'n':
			awaits = 0;
			break;
		case 'p':
			pause_s = (unsigned int)atoi(optarg);
			break;
		default:
			return 1;
		}
	}
	argv += optind;
	if (argc - optind != 3 || strlen(argv[0]) >= sizeof(sun.sun_path))
		errx(1, "connects [-m | -n] [-p s] path processes each");
	processes = atoi(argv[1]);
	each = atoi(argv[2]);
	raise_limit();
	sun.sun_family = AF_UNIX;
	strcpy(sun.sun_path, argv[0]);
	fd = start(processes, each);
	printf("%d\n", processes * each);
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		continue;
	close(fd);
	while (wait(&status) != -1)
		bad |= status != 0;
	return bad;
}
