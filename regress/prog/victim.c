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
 * What step kills: victim how prefix number.  Between two marks, which are
 * signals that only step can bear, it does one thing:
 *
 *	one	an event, with a sub-buffer at hand
 *	first	the first event of a thread
 *	next	an event for which the sub-buffer, of 4096 bytes, has no room
 *	nest	an event; at SIGUSR1 another, in the handler
 *	jump	an event; at SIGUSR1 it is left by siglongjmp, for another
 *	nextnest, nextjump
 *		as nest and jump, with an event as in next
 *	share, sharenest, sharejump
 *		as one, nest and jump, some time after the last event, when
 *		another thread has the sub-buffer that is for such: in one that
 *		is shared
 *	end	a thread ends
 *	endnest	as end; at the first SIGUSR1 an event in the handler
 *	endfork	as end; at SIGUSR1 the handler forks, and the child returns
 *		from it to end its thread as well
 *	fork	a fork, and an event; the child has one too
 *	start	libut's constructor; VICTIM_EARLY is in the environment
 *	trace	an event now and then, for ever
 *	wait	nothing, for ever
 *
 * VICTIM_CONTEXTS is how many bytes of contexts each event has, VICTIM_SHARED
 * how many of the first ones are in another sub-buffer.
 *
 * Events are like seq's, of the writers 2 * number and the one after it.  The
 * calls that returned are counted in files like seq's, prefix.0 and so on,
 * for the writers 0 to 1023, and so on.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(seq, tick, UT_INFO, UT_U32(writer), UT_U64(n), UT_STR(pad),
    UT_U64(sum))

#define MAXTHREADS	1024
#define BYTES		(6 + 4 + 8 + 1 + 8)	/* of an event */

static uint32_t first;
static _Atomic uint64_t *progress;
static uint64_t count[2];
static int fit = 4096 / BYTES, others;
static sigjmp_buf left;
static volatile sig_atomic_t can_leave;

static void
mark(void)
{
	raise(SIGUSR2);
}

static void
tick(int i)
{
	const uint32_t writer = first + (uint32_t)i;
	const uint64_t n = ++count[i];

	UT(seq, tick, writer, n, "", (n * UINT64_C(0x9e3779b97f4a7c15)) ^
	    writer);
	atomic_store_explicit(&progress[i], n, memory_order_release);
}

static void
one(void)
{
	tick(0);
	mark();
	tick(0);
	mark();
}

static void
first_one(void)
{
	mark();
	tick(0);
	mark();
}

static void
fill(void)
{
	int i;

	for (i = 0; i < fit + others; i++)
		tick(0);
}

static void
next(void)
{
	fill();
	mark();
	tick(0);
	mark();
}

static void
nested(int sig)
{
	(void)sig;
	tick(1);
}

static void
nest(void)
{
	signal(SIGUSR1, nested);
	one();
}

static void
next_nest(void)
{
	signal(SIGUSR1, nested);
	next();
}

static void
leave(int sig)
{
	(void)sig;
	if (can_leave) {
		can_leave = 0;
		siglongjmp(left, 1);
	}
}

static void
leave_one(void)
{
	signal(SIGUSR1, leave);
	mark();
	if (sigsetjmp(left, 1) == 0) {
		can_leave = 1;
		tick(0);
	}
	tick(1);
	mark();
}

static void
jump(void)
{
	tick(0);
	leave_one();
}

static void
next_jump(void)
{
	fill();
	leave_one();
}

static void *
keep(void *arg)
{
	tick(1);
	sem_post(arg);
	while (pause() == -1)
		continue;
	return arg;
}

/* From here on all that this thread does is of one that hardly traces. */
static void
hardly(void)
{
	const struct timespec nap = { 0, 60000000 };
	pthread_t thread;
	sem_t kept;

	sem_init(&kept, 0, 0);
	if (pthread_create(&thread, NULL, keep, &kept) != 0)
		errx(1, "pthread_create");
	while (sem_wait(&kept) == -1)
		continue;
	tick(0);
	nanosleep(&nap, NULL);
}

static void
share(void)
{
	hardly();
	mark();
	tick(0);
	mark();
}

static void
share_nest(void)
{
	signal(SIGUSR1, nested);
	share();
}

static void
share_jump(void)
{
	hardly();
	leave_one();
}

static pthread_key_t late_key;
static bool late;			/* there is such a key */
static volatile sig_atomic_t traced, ended, is_child;

/* In the second round libut's destructor comes before this one. */
static void
destructor(void *arg)
{
	if (ended++ == 0)
		pthread_setspecific(late_key, arg);
	else if (is_child)
		_exit(0);
}

