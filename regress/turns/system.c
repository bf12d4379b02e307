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
 * The system, as the product finds it: memory, time, sleep, threads.
 */

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libut/ut_prefix.h"
#include "turns.h"

#define ARENA		(4u << 20)
#define MS		UINT64_C(1000000)

static unsigned char *memory;
static size_t used;
void (*thread_end)(void *);

void
system_reset(void)
{
	if (memory == NULL)
		memory = malloc(ARENA);
	used = 0;
}

void *
arena(size_t n)
{
	unsigned char *p = memory + used;

	n = (n + 15) & ~(size_t)15;
	used += n + 16;
	if (used > ARENA)
		wrong("no memory");
	memcpy(p, &n, sizeof(n));
	return memset(p + 16, 0, n);
}

void	*__wrap_calloc(size_t, size_t);
void	*__wrap_realloc(void *, size_t);
void	 __wrap_free(void *);

void *
__wrap_calloc(size_t n, size_t size)
{
	return arena(n * size);
}

void *
__wrap_realloc(void *p, size_t n)
{
	void *new = arena(n);
	size_t had;

	if (p == NULL)
		return new;
	memcpy(&had, (char *)p - 16, sizeof(had));
	return memcpy(new, p, had < n ? had : n);
}

void
__wrap_free(void *p)
{
	(void)p;
}

/*
 * Time.
 */

/* Time passes, and if that is long, all that was stored can be seen. */
void
time_pass(uint64_t ns)
{
	T->now += ns;
	if (ns >= MS)
		weak_settle();
}

int
ut_clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	if (T->current != NACTORS && random_below(1024) < T->leap)
		time_pass((uint64_t)random_below(4) * UINT64_C(1100000000) +
		    40 * MS);
	T->now++;
	ts->tv_sec = (time_t)(T->now / (1000 * MS));
	ts->tv_nsec = (long)(T->now % (1000 * MS));
	return 0;
}

ut_gettime_fn *ut_gettime = ut_clock_gettime;

int64_t
ut_msg_now(void)
{
	return (int64_t)(T->now / MS);
}

int	 __wrap_nanosleep(const struct timespec *, struct timespec *);
int	 __wrap_sched_yield(void);

int
__wrap_nanosleep(const struct timespec *t, struct timespec *left)
{
	(void)t;
	(void)left;
	actor_nap(1 + random_below(16));
	time_pass(MS);
	return 0;
}

int
__wrap_sched_yield(void)
{
	actor_nap(1);
	return 0;
}

/*
 * Sleep.
 */

void
ut_bell_ring(struct ut_bell *b)
{
	(void)b;
	step();
	if (T->verbose)
		printf("%5u %u ring\n", T->steps, T->current);
	weak_ring(false);
	T->rung = true;
	actors_wake(&T->rung);
}

static bool
any_slot(const struct memory *m)
{
	uint32_t i;

	for (i = 0; i < m->header.nslots; i++)
		if (atomic_load(&m->slots[i].owner) == 0)
			return true;
	return false;
}

/* All sleep, and nobody has woken this one. */
static void
check_waiting(void)
{
	const struct memory *m = T->memory;
	uint32_t i;

	if (T->jumps || T->dead[0] || T->dead[1] || !any_slot(m))
		return;
	for (i = 0; i < m->header.nsubs - ut_subs_reserved(m->header.nsubs);
	    i++)
		if (UT_STATE(atomic_load(&m->subs[i].state)) == UT_FREE)
			wrong("waiting: sub-buffer %u is free, and nobody "
			    "has woken a thread that waits", i);
}

void
ut_word_wait(_Atomic uint32_t *at, uint32_t was, int ms)
{
	step();
	if (*(volatile uint32_t *)(uintptr_t)at != was || actor_wait(at))
		return;
	check_waiting();
	time_pass((uint64_t)ms * MS);
}

