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
 * The programs, and the file `programs' of the run directory, in which the
 * next utd finds those that are attached: a table of struct state_app, written
 * in place, as programs come and go all the time.
 */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "parent.h"

struct app *apps;

static char path[PATH_MAX];
static int fd = -1;
static uint32_t nplaces;		/* in the table */
static uint32_t *free_places;
static uint32_t nfree, roomfree;

/* A free place, counted from 1. */
static uint32_t
place_get(void)
{
	return nfree > 0 ? free_places[--nfree] : ++nplaces;
}

/* The program is attached to something. */
void
app_save(struct app *a)
{
	struct state_app s;

	if (fd == -1)
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
		a->place = place_get();
	(void)!pwrite(fd, &s, sizeof(s), (off_t)((a->place - 1) *
	    sizeof(s)));
}

/* The program in that place need not be known any more. */
void
place_free(uint32_t place)
{
	static const struct state_app none;

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
