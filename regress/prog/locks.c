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
 * Takes and releases locks, and says which events that has to give, with the
 * function that called:
 *
 *	locks		a bit of everything, thread after thread; a line for
 *			each event, with the number of the thread in front
 *	locks N		8 threads that contend, N rounds each; a line for each
 *			kind of event, with how many there are
 *
 * Does not know of libut.
 */

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__linux__) && !defined(__STDC_NO_THREADS__)
#include <threads.h>
#define HAVE_C11	1
#else
#define HAVE_C11	0
#endif

#if defined(__linux__) || defined(__FreeBSD__)
#define HAVE_ROBUST	1
#else
#define HAVE_ROBUST	0
#endif
#if defined(__GLIBC__)
#define HAVE_CLOCK	__GLIBC_PREREQ(2, 30)
#else
#define HAVE_CLOCK	0
#endif

#ifndef EOWNERDEAD
#define EOWNERDEAD	(-1)
#endif

#define NOINLINE	__attribute__((noinline))
#define NTHREADS	8
#define CHOSEN_ERRNO	4711

#define EXPECT(event, ...)	\
	(printf("%d " event " ", me), printf(__VA_ARGS__), \
	    printf(" @%s\n", __func__), errno = CHOSEN_ERRNO)

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t robust;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int me = 1;			/* which thread runs: one at a time */

static struct timespec past;

static void
check(int ok, const char *what)
{
	if (ok && errno == CHOSEN_ERRNO)
		return;
	fprintf(stderr, "%s: errno %d\n", what, errno);
	exit(1);
}

/* One function for each kind of call, to be told by its name. */
static void NOINLINE
take(int (*f)(pthread_mutex_t *), pthread_mutex_t *m, int want)
{
	const int got = f(m);

	check(got == want, "take");
	EXPECT("mutex_request", "lock=%p", (void *)m);
	if (got == 0 || got == EOWNERDEAD)
		EXPECT("mutex_acquired", "lock=%p", (void *)m);
	else
		EXPECT("mutex_failed", "lock=%p result=%d", (void *)m, got);
}

static void NOINLINE
drop(pthread_mutex_t *m)
{
	EXPECT("mutex_release", "lock=%p", (void *)m);
	check(pthread_mutex_unlock(m) == 0, "drop");
}

/* The lock is held, so it fails, at once. */
static void NOINLINE
take_until(void)
{
#ifndef __NetBSD__
	check(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT, "timedlock");
	EXPECT("mutex_request", "lock=%p", (void *)&mutex);
	EXPECT("mutex_failed", "lock=%p result=%d", (void *)&mutex, ETIMEDOUT);
#endif
#if HAVE_CLOCK
	check(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past) ==
	    ETIMEDOUT, "clocklock");
	EXPECT("mutex_request", "lock=%p", (void *)&mutex);
	EXPECT("mutex_failed", "lock=%p result=%d", (void *)&mutex, ETIMEDOUT);
#endif
}

static void
rwlock_result(const char *event, int got, const char *where)
{
	printf("%d %s_request lock=%p @%s\n", me, event, (void *)&rwlock,
	    where);
	if (got == 0)
		printf("%d %s_acquired lock=%p @%s\n", me, event,
		    (void *)&rwlock, where);
	else
		printf("%d %s_failed lock=%p result=%d @%s\n", me, event,
		    (void *)&rwlock, got, where);
	errno = CHOSEN_ERRNO;
}

static void NOINLINE
drop_rwlock(void)
{
	EXPECT("rwlock_release", "lock=%p", (void *)&rwlock);
	check(pthread_rwlock_unlock(&rwlock) == 0, "drop_rwlock");
}

