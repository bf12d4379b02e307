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
 * The messages of the parent to a consumer.  They are read in the middle of a
 * pass, too, because committed events may need it: metadata, names of programs,
 * and new directories and regions, for which programs and utctl wait.
 * Everything else waits for the end of the pass, and for what another consumer
 * had to be taken over: see orders_later.c.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "consumer.h"
#include "region.h"
#include "sink.h"

bool ending;

static char bell_name[UT_BELL_NAME];	/* the bell's, or the name to give it */
static struct later *laters, **last_later = &laters;
static struct ut_msg in;
unsigned int orders_held;

void
orders_init(void)
{
	ut_msg_init(&in, 0, 0, 0);
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
do_session_dir(struct ut_msg *m)
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
	if (fd != -1 && fstat(fd, &st) == -1)
		fd = close_failed(fd);
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
	    ut_user_group(uid, gid)) == -1)
		dir = close_failed(dir);
	reply_dir(serial, dir, path, &any);
	if (fd != -1)
		close(fd);
}

static void
do_trace(struct ut_msg *m)
{
	struct trace like, *t = NULL;
	struct ut_msg *out;
	char path[PATH_MAX];
	uint32_t serial = ut_msg_get_u32(m);
	bool made;
	int i, fd = -1;

	ut_msg_get_str(m, path, sizeof(path));
	memset(&like, 0, sizeof(like));
	like.id = m->h.a;
	like.new = ut_msg_get_u32(m) != 0;
	like.adopted = ut_msg_get_u32(m) != 0;
	made = ut_msg_get_u32(m) != 0;
	like.lazy = ut_msg_get_u32(m) != 0;
	for (i = 0; i < UUID_LEN; i++)
		like.uuid[i] = ut_msg_get_u8(m);
	like.limit = ut_msg_get_u64(m);
	if (m->h.nfds == 0 || (fd = ut_msg_get_fd(m)) != -1)
		t = output_trace(&like, fd, path, made);
	if (t == NULL) {
		report_failed(serial, errno);
		return;
	}
	out = report_begin(UT_C_REPLY, serial, 0);
	ut_msg_u64(out, (uint64_t)t->meta_size);
	report_send();
}

/* The name of the bell, which may exist. */
static void
do_bell(struct ut_msg *m)
{
	ut_msg_get_str(m, bell_name, sizeof(bell_name));
}

/* A remedy for the error, as the end of a message. */
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
	case ENOTSUP:				/* NetBSD */
		return ": mount a tmpfs of mode 1777 there: see utd(8)";
	case EEXIST:
		return ": others have taken the names ut-*: see who owns them";
	case EMFILE:
	case ENFILE:
		return ": see getrlimit(2)";
	default:
		return "";
	}
}

/* Report that there is no shared memory for the region or the bell. */
static void
no_shm(const struct region *like)
{
	const int error = errno;
	const char *where = ut_shm_where();
	char size[64];

	snprintf(size, sizeof(size), "%zu kB of shared memory%s%s",
	    (region_size(like) + 1023) / 1024, where != NULL ? " in " : "",
	    where != NULL ? where : "");
	report_why(size, "%s%s", strerror(error), shm_help(error));
}

/* Make a region, or take it over; NULL and errno. */
struct region *
orders_region(const struct region *like, struct trace *t, bool again,
    int fd)
{
	struct region *r;
	int error;

	if (t == NULL || sleep_bell(bell_name) == -1) {
		if (t == NULL)
			errno = ENOENT;
		else
			no_shm(like);
		if (fd != -1)
			(void)close_failed(fd);
		return NULL;
	}
	r = region_new(like, again, fd);
	if (r == NULL)
		no_shm(like);
	else if (again && sleep_bell_new())
		store(&r->header->mute, 1);
	if (r == NULL || region_begin(r, t, again))
		return r;
	error = errno;
	region_end(r);
	errno = error;
	return NULL;
}

/* Read what UT_C_REGION and UT_C_BURY begin with: all but the directory. */
uint32_t
orders_like(struct ut_msg *m, struct region *like)
{
	uint32_t serial = ut_msg_get_u32(m);

	memset(like, 0, sizeof(*like));
	like->id = m->h.a;
	like->stream = ut_msg_get_u32(m);
	ut_msg_get_str(m, like->name, sizeof(like->name));
	attrs_get(m, &like->attrs);
	like->keeps = ut_msg_get_u32(m) != 0;
	return serial;
}

