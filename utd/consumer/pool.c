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
 * The region, as its consumer handles it.  What it says is copied, checked
 * and then used; the geometry is our own copy.
 */

#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "consumer.h"

#define PAGE		4096u
#define NSLOTS_MIN	512u	/* idle threads keep theirs */
/* Milliseconds for events that are under way when a session stops. */
#define QUIET_EACH	100
#define QUIET_ALL	400

struct pool *pools;

static uint32_t
slots_for(uint32_t nsubs)
{
	uint32_t n = nsubs < UT_NSLOTS_MAX / 16 ? nsubs * 16 : UT_NSLOTS_MAX;

	return n < NSLOTS_MIN ? NSLOTS_MIN : n;
}

/*
 * A fresh object is all zeros, which is: every slot and sub-buffer free.  The
 * magic is last: what has one is complete.
 */
static void
header_init(struct pool *p)
{
	struct ut_header *h = p->header;

	h->version = UT_ABI_VERSION;
	h->size = p->size;
	h->slots = (uint64_t)((char *)p->slots - (char *)h);
	h->subs = (uint64_t)((char *)p->subs - (char *)h);
	h->data = (uint64_t)(p->data - (unsigned char *)h);
	h->nslots = p->nslots;
	h->nsubs = p->nsubs;
	h->subsize = p->subsize;
	h->mode = UT_MODE_DISCARD;
	h->clock = p->clock;
	atomic_store(&h->bell, p->bell);
	atomic_signal_fence(memory_order_seq_cst);
	h->magic = UT_ABI_MAGIC;
}

/* How large it is, and, once it is mapped, where everything is. */
static void
layout(struct pool *p, unsigned char *at)
{
	uint64_t slots = sizeof(struct ut_header), subs, data;

	p->nslots = slots_for(p->nsubs);
	subs = slots + (uint64_t)p->nslots * sizeof(struct ut_slot);
	data = subs + (uint64_t)p->nsubs * sizeof(struct ut_subbuf);
	data = (data + PAGE - 1) / PAGE * PAGE;
	p->size = (size_t)(data + (uint64_t)p->nsubs * p->subsize);
	p->bell = p->nsubs < 16 ? 1 : p->nsubs / 8;
	if (at == NULL)
		return;
	p->header = (struct ut_header *)(void *)at;
	p->slots = (struct ut_slot *)(void *)(at + slots);
	p->subs = (struct ut_subbuf *)(void *)(at + subs);
	p->data = at + data;
}

size_t
pool_size(const struct pool *like)
{
	struct pool p = *like;

	layout(&p, NULL);
	return p.size;
}

/* Of that size; what is in it is seen to later. */
static int
pool_map(struct pool *p)
{
	struct stat st;
	void *map;

	layout(p, NULL);
	if (fstat(p->fd, &st) == -1)
		return -1;
	if (st.st_size != (off_t)p->size) {
		errno = EINVAL;
		return -1;
	}
	map = mmap(NULL, p->size, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd,
	    0);
	if (map == MAP_FAILED)
		return -1;
	layout(p, map);
	fault_watch(&p->shared, map, p->size);
	return 0;
}

static void
pool_unmap(struct pool *p)
{
	fault_forget(&p->shared);
	munmap(p->header, p->size);
}

static int
pool_create(struct pool *p)
{
	int error;

	if ((p->fd = ut_shm_create(p->shm, p->size)) == -1)
		return -1;
	if (pool_map(p) == 0) {
		header_init(p);
		return 0;
	}
	error = errno;
	close(p->fd);
	shm_unlink(p->shm);
	errno = error;
	return -1;
}

/*
 * That which another consumer has left, or one that it could not finish: that
 * one has no magic, but then nobody has a descriptor of it either.
 */
static int
pool_reopen(struct pool *p, int fd)
{
	int error = 0;

	p->fd = fd != -1 ? fd : ut_shm_open(p->shm);
	if (p->fd == -1)
		return errno == ENOENT ? pool_create(p) : -1;
	if (pool_map(p) == 0) {
		if (fd != -1 || p->header->magic == UT_ABI_MAGIC)
			return 0;
		pool_unmap(p);
	} else {
		error = errno;
	}
	close(p->fd);
	errno = error;
	if (fd != -1 || shm_unlink(p->shm) == -1)
		return -1;
	return pool_create(p);
}

