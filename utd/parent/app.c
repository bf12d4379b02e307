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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "listen.h"

#define LOST_MAX	4096	/* of a user, without a connection */

static struct timer graves;
static int graves_ms;

static void	app_message(struct conn *, struct ut_msg *);
static void	app_closed(struct conn *);
static void	app_sent(struct conn *);
static void	look_at_graves(void *);

static const struct conn_ops app_ops = { app_message, app_closed, app_sent };

/* A number that was never given before, not even by an earlier utd. */
static uint64_t
owner_new(void)
{
	static uint64_t last;
	struct timespec ts;

	if (last == 0) {
		clock_gettime(CLOCK_REALTIME, &ts);
		last = (uint64_t)ts.tv_sec * 1000000000u +
		    (uint64_t)ts.tv_nsec;
	}
	return ++last;
}

/* Answer the HELLO and NEW so far. */
static void
app_started(void *arg)
{
	static struct ut_msg m;
	struct app *a = arg;

	a->start = NULL;
	while (a->dones > 0 && a->conn != NULL) {
		a->dones--;
		ut_msg_init(&m, UT_MSG_DONE, 0, 0);
		conn_send(a->conn, &m);
	}
}

/* Sync the program with all channels that may want its events. */
static void
app_sync(struct app *a)
{
	struct session *s;
	struct channel *ch;
	struct waiter *w;

	a->dones++;
	if (a->start != NULL) {
		wait_more(a->start);
	} else if ((a->start = wait_new(app_started, a)) == NULL) {
		conn_fail(a->conn);
		return;
	}
	w = a->start;
	for (s = sessions; s != NULL; s = s->next) {
		if (!session_sees(s, a->uid))
			continue;
		for (ch = s->channels; ch != NULL; ch = ch->next)
			if (channel_active(ch) && ch->rules != NULL)
				link_sync(a, ch, w);
	}
	wait_less(w);
}

static void
app_free(struct app *a)
{
	struct app **p;

	for (p = &apps; *p != a; p = &(*p)->next)
		continue;
	*p = a->next;
	place_free(a->place);
	if (a->life != -1)
		user_close(a->table->user, a->life);
	table_drop(a->table);
	free(a);
}

static void
bury(struct app *a)
{
	links_free(a);
	app_tell_dead(a);
	regions_bury(a->owner);
	app_free(a);
}

/*
 * The number that a program had on a connection that it has lost, or 0 if we do
 * not know the number.  The program keeps it, with what it is attached to.  An
 * earlier utd may have seen another pid.
 */
static uint64_t
owner_again(struct app *new, uint64_t before)
{
	struct app *a;

	for (a = apps; a != NULL; a = a->next)
		if (a->owner == before && a->uid == new->uid &&
		    a->vpid == new->vpid &&
		    (a->pid == new->pid || a->pid == 0))
			break;
	if (before == 0 || a == NULL)
		return 0;
	if (a->conn != NULL)
		conn_drop(a->conn);
	links_free(a);
	new->place = a->place;
	new->known = a->known;
	a->place = 0;
	app_free(a);
	return before;
}

/*
 * Bury the program that the process was before an exec.  If its connection is
 * still open, it is another libut in the same process.
 */
static void
supersede(const struct app *new)
{
	struct app *a, *next;

	for (a = apps; a != NULL; a = next) {
		next = a->next;
		if (a == new || a->pid == 0 || a->pid != new->pid ||
		    a->uid != new->uid ||
		    (a->conn != NULL && !conn_ended(a->conn)))
			continue;
		if (a->conn != NULL)
			conn_drop(a->conn);
		bury(a);
	}
}

/*
 * Has the user too many programs that have closed their connections and not
 * ended?  One process can pretend to be any number of them.
 */
static bool
too_many_lost(uid_t uid)
{
	const struct app *a;
	unsigned int n = 0;

	for (a = apps; a != NULL; a = a->next)
		n += a->uid == uid && a->conn == NULL;
	return n >= LOST_MAX;
}

