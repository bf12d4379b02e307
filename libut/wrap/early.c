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
 * told utd what events there are.  Calls for which there is no memory are
 * counted.
 *
 * Other threads may call meanwhile.  Theirs are kept as well, until one look
 * finds that all that was kept has been recorded, and ends it: whoever comes
 * later records.  So no call is recorded before an earlier one.
 */

#include <sys/mman.h>

#include <errno.h>
#include <sched.h>

#include "early.h"

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS	MAP_ANON
#endif

#define CHUNK	16384			/* calls that are kept together */
#define CHUNKS	512			/* some 400 MB */
#define YIELDS	100000
#define OVER	((size_t)1 << (sizeof(size_t) * 8 - 1))

bool early_over;

static struct call *chunks[CHUNKS];	/* NULL: not mapped yet */
static size_t nkept;			/* calls, or OVER */
static size_t missed[NFUNCTIONS];	/* calls not kept, and not told yet */
static void (*miss)(enum function, size_t);	/* from early_end on */

/* The chunk of the n'th call, or NULL without memory. */
static struct call *
chunk(size_t n)
{
	struct call **at, *none = NULL, *c;
	void *p;

	if (n / CHUNK >= CHUNKS)
		return NULL;
	at = &chunks[n / CHUNK];
	if ((c = __atomic_load_n(at, __ATOMIC_ACQUIRE)) != NULL)
		return c;
	p = mmap(NULL, CHUNK * sizeof(*c), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (__atomic_compare_exchange_n(at, &none, p, false, __ATOMIC_ACQ_REL,
	    __ATOMIC_ACQUIRE))
		return p;
	(void)munmap(p, CHUNK * sizeof(*c));
	return none;
}

/* Tell of each missed call once, from whichever thread. */
static void
tell_missed(void)
{
	size_t n;
	int f;

	for (f = 0; f < NFUNCTIONS; f++)
		if ((n = __atomic_exchange_n(&missed[f], 0,
		    __ATOMIC_SEQ_CST)) > 0)
			miss((enum function)f, n);
}

/*
 * Count a call that was not kept.  With both in one order, we see here that
 * early_end is over, or early_end sees what we have counted.
 */
static void
count_missed(enum function f)
{
	__atomic_fetch_add(&missed[f], 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&nkept, __ATOMIC_SEQ_CST) == OVER)
		tell_missed();
}

/* Keep it until it can be recorded; false: it can be recorded now. */
bool
early_keep(const struct call *c)
{
	struct call unready = *c, *to;
	size_t n = __atomic_load_n(&nkept, __ATOMIC_RELAXED);

	unready.function = NO_FUNCTION;
	do {
		if (n == OVER)
			return false;
		if ((to = chunk(n)) == NULL) {
			count_missed(c->function);
			return true;
		}
	} while (!__atomic_compare_exchange_n(&nkept, &n, n + 1, false,
	    __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	to += n % CHUNK;
	*to = unready;
	__atomic_store_n(&to->function, c->function, __ATOMIC_RELEASE);
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

/* Record the n'th call, or count it: false if it may still be written. */
static bool
record_kept(size_t n, void (*record)(const struct call *))
{
	const struct call *c = chunk(n) + n % CHUNK;
	const bool there = await(c);

	if (there)
		record(c);
	else
		count_missed(MALLOC);
	return there;
}

/* Unmap the chunks: no thread writes there any more. */
static void
release(void)
{
	size_t i;

	for (i = 0; i < CHUNKS && chunks[i] != NULL; i++)
		(void)munmap(chunks[i], CHUNK * sizeof(*chunks[i]));
}

/*
 * Hand over what was kept, in order, and how many calls of each function were
 * not.  From now on nothing is kept.
 */
void
early_end(void (*record)(const struct call *),
    void (*tell)(enum function, size_t))
{
	size_t done = 0, n;
	bool all = true;

	miss = tell;
	do {
		n = __atomic_load_n(&nkept, __ATOMIC_RELAXED);
		for (; done < n; done++)
			all &= record_kept(done, record);
	} while (!__atomic_compare_exchange_n(&nkept, &n, OVER, false,
	    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	__atomic_store_n(&early_over, true, __ATOMIC_RELAXED);
	tell_missed();
	if (all)
		release();
}
