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
 * Children of a program whose threads trace as fast as they can: forkload
 * threads children.  Every other child is one of posix_spawn, which executes
 * forkload -c writer.  Writers of seq:tick, for seqcheck; prints how many
 * events there are in all and how many children.
 */

#include <sys/wait.h>

#include <err.h>
#include <inttypes.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(seq, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))

#define MAXTHREADS	64
#define OF_CHILD	50		/* events */

extern char **environ;

static atomic_bool over;
static _Atomic uint64_t total;

static uint64_t
tick(uint32_t writer, uint64_t n, uint64_t times)
{
	while (times-- > 0) {
		n++;
		UT(seq, tick, writer, n, "", (n *
		    UINT64_C(0x9e3779b97f4a7c15)) ^ writer);
	}
	return n;
}

static void *
run(void *arg)
{
	const uint32_t writer = (uint32_t)(uintptr_t)arg;
	uint64_t n = 0;

	while (!over)
		n = tick(writer, n, 10);
	total += n;
	return NULL;
}

static pid_t
child(char *self, uint32_t writer)
{
	char w[16];
	char *argv[] = { self, "-c", w, NULL };
	pid_t pid;

	if (writer % 2 == 0) {
		snprintf(w, sizeof(w), "%" PRIu32, writer);
		if (posix_spawn(&pid, self, NULL, NULL, argv, environ) != 0)
			errx(1, "posix_spawn");
	} else if ((pid = fork()) == 0) {
		tick(writer, 0, OF_CHILD);
		_exit(0);
	}
	return pid;
}

int
main(int argc, char *argv[])
{
	pthread_t threads[MAXTHREADS];
	uint32_t i, nthreads, nchildren;
	int status;

	if (argc != 3)
		errx(1, "forkload threads children");
	nthreads = (uint32_t)atoi(argv[1]);
	nchildren = (uint32_t)atoi(argv[2]);
	if (argv[1][0] == '-') {
		tick(nchildren, 0, OF_CHILD);
		return 0;
	}
	if (nthreads > MAXTHREADS)
		errx(1, "%s: too many", argv[1]);
	for (i = 0; i < nthreads; i++)
		if (pthread_create(&threads[i], NULL, run,
		    (void *)(uintptr_t)i) != 0)
			errx(1, "pthread_create");
	for (i = nthreads; i < nthreads + nchildren; i++)
		if (waitpid(child(argv[0], i), &status, 0) == -1 ||
		    status != 0)
			errx(1, "a child");
	over = true;
	for (i = 0; i < nthreads; i++)
		pthread_join(threads[i], NULL);
	printf("%" PRIu64 " %" PRIu32 "\n", total + nchildren * OF_CHILD,
	    nchildren);
	return 0;
}