static void NOINLINE
readers(void)
{
	rwlock_result("rdlock", pthread_rwlock_rdlock(&rwlock), __func__);
	rwlock_result("rdlock", pthread_rwlock_tryrdlock(&rwlock), __func__);
	rwlock_result("wrlock", pthread_rwlock_trywrlock(&rwlock), __func__);
	rwlock_result("rdlock", pthread_rwlock_timedrdlock(&rwlock, &past),
	    __func__);
#if HAVE_CLOCK
	rwlock_result("rdlock", pthread_rwlock_clockrdlock(&rwlock,
	    CLOCK_MONOTONIC, &past), __func__);
	drop_rwlock();
#endif
	drop_rwlock();
	drop_rwlock();
	drop_rwlock();
}

static void NOINLINE
writer(void)
{
	rwlock_result("wrlock", pthread_rwlock_wrlock(&rwlock), __func__);
	drop_rwlock();
	rwlock_result("wrlock", pthread_rwlock_timedwrlock(&rwlock, &past),
	    __func__);
	rwlock_result("rdlock", pthread_rwlock_tryrdlock(&rwlock), __func__);
	drop_rwlock();
#if HAVE_CLOCK
	rwlock_result("wrlock", pthread_rwlock_clockwrlock(&rwlock,
	    CLOCK_MONOTONIC, &past), __func__);
	drop_rwlock();
#endif
}

static void NOINLINE
wait_in_vain(void)
{
	int got;

	EXPECT("cond_signal", "cond=%p", (void *)&cond);
	check(pthread_cond_signal(&cond) == 0, "signal");
	EXPECT("cond_broadcast", "cond=%p", (void *)&cond);
	check(pthread_cond_broadcast(&cond) == 0, "broadcast");
	got = pthread_cond_timedwait(&cond, &mutex, &past);
	check(got == ETIMEDOUT, "timedwait");
	EXPECT("cond_wait", "cond=%p lock=%p", (void *)&cond, (void *)&mutex);
	EXPECT("cond_woken", "cond=%p lock=%p result=%d", (void *)&cond,
	    (void *)&mutex, got);
#if HAVE_CLOCK
	got = pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &past);
	check(got == ETIMEDOUT, "clockwait");
	EXPECT("cond_wait", "cond=%p lock=%p", (void *)&cond, (void *)&mutex);
	EXPECT("cond_woken", "cond=%p lock=%p result=%d", (void *)&cond,
	    (void *)&mutex, got);
#endif
}

/* A thread that ends with its mutex. */
static void *
die_owner(void *arg)
{
	me = 2;
	errno = CHOSEN_ERRNO;
	take(pthread_mutex_lock, &robust, 0);
	return arg;
}

static void
owner_died(void)
{
#if HAVE_ROBUST
	pthread_mutexattr_t attr;
	pthread_t thread;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attr);
	if (pthread_create(&thread, NULL, die_owner, NULL) != 0)
		exit(1);
	pthread_join(thread, NULL);
	me = 1;
	errno = CHOSEN_ERRNO;
	take(pthread_mutex_lock, &robust, EOWNERDEAD);
	pthread_mutex_consistent(&robust);
	drop(&robust);
#else
	(void)die_owner;
#endif
}

static int waiting;			/* mutex */

static void
drop_again(void *arg)
{
	drop(arg);
}

static void NOINLINE
wait_for_ever(void)
{
	EXPECT("cond_wait", "cond=%p lock=%p", (void *)&cond, (void *)&mutex);
	EXPECT("cond_woken", "cond=%p lock=%p result=%d", (void *)&cond,
	    (void *)&mutex, ECANCELED);
	waiting = 1;
	for (;;)
		pthread_cond_wait(&cond, &mutex);
}

static void *
wait_cancelled(void *arg)
{
	me = 2 + HAVE_ROBUST;
	errno = CHOSEN_ERRNO;
	take(pthread_mutex_lock, &mutex, 0);
	pthread_cleanup_push(drop_again, &mutex);
	wait_for_ever();
	pthread_cleanup_pop(1);
	return arg;
}

