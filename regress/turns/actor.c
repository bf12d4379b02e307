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
 * Actors: each has a stack of its own, and one at a time has its turn, up to
 * its next step.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "../../libut/ut_priv.h"
#include "turns.h"

#define BASE		256u		/* bytes of a stack that stay */
#define USED		8192u		/* of the rest, at least */
#define STEPS_MAX	1000000u

static ucontext_t back, unused;

static struct actor *
current(void)
{
	return &T->actors[T->current];
}

/*
 * xorshift64*, from Vigna, "An experimental exploration of Marsaglia's xorshift
 * generators, scrambled" (2016).
 */
uint32_t
random_below(uint32_t n)
{
	uint64_t x = T->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	T->random = x;
	return (uint32_t)(((x * UINT64_C(0x2545f4914f6cdd1d)) >> 32) * n >> 32);
}

void
wrong(const char *fmt, ...)
{
	static const char *const modes[] = { "discard", "overwrite", "block",
	    "keep" };
	va_list ap;

	printf("seed %llu (%s%s%s%s), step %u, actor %u: ",
	    (unsigned long long)T->seed, modes[T->mode],
	    T->jumps ? ", jumps" : "", T->dead[0] || T->dead[1] ? ", deaths" :
	    "", T->adopted ? ", adopted" : "", T->steps, T->current);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	_Exit(1);
}

/* The first frame of each stack, which is never left. */
static void
base(void)
{
	struct actor *a = current();

	a->top = __builtin_frame_address(0);
	if (_setjmp(a->start) == 0)
		swapcontext(&unused, &back);
	current()->body();
	actor_end(DONE);
}

static void
stack_make(struct actor *a)
{
	ucontext_t c;

	a->stack = malloc(STACK);
	getcontext(&c);
	c.uc_stack.ss_sp = a->stack;
	c.uc_stack.ss_size = STACK;
	c.uc_link = NULL;
	makecontext(&c, base, 0);
	swapcontext(&back, &c);
}

/* The actor is to run that from the beginning. */
void
actor_set(unsigned int n, void (*body)(void), unsigned int program)
{
	struct actor *a = &T->actors[n];
	const unsigned int was = T->current;

	a->body = body;
	a->program = program;
	if (a->stack == NULL) {
		T->current = n;
		stack_make(a);
		T->current = was;
	}
	/* The rest of another run must not matter to this one. */
	if (was == NACTORS)
		memset(a->top - BASE - USED, 0, USED);
	memcpy(a->at, a->start, sizeof(a->at));
	a->state = READY;
	a->self = NULL;
	a->value = NULL;
	a->entered = a->blocked = a->ending = false;
	a->depth = 0;
	a->word = NULL;
	a->nap = 0;
}

/* An actor in that state, at random, or NACTORS. */
static unsigned int
choose_of(enum state state, bool naps)
{
	unsigned int i, n = 0, which[NACTORS];

	for (i = 0; i < NACTORS; i++)
		if (T->actors[i].state == state &&
		    (T->actors[i].nap == 0 || naps))
			which[n++] = i;
	return n > 0 ? which[random_below(n)] : NACTORS;
}

/* Actors that wait for others go on when all do, and those that sleep last. */
static unsigned int
choose(void)
{
	unsigned int i;

	if ((i = choose_of(READY, false)) == NACTORS &&
	    (i = choose_of(READY, true)) == NACTORS)
		i = choose_of(ASLEEP, true);
	return i;
}

/* The others that wait for turns have had one more. */
static void
naps_shorten(const struct actor *of)
{
	struct actor *a;

	for (a = T->actors; a < T->actors + NACTORS; a++)
		if (a->nap != 0 && a != of)
			a->nap--;
}

/* Go on with that actor, or, without one, with who runs them all. */
static _Noreturn void
resume(unsigned int next)
{
	T->current = next;
	if (next == NACTORS)
		_longjmp(T->driver, 1);
	current()->nap = 0;
	ut_self = current()->self;
	ut_entered = current()->entered;
	_longjmp(current()->at, 1);
}

static void __attribute__((noinline))
turn_give(unsigned int next)
{
	struct actor *a = current();

	a->self = ut_self;
	a->entered = ut_entered;
	if (_setjmp(a->at) == 0)
		resume(next);
}

/* Give the turn to another; this one goes on here. */
static void
turn_pass(void)
{
	struct actor *a = current();
	unsigned int next;

	naps_shorten(a);
	/* An actor that waits for others looks again soon. */
	T->turn = 1 + random_below(a->nap != 0 ? 8 : T->turn_max);
	next = choose();
	if (next == T->current && a->state != DEAD) {
		a->nap = 0;
		return;
	}
	turn_give(next);
}

void
actor_end(enum state state)
{
	current()->state = state;
	turn_pass();
	abort();
}

/* Until somebody wakes it: true; or all others sleep, or are done. */
bool
actor_wait(const void *word)
{
	struct actor *a = current();
	bool woken;

	a->word = word;
	a->state = ASLEEP;
	turn_pass();
	woken = a->state == READY;
	a->state = READY;
	return woken;
}

void
actors_wake(const void *word)
{
	unsigned int i;

	for (i = 0; i < NACTORS; i++)
		if (T->actors[i].state == ASLEEP && T->actors[i].word == word)
			T->actors[i].state = READY;
}

/* Others have so many turns. */
void
actor_nap(unsigned int n)
{
	current()->nap = n;
	turn_pass();
}

/* The program is killed: its threads end where they are. */
void
program_kill(unsigned int program)
{
	unsigned int i;

	T->dead[program] = true;
	for (i = 0; i < NWRITERS; i++)
		if (T->actors[i].program == program &&
		    T->actors[i].state != DONE)
			T->actors[i].state = DEAD;
}

static void
die(void)
{
	if (T->current != CONSUMER) {
		program_kill(current()->program);
		actor_end(DEAD);
	}
	consumer_again();
	_longjmp(current()->at, 1);
}

/* Before each access to what is shared. */
void
step(void)
{
	struct actor *a = current();

	if (++T->steps > STEPS_MAX)
		wrong("progress: no end");
	if (a->death != 0 && --a->death == 0)
		die();
	if (a->handler != 0 && !a->blocked && --a->handler == 0)
		handler();
	if (--T->turn == 0)
		turn_pass();
}

/* Let all of them run to their end. */
void
actors_run(void)
{
	if (_setjmp(T->driver) != 0)
		return;
	T->turn = 1 + random_below(T->turn_max);
	resume(choose());
}
