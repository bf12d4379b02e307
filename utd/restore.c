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
 * The sessions of a utd that was killed are taken up again: see state.c for
 * what is in the files.  Their regions are where they were, and consumers
 * take them over as they do from a consumer that died (adopt.c).  Programs
 * come by themselves, and are known by the numbers that they had.
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

static struct session *session;		/* the one that is being read */
static struct channel *channel;
static struct trace *trace;
static struct region *region;

/* Numbers are given from 1 on, and there are not that many. */
static bool
id_valid(uint32_t id)
{
	return id > 0 && id <= INT32_MAX;
}

static bool
read_consumer(struct ut_msg *m)
{
	char name[UT_SHM_NAME];

	ut_msg_get_str(m, name, sizeof(name));
	if (!m->bad)
		consumer_restore((uid_t)m->h.a, (gid_t)m->h.b, name);
	return !m->bad;
}

static bool
read_session(struct ut_msg *m)
{
	char name[NAME_MAXLEN], dir[PATH_MAX];
	uid_t uid;

	ut_msg_get_str(m, name, sizeof(name));
	ut_msg_get_str(m, dir, sizeof(dir));
	uid = (uid_t)ut_msg_get_u32(m);
	if (m->bad || !name_valid(name, "._-") || dir[0] != '/')
		return false;
	session = session_new(name, dir, uid, (gid_t)ut_msg_get_u32(m));
	if (session == NULL)
		return false;
	session->active = (m->h.a & STATE_ACTIVE) != 0;
	session->current = (m->h.a & STATE_CURRENT) != 0;
	session->missed = (m->h.a & STATE_MISSED) != 0;
	session->nstreams = m->h.b;
	session->dev = ut_msg_get_u64(m);
	session->ino = ut_msg_get_u64(m);
	session->offset = ut_msg_get_u64(m);
	session->since.cycles = ut_msg_get_u64(m);
	session->since.ns = ut_msg_get_u64(m);
	session->created = (int64_t)ut_msg_get_u64(m);
	ut_msg_get_str(m, session->error, sizeof(session->error));
	channel = NULL;
	trace = NULL;
	region = NULL;
	return !m->bad;
}

static bool
read_warning(struct ut_msg *m)
{
	char text[1024];

	ut_msg_get_str(m, text, sizeof(text));
	if (m->bad || session == NULL)
		return false;
	session_warn(session, "%s", text);
	return true;
}

static bool
read_trace(struct ut_msg *m)
{
	char path[PATH_MAX];
	uid_t uid;
	gid_t gid;
	int i;

	if (session == NULL || !id_valid(m->h.a) ||
	    trace_by_id(m->h.a) != NULL)
		return false;
	uid = (uid_t)ut_msg_get_u32(m);
	gid = (gid_t)ut_msg_get_u32(m);
	trace = trace_restore(session, m->h.a, uid, gid);
	trace->made = m->h.b != 0;
	trace->bits = ut_msg_get_u32(m);
	trace->owner = ut_msg_get_u64(m);
	trace->pid = (pid_t)ut_msg_get_u32(m);
	trace->vpid = (pid_t)ut_msg_get_u32(m);
	ut_msg_get_str(m, trace->name, sizeof(trace->name));
	ut_msg_get_str(m, path, sizeof(path));
	trace->path = xstrdup(path);
	for (i = 0; i < UUID_LEN; i++)
		trace->uuid[i] = ut_msg_get_u8(m);
	ut_msg_get_str(m, trace->uuidstr, sizeof(trace->uuidstr));
	trace->past = ut_msg_get_u64(m);
	trace->clock_at = ut_msg_get_u64(m);
	return !m->bad;
}

static bool
read_text(struct ut_msg *m)
{
	static char chunk[UT_MSG_MAX];

	ut_msg_get_str(m, chunk, sizeof(chunk));
	if (m->bad || trace == NULL)
		return false;
	text_add(&trace->text, "%s", chunk);
	return true;
}

static bool
read_channel(struct ut_msg *m)
{
	struct geometry g;
	char name[NAME_MAXLEN], why[128];

	ut_msg_get_str(m, name, sizeof(name));
	g.subsize = ut_msg_get_u32(m);
	g.nsubs = ut_msg_get_u32(m);
	g.buffers = ut_msg_get_u32(m);
	g.clock = ut_msg_get_u32(m);
	if (m->bad || session == NULL || !name_valid(name, "._-") ||
	    !id_valid(m->h.a) || channel_by_id(m->h.a) != NULL ||
	    g.buffers > UT_BUFFERS_PID || g.clock > UT_CLOCK_CYCLES ||
	    !geometry_valid(&g, why, sizeof(why)))
		return false;
	channel = channel_restore(session, name, &g, m->h.a, m->h.b);
	if (channel == NULL)
		return false;
	channel->enabled = ut_msg_get_u32(m) != 0;
	channel->removed = ut_msg_get_u32(m) != 0;
	channel->past.written = ut_msg_get_u64(m);
	channel->past.lost = ut_msg_get_u64(m);
	channel->past.bytes = ut_msg_get_u64(m);
	channel->past.packets = ut_msg_get_u64(m);
	region = NULL;
	return !m->bad;
}

static bool
read_rule(struct ut_msg *m)
{
	struct rule *r = rule_read(m);

	if (r != NULL && channel != NULL)
		(void)rule_add(channel, r);
	rule_free(r);
	return r != NULL && channel != NULL;
}

