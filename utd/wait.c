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

#include <stdio.h>
#include <stdlib.h>

#include "parent.h"

struct waiter *
wait_new(void (*done)(void *), void *arg)
{
	struct waiter *w;

	if ((w = calloc(1, sizeof(*w))) == NULL)
		return NULL;
	w->pending = 1;
	w->done = done;
	w->arg = arg;
	return w;
}

void
wait_more(struct waiter *w)
{
	if (w != NULL)
		w->pending++;
}

void
wait_less(struct waiter *w)
{
	if (w == NULL || --w->pending > 0)
		return;
	if (w->done != NULL)
		w->done(w->arg);
	free(w);
}

/* The first reason is kept. */
void
wait_failed(struct waiter *w, const char *why)
{
	if (w != NULL && w->why[0] == '\0')
		snprintf(w->why, sizeof(w->why), "%s", why);
}

void
wait_abandon(struct waiter *w)
{
	if (w != NULL)
		w->done = NULL;
}
