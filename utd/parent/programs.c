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

#include "program.h"

#define BUCKETS	1024			/* of programs */

struct program *programs;

static struct program *by_owner[BUCKETS], *by_pid[BUCKETS];
static char path[PATH_MAX];
static int fd = -1;
static uint32_t nplaces;		/* in the table */
static uint32_t *free_places;
static uint32_t nfree, roomfree;

static struct program **
numbered(uint64_t owner)
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
	struct program *p = *numbered(owner);

	while (p != NULL && p->owner != owner)
		p = p->chain;
	return p;
}

void
program_add(struct program *p)
{
	struct program **number = numbered(p->owner);
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
	struct program **pp;

	for (pp = &programs; *pp != p; pp = &(*pp)->next)
		continue;
	*pp = p->next;
	for (pp = numbered(p->owner); *pp != p; pp = &(*pp)->chain)
		continue;
	*pp = p->chain;
	for (pp = programs_of(p->pid); *pp != p; pp = &(*pp)->namesake)
		continue;
	*pp = p->namesake;
}

/* A free place, counted from 1. */
static uint32_t
place_get(void)
{
	return nfree > 0 ? free_places[--nfree] : ++nplaces;
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
		p->place = place_get();
	(void)!pwrite(fd, &s, sizeof(s), (off_t)((p->place - 1) *
	    sizeof(s)));
}

/* The program in that place need not be known any more. */
void
place_free(uint32_t place)
{
	static const struct state_program none;

	if (place == 0 || fd == -1)
		return;
	(void)!pwrite(fd, &none, sizeof(none), (off_t)((place - 1) *
	    sizeof(none)));
	if (nfree == roomfree) {
		roomfree = roomfree == 0 ? 64 : roomfree * 2;
		free_places = xrealloc(free_places, roomfree *
		    sizeof(*free_places));
	}
	free_places[nfree++] = place;
}

/*
 * Tell the consumer the name of a program.  The consumer reads its messages
 * before it writes events, so it need not wake up for this, unless the socket
 * is full: then the program waits until the message is there.
 */
void
program_tell(struct consumer *c, const struct program *p)
{
	static struct ut_msg m;

	ut_msg_init(&m, UT_C_PROGRAM, 0, 0);
	ut_msg_u64(&m, p->owner);
	ut_msg_u32(&m, (uint32_t)p->vpid);
	ut_msg_str(&m, p->name);
	if (c->conn != NULL)
		conn_send(c->conn, &m);
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

static void
buried(void *place)
{
	place_free((uint32_t)(uintptr_t)place);
}

/*
 * The program is dead: have its consumers free what it held, and keep its place
 * in the table until all have.  A program that was never sent buffers is not
 * known to them.
 */
void
program_tell_dead(struct program *p)
{
	static struct ut_msg m;
	struct waiter *w;
	struct consumer *c;

	if (!p->known)
		return;
	if ((w = wait_new(buried, id_arg(p->place))) == NULL)
		fatal("calloc");
	p->place = 0;
	for (c = consumers; c != NULL; c = c->next) {
		if (c->uid != p->uid || c->state == CONSUMER_GIVEN_UP ||
		    c->state == CONSUMER_LEAVING)
			continue;
		request_init(&m, UT_C_DEAD, 0, 0);
		ut_msg_u64(&m, p->owner);
		ut_msg_u32(&m, (uint32_t)p->vpid);
		ut_msg_str(&m, p->name);
		(void)consumer_ask(c, &m, NULL, 0, w);
	}
	wait_less(w);
}

/* Begin a new table. */
void
programs_open(const char *name)
{
	snprintf(path, sizeof(path), "%s", name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
	    0600);
	if (fd == -1)
		log_warn("%s", path);
}

void
programs_remove(void)
{
	unlink(path);
}
