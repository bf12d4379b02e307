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
 * A program that traces when it is told to: a command a line on stdin, an
 * answer a line on stdout.
 *
 *	hit n	each event so many times; answers the number of the last round
 *	on	which events somebody listens to, a letter each, or a dash
 *	pid	the process
 *	thread	a thread traces as `hit 1' does, and stays
 *	join	that thread ends
 */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(pulse, a, UT_INFO, UT_INT(n))
UT_EVENT(pulse, b, UT_DEBUG, UT_INT(n))
UT_EVENT(pulse, c, UT_ERR, UT_INT(n), UT_STR(text))
UT_EVENT(other, a, UT_WARNING, UT_U64(n))

static int n;

static void
hit(int times)
{
	while (times-- > 0) {
		n++;
		UT(pulse, a, n);
		UT(pulse, b, n);
		UT(pulse, c, n, "a text");
		UT(other, a, (uint64_t)n);
	}
}

static pthread_barrier_t step;

static void *
thread(void *arg)
{
	hit(1);
	(void)pthread_barrier_wait(&step);
	(void)pthread_barrier_wait(&step);
	return arg;
}

int
main(void)
{
	char line[80];
	pthread_t other;
	int threads = 0;

	alarm(1800);
	setvbuf(stdout, NULL, _IOLBF, 0);
	(void)pthread_barrier_init(&step, NULL, 2);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		if (strncmp(line, "hit ", 4) == 0) {
			hit(atoi(line + 4));
			printf("%d\n", n);
		} else if (strcmp(line, "on\n") == 0) {
			printf("%c%c%c%c\n", UT_ON(pulse, a) ? 'a' : '-',
			    UT_ON(pulse, b) ? 'b' : '-',
			    UT_ON(pulse, c) ? 'c' : '-',
			    UT_ON(other, a) ? 'o' : '-');
		} else if (strcmp(line, "pid\n") == 0) {
			printf("%ld\n", (long)getpid());
		} else if (strcmp(line, "thread\n") == 0 && threads == 0 &&
		    pthread_create(&other, NULL, thread, NULL) == 0) {
			(void)pthread_barrier_wait(&step);
			printf("%d\n", ++threads);
		} else if (strcmp(line, "join\n") == 0 && threads > 0) {
			(void)pthread_barrier_wait(&step);
			(void)pthread_join(other, NULL);
			printf("%d\n", --threads);
		} else {
			printf("what?\n");
		}
	}
	return 0;
}
