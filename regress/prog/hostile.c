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
 * A peer of utd that knows the protocol and means harm: hostile dir mode [n].
 *
 *	cut		each message cut off at each length, each count and
 *			length wrong, each twice, and in any order
 *	fds		descriptors of all kinds, with all messages, and many
 *	deaf n		so many utctls that ask and ask, and do not read
 *	fat n		so many programs with as many events as there can be,
 *			with the longest names, that stay
 *	again n		so many connections, one after the other, of one
 *			program with events that nobody else has
 *	busy n		so many utctls that give the session "busy" rules and
 *			take them back, and do not wait for the answers
 *	owned		a utctl that wants to own two sessions at once
 *	unread		a utctl that stops the session "s", and does not read
 *			until stdin ends: says on stderr how often it was told
 *			what is left to write before the answer came
 *
 * deaf, fat, busy and unread print how many they are, and stay until stdin
 * ends.
 */

#include <sys/types.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

#define FDS	200			/* more than one message may have */
#define MANY	131072			/* events */

static const char *dir;
static uint64_t fingerprint;

/* So many bytes, of a message that says it has so many. */
static int
post_cut(int s, size_t n, uint32_t says)
{
	memcpy(buf, &says, sizeof(says));
	return send(s, buf, n, MSG_NOSIGNAL) == (ssize_t)n;
}

static int
post(int s)
{
	return post_cut(s, len, (uint32_t)len);
}

/* A message of each kind as it should be; 0 after the last. */

static void
put_fields(void)
{
	put32(2);
	put_str("n");
	put("\1\4\0\0\0\0\0", 7);	/* an integer */
	put_str("e");
	put("\7\4\1\0\0\0\0", 7);	/* an enumeration */
	put_str("colour");
	put32(1);
	put_str("red");
	put("\0", 1);
	put64(0);
}

static void
make_hello(void)
{
	begin(UT_MSG_HELLO, UT_MSG_VERSION, sizeof(void *) * CHAR_BIT);
	put32((uint32_t)getpid());
	put_str("hostile\nutd: \033[31m");
	put64(0);
	put64(++fingerprint);
	put32(1);
}

static void
make_rule(int type)
{
	begin(type, 0, 0);
	put_str("nosuchsession");
	put_str("channel");
	put_str("a:*");
	put64(0);
	put32(1);
	put_str("a:b");
}

static int
make(int kind)
{
	static const int named[] = { UT_CTL_DESTROY, UT_CTL_START,
	    UT_CTL_STOP, UT_CTL_LIST, UT_CTL_EVENTS };

	switch (kind) {
	case 0:
		make_hello();
		break;
	case 1:
		begin(UT_MSG_NAMES, 0, 1);
		put_str("cut:event");
		put32(6);
		break;
	case 2:
		begin(UT_MSG_EVENTS, 0, 1);
		put32(0);
		put32(0);
		put_fields();
		break;
	case 3:
		begin(UT_MSG_ACK, 1, 0);
		break;
	case 4:
		begin(UT_MSG_FAILED, 1, 12);
		break;
	case 5:
		begin(UT_MSG_NEW, 0, 0);
		put64(++fingerprint);
		put32(2);
		break;
	case 6:
		begin(UT_CTL_HELLO, UT_MSG_VERSION, 0);
		break;
	case 7:
		begin(UT_CTL_CREATE, 0, 0);
		put_str("s");
		put_str("relative");
		break;
	case 8:
		make_rule(UT_CTL_ENABLE);
		break;
	case 9:
		make_rule(UT_CTL_DISABLE);
		break;
	case 10:
		begin(UT_CTL_CHANNEL, 0, 0);
		put_str("nosuchsession");
		put_str("channel");
		put64(0);
		put64(0);
		break;
	default:
		if (kind - 11 >= 5)
			return 0;
		begin(named[kind - 11], 0, 0);
		put_str("nosuchsession");
	}
	return 1;
}

static int
is_control(int kind)
{
	return kind >= 6;
}

/* Connected, and past the hello; before 0 nothing is said. */
static int
meet(int kind)
{
	int s = dial(dir, 2);

	if (kind == 0)
		return s;
	(void)make(is_control(kind) ? 6 : 0);
	(void)post(s);
	return s;
}

static void
one(int kind, size_t n, uint32_t says, uint32_t a, uint32_t b)
{
	int s = meet(kind);

	(void)make(kind);
	memcpy(buf + 8, &a, sizeof(a));
	memcpy(buf + 12, &b, sizeof(b));
	(void)post_cut(s, n, says);
	close(s);
}