/* Of our own. */
static bool
pool_alloc(struct pool *p)
{
	p->done_seq = calloc(p->nslots, sizeof(*p->done_seq));
	p->waited = calloc(p->nslots, sizeof(*p->waited));
	p->said = calloc(p->nslots, sizeof(*p->said));
	p->stream_of = calloc((size_t)p->nslots + p->nsubs,
	    sizeof(*p->stream_of));
	p->seen = calloc(p->nsubs, sizeof(*p->seen));
	p->consumed = calloc(p->nsubs, sizeof(*p->consumed));
	p->until = calloc(p->nsubs, sizeof(*p->until));
	return p->done_seq != NULL && p->waited != NULL && p->said != NULL &&
	    p->stream_of != NULL && p->seen != NULL && p->consumed != NULL &&
	    p->until != NULL;
}

static void
pool_release(struct pool *p)
{
	free(p->streams);
	free(p->done_seq);
	free(p->waited);
	free(p->said);
	free(p->seen);
	free(p->stream_of);
	free(p->consumed);
	free(p->until);
	free(p);
}

/*
 * A region of that name and geometry, made, or, if again, taken over: then
 * the descriptor may be it.  NULL and errno.  What is taken over has events:
 * without memory that is not given up, but left to the next consumer.
 */
struct pool *
pool_new(const struct pool *like, bool again, int fd)
{
	struct pool *p;
	int error;

	if ((p = malloc(sizeof(*p))) != NULL) {
		*p = *like;
		layout(p, NULL);
		p->maxstreams = 2 * (p->nslots + ut_subs_shared(p->nsubs));
	}
	if (p == NULL || !pool_alloc(p)) {
		if (again)
			fatal("channel %s", like->name);
		if (p != NULL)
			pool_release(p);
		errno = ENOMEM;
		return NULL;
	}
	if ((again ? pool_reopen(p, fd) : pool_create(p)) == 0)
		return p;
	error = errno;
	pool_release(p);
	errno = error;
	return NULL;
}

/* The region goes, too, or is left to somebody else. */
void
pool_free(struct pool *p, bool gone)
{
	uint32_t i;

	for (i = 0; i < p->nstreams; i++)
		stream_close(&p->streams[i]);
	pool_unmap(p);
	close(p->fd);
	if (gone)
		shm_unlink(p->shm);
	pool_release(p);
}

uint32_t
pool_slots_used(const struct pool *p)
{
	uint32_t n;

	n = atomic_load_explicit(&p->header->slots_used,
	    memory_order_acquire);
	return n < p->nslots ? n : p->nslots;
}

/*
 * Wait for the events that began before `active' was cleared; for those of
 * threads that do not run, or are dead and not yet buried, not for ever.
 */
static void
wait_quiet(struct pool *p)
{
	static const struct timespec nap = { 0, 1000000 };
	const int64_t all = ut_msg_now() + QUIET_ALL;
	uint32_t i, n = pool_slots_used(p);
	int64_t each, now;

	nanosleep(&nap, NULL);
	for (i = 0; i < n; i++) {
		now = ut_msg_now();
		each = now + QUIET_EACH;
		while (now < each && now < all &&
		    atomic_load_explicit(&p->slots[i].busy,
		    memory_order_acquire) != 0) {
			nanosleep(&nap, NULL);
			now = ut_msg_now();
		}
	}
}

void
pool_start(struct pool *p)
{
	atomic_store(&p->header->active, true);
}

/* No more events; those of the dead are over already. */
void
pool_stop(struct pool *p, bool dead)
{
	atomic_store(&p->header->active, false);
	if (!dead)
		wait_quiet(p);
}

/* May that follow what was there before? */
bool
commit_valid(const struct pool *p, uint64_t commit, uint64_t was)
{
	const uint32_t len = UT_COMMIT_LEN(commit);

	return len <= p->subsize && len >= UT_COMMIT_LEN(was) &&
	    UT_COMMIT_COUNT(commit) >= UT_COMMIT_COUNT(was) &&
	    (len == UT_COMMIT_LEN(was) ||
	    len - UT_COMMIT_LEN(was) >= UT_EVENT_HEAD);
}