static void
do_region(struct ut_msg *m)
{
	struct region like, *r = NULL;
	struct ut_msg *out;
	const uint32_t serial = orders_like(m, &like);
	const uint32_t active = ut_msg_get_u32(m);
	bool again;
	int fd = -1;

	ut_msg_get_str(m, like.shm, sizeof(like.shm));
	again = ut_msg_get_u32(m) != 0;
	like.past.trace = ut_msg_get_u32(m);
	like.past.told = ut_msg_get_u64(m);
	if (m->h.nfds == 0 || (fd = ut_msg_get_fd(m)) != -1)
		r = orders_region(&like, trace_find(m->h.b), again, fd);
	if (r == NULL) {
		report_failed(serial, errno);
		return;
	}
	if (active) {
		pause_end(r);
		region_start(r);
	}
	r->next = regions;
	regions = r;
	tick_awake(r);
	if (!region_sleep(r, true) || again)
		sleep_ring();		/* drain what is there */
	out = report_begin(UT_C_REPLY, serial, 0);
	ut_msg_u32(out, active);
	ut_msg_fd(out, r->fd);
	report_send();
}

/* A failure is reported when it keeps events back. */
static void
do_metadata(struct ut_msg *m)
{
	static char text[UT_MSG_MAX];
	struct trace *t = trace_find(m->h.a);

	ut_msg_get_str(m, text, sizeof(text));
	if (t != NULL)
		(void)output_metadata(t, text, m->h.b == 0);
}

/* The trace may have more, or not. */
static void
do_limit(struct ut_msg *m)
{
	struct trace *t = trace_find(m->h.a);
	const uint64_t limit = ut_msg_get_u64(m);

	if (t == NULL)
		return;
	t->refused = limit <= t->limit;
	if (t->refused)
		return;
	t->limit = limit;
	t->asked = 0;
	sleep_ring();
}

/* Without b, all metadata is here: events may be written. */
static void
do_hold(struct ut_msg *m)
{
	struct trace *t = trace_find(m->h.a);

	if (m->h.b != 0) {
		orders_held++;
		return;
	}
	orders_held--;
	if (t == NULL)
		return;
	t->behind = false;
	sleep_ring();
}

static void
do_program(struct ut_msg *m)
{
	(void)program_read(m);
}

/* Keep the region awake: it has a program that cannot wake it. */
static void
do_mute(struct ut_msg *m)
{
	struct region *r = region_known(m->h.a);

	if (r != NULL)
		tick_awake(r);
}

/* The parent has done without that part: see shot_do. */
static void
do_shotdrop(struct ut_msg *m)
{
	struct later *l;

	for (l = laters; l != NULL; l = l->next)
		if (l->msg.h.type == UT_C_SHOT && l->msg.h.a == m->h.a)
			l->msg.h.b = true;
}

static void
do_end(struct ut_msg *m)
{
	(void)m;
	ending = true;
}

static const struct order at_once[] = {
	{ UT_C_END,		do_end },
	{ UT_C_SESSIONDIR,	do_session_dir },
	{ UT_C_UIDDIR,		do_uiddir },
	{ UT_C_BELL,		do_bell },
	{ UT_C_PROGRAM,		do_program },
	{ UT_C_TRACE,		do_trace },
	{ UT_C_REGION,		do_region },
	{ UT_C_METADATA,	do_metadata },
	{ UT_C_HOLD,		do_hold },
	{ UT_C_MUTE,		do_mute },
	{ UT_C_LIMIT,		do_limit },
	{ UT_C_SHOTDROP,	do_shotdrop },
	{ 0,			NULL }
};

/* Obey the message if it is in the table; false if it is not. */
bool
order_obey(const struct order *o, struct ut_msg *m)
{
	while (o->act != NULL && o->type != m->h.type)
		o++;
	if (o->act == NULL)
		return false;
	report_try();
	o->act(m);
	return true;
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

/* Take the parent's messages; obey some at once, and keep the others. */
void
orders_take(void)
{
	int r;

	while ((r = ut_msg_read(PARENT_FD, &in)) == 1) {
		if (order_obey(at_once, &in))
			ut_msg_clear(&in);
		else
			put_off(&in);
	}
	if (r == -1)
		parent_gone = true;
}

/* The next message that was put off, to be freed; NULL if there is none. */
struct later *
orders_next(void)
{
	struct later *l = laters;

	if (l != NULL && (laters = l->next) == NULL)
		last_later = &laters;
	return l;
}