/* Only the number of the main thread's looks depends on time. */
static void
cancel(void)
{
	pthread_t thread;
	void *how;
	int there = 0;

	if (pthread_create(&thread, NULL, wait_cancelled, NULL) != 0)
		exit(1);
	while (!there) {
		pthread_mutex_lock(&mutex);
		there = waiting;
		pthread_mutex_unlock(&mutex);
	}
	pthread_cancel(thread);
	pthread_join(thread, &how);
	if (how != PTHREAD_CANCELED)
		exit(1);
	me = 1;
	errno = CHOSEN_ERRNO;
}

static void NOINLINE
spin(void)
{
	static pthread_spinlock_t s;
	void *const lock = (void *)(intptr_t)&s;

	pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
	check(pthread_spin_lock(&s) == 0, "spin_lock");
	EXPECT("mutex_request", "lock=%p", lock);
	EXPECT("mutex_acquired", "lock=%p", lock);
	check(pthread_spin_trylock(&s) == EBUSY, "spin_trylock");
	EXPECT("mutex_request", "lock=%p", lock);
	EXPECT("mutex_failed", "lock=%p result=%d", lock, EBUSY);
	EXPECT("mutex_release", "lock=%p", lock);
	check(pthread_spin_unlock(&s) == 0, "spin_unlock");
}

#if HAVE_C11
static mtx_t mtx;
static cnd_t cnd;
static int woken;			/* mtx */

static void * NOINLINE
wake(void *arg)
{
	mtx_lock(&mtx);
	woken = 1;
	cnd_signal(&cnd);
	mtx_unlock(&mtx);
	return arg;
}

/* The thread begins its lock while the caller has it. */
static void
will_wake(void)
{
	const int next = 3 + HAVE_ROBUST;
	static const char *const events[] = {
		"mutex_request", "mutex_acquired", NULL, "mutex_release"
	};
	int i;

	for (i = 0; i < 4; i++)
		if (events[i] == NULL)
			printf("%d cond_signal cond=%p @wake\n", next,
			    (void *)&cnd);
		else
			printf("%d %s lock=%p @wake\n", next, events[i],
			    (void *)&mtx);
}

static void NOINLINE
wait_c11(void)
{
	pthread_t thread;

	will_wake();
	EXPECT("cond_wait", "cond=%p lock=%p", (void *)&cnd, (void *)&mtx);
	EXPECT("cond_woken", "cond=%p lock=%p result=%d", (void *)&cnd,
	    (void *)&mtx, thrd_success);
	if (pthread_create(&thread, NULL, wake, NULL) != 0)
		exit(1);
	while (!woken)
		cnd_wait(&cnd, &mtx);
	pthread_join(thread, NULL);
	errno = CHOSEN_ERRNO;
}

static void NOINLINE
c11(void)
{
	mtx_init(&mtx, mtx_timed);
	cnd_init(&cnd);
	check(mtx_lock(&mtx) == thrd_success, "mtx_lock");
	EXPECT("mutex_request", "lock=%p", (void *)&mtx);
	EXPECT("mutex_acquired", "lock=%p", (void *)&mtx);
	check(mtx_trylock(&mtx) == thrd_busy, "mtx_trylock");
	EXPECT("mutex_request", "lock=%p", (void *)&mtx);
	EXPECT("mutex_failed", "lock=%p result=%d", (void *)&mtx, thrd_busy);
	check(mtx_timedlock(&mtx, &past) == thrd_timedout, "mtx_timedlock");
	EXPECT("mutex_request", "lock=%p", (void *)&mtx);
	EXPECT("mutex_failed", "lock=%p result=%d", (void *)&mtx,
	    thrd_timedout);
	check(cnd_broadcast(&cnd) == thrd_success, "cnd_broadcast");
	EXPECT("cond_broadcast", "cond=%p", (void *)&cnd);
	check(cnd_timedwait(&cnd, &mtx, &past) == thrd_timedout,
	    "cnd_timedwait");
	EXPECT("cond_wait", "cond=%p lock=%p", (void *)&cnd, (void *)&mtx);
	EXPECT("cond_woken", "cond=%p lock=%p result=%d", (void *)&cnd,
	    (void *)&mtx, thrd_timedout);
	wait_c11();
	EXPECT("mutex_release", "lock=%p", (void *)&mtx);
	check(mtx_unlock(&mtx) == thrd_success, "mtx_unlock");
}
#endif

