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
 * Shared memory: what compat.h says of it.
 */

#include <sys/mman.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../ut_abi.h"
#include "compat.h"

#define UT_SHM_PAGE	4096
#define BELL_MAX	16384		/* bytes; what is larger is a region */

/*
 * Store bytes that nobody can guess; where the system has none, mix into the
 * bytes that were there some that differ each time.
 */
static void
unguessed(void *p, size_t n)
{
	struct timespec ts;
	uint32_t x;
	ssize_t got = -1;
	int fd;

#if defined(__linux__) && defined(SYS_getrandom) && !defined(UT_POSIX)
	got = (ssize_t)syscall(SYS_getrandom, p, n, 1 /* GRND_NONBLOCK */);
#endif
	if (got != (ssize_t)n &&
	    (fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC)) != -1) {
		got = read(fd, p, n);
		close(fd);
	}
	if (got == (ssize_t)n)
		return;
	ut_clock_gettime(CLOCK_REALTIME, &ts);
	x = (uint32_t)ts.tv_nsec ^ (uint32_t)ts.tv_sec << 16;
	for (; n > 0; n--, x = x * UINT32_C(1664525) + 1013904223)
		((unsigned char *)p)[n - 1] ^= (unsigned char)(x >> 24);
}

/* Permute the numbers of that many bits, in an order that the key chooses. */
static uint32_t
shuffled(uint32_t x, unsigned int bits, const uint32_t *key)
{
	const uint32_t mask = (UINT32_C(1) << bits) - 1;
	int i;

	for (i = 0; i < 4; i++) {
		x = (x + key[2 * i]) * (key[2 * i + 1] | 1) & mask;
		x ^= x >> (bits + 1) / 2;
	}
	return x;
}

/*
 * The number of the process, and as much as fits that others cannot know
 * before, in base 32: they would take the name.  The first digits count, in an
 * order of our own, so that a process gives no name again before thousands of
 * others, however short names are.  Called by one thread.
 */
void
ut_shm_name(char *s)
{
	static uint32_t serial, key[8];
	static pid_t who;
	const pid_t pid = getpid();
	unsigned char more[UT_SHM_NAME] = { 0 };
	uint32_t x;
	int n, count;

	if (who != pid) {
		unguessed(key, sizeof(key));
		who = pid;
	}
	n = snprintf(s, UT_SHM_NAME, "/ut-%x-", (unsigned int)pid);
	count = UT_SHM_NAME - 1 - n < 6 ? UT_SHM_NAME - 1 - n : 6;
	x = shuffled(serial++, 5 * (unsigned int)count, key);
	for (; count > 0; count--, x >>= 5)
		s[n++] = UT_SHM_DIGITS[x & 31];
	if (n < UT_SHM_NAME - 1)
		unguessed(more, sizeof(more));
	for (; n < UT_SHM_NAME - 1; n++)
		s[n] = UT_SHM_DIGITS[more[n] & 31];
	s[n] = '\0';
}

/*
 * Reserve the pages: who touches one that the system cannot give gets
 * SIGBUS.  0 or an errno.
 */
static int
reserve(int fd, off_t size)
{
#if defined(__OpenBSD__) || defined(UT_POSIX)
	/*
	 * POSIX lets a system lack posix_fallocate(3), and OpenBSD does.
	 * There shared memory is a file in /tmp, with holes until written.
	 */
	static const char zeros[4096];
	off_t pos = 0;
	ssize_t n;

	while (pos < size) {
		n = pwrite(fd, zeros, size - pos < (off_t)sizeof(zeros) ?
		    (size_t)(size - pos) : sizeof(zeros), pos);
		if (n > 0)
			pos += n;
		else if (n == -1 && errno != EINTR)
			return errno;
	}
	return 0;
#else
	int error;

	do
		error = posix_fallocate(fd, 0, size);
	while (error == EINTR);
	/* Memory that cannot be reserved is backed by swap: no SIGBUS there. */
	if (error == EINVAL || error == ENODEV || error == EOPNOTSUPP)
		return 0;
	return error;
#endif
}

int
ut_shm_create(const char *name, size_t size)
{
	int fd, error;

	fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd == -1)
		return -1;
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (ftruncate(fd, (off_t)size) == -1)
		error = errno;
	else if ((error = reserve(fd, (off_t)size)) == 0)
		return fd;
	shm_unlink(name);
	close(fd);
	errno = error;
	return -1;
}

int
ut_shm_open(const char *name)
{
	struct stat st;
	int fd;

	if ((fd = shm_open(name, O_RDWR, 0)) == -1)
		return -1;
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (fstat(fd, &st) == 0 && st.st_uid == ut_geteuid() &&
	    (st.st_mode & 077) == 0)
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/*
 * Linux maps the pages as well, in one call.  It may refuse, before 5.14, or
 * because the memory has been cut off; then each page is read, which fills it
 * where pages of shared memory are not all the same zeros until written.
 */
void
ut_shm_touch(const unsigned char *p, size_t n)
{
	size_t i;

#if defined(MADV_POPULATE_WRITE) && !defined(UT_POSIX)
	if (madvise((void *)(uintptr_t)p, n, MADV_POPULATE_WRITE) == 0)
		return;
#endif
	for (i = 0; i < n; i += UT_SHM_PAGE)
		(void)*(const volatile unsigned char *)(p + i);
}

void
ut_large_pages(void *p, size_t n)
{
#if defined(MADV_HUGEPAGE) && !defined(UT_POSIX)
	(void)madvise(p, n, MADV_HUGEPAGE);
#else
	(void)p;
	(void)n;
#endif
}

/* A FIFO of that name would keep us waiting; only where it is a file. */
#if defined(__linux__)
#define NO_WAIT	O_NONBLOCK
#else
#define NO_WAIT	0
#endif

int
ut_shm_look(const char *name, struct stat *st)
{
	struct ut_header h;
	const size_t n = offsetof(struct ut_header, size) + sizeof(h.size);
	int fd, kind = UT_SHM_OTHER;

	if ((fd = shm_open(name, O_RDONLY | NO_WAIT, 0)) == -1)
		return -1;
	if (fstat(fd, st) == -1)
		memset(st, 0, sizeof(*st));
	else if (!S_ISREG(st->st_mode) || (st->st_mode & 077) != 0 ||
	    st->st_nlink > 1)
		kind = UT_SHM_OTHER;
	else if (st->st_size <= BELL_MAX)
		kind = UT_SHM_BELL;
	else if (pread(fd, &h, n, 0) == (ssize_t)n &&
	    h.magic == UT_ABI_MAGIC && h.size == (uint64_t)st->st_size)
		kind = UT_SHM_REGION;
	close(fd);
	return kind;
}

const char *
ut_shm_where(void)
{
#if defined(UT_POSIX)
	return NULL;
#elif defined(__linux__)
	return "/dev/shm";
#elif defined(__NetBSD__)
	return "/var/shm";
#elif defined(__OpenBSD__)
	return "/tmp";
#else
	return NULL;
#endif
}
