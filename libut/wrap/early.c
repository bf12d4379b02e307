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
 * Calls of the allocator before they can be recorded: by the dynamic linker,
 * and by the constructors of the libraries that are initialised before ours.
 * They are kept, and recorded in their order as soon as our own constructor has
 * told utd what events there are.
 *
 * Other threads may call meanwhile.  Theirs are kept as well, until one look
 * finds that all that was kept has been recorded, and ends it: whoever comes
 * later records.  So no call is recorded before an earlier one.
 */

#include <sched.h>

#include "early.h"

#define KEPT	65536			/* calls; what comes then is lost */
#define YIELDS	100000
#define OVER	((size_t)1 << (sizeof(size_t) * 8 - 1))

bool early_over;

static struct call kept[KEPT];
static size_t nkept;			/* calls, or OVER */

/* Keep it until it can be recorded; false: it can be recorded now. */
bool
early_keep(const struct call *c)
{
	struct call unready = *c;
	size_t n = __atomic_load_n(&nkept, __ATOMIC_RELAXED);

	unready.function = NO_FUNCTION;
	do {
		if (n == OVER)
			return false;
		if (n == KEPT)
			return true;
	} while (!__atomic_compare_exchange_n(&nkept, &n, n + 1, false,
	    __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	kept[n] = unready;
	__atomic_store_n(&kept[n].function, c->function, __ATOMIC_RELEASE);
	return true;
}

/*
 * Another thread may be about to write it.  In the child of a fork that thread
 * is not there, so the wait is bounded.
 */
static bool
await(const struct call *c)
{
	int i;

	for (i = 0; i < YIELDS; i++) {
		if (__atomic_load_n(&c->function, __ATOMIC_ACQUIRE) !=
		    NO_FUNCTION)
			return true;
		sched_yield();
	}
	return false;
}

/* Hand over what was kept, in order.  From now on nothing is. */
void
early_end(void (*record)(const struct call *))
{
	size_t done = 0, n;

	do {
		n = __atomic_load_n(&nkept, __ATOMIC_RELAXED);
		for (; done < n; done++) {
			if (await(&kept[done]))
				record(&kept[done]);
		}
	} while (!__atomic_compare_exchange_n(&nkept, &n, OVER, false,
	    __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	__atomic_store_n(&early_over, true, __ATOMIC_RELAXED);
}
