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
 * When the child of a fork may start a thread.
 *
 * Before NetBSD 10, the first pthread_create(3) of a process calls
 * pthread_atfork(3), which waits for a lock that fork(2) holds while handlers
 * run; and a child of a child counts as a process without threads.  So the
 * child starts its threads when fork(2) has returned.  In NetBSD's libc fork
 * is a weak name of _fork, and daemon of _daemon, which calls _fork: these two
 * take their places.
 *
 * All other systems allow it in the handler, and OpenBSD nowhere else: there
 * the lock is released in a child only if that has threads by then.  PORTING
 * says where all this was read.
 */

#include "ut_priv.h"
#include "ut_register.h"

#if defined(__NetBSD__)

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

pid_t	_fork(void);
int	_daemon(int, int);

/* Not every release has all of these. */
#pragma weak _malloc_prefork
#pragma weak _malloc_postfork
#pragma weak _malloc_postfork_child
void	_malloc_prefork(void);
void	_malloc_postfork(void);
void	_malloc_postfork_child(void);

static UT_PER_THREAD unsigned int forks;	/* under way in this thread */
static void	(*over)(void);

void
ut_fork_init(void (*f)(void))
{
	over = f;
}

/*
 * A thread needs memory to start.  Releases that have a function of its own for
 * the child's side take the lock of malloc(3) over a fork by themselves.
 */
static bool
takes_no_lock(void)
{
	return _malloc_prefork != NULL && _malloc_postfork != NULL &&
	    _malloc_postfork_child == NULL;
}

void
ut_fork_hold(void)
{
	if (takes_no_lock())
		_malloc_prefork();
}

void
ut_fork_release(void)
{
	if (takes_no_lock())
		_malloc_postfork();
}

enum fork_threads
ut_fork_threads(void)
{
	return forks > 0 ? FORK_OVER : FORK_UNSEEN;
}

UT_EXPORT pid_t
fork(void)
{
	pid_t pid;

	forks++;
	pid = _fork();
	forks--;
	if (pid == 0 && over != NULL)
		over();
	return pid;
}

UT_EXPORT int
daemon(int nochdir, int noclose)
{
	int error, r;

	forks++;
	r = _daemon(nochdir, noclose);
	error = errno;
	forks--;
	if (r == 0 && over != NULL)
		over();
	errno = error;
	return r;
}

#else

void
ut_fork_init(void (*f)(void))
{
	(void)f;
}

void
ut_fork_hold(void)
{
}

void
ut_fork_release(void)
{
}

enum fork_threads
ut_fork_threads(void)
{
	return FORK_NOW;
}

#endif