void
ut_word_wake(_Atomic uint32_t *at, uint32_t n)
{
	unsigned int i;

	step();
	for (i = 0; i < NWRITERS && n > 0; i++)
		if (T->actors[i].state == ASLEEP && T->actors[i].word == at) {
			T->actors[i].state = READY;
			n--;
		}
}

/*
 * Threads.
 */

static struct actor *
self(void)
{
	return &T->actors[T->current];
}

uint32_t
ut_own_tid(void)
{
	return T->current + 100;
}

uint32_t
ut_gettid(void)
{
	return T->current + 100;
}

void
ut_own_tid_init(void)
{
}

void
ut_own_name(char *name, size_t n)
{
	memset(name, 0, n);
}

void
ut_thread_name(pid_t outside, pid_t pid, uint32_t tid, char *name, size_t n)
{
	(void)outside;
	(void)pid;
	memset(name, 0, n);
	name[0] = (char)('a' + tid % 26);
}

int
ut_wipes(void)
{
	return 1;
}

int	 __wrap_munmap(void *, size_t);

/* All that ask get the same. */
int
__wrap_munmap(void *p, size_t n)
{
	(void)p;
	(void)n;
	return 0;
}

void *
ut_wipe_pages(size_t size)
{
	(void)size;
	return T->threads;
}

void
ut_wipe_on_fork(void *p, size_t n, int on)
{
	(void)p;
	(void)n;
	(void)on;
}

void
ut_stack_init(void)
{
}

int
ut_stack(uintptr_t *low, uintptr_t *high)
{
	*low = (uintptr_t)self()->stack;
	*high = *low + STACK;
	return 0;
}

pid_t	 __wrap_getpid(void);
int	 __wrap_pthread_key_create(pthread_key_t *, void (*)(void *));
int	 __wrap_pthread_setspecific(pthread_key_t, const void *);
int	 __wrap_pthread_sigmask(int, const sigset_t *, sigset_t *);
int	 __wrap_pthread_setcancelstate(int, int *);
int	 __wrap_pthread_setcanceltype(int, int *);
int	 __wrap_sigaltstack(const stack_t *, stack_t *);
int	 __wrap_setitimer(int, const void *, void *);

pid_t
__wrap_getpid(void)
{
	return PID;
}

int
__wrap_pthread_key_create(pthread_key_t *key, void (*end)(void *))
{
	*key = 0;
	thread_end = end;
	return 0;
}

int
__wrap_pthread_setspecific(pthread_key_t key, const void *value)
{
	(void)key;
	self()->value = (void *)(uintptr_t)value;
	return 0;
}

int
__wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	const bool was = self()->blocked;

	self()->blocked = how == SIG_BLOCK || *(const bool *)set;
	if (old != NULL)
		*(bool *)old = was;
	return 0;
}

int
__wrap_pthread_setcancelstate(int state, int *old)
{
	if (old != NULL)
		*old = state;
	return 0;
}

int
__wrap_pthread_setcanceltype(int type, int *old)
{
	if (old != NULL)
		*old = type;
	return 0;
}

int
__wrap_sigaltstack(const stack_t *s, stack_t *old)
{
	(void)s;
	memset(old, 0, sizeof(*old));
	old->ss_flags = SS_DISABLE;
	return 0;
}

int
__wrap_setitimer(int which, const void *new, void *old)
{
	(void)which;
	(void)new;
	(void)old;
	return 0;
}

/*
 * Other parts of libut.
 */
struct prefix ut_prefixes[UT_REGIONS];
uint32_t ut_prefixed;

/* The filter, for which see writers.c. */
bool
ut_passes(const struct ut_event *ev, const struct writer *w,
    const struct region *rg, const unsigned char *p, size_t n)
{
	(void)ev;
	(void)w;
	(void)rg;
	(void)n;
	return passes(p);
}


void
ut_callstack_leave(struct level *l)
{
	(void)l;
}
