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
 * The lock of all but the data path.
 */

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "ut_priv.h"

pthread_mutex_t ut_lock = PTHREAD_MUTEX_INITIALIZER;
sigset_t ut_signals;
static int cancel_state;		/* for ut_leave; under ut_lock */

/* The owner of the lock runs this before it gives the lock back; or NULL. */
static void (*_Atomic errand)(void);

/*
 * Take the lock, with all signals blocked: a handler that forks takes it, too,
 * and must not interrupt us here.
 */
void
ut_enter(sigset_t *old)
{
	const int state = ut_block(old);

	pthread_mutex_lock(&ut_lock);
	ut_entered = true;
	ut_signals = *old;
	cancel_state = state;
}

/*
 * Give the lock back.  An errand that was left after we looked for one is ours,
 * unless another thread has the lock by then.  The order of all operations on
 * the errand and the lock is total, as both sides do the one and then look at
 * the other.  The errand is exchanged: a plain store might undo one that we
 * have not seen, and with that what its thread has left for us.
 */
void
ut_unlock(void)
{
	void (*f)(void);

	do {
		if (atomic_load(&errand) != NULL &&
		    (f = atomic_exchange(&errand, NULL)) != NULL)
			f();
		pthread_mutex_unlock(&ut_lock);
		atomic_thread_fence(memory_order_seq_cst);
	} while (atomic_load(&errand) != NULL &&
	    pthread_mutex_trylock(&ut_lock) == 0);
}

/*
 * Have that done under the lock, without waiting for it.  If another thread
 * has the lock, that thread does it, mostly before we go on, but we may be what
 * it waits for.  A thread that gives the lock back to sleep on a condition does
 * not look for the errand: the next ut_unlock of any thread does.
 */
void
ut_do_locked(void (*f)(void))
{
	sigset_t old;
	const int state = ut_block(&old);
	int n;

	atomic_store(&errand, f);
	atomic_thread_fence(memory_order_seq_cst);
	if (pthread_mutex_trylock(&ut_lock) == 0)
		ut_unlock();
	else
		for (n = 0; n < YIELDS && atomic_load(&errand) != NULL; n++)
			(void)sched_yield();
	ut_unblock(&old, state);
}

void
ut_leave(const sigset_t *old)
{
	const int state = cancel_state;

	ut_entered = false;
	ut_unlock();
	ut_unblock(old, state);
}
