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
 * Writes stream files of a trace.  Each line of the standard input is a packet:
 *
 *	FILE INSTANCE BEGIN END NUMBER DISCARDED [EVENT TIME FIELD]...
 *
 * Times are in seconds.  t/rows.sh has the metadata.
 */

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char packet[1 << 20];
static char line[2 << 20];
static size_t len;

static void
put(uint64_t v, size_t n)
{
	for (; n > 0; n--, v >>= 8)
		packet[len++] = (unsigned char)v;
}

/* The next number of the line; false: there is none. */
static int
number(uint64_t *v)
{
	const char *s = strtok(NULL, " \n");

	*v = s == NULL ? 0 : strtoull(s, NULL, 10);
	return s != NULL;
}

static void
head(const uint64_t v[5], uint64_t bytes)
{
	len = 0;
	put(0xc1fc1fc1, 4);
	put(0, 4);
	put(v[0], 8);
	put(v[1] * 1000000000, 8);
	put(v[2] * 1000000000, 8);
	put(bytes * 8, 8);
	put(bytes * 8, 8);
	put(v[3], 8);
	put(v[4], 8);
}

int
main(void)
{
	const char *name;
	uint64_t v[5], id, when, field;
	FILE *f;
	size_t i;

	while (fgets(line, sizeof(line), stdin) != NULL) {
		if ((name = strtok(line, " \n")) == NULL)
			continue;
		for (i = 0; i < 5; i++)
			if (!number(&v[i]))
				errx(1, "%s: no packet", name);
		head(v, 0);
		while (number(&id) && number(&when) && number(&field)) {
			put(id, 4);
			put(when * 1000000000, 8);
			put(field, 4);
		}
		i = len;
		head(v, i);
		if ((f = fopen(name, "ab")) == NULL ||
		    fwrite(packet, i, 1, f) != 1 || fclose(f) != 0)
			err(1, "%s", name);
	}
	return 0;
}
