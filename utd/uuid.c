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
 * UUIDs of traces.
 */

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "utd.h"

static int random_fd = -1;

/* 36 characters: RFC 9562. */
void
uuid_text(char *s, const unsigned char *uuid)
{
	int i;

	for (i = 0; i < UUID_LEN; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*s++ = '-';
		s += snprintf(s, 3, "%02x", uuid[i]);
	}
}

/* Opened early, while there surely is a descriptor for it. */
void
uuid_begin(void)
{
	random_fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	if (random_fd == -1)
		fatal("/dev/urandom");
}

void
random_bytes(void *p, size_t n)
{
	if (read(random_fd, p, n) != (ssize_t)n)
		fatal("/dev/urandom");
}

/* RFC 9562, version 4. */
void
uuid_make(unsigned char *uuid, char *s)
{
	random_bytes(uuid, UUID_LEN);
	uuid[6] = (uuid[6] & 0x0f) | 0x40;
	uuid[8] = (uuid[8] & 0x3f) | 0x80;
	uuid_text(s, uuid);
}
