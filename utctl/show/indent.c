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
 * The nesting of pairs, for utctl view -i.
 */

#include <stddef.h>

#include "pair.h"
#include "print.h"

static void	*begins(void *, const struct ctf_stream *, const char *,
		    const struct ctf_field_at *, uint64_t);
static void	 indent_ends(void *, const struct ctf_stream *,
		    const struct pair_end *);

static const struct pair_ops ops = { .begin = begins, .end = indent_ends };
static struct pairs pairs;

int indent_on;

/* Pairs are all counted for the same: nobody asks for its total. */
static void *
begins(void *arg, const struct ctf_stream *s, const char *name,
    const struct ctf_field_at *at, uint64_t address)
{
	(void)s;
	(void)name;
	(void)at;
	(void)address;
	return arg;
}

/* Keep the longest duration of all pairs that the event ends. */
static void
indent_ends(void *arg, const struct ctf_stream *s, const struct pair_end *e)
{
	int64_t *took = arg;

	(void)s;
	if (e->took > *took)
		*took = e->took;
}

void
indent_start(void)
{
	static int64_t took;

	if (indent_on)
		return;
	pairs_init(&pairs);
	pairs.ops = &ops;
	pairs.arg = &took;
	pairs.named = 1;
	pairs.need_end = 1;
	indent_on = 1;
}

void
indent_begin(struct reader *rd)
{
	if (indent_on)
		symbols_use(rd, &pairs.processes);
}

void
indent_pair(const char *arg)
{
	indent_start();
	pairs_add(&pairs, arg);
}

void
indent_trace(struct ctf_trace *tr)
{
	if (indent_on)
		pairs_trace(&pairs, tr);
}

size_t
indent_event(const struct ctf_stream *s, int64_t *tookp)
{
	int64_t *took = pairs.arg;
	size_t depth, after;

	*took = TOOK_NONE;
	depth = pairs_depth(&pairs, s, INDENT_MOST);
	if (s->event->pairs != NULL) {
		pairs_event(&pairs, s, PAIR_FITS);
		after = pairs_depth(&pairs, s, INDENT_MOST);
		if (after < depth)
			depth = after;
	}
	*tookp = *took;
	return depth;
}

void
indent_lose(const struct ctf_stream *s)
{
	if (indent_on)
		pairs_lose(&pairs, s);
}

void
indent_say(void)
{
	if (indent_on)
		pairs_say(&pairs);
}

void
indent_end(void)
{
	if (indent_on)
		pairs_free(&pairs);
	indent_on = 0;
}
