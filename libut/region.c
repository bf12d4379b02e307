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
#include "ut_loaded.h"
#include "ut_prefix.h"
#include "ut_region.h"

/* Is there a region with events timed by the system's clock? */
static bool
clock_used(void)
{
	const struct region *rg;

	for (rg = ut_regions; rg < ut_regions + UT_REGIONS; rg++)
		if (rg->used && rg->clock == UT_CLOCK_MONOTONIC)
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
	    h->mode <= UT_MODE_BLOCK &&
	    inside(h->data, h->nsubs, h->subsize, sizeof(*h), size) &&
	    inside(h->subs, h->nsubs, sizeof(struct ut_subbuf), sizeof(*h),
	    h->data) &&
	    inside(h->slots, h->nslots, sizeof(struct ut_slot), sizeof(*h),
	    h->subs);
}

/* How long to wait for space.  Set-user-ID programs wait for nobody. */
static uint32_t
patience(const struct ut_header *h)
{
	return h->mode != UT_MODE_BLOCK || ut_issetugid() ? 0 : h->timeout;
}

/* Map a region.  Others can write to it, so check a copy, and use only that. */
static int
region_map(struct region *rg, int fd, int64_t ahead)
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
	rg->clock = h.clock;
	rg->overwrites = h.mode == UT_MODE_OVERWRITE;
	rg->patience = patience(&h);
	rg->header = (struct ut_header *)(void *)p;
	rg->slots = (struct ut_slot *)(void *)(p + h.slots);
	rg->subs = (struct ut_subbuf *)(void *)(p + h.subs);
	rg->data = p + h.data;
	rg->nslots = h.nslots;
	rg->nsubs = h.nsubs;
	rg->subsize = h.subsize;
	rg->size = size;
	rg->dev = st.st_dev;
	rg->ino = st.st_ino;
	return 0;
}

static size_t
users_size(const struct region *rg)
{
	return rg->nslots * sizeof(**ut_users);
}

/*
 * All of them are nobody's.  But a region that is attached again while events
 * in the old region are not over has the same slots there and here.
 */
