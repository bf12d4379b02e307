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
 * A program with as many events as there can be, whose names are alike to a
 * simple hash, or not: collide dir alike | different.  Prints how many
 * milliseconds utd takes to know them all.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../libut/ut_msg.h"

#define NEVENTS	40000u
#define BLOCKS	16		/* of two letters, one of two kinds each */
#define EVENT	(2 + 2 + 2 * BLOCKS + 4)	/* bytes in NAMES */

static struct {
	struct ut_msghdr h;
	unsigned char	 body[UT_MSG_MAX - sizeof(struct ut_msghdr)];
} in, out;
static size_t len;			/* of the body of out */
static int sock, alike;

static void
put(const void *v, size_t n)
{
	memcpy(out.body + len, v, n);
	len += n;
}

static void
put32(uint32_t v)
{
	put(&v, sizeof(v));
}

static void
put_str(const char *s)
{
	const uint16_t n = (uint16_t)strlen(s);

	put(&n, sizeof(n));
	put(s, n);
}

/* "Bb" and "CA" are the same to who multiplies by 33 and adds. */
static void
put_name(uint32_t i)
{
	char name[2 + 2 * BLOCKS + 1] = "p:";
	int k;

	for (k = 0; k < BLOCKS; k++)
		strcat(name, i >> k & 1 ? "Bb" : alike ? "CA" : "Cc");
	put_str(name);
}

static void
send_out(uint16_t type, uint32_t a, uint32_t b)
{
	const char *p = (const char *)&out;
	size_t left;
	ssize_t n;

	out.h = (struct ut_msghdr){ (uint32_t)(sizeof(out.h) + len), type, 0,
	    a, b };
	for (left = out.h.len; left > 0; left -= (size_t)n, p += n)
		if ((n = write(sock, p, left)) <= 0)
			err(1, "write");
	len = 0;
}

static void
all(void *p, size_t n)
{
	if (n > 0 && recv(sock, p, n, MSG_WAITALL) != (ssize_t)n)
		errx(1, "utd has gone away");
}

static void
receive(void)
{
	all(&in.h, sizeof(in.h));
	all(in.body, in.h.len - sizeof(in.h));
}

static void
send_names(void)
{
	uint32_t i, first = in.h.a, end = in.h.a + in.h.b;

	for (i = first; i < end; i++) {
		if (len + EVENT > sizeof(out.body)) {
			send_out(UT_MSG_NAMES, first, i - first);
			first = i;
		}
		put_name(i);
		put32(6);
	}
	send_out(UT_MSG_NAMES, first, i - first);
}

/* Without any fields. */
static void
send_events(void)
{
	uint32_t i, n = 0, number;

	for (i = 0; i < in.h.b; i++, n++) {
		if (len + 3 * sizeof(n) > sizeof(out.body)) {
			send_out(UT_MSG_EVENTS, in.h.a, n);
			n = 0;
		}
		memcpy(&number, in.body + i * sizeof(number), sizeof(number));
		put32(number);
		put32(sizeof(n));
		put32(0);
	}
	send_out(UT_MSG_EVENTS, in.h.a, n);
}

static void
hello(void)
{
	put32((uint32_t)getpid());
	put_str("collide");
	put32(0);
	put32(0);
	put32((uint32_t)getpid());
	put32(0);
	put32(NEVENTS);
	send_out(UT_MSG_HELLO, UT_MSG_VERSION, 64);
}

int
main(int argc, char *argv[])
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	struct timespec a, b;

	if (argc != 3)
		errx(1, "usage: collide dir alike | different");
	alike = strcmp(argv[2], "alike") == 0;
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/%s", argv[1],
	    UT_SOCKET);
	if ((sock = socket(AF_UNIX, SOCK_STREAM, 0)) == -1 ||
	    connect(sock, (struct sockaddr *)&sun, sizeof(sun)) == -1)
		err(1, "%s", sun.sun_path);
	clock_gettime(CLOCK_MONOTONIC, &a);
	hello();
	do {
		receive();
		if (in.h.type == UT_MSG_LIST)
			send_names();
		else if (in.h.type == UT_MSG_DESCRIBE)
			send_events();
		else if (in.h.type == UT_MSG_MAP)
			send_out(UT_MSG_ACK, in.h.a, 0);
	} while (in.h.type != UT_MSG_DONE);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%lld\n", (long long)(b.tv_sec - a.tv_sec) * 1000 +
	    (b.tv_nsec - a.tv_nsec) / 1000000);
	return 0;
}
