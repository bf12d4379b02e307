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
 * A rule says how to come from a place in code to its caller, in 64 bits:
 *
 *	0-2	RULE_
 *	3-8	register that the CFA (the stack pointer of the caller) is
 *		counted from; of RULE_SIGNAL: SIGNAL_
 *	9-10	FRAME_
 *	11	the return address is in a register
 *	13-25	where the frame pointer is saved, in words
 *	26-37	where the return address is saved; of RULE_DEREF: what to add
 *	38-63	what to add to the register
 */

#ifndef RULE_H
#define RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "cpu.h"
#include "modules.h"

enum {
	RULE_CUT,		/* a frame whose caller is not known */
	RULE_REG,		/* the CFA is register + n */
	RULE_DEREF,		/* the CFA is *(register + n) + m */
	RULE_SIGNAL,		/* a signal's frame */
	RULE_END,		/* the outermost frame */
	RULE_POINTER,		/* no rule: by the frame pointer */
	RULE_BARE,		/* no rule, in a module that has none */
	RULE_NOCODE		/* no frame */
};

/* The frame pointer of the caller. */
enum {
	FRAME_SAME,
	FRAME_CFA,		/* saved, counted from the CFA */
	FRAME_OWN,		/* from the frame pointer */
	FRAME_LOST
};

#define RULE_KIND(r)	((unsigned int)(r) & 7)
#define RULE_BASE(r)	((unsigned int)((r) >> 3) & 63)
#define RULE_FRAME(r)	((unsigned int)((r) >> 9) & 3)
#define RULE_INREG(r)	(((r) & 1 << 11) != 0)
/* Is the CFA that register + n, and the return address in memory? */
#define RULE_IS(r, reg)	(((r) & 0x9ff) == (RULE_REG | (reg) << 3))
#define RULE_FRAMEAT(r)	((intptr_t)((int64_t)((r) << 38) >> 51) * \
	(intptr_t)WORD)
#define RULE_PCAT(r)	((intptr_t)((int64_t)((r) << 26) >> 52) * \
	(intptr_t)WORD)
#define RULE_ADD(r)	((intptr_t)((int64_t)(r) >> 38) * (intptr_t)WORD)

/*
 * A stack's budget, so that none takes long, whatever a file says: instructions
 * of .eh_frame, and pages to ask for.
 */
struct budget {
	unsigned int	 steps;
	unsigned int	 pages;
};

/* How a row of the table says that a register is saved. */
enum { SAVED_NOT, SAVED_CFA, SAVED_EXPR, SAVED_LOST, SAVED_END };

struct saved {
	int		 how;		/* SAVED_ */
	int64_t		 off;
	struct bytes	 expr;
};

/* A row of the table that .eh_frame stands for. */
struct row {
	unsigned int	 reg;		/* the CFA is that + off */
	int64_t		 off;
	struct bytes	 expr;		/* instead, if not empty */
	struct saved	 frame;
	struct saved	 pc;
	unsigned int	 want;		/* another register */
	struct saved	 other;
};

/* A value that is register + c, *(register + d) + c, or c. */
struct value {
	enum { VALUE_CONST, VALUE_REG, VALUE_DEREF } kind;
	unsigned int	 reg;
	int64_t		 c, d;
};

/* expr.c: the value of an expression of the place; false: none of these. */
bool	 ut_expr(struct bytes, uintptr_t, struct value *);

/* cfi.c: run a program of rows up to a place; false: not understood. */
struct cie {
	uint64_t	 code;		/* factors */
	int64_t		 data;
	unsigned int	 enc;		/* addresses are stored so */
	bool		 augmented;
	bool		 signal;
	struct bytes	 program;
};
bool	 ut_cfi_run(struct bytes, const struct cie *, uintptr_t, uintptr_t,
	    struct row *, struct budget *);

/* frame.c: the row of a place. */
enum { ROW_NONE, ROW_FOUND, ROW_SIGNAL, ROW_BAD };
int	 ut_row(const struct unwind_module *, uintptr_t, struct row *,
	    struct budget *);

/* rule.c: the rule of an address that is returned to, or was interrupted. */
uint64_t ut_rule(uintptr_t, bool, struct budget *);
/* Where its caller's register is saved, counted from the CFA. */
bool	 ut_rule_other(uintptr_t, unsigned int, struct saved *,
	    struct budget *);

/*
 * table.c: the same, remembered.  A pair is stored as two words, the key xored
 * with the rule, and the rule: if a pair is torn, it fits no key.
 */
#define TABLE_BITS	13		/* sets, of two ways: 256 kB */
struct entry {
	_Atomic uint64_t x __attribute__((aligned(8)));
	_Atomic uint64_t rule __attribute__((aligned(8)));
};
extern struct entry ut_rules[1 << TABLE_BITS][2];
uint64_t ut_rule_get(uintptr_t, bool, uint64_t, struct budget *);
void	 ut_rules_clear(void);

/*
 * The key of an address that is returned to, or was interrupted, while the list
 * of modules is of that generation.
 */
static inline uint64_t
rule_key(uintptr_t pc, bool exact, uint64_t gen)
{
	return ((uint64_t)pc ^ gen << 48) ^ (uint64_t)exact << 63;
}

/* A walk waits for this: so there is no multiplication in it. */
static inline struct entry *
rule_set(uintptr_t pc)
{
	return ut_rules[(pc ^ pc >> TABLE_BITS) & ((1 << TABLE_BITS) - 1)];
}

#endif /* RULE_H */
