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
 * utctl export -F folded: the self time of each stack of pairs, a line each, as
 * flamegraph.pl, inferno and speedscope read it.  What is kept grows with the
 * number of different stacks.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../map.h"
#include "../say.h"
#include "../when.h"
#include "export.h"

/* Each line has a whole stack. */
#define DEEPEST	2000		/* pairs of a stack, and then the innermost */
#define DEEPER	"..."

/* The outermost is a program. */
struct node {
	struct node	*parent;	/* the frame around, or NULL */
	struct node	*next;		/* the one made after it */
	struct node	*same;		/* with the same hash */
	int64_t		 self;		/* ns */
	size_t		 depth;
	char		 name[];
};

struct folded {
	struct pairs	*pairs;
	struct map	 nodes;
	struct node	*first, **last;
	size_t		 deepest;
	uint64_t	 n;
};

static struct node *
node_new(struct folded *r, uint64_t key, struct node *parent,
    const char *name, size_t len)
{
	struct node *n = xcalloc(1, sizeof(*n) + len + 1);

	memcpy(n->name, name, len + 1);
	n->parent = parent;
	n->depth = parent == NULL ? 0 : parent->depth + 1;
	if (n->depth > r->deepest)
		r->deepest = n->depth;
	n->same = map_get(&r->nodes, key);
	map_put(&r->nodes, key, n);
	*r->last = n;
	r->last = &n->next;
	return n;
}

static struct node *
node_get(struct folded *r, struct node *parent, const char *name)
{
	const size_t len = strlen(name);
	const uint64_t key = map_bytes((uintptr_t)parent, name, len);
	struct node *n;

	n = map_get(&r->nodes, key);
	while (n != NULL && (n->parent != parent || strcmp(n->name, name) != 0))
		n = n->same;
	return n != NULL ? n : node_new(r, key, parent, name, len);
}

static void *
folded_begin(void *arg, const struct ctf_stream *s, const char *pair,
    const struct ctf_field_at *at, uint64_t address)
{
	struct folded *r = arg;
	struct node *parent = pairs_top(r->pairs, s);
	char buf[PAIR_NAME];
	struct ctf_who who;
	char *name;

	if (parent == NULL) {
		name = host_name(s->trace->label, ctf_whose(s, &who)->name);
		parent = node_get(r, NULL, name);
		free(name);
	}
	if (parent->depth == DEEPEST)
		parent = node_get(r, parent, DEEPER);
	else if (parent->depth > DEEPEST + 1)
		parent = parent->parent;
	return node_get(r, parent, pair_name(buf, s, pair, at, address));
}

/* Return NULL: a pair with a key is on no thread's stack. */
static void *
begin_key(void *arg, const struct ctf_stream *s, const char *pair)
{
	(void)arg;
	(void)s;
	(void)pair;
	return NULL;
}

static void
folded_end(void *arg, const struct ctf_stream *s, const struct pair_end *e)
{
	struct folded *r = arg;
	struct node *n = e->what;

	(void)s;
	if (n == NULL)
		return;
	n->self = when_sum(n->self, e->self);
	r->n++;
}

/*
 * Output.
 */

/* A blank ends the stack, and a semicolon the name. */
static void
print_name(const char *name)
{
	char *copy = clean(name), *s;

	for (s = copy; *s != '\0'; s++)
		putchar(*s == ';' ? ':' : *s == ' ' ? '_' : *s);
	if (*copy == '\0')
		putchar('-');
	free(copy);
}

static void
print_stack(const struct node *n, const struct node **stack)
{
	const struct node *up;
	size_t i;

	for (up = n; up != NULL; up = up->parent)
		stack[up->depth] = up;
	for (i = 0; i <= n->depth; i++) {
		if (i > 0)
			putchar(';');
		print_name(stack[i]->name);
	}
	printf(" %" PRId64 "\n", n->self);
}

/* Stacks without time of their own say nothing. */
static void
print_stacks(const struct folded *r)
{
	const struct node **stack, *n;

	stack = xcalloc(r->deepest + 1, sizeof(*stack));
	for (n = r->first; n != NULL; n = n->next)
		if (n->self > 0)
			print_stack(n, stack);
	free(stack);
}

static void
nodes_free(struct folded *r)
{
	struct node *n;

	while ((n = r->first) != NULL) {
		r->first = n->next;
		free(n);
	}
	map_free(&r->nodes);
}

/* A stack of calls, without those of no weight. */
static void
print_site(void *arg, const char *program, const struct site *site,
    const uint64_t *values)
{
	const enum weight w = *(const enum weight *)arg;
	const uint64_t v = values[w == WEIGH_EVENTS || w == WEIGH_BLOCKS ? 0 :
	    1];
	char number[32];
	size_t i;

	if (v == 0)
		return;
	print_name(program);
	for (i = site->n; i > 0; i--) {
		snprintf(number, sizeof(number), "0x%" PRIx64,
		    site->frames[i - 1]->address);
		putchar(';');
		print_name(site->frames[i - 1]->function != NULL ?
		    site->frames[i - 1]->function : number);
	}
	printf(" %" PRIu64 "\n", v);
}

int
export_weighed(struct reader *rd, struct reader_dir *dirs, struct pairs *ps,
    enum weight w)
{
	return weigh(w, rd, dirs, ps, print_site, &w);
}

void
export_folded(struct reader *rd, struct pairs *ps, const char *value)
{
	static const struct pair_ops mine = { folded_begin, folded_end, NULL,
	    NULL, begin_key, NULL, NULL };
	struct folded r;

	(void)value;
	memset(&r, 0, sizeof(r));
	r.pairs = ps;
	r.last = &r.first;
	ps->ops = &mine;
	ps->arg = &r;
	pairs_read(ps, rd);
	print_stacks(&r);
	if (ps->lost > 0)
		say("%" PRIu64 " pair%s left out: %s", ps->lost,
		    many(ps->lost), pairs_why_lost(ps));
	else if (r.n == 0 && rd->nevents > 0)
		say("no pairs of events that ended: -D names some, and -w "
		    "events or -w time weighs call stacks; see utctl-view(1)");
	nodes_free(&r);
}
