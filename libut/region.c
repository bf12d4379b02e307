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
 * Regions: map what utd sends, check it, and let go of it again.  All under
 * ut_lock.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "ut_event.h"
#include "ut_region.h"

/* Is there a region with events timed by the system's clock? */
static bool
clock_used(void)
{
	const struct channel *ch;

	for (ch = ut_channels; ch < ut_channels + UT_CHANNELS; ch++)
		if (ch->used && ch->clock == UT_CLOCK_MONOTONIC)
			return true;
	return false;
}

/* Does a part of the region fit between begin and end, and is it aligned? */
static bool
inside(uint64_t offset, uint64_t n, uint64_t each, uint64_t begin,
    uint64_t end)
{
	return offset >= begin && offset <= end &&
	    offset % UT_ABI_LINE == 0 && n <= (end - offset) / each;
}

static bool
header_valid(const struct ut_header *h, uint64_t size)
{
	return h->magic == UT_ABI_MAGIC && h->version == UT_ABI_VERSION &&
	    h->size == size && h->nslots >= 1 && h->nslots <= UT_NSLOTS_MAX &&
	    h->nsubs >= UT_NSUBS_MIN && h->nsubs <= UT_NSUBS_MAX &&
	    h->subsize >= UT_SUBSIZE_MIN && h->subsize <= UT_SUBSIZE_MAX &&
	    (h->subsize & (h->subsize - 1)) == 0 &&
	    h->mode == UT_MODE_DISCARD &&
	    inside(h->data, h->nsubs, h->subsize, sizeof(*h), size) &&
	    inside(h->subs, h->nsubs, sizeof(struct ut_subbuf), sizeof(*h),
	    h->data) &&
	    inside(h->slots, h->nslots, sizeof(struct ut_slot), sizeof(*h),
	    h->subs);
}

/* Map a region.  Others can write to it, so check a copy, and use only that. */
static int
channel_map(struct channel *ch, int fd, int64_t ahead)
{
	struct ut_header h;
	struct stat st;
	unsigned char *p;
	size_t size;
	int error = 0;

	if (fstat(fd, &st) == -1)
		return errno;
	if (st.st_size < (off_t)sizeof(h) ||
	    (uint64_t)st.st_size > UT_REGION_MAX ||
	    (uint64_t)st.st_size > SIZE_MAX)
		return EINVAL;
	size = (size_t)st.st_size;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return errno;
	memcpy(&h, p, offsetof(struct ut_header, active));
	if (!header_valid(&h, size)) {
		munmap(p, size);
		return EINVAL;
	}
	if (h.clock == UT_CLOCK_MONOTONIC)
		error = ut_clock_follow(ahead, clock_used());
	else if (h.clock != UT_CLOCK_CYCLES || !UT_HAVE_CYCLES)
		error = ENOTSUP;
	if (error != 0) {
		munmap(p, size);
		return error;
	}
	ch->clock = h.clock;
	ch->header = (struct ut_header *)(void *)p;
	ch->slots = (struct ut_slot *)(void *)(p + h.slots);
	ch->subs = (struct ut_subbuf *)(void *)(p + h.subs);
	ch->data = p + h.data;
	ch->nslots = h.nslots;
	ch->nsubs = h.nsubs;
	ch->subsize = h.subsize;
	ch->size = size;
	ch->dev = st.st_dev;
	ch->ino = st.st_ino;
	return 0;
}

static size_t
users_size(const struct channel *ch)
{
	return ch->nslots * sizeof(**ut_users);
}

/*
 * All of them are nobody's.  But a region that is attached again while events
 * in the old channel are not over has the same slots there and here.
 */