struct stream *
stream_new(struct pool *p)
{
	struct stream *s;

	p->streams = xrealloc(p->streams,
	    (p->nstreams + 1) * sizeof(*p->streams));
	s = &p->streams[p->nstreams];
	memset(s, 0, sizeof(*s));
	s->index = p->nstreams++;
	s->fd = -1;
	return s;
}

/* Release: who claims it, or looks again, finds it clean. */
static void
now_free(struct pool *p)
{
	atomic_fetch_add_explicit(&p->header->freed, 1,
	    memory_order_release);
}

/* That sub-buffer of the slot is dealt with, and so are all before it. */
void
pool_advance(struct pool *p, uint32_t slot, uint64_t seq)
{
	if (p->done_seq[slot] < seq)
		p->done_seq[slot] = seq;
	p->waited[slot] = 0;
}

void
pool_slot_free(struct pool *p, uint32_t i)
{
	struct ut_slot *slot = &p->slots[i];

	pool_advance(p, i, atomic_load_explicit(&slot->seq,
	    memory_order_relaxed));
	atomic_store_explicit(&slot->busy, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->owner, 0, memory_order_release);
	now_free(p);
}

/* Lower ones first, so that few are in use: their pages are warm. */
void
pool_sub_free(struct pool *p, uint32_t i)
{
	struct ut_subbuf *sub = &p->subs[i];
	uint32_t gen = UT_STATE_GEN(atomic_load_explicit(&sub->state,
	    memory_order_relaxed));

	/*
	 * Commit first: what is READING and has none is as good as free, for
	 * who takes over after we died here.
	 */
	p->consumed[i] = 0;
	p->seen[i] = 0;			/* the next one's is another */
	atomic_store_explicit(&sub->commit, 0, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&sub->consumed, 0, memory_order_relaxed);
	atomic_store_explicit(&sub->writing, 0, memory_order_relaxed);
	atomic_store_explicit(&sub->state, UT_STATE_WORD(gen, 0, UT_FREE),
	    memory_order_release);
	if (i < atomic_load_explicit(&p->header->hint, memory_order_relaxed))
		atomic_store_explicit(&p->header->hint, i,
		    memory_order_relaxed);
	now_free(p);
}

/* All that was lost, also what no packet has told of. */
uint64_t
pool_lost(const struct pool *p)
{
	uint64_t lost;
	uint32_t i, n = pool_slots_used(p);

	lost = p->dropped + atomic_load_explicit(&p->header->lost,
	    memory_order_relaxed);
	for (i = 0; i < n; i++)
		lost += atomic_load_explicit(&p->slots[i].lost,
		    memory_order_relaxed);
	return lost;
}

/* Events that are in a file now, */
void
pool_written(struct pool *p, uint64_t n)
{
	p->counts.written += n;
	atomic_store_explicit(&p->header->written, p->counts.written,
	    memory_order_relaxed);
}

/* and such as will never be. */
void
pool_dropped(struct pool *p, uint64_t n)
{
	p->unsaid += n;
	p->dropped += n;
	atomic_store_explicit(&p->header->dropped, p->dropped,
	    memory_order_relaxed);
}

/* So much of it is in the file, up to that time: which is first. */
void
pool_sub_consumed(struct pool *p, uint32_t i, uint64_t commit, uint64_t until)
{
	p->consumed[i] = commit;
	p->until[i] = until;
	atomic_store_explicit(&p->subs[i].until, until, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&p->subs[i].consumed, commit,
	    memory_order_relaxed);
}

void
pool_look(struct pool *p)
{
	p->taken = atomic_load_explicit(&p->header->delivered,
	    memory_order_acquire);
	atomic_store_explicit(&p->header->taken, p->taken,
	    memory_order_relaxed);
}

/* What was known at that look is dealt with. */
void
pool_looked(struct pool *p)
{
	atomic_store_explicit(&p->header->drained, p->taken,
	    memory_order_relaxed);
}

/*
 * Ask to be woken, or say that we are awake.  False if there is enough to do
 * already: see bell_ring in libut/subbuf.c.
 */
bool
pool_sleep(struct pool *p, bool asleep)
{
	atomic_store_explicit(&p->header->asleep, asleep,
	    memory_order_relaxed);
	if (!asleep)
		return true;
	atomic_thread_fence(memory_order_seq_cst);
	return atomic_load_explicit(&p->header->delivered,
	    memory_order_relaxed) - p->taken < p->bell;
}
