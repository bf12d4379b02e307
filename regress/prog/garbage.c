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
 * A peer of utd that behaves badly: garbage dir mode [seed].  What it sends
 * is the same each time with the same seed.
 *
 *	bytes		anything
 *	heads		headers of all kinds, cut anywhere, and left so
 *	program		a good hello, then any message with any body
 *	control		the same as utctl
 *	events		a program that answers, with events of all kinds
 *	silent n	that many connections that say nothing, until stdin ends
 *	version		hellos of another version: prints what comes back
 */

#include <sys/types.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

#define FDS	10

static const char *dir;
static uint64_t state = 1;

static uint32_t
rnd(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(state >> 33) % n;
}

/* What is in buf, with so many descriptors; false when utd hung up. */
static int
post(int s, size_t n, int nfds)
{
	union {
		struct cmsghdr	hdr;
		unsigned char	room[CMSG_SPACE(FDS * sizeof(int))];
	} control;
	struct msghdr mh;
	struct iovec iov;
	struct cmsghdr *c;
	int i, zero = 0;

	memset(&mh, 0, sizeof(mh));
	iov.iov_base = buf;
	iov.iov_len = n;
	mh.msg_iov = &iov;
	mh.msg_iovlen = 1;
	if (nfds > 0) {
		memset(&control, 0, sizeof(control));
		mh.msg_control = control.room;
		mh.msg_controllen = CMSG_SPACE((size_t)nfds * sizeof(int));
		c = CMSG_FIRSTHDR(&mh);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN((size_t)nfds * sizeof(int));
		for (i = 0; i < nfds; i++)
			memcpy(CMSG_DATA(c) + (size_t)i * sizeof(int), &zero,
			    sizeof(int));
	}
	return sendmsg(s, &mh, MSG_NOSIGNAL) != -1;
}

static int
finish(int s)
{
	struct ut_msghdr h;

	memcpy(&h, buf, sizeof(h));
	h.len = (uint32_t)len;
	memcpy(buf, &h, sizeof(h));
	return post(s, len, 0);
}

static int
hello(int type, uint32_t version)
{
	int s = dial(dir, 2);

	begin(type, version, type == UT_MSG_HELLO ?
	    (uint32_t)(sizeof(void *) * CHAR_BIT) : 0);
	if (type == UT_MSG_HELLO) {
		put32((uint32_t)getpid());
		put_str("garb\033[31m\"age");
		put64(0);	/* no earlier connection */
		put64(version == UT_MSG_VERSION ? state : 0);
		put32(version == UT_MSG_VERSION ? rnd(60) : 0);
	}
	(void)finish(s);
	return s;
}

static void
do_bytes(void)
{
	int i, k, s;
	size_t n;

	for (i = 0; i < 300; i++) {
		s = dial(dir, 2);
		for (k = 0; k < 3; k++) {
			for (n = 0; n < 1 + rnd(4096); n++)
				buf[n] = (unsigned char)rnd(256);
			if (!post(s, n, (int)rnd(3)))
				break;
		}
		close(s);
	}
}

static void
do_heads(void)
{
	static const uint32_t lens[] = { 0, 1, 15, 16, 17, 65535, 65536,
	    65537, 0x7fffffff, 0xffffffff };
	static const uint16_t nfds[] = { 0, 1, 2, 3, 65535 };
	static int open_ones[64];
	struct ut_msghdr h;
	size_t l, f, cut;
	int type, s, n = 0, k;

	for (type = 0; type < 112; type++) {
		for (l = 0; l < sizeof(lens) / sizeof(lens[0]); l++) {
			f = rnd(sizeof(nfds) / sizeof(nfds[0]));
			cut = 1 + rnd(sizeof(h));
			memset(&h, 0, sizeof(h));
			h.len = lens[l];
			h.type = (uint16_t)type;
			h.nfds = nfds[f];
			h.a = rnd(2) ? UT_MSG_VERSION : rnd(1000);
			h.b = rnd(4);
			memcpy(buf, &h, sizeof(h));
			s = dial(dir, 2);
			(void)post(s, rnd(3) == 0 ? cut : sizeof(h),
			    (int)rnd(4));
			if (open_ones[n % 64] != 0)
				close(open_ones[n % 64]);
			open_ones[n++ % 64] = s;
		}
	}
	/* Bodies that are too long. */
	for (type = 0; type < 112; type += 3) {
		memset(&h, 0, sizeof(h));
		h.len = type % 2 ? 0x100000 : UT_MSG_MAX + 1;
		h.type = (uint16_t)type;
		memset(buf, 0xff, sizeof(buf));
		memcpy(buf, &h, sizeof(h));
		s = dial(dir, 2);
		for (k = 0; k < 16 && post(s, UT_MSG_MAX, 0); k++)
			memset(buf, 0xff, sizeof(buf));
		close(s);
	}
}

