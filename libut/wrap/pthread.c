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
 * libut-pthread.so: events of the locks of an unmodified program.
 *
 *	LD_PRELOAD=libut-pthread.so program
 *
 * Every call is passed on to the next library that has the function.  What
 * takes a lock is recorded when it is called (request), and when it returns
 * (acquired or failed); what releases a lock before it does so, because the
 * lock may be another thread's right after.  So of two threads that have had a
 * lock one after the other, the first's release is the earlier event.  A thread
 * that waits for a condition releases the lock at cond_wait and has the lock
 * again at cond_woken, also if the thread is cancelled there.  Signals are
 * recorded before they are sent, and so before a thread is woken.
 *
 * A release that fails, as that of another thread's lock does, is known only
 * behind it: what was recorded before is taken back by mutex_kept or
 * rwlock_kept, the thread's next event.  So is the release of a wait that fails
 * at once; and a wait that ends without the lock ends with cond_failed.
 *
 * libut calls these functions, too, and, where they do so by the same names,
 * the system's libraries: what comes from there is not recorded.  Nothing here
 * needs to know whether it is called from within itself, as libut uses no lock
 * that a program knows of.
 */

/* The functions of the program's time_t: those of others are below. */
#undef _TIME_BITS

#define _GNU_SOURCE 1
#define _NETBSD_SOURCE 1

#include <sys/types.h>

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>
/* Elsewhere these call the functions of pthread.h by their names. */
#if defined(__linux__) && !defined(__STDC_NO_THREADS__)
#include <threads.h>
#define HAVE_C11	1
#else
#define HAVE_C11	0
#endif

#include "common/clock.h"
#include "ut.h"
#include "wrap.h"

/* An event tells where the program has called, as its field does. */
#undef UT_FROM
#define UT_FROM()	((void *)(uintptr_t)caller)

/*
 * Events of what takes a lock: mutex, or rdlock and wrlock of a lock of both.
 */
#define LOCK_EVENTS(kind)						\
	UT_EVENT(pthread, kind##_request, UT_DEBUG_FUNCTION,		\
	    UT_PTR(lock), UT_PTR(caller));				\
	UT_EVENT(pthread, kind##_acquired, UT_DEBUG_FUNCTION,		\
	    UT_PTR(lock), UT_PTR(caller));				\
	UT_EVENT(pthread, kind##_failed, UT_DEBUG_FUNCTION,		\
	    UT_PTR(lock), UT_INT(result), UT_PTR(caller))

LOCK_EVENTS(mutex);
LOCK_EVENTS(rdlock);
LOCK_EVENTS(wrlock);
UT_EVENT(pthread, mutex_kept, UT_DEBUG_FUNCTION, UT_PTR(lock),
    UT_INT(result), UT_PTR(caller));
UT_EVENT(pthread, rwlock_kept, UT_DEBUG_FUNCTION, UT_PTR(lock),
    UT_INT(result), UT_PTR(caller));
UT_EVENT(pthread, cond_wait, UT_DEBUG_FUNCTION, UT_PTR(cond), UT_PTR(lock),
    UT_PTR(caller));
UT_EVENT(pthread, cond_woken, UT_DEBUG_FUNCTION, UT_PTR(cond), UT_PTR(lock),
    UT_INT(result), UT_PTR(caller));
UT_EVENT(pthread, cond_failed, UT_DEBUG_FUNCTION, UT_PTR(cond), UT_PTR(lock),
    UT_INT(result), UT_PTR(caller));
UT_EVENT(pthread, cond_signal, UT_DEBUG_FUNCTION, UT_PTR(cond),
    UT_PTR(caller));
UT_EVENT(pthread, cond_broadcast, UT_DEBUG_FUNCTION, UT_PTR(cond),
    UT_PTR(caller));

/* The stack of a lock is that with which it was taken. */
#undef UT_STACKS
#define UT_STACKS	UT_STACKLESS
UT_EVENT(pthread, mutex_release, UT_DEBUG_FUNCTION, UT_PTR(lock),
    UT_PTR(caller));
