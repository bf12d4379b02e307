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
 * flips N: so many events with strings that another thread changes meanwhile.
 * What the event says of itself has to be right nevertheless.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ut.h>

UT_EVENT(flips, e, UT_INFO, UT_U32(n), UT_STR(a), UT_STR(b), UT_STR(c),
    UT_STR(d), UT_STR(e), UT_TEXT(t, 9), UT_STRN(s), UT_SEQ(uint8_t, q),
    UT_ARRAY(uint8_t, r, 3), UT_U64(check))

#define LEN	7

static volatile char text[16];
static volatile uint8_t bytes[16];
static volatile size_t len;
static atomic_bool done;

static void *
flip(void *arg)
{
	unsigned int i = 0;

	while (!done) {
		text[i / 8 % LEN] ^= 'x';
		bytes[i % LEN] = (uint8_t)i;
		len = i % LEN;
		i++;
	}
	return arg;
}

int
main(int argc, char **argv)
{
	const uint32_t total = argc > 1 ? (uint32_t)atoi(argv[1]) : 1;
	const char *s = (const char *)(uintptr_t)text;
	const uint8_t *q = (const uint8_t *)(uintptr_t)bytes;
	pthread_t thread;
	uint32_t n;

	memset((void *)(uintptr_t)text, 'x', LEN);
	if (pthread_create(&thread, NULL, flip, NULL) != 0)
		return 1;
	for (n = 1; n <= total; n++)
		UT(flips, e, n, s, s, s, s, s, s, s, len, q, len, q,
		    (uint64_t)n * 3 + 1);
	done = true;
	pthread_join(thread, NULL);
	return 0;
}
