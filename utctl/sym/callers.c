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
 * Where functions were called from: see process.h.
 *
 * An address is given a name when it is first seen.  When modules are loaded or
 * unloaded, the same address may become that of another function: then it is
 * looked up again, and is another caller if it has another name.  If it had this
 * name before, as with plugins that are loaded in turn, it is the caller of then.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../json.h"
#include "../say.h"
#include "process.h"
#include "symbols.h"

#define OLDER	64	/* names that an address had: more are forgotten */

static struct caller *
add(struct callers *cs, uint64_t address, const char *name)
{
	struct caller *c;

	if (cs->n == cs->room) {
		cs->room = cs->room == 0 ? 64 : 2 * cs->room;
		cs->v = realloc(cs->v, cs->room * sizeof(struct caller *));
		if (cs->v == NULL)
			die_errno("malloc");
	}
	if ((c = calloc(1, sizeof(*c))) == NULL)
		die_errno("malloc");
	c->address = address;
	c->name = name == NULL ? NULL : format("%s", name);
	c->modules = cs->modules;
	c->id = (uint32_t)cs->n;
	cs->v[cs->n++] = c;
	return c;
}

static const char *
name_of(const struct callers *cs, const struct ctf_stream *s, uint64_t address)
{
	return cs->numbers ? NULL : symbols_name(s, address,
	    ADDRESS_RETURN);
}

/* Modules have changed since: is it the same place, or one that it was once? */
static struct caller *
again(struct callers *cs, const struct ctf_stream *s, struct caller *c)
{
	const char *name = name_of(cs, s, c->address);
	struct caller **cp, *known;
	int n = 0;

	c->modules = cs->modules;
	if (name == NULL)
		return c;
	if (c->name == NULL)
		c->name = format("%s", name);	/* known only now */
	for (cp = &c; *cp != NULL && n < OLDER &&
	    strcmp((*cp)->name, name) != 0; n++)
		cp = &(*cp)->older;
	if ((known = *cp) == NULL || n == OLDER)
		known = add(cs, c->address, name);
	else
		*cp = known->older;
	known->older = c;
	known->modules = cs->modules;
	map_put(&cs->addresses, known->address, known);
	return known;
}

uint32_t
callers_get(struct callers *cs, const struct ctf_stream *s, uint64_t address)
{
	struct caller *c = map_get(&cs->addresses, address);

	if (c == NULL) {
		c = add(cs, address, name_of(cs, s, address));
		map_put(&cs->addresses, address, c);
	} else if (c->modules != cs->modules)
		c = again(cs, s, c);
	return c->id;
}

uint32_t
callers_event(struct callers *cs, const char *event)
{
	struct caller *c = map_get(&cs->events, (uintptr_t)event);

	if (c == NULL) {
		c = add(cs, 0, event);
		map_put(&cs->events, (uintptr_t)event, c);
	}
	return c->id;
}

const char *
callers_text(const struct callers *cs, uint32_t id, char *text)
{
	const struct caller *c = cs->v[id];
	char *shown;

	if (c->name == NULL) {
		snprintf(text, CALLER_TEXT, "0x%" PRIx64, c->address);
		return text;
	}
	cut_text(text, CALLER_TEXT, shown = clean(c->name));
	free(shown);
	return text;
}

void
callers_json(const struct callers *cs, uint32_t id)
{
	const struct caller *c = cs->v[id];

	json_address("caller", c->address);
	json_string("caller_sym", c->name);
}

void
callers_free(struct callers *cs)
{
	size_t i;

	for (i = 0; i < cs->n; i++) {
		free(cs->v[i]->name);
		free(cs->v[i]);
	}
	free(cs->v);
	map_free(&cs->addresses);
	map_free(&cs->events);
}
