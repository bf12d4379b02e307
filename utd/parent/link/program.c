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
 * Programs: hello, what they offer, and their end.
 */

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../talk/listen.h"
#include "program.h"

static struct timer graves;
static int graves_ms;

static void	program_message(struct conn *, struct ut_msg *);
static void	program_closed(struct conn *);
static void	program_sent(struct conn *);
static void	look_at_graves(void *);

static const struct conn_ops program_ops = {
	program_message, program_closed, program_sent
};

/* A number that was never given before, not even by an earlier utd. */
static uint64_t
owner_new(void)
{
	static uint64_t last;
	struct timespec ts;

	if (last == 0) {
		ut_clock_gettime(CLOCK_REALTIME, &ts);
		last = (uint64_t)ts.tv_sec * 1000000000u +
		    (uint64_t)ts.tv_nsec;
	}
	return ++last;
}

/* Answer the HELLO and NEW so far. */
static void
program_started(void *arg)
{
	static struct ut_msg m;
	struct program *p = arg;

	p->start = NULL;
	while (p->dones > 0 && p->conn != NULL) {
		p->dones--;
		ut_msg_init(&m, UT_MSG_DONE, program_keeps(p), 0);
		conn_send(p->conn, &m);
	}
}

/* Sync the program with all channels that may want its events. */
static void
program_sync(struct program *p)
{
	struct session *s;
	struct channel *ch;
	struct waiter *w;

	p->dones++;
	if (p->start != NULL) {
		wait_more(p->start);
	} else if ((p->start = wait_try(program_started, p)) == NULL) {
		conn_fail(p->conn);
		return;
	}
	w = p->start;
	for (s = sessions; s != NULL; s = s->next) {
		if (!session_sees(s, p->uid))
			continue;
		for (ch = s->channels; ch != NULL; ch = ch->next)
			if (channel_active(ch) && ch->rules != NULL)
				link_sync(p, ch, w);
	}
	wait_less(w);
}

static void
program_free(struct program *p)
{
	program_del(p);
	if (p->conn == NULL)
		user_give(p->table->user, QUOTA_LOST, 1);
	if (p->life != -1)
		user_close(p->table->user, p->life);
	table_drop(p->table);
	program_bury(p);
}

static void
bury(struct program *p)
{
	links_free(p);
	regions_bury(p->uid, p->bits, p->owner);
	program_free(p);
}

/*
 * The number that a program had on a connection that it has lost, or 0 if we do
 * not know the number.  The program keeps it, with what it is attached to.  An
 * earlier utd may have seen another pid.
 */
static uint64_t
owner_again(struct program *new, uint64_t before)
{
	struct program *p = program_by_owner(before);

	if (p == NULL || p->uid != new->uid || p->vpid != new->vpid ||
	    (p->pid != new->pid && p->pid != 0))
		return 0;
	if (p->conn != NULL)
		conn_drop(p->conn);
	links_free(p);
	new->place = p->place;
	new->known = p->known;
	p->place = 0;
	p->known = false;
	program_free(p);
	return before;
}

/*
 * Bury the program that the process was before an exec.  If its connection is
 * still open, or it says to be of the same image, it is another libut in the
 * same process.  One that was of the same image by chance is buried when the
 * process ends.
 */
static void
supersede(const struct program *new)
{
	struct program *p, *next;

	for (p = *programs_of(new->pid); p != NULL; p = next) {
		next = p->namesake;
		if (p == new || p->pid == 0 || p->pid != new->pid ||
		    p->uid != new->uid ||
		    (p->image != 0 && p->image == new->image) ||
		    (p->conn != NULL && !ut_hung_up(p->conn->file.fd)))
			continue;
		if (p->conn != NULL)
			conn_drop(p->conn);
		bury(p);
	}
}

static void	program_missed(const struct conn *, const char *, ...)
		    __attribute__((format(printf, 2, 3)));

/* Warn each session that might miss programs of this user. */
static void
program_missed(const struct conn *c, const char *fmt, ...)
{
	struct session *s;
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (s = sessions; s != NULL; s = s->next)
		if (session_sees(s, c->uid))
			session_blame(s, c->uid, "%s", text);
}

