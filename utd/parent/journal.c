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
 * The journal: the file `state' of the run directory, in which the next utd
 * finds what this one has.  See state.c for what is in it.
 *
 * It is a row of messages in the form of those of ut_msg(5).  What changes is
 * appended, with one STATE_END behind all that belongs together; what is
 * behind the last STATE_END of a file was being written when utd was killed,
 * and does not count.
 *
 * When the journal has grown to twice what it needs, all that there is is
 * copied to another, a piece in each round of the loop, so that nobody waits
 * long.  What changes meanwhile is written to the old one, and to the new one
 * if the copy has come by there already.  At the end rename(2) puts it in
 * place.  A journal that could not be written to is left as it is, and a copy
 * is made as soon as that can be done.
 *
 * Behind what is written there are zeros: room that is spared for what the
 * sessions that there are have yet to save, when nobody else finds any.  While
 * there is less, sessions are warned, and new ones refused: journal_trouble.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "journal.h"
#include "loop.h"

#define SLICE		(256u << 10)	/* bytes copied in a round */
#define BUFFER		(1u << 20)	/* bytes that are written at a time */
#define SLACK		(1u << 20)	/* bytes that are not worth a copy */
#define SPARE		(64u << 10)	/* bytes that stay free in it */
#define SPARE_LEAST	(8u << 10)	/* with less no session can begin */
#define RETRY_MS	1000		/* after it could not be written */
#define BUCKETS		1024		/* for objects, by ID */

struct journal {
	int		 fd;		/* -1: nothing is written to it */
	uint64_t	 size;		/* bytes of records in the file */
	uint64_t	 end;		/* size, and the zeros behind */
	uint64_t	 needed;	/* size when it was new */
	char		*buf;		/* records not yet in the file */
	size_t		 len, room;
	bool		 open;		/* no STATE_END behind the last one */
};

static char path[PATH_MAX], new_path[PATH_MAX];
static struct journal journals[2] = { { .fd = -1 }, { .fd = -1 } };
static unsigned int current;		/* the other is the copy */
static struct saved *all, **last = &all;
static struct saved *by_id[BUCKETS];
static struct saved *changed, **last_changed = &changed;
static struct saved *cursor;		/* the next one to be copied */
static bool off, failed;		/* failed: and was logged */
static char trouble[PATH_MAX + 160];	/* the problem for users; or "" */
static struct timer save_timer, copy_timer;
const struct saved_ops *journal_ops;
static uint32_t last_id;

static void	save_later(void *);
static void	copy_later(void *);

static void
journal_close(struct journal *j)
{
	if (j->fd != -1)
		close(j->fd);
	free(j->buf);
	memset(j, 0, sizeof(*j));
	j->fd = -1;
}

/* Warn of errno, once until the trouble is over. */
static void
journal_warn(const char *file)
{
	const int error = errno;

	if (!failed)
		log_warn("%s", file);
	failed = true;
	snprintf(trouble, sizeof(trouble), "if utd is killed, events can be "
	    "lost: %s: %s", file, strerror(error));
}

/* Give up the file; what was written to it stays valid: see load_sessions. */
static void
journal_failed(struct journal *j)
{
	journal_warn(j == &journals[current] ? path : new_path);
	if (j != &journals[current])
		unlink(new_path);
	journal_close(j);
	timer_set(&copy_timer, RETRY_MS, copy_later, NULL);
}

static void
journal_flush(struct journal *j)
{
	size_t done = 0;
	ssize_t n;

	while (done < j->len) {
		n = pwrite(j->fd, j->buf + done, j->len - done,
		    (off_t)(j->size + done));
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (n == 0)
				errno = EIO;
			journal_failed(j);
			return;
		}
		done += (size_t)n;
	}
	j->size += j->len;
	j->len = 0;
	if (j->end < j->size)
		j->end = j->size;
}

/* Is there room to spare in the file?  With errno if there is not. */
static bool
journal_spare(struct journal *j)
{
	static const char zeros[SPARE];
	ssize_t n;

	while (j->end - j->size < SPARE / 2) {
		n = pwrite(j->fd, zeros, (size_t)(j->size + SPARE - j->end),
		    (off_t)j->end);
		if (n > 0)
			j->end += (uint64_t)n;
		else if (n == 0 || errno != EINTR)
			break;
	}
	return j->end - j->size >= SPARE_LEAST;
}

/* Keep room in the journal; sessions are told if there is none. */
static void
keep_spare(void)
{
	struct journal *j = &journals[current];

	if (j->fd == -1)
		return;
	errno = ENOSPC;
	if (!journal_spare(j)) {
		journal_warn(path);
	} else {
		trouble[0] = '\0';
		failed = false;
	}
}

/* Append a message; returns its length. */
size_t
journal_put(unsigned int i, const struct ut_msg *m)
{
	struct journal *j = &journals[i];
	char *buf;

	if (j->fd == -1)
		return 0;
	if (m->bad) {
		log_warnx("state: message %u does not fit", m->h.type);
		return 0;
	}
	if (j->len + m->h.len > j->room) {
		j->room = (j->len + m->h.len) * 2;
		if ((buf = realloc(j->buf, j->room)) == NULL) {
			journal_failed(j);
			return 0;
		}
		j->buf = buf;
	}
	memcpy(j->buf + j->len, &m->h, sizeof(m->h));
	memcpy(j->buf + j->len + sizeof(m->h), m->body, m->h.len -
	    sizeof(m->h));
	j->len += m->h.len;
	j->open = true;
	if (j->len >= BUFFER)
		journal_flush(j);
	return m->h.len;
}

static void
put_mark(unsigned int i, uint16_t type, uint32_t a)
{
	static struct ut_msg m;

	ut_msg_init(&m, type, a, 0);
	(void)journal_put(i, &m);
}

/* Write everything that was put, and mark it as belonging together. */
static void
commit(unsigned int i)
{
	struct journal *j = &journals[i];

	if (j->fd == -1 || !j->open)
		return;
	put_mark(i, STATE_END, 0);
	if (j->fd != -1)
		journal_flush(j);
	j->open = false;
	if (i == current)
		keep_spare();
}

/*
 * Objects.  None has an ID that another had, not even with an earlier utd.
 */
uint32_t
new_id(void)
{
	return ++last_id;
}

void *
state_find(enum saved_kind kind, uint32_t id)
{
	const struct saved *v = by_id[id % BUCKETS];

	while (v != NULL && (v->id != id || v->kind != kind))
		v = v->chain;
	return v != NULL ? v->object : NULL;
}

void
state_add(struct saved *v, enum saved_kind kind, uint32_t id, void *object)
{
	memset(v, 0, sizeof(*v));
	v->kind = kind;
	v->id = id;
	v->object = object;
	if (kind != SAVED_CONSUMER && last_id < id)
		last_id = id;		/* an earlier utd gave it */
	v->chain = by_id[id % BUCKETS];
	by_id[id % BUCKETS] = v;
	v->at = last;
	*last = v;
	last = &v->next;
	state_changed(v);
}

void
state_changed(struct saved *v)
{
	if (!v->changed) {
		v->changed = true;
		v->next_changed = NULL;
		v->changed_at = last_changed;
		*last_changed = v;
		last_changed = &v->next_changed;
	}
	state_soon();
}

/* Save at the end of this round of the loop. */
void
state_soon(void)
{
	if (save_timer.when == 0)
		timer_set(&save_timer, 0, save_later, NULL);
}

static void
unlist(struct saved *v)
{
	if (!v->changed)
		return;
	*v->changed_at = v->next_changed;
	if (v->next_changed != NULL)
		v->next_changed->changed_at = v->changed_at;
	else
		last_changed = v->changed_at;
	v->changed = false;
}

/* The object is about to be freed. */
void
state_del(struct saved *v)
{
	journal_ops->gone(0, v);
	journal_ops->gone(1, v);
	state_soon();
	unlist(v);
	if (cursor == v)
		cursor = v->next;
	LIST_DEL(struct saved, &by_id[v->id % BUCKETS], v, chain);
	*v->at = v->next;
	if (v->next != NULL)
		v->next->at = v->at;
	else
		last = v->at;
}

/* Has the copy reached or passed the object? */
static bool
copy_passed(const struct saved *v)
{
	return v->seen || v == cursor;
}

/*
 * Copying.
 */
static bool
copy_begin(void)
{
	struct journal *j = &journals[!current];
	struct saved *v;

	(void)unlink(new_path);		/* other names may exist */
	j->fd = open(new_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (j->fd == -1) {
		journal_failed(j);
		return false;
	}
	for (v = all; v != NULL; v = v->next) {
		v->seen = false;
		memset(&v->in[!current], 0, sizeof(v->in[0]));
	}
	cursor = all;
	put_mark(!current, STATE_BEGIN, journal_ops->version);
	return true;
}

/* The copy is complete: it takes the journal's place. */
static void
copy_end(void)
{
	struct journal *j = &journals[!current];

	commit(!current);
	if (j->fd == -1)
		return;
	/* Rather the old one, if only that has room to spare. */
	if (!journal_spare(j) && journals[current].fd != -1 &&
	    journal_spare(&journals[current])) {
		unlink(new_path);
		journal_close(j);
		timer_set(&copy_timer, RETRY_MS, copy_later, NULL);
		return;
	}
	if (rename(new_path, path) == -1) {
		journal_failed(j);
		return;
	}
	journal_close(&journals[current]);
	current = !current;
	j->needed = j->size;
	keep_spare();
}

/* Copy one more piece; false when the copy is complete, or failed. */
static bool
copy_more(void)
{
	struct journal *j = &journals[!current];
	const uint64_t end = j->size + j->len + SLICE;
	struct saved *v;
	size_t left;

	while ((v = cursor) != NULL && j->size + j->len < end) {
		left = (size_t)(end - j->size - j->len);
		if (!(v->in[!current].there ? journal_ops->rows :
		    journal_ops->put)(!current, v, left) || j->fd == -1)
			break;
		v->seen = true;
		cursor = v->next;
	}
	if (j->fd != -1)
		journal_flush(j);
	if (j->fd == -1) {
		cursor = NULL;
		return false;
	}
	if (cursor != NULL)
		return true;
	copy_end();
	return false;
}

/* Save all changes to both files first, as this piece may be the last. */
static void
copy_later(void *arg)
{
	(void)arg;
	if (off)
		return;
	state_save();
	if (journals[!current].fd == -1 && !copy_begin())
		return;
	if (copy_more())
		timer_set(&copy_timer, 0, copy_later, NULL);
}

/*
 * Write all changes now: the records of objects to the journal, and to the copy
 * if that has passed them.  The copy writes the rows of the object at the
 * cursor piece by piece.  Another copy is begun when it is worth it.
 */
void
state_save(void)
{
	const struct journal *j;
	struct saved *v;

	if (off)
		return;
	while ((v = changed) != NULL) {
		unlist(v);
		(void)journal_ops->put(current, v, SIZE_MAX);
		if (journals[!current].fd != -1 && copy_passed(v))
			(void)journal_ops->put(!current, v,
			    v == cursor ? 0 : SIZE_MAX);
	}
	commit(current);
	j = &journals[current];
	if (copy_timer.when == 0 && j->fd != -1 &&
	    j->size > 2 * j->needed + SLACK)
		timer_set(&copy_timer, 0, copy_later, NULL);
}

static void
save_later(void *arg)
{
	(void)arg;
	state_save();
}

/* Write everything to a new journal at once. */
static void
journal_renew(void)
{
	state_save();
	if (journals[!current].fd == -1 && !copy_begin())
		return;
	while (copy_more())
		continue;
}

/*
 * The reason why what is new would not be saved for the next utd; or NULL.
 * Files removed meanwhile may have made room: saving is tried again once in a
 * round of the loop.
 */
const char *
journal_trouble(void)
{
	static unsigned int round;

	if (trouble[0] != '\0' && round != loop_round) {
		round = loop_round;
		if (journals[current].fd == -1)
			journal_renew();
		else
			keep_spare();
	}
	return trouble[0] != '\0' ? trouble : NULL;
}

void
journal_open(const char *state, const char *new)
{
	snprintf(path, sizeof(path), "%s", state);
	snprintf(new_path, sizeof(new_path), "%s", new);
	journal_renew();
}

/* Write the last changes; utd ends. */
void
journal_end(void)
{
	state_save();
	if (journals[current].fd == -1)
		journal_renew();
}

void
journal_remove(void)
{
	off = true;
	unlink(new_path);
	unlink(path);
}
