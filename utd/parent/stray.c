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
 * Shared memory of the last utd of this run directory that is in no state file:
 * that utd could not save it before it was killed.  Nobody can read what is in
 * there, because what describes the events is gone.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "parent.h"
#include "trace.h"

#define PREFIX		"ut-"		/* see ut_shm_name */
#define LOOK_MS		1000		/* for all of these */

/* Does the name belong to a region or a consumer that was saved? */
static bool
is_known(const char *name)
{
	const struct consumer *c;
	const struct session *s;
	const struct channel *ch;
	const struct region *r;

	for (c = consumers; c != NULL; c = c->next)
		if (strcmp(c->bellname, name) == 0)
			return true;
	for (s = sessions; s != NULL; s = s->next)
		for (ch = s->channels; ch != NULL; ch = ch->next)
			for (r = ch->regions; r != NULL; r = r->next)
				if (strcmp(r->shm, name) == 0)
					return true;
	return false;
}

/* Remove it only with the rights of its owner, who may be anybody. */
static void
stray_remove(const char *name, const struct stat *st)
{
	const bool other = geteuid() == 0 && st->st_uid != 0;

	if (other && seteuid(st->st_uid) == -1) {
		log_warn("uid %lu", (unsigned long)st->st_uid);
		return;
	}
	(void)shm_unlink(name);
	ut_bell_remove(name);
	if (other && seteuid(0) == -1)
		fatal("uid 0");
}

/*
 * Find the name, if that utd has made it; systems put something before names.
 * An earlier utd has short names.
 */
static bool
stray_name(const char *file, const char *prefix, char *name)
{
	const char *s = strstr(file, prefix);
	const size_t n = s == NULL ? 0 : strlen(s);

	if ((n != UT_SHM_NAME - 2 && n != UT_SHM_SHORT - 2) ||
	    strspn(s + strlen(prefix), UT_SHM_DIGITS) != n - strlen(prefix))
		return false;
	name[0] = '/';
	memcpy(name + 1, s, n + 1);
	return true;
}

/*
 * Any session that can record the programs of that user may have lost them.
 * The user may as well have made them for us to find.
 */
static void
stray_warn(const char *name, const struct stat *st)
{
	struct session *s;
	char text[256];

	snprintf(text, sizeof(text), "%s: buffers of uid %lu, %llu bytes, that "
	    "the last utd could not save: their events are lost", name,
	    (unsigned long)st->st_uid, (unsigned long long)st->st_size);
	log_peer("%s", text);
	for (s = sessions; s != NULL; s = s->next) {
		if (s->uid == st->st_uid)
			session_lost(session_shown(s), text);
		else if (s->uid == 0)
			session_blame(s, st->st_uid, "%s", text);
	}
}

/*
 * Where the system shows no names of shared memory, nothing is found.  If
 * another process has that number by now, it may be a utd, with names of its
 * own.  Users can put any number of such names there, and nobody waits for long
 * until all are looked at.
 */
void
strays_remove(pid_t before)
{
	const char *where = ut_shm_where();
	const int64_t until = ut_msg_now() + LOOK_MS;
	char prefix[32], name[UT_SHM_NAME];
	struct dirent *d;
	struct stat st;
	DIR *dir;
	int kind;

	if (before <= 0 || where == NULL)
		return;
	if (before != getpid() && !ut_dead(before)) {
		log_info("shared memory of the last utd: not looked for, as "
		    "process %ld is another now", (long)before);
		return;
	}
	if ((dir = opendir(where)) == NULL)
		return;
	snprintf(prefix, sizeof(prefix), PREFIX "%x-", (unsigned int)before);
	while ((d = readdir(dir)) != NULL) {
		if (ut_msg_now() >= until) {
			log_warnx("%s: too many files %s*: the rest of them "
			    "stays", where, prefix);
			break;
		}
		if (!stray_name(d->d_name, prefix, name) || is_known(name) ||
		    (kind = ut_shm_look(name, &st)) == -1 ||
		    !S_ISREG(st.st_mode) ||
		    (geteuid() != 0 && st.st_uid != geteuid()))
			continue;
		if (kind == UT_SHM_REGION)
			stray_warn(name, &st);
		stray_remove(name, &st);
	}
	closedir(dir);
}
