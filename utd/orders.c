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
 * What the parent tells a consumer to do.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer.h"

/* A message that has to wait for the end of a pass. */
struct later {
	struct later	*next;
	struct ut_msg	 msg;		/* only as long as it needs to be */
};

bool ending;

static char bell_name[UT_BELL_NAME];	/* or what it is to be called */
static struct later *laters, **last_later = &laters;
static struct ut_msg in;

void
orders_init(void)
{
	ut_msg_init(&in, 0, 0, 0);
}

static struct pool *
pool_find(uint32_t id)
{
	struct pool *p;

	for (p = pools; p != NULL && p->id != id; p = p->next)
		continue;
	return p;
}

static struct outdir *
outdir_find(uint32_t id)
{
	struct outdir *d;

	for (d = outdirs; d != NULL && d->id != id; d = d->next)
		continue;
	return d;
}

/* Send the directory, and which one it is: the parent must not fstat(2) it. */
static void
reply_dir(uint32_t serial, int fd, const char *path, const struct stat *st)
{
	struct ut_msg *out;

	if (fd == -1) {
		report_failed(serial, errno);
		return;
	}
	out = report_begin(UT_C_REPLY, serial, 0);
	ut_msg_fd(out, fd);
	ut_msg_str(out, path);
	ut_msg_u64(out, (uint64_t)st->st_dev);
	ut_msg_u64(out, (uint64_t)st->st_ino);
	report_send();
	close(fd);
}

static void
reply_counts(uint32_t serial, const struct pool *p)
{
	static const struct counts none;
	const struct counts *c = p != NULL ? &p->counts : &none;
	const uint64_t lost = p != NULL ? pool_lost(p) : 0;
	struct ut_msg *out;

	out = report_begin(UT_C_REPLY, serial, p != NULL ? 0 : ENOENT);
	ut_msg_u64(out, c->written);
	ut_msg_u64(out, lost);
	ut_msg_u64(out, c->bytes);
	ut_msg_u64(out, c->packets);
	report_send();
}

static void
do_outdir(struct ut_msg *m)
{
	char path[PATH_MAX];
	uint32_t serial = ut_msg_get_u32(m);
	struct stat st;
	bool again;
	int fd;

	ut_msg_get_str(m, path, sizeof(path));
	again = ut_msg_get_u32(m) != 0;
	errno = ENAMETOOLONG;
	fd = m->bad ? -1 : output_session(path, again);
	memset(&st, 0, sizeof(st));
	if (fd != -1 && fstat(fd, &st) == -1) {
		close(fd);
		fd = -1;
	}
	reply_dir(serial, fd, path, &st);
}

/* Make a directory for another user, who will write there. */
static void
do_uiddir(struct ut_msg *m)
{
	char path[PATH_MAX + OUTPUT_NUMBER];
	uint32_t serial = ut_msg_get_u32(m);
	uid_t uid;
	gid_t gid;
	bool new;
	static const struct stat any;
	int fd, dir = -1;

	ut_msg_get_str(m, path, PATH_MAX);
	new = ut_msg_get_u32(m) != 0;
	uid = (uid_t)ut_msg_get_u32(m);
	gid = (gid_t)ut_msg_get_u32(m);
	if ((fd = ut_msg_get_fd(m)) != -1)
		dir = output_dir(fd, path, new ? OUTPUT_NEW : OUTPUT_MAKE,
		    uid);
	if (dir != -1 && output_give(dir, path, uid,
	    output_group(uid, gid)) == -1) {
		close(dir);
		dir = -1;
	}
	reply_dir(serial, dir, path, &any);
	if (fd != -1)
		close(fd);
}

static void
do_trace(struct ut_msg *m)
{
	struct outdir like, *d = NULL;
	struct ut_msg *out;
	char path[PATH_MAX];
	uint32_t serial = ut_msg_get_u32(m);
	bool made;
	int i, fd;

	ut_msg_get_str(m, path, sizeof(path));
	memset(&like, 0, sizeof(like));
	like.id = m->h.a;
	like.new = ut_msg_get_u32(m) != 0;
	like.again = ut_msg_get_u32(m) != 0;
	made = ut_msg_get_u32(m) != 0;
	for (i = 0; i < UUID_LEN; i++)
		like.uuid[i] = ut_msg_get_u8(m);
	if ((fd = ut_msg_get_fd(m)) != -1)
		d = output_trace(&like, fd, path, made);
	if (d == NULL) {
		report_failed(serial, errno);
		return;
	}
	d->next = outdirs;
	outdirs = d;
	out = report_begin(UT_C_REPLY, serial, 0);
	ut_msg_u64(out, (uint64_t)d->meta_size);
	report_send();
}

/* The name of the bell, which may exist. */
static void
do_bell(struct ut_msg *m)
{
	ut_msg_get_str(m, bell_name, sizeof(bell_name));
}

