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
#include <signal.h>

#include "ut_priv.h"

pthread_mutex_t ut_lock = PTHREAD_MUTEX_INITIALIZER;
sigset_t ut_signals;
static int cancel_state;		/* for ut_leave; under ut_lock */

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

/* The same without waiting for it: false if somebody has it. */
bool
ut_try_enter(sigset_t *old)
{
	const int state = ut_block(old);

	if (pthread_mutex_trylock(&ut_lock) != 0) {
		ut_unblock(old, state);
		return false;
	}
	ut_entered = true;
	ut_signals = *old;
	cancel_state = state;
	return true;
}

void
ut_leave(const sigset_t *old)
{
	const int state = cancel_state;

	ut_entered = false;
	pthread_mutex_unlock(&ut_lock);
	ut_unblock(old, state);
}
