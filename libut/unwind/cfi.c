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
 * The programs of .eh_frame, which make the rows of its table.
 */

#include "rule.h"

#define STATES	8			/* remembered rows */

enum {
	CFA_ADVANCE = 0x40, CFA_OFFSET = 0x80, CFA_RESTORE = 0xc0,

	CFA_NOP = 0x00, CFA_SET_LOC, CFA_ADVANCE1, CFA_ADVANCE2, CFA_ADVANCE4,
	CFA_OFFSET_EXT, CFA_RESTORE_EXT, CFA_UNDEFINED, CFA_SAME, CFA_REGISTER,
	CFA_REMEMBER, CFA_RECALL, CFA_DEF, CFA_DEF_REG, CFA_DEF_OFF,
	CFA_DEF_EXPR, CFA_EXPR, CFA_OFFSET_SF, CFA_DEF_SF, CFA_DEF_OFF_SF,
	CFA_VAL_OFF, CFA_VAL_OFF_SF, CFA_VAL_EXPR, CFA_SIGNED = 0x2d,
	CFA_ARGS_SIZE
};

struct run {
	struct bytes		 in;
	const struct cie	*cie;
	uintptr_t		 at;
	struct row		*row;
	struct row		 first;
	struct row		 states[STATES];
	unsigned int		 n;
};

/* An offset, in the unit that the CIE says. */
static int64_t
scaled(const struct run *r, int64_t n)
{
	return (int64_t)((uint64_t)n * (uint64_t)r->cie->data);
}

static struct saved *
saved(struct row *row, uint64_t reg)
{
	return reg == REG_FRAME ? &row->frame : reg == REG_RETURN ? &row->pc :
	    reg == row->want ? &row->other : NULL;
}

static void
save(struct row *row, uint64_t reg, int how, int64_t off)
{
	struct saved *s = saved(row, reg);

	if (s != NULL) {
		s->how = how;
		s->off = off;
	}
}

/* Registers that are saved elsewhere than at a distance from the CFA. */
static bool
save_otherwise(struct run *r, unsigned int op)
{
	const uint64_t reg = ut_bytes_leb(&r->in);
	struct bytes expr;
	struct saved *s;

	switch (op) {
	case CFA_UNDEFINED:
		save(r->row, reg, reg == REG_RETURN ? SAVED_END : SAVED_LOST,
		    0);
		return true;
	case CFA_SAME:
		save(r->row, reg, SAVED_NOT, 0);
		return true;
	case CFA_REGISTER:
	case CFA_VAL_OFF:
	case CFA_VAL_OFF_SF:
		(void)ut_bytes_leb(&r->in);
		break;
	case CFA_VAL_EXPR:
		(void)ut_bytes_block(&r->in);
		break;
	case CFA_EXPR:
		expr = ut_bytes_block(&r->in);
		if ((s = saved(r->row, reg)) != NULL) {
			s->how = SAVED_EXPR;
			s->expr = expr;
		}
		return true;
	default:
		return false;
	}
	save(r->row, reg, SAVED_LOST, 0);
	return true;
}

static void
restore(struct run *r, uint64_t reg)
{
	struct saved *s = saved(r->row, reg);

	if (s != NULL)
		*s = *saved(&r->first, reg);
}

/* Change the CFA, or the stack of rows. */
static bool
define(struct run *r, unsigned int op)
{
	struct row *row = r->row;

	switch (op) {
	case CFA_REMEMBER:
		if (r->n == STATES)
			return false;
		r->states[r->n++] = *row;
		return true;
	case CFA_RECALL:
		if (r->n == 0)
			return false;
		*row = r->states[--r->n];
		return true;
	case CFA_DEF_EXPR:
		row->expr = ut_bytes_block(&r->in);
		return true;
	case CFA_DEF:
	case CFA_DEF_SF:
	case CFA_DEF_REG:
		row->reg = (unsigned int)ut_bytes_leb(&r->in);
		row->expr.p = NULL;
		break;
	}
	if (op == CFA_DEF || op == CFA_DEF_OFF)
		row->off = (int64_t)ut_bytes_leb(&r->in);
	else if (op != CFA_DEF_REG)
		row->off = scaled(r, ut_bytes_sleb(&r->in));
	return true;
}

/* Do all but the three that have an operand in their byte. */
static bool
extended(struct run *r, unsigned int op)
{
	uint64_t reg;

	switch (op) {
	case CFA_NOP:
	case CFA_SIGNED:
		return true;
	case CFA_ARGS_SIZE:
		(void)ut_bytes_leb(&r->in);
		return true;
	case CFA_SET_LOC:
		r->at = ut_bytes_address(&r->in, r->cie->enc);
		return true;
	case CFA_ADVANCE1:
	case CFA_ADVANCE2:
	case CFA_ADVANCE4:
		r->at += ut_bytes_fixed(&r->in, (size_t)1 <<
		    (op - CFA_ADVANCE1)) * r->cie->code;
		return true;
	case CFA_OFFSET_EXT:
		reg = ut_bytes_leb(&r->in);
		save(r->row, reg, SAVED_CFA,
		    scaled(r, (int64_t)ut_bytes_leb(&r->in)));
		return true;
	case CFA_OFFSET_SF:
		reg = ut_bytes_leb(&r->in);
		save(r->row, reg, SAVED_CFA, scaled(r,
		    ut_bytes_sleb(&r->in)));
		return true;
	case CFA_RESTORE_EXT:
		restore(r, ut_bytes_leb(&r->in));
		return true;
	case CFA_REMEMBER:
	case CFA_RECALL:
	case CFA_DEF:
	case CFA_DEF_SF:
	case CFA_DEF_REG:
	case CFA_DEF_OFF:
	case CFA_DEF_OFF_SF:
	case CFA_DEF_EXPR:
		return define(r, op);
	default:
		return save_otherwise(r, op);
	}
}

/*
 * From the address where the program begins to a place; a program of a CIE is
 * run to its end, with a place that no address is above.
 */
bool
ut_cfi_run(struct bytes program, const struct cie *cie, uintptr_t at,
    uintptr_t place, struct row *row, struct budget *left)
{
	struct run r;
	unsigned int op;

	r.in = program;
	r.cie = cie;
	r.at = at;
	r.row = row;
	r.first = *row;
	r.n = 0;
	while (r.in.p < r.in.end && !r.in.bad && r.at <= place) {
		if (left->steps == 0)
			return false;
		left->steps--;
		op = bytes_one(&r.in);
		switch (op & 0xc0) {
		case CFA_ADVANCE:
			r.at += (op & 63) * cie->code;
			break;
		case CFA_OFFSET:
			save(row, op & 63, SAVED_CFA,
			    scaled(&r, (int64_t)ut_bytes_leb(&r.in)));
			break;
		case CFA_RESTORE:
			restore(&r, op & 63);
			break;
		default:
			if (!extended(&r, op))
				return false;
		}
	}
	return !r.in.bad;
}