UT_EVENT(pthread, rwlock_release, UT_DEBUG_FUNCTION, UT_PTR(lock),
    UT_PTR(caller));

/* NetBSD's header has other names for many, which are macros. */
#define STR(f)	STR_(f)
#define STR_(f)	#f
/* musl has other names for those with a time_t where it was too small once. */
#if defined(_REDIR_TIME64) && _REDIR_TIME64
#define TIMED_STR(f)	"__" #f "_time64"
#else
#define TIMED_STR(f)	STR(f)
#endif

/* The functions behind ours. */
#if HAVE_C11
#define C11_FUNCTIONS(X)						\
	X(mtx_lock) X(mtx_trylock) X(mtx_unlock)			\
	X(cnd_wait) X(cnd_signal) X(cnd_broadcast)
#define C11_TIMED_FUNCTIONS(X)						\
	X(mtx_timedlock) X(cnd_timedwait)
#else
#define C11_FUNCTIONS(X)
#define C11_TIMED_FUNCTIONS(X)
#endif
#define FUNCTIONS(X)							\
	C11_FUNCTIONS(X)						\
	X(pthread_spin_lock) X(pthread_spin_trylock)			\
	X(pthread_spin_unlock)						\
	X(pthread_mutex_lock) X(pthread_mutex_trylock)			\
	X(pthread_mutex_unlock)						\
	X(pthread_rwlock_rdlock) X(pthread_rwlock_tryrdlock)		\
	X(pthread_rwlock_wrlock) X(pthread_rwlock_trywrlock)		\
	X(pthread_rwlock_unlock)					\
	X(pthread_cond_wait)						\
	X(pthread_cond_signal) X(pthread_cond_broadcast)
#define TIMED_FUNCTIONS(X)						\
	C11_TIMED_FUNCTIONS(X)						\
	X(pthread_mutex_timedlock) X(pthread_rwlock_timedrdlock)	\
	X(pthread_rwlock_timedwrlock) X(pthread_cond_timedwait)
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 30)
#define HAVE_CLOCK	1
#define CLOCK_FUNCTIONS(X)						\
	X(pthread_mutex_clocklock) X(pthread_rwlock_clockrdlock)	\
	X(pthread_rwlock_clockwrlock) X(pthread_cond_clockwait)
#else
#define HAVE_CLOCK	0
#define CLOCK_FUNCTIONS(X)
#endif
/* Programs whose time_t has 64 bits call others where it has 32 by default. */
#if defined(__GLIBC__) && UINTPTR_MAX == UINT32_MAX
#define HAVE_TIME64	1
#define TIME64_FUNCTIONS(X)	TIMED_FUNCTIONS(X) CLOCK_FUNCTIONS(X)
#else
#define HAVE_TIME64	0
#define TIME64_FUNCTIONS(X)
#endif

#define AT(f)		AT_##f,
#define AT64(f)		AT___##f##64,
enum {
	FUNCTIONS(AT) TIMED_FUNCTIONS(AT) CLOCK_FUNCTIONS(AT)
	TIME64_FUNCTIONS(AT64) NFUNCTIONS
};

#define NAME(f)		STR(f),
#define TIMED_NAME(f)	TIMED_STR(f),
#define NAME64(f)	"__" #f "64",
static const char *const names[] = {
	FUNCTIONS(NAME) TIMED_FUNCTIONS(TIMED_NAME) CLOCK_FUNCTIONS(NAME)
	TIME64_FUNCTIONS(NAME64)
};

static void *real[NFUNCTIONS];
#define REAL(f)	REAL_AT(AT_##f, f)
#define REAL_AT(at, f)	\
	(__extension__ (__typeof__(&f))__atomic_load_n(&real[at],	\
	    __ATOMIC_RELAXED))

/*
 * Where the libraries are whose calls are their own and not the program's: this
 * one and libut; and that of real[], and the C library.  On Linux these two
 * call other names.  A call that seems to come from there is the last one of a
 * function that they have called, of pthread_once(3) or atexit(3).
 */
#if defined(__linux__)
#define THEIRS	2
#else
#define THEIRS	4
#endif
static struct wrap_range theirs[THEIRS];

