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
 * The functions of pthread.c that wait until a certain time.  T(f) is the name
 * of f, and T_REAL(f) the function behind it: pthread.c includes this file for
 * each type of time that programs may have.  What the time is in is of no
 * interest here.
 */

int	T(pthread_mutex_timedlock)(pthread_mutex_t *restrict,
	    const struct timespec *restrict);
int	T(pthread_rwlock_timedrdlock)(pthread_rwlock_t *restrict,
	    const struct timespec *restrict);
int	T(pthread_rwlock_timedwrlock)(pthread_rwlock_t *restrict,
	    const struct timespec *restrict);
int	T(pthread_cond_timedwait)(pthread_cond_t *restrict,
	    pthread_mutex_t *restrict, const struct timespec *restrict);

int
T(pthread_mutex_timedlock)(pthread_mutex_t *restrict lock,
    const struct timespec *restrict until)
{
	LOCK(mutex, T_REAL(pthread_mutex_timedlock)(lock, until));
}

int
T(pthread_rwlock_timedrdlock)(pthread_rwlock_t *restrict lock,
    const struct timespec *restrict until)
{
	LOCK(rdlock, T_REAL(pthread_rwlock_timedrdlock)(lock, until));
}

int
T(pthread_rwlock_timedwrlock)(pthread_rwlock_t *restrict lock,
    const struct timespec *restrict until)
{
	LOCK(wrlock, T_REAL(pthread_rwlock_timedwrlock)(lock, until));
}

int
T(pthread_cond_timedwait)(pthread_cond_t *restrict cond,
    pthread_mutex_t *restrict lock, const struct timespec *restrict until)
{
	WAIT(T_REAL(pthread_cond_timedwait)(cond, lock, until));
}

#if HAVE_C11

int	T(mtx_timedlock)(mtx_t *restrict, const struct timespec *restrict);
int	T(cnd_timedwait)(cnd_t *restrict, mtx_t *restrict,
	    const struct timespec *restrict);

int
T(mtx_timedlock)(mtx_t *restrict lock, const struct timespec *restrict until)
{
	LOCK(mutex, T_REAL(mtx_timedlock)(lock, until));
}

int
T(cnd_timedwait)(cnd_t *restrict cond, mtx_t *restrict lock,
    const struct timespec *restrict until)
{
	WAIT_TIMED(T_REAL(cnd_timedwait)(cond, lock, until), thrd_timedout);
}

#endif

#if HAVE_CLOCK

int	T(pthread_mutex_clocklock)(pthread_mutex_t *restrict, clockid_t,
	    const struct timespec *restrict);
int	T(pthread_rwlock_clockrdlock)(pthread_rwlock_t *restrict, clockid_t,
	    const struct timespec *restrict);
int	T(pthread_rwlock_clockwrlock)(pthread_rwlock_t *restrict, clockid_t,
	    const struct timespec *restrict);
int	T(pthread_cond_clockwait)(pthread_cond_t *restrict,
	    pthread_mutex_t *restrict, clockid_t,
	    const struct timespec *restrict);

int
T(pthread_mutex_clocklock)(pthread_mutex_t *restrict lock, clockid_t clock,
    const struct timespec *restrict until)
{
	LOCK(mutex, T_REAL(pthread_mutex_clocklock)(lock, clock, until));
}

int
T(pthread_rwlock_clockrdlock)(pthread_rwlock_t *restrict lock,
    clockid_t clock, const struct timespec *restrict until)
{
	LOCK(rdlock, T_REAL(pthread_rwlock_clockrdlock)(lock, clock, until));
}

int
T(pthread_rwlock_clockwrlock)(pthread_rwlock_t *restrict lock,
    clockid_t clock, const struct timespec *restrict until)
{
	LOCK(wrlock, T_REAL(pthread_rwlock_clockwrlock)(lock, clock, until));
}

int
T(pthread_cond_clockwait)(pthread_cond_t *restrict cond,
    pthread_mutex_t *restrict lock, clockid_t clock,
    const struct timespec *restrict until)
{
	WAIT(T_REAL(pthread_cond_clockwait)(cond, lock, clock, until));
}

#endif