/* Refuse a program of another version, and warn whoever might miss it. */
static void
app_refuse(struct conn *c, uint32_t version)
{
	static struct ut_msg welcome;
	struct session *s;

	log_peer("program %d speaks version %u of the protocol, not %u",
	    (int)c->pid, version, UT_MSG_VERSION);
	for (s = sessions; s != NULL; s = s->next)
		if (session_sees(s, c->uid))
			session_warn(s, "program %d speaks version %u of the "
			    "protocol, not %u: not recorded", (int)c->pid,
			    version, UT_MSG_VERSION);
	ut_msg_init(&welcome, UT_MSG_WELCOME, UT_MSG_VERSION, 0);
	ut_msg_u64(&welcome, 0);
	conn_send(c, &welcome);
	conn_close(c);
}

/* HELLO and NEW: the events that the program has now. */
static bool
app_has(struct app *a, struct ut_msg *m)
{
	struct table *older = a->table;
	uint64_t fingerprint = ut_msg_get_u64(m);
	uint32_t n = ut_msg_get_u32(m);

	if (m->bad || (older != NULL && n < older->size))
		return false;
	a->table = table_get(a->uid, fingerprint, n, older);
	if (a->table == NULL) {
		a->table = older;
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
		return true;
	}
	if (!consumers_full(c->uid))
		return false;
	log_peer("the consumer of uid %lu has too many requests: "
	    "programs have to wait", (unsigned long)c->uid);
	return true;
}

void
app_hello(struct conn *c, struct ut_msg *m)
{
	static struct ut_msg welcome;
	struct app *a;
	uint64_t before;

	if (has_to_wait(c)) {
		conn_drop(c);
		return;
	}
	if (m->h.a != UT_MSG_VERSION) {
		app_refuse(c, m->h.a);
		return;
	}
	if ((a = calloc(1, sizeof(*a))) == NULL) {
		conn_fail(c);
		return;
	}
	a->life = -1;
	a->bits = m->h.b;
	a->uid = c->uid;
	a->gid = c->gid;
	a->pid = c->pid;
	a->vpid = (pid_t)ut_msg_get_u32(m);
	ut_msg_get_str(m, a->name, sizeof(a->name));
	before = ut_msg_get_u64(m);
	errno = 0;
	if ((a->bits != 32 && a->bits != 64) || !app_has(a, m)) {
		if (errno == ENOMEM) {
			conn_fail(c);
		} else {
			log_peer("program %d: bad hello", (int)c->pid);
			conn_drop(c);
		}
		free(a);
		return;
	}
	a->conn = c;
	a->owner = owner_again(a, before);
	a->kept = a->owner != 0;
	if (!a->kept && too_many_lost(a->uid)) {
		log_peer("uid %lu has too many programs without a connection",
		    (unsigned long)a->uid);
		table_drop(a->table);
		free(a);
		conn_drop(c);
		return;
	}
	if (!a->kept)
		a->owner = owner_new();
	a->next = apps;
	apps = a;
	conn_hand_over(c, &app_ops, a);
	if (before == 0)
		supersede(a);
	log_debug("program %s (%d)", a->name, (int)a->pid);
	ut_msg_init(&welcome, UT_MSG_WELCOME, UT_MSG_VERSION, 0);
	ut_msg_u64(&welcome, a->owner);
	ut_msg_u64(&welcome, (uint64_t)clock_ahead);
	conn_send(c, &welcome);
	if (a->conn != NULL)
		app_sync(a);
}

/* NAMES.  False when it makes no sense. */
static bool
app_names(struct app *a, struct ut_msg *m)
{
	if (m->h.a != a->listed || m->h.b > a->listing - a->listed ||
	    !table_names(a->table, m))
		return false;
	a->listed += m->h.b;
	if (a->listed == a->listing)
		links_named(a);
	return true;
}

