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
 * Snapshots: a trace of what regions hold at this moment, whether they are ever
 * drained or not, and without disturbing them.
 *
 * Each region is copied first, which takes about as long as memory does.  Then
 * the copy is drained, as for the last time, into a sink of its own, while
 * programs go on in the region.  Nobody waits: no sub-buffer is taken or
 * pinned.  So one may be dropped while it is copied, in overwrite mode.  The
 * copy of each counts if it was not, which its `round' tells: see libut/drop.c.
 * If it is OWNED, or was, it must still be that of the same claim.
 *
 * What was claimed after we began is left out.  If it were not, sub-buffers that
 * we had passed by then would be missing in the midst of others.
 */

#include <sys/types.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer.h"
#include "region.h"
#include "sink.h"

#define TRIES	4		/* to copy one that changes meanwhile */
#define TEXT_MAX (64u << 20)	/* bytes of metadata */

/* Metadata of snapshots to come. */
struct shot {
	uint32_t	 id;
	char		*text;
	size_t		 len;
	struct shot	*next;
};

static struct shot *shots;

/* The labels of a sub-buffer; what is committed was loaded before. */
static void
copy_labels(struct ut_subbuf *to, const struct ut_subbuf *from)
{
	size_t i;

	store(&to->first, load(&from->first));
	store(&to->last, load(&from->last));
	store(&to->owner, load(&from->owner));
	store(&to->seq, load(&from->seq));
	store(&to->lost, load(&from->lost));
	store(&to->tid, load(&from->tid));
	for (i = 0; i < UT_THREAD_NAME / 8; i++)
		store(&to->thread[i], load(&from->thread[i]));
}

/* Is it still of the round and, unless it is shared, of the claim of then? */
static bool
still(const struct ut_subbuf *sub, uint32_t round, uint64_t word)
{
	atomic_thread_fence(memory_order_acquire);
	return load(&sub->round) == round && ((word & UT_SHARED) != 0 ||
	    UT_STATE_GEN(load(&sub->state)) == UT_STATE_GEN(word));
}

/* False if it changed meanwhile. */
static bool
copy_sub(const struct region *r, struct region *c, uint32_t i, uint64_t now)
{
	const struct ut_subbuf *from = &r->subs[i];
	struct ut_subbuf *to = &c->subs[i];
	const uint32_t round = load_acquire(&from->round);
	const uint64_t word = load_acquire(&from->state);
	const uint64_t commit = load_acquire(&from->commit);
	const uint64_t had = r->round[i] == round ? r->consumed[i] : 0;

	if (UT_STATE(word) == UT_FREE || UT_STATE(word) == UT_TAKEN ||
	    commit == had)
		return still(from, round, word);
	if (!commit_valid(r, commit, had) || (!(word & UT_SHARED) &&
	    UT_STATE_SLOT(word) >= r->nslots))
		return false;
	copy_labels(to, from);
	memcpy(c->data + (size_t)i * c->subsize + UT_COMMIT_LEN(had),
	    region_data(r, i, UT_COMMIT_LEN(had)),
	    UT_COMMIT_LEN(commit) - UT_COMMIT_LEN(had));
	if (c->keeps)
		c->graves[i] = r->graves[i];
	if (!still(from, round, word))
		return false;
	if (had == 0 && load(&to->first) > now)
		return true;
	if (c->keeps)
		c->graves[i].name[PROGRAM_NAME - 1] = '\0';
	c->consumed[i] = had;
	c->until[i] = r->until[i];
	store(&to->consumed, had);
	store(&to->commit, commit);
	store(&to->state, UT_STATE_WORD(UT_STATE_GEN(word),
	    UT_STATE_SLOT(word), UT_FULL | (word & UT_SHARED)));
	return true;
}

/*
 * What came before the first of a slot is no gap, and was not lost here: only
 * what was lost since is told.
 */
static void
copy_slots(const struct region *r, struct region *c)
{
	const uint32_t n = region_slots_used(r);
	uint32_t i;

	store(&c->header->slots_used, n);
	store(&c->header->lost, load(&r->header->lost));
	c->said_lost = load(&c->header->lost);
	for (i = 0; i < n; i++) {
		store(&c->slots[i].lost, load(&r->slots[i].lost));
		c->said[i] = load(&c->slots[i].lost);
		c->done_seq[i] = UINT64_MAX;
	}
}

static void
copy_begins(struct region *c)
{
	const struct ut_subbuf *sub;
	uint32_t i, slot;

	for (i = 0; i < c->nsubs; i++) {
		sub = &c->subs[i];
		slot = UT_STATE_SLOT(load(&sub->state));
		if (UT_STATE(load(&sub->state)) != UT_FULL ||
		    (load(&sub->state) & UT_SHARED) != 0 ||
		    load(&sub->seq) - 1 >= c->done_seq[slot])
			continue;
		c->done_seq[slot] = load(&sub->seq) - 1;
		if (load(&sub->lost) <= load(&c->slots[slot].lost))
			c->said[slot] = load(&sub->lost);
	}
}

/* How many were delivered since that sub-buffer was, or 0 for what is open. */
struct age {
	uint32_t	 sub;
	uint32_t	 age;
};

static int
age_cmp(const void *a, const void *b)
{
	const struct age *x = a, *y = b;

	return x->age < y->age ? -1 : x->age > y->age;
}

/*
 * The newest first: what programs overwrite meanwhile is the oldest then, and
 * what they have left has no gaps.
 */
static struct age *
newest_first(const struct region *r)
{
	const uint32_t delivered = load(&r->header->delivered);
	struct age *ages = calloc(r->nsubs, sizeof(*ages));
	const struct ut_subbuf *sub;
	uint32_t i;

	for (i = 0; ages != NULL && i < r->nsubs; i++) {
		sub = &r->subs[i];
		ages[i].sub = i;
		ages[i].age = UT_STATE(load(&sub->state)) == UT_OWNED ? 0 :
		    delivered - load(&sub->order);
	}
	if (ages != NULL)
		qsort(ages, r->nsubs, sizeof(*ages), age_cmp);
	return ages;
}

struct region *
region_copy(struct region *r)
{
	const uint64_t now = region_now(r);
	struct age *ages = newest_first(r);
	struct region *c = ages != NULL ? region_private(r) : NULL;
	uint32_t i;
	int tries;

	if (c == NULL) {
		free(ages);
		return NULL;
	}
	memcpy(c->name, r->name, sizeof(c->name));
	c->stream = r->stream;
	c->attrs.v[ATTR_FILESIZE] = c->attrs.v[ATTR_FILES] = 0;
	copy_slots(r, c);
	for (i = 0; i < r->nsubs; i++)
		for (tries = 0; tries < TRIES; tries++)
			if (copy_sub(r, c, ages[i].sub, now))
				break;
	free(ages);
	copy_begins(c);
	return c;
}

void
region_copy_free(struct region *c)
{
	region_private_free(c);
}

static struct shot **
find(uint32_t id)
{
	struct shot **sp;

	for (sp = &shots; *sp != NULL && (*sp)->id != id; sp = &(*sp)->next)
		continue;
	return sp;
}

/* UT_C_SHOTTEXT */
void
shot_text(struct ut_msg *m)
{
	static char text[UT_MSG_MAX];
	struct shot *s = *find(m->h.a);
	size_t n;

	ut_msg_get_str(m, text, sizeof(text));
	n = strlen(text);
	if (s == NULL) {
		s = xcalloc(1, sizeof(*s));
		s->id = m->h.a;
		s->next = shots;
		shots = s;
	}
	if (m->bad || n > TEXT_MAX - s->len)
		return;			/* its length will be wrong */
	s->text = xrealloc(s->text, s->len + n + 1);
	memcpy(s->text + s->len, text, n + 1);
	s->len += n;
}

/* Drain the copies there, and count the events; 0, or an errno. */
static int
drain_copies(struct region *copies, struct trace *t, uint64_t *events)
{
	struct region *c;
	int error = 0;

	for (c = copies; c != NULL; c = c->next) {
		c->sink = sink_new(c, t);
		(void)region_drain(c, DRAIN_LAST);
		if (error == 0)
			error = c->sink->trouble;
		*events += c->written;
		sink_free(c->sink);
	}
	return error;
}

/* Write what was copied: 0, or -1 and errno. */
static int
shot_write(struct region *copies, const struct trace *like, int fd,
    const char *path, const char *text, uint64_t *events)
{
	struct trace *t = output_trace(like, fd, path, false);
	int error = 0;

	if (t == NULL)
		return -1;
	if (output_metadata(t, text, true) == -1 ||
	    output_pending(t) == -1)
		error = errno;
	if (error == 0 && (error = drain_copies(copies, t, events)) != 0) {
		errno = error;
		(void)report_why(t->path, "%s", strerror(error));
	}
	output_close(t);
	errno = error;
	return error == 0 ? 0 : -1;
}

/* Copies of the regions that are there, of those that the message names. */
static int
copy_regions(struct ut_msg *m, struct region **copies)
{
	uint32_t n = ut_msg_get_u32(m);
	struct region *r, *c;

	while (!m->bad && n-- > 0) {
		if ((r = region_known(ut_msg_get_u32(m))) == NULL)
			continue;
		if ((c = region_copy(r)) == NULL)
			return report_why("a copy of the buffers", "%s",
			    strerror(errno));
		c->next = *copies;
		*copies = c;
	}
	return 0;
}

/* Without all of its metadata, which another consumer has got: -1. */
static int
shot_do(struct ut_msg *m, const char *path, struct region **copies,
    uint64_t *events)
{
	struct shot **sp = find(m->h.a), *s = *sp;
	const uint64_t len = ut_msg_get_u64(m);
	struct trace like;
	int i, fd, r = -1;

	memset(&like, 0, sizeof(like));
	like.id = m->h.a;
	for (i = 0; i < UUID_LEN; i++)
		like.uuid[i] = ut_msg_get_u8(m);
	if (m->bad || s == NULL || s->len != len || len == 0) {
		errno = ESTALE;
		(void)report_why(NULL, "the consumer of uid %lu ended "
		    "meanwhile", (unsigned long)geteuid());
	} else if (copy_regions(m, copies) == 0 &&
	    (fd = ut_msg_get_fd(m)) != -1) {
		r = shot_write(*copies, &like, fd, path, s->text, events);
	}
	if (s != NULL) {
		*sp = s->next;
		free(s->text);
		free(s);
	}
	return r;
}

/* UT_C_SHOT */
void
shot_take(struct ut_msg *m)
{
	char path[PATH_MAX];
	const uint32_t serial = ut_msg_get_u32(m);
	struct region *copies = NULL, *c;
	struct ut_msg *out;
	uint64_t events = 0;
	int r, error;

	ut_msg_get_str(m, path, sizeof(path));
	r = shot_do(m, path, &copies, &events);
	error = errno;
	while ((c = copies) != NULL) {
		copies = c->next;
		region_copy_free(c);
	}
	if (r == -1) {
		report_failed(serial, error);
		return;
	}
	out = report_begin(UT_C_REPLY, serial, 0);
	ut_msg_u64(out, events);
	report_send();
}
