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

#include "loop.h"

static struct waiter *waiters;		/* that may have all answers */

/* Make a waiter; NULL and errno, as malloc(3). */
struct waiter *
wait_try(void (*done)(void *), void *arg)
{
	struct waiter *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->pending = 1;
	w->done = done;
	w->arg = arg;
	return w;
}

struct waiter *
wait_new(void (*done)(void *), void *arg)
{
	struct waiter *w = wait_try(done, arg);

	if (w == NULL)
		fatal("calloc");
	return w;
}

void
wait_more(struct waiter *w)
{
	if (w != NULL)
		w->pending++;
}

/* The round ends: call those that have all answers. */
static void
wait_end(void *arg)
{
	struct waiter *w;

	(void)arg;
	while ((w = waiters) != NULL) {
		waiters = w->next;
		w->listed = false;
		if (w->pending > 0)
			continue;	/* one more was asked for since */
		if (w->done != NULL)
			w->done(w->arg);
		free(w);
	}
}

void
wait_less(struct waiter *w)
{
	static struct timer timer;

	if (w == NULL || --w->pending > 0 || w->listed)
		return;
	if (waiters == NULL)
		timer_set(&timer, 0, wait_end, NULL);
	w->listed = true;
	w->next = waiters;
	waiters = w;
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

void
wait_for(struct waiter *w, uid_t uid)
{
	w->asked = true;
	w->uid = uid;
}

/* Add a waiter; false and errno, as malloc(3). */
bool
waits_try(struct waiters *ws, struct waiter *w)
{
	struct waiter **more;

	if (w == NULL)
		return true;
	more = realloc(ws->w, (ws->n + 1) * sizeof(*ws->w));
	if (more == NULL)
		return false;
	wait_more(w);
	ws->w = more;
	ws->w[ws->n++] = w;
	return true;
}

void
waits_add(struct waiters *ws, struct waiter *w)
{
	if (!waits_try(ws, w))
		fatal("realloc");
}

void
waits_done(struct waiters *ws, const char *why)
{
	while (ws->n > 0) {
		wait_failed(ws->w[--ws->n], why);
		wait_less(ws->w[ws->n]);
	}
	free(ws->w);
	ws->w = NULL;
}

/* w need not wait for the rest. */
void
waits_release(struct waiters *ws, struct waiter *w)
{
	unsigned int i, n = 0, released = 0;

	for (i = 0; i < ws->n; i++) {
		if (ws->w[i] == w)
			released++;
		else
			ws->w[n++] = ws->w[i];
	}
	ws->n = n;
	while (released-- > 0)
		wait_less(w);
}