static bool
read_region(struct ut_msg *m)
{
	struct trace *t;
	char shm[UT_SHM_NAME];

	ut_msg_get_str(m, shm, sizeof(shm));
	if (m->bad || channel == NULL || !id_valid(m->h.a) ||
	    region_by_id(m->h.a) != NULL)
		return false;
	for (t = session->traces; t != NULL && t->id != m->h.b; t = t->next)
		continue;
	if (t == NULL)
		return false;
	region = region_restore(channel, t, m->h.a, shm);
	region->described = ut_msg_get_u32(m) != 0;
	return !m->bad;
}

/* IDs are given in turn, as they were. */
static bool
read_entry(struct ut_msg *m)
{
	static struct ut_msg fields;
	char name[NAME_MAXLEN], program[NAME_MAXLEN], why[512];
	struct entry *e;
	struct desc *d;
	bool new;

	ut_msg_get_str(m, name, sizeof(name));
	ut_msg_get_str(m, program, sizeof(program));
	ut_msg_get_bytes(m, &fields);
	if (m->bad || region == NULL || !desc_name_valid(name, m->h.b) ||
	    (d = desc_get(name, m->h.b, &fields)) == NULL)
		return false;
	e = registry_get(&region->registry, d, program, &new, why,
	    sizeof(why));
	desc_unref(d);
	return e != NULL && new && e->id == m->h.a;
}

static bool
read_begin(struct ut_msg *m)
{
	return m->h.a == STATE_VERSION;
}

static const struct {
	uint16_t	 type;
	bool		(*take)(struct ut_msg *);
} records[] = {
	{ STATE_BEGIN,		read_begin },
	{ STATE_CONSUMER,	read_consumer },
	{ STATE_SESSION,	read_session },
	{ STATE_WARNING,	read_warning },
	{ STATE_TRACE,		read_trace },
	{ STATE_TEXT,		read_text },
	{ STATE_CHANNEL,	read_channel },
	{ STATE_RULE,		read_rule },
	{ STATE_REGION,		read_region },
	{ STATE_ENTRY,		read_entry },
};

static bool
read_record(struct ut_msg *m)
{
	size_t i;

	for (i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		if (records[i].type == m->h.type)
			return records[i].take(m);
	return false;
}

/* Nobody but us can have written it. */
static FILE *
open_ours(const char *path)
{
	struct stat st;
	FILE *f;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd == -1)
		return NULL;
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode) ||
	    st.st_uid != geteuid() || (st.st_mode & 022) != 0 ||
	    (f = fdopen(fd, "r")) == NULL) {
		log_warnx("%s: not ours", path);
		close(fd);
		return NULL;
	}
	return f;
}

/* One whole message; its header says how long it is. */
static bool
read_message(FILE *f, struct ut_msg *m)
{
	ut_msg_init(m, 0, 0, 0);
	if (fread(&m->h, sizeof(m->h), 1, f) != 1 ||
	    m->h.len < sizeof(m->h) || m->h.len > UT_MSG_MAX ||
	    m->h.nfds != 0)
		return false;
	return fread(m->body, 1, m->h.len - sizeof(m->h), f) ==
	    m->h.len - sizeof(m->h);
}

/* Without its end it is none. */
static bool
load_sessions(FILE *f)
{
	static struct ut_msg m;
	bool first = true;

	while (read_message(f, &m)) {
		if (m.h.type == STATE_END)
			return !first;
		if ((first && m.h.type != STATE_BEGIN) || !read_record(&m))
			return false;
		first = false;
	}
	return false;
}

static void
load_apps(FILE *f)
{
	struct state_app s;

	while (fread(&s, sizeof(s), 1, f) == 1)
		if (s.owner != 0 && s.bits != 0 &&
		    memchr(s.name, '\0', sizeof(s.name)) != NULL)
			app_restore(&s);
}

void
state_load(const char *state, const char *programs)
{
	struct session *s;
	FILE *f;

	if ((f = open_ours(state)) == NULL)
		return;
	if (!load_sessions(f)) {
		log_warnx("%s: damaged: not all sessions go on", state);
		if (session != NULL && session->traces == NULL)
			session_free(session);
	}
	fclose(f);
	for (s = sessions; s != NULL; s = s->next)
		session_warn(s, "utd was killed, and another took over");
	if (sessions != NULL && (f = open_ours(programs)) != NULL) {
		load_apps(f);
		fclose(f);
	}
}

/* The directory is open again; what was written there goes on. */
static void
reopened(void *arg, int error, struct ut_msg *m)
{
	struct session *s;
	char why[256] = "";

	for (s = sessions; s != NULL; s = s->next)
		if (s->id == (uint32_t)(uintptr_t)arg)
			break;
	if (s == NULL)
		return;
	if (error != 0) {
		consumer_why(m, error, why, sizeof(why));
	} else if ((error = session_own(s, ut_msg_get_fd(m), true)) != 0) {
		snprintf(why, sizeof(why), "%s", strerror(error));
	} else if (!session_dir_known(s, m)) {
		snprintf(why, sizeof(why), "another one has its name now");
		user_close(s->user, s->dirfd);
		s->dirfd = -1;
	}
	if (why[0] != '\0') {
		s->gone = true;
		snprintf(s->error, sizeof(s->error), "the directory: %s", why);
		session_warn(s, "%s", s->error);
	}
	traces_resume(s);
}

void
state_resume(void)
{
	struct session *s;
	struct app *a;

	for (a = apps; a != NULL; a = a->next) {
		consumers_tell_owner(a);
		state_app(a);
	}
	for (s = sessions; s != NULL; s = s->next) {
		log_info("session %s goes on", s->name);
		session_open(s, true, reopened, id_arg(s->id), NULL);
	}
}