static bool found;			/* all of these */
static PER_THREAD bool finding;

/*
 * Find the functions and the libraries.  Several threads may do so at once, as
 * they find the same.  False: this thread is in here already.
 */
static bool __attribute__((noinline))
find(void)
{
	const int saved = errno;
	const void *inside[THEIRS];
	sigset_t signals;
	size_t i;

	if (finding)
		return false;
	wrap_block(&signals);
	finding = true;
	for (i = 0; i < NFUNCTIONS; i++)
		__atomic_store_n(&real[i], wrap_next(names[i]),
		    __ATOMIC_RELAXED);
	inside[0] = names;
	inside[1] = wrap_next("ut_begin");
#if THEIRS > 2
	inside[2] = real[AT_pthread_mutex_lock];
	inside[3] = wrap_next("abort");
#endif
	wrap_ranges(theirs, inside, THEIRS);
	__atomic_store_n(&found, true, __ATOMIC_RELEASE);
	finding = false;
	wrap_unblock(&signals);
	errno = saved;
	return true;
}

static inline bool
ready(void)
{
	return UT_LIKELY(__atomic_load_n(&found, __ATOMIC_ACQUIRE)) || find();
}

/* Find them before there are threads, which may hold the linker's lock. */
static void __attribute__((constructor))
find_early(void)
{
	(void)ready();
}

static bool
of_program(const void *caller)
{
	return !wrap_within(theirs, THEIRS, caller);
}

/* Record what the program called, and leave errno as it is. */
#define RECORD(event, by, ...)						\
	do {								\
		if (UT_ON(pthread, event) && of_program(by)) {		\
			const int saved = errno;			\
			ut_code(by);					\
			UT(pthread, event, __VA_ARGS__, by);		\
			errno = saved;					\
		}							\
	} while (0)

/* Errors of robust mutexes, which not all systems have. */
#ifndef EOWNERDEAD
#define EOWNERDEAD	(-1)
#endif
#ifndef ENOTRECOVERABLE
#define ENOTRECOVERABLE	(-2)
#endif

