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
#include <limits.h>
#include <poll.h>
#include <stdlib.h>

#include "loop.h"

/* Two arrays in step: what poll(2) takes, and whose each entry is. */
static struct pollfd *pfds;
static struct file **files;
static unsigned int nfiles, room;
static unsigned int begin = UINT_MAX;	/* where the next round begins */
static struct timer *timers;
bool loop_ending;
unsigned int loop_round;

static bool
grow(void)
{
	const unsigned int n = room == 0 ? 64 : room * 2;
	struct pollfd *p;
	struct file **f;

	if ((p = realloc(pfds, n * sizeof(*pfds))) == NULL)
		return false;
	pfds = p;
	if ((f = realloc(files, n * sizeof(*files))) == NULL)
		return false;
	files = f;
	room = n;
	return true;
}

/* False and errno when there is no memory for one more. */
bool
file_add(struct file *f, int fd, short events, void (*ready)(void *, short),
    void *arg)
{
	if (nfiles == room && !grow())
		return false;
	f->fd = fd;
	f->ready = ready;
	f->arg = arg;
	f->at = nfiles;
	files[nfiles] = f;
	pfds[nfiles].fd = fd;
	pfds[nfiles].events = events;
	pfds[nfiles++].revents = 0;
	return true;
}

/* The last one takes its place. */
void
file_del(struct file *f)
{
	const unsigned int last = --nfiles;

	files[f->at] = files[last];
	pfds[f->at] = pfds[last];
	files[f->at]->at = f->at;
}

/* What to wait for, from now on. */
void
file_events(struct file *f, short events)
{
	pfds[f->at].events = events;
}

/*
 * The file is ready, but its user has no time left in this round.  The next
 * round begins with the first such file, so each has its turn sooner or later.
 */
void
file_passed(const struct file *f)
{
	if (begin == UINT_MAX)
		begin = f->at;
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

/*
 * Serve the files below top, down to bottom; `left' of all files are still
 * ready, and the result is how many are then.  Backwards, as the arrays change
 * under our hands: what is behind us has had its turn or is new, and only from
 * there something takes the place of one that goes.
 */
static int
run_files(unsigned int top, unsigned int bottom, int left)
{
	unsigned int i;
	short revents;

	for (i = top; i-- > bottom && left > 0;) {
		if (i >= nfiles || (revents = pfds[i].revents) == 0)
			continue;
		left--;
		pfds[i].revents = 0;
		files[i]->ready(files[i]->arg, revents);
	}
	return left;
}

static void
run_once(void)
{
	const unsigned int n = nfiles;
	unsigned int from;
	int left;

	if ((left = poll(pfds, nfiles, until_next_timer())) == -1) {
		if (errno != EINTR)
			fatal("poll");
		return;
	}
	from = begin < n ? begin + 1 : n;
	begin = UINT_MAX;
	left = run_files(from, 0, left);
	(void)run_files(n, from, left);
}

/* Until loop_stop; `end' is called at the end of each round. */
void
loop_run(void (*end)(void))
{
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
	loop_ending = true;
}