/* Refuse a program of another version. */
static void
program_refuse(struct conn *c, uint32_t version)
{
	static struct ut_msg welcome;

	log_peer("program %d speaks version %u of the protocol, not %u",
	    (int)c->pid, version, UT_MSG_VERSION);
	program_missed(c, "program %d speaks version %u of the protocol, "
	    "not %u: not recorded", (int)c->pid, version, UT_MSG_VERSION);
	ut_msg_init(&welcome, UT_MSG_WELCOME, UT_MSG_VERSION, 0);
	ut_msg_u64(&welcome, 0);
	conn_send(c, &welcome);
	conn_close(c);
}

/* HELLO and NEW: the events that the program has now. */
static bool
program_has(struct program *p, struct ut_msg *m)
{
	struct table *older = p->table;
	uint64_t fingerprint = ut_msg_get_u64(m);
	uint32_t n = ut_msg_get_u32(m);

	if (m->bad || (older != NULL && n < older->size))
		return false;
	p->table = table_get(p->uid, fingerprint, n, older);
	if (p->table == NULL) {
		p->table = older;
		return false;
	}
	table_drop(older);
	return true;
}

/*
 * Has the program to wait?  It is dropped then, and connects again some time
 * later.
 */
static bool
has_to_wait(const struct conn *c)
{
	if (!fd_for_program(c->file.fd)) {
		errno = EMFILE;
		listen_full();
		program_missed(c, "utd has no descriptors for more programs: "
		    "they have to wait, and may not be recorded: give it more "
		    "(ulimit -n)");
		return true;
	}
	if (!consumers_full(c->uid))
		return false;
	log_peer("the consumer of uid %lu has too many requests: "
	    "programs have to wait", (unsigned long)c->uid);
	return true;
}

void
program_hello(struct conn *c, struct ut_msg *m)
{
	static struct ut_msg welcome;
	struct session *s;
	struct program *p;
	uint64_t before;

	if (has_to_wait(c)) {
		conn_drop(c);
		return;
	}
	if (m->h.a != UT_MSG_VERSION) {
		program_refuse(c, m->h.a);
		return;
	}
	if ((p = calloc(1, sizeof(*p))) == NULL) {
		conn_fail(c);
		return;
	}
	p->life = -1;
	p->bits = m->h.b;
	p->uid = c->uid;
	p->gid = c->gid;
	p->pid = c->pid;
	p->vpid = (pid_t)ut_msg_get_u32(m);
	ut_msg_get_str(m, p->name, sizeof(p->name));
	before = ut_msg_get_u64(m);
	errno = 0;
	if ((p->bits != 32 && p->bits != 64) || !program_has(p, m)) {
		if (errno == ENOMEM) {
			conn_fail(c);
		} else {
			log_peer("program %d: bad hello", (int)c->pid);
			conn_drop(c);
		}
		free(p);
		return;
	}
	p->image = ut_msg_more(m) ? ut_msg_get_u64(m) : 0;
	p->conn = c;
	p->owner = owner_again(p, before);
	p->kept = p->owner != 0;
	/* One process can pretend to be any number of them. */
	if (!p->kept && !user_may(p->table->user, QUOTA_LOST, 1)) {
		log_peer("uid %lu has too many programs without a connection",
		    (unsigned long)p->uid);
		table_drop(p->table);
		free(p);
		conn_drop(c);
		return;
	}
	if (!p->kept)
		p->owner = owner_new();
	program_add(p);
	for (s = sessions; s != NULL; s = s->next)
		session_met(s, p->uid);
	conn_hand_over(c, &program_ops, p);
	if (before == 0)
		supersede(p);
	log_debug("program %s (%d)", p->name, (int)p->pid);
	ut_msg_init(&welcome, UT_MSG_WELCOME, UT_MSG_VERSION, 0);
	ut_msg_u64(&welcome, p->owner);
	ut_msg_u64(&welcome, (uint64_t)clock_ahead);
	conn_send(c, &welcome);
	if (p->conn != NULL)
		program_sync(p);
}

/* NAMES.  False when it makes no sense. */
static bool
program_names(struct program *p, struct ut_msg *m)
{
	if (m->h.a != p->listed || m->h.b > p->listing - p->listed ||
	    !table_names(p->table, m))
		return false;
	p->listed += m->h.b;
	if (p->listed == p->listing)
		links_named(p);
	return true;
}

/* EVENTS.  False when it makes no sense. */
static bool
program_events(struct program *p, struct ut_msg *m)
{
	static struct ut_msg fields;
	uint32_t i, number;

	for (i = 0; i < m->h.b; i++) {
		number = ut_msg_get_u32(m);
		ut_msg_get_bytes(m, &fields);
		if (m->bad || !table_event(p->table, number, &fields))
			return false;
	}
	link_described(p, m->h.a, m->h.b);
	return true;
}

