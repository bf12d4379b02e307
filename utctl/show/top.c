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
 * The greatest few of many: see top.h.
 */

#include <string.h>

#include "top.h"

static int64_t
rank_of(const char *element)
{
	int64_t rank;

	memcpy(&rank, element, sizeof(rank));
	return rank;
}

/* Elements of the same rank stay in the order in which they came. */
void *
top_add(struct top *t, int64_t rank)
{
	char *list = t->list, *p;
	size_t i;

	if (t->n == t->most &&
	    rank_of(list + (t->n - 1) * t->size) >= rank)
		return NULL;
	if (t->n < t->most)
		t->n++;
	for (i = t->n - 1; i > 0 &&
	    rank_of(list + (i - 1) * t->size) < rank; i--)
		;
	p = list + i * t->size;
	memmove(p + t->size, p, (t->n - 1 - i) * t->size);
	memset(p, 0, t->size);
	memcpy(p, &rank, sizeof(rank));
	return p;
}