static void
everything(void)
{
	errno = CHOSEN_ERRNO;
	take(pthread_mutex_lock, &mutex, 0);
	take(pthread_mutex_trylock, &mutex, EBUSY);
	take_until();
	wait_in_vain();
	drop(&mutex);
	take(pthread_mutex_trylock, &mutex, 0);
	drop(&mutex);
	readers();
	writer();
	owner_died();
	cancel();
	take(pthread_mutex_lock, &mutex, 0);
	drop(&mutex);
	spin();
#if HAVE_C11
	c11();
#endif
}

/*
 * Threads that contend: each counts what it does.
 */
enum { MUTEX, FAILED, READ, WRITE, WAIT, SIGNAL, NCOUNTS };

static long counts[NTHREADS][NCOUNTS];
static long total, sum, rounds;
static int turn;			/* mutex */

/* Wait for the turn, and hand it on. */
static void
take_turn(long *count, int i)
{
	pthread_mutex_lock(&mutex);
	count[MUTEX]++;
	while (turn != i) {
		pthread_cond_wait(&cond, &mutex);
		count[WAIT]++;
	}
	turn = (turn + 1) % NTHREADS;
	total++;
	pthread_cond_broadcast(&cond);
	count[SIGNAL]++;
	pthread_mutex_unlock(&mutex);
}

static void *
contend(void *arg)
{
	const int i = (int)(intptr_t)arg;
	long *count = counts[i];
	long n;

	for (n = 0; n < rounds; n++) {
		take_turn(count, i);
		if (pthread_mutex_trylock(&mutex) == 0) {
			count[MUTEX]++;
			total++;
			pthread_mutex_unlock(&mutex);
		} else
			count[FAILED]++;
		if ((n + i) % 4 == 0) {
			pthread_rwlock_wrlock(&rwlock);
			count[WRITE]++;
			sum++;
		} else {
			pthread_rwlock_rdlock(&rwlock);
			count[READ]++;
		}
		pthread_rwlock_unlock(&rwlock);
	}
	return NULL;
}

static void
many(void)
{
	pthread_t threads[NTHREADS];
	long all[NCOUNTS] = { 0 };
	int i, j;

	for (i = 0; i < NTHREADS; i++)
		if (pthread_create(&threads[i], NULL, contend,
		    (void *)(intptr_t)i) != 0)
			exit(1);
	for (i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < NTHREADS; i++)
		for (j = 0; j < NCOUNTS; j++)
			all[j] += counts[i][j];
	if (total != all[MUTEX] || sum != all[WRITE])
		exit(1);
	printf("%ld cond_broadcast\n%ld cond_wait\n%ld cond_woken\n",
	    all[SIGNAL], all[WAIT], all[WAIT]);
	printf("%ld mutex_acquired\n", all[MUTEX]);
	if (all[FAILED] > 0)
		printf("%ld mutex_failed\n", all[FAILED]);
	printf("%ld mutex_release\n%ld mutex_request\n", all[MUTEX],
	    all[MUTEX] + all[FAILED]);
	printf("%ld rdlock_acquired\n%ld rdlock_request\n", all[READ],
	    all[READ]);
	printf("%ld rwlock_release\n%ld wrlock_acquired\n%ld wrlock_request\n",
	    all[READ] + all[WRITE], all[WRITE], all[WRITE]);
}

int
main(int argc, char *argv[])
{
	void *volatile piece = malloc(1);

	free(piece);			/* something for another wrapper */
	if (argc > 1) {
		rounds = atol(argv[1]);
		many();
	} else
		everything();
	return 0;
}
