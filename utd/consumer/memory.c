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
 * The memory of a region: how it is made, found again, touched ahead of the
 * writers, and let go of; and what happens if a program takes it away.  The
 * geometry is never read back.
 */

#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "region.h"

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS	MAP_ANON
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE	0
#endif

#define PAGE		4096u
#define NSLOTS_MIN	512u	/* idle threads keep theirs */
#define WARM_STEP	(256u << 10)	/* then the parent is heard again */
#define WARM_AHEAD	(UINT64_C(4) << 20)

static struct shared *watched;

static uint32_t
slots_for(uint32_t nsubs)
{
	uint32_t n = nsubs < UT_NSLOTS_MAX / 16 ? nsubs * 16 : UT_NSLOTS_MAX;

	return n < NSLOTS_MIN ? NSLOTS_MIN : n;
}

/* An attribute, as writers find it. */
static uint32_t
timeout(uint32_t ms)
{
	return ms == ATTR_NEVER ? 0 : ms == ATTR_FOREVER ? UT_TIMEOUT_FOREVER :
	    ms;
}

/*
 * Fill in the header of a fresh object.  All the rest of it is zeros, by which
 * every slot and sub-buffer is free.  The magic is stored last: a region that
 * has it is complete.
 */
static void
header_init(struct region *r)
{
	struct ut_header *h = r->header;

	h->version = UT_ABI_VERSION;
	h->size = r->size;
	h->slots = (uint64_t)((char *)r->slots - (char *)h);
	h->subs = (uint64_t)((char *)r->subs - (char *)h);
	h->data = (uint64_t)(r->data - (unsigned char *)h);
	h->nslots = r->nslots;
	h->nsubs = r->nsubs;
	h->subsize = r->subsize;
	h->mode = r->attrs.v[ATTR_MODE];
	h->timeout = timeout(r->attrs.v[ATTR_TIMEOUT]);
	h->clock = r->attrs.v[ATTR_CLOCK];
	atomic_store(&h->bell, r->bell);
	atomic_signal_fence(memory_order_seq_cst);
	h->magic = UT_ABI_MAGIC;
}

_Static_assert(PAGE <= UT_SUBSIZE_MIN && sizeof(struct grave) <=
    ATTR_SUBBUF_REST, "attr_subbufs");

/* Compute the size and, unless `at' is NULL, where all is once it is mapped. */
static void
layout(struct region *r, unsigned char *at)
{
	uint64_t slots = sizeof(struct ut_header), subs, data;
	size_t graves;

	r->nsubs = r->attrs.v[ATTR_NSUBS];
	r->subsize = r->attrs.v[ATTR_SUBSIZE];
	r->nslots = slots_for(r->nsubs);
	subs = slots + (uint64_t)r->nslots * sizeof(struct ut_slot);
	data = subs + (uint64_t)r->nsubs * sizeof(struct ut_subbuf);
	data = (data + PAGE - 1) / PAGE * PAGE;
	r->size = (size_t)(data + (uint64_t)r->nsubs * r->subsize);
	graves = r->size;
	if (r->keeps)
		r->size += r->nsubs * sizeof(struct grave);
	r->bell = r->keeps ? UINT32_MAX : r->nsubs < 16 ? 1 : r->nsubs / 8;
	r->overwrites = r->attrs.v[ATTR_MODE] == UT_MODE_OVERWRITE;
	if (at == NULL)
		return;
	r->header = (struct ut_header *)(void *)at;
	r->slots = (struct ut_slot *)(void *)(at + slots);
	r->subs = (struct ut_subbuf *)(void *)(at + subs);
	r->data = at + data;
	r->graves = r->keeps ? (struct grave *)(void *)(at + graves) : NULL;
}

size_t
region_size(const struct region *like)
{
	struct region r = *like;

	layout(&r, NULL);
	return r.size;
}

