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
 * A message of ut_msg(5), byte by byte, for who has no intention to send only
 * what is right: it is begun, items are put behind it, and its length is the
 * caller's to say.
 */

#ifndef MESSAGE_H
#define MESSAGE_H

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <err.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../libut/ut_msg.h"

static unsigned char buf[UT_MSG_MAX + 64];
static size_t len;

static inline void
put(const void *p, size_t n)
{
	if (len + n > sizeof(buf))
		errx(1, "too long");
	memcpy(buf + len, p, n);
	len += n;
}

static inline void
put8(uint8_t v)
{
	put(&v, sizeof(v));
}

static inline void
put32(uint32_t v)
{
	put(&v, sizeof(v));
}

static inline void
put64(uint64_t v)
{
	put(&v, sizeof(v));
}

static inline void
put_str(const char *s)
{
	uint16_t n = (uint16_t)strlen(s);

	put(&n, sizeof(n));
	put(s, n);
}

static inline void
begin(int type, uint32_t a, uint32_t b)
{
	struct ut_msghdr h;

	memset(&h, 0, sizeof(h));
	h.type = (uint16_t)type;
	h.a = a;
	h.b = b;
	len = 0;
	put(&h, sizeof(h));
}

/*
 * utd in that directory, which may take so many seconds over each thing, or 0
 * where it has for ever: a socket, or -1 where there is no room for one.
 */
static inline int
dial(const char *dir, int seconds)
{
	const struct timespec nap = { 0, 10000000 };
	struct timeval tv = { seconds, 0 };
	struct sockaddr_un sun;
	int s, tries = 0;

	memset(&sun, 0, sizeof(sun));
	sun.sun_family = AF_UNIX;
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/%s", dir, UT_SOCKET);
	/* Where others wait to be let in some systems refuse, and wait not. */
	while ((s = socket(AF_UNIX, SOCK_STREAM, 0)) != -1 &&
	    connect(s, (struct sockaddr *)&sun, sizeof(sun)) == -1) {
		if (errno != ECONNREFUSED || tries++ == 1000)
			err(1, "%s", sun.sun_path);
		close(s);
		nanosleep(&nap, NULL);
	}
	if (s == -1)
		return -1;
	(void)setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	(void)setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	return s;
}

#endif /* MESSAGE_H */
