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
 * What the next utd needs to go on where this one was killed: sessions with
 * all that they have, in the file `state' of the run directory, and the
 * programs that are attached, in `programs'.
 *
 * state is a snapshot, written anew as a whole and put in place by rename(2)
 * whenever something in it has changed: at the end of a round of the loop,
 * later if it is large, and before a program, a consumer or utctl is told of
 * it.  It is a row of messages, in the form of those of ut_msg(5).  programs
 * is a table that is written in place, as programs come and go all the time.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parent.h"

#define CHUNK		32768u		/* of metadata, in one message */
#define SLOW_MS		10		/* to save it */
#define RETRY_MS	1000		/* after it could not be written */

static char state_path[PATH_MAX], new_path[PATH_MAX], apps_path[PATH_MAX];
static char lock_path[PATH_MAX];	/* and a UID behind */
static struct ut_msg out;

static void	save_later(void *);

static char *buf;
static size_t len, room;
static bool changed, off;
static int64_t took;			/* ms, the last time */
static bool failed;			/* and was told of */
static struct timer timer;		/* until it is saved */
static int apps_fd = -1;
static uint32_t napps;			/* places in the table */

/* The message goes behind the others. */
static void
put(void)
{
	if (out.bad) {
		log_warnx("state: message %u does not fit", out.h.type);
		return;
	}
	if (len + out.h.len > room) {
		room = (len + out.h.len) * 2;
		buf = xrealloc(buf, room);
	}
	memcpy(buf + len, &out.h, sizeof(out.h));
	memcpy(buf + len + sizeof(out.h), out.body, out.h.len -
	    sizeof(out.h));
	len += out.h.len;
}

static void
put_text(const struct text *t)
{
	char chunk[CHUNK + 1];
	size_t pos, n;

	for (pos = 0; pos < t->len; pos += n) {
		n = t->len - pos < CHUNK ? t->len - pos : CHUNK;
		memcpy(chunk, t->s + pos, n);
		chunk[n] = '\0';
		ut_msg_init(&out, STATE_TEXT, 0, 0);
		ut_msg_str(&out, chunk);
		put();
	}
}

static void
put_trace(const struct trace *t)
{
	int i;

	ut_msg_init(&out, STATE_TRACE, t->id, t->made);
	ut_msg_u32(&out, (uint32_t)t->uid);
	ut_msg_u32(&out, (uint32_t)t->gid);
	ut_msg_u32(&out, t->bits);
	ut_msg_u64(&out, t->owner);
	ut_msg_u32(&out, (uint32_t)t->pid);
	ut_msg_u32(&out, (uint32_t)t->vpid);
	ut_msg_str(&out, t->name);
	ut_msg_str(&out, t->path);
	for (i = 0; i < UUID_LEN; i++)
		ut_msg_u8(&out, t->uuid[i]);
	ut_msg_str(&out, t->uuidstr);
	ut_msg_u64(&out, t->past);
	ut_msg_u64(&out, t->clock_at);
	put();
	put_text(&t->text);
}

static void
put_region(const struct region *r)
{
	static struct ut_msg body;
	const struct entry *e;
	uint32_t n;

	ut_msg_init(&out, STATE_REGION, r->id, r->trace->id);
	ut_msg_str(&out, r->shm);
	ut_msg_u32(&out, r->described);
	put();
	for (e = r->registry.first; e != NULL; e = e->after) {
		desc_open(e->desc, &body, &n);
		ut_msg_init(&out, STATE_ENTRY, e->id, e->desc->level);
		ut_msg_str(&out, e->desc->name);
		ut_msg_str(&out, e->program);
		ut_msg_bytes(&out, &body);
		put();
	}
}

static void
put_rule(const struct rule *r)
{
	uint32_t i;

	ut_msg_init(&out, STATE_RULE, 0, 0);
	ut_msg_str(&out, r->glob);
	ut_msg_u32(&out, r->kind);
	ut_msg_u32(&out, r->level);
	ut_msg_u32(&out, r->nexcept);
	for (i = 0; i < r->nexcept; i++)
		ut_msg_str(&out, r->except[i]);
	put();
}

