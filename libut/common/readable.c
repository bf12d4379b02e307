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
 * Can memory be read?  No system has a call for that, but each says EFAULT of
 * what a call cannot read.
 *
 * Best is a call that reads its argument before it finds that there is nothing
 * to do, which C libraries need for themselves, so that no filter (seccomp(2))
 * ends a program for it: sigprocmask(2) with an operation that there is not.
 * valgrind, which looks at that argument first, complains of it and does not
 * say EFAULT, but does not look at what process_vm_readv(2) reads.
 *
 * Whether a way tells the truth is tried out first.  Any answer that is not the
 * one of what can be read, as of a filter, is one of what cannot.
 */

#include <sys/types.h>
#include <sys/mman.h>
#if !defined(UT_POSIX)
#include <sys/syscall.h>
#endif
#if defined(__linux__)
#include <sys/uio.h>
#endif

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "compat.h"

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS	MAP_ANON
#endif

#if defined(UT_POSIX)
#elif defined(__linux__)
#define MASK_CALL	SYS_rt_sigprocmask
#define MASK_BYTES	8
#elif defined(__FreeBSD__)
#define MASK_CALL	SYS_sigprocmask
#elif defined(__NetBSD__)
#define MASK_CALL	SYS___sigprocmask14
#endif
#ifndef MASK_BYTES
#define MASK_BYTES	16
#endif

typedef int asks(const void *);

#if defined(MASK_CALL)

static int
by_mask(const void *p)
{
	const uintptr_t at = (uintptr_t)p & ~(uintptr_t)(MASK_BYTES - 1);

	return syscall(MASK_CALL, -1, at, NULL, MASK_BYTES) == -1 &&
	    errno == EINVAL;
}

#endif

#if defined(__linux__) && !defined(UT_POSIX)

static int
by_copy(const void *p)
{
	union {
		const void	*from;
		void		*in;
	} at = { p };
	struct iovec to, from;
	char byte;

	to.iov_base = &byte;
	from.iov_base = at.in;
	to.iov_len = from.iov_len = 1;
	return syscall(SYS_process_vm_readv, getpid(), &to, 1, &from, 1, 0) ==
	    1;
}

#else

static int
by_copy(const void *p)
{
	(void)p;
	return 0;
}

#endif

/* No descriptor stays open: a program may close those it does not know. */
static int
by_pipe(const void *p)
{
	int fd[2], ok;

	if (pipe(fd) == -1)
		return 0;
	ok = write(fd[1], p, 1) == 1;
	close(fd[0]);
	close(fd[1]);
	return ok;
}

static _Atomic(asks *) how;

/* Does it tell a page that cannot be read from one that can? */
static int
tells(asks *f)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *none = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
	    -1, 0);
	int truth;

	if (none == MAP_FAILED)
		return 0;
	truth = !f(none) && f(&truth);
	munmap(none, size);
	return truth;
}

void
ut_readable_init(int valgrind)
{
	asks *f = by_copy;
	const int error = errno;

	if (!valgrind) {
#if defined(MASK_CALL)
		f = by_mask;
		if (!tells(f))
#endif
			f = by_pipe;
	}
	if (tells(f))
		atomic_store(&how, f);
	errno = error;
}

int
ut_readable(const void *p)
{
	asks *f = atomic_load_explicit(&how, memory_order_relaxed);
	const int error = errno;
	int ok;

	if (f == NULL)
		return 0;
	ok = f(p);
	errno = error;
	return ok;
}