static void
program_message(struct conn *c, struct ut_msg *m)
{
	struct program *p = c->arg;
	bool good = true;

	errno = 0;
	switch (m->h.type) {
	case UT_MSG_NAMES:
		good = program_names(p, m);
		break;
	case UT_MSG_EVENTS:
		good = program_events(p, m);
		break;
	case UT_MSG_ACK:
		link_acked(p, m->h.a, (int)m->h.b, ut_msg_more(m) ?
		    ut_msg_get_u64(m) : 0);
		break;
	case UT_MSG_FAILED:
		link_unattached(p, m->h.a, (int)m->h.b);
		break;
	case UT_MSG_MUTE:
		link_mute(p, m->h.a);
		break;
	case UT_MSG_NEW:
		if ((good = program_has(p, m)))
			program_sync(p);
		break;
	default:
		good = false;
		break;
	}
	if (!good && errno == ENOMEM) {
		conn_fail(c);
	} else if (!good) {
		log_peer("program %s (%d): bad message %u", p->name,
		    (int)p->pid, m->h.type);
		conn_drop(c);
	}
}

static void
program_sent(struct conn *c)
{
	links_sent(c->arg);
}

/*
 * Get, from the connection before it is closed, a descriptor that tells when
 * the process is dead.
 */
static void
program_watch(struct program *p)
{
	const int fd = ut_peer_life(p->conn->file.fd);

	p->dead = fd == -1 && errno == ESRCH;
	if (fd != -1)
		p->life = user_open(p->table->user, fd, true);
}

/*
 * The connection is closed, but the process need not be dead: it may have
 * closed all its descriptors, or become another program by exec.  This can be
 * in the middle of a send, so the timer does everything else.
 */
static void
program_closed(struct conn *c)
{
	struct program *p = c->arg;

	program_watch(p);
	p->conn = NULL;
	user_count(p->table->user, QUOTA_LOST, 1);
	wait_abandon(p->start);
	p->start = NULL;
	graves_ms = 1;
	timer_set(&graves, graves_ms, look_at_graves, NULL);
}

/* Is the process known to be dead, so that it stores nothing any more? */
static bool
is_dead(const struct program *p)
{
	struct pollfd pfd;

	if (p->dead)
		return true;
	if (p->life == -1)
		return p->pid != 0 && ut_dead(p->pid);
	pfd.fd = p->life;
	pfd.events = POLLIN;
	return poll(&pfd, 1, 0) == 1;
}

/*
 * Bury the dead, and look again later for the others.  Soon at first: a process
 * that exits closes its connection shortly before it is dead.  A program whose
 * death cannot be seen keeps its part of the regions while these exist; only
 * sub-buffers are taken back when others need them (revoke.c).
 */
static void
look_at_graves(void *arg)
{
	struct program *p, *next;
	bool more = false;

	(void)arg;
	for (p = programs; p != NULL; p = next) {
		next = p->next;
		if (p->conn != NULL)
			continue;
		links_free(p);
		if (!p->known || is_dead(p) || !regions_hold(p->uid, p->owner))
			bury(p);
		else
			more = true;
	}
	graves_ms = graves_ms < 1000 ? graves_ms * 2 : 1000;
	if (more)
		timer_set(&graves, graves_ms, look_at_graves, NULL);
}

/*
 * A program that another utd knew: it connects again, or is dead.  Its pid is
 * of no use if the other utd was in another PID namespace.
 */
void
program_restore(const struct state_program *s)
{
	struct program *p = xcalloc(1, sizeof(*p));

	if ((p->table = table_get((uid_t)s->uid, 0, 0, NULL)) == NULL)
		fatal("calloc");
	p->owner = s->owner;
	p->uid = (uid_t)s->uid;
	p->gid = (gid_t)s->gid;
	if (s->space != 0 && s->space == ut_pid_space())
		p->pid = (pid_t)s->pid;
	p->vpid = (pid_t)s->vpid;
	p->bits = s->bits;
	strcpy(p->name, s->name);
	p->known = true;
	p->life = -1;
	program_add(p);
	user_count(p->table->user, QUOTA_LOST, 1);
	graves_ms = 1;
	timer_set(&graves, 1000, look_at_graves, NULL);
}
