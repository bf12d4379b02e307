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
 * Names in a filter: the labels of an enumeration, and fields that are not
 * there.
 */

#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#define UT_NO_EVENTS
#include "../ut.h"

static bool
label_matches(const struct compiler *c, const struct expr_node *text,
    const char *label)
{
	return filter_glob((const unsigned char *)c->e->strings + text->s.at,
	    text->s.len, (const unsigned char *)label, strlen(label));
}

static int
by_low(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Ranges that meet are one.  How many there are. */
static size_t
join(uint64_t (*r)[2], size_t n)
{
	size_t i, last = 0;

	if (n == 0)
		return 0;
	qsort(r, n, sizeof(r[0]), by_low);
	for (i = 1; i < n; i++) {
		if (r[i][0] > r[last][1] && r[i][0] - r[last][1] > 1) {
			last++;
			r[last][0] = r[i][0];
			r[last][1] = r[i][1];
		} else if (r[i][1] > r[last][1])
			r[last][1] = r[i][1];
	}
	return last + 1;
}

/* The constant as it was written, but for its escapes. */
static void
complain_label(struct compiler *c, const struct expr_node *text,
    const char *field)
{
	char label[64];
	size_t i;

	for (i = 0; i < text->s.len && i < sizeof(label) - 1; i++) {
		label[i] = c->e->strings[text->s.at + i];
		if (label[i] == '\0')
			label[i] = '*';
	}
	label[i] = '\0';
	code_complain(c, "%s has no label \"%s\"", field, label);
}

bool
label_emit(struct compiler *c, const struct expr_field *f,
    const struct expr_node *text)
{
	const uint64_t least = (f->flags & UT_F_SIGNED) != 0 ?
	    UINT64_C(1) << 63 : 0;
	uint64_t (*r)[2];
	size_t i, n = 0;
	bool any = false;

	if ((r = calloc(f->nvalues + 1, sizeof(r[0]))) == NULL)
		return code_complain(c, "no memory");
	for (i = 0; i < f->nvalues; i++) {
		if (!label_matches(c, text, f->values[i].name))
			continue;
		any = true;
		r[n][0] = (uint64_t)f->values[i].low - least;
		r[n][1] = (uint64_t)f->values[i].high - least;
		n += r[n][0] <= r[n][1];	/* else it has no value */
	}
	if (!any)
		complain_label(c, text, f->name);
	n = join(r, n);
	code_put8(c, FILTER_IN);
	code_put16(c, n);
	for (i = 0; i < n; i++) {
		r[i][1] -= r[i][0];
		r[i][0] += least;
	}
	code_put(c, r, n * sizeof(r[0]));
	free(r);
	return !c->bad;
}

static bool
is_missing(const struct compiler *c, const struct expr_node *n)
{
	return n->op == EXPR_FIELD && field_lookup(c, n) == NULL;
}

/* Text, or a label, may be meant that was written without quotes. */
static bool
wants_text(const struct compiler *c, const struct expr_node *n)
{
	const struct expr_field *f;

	if (n->op == EXPR_FIELD && (f = field_lookup(c, n)) != NULL &&
	    f->kind == UT_KIND_ENUM)
		return true;
	return field_is_text(c, n);
}

/*
 * Complain about a field that is not there, before anything else: other errors
 * would follow from that.
 */
void
names_check(struct compiler *c)
{
	const struct expr_node *n, *l, *r;
	uint16_t i;

	for (i = 0; i < c->e->nnodes; i++) {
		n = node(c, i);
		if (n->op != EXPR_EQ && n->op != EXPR_NE)
			continue;
		l = node(c, n->of.left);
		r = node(c, n->of.right);
		if (is_missing(c, r) && wants_text(c, l))
			field_complain(c, r,
			    " (text and labels need double quotes)");
	}
	for (i = 0; i < c->e->nnodes; i++)
		if (is_missing(c, node(c, i)))
			field_complain(c, node(c, i), "");
}
