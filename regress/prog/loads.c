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
 * Threads that load libraries, call them and unload them, while others trace
 * and children are forked: loads times pause library...  There is a thread for
 * each library; eight others trace without the libraries, in bursts with a
 * pause of so many us, or without one.  Writers of seq:tick, for seqcheck.
 * Prints how many of these there are, and how many loads.
 *
 * Before NetBSD 10 a child that is forked while a thread loads a library hangs:
 * see libut/PORTING.  There one waits for the other.
 */

#include <sys/param.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <err.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(seq, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))

#define TRACERS		8
#define LOADERS		16

#if defined(__NetBSD__) && __NetBSD_Version__ < 1000000000
#define FORK_WAITS	1
#else
#define FORK_WAITS	0
#endif

static pthread_mutex_t linker = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int loading;
static _Atomic uint64_t total, nloads;
static int times;
static long pause_us;
static char **paths;

static uint64_t
tick(uint32_t writer, uint64_t n, int count)
{
	while (count-- > 0) {
		n++;
		UT(seq, tick, writer, n, "", (n *
		    UINT64_C(0x9e3779b97f4a7c15)) ^ writer);
	}
	return n;
}

static void *
trace(void *arg)
{
	const struct timespec nap = { 0, pause_us * 1000 };
	uint64_t n = 0;

	while (loading > 0) {
		n = tick((uint32_t)(uintptr_t)arg, n, 10);
		if (pause_us > 0)
			nanosleep(&nap, NULL);
	}
	total += n;
	return NULL;
}

static void
begin(void)
{
	if (FORK_WAITS)
		pthread_mutex_lock(&linker);
}

static void
end(void)
{
	if (FORK_WAITS)
		pthread_mutex_unlock(&linker);
}

static void *
load(void *arg)
{
	const uint32_t me = (uint32_t)(uintptr_t)arg;
	uint64_t (*call)(uint32_t, uint64_t), n = 0;
	void *lib, *sym;
	int i;

	for (i = 0; i < times; i++) {
		begin();
		if ((lib = dlopen(paths[me], RTLD_NOW)) == NULL ||
		    (sym = dlsym(lib, "load_tick")) == NULL)
			errx(1, "%s", dlerror());
		end();
		memcpy(&call, &sym, sizeof(call));
		n = call(TRACERS + me, n);
		begin();
		if (dlclose(lib) != 0)
			errx(1, "dlclose: %s", dlerror());
		end();
		nloads++;
	}
	total += n;
	loading--;
	return NULL;
}

static void
fork_one(uint32_t writer)
{
	pid_t pid;
	int status = -1;

	begin();
	if ((pid = fork()) == 0) {
		tick(writer, 0, 10);
		_exit(0);
	}
	end();
	if (pid == -1 || waitpid(pid, &status, 0) == -1 || status != 0)
		errx(1, "a child: status %#x", (unsigned int)status);
	total += 10;
}

int
main(int argc, char *argv[])
{
	const struct timespec nap = { 0, 20000000 };
	pthread_t threads[TRACERS + LOADERS];
	uintptr_t i, n;
	uint32_t child;

	if (argc < 4 || argc - 3 > LOADERS)
		errx(1, "loads times pause library...");
	times = atoi(argv[1]);
	pause_us = atol(argv[2]);
	paths = argv + 3;
	loading = argc - 3;
	n = TRACERS + (uintptr_t)loading;
	for (i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, i < TRACERS ? trace :
		    load, (void *)(i < TRACERS ? i : i - TRACERS)) != 0)
			errx(1, "pthread_create");
	for (child = TRACERS + LOADERS; loading > 0; child++) {
		fork_one(child);
		nanosleep(&nap, NULL);
	}
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%" PRIu64 " %" PRIu64 "\n", total, nloads);
	return 0;
}