/* A robust mutex whose owner has died is acquired. */
#define LOCK_RECORDS(kind)						\
	static void							\
	kind##_request(const volatile void *lock, const void *caller)	\
	{								\
		RECORD(kind##_request, caller, lock);			\
	}								\
	static int							\
	kind##_result(const volatile void *lock, int result,		\
	    const void *caller)						\
	{								\
		ut_cycles_order();					\
		if (result == 0 || result == EOWNERDEAD)		\
			RECORD(kind##_acquired, caller, lock);		\
		else							\
			RECORD(kind##_failed, caller, lock, result);	\
		return result;						\
	}

LOCK_RECORDS(mutex)
LOCK_RECORDS(rdlock)
LOCK_RECORDS(wrlock)

/* The body of a function that takes what its parameter lock points to. */
#define LOCK(kind, call)						\
	const void *const caller = UT_CALLER();				\
									\
	if (!ready())							\
		return 0;						\
	kind##_request(lock, caller);					\
	return kind##_result(lock, call, caller)

/* A function that takes a lock of that type. */
#define TAKE(kind, f, type)						\
	int								\
	f(type *lock)							\
	{								\
		LOCK(kind, REAL_AT(AT_##f, f)(lock));			\
	}

/* A function that is recorded when it is called, and only then. */
#define CALL(event, f, type)						\
	int								\
	f(type *object)							\
	{								\
		const void *const caller = UT_CALLER();			\
									\
		if (!ready())						\
			return 0;					\
		RECORD(event, caller, object);				\
		return REAL_AT(AT_##f, f)(object);			\
	}

/* A function that does not return 0 has released nothing. */
#define RELEASE_RECORDS(kind)						\
	static int							\
	kind##_released(const volatile void *lock, int result,		\
	    const void *caller)						\
	{								\
		if (UT_UNLIKELY(result != 0))				\
			RECORD(kind##_kept, caller, lock, result);	\
		return result;						\
	}

RELEASE_RECORDS(mutex)
RELEASE_RECORDS(rwlock)

/* A function that releases a lock of that type. */
#define RELEASE(kind, f, type)						\
	int								\
	f(type *lock)							\
	{								\
		const void *const caller = UT_CALLER();			\
									\
		if (!ready())						\
			return 0;					\
		RECORD(kind##_release, caller, lock);			\
		return kind##_released(lock, REAL_AT(AT_##f, f)(lock),	\
		    caller);						\
	}

/* A wait for a condition: where the cleanup handler finds it. */
struct wait {
	const void	*cond;
	const void	*lock;
	const void	*caller;
};

static void
wait_begin(const struct wait *w)
{
	RECORD(cond_wait, w->caller, w->cond, w->lock);
}

/* timeout is what the function returns if it has waited for too long. */
static int
wait_end(const struct wait *w, int result, int timeout)
{
	ut_cycles_order();
	if (result == 0 || result == timeout || result == EOWNERDEAD ||
	    result == ECANCELED) {
		RECORD(cond_woken, w->caller, w->cond, w->lock, result);
		return result;
	}
	/* All other errors are found before the lock is released. */
	if (result != ENOTRECOVERABLE)
		RECORD(mutex_kept, w->caller, w->lock, result);
	RECORD(cond_failed, w->caller, w->cond, w->lock, result);
	return result;
}

/* The thread is cancelled, and has the lock again. */
static void
wait_cancelled(void *arg)
{
	(void)wait_end(arg, ECANCELED, ETIMEDOUT);
}

/* The body of a function that waits for cond, with lock. */
#define WAIT(call)	WAIT_TIMED(call, ETIMEDOUT)
#define WAIT_TIMED(call, timeout)					\
	struct wait w = { cond, lock, UT_CALLER() };			\
	int result;							\
									\
	if (!ready())							\
		return 0;						\
	wait_begin(&w);							\
	pthread_cleanup_push(wait_cancelled, &w);			\
	result = call;							\
	pthread_cleanup_pop(0);						\
	return wait_end(&w, result, timeout)

#pragma GCC visibility push(default)

TAKE(mutex, pthread_mutex_lock, pthread_mutex_t)
TAKE(mutex, pthread_mutex_trylock, pthread_mutex_t)
TAKE(mutex, pthread_spin_lock, pthread_spinlock_t)
TAKE(mutex, pthread_spin_trylock, pthread_spinlock_t)
TAKE(rdlock, pthread_rwlock_rdlock, pthread_rwlock_t)
TAKE(rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t)
TAKE(wrlock, pthread_rwlock_wrlock, pthread_rwlock_t)
TAKE(wrlock, pthread_rwlock_trywrlock, pthread_rwlock_t)
RELEASE(mutex, pthread_mutex_unlock, pthread_mutex_t)
RELEASE(mutex, pthread_spin_unlock, pthread_spinlock_t)
RELEASE(rwlock, pthread_rwlock_unlock, pthread_rwlock_t)
CALL(cond_signal, pthread_cond_signal, pthread_cond_t)
CALL(cond_broadcast, pthread_cond_broadcast, pthread_cond_t)

int
pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict lock)
{
	WAIT(REAL(pthread_cond_wait)(cond, lock));
}

#if HAVE_C11
TAKE(mutex, mtx_lock, mtx_t)
TAKE(mutex, mtx_trylock, mtx_t)
RELEASE(mutex, mtx_unlock, mtx_t)
CALL(cond_signal, cnd_signal, cnd_t)
CALL(cond_broadcast, cnd_broadcast, cnd_t)

int
cnd_wait(cnd_t *cond, mtx_t *lock)
{
	WAIT(REAL(cnd_wait)(cond, lock));
}
#endif

#define T(f)		f
#define T_REAL(f)	REAL_AT(AT_##f, f)
#include "timed.h"
#undef T
#undef T_REAL

#if HAVE_TIME64
#define T(f)		__##f##64
#define T_REAL(f)	REAL_AT(AT___##f##64, __##f##64)
#include "timed.h"
#endif

#pragma GCC visibility pop