static int
users_map(struct region *rg, uint64_t owner)
{
	const struct region *other;
	void *p;

	for (other = ut_regions; other < ut_regions + UT_REGIONS; other++) {
		if (other->used && other->dev == rg->dev &&
		    other->ino == rg->ino && other->owner == owner &&
		    other->nslots == rg->nslots) {
			ut_users[rg - ut_regions] =
			    ut_users[other - ut_regions];
			return 0;
		}
	}
	p = mmap(NULL, users_size(rg), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return errno;
	ut_users[rg - ut_regions] = p;
	return 0;
}

static void
users_unmap(const struct region *rg)
{
	struct writer *_Atomic *users = ut_users[rg - ut_regions];
	unsigned int i;

	for (i = 0; i < UT_REGIONS; i++)
		if (&ut_regions[i] != rg && ut_regions[i].used &&
		    ut_users[i] == users)
			return;
	munmap((void *)(uintptr_t)users, users_size(rg));
}

/*
 * Give back the slots and sub-buffers of detached regions, whose last events
 * are over, and unmap them.
 */
static void
reap(void)
{
	struct region *rg;
	unsigned int i;

	for (i = 0; i < UT_REGIONS; i++) {
		rg = &ut_regions[i];
		if (!rg->used || rg->attached)
			continue;
		ut_threads_leave(i);
		ut_events_drop(i);
		munmap(rg->header, rg->size);
		users_unmap(rg);
		ut_bell_close(&rg->bell);
		rg->used = false;
	}
}

/* The number of the region, or -1. */
int
ut_region_find(int conn, uint32_t handle)
{
	int i;

	for (i = 0; i < UT_REGIONS; i++)
		if (ut_regions[i].attached && ut_regions[i].conn == conn &&
		    ut_regions[i].handle == handle && !ut_regions[i].kept)
			return i;
	return -1;
}

/* Is it a region that was kept?  Then it is attached again as it is. */
bool
ut_region_again(int conn, uint32_t handle, int fd)
{
	struct region *rg;
	struct stat st;

	if (fstat(fd, &st) == -1)
		return false;
	for (rg = ut_regions; rg < ut_regions + UT_REGIONS; rg++) {
		if (!rg->attached || rg->conn != conn || !rg->kept ||
		    rg->dev != st.st_dev || rg->ino != st.st_ino)
			continue;
		rg->handle = handle;
		rg->kept = false;
		return true;
	}
	return false;
}

/* The connection is lost: keep its regions, but not those that are stopped. */
void
ut_regions_keep(int conn)
{
	unsigned int i;

	for (i = 0; i < UT_REGIONS; i++) {
		if (!ut_regions[i].attached || ut_regions[i].conn != conn)
			continue;
		if (atomic_load_explicit(&ut_regions[i].header->active,
		    memory_order_relaxed))
			ut_regions[i].kept = true;
		else
			ut_region_detach(i);
	}
}

/* Detach the kept regions with that handle, or if it is 0, all of them. */
void
ut_regions_drop(int conn, uint32_t handle)
{
	unsigned int i;

	for (i = 0; i < UT_REGIONS; i++)
		if (ut_regions[i].attached && ut_regions[i].conn == conn &&
		    ut_regions[i].kept &&
		    (handle == 0 || ut_regions[i].handle == handle))
			ut_region_detach(i);
}

/*
 * Takes both descriptors, the second may be -1.  0 or an errno; mute, if there
 * is no bell: then the consumer has to look by itself, each second.
 */
int
ut_region_attach(const struct known *as, uint32_t handle, int fd, int bell,
    const char *bellname, const struct contexts *cs, bool *mute)
{
	struct prefix prefix;
	struct region *rg;
	int error;

	(void)ut_region_settle(20);
	for (rg = ut_regions; rg < ut_regions + UT_REGIONS; rg++)
		if (!rg->used)
			break;
	if (rg == ut_regions + UT_REGIONS)
		error = EMFILE;
	else if ((error = ut_prefix_make(&prefix, cs)) == 0)
		error = region_map(rg, fd, as->ahead);
	if (error == 0 && (error = users_map(rg, as->owner)) != 0)
		munmap(rg->header, rg->size);
	close(fd);
	if (error != 0) {
		if (bell != -1)
			close(bell);
		return error;
	}
	ut_bell_open(&rg->bell, bell, bellname);
	*mute = rg->bell.at == NULL;
	if (*mute)
		atomic_store_explicit(&rg->header->mute, 1,
		    memory_order_relaxed);
	rg->conn = as->conn;
	rg->handle = handle;
	rg->owner = as->owner;
	rg->pid = getpid();
	ut_shared_name(rg, as->name);
	ut_prefix_set((unsigned int)(rg - ut_regions), &prefix);
	if (prefix.depth != 0)
		ut_loaded_unwind();
	atomic_store_explicit(&rg->slots_taken, 0, memory_order_relaxed);
	atomic_store_explicit(&rg->subs_taken, 0, memory_order_relaxed);
	atomic_store_explicit(&rg->slow_taken, 0, memory_order_relaxed);
	ut_wait_init(rg);
	rg->kept = false;
	rg->used = true;
	/* Release: who sees this sees all of the above. */
	atomic_store_explicit(&rg->attached, true, memory_order_release);
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
	unsigned int i;
	bool pending = false;

	for (i = 0; i < UT_REGIONS; i++)
		pending |= ut_regions[i].used && !ut_regions[i].attached;
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
ut_region_detach(unsigned int i)
{
	ut_events_forget(i);
	atomic_store_explicit(&ut_regions[i].attached, false,
	    memory_order_relaxed);
	(void)ut_region_settle(20);
}

bool
ut_regions_any(void)
{
	const struct region *rg;

	for (rg = ut_regions; rg < ut_regions + UT_REGIONS; rg++)
		if (rg->used && rg->attached)
			return true;
	return false;
}

/*
 * In the child of a fork, while the parent's regions are there: the child lacks
 * a descriptor to tell utd so, but can tell the consumers of these regions.
 */
void
ut_regions_unheard(void)
{
	struct region *rg;
	uint64_t old;

	for (rg = ut_regions; rg < ut_regions + UT_REGIONS; rg++) {
		if (!rg->used || !rg->attached)
			continue;
		old = atomic_load_explicit(&rg->header->unheard,
		    memory_order_relaxed);
		while (!atomic_compare_exchange_weak_explicit(
		    &rg->header->unheard, &old, ((old >> 32) + 1) << 32 |
		    (uint32_t)rg->pid, memory_order_relaxed,
		    memory_order_relaxed))
			continue;
	}
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
	struct region *rg;

	for (rg = ut_regions; rg < ut_regions + UT_REGIONS; rg++) {
		atomic_store_explicit(&rg->attached, false,
		    memory_order_relaxed);
		if (!rg->used)
			continue;
		if (mmap(rg->header, rg->size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		    MAP_FAILED)
			(void)munmap(rg->header, rg->size);
	}
	if (ut_threads_quiet(0))
		reap();
}