/* OWN is not for us: utd would rightly end. */
static void
do_messages(int type)
{
	int i, k, s, t;
	uint32_t n;

	for (i = 0; i < 40; i++) {
		s = hello(type, UT_MSG_VERSION);
		for (k = 0; k < 60; k++) {
			if ((t = (int)rnd(112)) == UT_CTL_OWN)
				continue;
			if (rnd(2))
				t = type == UT_MSG_HELLO ? 1 + (int)rnd(8) :
				    34 + (int)rnd(11);
			begin(t, rnd(3) ? rnd(4) : rnd(UINT32_MAX),
			    rnd(3) ? rnd(4) : rnd(UINT32_MAX));
			for (n = rnd(4) ? rnd(40) : rnd(60000); n > 0; n--)
				put8((uint8_t)(rnd(2) ? rnd(4) : rnd(256)));
			if (rnd(8) == 0) {
				((struct ut_msghdr *)(void *)buf)->len =
				    (uint32_t)len;
				if (!post(s, len, 1 + (int)rnd(FDS)))
					break;
			} else if (!finish(s))
				break;
		}
		close(s);
	}
}

static const char *const names[] = {
	"x", "_x", "_x_length", "x_length", "string", "struct", "id",
	"timestamp", "event", "integer", "\"", "x y", "x;", "", "\033", "9",
	"align", "clock", "env", "_", "__x_length", "typealias"
};
#define NNAMES	(sizeof(names) / sizeof(names[0]))

static const char *const labels[] = {
	"red", "blue", "", "\"", "\\", "\n", "a b", "\303\244", "\377", "?",
	"red", "*/", "{"
};
#define NLABELS	(sizeof(labels) / sizeof(labels[0]))

static void
put_field(void)
{
	static const uint32_t counts[] = { 0, 1, 3, 255, 65536, 16777216,
	    16777217, 0xffffffff };
	static const uint8_t sizes[] = { 0, 1, 2, 3, 4, 8, 16, 255 };
	uint8_t kind = (uint8_t)rnd(9);
	uint32_t n;

	put_str(names[rnd(rnd(2) ? 3 : NNAMES)]);
	put8(kind);
	put8(kind == UINT8_C(3) || kind == UINT8_C(4) ? 1 :
	    rnd(4) ? 4 : sizes[rnd(8)]);
	put8((uint8_t)(rnd(3) ? rnd(8) : rnd(256)));
	put32(counts[rnd(8)]);
	if (kind != 7)
		return;
	put_str("colour");
	n = 1 + rnd(5);
	put32(rnd(10) == 0 ? 0xffffffff : n);
	for (; n > 0; n--) {
		put_str(labels[rnd(rnd(2) ? 2 : NLABELS)]);
		put8(1);
		put64(rnd(4) ? rnd(3) : (uint64_t)rnd(UINT32_MAX) << rnd(33));
		put64(rnd(4) ? 3 + rnd(3) :
		    (uint64_t)rnd(UINT32_MAX) << rnd(33));
	}
}

static const char *const bad_names[] = {
	"no colon", ":", "garbage:", "garbage:\"; }; trace { x = \"", "g:a b",
	"g:a:b", "g:\n", "g\\:a", "1g:a", ""
};

/* Most are good, so that the bad ones do not end the talk at once. */
static void
put_name(uint32_t event)
{
	char name[400];

	snprintf(name, sizeof(name), "garbage:e%u_%u",
	    (unsigned)(state % 1000), (unsigned)event);
	if (rnd(20) == 0)
		snprintf(name, sizeof(name), "garbage:%0*d",
		    (int)rnd(300), 0);
	put_str(rnd(10) == 0 ? bad_names[rnd(10)] : name);
	put32(rnd(20) == 0 ? 15 : rnd(15));
}

static int
tell_names(int s, const struct ut_msghdr *h)
{
	uint32_t i, n = rnd(20) ? h->b : rnd(100);

	begin(UT_MSG_NAMES, rnd(20) ? h->a : rnd(100), n);
	for (i = 0; i < n && len < 50000; i++)
		put_name(h->a + i);
	if (len >= 50000)
		((struct ut_msghdr *)(void *)buf)->b = i;
	return finish(s);
}

static void
put_event(uint32_t event)
{
	uint32_t n, bytes;
	size_t before;

	put32(rnd(50) ? event : rnd(100));
	before = len;
	put32(0);
	if (rnd(10) != 0) {
		n = rnd(20) == 0 ? 17 : rnd(4);
		put32(n);
		for (; n > 0; n--)
			put_field();
	}
	bytes = (uint32_t)(len - before - sizeof(bytes));
	if (rnd(50) == 0)
		bytes = rnd(2) ? rnd(100) : rnd(UINT32_MAX);
	memcpy(buf + before, &bytes, sizeof(bytes));
}

