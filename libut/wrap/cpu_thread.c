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
 * The threads that are sampled, and their timers.  No lock: a thread has its
 * struct alone, but for the timer, which whoever changes the state deletes.
 *
 * As long as nobody listens, a timer only looks now and then whether somebody
 * does.
 */

#include <sys/mman.h>
#include <sys/syscall.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifndef __STDC_NO_THREADS__
#include <threads.h>
#endif

#include "cpu.h"
#include "ut.h"

#ifndef sigev_notify_thread_id		/* glibc before 2.38 */
#define sigev_notify_thread_id	_sigev_un._tid
#endif

#define SECOND	UINT64_C(1000000000)
#define LOOK	(SECOND / 10)	/* ns of CPU time between two looks */
#define CHUNK	64		/* structs that are allocated at once */

struct sampled {
	_Atomic enum { FREE, TAKEN, TIMED } state;
	bool		 fast;	/* the timer takes samples */
	timer_t		 timer;
	struct sampled	*next;	/* all that there are */
	void		*(*start)(void *);
	int		 (*start_c11)(void *);
	void		*arg;
};

static _Atomic(struct sampled *) all;
static PER_THREAD struct sampled *self;
static pthread_key_t key;	/* the end of a thread */
static uint64_t period;		/* ns between two samples */

static struct {
	int	(*pthread_create)(pthread_t *, const pthread_attr_t *,
		    void *(*)(void *), void *);
	int	(*thrd_create)(void *, int (*)(void *), void *);
} next;

/* More of them, the first one taken; or NULL. */
static struct sampled *
more(void)
{
	struct sampled *s;
	size_t i;

	s = mmap(NULL, CHUNK * sizeof(*s), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return NULL;
	s[0].state = TAKEN;
	for (i = 0; i + 1 < CHUNK; i++)
		s[i].next = &s[i + 1];
	s[i].next = all;
	while (!atomic_compare_exchange_weak(&all, &s[i].next, s))
		;
	return s;
}

static struct sampled *
take(void)
{
	struct sampled *s;
	int unused;

	for (s = all; s != NULL; s = s->next) {
		unused = FREE;
		if (s->state == FREE && atomic_compare_exchange_strong(
		    &s->state, &unused, TAKEN))
			return s;
	}
	return more();
}

static void
delete(struct sampled *s)
{
	int timed = TIMED;

	if (atomic_compare_exchange_strong(&s->state, &timed, TAKEN))
		timer_delete(s->timer);
}

static struct timespec
in_timespec(uint64_t ns)
{
	const struct timespec ts = { .tv_sec = (time_t)(ns / SECOND),
	    .tv_nsec = (long)(ns % SECOND) };

	return ts;
}

/* At random within the first interval: not in step with the program. */
static uint64_t
phase(const struct sampled *s, uint64_t interval)
{
	struct timespec now;
	uint64_t x;

	clock_gettime(CLOCK_MONOTONIC, &now);
	x = (uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)s ^
	    (uint64_t)now.tv_sec << 32;
	x *= UINT64_C(0x9e3779b97f4a7c15);
	return 1 + (x >> 32) % interval;
}

/* A timer that was deleted meanwhile is not there. */
static void
start(struct sampled *s)
{
	const uint64_t interval = (s->fast = cpu_wanted()) ? period : LOOK;
	const struct itimerspec it = { .it_interval = in_timespec(interval),
	    .it_value = in_timespec(phase(s, interval)) };

	(void)timer_settime(s->timer, 0, &it, NULL);
}

/*
 * A thread that ends all timers says so first, and then deletes those that it
 * sees; this one makes its timer first, and then looks.
 */
static void
begin(struct sampled *s)
{
	struct sigevent ev;

	memset(&ev, 0, sizeof(ev));
	ev.sigev_notify = SIGEV_THREAD_ID;
	ev.sigev_signo = SIGPROF;
	ev.sigev_value.sival_ptr = &all;
	ev.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &ev, &s->timer) == -1) {
		cpu_unsampled("too many threads: no timer for one (ulimit -i)");
		return;
	}
	s->state = TIMED;
	if (cpu_sampling())
		start(s);
	else
		delete(s);
}

bool
cpu_thread_sent(const siginfo_t *info)
{
	return info->si_value.sival_ptr == &all;
}

uint64_t
cpu_thread_tick(const siginfo_t *info)
{
	const bool fast = cpu_wanted();

	if (self == NULL)		/* the thread ends */
		return 0;
	if (self->fast == fast)
		return fast ? period * ((uint64_t)info->si_overrun + 1) : 0;
	start(self);
	return 0;
}

static void
end(void *arg)
{
	struct sampled *s = arg;

	self = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	delete(s);
	s->state = FREE;
}

void
cpu_threads_end(void)
{
	struct sampled *s;

	for (s = all; s != NULL; s = s->next)
		delete(s);
}

void
cpu_threads_forked(void)
{
	struct sampled *s;

	for (s = all; s != NULL; s = s->next)
		s->state = s == self ? TAKEN : FREE;
	if (self != NULL)
		begin(self);
}

static void
become(struct sampled *s)
{
	const int saved = errno;

	self = s;
	if (pthread_setspecific(key, s) == 0)
		begin(s);
	errno = saved;
}

void
cpu_thread_begin(void)
{
	struct sampled *s = take();

	if (s != NULL)
		become(s);
}

void
cpu_thread_init(uint64_t ns)
{
	period = ns;
	(void)pthread_key_create(&key, end);
}

/* The argument of the new thread, or NULL: it is not sampled. */
static struct sampled *
prepare(void *(*f)(void *), int (*f11)(void *), void *arg)
{
	struct sampled *s;

	cpu_begin();
	if (!cpu_sampling() || (s = take()) == NULL)
		return NULL;
	s->start = f;
	s->start_c11 = f11;
	s->arg = arg;
	return s;
}

/* The last call leaves no frame of ours. */
static void *
run(void *arg)
{
	struct sampled *s = arg;

	become(s);
	return s->start(s->arg);
}

static int
run_c11(void *arg)
{
	struct sampled *s = arg;

	become(s);
	return s->start_c11(s->arg);
}

static void
find(void *function, const char *name)
{
	void *symbol = wrap_next(name);

	memcpy(function, &symbol, sizeof(symbol));
}

#pragma GCC visibility push(default)

int
pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr,
    void *(*f)(void *), void *restrict arg)
{
	struct sampled *s = prepare(f, NULL, arg);
	int error;

	if (next.pthread_create == NULL)
		find(&next.pthread_create, "pthread_create");
	if (s == NULL)
		return next.pthread_create(thread, attr, f, arg);
	if ((error = next.pthread_create(thread, attr, run, s)) != 0)
		s->state = FREE;
	return error;
}

#ifndef __STDC_NO_THREADS__
int
thrd_create(thrd_t *thread, thrd_start_t f, void *arg)
{
	struct sampled *s = prepare(NULL, f, arg);
	int error;

	if (next.thrd_create == NULL)
		find(&next.thrd_create, "thrd_create");
	if (s == NULL)
		return next.thrd_create(thread, f, arg);
	if ((error = next.thrd_create(thread, run_c11, s)) != thrd_success)
		s->state = FREE;
	return error;
}
#endif

#pragma GCC visibility pop
