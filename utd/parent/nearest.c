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

#include "session.h"

#define MOST	2	/* characters that are wrong, missing or too many */
#define SPECIAL	"*?[\\"

/* How many of such characters make one of the other; more than MOST: many. */
static unsigned int
distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned int row[NAME_MAXLEN + 1], before, here, least;
	size_t i, k;

	if (n > m + MOST || m > n + MOST || m >= NAME_MAXLEN)
		return MOST + 1;
	for (k = 0; k <= m; k++)
		row[k] = k > MOST ? MOST + 1 : (unsigned int)k;
	for (i = 1; i <= n; i++) {
		k = i > MOST ? i - MOST : 1;
		before = row[k - 1];
		row[k - 1] = k > 1 || i > MOST ? MOST + 1 : (unsigned int)i;
		for (; k <= m && k <= i + MOST; k++) {
			here = row[k];
			least = before + (a[i - 1] != b[k - 1]);
			if (here + 1 < least)
				least = here + 1;
			if (row[k - 1] + 1 < least)
				least = row[k - 1] + 1;
			row[k] = least > MOST ? MOST + 1 : least;
			before = here;
		}
	}
	return row[m];
}

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
	d = distance(r->glob, n, name, m);
	if (d == 0 || d > MOST || (r->nearest[0] != '\0' && d >= r->distance))
		return;
	r->distance = d;
	snprintf(r->nearest, sizeof(r->nearest), "%s", name);
}
