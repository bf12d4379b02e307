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
 * Where the modules of the program lie, for ut_code, which searches them
 * without a lock.  A number that is odd while they change, and another one
 * afterwards, tells whether what was found can be trusted.
 */

#include <sys/mman.h>

#include <stdatomic.h>

#include "ut_loaded.h"
#include "ut_priv.h"

struct span {
	_Atomic uintptr_t start;
	_Atomic uintptr_t size;
};

struct spans {
	ut_a32		 change;	/* odd: they are changing */
	ut_a32		 n;
	struct span	 of[UT_LOADED_MAX];	/* by start */
};

static struct spans *_Atomic spans;	/* NULL: none were ever set */
static UT_PER_THREAD uint32_t hint;	/* which has the last address */

static struct spans *
spans_get(void)
{
	struct spans *s = atomic_load_explicit(&spans, memory_order_relaxed);
	void *p;

	if (s != NULL)
		return s;
	p = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	atomic_store_explicit(&spans, p, memory_order_release);
	return p;
}

/* Between ut_spans_begin and ut_spans_end the list is filled: under ut_lock. */
void
ut_spans_begin(void)
{
	struct spans *s = spans_get();

	if (s == NULL)
		return;
	atomic_fetch_add_explicit(&s->change, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&s->n, 0, memory_order_relaxed);
}

void
ut_spans_end(void)
{
	struct spans *s = spans_get();

	if (s != NULL)
		atomic_fetch_add_explicit(&s->change, 1,
		    memory_order_release);
}

/* Add a module; its start is not below that of the module before. */
void
ut_spans_add(uintptr_t start, uintptr_t size)
{
	struct spans *s = spans_get();
	uint32_t n;

	if (s == NULL ||
	    (n = atomic_load_explicit(&s->n, memory_order_relaxed)) ==
	    UT_LOADED_MAX)
		return;
	atomic_store_explicit(&s->of[n].start, start, memory_order_relaxed);
	atomic_store_explicit(&s->of[n].size, size, memory_order_relaxed);
	atomic_store_explicit(&s->n, n + 1, memory_order_relaxed);
}

static inline bool
in(const struct spans *s, uint32_t i, uintptr_t at)
{
	const struct span *p = &s->of[i];

	return i < atomic_load_explicit(&s->n, memory_order_relaxed) &&
	    at - atomic_load_explicit(&p->start, memory_order_relaxed) <
	    atomic_load_explicit(&p->size, memory_order_relaxed);
}

/* The index of the module that has the address, if any has it. */
static uint32_t
search(const struct spans *s, uintptr_t at)
{
	uint32_t low = 0, mid, high;

	high = atomic_load_explicit(&s->n, memory_order_relaxed);
	while (high - low > 1) {
		mid = low + (high - low) / 2;
		if (atomic_load_explicit(&s->of[mid].start,
		    memory_order_relaxed) <= at)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* Is the address in a known module?  False, too, while the list changes. */
bool
ut_spans_have(uintptr_t at)
{
	const struct spans *s = atomic_load_explicit(&spans,
	    memory_order_acquire);
	uint32_t change, i = hint;

	if (s == NULL)
		return false;
	change = atomic_load_explicit(&s->change, memory_order_acquire);
	if (!in(s, i, at)) {
		i = search(s, at);
		if (!in(s, i, at))
			return false;
		hint = i;
	}
	atomic_thread_fence(memory_order_acquire);
	return (change & 1) == 0 && change ==
	    atomic_load_explicit(&s->change, memory_order_relaxed);
}