/* EVENTS.  False when it makes no sense. */
static bool
app_events(struct app *a, struct ut_msg *m)
{
	static struct ut_msg fields;
	uint32_t i, number;

	for (i = 0; i < m->h.b; i++) {
		number = ut_msg_get_u32(m);
		ut_msg_get_bytes(m, &fields);
		if (m->bad || !table_event(a->table, number, &fields))
			return false;
	}
	link_described(a, m->h.a, m->h.b);
	return true;
}

static void
app_message(struct conn *c, struct ut_msg *m)
{
	struct app *a = c->arg;
	bool good = true;

	errno = 0;
	switch (m->h.type) {
	case UT_MSG_NAMES:
		good = app_names(a, m);
		break;
	case UT_MSG_EVENTS:
		good = app_events(a, m);
		break;
	case UT_MSG_ACK:
		link_acked(a, m->h.a, (int)m->h.b);
		break;
	case UT_MSG_FAILED:
		link_unattached(a, m->h.a, (int)m->h.b);
		break;
	case UT_MSG_NEW:
		if ((good = app_has(a, m)))
			app_sync(a);
		break;
	default:
		good = false;
		break;
	}
	if (!good && errno == ENOMEM) {
		conn_fail(c);
	} else if (!good) {
		log_peer("program %s (%d): bad message %u", a->name,
		    (int)a->pid, m->h.type);
		conn_drop(c);
	}
}

static void
app_sent(struct conn *c)
{
	links_sent(c->arg);
}

/*
 * Get, from the connection before it is closed, a descriptor that tells when
 * the process is dead.
 */
static void
app_watch(struct app *a)
{
	const int fd = ut_peer_life(a->conn->file.fd);

	a->dead = fd == -1 && errno == ESRCH;
	if (fd != -1)
		a->life = user_open(a->table->user, fd, true);
}

/*
 * The connection is closed, but the process need not be dead: it may have
 * closed all its descriptors, or become another program by exec.  This can be
 * in the middle of a send, so the timer does everything else.
 */
static void
app_closed(struct conn *c)
{
	struct app *a = c->arg;

	app_watch(a);
	a->conn = NULL;
	wait_abandon(a->start);
	a->start = NULL;
	graves_ms = 1;
	timer_set(&graves, graves_ms, look_at_graves, NULL);
}

/* Is the process known to be dead, so that it stores nothing any more? */
static bool
is_dead(const struct app *a)
{
	struct pollfd pfd;

	if (a->dead)
		return true;
	if (a->life == -1)
		return a->pid != 0 && ut_dead(a->pid);
	pfd.fd = a->life;
	pfd.events = POLLIN;
	return poll(&pfd, 1, 0) == 1;
}

/*
 * Can the program be forgotten?  If its death cannot be seen, it keeps its part
 * of the regions while these exist; only sub-buffers are taken back when others
 * need them (revoke.c).
 */
static bool
is_over(const struct app *a)
{
	return !a->known || is_dead(a) || !regions_hold(a->uid, a->owner);
}

/*
 * Bury the dead, and look again later for the others.  Soon at first: a process
 * that exits closes its connection shortly before it is dead.
 */
static void
look_at_graves(void *arg)
{
	struct app *a, *next;
	bool more = false;

	(void)arg;
	for (a = apps; a != NULL; a = next) {
		next = a->next;
		if (a->conn != NULL)
			continue;
		links_free(a);
		if (is_over(a))
			bury(a);
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
app_restore(const struct state_app *s)
{
	struct app *a = xcalloc(1, sizeof(*a));

	if ((a->table = table_get((uid_t)s->uid, 0, 0, NULL)) == NULL)
		fatal("calloc");
	a->owner = s->owner;
	a->known = true;
	a->uid = (uid_t)s->uid;
	a->gid = (gid_t)s->gid;
	if (s->space != 0 && s->space == ut_pid_space())
		a->pid = (pid_t)s->pid;
	a->vpid = (pid_t)s->vpid;
	a->bits = s->bits;
	strcpy(a->name, s->name);
	a->known = true;
	a->life = -1;
	a->next = apps;
	apps = a;
	graves_ms = 1;
	timer_set(&graves, 1000, look_at_graves, NULL);
}