/* Before its consumer is asked, nothing of it is anywhere. */
static bool
trace_begun(const struct trace *t)
{
	return t->path != NULL && t->uuidstr[0] != '\0';
}

static void
put_channel(const struct channel *ch)
{
	const struct geometry *g = &ch->geometry;
	const struct rule *rule;
	const struct region *r;

	ut_msg_init(&out, STATE_CHANNEL, ch->id, ch->stream);
	ut_msg_str(&out, ch->name);
	ut_msg_u32(&out, g->subsize);
	ut_msg_u32(&out, g->nsubs);
	ut_msg_u32(&out, g->buffers);
	ut_msg_u32(&out, g->clock);
	ut_msg_u32(&out, ch->enabled);
	ut_msg_u32(&out, ch->removed);
	ut_msg_u64(&out, ch->past.written);
	ut_msg_u64(&out, ch->past.lost);
	ut_msg_u64(&out, ch->past.bytes);
	ut_msg_u64(&out, ch->past.packets);
	put();
	for (rule = ch->rules; rule != NULL; rule = rule->next)
		put_rule(rule);
	for (r = ch->regions; r != NULL; r = r->next)
		if (r->state != REGION_FAILED && trace_begun(r->trace))
			put_region(r);
}

static void
put_session(const struct session *s)
{
	const struct warning *w;
	const struct trace *t;
	const struct channel *ch;

	ut_msg_init(&out, STATE_SESSION, (s->active ? STATE_ACTIVE : 0) |
	    (s->current ? STATE_CURRENT : 0) |
	    (s->missed ? STATE_MISSED : 0), s->nstreams);
	ut_msg_str(&out, s->name);
	ut_msg_str(&out, s->dir);
	ut_msg_u32(&out, (uint32_t)s->uid);
	ut_msg_u32(&out, (uint32_t)s->gid);
	ut_msg_u64(&out, s->dev);
	ut_msg_u64(&out, s->ino);
	ut_msg_u64(&out, s->offset);
	ut_msg_u64(&out, s->since.cycles);
	ut_msg_u64(&out, s->since.ns);
	ut_msg_u64(&out, (uint64_t)s->created);
	ut_msg_str(&out, s->error);
	put();
	for (w = s->warnings; w != NULL; w = w->next) {
		ut_msg_init(&out, STATE_WARNING, 0, 0);
		ut_msg_str(&out, w->text);
		put();
	}
	for (t = s->traces; t != NULL; t = t->next)
		if (t->state != REGION_FAILED && trace_begun(t))
			put_trace(t);
	for (ch = s->channels; ch != NULL; ch = ch->next)
		put_channel(ch);
}

/* One that is about to go is taken up as it is, one that is about to come not. */
static void
put_sessions(const struct session *s)
{
	if (s == NULL)
		return;
	put_sessions(s->next);	/* the last one made is the first in the list */
	if (s->ino != 0)
		put_session(s);
}

static void
put_bell(const struct consumer *c)
{
	if (c->given_up || c->leaving)
		return;
	ut_msg_init(&out, STATE_CONSUMER, (uint32_t)c->uid, (uint32_t)c->gid);
	ut_msg_str(&out, c->bellname);
	put();
}

static int
write_all(int fd)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write(fd, buf + done, len - done);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		done += (size_t)n;
	}
	return 0;
}

