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
 * What becomes of pairs: they end, or are left without an end, or are open yet;
 * or it is not known, as events were lost.
 */

#include "pair_role.h"

/* Neither event is refused, and the filter is true for one of them. */
int
pair_fits(enum pair_fit begin, enum pair_fit end)
{
	return begin != PAIR_REFUSED && end != PAIR_REFUSED &&
	    (begin == PAIR_FITS || end == PAIR_FITS);
}

int
pair_over(struct pairs *ps, const struct origin *o,
    const struct ctf_stream *s, const struct pair_end *e)
{
	if (origin_unsure(o, e->begin)) {
		ps->lost++;
		return 0;
	}
	ps->ops->end(ps->arg, s, e);
	return 1;
}

/* Its end did not come; it may have been lost. */
static int
pair_unended(struct pairs *ps, const struct origin *o, int64_t begin,
    enum pair_fit fit)
{
	if (fit != PAIR_FITS)
		return 0;
	if (origin_unsure(o, begin)) {
		ps->lost++;
		return 0;
	}
	ps->unended++;
	return 1;
}

void
pair_left(struct pairs *ps, const struct origin *o, int64_t begin,
    enum pair_fit fit, void *what)
{
	if (pair_unended(ps, o, begin, fit) && ps->ops->left != NULL)
		ps->ops->left(ps->arg, what);
}

int
pair_open(struct pairs *ps, const struct origin *o, enum pair_fit fit,
    const struct pair_end *e)
{
	if (!pair_unended(ps, o, e->begin, fit))
		return 0;
	if (ps->ops->open != NULL)
		ps->ops->open(ps->arg, e);
	return 1;
}

void
pair_total(struct pairs *ps, void *what, int64_t ended, int64_t open)
{
	if (what != NULL && (ended != 0 || open != 0) &&
	    ps->ops->total != NULL)
		ps->ops->total(ps->arg, what, ended, open);
}
