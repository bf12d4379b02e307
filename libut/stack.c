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
 * Where the stack of the calling thread is.
 */

#include <sys/types.h>
#if defined(__FreeBSD__) || defined(__OpenBSD__)
#include <pthread_np.h>
#endif

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/compat.h"

#if defined(__linux__) && !defined(UT_POSIX)

/*
 * The first thread of a process has the stack that the system made, unless the
 * process is a child that another thread has forked: then it is on the stack
 * of that one.
 */
static int stack_systems = 1, stack_forker = 1;

static int
on_systems_stack(void)
{
	return stack_systems && (pid_t)ut_gettid() == getpid();
}

void
ut_stack_forking(void)
{
	stack_forker = on_systems_stack();
}

void
ut_stack_init(void)
{
	stack_systems = stack_forker;
}

/* In a line of that file: true if it is of the thread's stack. */
static int
stack_line(const char *line, uintptr_t *low, uintptr_t *high, uintptr_t *end)
{
	const uintptr_t self = (uintptr_t)pthread_self();
	const int first = on_systems_stack();
	uintptr_t from, to;
	const size_t n = strlen(line);
	char *p;

	from = (uintptr_t)strtoull(line, &p, 16);
	to = *p == '-' ? (uintptr_t)strtoull(p + 1, &p, 16) : from;
	/* The system's stack grows as far as there is nothing else. */
	*low = first ? *end : from;
	*high = first ? to : self;
	*end = to;
	if (first)
		return n >= 7 && strcmp(line + n - 7, "[stack]") == 0;
	return self >= from && self < to;
}

/*
 * pthread_getattr_np(3) allocates memory, and may wait for the lock of an
 * allocator that a signal handler has interrupted.  What it would say of a
 * thread that is not the first one ends, in glibc and musl, where pthread_t
 * points.
 */
int
ut_stack(uintptr_t *low, uintptr_t *high)
{
	char buf[256], line[160];
	uintptr_t end = 0;
	size_t len = 0;
	ssize_t n, i;
	int fd, state, found = 0;

	if (pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state) != 0)
		state = PTHREAD_CANCEL_ENABLE;
	fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	while (fd != -1 && !found && (n = read(fd, buf, sizeof(buf))) > 0) {
		for (i = 0; i < n && !found; i++) {
			if (buf[i] != '\n') {
				if (len < sizeof(line) - 1)
					line[len++] = buf[i];
				continue;
			}
			line[len] = '\0';
			len = 0;
			found = stack_line(line, low, high, &end);
		}
	}
	if (fd != -1)
		close(fd);
	(void)pthread_setcancelstate(state, NULL);
	return found ? 0 : -1;
}

#elif (defined(__FreeBSD__) || defined(__NetBSD__)) && !defined(UT_POSIX)

/*
 * Once an attribute was filled, it is filled again without more memory.  There
 * is one for all threads, and who finds it taken does not wait.
 */
static pthread_attr_t stack_attr;
static atomic_int stack_attr_free;

void
ut_stack_init(void)
{
	static bool made;

	if (!made)
		made = pthread_attr_init(&stack_attr) == 0;
	atomic_store(&stack_attr_free, made &&
	    pthread_attr_get_np(pthread_self(), &stack_attr) == 0);
}

int
ut_stack(uintptr_t *low, uintptr_t *high)
{
	size_t size;
	void *at;
	int r = -1;

	if (!atomic_exchange(&stack_attr_free, 0))
		return -1;
	if (pthread_attr_get_np(pthread_self(), &stack_attr) == 0 &&
	    pthread_attr_getstack(&stack_attr, &at, &size) == 0) {
		*low = (uintptr_t)at;
		*high = *low + size;
		r = 0;
	}
	atomic_store(&stack_attr_free, 1);
	return r;
}

#elif defined(__OpenBSD__) && !defined(UT_POSIX)

int
ut_stack(uintptr_t *low, uintptr_t *high)
{
	stack_t s;

	if (pthread_stackseg_np(pthread_self(), &s) != 0)
		return -1;
	*high = (uintptr_t)s.ss_sp;
	*low = *high - s.ss_size;
	return 0;
}

#else

int
ut_stack(uintptr_t *low, uintptr_t *high)
{
	*low = *high = 0;
	return -1;
}

#endif

#if !defined(__linux__) || defined(UT_POSIX)
void
ut_stack_forking(void)
{
}
#endif

#if !(defined(__linux__) || defined(__FreeBSD__) || defined(__NetBSD__)) || \
    defined(UT_POSIX)
void
ut_stack_init(void)
{
}
#endif
