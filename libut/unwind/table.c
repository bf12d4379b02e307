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
 * Rules of places, remembered for the whole process.
 *
 * A thread that misses a rule makes it and stores it over another one.  A pair
 * that two threads wrote at the same time, or of a list of modules that has
 * changed since, fits no key that anybody looks for: nothing has to be cleared.
 */

#include <stdatomic.h>
#include <stddef.h>

#include "rule.h"

#if UNWIND_CPU

#define STEPS	65536u			/* instructions of a rule */

struct entry ut_rules[1 << TABLE_BITS][2];

static void
store(struct entry *e, uint64_t x, uint64_t rule)
{
	atomic_store_explicit(&e->x, x, memory_order_relaxed);
	atomic_store_explicit(&e->rule, rule, memory_order_relaxed);
}

/* The first of its set becomes the second. */
static void
remember(struct entry *set, uint64_t key, uint64_t rule)
{

	store(&set[1], atomic_load_explicit(&set[0].x, memory_order_relaxed),
	    atomic_load_explicit(&set[0].rule, memory_order_relaxed));
	store(&set[0], key ^ rule, rule);
}

/*
 * Rules are not remembered of what is no code, which it may be soon, nor if
 * others had used up what a stack may cost: they are understood next time.
 */
static uint64_t
make(uintptr_t pc, bool exact, uint64_t key, struct budget *left)
{
	const unsigned int steps = left->steps < STEPS ? left->steps : STEPS;
	struct budget mine = { steps, left->pages };
	const uint64_t rule = ut_rule(pc, exact, &mine);

	left->steps -= steps - mine.steps;
	left->pages = mine.pages;
	if (RULE_KIND(rule) != RULE_NOCODE &&
	    (mine.steps > 0 || steps == STEPS) &&
	    (RULE_KIND(rule) != RULE_CUT || mine.pages >= 2))
		remember(rule_set(pc), key, rule);
	return rule;
}

uint64_t
ut_rule_get(uintptr_t pc, bool exact, uint64_t gen, struct budget *left)
{
	const uint64_t key = rule_key(pc, exact, gen);
	const struct entry *e = rule_set(pc);
	uint64_t x, rule;
	int i;

	for (i = 0; i < 2; i++) {
		x = atomic_load_explicit(&e[i].x, memory_order_relaxed);
		rule = atomic_load_explicit(&e[i].rule, memory_order_relaxed);
		if ((x ^ rule) == key)
			return rule;
	}
	return make(pc, exact, key, left);
}

/* When generations are counted from 0 again. */
void
ut_rules_clear(void)
{
	size_t i;

	for (i = 0; i < sizeof(ut_rules) / sizeof(ut_rules[0]); i++) {
		if (ut_rules[i][0].x == 0)
			continue;
		store(&ut_rules[i][0], 0, 0);
		store(&ut_rules[i][1], 0, 0);
	}
}

#endif
