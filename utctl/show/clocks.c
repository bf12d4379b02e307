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
 * The clocks that events were timed with, and how exact each was, as far as
 * the metadata tell.  There are few.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../utctl.h"
#include "clocks.h"

#define NS	1e9

/* An event has that clock, which is not that of the event before. */
void
clocks_note(struct clocks *c, const struct ctf_clock *clock)
{
	const double error = (double)clock->precision * NS /
	    (double)clock->freq;
	struct clock_seen *p;
	size_t i;

	c->last = clock;
	for (i = 0; i < c->n; i++)
		if (strcmp(c->seen[i].name, clock->name) == 0)
			break;
	if (i == c->n) {
		p = realloc(c->seen, (c->n + 1) * sizeof(*p));
		if (p == NULL)
			die_errno("malloc");
		c->seen = p;
		p += c->n++;
		if ((p->name = strdup(clock->name)) == NULL)
			die_errno("malloc");
		p->error = 0;
	}
	if (c->seen[i].error < error)
		c->seen[i].error = error;
}

void
clocks_print(const struct clocks *c)
{
	char *shown;
	size_t i;

	for (i = 0; i < c->n; i++) {
		printf("%s%s", i == 0 ? "clock: " : ", ",
		    shown = clean(c->seen[i].name));
		free(shown);
		if (c->seen[i].error > 0)
			printf(" (off by %.3f us at most)",
			    c->seen[i].error / 1000);
	}
	if (c->n > 0)
		putchar('\n');
}

void
clocks_json(const struct clocks *c)
{
	size_t i;

	printf(",\"clocks\":[");
	for (i = 0; i < c->n; i++) {
		printf("%s{\"name\":", i == 0 ? "" : ",");
		put_json(c->seen[i].name);
		printf(",\"error_ns\":%.0f}", c->seen[i].error);
	}
	putchar(']');
}

void
clocks_free(struct clocks *c)
{
	while (c->n > 0)
		free(c->seen[--c->n].name);
	free(c->seen);
}