static bool
write_state(void)
{
	bool ok;
	int fd;

	fd = open(new_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (fd == -1)
		return false;
	ok = write_all(fd) == 0 && rename(new_path, state_path) == 0;
	close(fd);
	return ok;
}

/* Now, if there is anything new. */
void
state_save(void)
{
	if (!changed || off)
		return;
	changed = false;
	took = ut_msg_now();
	len = 0;
	ut_msg_init(&out, STATE_BEGIN, STATE_VERSION, 0);
	put();
	consumers_each(put_bell);
	put_sessions(sessions);
	ut_msg_init(&out, STATE_END, 0, 0);
	put();
	if (write_state()) {
		took = ut_msg_now() - took;
		failed = false;
		return;
	}
	if (!failed)
		log_warn("%s", new_path);
	took = ut_msg_now() - took;
	failed = changed = true;
	timer_set(&timer, RETRY_MS, save_later, NULL);
}

static void
save_later(void *arg)
{
	(void)arg;
	state_save();
}

void
state_changed(void)
{
	changed = true;
	if (timer.when == 0)
		timer_set(&timer, took < SLOW_MS ? 0 : (int)(20 * took),
		    save_later, NULL);
}

/*
 * The program is attached to something.
 */
void
state_app(struct app *a)
{
	struct state_app s;

	if (apps_fd == -1)
		return;
	memset(&s, 0, sizeof(s));
	s.owner = a->owner;
	s.uid = (uint32_t)a->uid;
	s.gid = (uint32_t)a->gid;
	s.pid = (uint32_t)a->pid;
	s.vpid = (uint32_t)a->vpid;
	s.bits = a->bits;
	s.space = ut_pid_space();
	snprintf(s.name, sizeof(s.name), "%s", a->name);
	if (a->place == 0)
		a->place = state_place();
	(void)!pwrite(apps_fd, &s, sizeof(s), (off_t)((a->place - 1) *
	    sizeof(s)));
}

static uint32_t *free_places;
static uint32_t nfree, roomfree;

/* One that is free, counted from 1. */
uint32_t
state_place(void)
{
	return nfree > 0 ? free_places[--nfree] : ++napps;
}

/* Nobody will ask any more who that was. */
void
state_place_free(uint32_t place)
{
	static const struct state_app none;

	if (place == 0 || apps_fd == -1)
		return;
	(void)!pwrite(apps_fd, &none, sizeof(none), (off_t)((place - 1) *
	    sizeof(none)));
	if (nfree == roomfree) {
		roomfree = roomfree == 0 ? 64 : roomfree * 2;
		free_places = xrealloc(free_places, roomfree *
		    sizeof(*free_places));
	}
	free_places[nfree++] = place;
}

static void
make_path(char *path, const char *dir, const char *file)
{
	int n = snprintf(path, PATH_MAX, "%s/%s", dir, file);

	if (n < 0 || n >= PATH_MAX) {
		errno = ENAMETOOLONG;
		fatal("%s/%s", dir, file);
	}
}

/*
 * The file in which the consumers of that user wait for each other.  Nobody
 * else's has it open: who has can keep them waiting for ever.
 */
static void
lock_name(char *path, size_t size, uid_t uid)
{
	const int n = snprintf(path, size, "%s%lu", lock_path,
	    (unsigned long)uid);

	if (n < 0 || (size_t)n >= size) {
		errno = ENAMETOOLONG;
		fatal("%s", lock_path);
	}
}

int
state_lock(uid_t uid)
{
	char path[PATH_MAX];
	int fd;

	lock_name(path, sizeof(path), uid);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd == -1)
		fatal("%s", path);
	return fd;
}

/* There is no consumer of that user any more that could wait. */
void
state_unlock(uid_t uid)
{
	char path[PATH_MAX];

	lock_name(path, sizeof(path), uid);
	unlink(path);
}

static void
remove_lock(const struct consumer *c)
{
	if (c->pid <= 0)		/* else it has it until it ends */
		state_unlock(c->uid);
}

/* Take up what another utd has left there, and begin. */
void
state_open(const char *dir)
{
	make_path(state_path, dir, "state");
	make_path(new_path, dir, "state.new");
	make_path(apps_path, dir, "programs");
	make_path(lock_path, dir, "consumer-");
	state_load(state_path, apps_path);
	apps_fd = open(apps_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (apps_fd == -1)
		log_warn("%s", apps_path);
	state_resume();
	state_changed();
}

/* An orderly end of all: nobody goes on. */
void
state_close(void)
{
	off = true;
	unlink(new_path);
	unlink(state_path);
	unlink(apps_path);
	consumers_each(consumer_remove_bell);
	consumers_each(remove_lock);
}
