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
 * From a place in code to its rule.
 */

#include "../common/compat.h"
#include "rule.h"

#if UNWIND_CPU

/* Is that a number of words, in so many bits? */
static bool
words(int64_t bytes, int bits, int64_t *n)
{
	*n = bytes / (int64_t)WORD;
	return bytes % (int64_t)WORD == 0 &&
	    *n >= -(INT64_C(1) << (bits - 1)) && *n < INT64_C(1) << (bits - 1);
}

static uint64_t
pack(unsigned int kind, unsigned int base, unsigned int frame, int64_t frameat,
    int64_t pcat, int64_t add)
{
	if (base >= REG_N || !words(frameat, 13, &frameat) ||
	    !words(pcat, 12, &pcat) || !words(add, 26, &add))
		return RULE_CUT;
	return (uint64_t)kind | (uint64_t)base << 3 | (uint64_t)frame << 9 |
	    ((uint64_t)frameat & 0x1fff) << 13 |
	    ((uint64_t)pcat & 0xfff) << 26 | (uint64_t)add << 38;
}

/* FRAME_ of the caller's frame pointer, and its offset. */
static unsigned int
frame_of(const struct saved *s, uintptr_t place, int64_t *off)
{
	struct value v;

	*off = 0;
	switch (s->how) {
	case SAVED_NOT:
		return FRAME_SAME;
	case SAVED_CFA:
		*off = s->off;
		return FRAME_CFA;
	case SAVED_EXPR:
		if (!ut_expr(s->expr, place, &v) || v.kind != VALUE_REG ||
		    v.reg != REG_FRAME)
			break;
		*off = v.c;
		return FRAME_OWN;
	}
	return FRAME_LOST;
}

static uint64_t
row_rule(const struct row *row, uintptr_t place)
{
	struct value v = { VALUE_REG, row->reg, row->off, 0 };
	const int64_t pcat = row->pc.off;
	unsigned int frame;
	int64_t off;

	if (row->pc.how == SAVED_END)
		return RULE_END;
	if (row->expr.p != NULL &&
	    (!ut_expr(row->expr, place, &v) || v.kind == VALUE_CONST))
		return RULE_CUT;
	frame = frame_of(&row->frame, place, &off);
#if defined(__aarch64__)
	if (v.kind != VALUE_REG)
		return RULE_CUT;
	if (row->pc.how == SAVED_NOT)
		return pack(RULE_REG, v.reg, frame, off, 0, v.c) | 1 << 11;
	return row->pc.how != SAVED_CFA ? RULE_CUT :
	    pack(RULE_REG, v.reg, frame, off, pcat, v.c);
#else
	/* A call saves it in the word below the CFA. */
	if (row->pc.how != SAVED_CFA || pcat != -(int64_t)WORD)
		return RULE_CUT;
	return v.kind == VALUE_REG ?
	    pack(RULE_REG, v.reg, frame, off, 0, v.c) :
	    pack(RULE_DEREF, v.reg, frame, off, v.c, v.d);
#endif
}

/* The rule of a linker's stub, to which a function jumps; it saves nothing. */
static uint64_t
stub_rule(void)
{
#if defined(__aarch64__)
	return pack(RULE_REG, REG_STACK, FRAME_SAME, 0, 0, 0) | 1 << 11;
#else
	return pack(RULE_REG, REG_STACK, FRAME_SAME, 0, 0, WORD);
#endif
}

/*
 * The rule of what handlers return to.  Kernels and C libraries do not tell of
 * it everywhere.
 */
static uint64_t
signal_rule(uintptr_t pc)
{
	const int kind = ut_code_signal(pc);

	return kind == -1 ? RULE_CUT : RULE_SIGNAL | (uint64_t)kind << 3;
}

/*
 * Code of a module that has no rule.  Where it was interrupted, the frame
 * pointer may be that of the caller still: then it is a stub, or not known.
 *
 * On Linux, an address that is behind no call was put on the stack to begin
 * one.  Elsewhere a handler returns to such, too.
 */
static uint64_t
bare_rule(const struct unwind_module *m, uintptr_t pc, bool exact)
{
	uint64_t rule;

	if (pc - m->text < CODE_BEFORE || m->etext - pc < CODE_AFTER)
		return RULE_CUT;
	if ((rule = signal_rule(pc)) != RULE_CUT)
		return rule;
	if (exact)
		return ut_code_stub(pc) ? stub_rule() : RULE_CUT;
	if (ut_code_called(pc))
		return m->header == 0 ? RULE_BARE : RULE_POINTER;
	if (m->header == 0)
		return RULE_NOCODE;
#if defined(__linux__)
	return RULE_END;
#else
	return RULE_CUT;
#endif
}

/* Code that is in no module is made by the program, with frame pointers. */
static uint64_t
made_rule(uintptr_t pc, bool exact, struct budget *left)
{
	uint64_t rule;

	if (left->pages < 2)
		return RULE_CUT;
	left->pages -= 2;
	if (pc < CODE_BEFORE ||
	    !ut_readable((const void *)(pc - CODE_BEFORE)) ||
	    !ut_readable((const void *)(pc + CODE_AFTER)))
		return exact ? RULE_CUT : RULE_NOCODE;
	if ((rule = signal_rule(pc)) != RULE_CUT)
		return rule;
	return exact || ut_code_called(pc) ? RULE_POINTER : RULE_NOCODE;
}

uint64_t
ut_rule(uintptr_t pc, bool exact, struct budget *left)
{
	const uintptr_t place = exact ? pc : pc - 1;
	struct row row = { .want = REG_N };
	struct unwind_module m;

	if (!ut_modules_find(place, &m))
		return made_rule(pc, exact, left);
	switch (ut_row(&m, place, &row, left)) {
	case ROW_FOUND:
		return row_rule(&row, place);
	case ROW_SIGNAL:
		return signal_rule(pc);
	case ROW_NONE:
		return m.whole ? made_rule(pc, exact, left) :
		    bare_rule(&m, pc, exact);
	default:
		return RULE_CUT;
	}
}

bool
ut_rule_other(uintptr_t place, unsigned int reg, struct saved *s,
    struct budget *left)
{
	struct row row = { .want = reg };
	struct unwind_module m;

	if (!ut_modules_find(place, &m) ||
	    ut_row(&m, place, &row, left) != ROW_FOUND)
		return false;
	*s = row.other;
	return true;
}

#endif
