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
 * Trees of call stacks: see stacks.h.
 */

#include <stdlib.h>

#include "../say.h"
#include "stacks.h"

#define INDENT_MOST	60	/* columns */
#define FEW		8	/* children */

static struct map	 older;		/* children behind the newest few */

static uint64_t
child_key(const struct tree *t, const struct frame *f)
{
	const uint64_t key[] = { (uintptr_t)t, f->function == NULL ?
	    (uintptr_t)f : (uintptr_t)f->function, (uintptr_t)f->image,
	    (uintptr_t)f->file, f->line };

	return map_bytes(0, key, sizeof(key));
}

/* Most have few children: those are looked at, and no table is made. */
static struct tree *
child_get(struct tree *t, const struct frame *f)
{
	struct tree *c, *last = NULL;
	size_t n = 0;

	for (c = t->child; c != NULL && n < FEW && !frame_is(c->frame, f);
	    c = c->next, n++)
		last = c;
	if (c != NULL && n == FEW)
		c = map_get(&older, child_key(t, f));
	if (c != NULL)
		return c;
	if (n == FEW)
		map_put(&older, child_key(t, last->frame), last);
	c = xcalloc(1, sizeof(*c));
	c->frame = f;
	c->next = t->child;
	return t->child = c;
}

static void
add_values(struct tree *t, const uint64_t *values)
{
	size_t i;

	for (i = 0; i < TREE_VALUES; i++)
		t->values[i] += values[i];
}

void
tree_add(struct tree *t, const struct site *site, size_t i,
    const uint64_t *values)
{
	add_values(t, values);
	for (; i < site->n; i++) {
		t = child_get(t, site->frames[i]);
		add_values(t, values);
	}
}

struct tree *
tree_add_inwards(struct tree *t, const struct site *site,
    const uint64_t *values)
{
	size_t i;

	add_values(t, values);
	for (i = site->n; i > 0; i--) {
		t = child_get(t, site->frames[i - 1]);
		add_values(t, values);
	}
	return t;
}

static int
by_value(const void *a, const void *b)
{
	const struct tree *x = *(struct tree *const *)a;
	const struct tree *y = *(struct tree *const *)b;
	const uint64_t f = x->frame->address, g = y->frame->address;
	size_t i;

	for (i = 0; i < TREE_VALUES; i++)
		if (x->values[i] != y->values[i])
			return x->values[i] < y->values[i] ? 1 : -1;
	return (f > g) - (f < g);
}

/* Depths are those of stacks: functions may call themselves here. */
void
tree_sort(struct tree *t)
{
	struct tree **list, *c;
	size_t i, n = 0;

	for (c = t->child; c != NULL; c = c->next)
		n++;
	if (n == 0)
		return;
	list = xcalloc(n, sizeof(*list));
	for (i = 0, c = t->child; c != NULL; c = c->next)
		list[i++] = c;
	qsort(list, n, sizeof(*list), by_value);
	for (i = 0; i < n; i++) {
		list[i]->next = i + 1 < n ? list[i + 1] : NULL;
		tree_sort(list[i]);
	}
	t->child = list[0];
	free(list);
}

/* An only child is one column further right, and its only child no more. */
static void
print_children(const struct tree *t, tree_line_fn *line, const void *arg,
    int indent, int only)
{
	const struct tree *c = t->child;
	const int one = c != NULL && c->next == NULL;

	if (indent < INDENT_MOST)
		indent += one ? !only : 2;
	for (; c != NULL; c = c->next) {
		line(arg, c, indent);
		print_children(c, line, arg, indent, one);
	}
}

void
tree_print(const struct tree *t, tree_line_fn *line, const void *arg)
{
	print_children(t, line, arg, 0, 0);
}

void
tree_free(struct tree *t)
{
	struct tree *c;

	while ((c = t->child) != NULL) {
		t->child = c->next;
		tree_free(c);
		free(c);
	}
	if (t->frame == NULL)
		map_free(&older);
}
