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
 * The bell, and a word to wait for: what compat.h says of them.
 */

#include <sys/mman.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "compat.h"

#if defined(__linux__) && !defined(UT_POSIX)

/*
 * A word that is 1 from the ring to the end of the sleep, or 2 if only the
 * sleeper has rung.  All C libraries and ABIs agree on it, and whatever
 * somebody else writes there does no harm, where glibc aborts a program that
 * finds a sem_t spoiled.
 */
typedef _Atomic uint32_t bell_t;

#ifndef SYS_futex
#define SYS_futex	SYS_futex_time64
#define FUTEX_TIME64
#endif

/* Names of <linux/futex.h>, which not every C library comes with. */
enum {
	FUTEX_WAIT = 0,
	FUTEX_WAKE = 1,
	FUTEX_WAKE_OP = 5,
	FUTEX_SET_1 = 1 << 12,
	FUTEX_OR_2 = 2 << 28 | 2 << 12
};

static int
bell_init(bell_t *bell)
{
	atomic_store(bell, 0);
	return 0;
}

/*
 * The system stores the 1 and wakes who sleeps.  A store of ours would be
 * SIGBUS if somebody has cut off the memory.
 */
void
ut_bell_ring(struct ut_bell *b)
{
	(void)syscall(SYS_futex, b->at, FUTEX_WAKE_OP, 1, 0L, b->at,
	    FUTEX_SET_1);
}

void
ut_bell_stir(struct ut_bell *b)
{
	(void)syscall(SYS_futex, b->at, FUTEX_WAKE_OP, 1, 0L, b->at,
	    FUTEX_OR_2);
}

int
ut_bell_wait(struct ut_bell *b)
{
	bell_t *bell = b->at;
	uint32_t was;

	if ((was = atomic_exchange(bell, 0)) == 0) {
		if (syscall(SYS_futex, bell, FUTEX_WAIT, 0, NULL, NULL,
		    0) == -1 && errno != EINTR && errno != EAGAIN)
			return -1;
		was = atomic_exchange(bell, 0);
	}
	return (was & ~2u) != 0;
}

#elif defined(__NetBSD__) && !defined(UT_POSIX)

/*
 * A named semaphore.  Here it is a descriptor, for which sem_open(3) takes the
 * lowest number, and which exec(3) keeps.  So the calls below that function
 * are used, as librt does, and the descriptor moves out of the program's way;
 * `at' is its number.
 *
 * A program closes descriptors that are not its own.  The calls fail if the
 * number is no semaphore any more, and read or write nothing: whoever finds
 * that opens the semaphore again by its name.
 */
int	_ksem_open(const char *, int, mode_t, unsigned int, intptr_t *);
int	_ksem_post(intptr_t);
int	_ksem_wait(intptr_t);
int	_ksem_trywait(intptr_t);
int	_ksem_getvalue(intptr_t, int *);
int	_ksem_unlink(const char *);

static void *
bell_named(const char *name, int flags)
{
	intptr_t id;

	if (_ksem_open(name, flags, 0600, 0, &id) == -1)
		return NULL;
	return (void *)(intptr_t)ut_high_fd((int)id);
}

static void
bell_let_go(void *at)
{
	int value;

	if (_ksem_getvalue((intptr_t)at, &value) == 0)
		close((int)(intptr_t)at);
}

static int
bell_unlink(const char *name)
{
	return _ksem_unlink(name);
}

static bool
bell_post(struct ut_bell *b)
{
	return _ksem_post((intptr_t)__atomic_load_n(&b->at,
	    __ATOMIC_ACQUIRE)) == 0 || errno == EOVERFLOW;
}

/*
 * Threads may find at once that it is gone, and a handler may interrupt the
 * thread that opens it.  Only one opens it; the others need not wait, for that
 * one rings when it is open, which is after they have looked.
 */
void
ut_bell_ring(struct ut_bell *b)
{
	void *at;

	if (bell_post(b) ||
	    __atomic_exchange_n(&b->opening, 1, __ATOMIC_ACQUIRE) != 0)
		return;
	if (!bell_post(b) && (at = bell_named(b->name, 0)) != NULL) {
		__atomic_store_n(&b->at, at, __ATOMIC_RELEASE);
		(void)bell_post(b);
	}
	__atomic_store_n(&b->opening, 0, __ATOMIC_RELEASE);
}

static int
bell_sleep(struct ut_bell *b)
{
	return _ksem_wait((intptr_t)b->at);
}

static int
bell_rang(struct ut_bell *b)
{
	return _ksem_trywait((intptr_t)b->at) == 0;
}

#else

/*
 * A sem_t in shared memory works between processes on FreeBSD; on OpenBSD and
 * NetBSD it is a pointer into the process.
 */
void
ut_bell_ring(struct ut_bell *b)
{
	(void)sem_post(b->at);
}

static int
bell_sleep(struct ut_bell *b)
{
	return sem_wait(b->at);
}

static int
bell_rang(struct ut_bell *b)
{
	return sem_trywait(b->at) == 0;
}

#if defined(__FreeBSD__) && !defined(UT_POSIX)

typedef sem_t bell_t;

static int
bell_init(bell_t *bell)
{
	return sem_init(bell, 1, 0);
}

#else

static void *
bell_named(const char *name, int flags)
{
	void *at = sem_open(name, flags, 0600, 0);

	return at == SEM_FAILED ? NULL : at;
}

static void
bell_let_go(void *at)
{
	sem_close(at);
}

static int
bell_unlink(const char *name)
{
	return sem_unlink(name);
}

#endif

#endif

