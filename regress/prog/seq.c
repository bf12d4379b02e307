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
 * Threads that trace as fast as they can: seq [-p us] [-f children] writer
 * threads events [progress file].  Each event carries who wrote it, its number
 * and a sum over both, so that seqcheck can tell what is missing or torn.
 * A child, made every 50 events, does as a thread would, for some events, and
 * kills itself.
 */

#include <sys/types.h>
#include <sys/mman.h>

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(seq, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))
UT_EVENT(seq, idle, UT_DEBUG, UT_U32(writer))

#define MAXTHREADS	1024
#define EACH_CHILD	50
#define OF_CHILD	300

static const char pads[][16] = {
	"", "a", "bc", "def", "ghij", "klmno", "pqrstu", "0123456789abcde"
};

static unsigned long first, nthreads, nevents, nchildren;
static long pause_us;
static _Atomic uint64_t *progress;	/* calls that returned, by thread */

static void	*run(void *);

static void
child(unsigned long t)
{
	if (fork() != 0)
		return;
	nevents = OF_CHILD;
	run((void *)(uintptr_t)t);
	raise(SIGKILL);
}

static void *
run(void *arg)
{
	const unsigned long t = (unsigned long)(uintptr_t)arg;
	const uint32_t writer = (uint32_t)(first * MAXTHREADS + t);
	struct timespec ts = { 0, pause_us * 1000 };
	uint64_t n;

	for (n = 1; n <= nevents; n++) {
		UT(seq, tick, writer, n, pads[n % 8],
		    (n * UINT64_C(0x9e3779b97f4a7c15)) ^ writer);
		atomic_store_explicit(&progress[t], n, memory_order_release);
		if (pause_us > 0)
			nanosleep(&ts, NULL);
		if (t == 0 && nchildren > 0 && n % EACH_CHILD == 0)
			child(nthreads + --nchildren);
	}
	return NULL;
}

int
main(int argc, char *argv[])
{
	static _Atomic uint64_t local[MAXTHREADS];
	pthread_t threads[MAXTHREADS];
	unsigned long i;
	int c, fd;

	while ((c = getopt(argc, argv, "p:f:")) != -1) {
		if (c == 'p')
			pause_us = atol(optarg);
		else if (c == 'f')
			nchildren = strtoul(optarg, NULL, 10);
		else
			return 1;
	}
	signal(SIGCHLD, SIG_IGN);
	argc -= optind;
	argv += optind;
	if (argc < 3)
		errx(1, "seq [-p us] [-f children] writer threads events "
		    "[progress]");
	first = strtoul(argv[0], NULL, 10);
	nthreads = strtoul(argv[1], NULL, 10);
	nevents = strtoull(argv[2], NULL, 10);
	progress = local;
	if (argc > 3) {
		if ((fd = open(argv[3], O_RDWR | O_CREAT, 0600)) == -1 ||
		    ftruncate(fd, sizeof(local)) == -1)
			err(1, "%s", argv[3]);
		progress = mmap(NULL, sizeof(local), PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
		if (progress == MAP_FAILED)
			err(1, "mmap");
	}
	for (i = 1; i < nthreads; i++)
		if (pthread_create(&threads[i], NULL, run,
		    (void *)(uintptr_t)i) != 0)
			errx(1, "pthread_create");
	run(NULL);
	for (i = 1; i < nthreads; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