/* Map the object, if it has the right size.  Its contents are checked later. */
static int
region_map(struct region *r)
{
	struct stat st;
	void *map;

	layout(r, NULL);
	if (fstat(r->fd, &st) == -1)
		return -1;
	if (st.st_size != (off_t)r->size) {
		errno = EINVAL;
		return -1;
	}
	map = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
	    0);
	if (map == MAP_FAILED)
		return -1;
	layout(r, map);
	fault_watch(&r->shared, map, r->size);
	return 0;
}

static void
region_unmap(struct region *r)
{
	fault_forget(&r->shared);
	munmap(r->header, r->size);
}

static int
region_create(struct region *r)
{
	int error;

	if ((r->fd = ut_shm_create(r->shm, r->size)) == -1)
		return -1;
	if (region_map(r) == 0) {
		header_init(r);
		return 0;
	}
	error = errno;
	close(r->fd);
	shm_unlink(r->shm);
	errno = error;
	return -1;
}

/*
 * Open the region that another consumer has left.  A region without magic, or
 * of a wrong size, was not finished: nobody uses it, nor has a descriptor of
 * it, and it is made anew.  After any other failure it stays, with its events,
 * and can be tried again.
 */
static int
region_reopen(struct region *r, int fd)
{
	bool finished;
	int error;

	r->fd = fd != -1 ? fd : ut_shm_open(r->shm);
	if (r->fd == -1)
		return errno == ENOENT ? region_create(r) : -1;
	if (region_map(r) == 0) {
		if (fd != -1 || r->header->magic == UT_ABI_MAGIC)
			return 0;
		region_unmap(r);
		finished = false;
	} else {
		finished = fd != -1 || errno != EINVAL;
	}
	error = errno;
	close(r->fd);
	errno = error;
	if (finished || shm_unlink(r->shm) == -1)
		return -1;
	return region_create(r);
}

/* Allocate what we remember of slots and sub-buffers. */
static bool
region_alloc(struct region *r)
{
	r->done_seq = calloc(r->nslots, sizeof(*r->done_seq));
	r->waited = calloc(r->nslots, sizeof(*r->waited));
	r->losses = calloc(r->nslots + 1, sizeof(*r->losses));
	r->seen = calloc(r->nsubs, sizeof(*r->seen));
	r->consumed = calloc(r->nsubs, sizeof(*r->consumed));
	r->until = calloc(r->nsubs, sizeof(*r->until));
	r->round = calloc(r->nsubs, sizeof(*r->round));
	r->gones = calloc(r->nsubs, sizeof(*r->gones));
	return r->done_seq != NULL && r->waited != NULL && r->losses != NULL &&
	    r->seen != NULL && r->consumed != NULL && r->until != NULL &&
	    r->round != NULL && r->gones != NULL;
}

static void
region_release(struct region *r)
{
	free(r->done_seq);
	free(r->waited);
	free(r->losses);
	free(r->seen);
	free(r->consumed);
	free(r->until);
	free(r->round);
	free(r->gones);
	free(r);
}

/*
 * Make a region of that name and geometry, or, if again, take over the one that
 * is there; fd may be its descriptor, or is -1.  NULL and errno if that fails.
 * But without memory we end: a region that was there has events, which the next
 * consumer may be able to write.
 */
struct region *
region_new(const struct region *like, bool again, int fd)
{
	struct region *r;
	int error;

	if ((r = malloc(sizeof(*r))) != NULL) {
		*r = *like;
		layout(r, NULL);
	}
	if (r == NULL || !region_alloc(r)) {
		if (again)
			fatal("channel %s", like->name);
		if (r != NULL)
			region_release(r);
		errno = ENOMEM;
		return NULL;
	}
	if ((again ? region_reopen(r, fd) : region_create(r)) == 0)
		return r;
	error = errno;
	region_release(r);
	errno = error;
	return NULL;
}

/* Let go of the region: others may have it, or the parent removes it. */
void
region_free(struct region *r)
{
	region_unmap(r);
	close(r->fd);
	region_release(r);
}

