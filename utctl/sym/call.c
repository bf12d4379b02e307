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
 * Events of calls: see call.h.
 */

#include <string.h>

#include "call.h"

static void
add(struct ctf_trace *tr, struct ctf_eclass *ev, const struct call_kind *k)
{
	const struct ctf_sclass *sc = ctf_sclass(tr, ev->stream);
	struct call *c;
	size_t i;

	if (sc == NULL)
		return;
	c = ctf_alloc(tr, sizeof(*c));
	memset(c, 0, sizeof(*c));
	c->kind = k;
	for (i = 0; i < CALL_FIELDS; i++)
		if (k->fields[i] != NULL)
			(void)ctf_field_find(&c->at[i], sc, ev, k->fields[i]);
	ev->call = c;
}

void
call_trace(struct ctf_trace *tr, const struct call_kind *table)
{
	const struct call_kind *k;
	struct ctf_eclass *ev;

	for (ev = tr->events; ev != NULL; ev = ev->next)
		for (k = table; k->event != NULL; k++)
			if (strcmp(ev->name, k->event) == 0)
				add(tr, ev, k);
}

int
call_field(const struct call *c, size_t i, const struct ctf_stream *s,
    uint64_t *v)
{
	return c->at[i].type != NULL && ctf_field_bits(&c->at[i], s, v);
}