static void
do_cut(void)
{
	static const uint32_t odd[] = { 0, 1, 2, 15, 16, 17, 65535, 65536,
	    65537, 0x7fffffff, 0x80000000, 0xffffffff };
	struct ut_msghdr h;
	size_t i, n;
	int kind, k, s;

	for (kind = 0; make(kind); kind++) {
		memcpy(&h, buf, sizeof(h));
		for (n = len; n-- > sizeof(h);) {
			one(kind, n, (uint32_t)n, h.a, h.b);
			one(kind, n, (uint32_t)len, h.a, h.b);
		}
		for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
			one(kind, len, odd[i], h.a, h.b);
			one(kind, len, (uint32_t)len, odd[i], h.b);
			one(kind, len, (uint32_t)len, h.a, odd[i]);
		}
		/* After any other, and twice. */
		for (k = 0; make(k); k++) {
			s = meet(kind);
			(void)make(k);
			(void)(post(s) && make(kind) && post(s) && post(s));
			close(s);
		}
	}
}

/* The message in buf, with the descriptor n times beside its first byte. */
static void
post_fds(int s, int fd, int n)
{
	union {
		struct cmsghdr	hdr;
		unsigned char	room[CMSG_SPACE(FDS * sizeof(int))];
	} control;
	struct iovec iov = { buf, 1 };
	struct msghdr mh;
	struct cmsghdr *c;
	int i;

	memset(&mh, 0, sizeof(mh));
	memset(&control, 0, sizeof(control));
	mh.msg_iov = &iov;
	mh.msg_iovlen = 1;
	mh.msg_control = control.room;
	mh.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int));
	c = CMSG_FIRSTHDR(&mh);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
	for (i = 0; i < n; i++)
		memcpy(CMSG_DATA(c) + (size_t)i * sizeof(int), &fd,
		    sizeof(int));
	if (sendmsg(s, &mh, MSG_NOSIGNAL) == 1 && len > 1)
		(void)send(s, buf + 1, len - 1, MSG_NOSIGNAL);
}

static void
fds_with(int fd)
{
	uint32_t n;
	int kind, i, s, r;

	for (kind = 0; make(kind); kind++) {
		for (r = 1; r <= FDS; r = r < 3 ? r + 1 : r * 66) {
			s = meet(kind);
			(void)make(kind);
			n = (uint32_t)len;
			memcpy(buf, &n, sizeof(n));
			for (i = 0; i < 5; i++)
				post_fds(s, fd, r);
			close(s);
		}
	}
}

static void
do_fds(void)
{
	int pair[2];

	fds_with(open("/", O_RDONLY));
	fds_with(open("/dev/null", O_RDWR));
	fds_with(open("/etc/passwd", O_RDONLY));
	if (pipe(pair) == -1)
		err(1, "pipe");
	fds_with(pair[0]);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1)
		err(1, "socketpair");
	fds_with(pair[0]);
}

static void
stay(int n)
{
	printf("%d\n", n);
	fflush(stdout);
	while (getchar() != EOF)
		continue;
}

/* One answer is not queued before the other is asked for. */
static void
do_deaf(int n)
{
	int *socks = calloc((size_t)n, sizeof(*socks));
	int i, k;

	for (i = 0; i < n; i++)
		socks[i] = meet(11);
	for (k = 0; k < 100; k++) {
		for (i = 0; i < n; i++) {
			begin(k % 2 ? UT_CTL_LIST : UT_CTL_EVENTS, 0, 0);
			put_str("");
			(void)post(socks[i]);
		}
		usleep(20000);
	}
	stay(n);
	free(socks);
}

/* All names, as fast as utd takes them: false when it has hung up. */
static int
tell_names(int s, uint32_t first, uint32_t n)
{
	char name[256];
	uint32_t i, end = first + n, count;

	for (i = first; i < end;) {
		begin(UT_MSG_NAMES, i, 0);
		for (count = 0; i < end && len < sizeof(buf) - 300; count++) {
			snprintf(name, sizeof(name), "fat:e%0248u", i++);
			put_str(name);
			put32(6);
		}
		memcpy(buf + 12, &count, sizeof(count));
		if (!post(s))
			return 0;
	}
	return 1;
}

static void
do_fat(int n)
{
	struct ut_msghdr h;
	int i, s, in = 0;

	for (i = 0; i < n; i++) {
		s = dial(dir, 2);
		make_hello();
		len -= sizeof(uint32_t);
		put32(MANY);
		(void)post(s);
		/* WELCOME, LIST: what it does not ask for it need not hear. */
		if (recv(s, buf, sizeof(h) + 8, MSG_WAITALL) !=
		    (ssize_t)sizeof(h) + 8 ||
		    recv(s, &h, sizeof(h), MSG_WAITALL) != sizeof(h) ||
		    h.type != UT_MSG_LIST || !tell_names(s, h.a, h.b))
			close(s);
		else
			in++;
	}
	stay(in);
}