/* Memory of our own of the same layout, all zeros; NULL and errno. */
struct region *
region_private(const struct region *like)
{
	struct region *r;
	void *map = MAP_FAILED;

	if ((r = calloc(1, sizeof(*r))) == NULL)
		return NULL;
	r->attrs = like->attrs;
	r->keeps = like->keeps;
	layout(r, NULL);
	if (region_alloc(r))
		map = mmap(NULL, r->size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED) {
		region_release(r);
		errno = ENOMEM;
		return NULL;
	}
	ut_large_pages(map, r->size);
	layout(r, map);
	r->fd = -1;
	r->copy = true;
	return r;
}

void
region_private_free(struct region *r)
{
	munmap(r->header, r->size);
	region_release(r);
}

/*
 * How many bytes are to be warm, that is, filled with zeros ahead of the
 * writers.  The system does that at the first touch, and a virtual machine may
 * have to get the memory from its host, too: a writer would wait for both in
 * the middle of an event.  Programs then map many pages by one fault
 * (subbuf_map in libut/subbuf.c).
 *
 * Writers take the first sub-buffers that are free, so what lies behind the one
 * claimed last is next.  Until the bell rings, an eighth of all may be claimed,
 * and more before we have woken up.  What is further away stays untouched, and
 * so does all of a region that is not started.  The hint is the programs'.
 */
static uint64_t
warm_wanted(const struct region *r)
{
	const uint64_t all = (uint64_t)r->nsubs * r->subsize;
	const uint64_t ahead = (uint64_t)(r->nsubs / 8 + r->nsubs / 16 + 1) *
	    r->subsize;
	const uint32_t hint = load(&r->header->hint);
	const uint64_t want = (uint64_t)hint * r->subsize +
	    (ahead < WARM_AHEAD ? ahead : WARM_AHEAD);

	if (load(&r->header->active) == 0 || r->shared.cut)
		return 0;
	return hint < r->nsubs && want < all ? want : all;
}

/* Warm some pages; false if there are enough. */
bool
region_warm(struct region *r)
{
	const uint64_t want = warm_wanted(r);
	size_t n;

	if (want <= r->warm)
		return false;
	n = want - r->warm < WARM_STEP ? (size_t)(want - r->warm) : WARM_STEP;
	ut_shm_touch(r->data + r->warm, n);
	r->warm += n;
	store(&r->header->warm, r->warm);
	return true;
}

static struct shared *
shared_find(uintptr_t at)
{
	struct shared *s;

	for (s = watched; s != NULL; s = s->next)
		if (at >= (uintptr_t)s->at && at - (uintptr_t)s->at < s->size)
			break;
	return s;
}

/*
 * Memory that is taken away.  A program can cut off the region that it shares
 * with us, and the bell; who touches what is not there any more gets SIGBUS, or
 * SIGSEGV on older BSDs.
 * Then private memory takes its place, all zeros, which is an empty region:
 * whatever was under way goes on, finds nothing, and the rest goes on too.
 *
 * The handler runs where the memory was touched, never within mmap(2) or
 * malloc(3), and the process has one thread, so it may do what it does.
 *
 * A fault at any other address is our own bug: the default action is restored,
 * and the fault, which happens again, ends the process.
 */
static void
on_fault(int sig, siginfo_t *si, void *context)
{
	struct shared *s = shared_find((uintptr_t)si->si_addr);

	(void)context;
	if (s == NULL || mmap(s->at, s->size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) ==
	    MAP_FAILED)
		signal(sig, SIG_DFL);
	else
		s->cut = 1;
}

void
fault_init(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_fault;
	sa.sa_flags = SA_SIGINFO;
	sigemptyset(&sa.sa_mask);
	sigaction(SIGBUS, &sa, NULL);
	sigaction(SIGSEGV, &sa, NULL);
}

void
fault_watch(struct shared *s, void *at, size_t size)
{
	s->at = at;
	s->size = size;
	s->cut = 0;
	s->next = watched;
	watched = s;
}

void
fault_forget(struct shared *s)
{
	LIST_DEL(struct shared, &watched, s, next);
}
