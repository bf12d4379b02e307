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
 * Threads that live shortly: threads n [us].  Each traces, so many us apart, ten
 * times, and once more in the destructor of a key of its own; a few at a time.
 * Writers of seq:tick, for seqcheck.
 */

#include <err.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <ut.h>

UT_EVENT(seq, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))

#define TOGETHER	8

static pthread_key_t key;
static uint32_t numbers[1 << 16];
static struct timespec apart;

static void
tick(uint32_t writer, uint64_t n)
{
	UT(seq, tick, writer, n, "short", (n * UINT64_C(0x9e3779b97f4a7c15)) ^
	    writer);
}

static void
end(void *arg)
{
	tick(*(uint32_t *)arg, 11);
}

static void *
run(void *arg)
{
	uint64_t n;

	pthread_setspecific(key, arg);
	for (n = 1; n <= 10; n++) {
		tick(*(uint32_t *)arg, n);
		if (apart.tv_nsec != 0)
			nanosleep(&apart, NULL);
	}
	return NULL;
}

int
main(int argc, char *argv[])
{
	uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000, i, k;
	pthread_t threads[TOGETHER];

	apart.tv_nsec = argc > 2 ? 1000 * atol(argv[2]) : 0;
	pthread_key_create(&key, end);
	for (i = 0; i < n && i < sizeof(numbers) / sizeof(numbers[0]); i += k) {
		for (k = 0; k < TOGETHER && i + k < n; k++) {
			numbers[i + k] = i + k;
			if (pthread_create(&threads[k], NULL, run,
			    &numbers[i + k]) != 0)
				errx(1, "pthread_create");
		}
		while (k > 0)
			pthread_join(threads[--k], NULL);
		k = TOGETHER;
	}
	return 0;
}
