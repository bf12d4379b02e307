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
 * Find the caller of operator new of C++, where our own only passes the call on
 * to that of the C++ library, which calls our malloc.  We call each operator
 * once, and see where on the stack, counted from the frame of our malloc, the
 * operator keeps the address that it returns to.  That distance is always the
 * same for one place in the code, as the operators allocate nothing on the
 * stack.  From a place that is not known, which may be in an operator of the
 * program's own, the call is the program's.
 */

#include <stdint.h>
#include <string.h>

#include "alloc.h"
#include "new.h"

#define NOINLINE	__attribute__((noinline))
#define ALIGNMENT	64	/* more than malloc's */
#define SCRUB		4096	/* more than the operators have on the stack */

/* Each has some of these parameters; none looks at what std::nothrow is. */
typedef void *new_operator(size_t, uintptr_t, uintptr_t);

static new_operator *operators[OPERATORS_NEW];
static new_operator *volatile called;

/* Where a return to pc has its own return address: words up the stack. */
static struct place {
	const void	*pc;
	size_t		 up;		/* words, from the last or the frame */
} places[OPERATORS_NEW];
static unsigned int nplaces;

static bool learnt;
static const void *back;		/* where a call of called returns to */
static PER_THREAD const void *const *top; /* the stack's, while learning */

/*
 * Follow pc to the program, by what is known; *at is the last word read.  What
 * another operator calls is known before that operator is.
 */
static const void *
frame_follow(const void *pc, const void *const **at)
{
	const unsigned int n = __atomic_load_n(&nplaces, __ATOMIC_ACQUIRE);
	unsigned int i;

	for (i = 0; i < n; i++)
		if (places[i].pc == pc) {
			*at += places[i].up;
			pc = **at;
		}
	return pc;
}

/* A place that is not known, in an operator that we have called. */
static void NOINLINE
place_learn(const void *pc, const void *const *at)
{
	const unsigned int n = nplaces;
	const void *const *p;

	for (p = at + 1; p < top && *p != back; p++)
		;
	if (p >= top || n == OPERATORS_NEW)
		return;
	places[n].pc = pc;
	places[n].up = (size_t)(p - at);
	__atomic_store_n(&nplaces, n + 1, __ATOMIC_RELEASE);
}

const void *
new_caller(const void *caller, const void *frame)
{
	const void *const *at = frame;

	caller = frame_follow(caller, &at);
	if (UT_LIKELY(top == NULL))
		return caller;
	if (caller != back && !learnt)
		place_learn(caller, at);
	else if (caller != back)
		__atomic_store_n(&nplaces, 0, __ATOMIC_RELAXED);
	return NULL;
}

static void *
where_called(size_t size, uintptr_t alignment, uintptr_t other)
{
	(void)size, (void)alignment, (void)other;
	back = UT_CALLER();
	return NULL;
}

/* All calls are one piece of code, so that they return to one address. */
static void * NOINLINE
call_operator(void)
{
	void *p;

	top = __builtin_frame_address(0);
	p = called(1, ALIGNMENT, 0);
	top = NULL;
	return p;
}

/* No copy of that address is left on the stack from the call before. */
static void NOINLINE
stack_scrub(void)
{
	volatile unsigned char stack[SCRUB];
	size_t i;

	for (i = 0; i < sizeof(stack); i++)
		stack[i] = 0;
}

/*
 * Find the operators; none, if the program or another library has one of its
 * own, which others may call and which need not be ready, or a malloc of its
 * own.
 */
void
new_find(void)
{
	void *symbol;
	size_t i;

	if (!alloc_ours())
		return;
	for (i = 0; i < OPERATORS_NEW; i++) {
		if ((symbol = operator_cxx(i)) == NULL)
			break;
		memcpy(&operators[i], &symbol, sizeof(symbol));
	}
	if (i < OPERATORS_NEW)
		memset(operators, 0, sizeof(operators));
}

static void
call_all(void (*release)(void *))
{
	size_t i;

	for (i = 0; i < OPERATORS_NEW; i++)
		if ((called = operators[i]) != NULL) {
			stack_scrub();
			release(call_operator());
		}
}

/*
 * The second round only checks.  If two operators call from one place in shared
 * code, but at different distances, we forget all places.
 */
void
new_learn(void (*release)(void *))
{
	called = where_called;
	(void)call_operator();
	call_all(release);
	learnt = true;
	call_all(release);
}
