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
 * The bell: what compat.h says of it.
 */

#include <sys/mman.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "compat.h"

#if defined(__linux__) && !defined(UT_POSIX)

/*
 * A word that is 1 from the ring to the end of the sleep.  All C libraries
 * and ABIs agree on it, and whatever somebody else writes there does no harm,
 * where glibc aborts a program that finds a sem_t spoiled.
 */
typedef _Atomic uint32_t bell_t;

#ifndef SYS_futex
#define SYS_futex	SYS_futex_time64
#endif

/* As in <linux/futex.h>, which not every C library comes with. */
enum { FUTEX_WAIT = 0, FUTEX_WAKE_OP = 5, FUTEX_SET_1 = 1 << 12 };

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

int
ut_bell_wait(struct ut_bell *b)
{
	bell_t *bell = b->at;

	if (atomic_exchange(bell, 0) != 0)
		return 0;
	if (syscall(SYS_futex, bell, FUTEX_WAIT, 0, NULL, NULL, 0) == -1 &&
	    errno != EINTR && errno != EAGAIN)
		return -1;
	(void)atomic_exchange(bell, 0);
	return 0;
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

int
ut_bell_wait(struct ut_bell *b)
{
	int n;

	if (sem_wait(b->at) == -1 && errno != EINTR)
		return -1;
	/* One ring is as good as many, but who knows who rings. */
	for (n = 0; n < 1000 && sem_trywait(b->at) == 0; n++)
		continue;
	return 0;
}

#if defined(__FreeBSD__)
typedef sem_t bell_t;

static int
bell_init(bell_t *bell)
{
	return sem_init(bell, 1, 0);
}
#endif

#endif

#if (defined(__linux__) || defined(__FreeBSD__)) && !defined(UT_POSIX)

int
ut_bell_open(struct ut_bell *b, int fd, const char *name)
{
	struct stat st;
	void *p;

	(void)name;
	b->at = NULL;
	b->fd = fd;
	b->name[0] = '\0';
	if (fd == -1 || fstat(fd, &st) == -1 ||
	    st.st_size < (off_t)sizeof(bell_t)) {
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

/* Only one that is its creator's has a name. */
static int
bell_take(struct ut_bell *b, int fd, const char *name)
{
	if (ut_bell_open(b, fd, "") == -1)
		return -1;
	snprintf(b->name, sizeof(b->name), "%s", name);
	return 0;
}

int
ut_bell_create(struct ut_bell *b, const char *name)
{
	int fd;

	b->at = NULL;
	b->fd = -1;
	if ((fd = ut_shm_create(name, sizeof(bell_t))) == -1)
		return -1;
	if (bell_take(b, fd, name) == 0 && bell_init(b->at) == 0)
		return 0;
	shm_unlink(name);
	ut_bell_close(b);
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
	if (b->name[0] != '\0')
		shm_unlink(b->name);
	b->at = NULL;
	b->fd = -1;
	b->name[0] = '\0';
}

void
ut_bell_remove(const char *name)
{
	if (name[0] != '\0')
		(void)shm_unlink(name);
}

#else

int
ut_bell_open(struct ut_bell *b, int fd, const char *name)
{
	if (fd != -1)
		close(fd);
	b->fd = -1;
	b->at = NULL;
	b->size = 0;
	b->name[0] = '\0';
	if (name[0] != '/') {
		errno = EINVAL;
		return -1;
	}
	b->at = sem_open(name, 0);
	if (b->at != SEM_FAILED)
		return 0;
	b->at = NULL;
	return -1;
}

int
ut_bell_create(struct ut_bell *b, const char *name)
{
	b->fd = -1;
	b->size = 0;
	b->at = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
	if (b->at == SEM_FAILED) {
		b->at = NULL;
		b->name[0] = '\0';
		return -1;
	}
	snprintf(b->name, sizeof(b->name), "%s", name);
	return 0;
}

int
ut_bell_adopt(struct ut_bell *b, const char *name)
{
	if (ut_bell_open(b, -1, name) == -1)
		return -1;
	snprintf(b->name, sizeof(b->name), "%s", name);
	return 0;
}

void
ut_bell_close(struct ut_bell *b)
{
	if (b->at != NULL)
		sem_close(b->at);
	if (b->name[0] != '\0')
		sem_unlink(b->name);
	b->at = NULL;
	b->name[0] = '\0';
}

void
ut_bell_remove(const char *name)
{
	if (name[0] != '\0')
		(void)sem_unlink(name);
}

#endif
