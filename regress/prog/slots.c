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
 * An event that a handler's jump left as it took a slot, or gave it back: the
 * state is made here, since no handler comes at the right instruction.  What
 * was left is taken up by the next event of the thread, or freed when the
 * thread or the region goes, and is never taken for another's.
 */

#define _FILE_OFFSET_BITS 64		/* as libut is built */
#define _TIME_BITS 64

#include <sys/mman.h>

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libut/ut_region.h"
#include "header.h"

#define NUMBER	77			/* the program's, there */
#define NSUBS	16
#define NOW	(UINT64_C(1) << 40)

static const struct known known = { 0, NUMBER, 0, "" };
static const struct contexts no_contexts;
static struct thread *self;
static struct ut_header *h;
static int fd;

/* One that nobody has attached, with so many slots. */
static void
region(uint32_t nslots)
{
	struct ut_header good;
	FILE *f = tmpfile();

	good_header(&good, nslots, NSUBS, UT_SUBSIZE_MIN);
	if (f == NULL || (fd = fileno(f)) == -1 ||
	    ftruncate(fd, (off_t)good.size) == -1)
		err(1, "tmpfile");
	h = mmap(NULL, (size_t)good.size, PROT_READ | PROT_WRITE, MAP_SHARED,
	    fd, 0);
	if (h == MAP_FAILED)
		err(1, "mmap");
	good_header(h, nslots, NSUBS, UT_SUBSIZE_MIN);
	h->active = 1;
}

static struct region *
attach(void)
{
	struct region *rg;
	bool mute;
	int error;

	for (rg = ut_regions; rg->used; rg++)
		continue;
	if ((error = ut_region_attach(&known, 1, dup(fd), -1, "",
	    &no_contexts, &mute)) != 0)
		errx(1, "attach: %s", strerror(error));
	return rg;
}

static struct writer *
writer(const struct region *rg, int depth)
{
	return &self->levels[depth].writers[rg - ut_regions];
}

static enum room
event(struct region *rg, int depth)
{
	return ut_writer_room(writer(rg, depth), rg, 100, NOW);
}

/* Slot 0 is as an event left it: with the program's number, or without. */
static void
left(struct region *rg, uint64_t owner)
{
	struct writer *w = writer(rg, 0);

	w->claim = 1;
	ut_users[rg - ut_regions][0] = w;
	rg->slots[0].owner = owner;
}

static void
detach(struct region *rg)
{
	ut_region_detach((unsigned int)(rg - ut_regions));
}

/* The next event of the thread has it, though there is no slot for others. */
static void
taken_up(uint64_t owner)
{
	struct region *rg;

	region(1);
	rg = attach();
	left(rg, NUMBER);
	if (event(rg, 1) != ROOM_NONE || h->lost != 1)
		errx(1, "another has the slot");
	left(rg, owner);
	if (event(rg, 0) == ROOM_NONE || rg->slots[0].owner != NUMBER)
		errx(1, "number %d: the thread cannot have its slot",
		    (int)owner);
	detach(rg);
	if (((struct ut_slot *)(h + 1))->owner != 0)
		errx(1, "number %d: not free in the end", (int)owner);
}

/* The region goes before there is a next event. */
static void
freed(uint64_t owner, uint64_t then)
{
	struct region *rg;

	region(2);
	rg = attach();
	left(rg, owner);
	detach(rg);
	if (((struct ut_slot *)(h + 1))->owner != then)
		errx(1, "number %d: afterwards %d", (int)owner,
		    (int)((struct ut_slot *)(h + 1))->owner);
}

/*
 * The region is attached again before the old region is gone, since an event
 * there is not over; another thread has a slot through the new one.
 */
static void
twice(void)
{
	struct region *old, *new;
	const struct writer *w;

	region(2);
	old = attach();
	left(old, 0);
	self->levels[0].frame = 1;
	detach(old);
	new = attach();
	if (new == old || event(new, 1) == ROOM_NONE)
		errx(1, "twice: no event");
	w = writer(new, 1);
	self->levels[0].frame = 0;
	if (!ut_region_settle(20) || old->used)
		errx(1, "twice: the old region stays");
	if (w->slot->owner != NUMBER || w->slot->busy != 1)
		errx(1, "twice: number %d, busy %d of the new one",
		    (int)w->slot->owner, (int)w->slot->busy);
	detach(new);
}

int
main(void)
{
	ut_thread_init();
	if ((self = ut_thread_own()) == NULL)
		errx(1, "no thread");
	taken_up(NUMBER);
	taken_up(0);
	freed(NUMBER, 0);
	freed(0, 0);
	freed(NUMBER + 1, NUMBER + 1);	/* another program was faster */
	twice();
	return 0;
}
