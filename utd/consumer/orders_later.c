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

/* The parent's messages that a consumer obeys between two passes. */

#include <sys/types.h>
#include <sys/mman.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "consumer.h"
#include "region.h"
#include "sink.h"

static bool died;		/* a program has died, just now */

static void
reply_counts(uint32_t serial, struct region *r, uint32_t used)
{
	struct ut_header *h;
	struct counts *c;
	struct ut_msg *out;
	bool more;

	if (r == NULL) {
		report_failed(serial, ENOENT);
		return;
	}
	/* Both calls may send a report themselves: before ours is begun. */
	h = r->header;
	c = &r->counted;
	c->lost = region_lost(r);
	c->overwritten = region_overwritten(r);
	(void)region_count(r, &c->waits, load(&h->waits));
	(void)region_count(r, &c->waited, load(&h->waited) / 1000);
	(void)region_count(r, &c->longest, load(&h->longest) / 1000);
	more = r->past.unsaid;
	out = report_begin(UT_C_REPLY, serial, 0);
	ut_msg_u64(out, r->written + region_kept(r));
	ut_msg_u64(out, c->lost);
	ut_msg_u64(out, r->sink->bytes + (more ? r->past.bytes : 0));
	ut_msg_u64(out, r->sink->packets + (more ? r->past.packets : 0));
	ut_msg_u64(out, c->overwritten);
	ut_msg_u64(out, c->waits);
	ut_msg_u64(out, c->waited);
	ut_msg_u64(out, c->longest);
	ut_msg_u32(out, used);
	report_send();
}

static void
do_refine(struct ut_msg *m)
{
	char text[512];
	struct trace *t = trace_find(m->h.a);
	uint64_t at = ut_msg_get_u64(m);

	ut_msg_get_str(m, text, sizeof(text));
	if (t != NULL && !m->bad)
		output_refine(t, at, text);
}

static void
do_active(struct ut_msg *m)
{
	struct region *r = region_known(m->h.a);
	uint32_t serial = ut_msg_get_u32(m);

	if (r != NULL) {
		(m->h.b == UT_START ? pause_end : pause_begin)(r);
		if (m->h.b == UT_START)
			region_start(r);
		else if (r->keeps)
			region_stop(r, false);
		else
			region_finish(r, false);
		if (m->h.b == UT_STOP_ALONE)
			pause_alone(r);
		clockfile_mark();
		clockfile_write(r->sink->trace);
		tick_awake(r);
	}
	reply_counts(serial, r, r != NULL ? region_used(r) : 0);
}

static void
do_count(struct ut_msg *m)
{
	struct region *r = region_known(m->h.a);
	uint32_t used = 0;

	if (r != NULL) {
		used = region_used(r);	/* until now */
		(void)region_drain(r, DRAIN_ALL);
	}
	reply_counts(ut_msg_get_u32(m), r, used);
}

static void
do_pause(struct ut_msg *m)
{
	struct region *r = region_known(m->h.a);
	const uint32_t serial = ut_msg_get_u32(m);
	const uint64_t from = ut_msg_get_u64(m), to = ut_msg_get_u64(m);

	if (r != NULL && !m->bad)
		pause_add(r, from == 0 ? r->begun : from, to);
	(void)report_begin(UT_C_REPLY, serial, 0);
	report_send();
}

static void
do_watch(struct ut_msg *m)
{
	struct region *r = region_known(m->h.a);

	if (r == NULL)
		return;
	r->watched = true;
	r->watched_bytes = ut_msg_get_u64(m);
	region_grew(r);
}

/*
 * The region is finished.  The parent removes its name when it has saved the
 * counts: without them the next utd needs the memory, which has them, too.
 */
static void
reply_finished(uint32_t serial, struct region *r)
{
	reply_counts(serial, r, 0);
	region_end(r);
}

static void
do_close(struct ut_msg *m)
{
	struct region *r = region_known(m->h.a);
	const uint32_t serial = ut_msg_get_u32(m);

	if (r != NULL) {
		LIST_DEL(struct region, &regions, r, next);
		region_finish(r, m->h.b != 0);
		reply_finished(serial, r);
	} else {
		reply_counts(serial, NULL, 0);
	}
	if (regions == NULL)
		tick_end();
}

/*
 * Finish a region that cannot be written anywhere.  The parent has said why; we
 * log how many events are lost, because nobody else says so if utd is ending.
 */
static void
do_bury(struct ut_msg *m)
{
	struct trace nowhere = { .fd = -1, .meta = -1, .base = -1 };
	struct region like, *r = NULL;
	const uint32_t serial = orders_like(m, &like);
	char why[512];
	uint64_t before;
	int fd;

	nowhere.lost = ENOENT;
	ut_msg_get_str(m, like.shm, sizeof(like.shm));
	ut_msg_get_str(m, why, sizeof(why));
	fd = m->h.nfds > 0 ? ut_msg_get_fd(m) : ut_shm_open(like.shm);
	if (fd != -1 && (r = orders_region(&like, &nowhere, true,
	    fd)) != NULL) {
		before = region_lost(r);
		region_finish(r, false);
		if (region_lost(r) > before)
			log_warnx("channel %s: %llu events are lost: %s",
			    r->name, (unsigned long long)(region_lost(r) -
			    before), why);
		reply_finished(serial, r);
	} else {
		reply_counts(serial, NULL, 0);
	}
}

/* The parent has forgotten the region before we may have made it. */
static void
do_unlink(struct ut_msg *m)
{
	char name[UT_SHM_NAME];

	ut_msg_get_str(m, name, sizeof(name));
	if (shm_unlink(name) == -1 && errno != ENOENT)
		log_warn("shared memory %s is left, for you to remove", name);
}

