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
 * The hosts of traces that are read together.  If there are several, whatever
 * names a process names its host as well: their IDs have nothing in common.
 */

#include <stdlib.h>
#include <string.h>

#include "reader.h"
#include "../say.h"

static int
name_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void
hosts_find(struct reader *r)
{
	struct ctf_trace *tr;
	size_t i, n = 0;

	if ((r->hosts = calloc(r->ntraces + 1, sizeof(*r->hosts))) == NULL)
		die_errno("malloc");
	for (tr = r->traces; tr != NULL; tr = tr->next)
		if (tr->host != NULL && tr->host[0] != '\0')
			r->hosts[n++] = tr->host;
	if (n > 1)
		qsort(r->hosts, n, sizeof(*r->hosts), name_cmp);
	for (i = 0; i < n; i++)
		if (i == 0 || strcmp(r->hosts[i], r->hosts[i - 1]) != 0)
			r->hosts[r->nhosts++] = r->hosts[i];
	if (r->nhosts < 2)
		return;
	for (tr = r->traces; tr != NULL; tr = tr->next)
		tr->label = tr->host == NULL || tr->host[0] == '\0' ? "-" :
		    tr->host;
}

char *
host_name(const char *host, const char *name)
{
	return host == NULL ? format("%s", name) :
	    format("%s:%s", host, name);
}
