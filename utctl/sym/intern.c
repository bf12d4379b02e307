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
 * Strings of which there is but one of each.
 */

#include <stdlib.h>
#include <string.h>

#include "../map.h"
#include "../say.h"
#include "intern.h"

struct interned {
	struct interned	*next;		/* with the same key */
	char		 text[];
};

static struct map	 strings;

const char *
intern(const char *text)
{
	const size_t n = strlen(text) + 1;
	const uint64_t key = map_bytes(0, text, n);
	struct interned *first = map_get(&strings, key), *i;

	for (i = first; i != NULL; i = i->next)
		if (strcmp(i->text, text) == 0)
			return i->text;
	if ((i = malloc(sizeof(*i) + n)) == NULL)
		die_errno("malloc");
	memcpy(i->text, text, n);
	i->next = first;
	map_put(&strings, key, i);
	return i->text;
}

void
intern_free(void)
{
	struct interned *s, *next;
	size_t i;

	for (i = 0; i < strings.cap; i++)
		for (s = strings.v[i].value; s != NULL; s = next) {
			next = s->next;
			free(s);
		}
	map_free(&strings);
}
