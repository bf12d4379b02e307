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
 * For a rule that no event matches: the event that its pattern may have meant.
 */

#include <stdio.h>
#include <string.h>

#include "../../libut/common/event_name.h"
#include "session.h"

#define SPECIAL	"*?[\\"

/* With a pattern for all events of a provider, the provider is compared. */
void
nearest_note(struct rule *r, const char *name)
{
	size_t n = strlen(r->glob), m = strlen(name);
	unsigned int d;

	if (r->matched || strncmp(name, "ut:", 3) == 0)
		return;
	if (n > 2 && strcmp(r->glob + n - 2, ":*") == 0) {
		n -= 2;
		m = strcspn(name, ":");
	}
	if (strcspn(r->glob, SPECIAL) < n)
		return;
	d = word_distance(r->glob, n, name, m);
	if (d == 0 || d > WORD_NEAR || (r->nearest[0] != '\0' && d >= r->distance))
		return;
	r->distance = d;
	snprintf(r->nearest, sizeof(r->nearest), "%s", name);
}