static void
do_closetrace(struct ut_msg *m)
{
	struct trace *t = trace_find(m->h.a);

	if (t != NULL)
		output_close(t);
}

/* Reply what became of the trace that these regions were written to. */
static void
reply_rotated(uint32_t serial, uint32_t trace)
{
	struct region *r;
	struct ut_msg *out = report_begin(UT_C_REPLY, serial, 0);
	uint32_t n = 0;

	for (r = regions; r != NULL; r = r->next)
		n += r->past.trace == trace;
	ut_msg_u32(out, n);
	for (r = regions; r != NULL; r = r->next) {
		if (r->past.trace != trace)
			continue;
		ut_msg_u32(out, r->id);
		ut_msg_u64(out, r->past.told);
		ut_msg_u64(out, r->past.bytes);
		ut_msg_u64(out, r->past.packets);
		r->past.unsaid = false;
	}
	report_send();
}

/* If another consumer was told so, its regions go on there already. */
static void
do_rotate(struct ut_msg *m)
{
	struct trace *from = trace_find(m->h.a), *to = trace_find(m->h.b);
	const uint32_t serial = ut_msg_get_u32(m);
	struct region *r;

	if (to == NULL) {
		report_failed(serial, ENOENT);
		return;
	}
	for (r = regions; from != NULL && r != NULL; r = r->next)
		if (r->sink->trace == from)
			region_rotate(r, to);
	if (from != NULL)
		output_close(from);
	reply_rotated(serial, m->h.a);
}

static void
do_chunk(struct ut_msg *m)
{
	char from[NAME_MAXLEN], to[NAME_MAXLEN];
	const uint32_t serial = ut_msg_get_u32(m);
	struct ut_msg *out;
	struct aging may;
	bool any = false;
	int fd;

	ut_msg_get_str(m, from, sizeof(from));
	ut_msg_get_str(m, to, sizeof(to));
	may.n = ut_msg_get_u32(m);
	may.bytes = ut_msg_get_u64(m);
	may.most = ut_msg_get_u64(m);
	fd = ut_msg_get_fd(m);
	if (fd == -1 ||
	    chunk_done(fd, from, to, m->h.b, &may, &any) == -1) {
		report_failed(serial, errno);
	} else {
		out = report_begin(UT_C_REPLY, serial, 0);
		ut_msg_u32(out, any);
		report_send();
	}
	if (fd != -1)
		close(fd);
}

static void
do_carry(struct ut_msg *m)
{
	char from[PATH_MAX], to[PATH_MAX];
	const uint32_t serial = ut_msg_get_u32(m);
	int fd;

	ut_msg_get_str(m, from, sizeof(from));
	ut_msg_get_str(m, to, sizeof(to));
	fd = ut_msg_get_fd(m);
	if (fd == -1 || chunk_carry(fd, from, to) == -1) {
		report_failed(serial, errno);
	} else {
		(void)report_begin(UT_C_REPLY, serial, 0);
		report_send();
	}
	if (fd != -1)
		close(fd);
}

static void
do_where(struct ut_msg *m)
{
	char path[PATH_MAX];
	const uint32_t serial = ut_msg_get_u32(m);
	struct ut_msg *out;
	int fd;

	ut_msg_get_str(m, path, sizeof(path));
	fd = ut_msg_get_fd(m);
	if (fd == -1 || output_where(fd, path, sizeof(path)) == -1) {
		report_failed(serial, errno);
	} else {
		out = report_begin(UT_C_REPLY, serial, 0);
		ut_msg_str(out, path);
		report_send();
	}
	if (fd != -1)
		close(fd);
}

/*
 * A program died; it is buried together with those of the next messages.
 */
static void
do_dead(struct ut_msg *m)
{
	program_died(m);
	died = true;
}

static const struct order orders[] = {
	{ UT_C_REFINE,		do_refine },
	{ UT_C_DEAD,		do_dead },
	{ UT_C_ACTIVE,		do_active },
	{ UT_C_COUNT,		do_count },
	{ UT_C_CLOSE,		do_close },
	{ UT_C_UNLINK,		do_unlink },
	{ UT_C_CLOSETRACE,	do_closetrace },
	{ UT_C_BURY,		do_bury },
	{ UT_C_ROTATE,		do_rotate },
	{ UT_C_CHUNK,		do_chunk },
	{ UT_C_CARRY,		do_carry },
	{ UT_C_PAUSE,		do_pause },
	{ UT_C_WATCH,		do_watch },
	{ UT_C_WHERE,		do_where },
	{ UT_C_SHOTDIR,		shot_dir },
	{ UT_C_SHOTTEXT,	shot_text },
	{ UT_C_SHOT,		shot_take },
	{ UT_C_SHOTEND,		shot_end },
	{ 0,			NULL }
};

/* Bury all the dead in one pass; if that is not complete, try again later. */
void
orders_bury(void)
{
	struct region *r;
	bool buried = true;

	died = false;
	if (!programs_dead())
		return;
	tick_awake_all();	/* gaps that the dead leave close with time */
	for (r = regions; r != NULL; r = r->next)
		buried &= region_bury(r);
	if (buried)
		programs_forget();
}

/* Obey the messages that were put off, and need not wait any more. */
void
orders_later(void)
{
	struct later *l;

	while (orders_held == 0 && (l = orders_next()) != NULL) {
		if (died && l->msg.h.type != UT_C_DEAD)
			orders_bury();
		(void)order_obey(orders, &l->msg);
		ut_msg_clear(&l->msg);
		free(l);
	}
	if (died)
		orders_bury();
}
