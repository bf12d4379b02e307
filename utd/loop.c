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
 * The one loop: poll(2) over the files, then the timers.
 */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "utd.h"

static struct file *files;
static unsigned int nfiles;
static struct timer *timers;
bool loop_ending;

void
file_add(struct file *f, int fd, short events, void (*ready)(void *, short),
    void *arg)
{
	f->fd = fd;
	f->events = events;
	f->ready = ready;
	f->arg = arg;
	f->next = files;
	files = f;
	nfiles++;
}

void
file_del(struct file *f)
{
	struct file **p;

	for (p = &files; *p != NULL; p = &(*p)->next) {
		if (*p == f) {
			*p = f->next;
			nfiles--;
			return;
		}
	}
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
	struct timer **p;

	if (t->when == 0)
		return;
	for (p = &timers; *p != NULL; p = &(*p)->next) {
		if (*p == t) {
			*p = t->next;
			break;
		}
	}
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
	struct timer *t;
	int64_t now = ut_msg_now();

	for (t = timers; t != NULL; t = t->next) {
		if (t->when <= now) {
			timer_clear(t);
			t->fire(t->arg);
			t = timers;
			if (t == NULL)
				break;
		}
	}
}

/*
 * The list may change under our hands, but a file is freed only by conn_reap,
 * between two rounds: the copies are safe to look at.
 */
static void
run_once(struct pollfd *pfds, struct file **polled)
{
	struct file *f;
	nfds_t i, n = 0;

	for (f = files; f != NULL; f = f->next) {
		polled[n] = f;
		pfds[n].fd = f->fd;
		pfds[n].events = f->events;
		pfds[n++].revents = 0;
	}
	if (poll(pfds, n, until_next_timer()) == -1) {
		if (errno != EINTR)
			fatal("poll");
		return;
	}
	for (i = 0; i < n; i++)
		if (pfds[i].revents != 0 && polled[i]->fd == pfds[i].fd)
			polled[i]->ready(polled[i]->arg, pfds[i].revents);
}

void
loop_run(void)
{
	struct pollfd *pfds = NULL;
	struct file **polled = NULL;
	unsigned int room = 0;

	while (!loop_ending) {
		if (nfiles > room) {
			room = nfiles * 2;
			pfds = xrealloc(pfds, room * sizeof(*pfds));
			polled = xrealloc(polled, room * sizeof(*polled));
		}
		run_once(pfds, polled);
		run_timers();
		conn_reap();
	}
	free(pfds);
	free(polled);
}

void
loop_stop(void)
{
	loop_ending = true;
}

void
loop_forget(void)
{
	files = NULL;
	nfiles = 0;
	timers = NULL;
}