static int
tell_events(int s, const struct ut_msghdr *h, const unsigned char *body)
{
	uint32_t i, event;

	begin(UT_MSG_EVENTS, rnd(20) ? h->a : rnd(10), h->b);
	for (i = 0; i < h->b && len < 50000; i++) {
		memcpy(&event, body + i * sizeof(event), sizeof(event));
		put_event(event);
	}
	return finish(s);
}

static int
answer(int s, const struct ut_msghdr *h, const unsigned char *body)
{
	switch (h->type) {
	case UT_MSG_LIST:
		return tell_names(s, h);
	case UT_MSG_DESCRIBE:
		return tell_events(s, h, body);
	case UT_MSG_ATTACH:
		if (rnd(4) != 0)
			return 1;
		begin(UT_MSG_FAILED, h->a, rnd(200));
		return finish(s);
	case UT_MSG_MAP:
		begin(UT_MSG_ACK, h->a, rnd(4) ? 0 : rnd(200));
		return finish(s);
	case UT_MSG_DONE:
		begin(UT_MSG_NEW, 0, 0);
		put64(state);
		put32(rnd(4) ? 60 + rnd(20) : rnd(200000));
		return finish(s);
	}
	return 1;
}

static void
do_events(void)
{
	static unsigned char body[UT_MSG_MAX];
	const uint64_t seed = state;
	/* When utd waits for what never comes, so do we, not for long. */
	struct timeval tv = { 0, 20000 };
	struct ut_msghdr h;
	int i, k, s;

	for (i = 0; i < 300; i++) {
		state = seed * 1000 + (uint64_t)i;
		(void)rnd(1);
		s = hello(UT_MSG_HELLO, UT_MSG_VERSION);
		(void)setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
		for (k = 0; k < 20; k++) {
			if (recv(s, &h, sizeof(h), MSG_WAITALL) !=
			    sizeof(h) || h.len < sizeof(h) ||
			    h.len > UT_MSG_MAX)
				break;
			if (h.len > sizeof(h) && recv(s, body, h.len -
			    sizeof(h), MSG_WAITALL) <= 0)
				break;
			if (!answer(s, &h, body))
				break;
		}
		close(s);
	}
}

static void
do_silent(int n)
{
	struct rlimit rl;
	int i;

	if (getrlimit(RLIMIT_NOFILE, &rl) == 0) {
		rl.rlim_cur = rl.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &rl);
	}
	for (i = 0; i < n && dial(dir, 2) != -1; i++)
		continue;
	printf("%d\n", i);
	fflush(stdout);
	while (getchar() != EOF)
		continue;
}

static void
do_version(void)
{
	static const int types[] = { UT_MSG_HELLO, UT_CTL_HELLO };
	struct ut_msghdr h;
	char text[1024];
	ssize_t n;
	int i, s;

	for (i = 0; i < 2; i++) {
		s = hello(types[i], 99);
		if (recv(s, &h, sizeof(h), MSG_WAITALL) != sizeof(h))
			errx(1, "no answer to %d", types[i]);
		n = recv(s, text, sizeof(text) - 1, MSG_WAITALL);
		text[n > 0 ? n : 0] = '\0';
		/* MSG_WAITALL ends early only when utd has hung up. */
		printf("%d: type %d version %u %s%s\n", types[i], h.type, h.a,
		    h.type == UT_CTL_ERR ? text + 2 : "",
		    n == -1 && errno == EAGAIN ? " (open)" : "");
		close(s);
	}
}

int
main(int argc, char *argv[])
{
	const char *mode;

	if (argc < 3)
		errx(1, "garbage dir mode [seed]");
	dir = argv[1];
	mode = argv[2];
	if (argc > 3)
		state = strtoull(argv[3], NULL, 10);
	alarm(40);
	if (strcmp(mode, "bytes") == 0)
		do_bytes();
	else if (strcmp(mode, "heads") == 0)
		do_heads();
	else if (strcmp(mode, "program") == 0)
		do_messages(UT_MSG_HELLO);
	else if (strcmp(mode, "control") == 0)
		do_messages(UT_CTL_HELLO);
	else if (strcmp(mode, "events") == 0)
		do_events();
	else if (strcmp(mode, "silent") == 0)
		do_silent((int)state);
	else if (strcmp(mode, "version") == 0)
		do_version();
	else
		errx(1, "mode %s", mode);
	return 0;
}
