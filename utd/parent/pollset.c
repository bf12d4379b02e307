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
 * Which files are ready: epoll(7) where there is one, as poll(2) looks at all
 * files each time.
 */

#if defined(__linux__) && !defined(UT_POSIX)
#include <sys/epoll.h>
#endif

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "loop.h"

static unsigned int nfiles, room;
static int nfound;			/* by the last wait */

#if defined(__linux__) && !defined(UT_POSIX)

static int set = -1;
static struct epoll_event *found;	/* with room for each file */
static int told;			/* how many ready_next has returned */

/* The bits of poll(2) and epoll(7) are the same. */
static int
epoll_control(int how, struct file *f, short events)
{
	struct epoll_event e = { .events = (uint32_t)events, .data.ptr = f };

	return epoll_ctl(set, how, f->fd, &e);
}

static bool
pollset_grow(void)
{
	const unsigned int n = room == 0 ? 64 : room * 2;
	struct epoll_event *p;

	if ((set == -1 && (set = epoll_create1(EPOLL_CLOEXEC)) == -1) ||
	    (p = realloc(found, n * sizeof(*p))) == NULL)
		return false;
	found = p;
	room = n;
	return true;
}

/* False and errno when there is no memory for one more. */
bool
ready_add(struct file *f, short events)
{
	if ((nfiles == room && !pollset_grow()) ||
	    epoll_control(EPOLL_CTL_ADD, f, events) == -1)
		return false;
	nfiles++;
	return true;
}

void
ready_del(struct file *f)
{
	nfiles--;
	(void)epoll_control(EPOLL_CTL_DEL, f, 0);
}

void
ready_events(struct file *f, short events)
{
	if (epoll_control(EPOLL_CTL_MOD, f, events) == -1)
		fatal("epoll");
}

/* Wait, at most so many ms, or for ever if -1: how many there are. */
int
ready_wait(int ms)
{
	told = 0;
	if ((nfound = epoll_wait(set, found, (int)room, ms)) == -1 &&
	    errno != EINTR)
		fatal("epoll");
	return nfound;
}

/* The next of those that are ready; NULL if there is none. */
struct file *
ready_next(short *revents)
{
	if (told >= nfound)
		return NULL;
	*revents = (short)found[told].events;
	return found[told++].data.ptr;
}

#else

/* Two arrays in step: what poll(2) takes, and whose each entry is. */
static struct pollfd *pfds;
static struct file **files;
static unsigned int at;			/* where to look for the next */

static bool
pollset_grow(void)
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

bool
ready_add(struct file *f, short events)
{
	if (nfiles == room && !pollset_grow())
		return false;
	f->at = nfiles;
	files[nfiles] = f;
	pfds[nfiles].fd = f->fd;
	pfds[nfiles].events = events;
	pfds[nfiles++].revents = 0;
	return true;
}

/* The last one takes its place. */
void
ready_del(struct file *f)
{
	const unsigned int last = --nfiles;

	files[f->at] = files[last];
	pfds[f->at] = pfds[last];
	files[f->at]->at = f->at;
}

void
ready_events(struct file *f, short events)
{
	pfds[f->at].events = events;
}

int
ready_wait(int ms)
{
	at = nfiles;
	if ((nfound = poll(pfds, nfiles, ms)) == -1 && errno != EINTR)
		fatal("poll");
	return nfound;
}

struct file *
ready_next(short *revents)
{
	if (nfound <= 0)
		return NULL;
	nfound--;
	while (pfds[--at].revents == 0)
		continue;
	*revents = pfds[at].revents;
	return files[at];
}

#endif