static int
users_map(struct channel *ch, uint64_t owner)
{
	const struct channel *other;
	void *p;

	for (other = ut_channels; other < ut_channels + UT_CHANNELS; other++) {
		if (other->used && other->dev == ch->dev &&
		    other->ino == ch->ino && other->owner == owner &&
		    other->nslots == ch->nslots) {
			ut_users[ch - ut_channels] =
			    ut_users[other - ut_channels];
			return 0;
		}
	}
	p = mmap(NULL, users_size(ch), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return errno;
	ut_users[ch - ut_channels] = p;
	return 0;
}

static void
users_unmap(const struct channel *ch)
{
	struct writer *_Atomic *users = ut_users[ch - ut_channels];
	unsigned int c;

	for (c = 0; c < UT_CHANNELS; c++)
		if (&ut_channels[c] != ch && ut_channels[c].used &&
		    ut_users[c] == users)
			return;
	munmap((void *)(uintptr_t)users, users_size(ch));
}

/*
 * Give back the slots and sub-buffers of detached channels, whose last events
 * are over, and unmap them.
 */
static void
reap(void)
{
	struct channel *ch;
	unsigned int c;

	for (c = 0; c < UT_CHANNELS; c++) {
		ch = &ut_channels[c];
		if (!ch->used || ch->attached)
			continue;
		ut_threads_leave(c);
		munmap(ch->header, ch->size);
		users_unmap(ch);
		ut_bell_close(&ch->bell);
		ch->used = false;
	}
}

/* The number of the channel, or -1. */
int
ut_region_find(int conn, uint32_t handle)
{
	int c;

	for (c = 0; c < UT_CHANNELS; c++)
		if (ut_channels[c].attached && ut_channels[c].conn == conn &&
		    ut_channels[c].handle == handle && !ut_channels[c].kept)
			return c;
	return -1;
}

/* Is it a region that was kept?  Then it is attached again as it is. */
bool
ut_region_again(int conn, uint32_t handle, int fd)
{
	struct channel *ch;
	struct stat st;

	if (fstat(fd, &st) == -1)
		return false;
	for (ch = ut_channels; ch < ut_channels + UT_CHANNELS; ch++) {
		if (!ch->attached || ch->conn != conn || !ch->kept ||
		    ch->dev != st.st_dev || ch->ino != st.st_ino)
			continue;
		ch->handle = handle;
		ch->kept = false;
		return true;
	}
	return false;
}

/* The connection is lost: keep its regions, but not those that are stopped. */
void
ut_regions_keep(int conn)
{
	unsigned int c;

	for (c = 0; c < UT_CHANNELS; c++) {
		if (!ut_channels[c].attached || ut_channels[c].conn != conn)
			continue;
		if (atomic_load_explicit(&ut_channels[c].header->active,
		    memory_order_relaxed))
			ut_channels[c].kept = true;
		else
			ut_region_detach(c);
	}
}

/* There is a connection again: detach the kept regions that it did not name. */
void
ut_regions_drop(int conn)
{
	unsigned int c;

	for (c = 0; c < UT_CHANNELS; c++)
		if (ut_channels[c].attached && ut_channels[c].conn == conn &&
		    ut_channels[c].kept)
			ut_region_detach(c);
}

/* Takes both descriptors, the second may be -1.  0 or an errno. */
int
ut_region_attach(const struct known *as, uint32_t handle, int fd, int bell,
    const char *bellname)
{
	struct channel *ch;
	int error;

	(void)ut_region_settle(20);
	for (ch = ut_channels; ch < ut_channels + UT_CHANNELS; ch++)
		if (!ch->used)
			break;
	if (ch == ut_channels + UT_CHANNELS)
		error = EMFILE;
	else
		error = channel_map(ch, fd, as->ahead);
	if (error == 0 && (error = users_map(ch, as->owner)) != 0)
		munmap(ch->header, ch->size);
	close(fd);
	if (error != 0) {
		if (bell != -1)
			close(bell);
		return error;
	}
	/* Without a bell the consumer looks by itself, later. */
	ut_bell_open(&ch->bell, bell, bellname);
	ch->conn = as->conn;
	ch->handle = handle;
	ch->owner = as->owner;
	ch->pid = getpid();
	ut_shared_name(ch, as->name);
	atomic_store_explicit(&ch->slots_taken, 0, memory_order_relaxed);
	atomic_store_explicit(&ch->subs_taken, 0, memory_order_relaxed);
	ch->kept = false;
	ch->used = true;
	/* Release: who sees this sees all of the above. */
	atomic_store_explicit(&ch->attached, true, memory_order_release);
	return 0;
}

/*
 * Unmap the regions that were detached when the last event that began before is
 * over.  Waits for that for some milliseconds; false if it is not over then.
 * An event that was left by siglongjmp is over when its thread begins another.
 */
bool
ut_region_settle(int ms)
{
	unsigned int c;
	bool pending = false;

	for (c = 0; c < UT_CHANNELS; c++)
		pending |= ut_channels[c].used && !ut_channels[c].attached;
	if (!pending)
		return true;
	ut_barrier();
	if (!ut_threads_quiet(ms))
		return false;
	reap();
	return true;
}

/* Detach a region: no event begins there any more. */
void
ut_region_detach(unsigned int c)
{
	ut_events_forget(c);
	atomic_store_explicit(&ut_channels[c].attached, false,
	    memory_order_relaxed);
	(void)ut_region_settle(20);
}

/*
 * In the child of a fork: the regions are the parent's.  An event that a
 * signal handler interrupted to fork continues in the child as well, so private
 * memory takes the place of the regions until that event is over.  The bell
 * stays until then, too: if the event rings it, a consumer wakes in vain.
 */
void
ut_region_forked(void)
{
	struct channel *ch;

	for (ch = ut_channels; ch < ut_channels + UT_CHANNELS; ch++) {
		atomic_store_explicit(&ch->attached, false,
		    memory_order_relaxed);
		if (!ch->used)
			continue;
		if (mmap(ch->header, ch->size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		    MAP_FAILED)
			(void)munmap(ch->header, ch->size);
	}
	if (ut_threads_quiet(0))
		reap();
}