#if !defined(__linux__) || defined(UT_POSIX)

/* Rings by ourselves, ever, and how many of them a wait knew of. */
static volatile unsigned int stirs;
static unsigned int stirred;

/* Counted first: whoever finds the ring knows that it may be this one. */
void
ut_bell_stir(struct ut_bell *b)
{
	stirs++;
	ut_bell_ring(b);
}

int
ut_bell_wait(struct ut_bell *b)
{
	unsigned int rings, ours;

	if (bell_sleep(b) == 0)
		rings = 1;
	else if (errno == EINTR)
		rings = 0;
	else
		return -1;
	/* One ring is as good as many, but who knows who rings. */
	while (rings < 1000 && bell_rang(b))
		rings++;
	ours = stirs - stirred;
	stirred += ours;
	return rings > ours;
}

#endif

#if (defined(__linux__) || defined(__FreeBSD__)) && !defined(UT_POSIX)

static int
bell_map(struct ut_bell *b, int fd)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) == -1)
		return -1;
	if (st.st_size < (off_t)sizeof(bell_t)) {
		errno = EINVAL;
		return -1;
	}
	p = mmap(NULL, sizeof(bell_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
	    0);
	if (p == MAP_FAILED)
		return -1;
	b->at = p;
	b->size = sizeof(bell_t);
	return 0;
}

void
ut_bell_open(struct ut_bell *b, int fd, const char *name)
{
	(void)name;
	*b = (struct ut_bell)UT_BELL_NONE;
	if (fd == -1)
		return;
	(void)bell_map(b, fd);
	close(fd);
}

static int
bell_take(struct ut_bell *b, int fd, const char *name)
{
	*b = (struct ut_bell)UT_BELL_NONE;
	if (bell_map(b, fd) == -1) {
		close(fd);
		return -1;
	}
	b->fd = fd;
	snprintf(b->name, sizeof(b->name), "%s", name);
	return 0;
}

int
ut_bell_create(struct ut_bell *b, const char *name)
{
	int fd;

	if ((fd = ut_shm_create(name, sizeof(bell_t))) == -1)
		return -1;
	if (bell_take(b, fd, name) == 0) {
		if (bell_init(b->at) == 0)
			return 0;
		ut_bell_close(b);
	}
	shm_unlink(name);
	return -1;
}

int
ut_bell_adopt(struct ut_bell *b, const char *name)
{
	int fd = ut_shm_open(name);

	return fd == -1 ? -1 : bell_take(b, fd, name);
}

void
ut_bell_close(struct ut_bell *b)
{
	if (b->at != NULL)
		munmap(b->at, b->size);
	if (b->fd != -1)
		close(b->fd);
	*b = (struct ut_bell)UT_BELL_NONE;
}

int
ut_bell_remove(const char *name)
{
	return name[0] != '\0' ? shm_unlink(name) : 0;
}

#else

static int
bell_by_name(struct ut_bell *b, const char *name, int flags)
{
	*b = (struct ut_bell)UT_BELL_NONE;
	if ((b->at = bell_named(name, flags)) == NULL)
		return -1;
	snprintf(b->name, sizeof(b->name), "%s", name);
	return 0;
}

void
ut_bell_open(struct ut_bell *b, int fd, const char *name)
{
	if (fd != -1)
		close(fd);
	*b = (struct ut_bell)UT_BELL_NONE;
	if (name[0] == '/')
		(void)bell_by_name(b, name, 0);
}

int
ut_bell_create(struct ut_bell *b, const char *name)
{
	return bell_by_name(b, name, O_CREAT | O_EXCL);
}

int
ut_bell_adopt(struct ut_bell *b, const char *name)
{
	return bell_by_name(b, name, 0);
}

void
ut_bell_close(struct ut_bell *b)
{
	if (b->at != NULL)
		bell_let_go(b->at);
	*b = (struct ut_bell)UT_BELL_NONE;
}

int
ut_bell_remove(const char *name)
{
	return name[0] != '\0' ? bell_unlink(name) : 0;
}

#endif

#if defined(__linux__) && !defined(UT_POSIX)

/* The call's time, which need not be the C library's struct timespec. */
struct wait_time {
#if defined(FUTEX_TIME64)
	int64_t	 sec, nsec;
#else
	long	 sec, nsec;
#endif
};

void
ut_word_wait(_Atomic uint32_t *at, uint32_t was, int ms)
{
	const struct wait_time time = { ms / 1000, ms % 1000 * 1000000 };

	(void)syscall(SYS_futex, at, FUTEX_WAIT, was, &time, NULL, 0);
}

void
ut_word_wake(_Atomic uint32_t *at, uint32_t n)
{
	(void)syscall(SYS_futex, at, FUTEX_WAKE, n > INT_MAX ? INT_MAX : n,
	    NULL, NULL, 0);
}

#else

/*
 * A thread that was cancelled asynchronously ends by the last call, as in
 * ut_unblock.
 */
void
ut_word_wait(_Atomic uint32_t *at, uint32_t was, int ms)
{
	int state, type;

	if (atomic_load_explicit(at, memory_order_acquire) != was)
		return;
	if (pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state) != 0)
		state = PTHREAD_CANCEL_ENABLE;
	(void)poll(NULL, 0, ms);
	if (pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type) != 0)
		type = PTHREAD_CANCEL_DEFERRED;
	(void)pthread_setcancelstate(state, NULL);
	(void)pthread_setcanceltype(type, NULL);
}

void
ut_word_wake(_Atomic uint32_t *at, uint32_t n)
{
	(void)at;
	(void)n;
}

#endif
