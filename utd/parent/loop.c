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
 * The one loop: the files that are ready, then the timers.
 */

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "loop.h"

/* Files that are ready, in the order in which they have their turn. */
static struct file *turns, **last_turn = &turns;
static struct timer *timers;
static void (*stopping)(void);
bool loop_ending;
unsigned int loop_round;

static void
turn_add(struct file *f, unsigned int round)
{
	f->round = round;
	f->next = NULL;
	f->prev = last_turn;
	*last_turn = f;
	last_turn = &f->next;
}

static void
turn_del(struct file *f)
{
	*f->prev = f->next;
	if (f->next != NULL)
		f->next->prev = f->prev;
	else
		last_turn = f->prev;
	f->prev = NULL;
}

/* False and errno when there is no memory for one more. */
bool
file_add(struct file *f, int fd, short events, void (*ready)(void *, short),
    void *arg)
{
	f->fd = fd;
	f->ready = ready;
	f->arg = arg;
	f->revents = 0;
	f->prev = NULL;
	return ready_add(f, events);
}

void
file_del(struct file *f)
{
	ready_del(f);
	if (f->prev != NULL)
		turn_del(f);
}

/*
 * The file is ready, but its user has no time left in this round.  In the next
 * round it comes before those that are not passed now, so each has its turn
 * sooner or later.
 */
void
file_passed(struct file *f)
{
	turn_add(f, loop_round + 1);
}

/* In ms milliseconds from now, instead of whenever it was. */
void
timer_set(struct timer *t, int ms, void (*fire)(void *), void *arg)
{
	timer_clear(t);
	t->when = ut_msg_now() + ms;
	t->fire = fire;
	t->arg = arg;
	t->next = timers;
	timers = t;
}

void
timer_clear(struct timer *t)
{
	if (t->when == 0)
		return;
	LIST_DEL(struct timer, &timers, t, next);
	t->when = 0;
}

static int
until_next_timer(void)
{
	struct timer *t;
	int64_t left = -1, now = ut_msg_now();

	for (t = timers; t != NULL; t = t->next)
		if (left == -1 || t->when - now < left)
			left = t->when > now ? t->when - now : 0;
	return left > 60000 ? 60000 : (int)left;
}

/* One at a time, from the start: each may set and clear others. */
static void
run_timers(void)
{
	struct timer *t = timers;
	int64_t now = ut_msg_now();

	while (t != NULL) {
		if (t->when > now) {
			t = t->next;
			continue;
		}
		timer_clear(t);
		t->fire(t->arg);
		t = timers;
	}
}

/* Run a round.  Files that were passed are still ready, or are skipped. */
static void
run_once(void)
{
	struct file *f;
	short revents;

	(void)ready_wait(until_next_timer());
	while ((f = ready_next(&revents)) != NULL) {
		f->revents = revents;
		if (f->prev == NULL)
			turn_add(f, loop_round);
	}
	while ((f = turns) != NULL && f->round != loop_round + 1) {
		turn_del(f);
		revents = f->revents;
		f->revents = 0;
		if (revents != 0)
			f->ready(f->arg, revents);
	}
}

/*
 * Until loop_end; `end' is called at the end of each round, and `stop' whenever
 * somebody wants the loop to end.
 */
void
loop_run(void (*end)(void), void (*stop)(void))
{
	stopping = stop;
	while (!loop_ending) {
		loop_round++;
		run_once();
		run_timers();
		end();
	}
}

void
loop_stop(void)
{
	stopping();
}

void
loop_end(void)
{
	loop_ending = true;
}



static struct waiter *waiters;		/* may have all answers */

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
