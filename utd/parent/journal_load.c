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
 * The sessions of a utd that was killed are taken up again, from the files that
 * it has left: see journal.c and state.c for what is in there.  Their regions
 * are where they were, and consumers take them over as they do from a consumer
 * that died (adopt.c).  Programs come by themselves, and are known by the
 * numbers that they had.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "talk/listen.h"
#include "parent.h"
#include "link/program.h"
#include "act/trigger.h"

enum reading { GOT, END, TORN, DAMAGED };

static bool kept;			/* a state that may name any memory */

/* Rename a file that cannot be read, so that it is not overwritten. */
static void
journal_keep(const char *state, const char *why)
{
	char name[PATH_MAX];
	struct stat st;
	int i, n;

	for (i = 1; i < 1000; i++) {
		n = snprintf(name, sizeof(name), "%s.kept-%d", state, i);
		if (n < 0 || (size_t)n >= sizeof(name))
			break;
		if (lstat(name, &st) == 0)
			continue;
		if (rename(state, name) == -1)
			break;
		kept = true;
		log_warnx("%s: %s: kept as %s: see utctl recover", state, why,
		    name);
		return;
	}
	fatal("%s: %s, and cannot be kept", state, why);
}

/* Open a file that nobody but us can have written; NULL if there is none. */
static FILE *
open_ours(const char *path)
{
	struct stat st;
	FILE *f;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd == -1) {
		if (errno == ENOENT)
			return NULL;
		/* For a link that is not followed each system has an error. */
		if (lstat(path, &st) == -1 || !S_ISLNK(st.st_mode))
			fatal("%s", path);
		kept = true;
		log_warnx("%s: not ours", path);
		return NULL;
	}
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode)) {
		kept = true;
		log_warnx("%s: not ours", path);
	} else if (st.st_uid != geteuid() || (st.st_mode & 022) != 0) {
		journal_keep(path, "not ours");
	} else if ((f = fdopen(fd, "r")) == NULL) {
		fatal("%s", path);
	} else {
		return f;
	}
	close(fd);
	return NULL;
}

/* Skip room to spare, which is zeros: see journal.c. */
static void
skip_zeros(FILE *f)
{
	int c;

	while ((c = getc(f)) == 0)
		continue;
	(void)ungetc(c, f);
}

/* Read one message, whose header says how long it is: never 0. */
static enum reading
read_message(FILE *f, struct ut_msg *m)
{
	size_t n;

	ut_msg_init(m, 0, 0, 0);
	while ((n = fread(&m->h, 1, sizeof(m->h), f)) == sizeof(m->h) &&
	    m->h.len == 0) {
		if (fseeko(f, -(off_t)n, SEEK_CUR) == -1)
			return DAMAGED;
		skip_zeros(f);
	}
	if (n != sizeof(m->h))
		return n == 0 ? END : TORN;
	if (m->h.len < sizeof(m->h) || m->h.len > UT_MSG_MAX ||
	    m->h.nfds != 0)
		return DAMAGED;
	n = m->h.len - sizeof(m->h);
	return fread(m->body, 1, n, f) == n ? GOT : TORN;
}

/*
 * Find the end of the valid part, which is the last STATE_END.  Anything behind
 * it was being written, or is damaged.
 */
static enum reading
measure(FILE *f, off_t *end)
{
	static struct ut_msg m;
	enum reading r;

	*end = 0;
	while ((r = read_message(f, &m)) == GOT)
		if (m.h.type == STATE_END)
			*end = ftello(f);
	return *end == 0 || r == DAMAGED ? DAMAGED : END;
}

static bool
load_records(FILE *f, off_t end)
{
	static struct ut_msg m;

	while (ftello(f) < end)
		if (read_message(f, &m) != GOT || !state_read(&m))
			return false;
	return true;
}

/* Read the journal.  Its version comes first, in a form that never changes. */
static void
load_sessions(FILE *f, const char *state)
{
	static struct ut_msg m;
	enum reading r;
	off_t end;

	if (read_message(f, &m) != GOT || m.h.type != STATE_BEGIN) {
		journal_keep(state, "damaged");
	} else if (m.h.a > state_ops.version) {
		listen_close();
		errno = EPROTONOSUPPORT;
		fatal("%s: of a newer utd, which has to take it up or end "
		    "(version %u, not %u)", state, m.h.a, state_ops.version);
	} else if (m.h.a < state_ops.version) {
		journal_keep(state, "of an older utd");
	} else {
		r = measure(f, &end);
		if (fseeko(f, (off_t)m.h.len, SEEK_SET) == -1 ||
		    !load_records(f, end) || r == DAMAGED)
			journal_keep(state, "damaged: not all sessions go on");
		else		/* our own journal needs the room to spare */
			(void)truncate(state, end);
	}
}

/* Drop triggers that lack a channel, rule or action: of a damaged journal. */
static void
triggers_check(void)
{
	struct session *s, *next;
	const struct trigger *t;
	char why[512];

	for (s = sessions; s != NULL; s = next) {
		next = s->next;
		if ((t = s->trigger) == NULL || (!t->of->lingers &&
		    !s->lingers && s->channels != NULL &&
		    s->channels->newest != NULL && !trigger_refused(t->of,
		    t->action, t->command != NULL ? t->command : "", why,
		    sizeof(why))))
			continue;
		session_warn(t->of, "trigger %u is lost", t->number);
		(void)session_drop(s->id);
	}
}

static void
load_programs(FILE *f)
{
	struct state_program s;

	while (fread(&s, sizeof(s), 1, f) == 1)
		if (s.owner != 0 && s.bits != 0 &&
		    memchr(s.name, '\0', sizeof(s.name)) != NULL)
			program_restore(&s);
}

void
state_load(const char *state, const char *table)
{
	struct session *s;
	FILE *f;

	if ((f = open_ours(state)) == NULL)
		return;
	load_sessions(f, state);
	fclose(f);
	regions_restored();
	for (s = sessions; s != NULL; s = s->next)
		if (s->lingers)		/* half of its end may be saved */
			session_strip(s);
	triggers_check();
	for (s = sessions; s != NULL; s = s->next)
		session_warn(s, "utd was killed, and another took over");
	if (sessions != NULL && (f = open_ours(table)) != NULL) {
		load_programs(f);
		fclose(f);
	}
}

void
state_resume(void)
{
	struct session *s, *next;
	struct program *p;

	for (p = programs; p != NULL; p = p->next) {
		program_tell_all(p);
		program_save(p);
	}
	for (s = sessions; s != NULL; s = next) {
		next = s->next;
		command_next(s);
		if (s->lingers) {
			commands_over(s);
			continue;
		}
		if (s->trigger == NULL)
			log_info("session %s goes on", s->name);
		rotation_set(s);
		session_open(s, NULL);
		triggers_resume(s);
	}
}

/*
 * Shared memory of the last utd of this run directory that is in no state file:
 * that utd could not save it before it was killed.  Nobody can read what is in
 * there, because what describes the events is gone.
 */

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
	(void)ut_bell_remove(name);
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
static void
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

/* Restore what another utd has left there, and begin a new journal. */
void
state_open(const char *dir)
{
	char state[PATH_MAX], new[PATH_MAX], table[PATH_MAX];

	make_path(state, sizeof(state), dir, "state");
	make_path(new, sizeof(new), dir, "state.new");
	make_path(table, sizeof(table), dir, "programs");
	state_load(state, table);
	if (!kept)
		strays_remove(listen_before());
	programs_open(table);
	state_resume();
	programs_begin();
	journal_open(state, new);
}
