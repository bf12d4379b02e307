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
 * To be compiled with -finstrument-functions: functions that call each other,
 * in threads.  Prints how many calls there are.
 */

#include <pthread.h>
#include <stdio.h>

#define THREADS	3

int	fibonacci(int) __attribute__((noinline));
int	even(int) __attribute__((noinline));
int	odd(int) __attribute__((noinline));

int
fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int
even(int n)
{
	return n == 0 ? 1 : odd(n - 1);
}

int
odd(int n)
{
	return n == 0 ? 0 : even(n - 1);
}

static void *
run(void *arg)
{
	*(int *)arg = fibonacci(15) + even(100);
	return NULL;
}

int
main(void)
{
	pthread_t threads[THREADS];
	int sum[THREADS], i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, &sum[i]);
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		if (sum[i] != 611)
			return 1;
	}
	/* fibonacci(15) makes 1973 calls, even(100) 101; run; main. */
	printf("%d\n", THREADS * (1973 + 101 + 1) + 1);
	return 0;
}
