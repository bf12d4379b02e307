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
 * Chunks in archives/ and snapshots in snapshots/: the oldest are removed, by
 * the numbers at the end of the names that they were given.  Other names stay.
 */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer.h"
#include "sink.h"

struct aged {
	unsigned long	 number;
	char		 name[NAME_MAXLEN];
};

/* The number at the end of a name that begins with a date; or 0. */
static unsigned long
name_number(const char *name)
{
	const char *end = strrchr(name, '-');

	if (end == NULL || strlen(name) >= NAME_MAXLEN ||
	    strspn(name, "0123456789T+-") != strlen(name))
		return 0;
	return strtoul(end + 1, NULL, 10);
}

static int
newest_first(const void *va, const void *vb)
{
	const struct aged *a = va, *b = vb;

	return a->number > b->number ? -1 : a->number < b->number;
}

static struct aged *
find_aged(int fd, size_t *n)
{
	struct aged *all = NULL;
	unsigned long number;
	const char *name;
	DIR *dir = output_list(fd);

	*n = 0;
	while (dir != NULL && (name = output_next(dir)) != NULL) {
		if ((number = name_number(name)) == 0)
			continue;
		all = xrealloc(all, (*n + 1) * sizeof(*all));
		all[*n].number = number;
		snprintf(all[*n].name, sizeof(all[*n].name), "%s", name);
		++*n;
	}
	if (dir != NULL)
		closedir(dir);
	if (*n > 0)
		qsort(all, *n, sizeof(*all), newest_first);
	return all;
}

/*
 * Remove the oldest, but for so many, and for so many bytes.  What users have
 * added to their files makes none count for more than it could have.
 */
void
age_remove(int fd, const struct aging *may)
{
	struct aged *all;
	uint64_t bytes = 0, size;
	size_t i, n;

	if (may->n == AGE_ANY && may->bytes == UINT64_MAX)
		return;
	all = find_aged(fd, &n);
	for (i = 0; i < n; i++) {
		if (i < may->n && may->bytes != UINT64_MAX) {
			size = output_size(fd, all[i].name);
			bytes += size < may->most ? size : may->most;
		}
		if ((i >= may->n || bytes > may->bytes) &&
		    output_remove(fd, all[i].name) == -1)
			log_peer("%s: an old part of a trace stays: %s",
			    all[i].name, report_reason(errno));
	}
	free(all);
}