/* What somebody can do about it. */
static const char *
shm_help(int error)
{
	switch (error) {
	case EFBIG:
		return ": raise the limit of file sizes, or have fewer or "
		    "smaller sub-buffers (-n, -b)";
	case ENOMEM:
	case ENOSPC:
		return ": make room there, or have fewer or smaller "
		    "sub-buffers (-n, -b)";
	case EMFILE:
	case ENFILE:
		return ": see getrlimit(2)";
	default:
		return "";
	}
}

/* Report that there is no shared memory for the region or the bell. */
static void
no_shm(const struct pool *like)
{
	const int error = errno;
	const char *where = ut_shm_where();
	char size[64];

	snprintf(size, sizeof(size), "%zu kB of shared memory%s%s",
	    (pool_size(like) + 1023) / 1024, where != NULL ? " in " : "",
	    where != NULL ? where : "");
	report_why(size, "%s%s", strerror(error), shm_help(error));
}

/* Make a region, or take it over; NULL and errno. */
static struct pool *
make_region(struct pool *like, bool again, int fd)
{
	struct pool *p;
	int error;

	if (like->dir == NULL || sleep_bell(bell_name) == -1) {
		if (like->dir == NULL)
			errno = ENOENT;
		else
			no_shm(like);
		error = errno;
		if (fd != -1)
			close(fd);
		errno = error;
		return NULL;
	}
	p = pool_new(like, again, fd);
	if (p == NULL)
		no_shm(like);
	if (p != NULL && !again)
		pool_follow(p);
	if (p == NULL || !again || pool_adopt(p))
		return p;
	error = errno;
	pool_free(p, false);
	errno = error;
	return NULL;
}

static void
do_region(struct ut_msg *m)
{
	struct pool like, *p;
	struct ut_msg *out;
	uint32_t serial, active;
	bool again;

	memset(&like, 0, sizeof(like));
	like.id = m->h.a;
	like.dir = outdir_find(m->h.b);
	serial = ut_msg_get_u32(m);
	like.stream = ut_msg_get_u32(m);
	ut_msg_get_str(m, like.name, sizeof(like.name));
	like.nsubs = ut_msg_get_u32(m);
	like.subsize = ut_msg_get_u32(m);
	like.clock = ut_msg_get_u32(m);
	active = ut_msg_get_u32(m);
	ut_msg_get_str(m, like.shm, sizeof(like.shm));
	again = ut_msg_get_u32(m) != 0;
	p = make_region(&like, again, m->h.nfds > 0 ? ut_msg_get_fd(m) : -1);
	if (p == NULL) {
		report_failed(serial, errno);
		return;
	}
	if (active)
		pool_start(p);
	if (pools == NULL)
		sleep_tick(true);
	p->next = pools;
	pools = p;
	out = report_begin(UT_C_REPLY, serial, 0);
	ut_msg_u32(out, active);
	ut_msg_fd(out, p->fd);
	report_send();
}

/* A failure is reported when it keeps events back. */
static void
do_metadata(struct ut_msg *m)
{
	static char text[UT_MSG_MAX];
	struct outdir *d = outdir_find(m->h.a);

	ut_msg_get_str(m, text, sizeof(text));
	if (d != NULL)
		(void)output_metadata(d, text, m->h.b == 0);
}

/* All metadata is here: events may be written. */
static void
do_synced(struct ut_msg *m)
{
	struct outdir *d = outdir_find(m->h.a);

	if (d != NULL)
		d->behind = false;
}

static void
do_refine(struct ut_msg *m)
{
	char text[512];
	struct outdir *d = outdir_find(m->h.a);
	uint64_t at = ut_msg_get_u64(m);

	ut_msg_get_str(m, text, sizeof(text));
	if (d != NULL && !m->bad)
		output_refine(d, at, text);
}

static void
do_owner(struct ut_msg *m)
{
	(void)owner_read(m);
}

static void
do_active(struct ut_msg *m)
{
	struct pool *p = pool_find(m->h.a);
	uint32_t serial = ut_msg_get_u32(m);

	if (p != NULL && m->h.b != 0)
		pool_start(p);
	else if (p != NULL)
		pool_finish(p, false);
	reply_counts(serial, p);
}

static void
do_count(struct ut_msg *m)
{
	struct pool *p = pool_find(m->h.a);

	if (p != NULL)
		(void)pool_drain(p, DRAIN_ALL);
	reply_counts(ut_msg_get_u32(m), p);
}

static void
do_close(struct ut_msg *m)
{
	struct pool **pp, *p;

	for (pp = &pools; (p = *pp) != NULL; pp = &p->next)
		if (p->id == m->h.a)
			break;
	if (p != NULL) {
		*pp = p->next;
		pool_finish(p, m->h.b != 0);
	}
	reply_counts(ut_msg_get_u32(m), p);
	if (p != NULL)
		pool_free(p, true);
	if (pools == NULL)
		sleep_tick(false);
}