static void
do_again(int n)
{
	int i, s;

	for (i = 0; i < n; i++) {
		s = dial(dir, 2);
		make_hello();
		(void)post(s);
		make(1);
		(void)post(s);
		close(s);
	}
}

static int
post_rule(int s, int type, const char *glob)
{
	begin(type, 0, 0);
	put_str("busy");
	put_str("");
	put_str(glob);
	put32(UT_RULE_ALL);
	put32(0);
	put32(0);
	return post(s);
}

static void
do_busy(int n)
{
	struct pollfd pfd = { STDIN_FILENO, POLLIN, 0 };
	int *socks = calloc((size_t)n, sizeof(*socks));
	char glob[32];
	int i, k;

	for (i = 0; i < n; i++) {
		socks[i] = meet(11);
		(void)fcntl(socks[i], F_SETFL, O_NONBLOCK);
	}
	printf("%d\n", n);
	fflush(stdout);
	while (poll(&pfd, 1, 0) == 0) {
		for (i = 0; i < n; i++) {
			snprintf(glob, sizeof(glob), "busy%d", i);
			for (k = 0; k < 32; k++) {
				(void)post_rule(socks[i], UT_CTL_ENABLE, glob);
				(void)post_rule(socks[i], UT_CTL_DISABLE, glob);
			}
		}
		for (i = 0; i < n; i++)
			while (recv(socks[i], buf, sizeof(buf), 0) > 0)
				continue;
		usleep(1000);
	}
	free(socks);
}

/* The type of the answer, behind its rows. */
static int
answer(int s)
{
	struct ut_msghdr h;

	do {
		if (recv(s, &h, sizeof(h), MSG_WAITALL) != sizeof(h) ||
		    h.len < sizeof(h) || h.len > sizeof(buf) ||
		    (h.len > sizeof(h) && recv(s, buf, h.len - sizeof(h),
		    MSG_WAITALL) != (ssize_t)(h.len - sizeof(h))))
			err(1, "answer");
	} while (h.type == UT_CTL_ROW);
	return h.type;
}

static void
create_owned(int s, const char *name, int wanted)
{
	begin(UT_CTL_CREATE, 0, 0);
	put_str(name);
	put_str("");
	put32(0);
	put32(1);
	if (!post(s) || answer(s) != wanted)
		errx(1, "create %s", name);
}

static void
do_owned(void)
{
	int s = meet(11);

	if (answer(s) != UT_CTL_OK)
		errx(1, "hello");
	create_owned(s, "own1", UT_CTL_OK);
	create_owned(s, "own2", UT_CTL_ERR);
	begin(UT_CTL_DESTROY, 0, 0);
	put_str("own1");
	if (!post(s) || answer(s) != UT_CTL_OK)
		errx(1, "destroy");
	create_owned(s, "own3", UT_CTL_OK);
	close(s);
}

static void
do_unread(void)
{
	int n = 0, type, s = dial(dir, 0);

	(void)make(6);
	if (!post(s) || answer(s) != UT_CTL_OK)
		errx(1, "hello");
	begin(UT_CTL_STOP, 0, 0);
	put_str("s");
	if (!post(s))
		errx(1, "stop");
	stay(1);
	while ((type = answer(s)) == UT_CTL_PROGRESS)
		n++;
	if (type != UT_CTL_OK)
		errx(1, "not stopped");
	fprintf(stderr, "%d\n", n);
}

int
main(int argc, char *argv[])
{
	struct rlimit rl;
	int n;

	if (argc < 3)
		errx(1, "hostile dir mode [n]");
	dir = argv[1];
	n = argc > 3 ? atoi(argv[3]) : 1;
	alarm(60);
	fingerprint = (uint64_t)getpid() << 32;
	if (getrlimit(RLIMIT_NOFILE, &rl) == 0) {
		rl.rlim_cur = rl.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &rl);
	}
	if (strcmp(argv[2], "cut") == 0)
		do_cut();
	else if (strcmp(argv[2], "fds") == 0)
		do_fds();
	else if (strcmp(argv[2], "deaf") == 0)
		do_deaf(n);
	else if (strcmp(argv[2], "fat") == 0)
		do_fat(n);
	else if (strcmp(argv[2], "again") == 0)
		do_again(n);
	else if (strcmp(argv[2], "busy") == 0)
		do_busy(n);
	else if (strcmp(argv[2], "owned") == 0)
		do_owned();
	else if (strcmp(argv[2], "unread") == 0)
		do_unread();
	else
		errx(1, "mode %s", argv[2]);
	return 0;
}
