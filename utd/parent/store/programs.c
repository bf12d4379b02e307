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
 * The programs, and who is told of them: consumers, which name them in packets
 * and bury them, and the next utd.  That finds those that are attached in the
 * file `programs' of the run directory, a table of struct state_program,
 * written in place, as programs come and go all the time.
 */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../link/program.h"

#define BUCKETS	1024			/* for programs */
#define SPARE	32			/* places in the file for others */

struct program *programs;

static struct program *by_owner[BUCKETS], *by_pid[BUCKETS];
static struct ut_msg out;
static struct program *dead, **last_dead = &dead;	/* to be buried */
static char path[PATH_MAX], new_path[PATH_MAX];
static int fd = -1;
static uint32_t nplaces;		/* places in the table */
static size_t room;			/* places for which the file has room */
static uint32_t *free_places;
static uint32_t nfree, roomfree;

static struct program **
program_bucket(uint64_t owner)
{
	return &by_owner[owner % BUCKETS];
}

struct program **
programs_of(pid_t pid)
{
	return &by_pid[(unsigned long)pid % BUCKETS];
}

struct program *
program_by_owner(uint64_t owner)
{
	struct program *p = *program_bucket(owner);

	while (p != NULL && p->owner != owner)
		p = p->chain;
	return p;
}

void
program_add(struct program *p)
{
	struct program **number = program_bucket(p->owner);
	struct program **pid = programs_of(p->pid);

	p->next = programs;
	programs = p;
	p->chain = *number;
	*number = p;
	p->namesake = *pid;
	*pid = p;
}

void
program_del(struct program *p)
{
	LIST_DEL(struct program, &programs, p, next);
	LIST_DEL(struct program, program_bucket(p->owner), p, chain);
	LIST_DEL(struct program, programs_of(p->pid), p, namesake);
}

/* Warn, with errno, that the table is not kept. */
static void
table_failed(const char *file)
{
	log_warn("%s: if utd is killed, the next one does not know which "
	    "programs are attached", file);
}

/*
 * Have room for the place in the file before a program needs it, as the journal
 * has.  A place of zeros is nobody's.
 */
static void
make_room(uint32_t place)
{
	static const char zeros[SPARE * sizeof(struct state_program)];
	static bool failed;

	if (place <= room)
		return;
	if (room < nplaces)		/* these have programs already */
		room = nplaces;
	if (pwrite(fd, zeros, sizeof(zeros), (off_t)(room *
	    sizeof(struct state_program))) == (ssize_t)sizeof(zeros)) {
		room += SPARE;
		failed = false;
	} else {
		if (!failed)
			table_failed(path);
		failed = true;
	}
}

/* The program is attached to something. */
void
program_save(struct program *p)
{
	struct state_program s;

	if (fd == -1)
		return;
	memset(&s, 0, sizeof(s));
	s.owner = p->owner;
	s.uid = (uint32_t)p->uid;
	s.gid = (uint32_t)p->gid;
	s.pid = (uint32_t)p->pid;
	s.vpid = (uint32_t)p->vpid;
	s.bits = p->bits;
	s.space = ut_pid_space();
	snprintf(s.name, sizeof(s.name), "%s", p->name);
	if (p->place == 0)
		p->place = nfree > 0 ? free_places[--nfree] : ++nplaces;
	make_room(nplaces + SPARE / 2);
	(void)!pwrite(fd, &s, sizeof(s), (off_t)((p->place - 1) *
	    sizeof(s)));
}

/* The program in that place need not be known any more. */
static void
place_free(uint32_t place)
{
	static const struct state_program none;
	const uint32_t more = roomfree == 0 ? 64 : roomfree * 2;
	uint32_t *p;

	if (place == 0 || fd == -1)
		return;
	(void)!pwrite(fd, &none, sizeof(none), (off_t)((place - 1) *
	    sizeof(none)));
	if (nfree == roomfree) {
		p = realloc(free_places, more * sizeof(*p));
		if (p == NULL)
			return;		/* never used again */
		free_places = p;
		roomfree = more;
	}
	free_places[nfree++] = place;
}

static void
program_put(uint16_t type, const struct program *p)
{
	ut_msg_init(&out, type, 0, 0);
	ut_msg_u64(&out, p->owner);
	ut_msg_u32(&out, (uint32_t)p->vpid);
	ut_msg_str(&out, p->name);
	ut_msg_u32(&out, (uint32_t)p->pid);
}

/*
 * Tell the consumer the name of a program.  The consumer reads its messages
 * before it writes events, so it need not wake up for this, unless the socket
 * is full: then the program waits until the message is there.
 */
void
program_tell(struct consumer *c, const struct program *p)
{
	program_put(UT_C_PROGRAM, p);
	if (c->conn != NULL)
		conn_send(c->conn, &out);
	if (c->conn != NULL && conn_behind(c->conn))
		kill(c->pid, SIGUSR1);
}

void
program_tell_all(const struct program *p)
{
	struct consumer *c;

	for (c = consumers; c != NULL; c = c->next)
		if (c->uid == p->uid)
			program_tell(c, p);
}

/* Forget a dead program that nobody has to bury any more. */
static void
program_forget(struct program *p)
{
	place_free(p->place);
	free(p);
}

/*
 * The program is dead: have its consumer free what it held, and keep its place
 * in the table until that is done.  A program that was never sent buffers is
 * not known to the consumer.
 */
void
program_bury(struct program *p)
{
	p->consumer = p->known ? consumer_find(p->uid) : NULL;
	if (p->consumer == NULL) {
		program_forget(p);
		return;
	}
	p->next = NULL;
	*last_dead = p;
	last_dead = &p->next;
	p->consumer->ndead++;
	program_put(UT_C_DEAD, p);
	consumer_send(p->consumer, &out);
}

/* The consumer has buried n more of the dead, or never will. */
void
programs_buried(struct consumer *c, uint32_t n)
{
	struct program **pp = &dead, *p;

	while (n > 0 && (p = *pp) != NULL) {
		if (p->consumer != c) {
			pp = &p->next;
			continue;
		}
		*pp = p->next;
		c->ndead--;
		n--;
		program_forget(p);
	}
	if (*pp == NULL)
		last_dead = pp;
}

/*
 * The consumer is new: it may write events of all its programs, even before it
 * is to bury the dead.
 */
void
programs_tell(struct consumer *c)
{
	const struct program *p;

	for (p = programs; p != NULL; p = p->next)
		if (p->uid == c->uid && p->known)
			program_tell(c, p);
	for (p = dead; p != NULL; p = p->next) {
		if (p->consumer != c)
			continue;
		program_tell(c, p);
		program_put(UT_C_DEAD, p);
		consumer_send(c, &out);
	}
}

/* Begin a new table, beside the one that the last utd has left. */
void
programs_open(const char *name)
{
	snprintf(path, sizeof(path), "%s", name);
	if ((size_t)snprintf(new_path, sizeof(new_path), "%s.new", name) >=
	    sizeof(new_path))
		fatalx("%s: too long", name);
	(void)unlink(new_path);		/* other names may exist */
	fd = open(new_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC |
	    O_NOFOLLOW, 0600);
	if (fd == -1)
		table_failed(new_path);
	else
		make_room(1);
}

/* The new table has all programs of the last one: it takes its place. */
void
programs_begin(void)
{
	if (fd != -1 && rename(new_path, path) == -1)
		table_failed(path);
}

void
programs_remove(void)
{
	unlink(path);
	unlink(new_path);		/* if it took no place */
}