/*
 * Remove a region that cannot be written anywhere.  The parent has said why; we
 * log how many events are lost, because nobody else says so if utd is ending.
 */
static void
do_bury(struct ut_msg *m)
{
	struct outdir nowhere = { .fd = -1, .meta = -1, .base = -1 };
	struct pool like, *p = NULL;
	const uint32_t serial = ut_msg_get_u32(m);
	char why[512];
	uint64_t before;
	int fd;

	nowhere.lost = ENOENT;
	memset(&like, 0, sizeof(like));
	like.id = m->h.a;
	like.dir = &nowhere;
	like.stream = ut_msg_get_u32(m);
	ut_msg_get_str(m, like.name, sizeof(like.name));
	like.nsubs = ut_msg_get_u32(m);
	like.subsize = ut_msg_get_u32(m);
	like.clock = ut_msg_get_u32(m);
	ut_msg_get_str(m, like.shm, sizeof(like.shm));
	ut_msg_get_str(m, why, sizeof(why));
	like.trouble = nowhere.lost;
	fd = m->h.nfds > 0 ? ut_msg_get_fd(m) : ut_shm_open(like.shm);
	if (fd != -1 && (p = make_region(&like, true, fd)) != NULL) {
		before = pool_lost(p);
		pool_finish(p, false);
		if (pool_lost(p) > before)
			log_warnx("channel %s: %llu events are lost: %s",
			    p->name, (unsigned long long)(pool_lost(p) -
			    before), why);
	}
	reply_counts(serial, p);
	if (p != NULL)
		pool_free(p, true);
	else
		(void)shm_unlink(like.shm);
}

static void
do_closetrace(struct ut_msg *m)
{
	struct outdir **dp, *d;

	for (dp = &outdirs; (d = *dp) != NULL; dp = &d->next) {
		if (d->id == m->h.a) {
			*dp = d->next;
			output_close(d);
			return;
		}
	}
}

static void
do_end(struct ut_msg *m)
{
	(void)m;
	ending = true;
}

static const struct {
	uint16_t	 type;
	void		(*act)(struct ut_msg *);
} orders[] = {
	{ UT_C_END,		do_end },
	{ UT_C_OUTDIR,		do_outdir },
	{ UT_C_UIDDIR,		do_uiddir },
	{ UT_C_TRACE,		do_trace },
	{ UT_C_REGION,		do_region },
	{ UT_C_METADATA,	do_metadata },
	{ UT_C_SYNCED,		do_synced },
	{ UT_C_REFINE,		do_refine },
	{ UT_C_BELL,		do_bell },
	{ UT_C_OWNER,		do_owner },
	{ UT_C_DEAD,		owner_died },
	{ UT_C_ACTIVE,		do_active },
	{ UT_C_COUNT,		do_count },
	{ UT_C_CLOSE,		do_close },
	{ UT_C_CLOSETRACE,	do_closetrace },
	{ UT_C_BURY,		do_bury },
};

static void
obey(struct ut_msg *m)
{
	size_t i;

	report_try();
	for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (orders[i].type == m->h.type)
			orders[i].act(m);
	ut_msg_clear(m);
}

static void
put_off(struct ut_msg *m)
{
	size_t body = m->h.len - sizeof(m->h);
	struct later *l;

	l = xcalloc(1, sizeof(*l) - sizeof(m->body) + body);
	memcpy(&l->msg, m, offsetof(struct ut_msg, body) + body);
	*last_later = l;
	last_later = &l->next;
	ut_msg_init(m, 0, 0, 0);
}

/*
 * Can the message be obeyed in the middle of a pass?  Metadata and the names of
 * programs must be, as committed events may need them, and new regions should
 * be, because a program waits for them.
 */
static bool
at_once(const struct ut_msg *m)
{
	switch (m->h.type) {
	case UT_C_BELL:
	case UT_C_OWNER:
	case UT_C_TRACE:
		return true;
	case UT_C_METADATA:
	case UT_C_SYNCED:
		return outdir_find(m->h.a) != NULL;
	case UT_C_REGION:
		return outdir_find(m->h.b) != NULL;
	default:
		return false;
	}
}

/* Take the parent's messages; obey some at once, and keep the others. */
void
orders_take(void)
{
	int r;

	while ((r = ut_msg_read(PARENT_FD, &in)) == 1) {
		if (at_once(&in))
			obey(&in);
		else
			put_off(&in);
	}
	if (r == -1)
		parent_gone = true;
}

/* Obey the others, between two passes. */
void
orders_obey(void)
{
	struct later *l;

	while ((l = laters) != NULL) {
		if ((laters = l->next) == NULL)
			last_later = &laters;
		if (l->msg.h.type != UT_C_DEAD)
			owners_bury_new();
		obey(&l->msg);
		free(l);
	}
	owners_bury_new();
}
