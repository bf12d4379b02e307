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
 * The language of filters: text to a tree.  compile.c makes code of it for the
 * fields of an event, and filter.c runs that.
 *
 * An expression is, with blanks where one likes:
 *
 *	||				lowest precedence
 *	&&
 *	|
 *	^
 *	&
 *	== !=
 *	< <= > >=
 *	<< >>
 *	+ -
 *	* / %
 *	! ~ - +				one operand
 *	( )  operands			highest
 *
 * as in C; those of one line go from left to right.  Operands are names of
 * fields, elements of them (name[2]), $pid, $tid, $cpu and $program, names of
 * contexts (context.h) behind a $, and constants: 12, 014, 0xc, 1.5, 1e3,
 * "text".  The expression is a condition: true unless it is 0.
 *
 * LTTng's names are understood, too: $vpid, $vtid and $procname, and $ctx.NAME
 * for $NAME.
 *
 * - Integers have 64 bits, signed or unsigned.  Unsigned are fields of 64 bits
 *   without sign and constants from 2^63 up; all else is signed, and so is
 *   -9223372036854775808.  Fields that are booleans, pointers or in network
 *   byte order are integers as others are.
 * - == != < <= > >= compare the numbers themselves: -1 is less than any
 *   unsigned.  These and ! && || are 1 or 0, signed.
 * - + - * & | ^ << wrap at 64 bits.  The result is unsigned if an operand is,
 *   and so is that of / and %, which then take both as unsigned, as C does;
 *   signed, they truncate towards 0, and the most negative by -1 wraps.  The
 *   result of >> - ~ + is signed if the (left) operand is, and >> then keeps
 *   the sign.
 * - A division of integers by 0, or a shift by less than 0 or more than 63,
 *   makes the whole expression false, if it is come to: && and || leave out the
 *   right side when the left one decides.
 * - Fields of floating-point numbers and constants with a point or an exponent
 *   are doubles.  An integer that meets one becomes one, but % & | ^ ~ << >>
 *   want integers.  Division by 0.0 is as in IEEE 754.  A NaN is true, and
 *   differs from every number.
 * - Text is a constant, $program, and fields of strings and of text, up to the
 *   first NUL.  It has == and != only.  In a constant, * stands for any bytes,
 *   also none, and \* \" \\ for these characters; one side must not be a
 *   constant.  Two others are compared byte by byte.
 * - A field of an enumeration is an integer.  But == with a constant text says
 *   whether a label of its value matches that, and != whether none does; if
 *   the enumeration has no such label at all, that is an error.
 * - Of arrays and sequences of numbers, one element can be used, which is a
 *   number of their type.  An element that a sequence does not have makes the
 *   whole expression false, as a division by 0 does.  An array never has one
 *   behind its end, so the expression does not fit the event.
 * - A context is an integer in front of the fields, and for the tree a field
 *   whose name begins with $.  $cpu, $vpid and their like are what a context of
 *   that name says, if there is one.
 *
 * An event that lacks a field, or has it of another type, cannot be compiled
 * for; who calls takes that as false.
 */

#ifndef EXPR_H
#define EXPR_H

#include <stddef.h>
#include <stdint.h>

#define EXPR_MAX	1024		/* bytes of a text, with its NUL */
#define EXPR_NEST	32		/* parentheses in one another, and
					   operators of one operand */
#define EXPR_DEPTH	16		/* values that it needs at once */

struct expr;

/*
 * NULL: it is none, or there is no memory; the text says why, with the place:
 * "column 12: ...", of characters from 1.
 */
struct expr *expr_parse(const char *, char *, size_t);
/* For events of any tracer, which may have contexts of any name. */
struct expr *expr_parse_any(const char *, char *, size_t);
void	 expr_free(struct expr *);

/*
 * The tree, for compile.c.
 */
enum expr_op {
	EXPR_INT,
	EXPR_DOUBLE,
	EXPR_STRING,			/* constant, with NULs for stars */
	EXPR_FIELD,
	EXPR_PID,
	EXPR_TID,
	EXPR_CPU,
	EXPR_PROGRAM,

	/* One operand, left. */
	EXPR_NOT,
	EXPR_INV,
	EXPR_NEG,
	EXPR_PLUS,

	/* Two. */
	EXPR_OROR,
	EXPR_ANDAND,
	EXPR_OR,
	EXPR_XOR,
	EXPR_AND,
	EXPR_EQ,
	EXPR_NE,
	EXPR_LT,
	EXPR_LE,
	EXPR_GT,
	EXPR_GE,
	EXPR_SHL,
	EXPR_SHR,
	EXPR_ADD,
	EXPR_SUB,
	EXPR_MUL,
	EXPR_DIV,
	EXPR_MOD
};

struct expr_node {
	uint8_t		 op;
	uint8_t		 type;		/* expr.c's */
	uint8_t		 depth;		/* values that it needs at once */
	uint8_t		 is_unsigned;	/* for EXPR_INT */
	uint16_t	 column;
	union {
		uint64_t	 n;
		double		 d;
		struct {
			uint16_t	 at;	/* in strings */
			uint16_t	 len;
			uint32_t	 nth;	/* element, from 1; 0: none */
		} s;			/* STRING; FIELD to PROGRAM; then NUL */
		struct {
			uint16_t	 left, right;
		} of;
	};
};

struct expr {
	uint16_t	 root;
	uint16_t	 nnodes;
	uint16_t	 used;		/* bytes */
	char		 strings[EXPR_MAX * 2];
	struct expr_node nodes[];	/* operands before operators */
};

const char *expr_symbol(uint8_t);	/* the operator's: "+" */

#endif /* EXPR_H */