static void *
end_thread(void *arg)
{
	if (late)
		pthread_setspecific(late_key, arg);
	tick(1);
	traced = 1;
	while (sem_wait(arg) == -1)
		continue;
	return arg;
}

/* It is the thread that is stepped. */
static void
end(void)
{
	pthread_t thread;
	sem_t over;

	tick(0);
	sem_init(&over, 0, 0);
	if (pthread_create(&thread, NULL, end_thread, &over) != 0)
		errx(1, "pthread_create");
	mark();
	sem_post(&over);
	pthread_join(thread, NULL);
	mark();
}

/*
 * An event that need not be there: at the very end of a thread none is
 * recorded.
 */
static void
nested_once(int sig)
{
	const uint64_t n = count[0] + 1;
	static volatile sig_atomic_t was;

	(void)sig;
	if (was++ == 0)
		UT(seq, tick, first, n, "", (n *
		    UINT64_C(0x9e3779b97f4a7c15)) ^ first);
}

static void
end_nest(void)
{
	signal(SIGUSR1, nested_once);
	end();
}

static void
forks(int sig)
{
	pid_t pid;
	int status;

	if (!traced || is_child || ended == 2)
		return;
	if ((pid = fork()) == 0) {
		is_child = sig;
	} else if (pid == -1 || waitpid(pid, &status, 0) == -1 || status != 0) {
		static const char msg[] = "victim: a child failed\n";

		(void)!write(STDERR_FILENO, msg, sizeof(msg) - 1);
		abort();
	}
}

static void
end_fork(void)
{
	late = pthread_key_create(&late_key, destructor) == 0;
	signal(SIGUSR1, forks);
	end();
}

static void
trace(void)
{
	const struct timespec nap = { 0, 100000 };

	tick(0);
	mark();
	for (;;) {
		tick(0);
		nanosleep(&nap, NULL);
	}
}

static void
wait_here(void)
{
	tick(0);
	tick(0);
	mark();
	for (;;)
		pause();
}

static void
fork_one(void)
{
	tick(0);
	mark();
	if (fork() == 0) {
		tick(1);
		_exit(0);
	}
	tick(0);
	mark();
}

/* This mark comes after libut's constructor. */
static void
start(void)
{
	mark();
	tick(0);
}

static void __attribute__((constructor(101)))
before(void)
{
	if (getenv("VICTIM_EARLY") != NULL)
		mark();
}

static const struct {
	const char	 *name;
	void		(*act)(void);
} hows[] = {
	{ "one",	one },
	{ "first",	first_one },
	{ "next",	next },
	{ "nextnest",	next_nest },
	{ "nextjump",	next_jump },
	{ "nest",	nest },
	{ "jump",	jump },
	{ "share",	share },
	{ "sharenest",	share_nest },
	{ "sharejump",	share_jump },
	{ "end",	end },
	{ "endnest",	end_nest },
	{ "endfork",	end_fork },
	{ "fork",	fork_one },
	{ "start",	start },
	{ "trace",	trace },
	{ "wait",	wait_here },
};

static uint64_t
one_more(void)
{
	static uint64_t n;

	return ++n;
}

/* Each event has contexts of so many bytes, and one of them is ours. */
static void
contexts(int bytes)
{
	fit = 4096 / (BYTES + bytes);
	if (ut_context("more", one_more) == -1)
		err(1, "ut_context");
}

int
main(int argc, char *argv[])
{
	const size_t size = MAXTHREADS * sizeof(uint64_t);
	char path[1024];
	size_t i;
	int fd;

	if (argc != 4)
		errx(1, "victim how prefix number");
	first = 2 * (uint32_t)strtoul(argv[3], NULL, 10);
	snprintf(path, sizeof(path), "%s.%u", argv[2],
	    (unsigned int)(first / MAXTHREADS));
	if ((fd = open(path, O_RDWR | O_CREAT, 0600)) == -1 ||
	    ftruncate(fd, (off_t)size) == -1)
		err(1, "%s", path);
	progress = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
	    0);
	if (progress == MAP_FAILED)
		err(1, "mmap");
	progress += first % MAXTHREADS;
	if (getenv("VICTIM_SHARED") != NULL)
		others = atoi(getenv("VICTIM_SHARED"));
	if (getenv("VICTIM_CONTEXTS") != NULL)
		contexts(atoi(getenv("VICTIM_CONTEXTS")));
	for (i = 0; i < sizeof(hows) / sizeof(hows[0]); i++)
		if (strcmp(argv[1], hows[i].name) == 0)
			hows[i].act();
	return 0;
}
