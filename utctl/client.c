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
 * The connection to utd: one request at a time, and its reply.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "common/compat.h"
#include "common/rundir.h"
#include "say.h"

#define PATIENCE	10000		/* ms that utd may take to say hello */
#define STRANGER_MS	30000		/* for an answer of a stranger's */
#define STRANGER_ROWS	(64u << 20)	/* bytes of such a reply */
#define SLICE		100		/* ms between looks at other things */
#define DEPTH_MAX	8

struct client {
	int		 fd;
	int		 gone;		/* utd is not there any more */
	int		 may_go;	/* a hangup is not told */
	int		 stranger;	/* utd is neither ours nor root's */
	int64_t		 deadline;	/* -1 is none */
	char		*dir;
	/* Progress. */
	int64_t		 begun;
	size_t		 rows;		/* bytes of the reply so far */
	uint64_t	 left;		/* bytes to be written */
	int		 width;		/* columns that the progress takes */
	/* The last row at each depth; the reply itself at 0. */
	struct row	*last[DEPTH_MAX + 1];
	struct ut_msg	 m;
	char		 text[UT_MSG_MAX];	/* the text of OK or ERR */
	uint32_t	 code;		/* UT_DID_ of OK, UT_TAKEN_ of ERR */
	unsigned int	 hush;		/* bit UT_TAKEN_ of each not told */
};

static volatile sig_atomic_t interrupted;

/* A signal to stop waiting for utd, or 0: go on.  For signal handlers. */
void
client_interrupt(int sig)
{
	interrupted = sig;
}

int
client_interrupted(void)
{
	return interrupted;
}

const char *
client_dir(const struct client *c)
{
	return c->dir;
}

void
client_may_go(struct client *c)
{
	c->may_go = 1;
}

int
client_gone(const struct client *c)
{
	return c->gone;
}

/* The descriptor that can be read when utd goes; -1: utd is gone. */
int
client_fd(const struct client *c)
{
	return c == NULL || c->gone ? -1 : c->fd;
}

/* Is utd gone?  Only if it is can anything be read between requests. */
int
client_look(struct client *c)
{
	char byte;

	c->gone = recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
	return c->gone;
}

static void
progress_show(struct client *c)
{
	int n;

	if (c->left == 0 || ut_msg_now() - c->begun < 500 || !isatty(2))
		return;
	n = fprintf(stderr, "\rutctl: %" PRIu64 " kB left to write",
	    c->left / 1024 + (c->left % 1024 != 0));
	if (n < c->width)
		fprintf(stderr, "%*s", c->width - n, "");
	if (n > 0)
		c->width = n;
}

static void
progress_erase(struct client *c)
{
	int saved = errno;

	if (c->width > 0)
		fprintf(stderr, "\r%*s\r", c->width, "");
	c->width = 0;
	c->left = 0;
	errno = saved;
}

static int
client_fail(struct client *c)
{
	progress_erase(c);
	switch (errno) {
	case 0:
	case EPIPE:
	case ECONNRESET:
		if (!c->may_go)
			say("utd in %s has gone away", c->dir);
		c->gone = 1;
		break;
	case EINTR:
		say("interrupted while utd was working");
		break;
	case ETIMEDOUT:
		say("utd in %s does not answer", c->dir);
		break;
	case EBADMSG:
	case EPROTO:
		say("utd in %s sent a malformed message", c->dir);
		break;
	default:
		say_errno("utd in %s", c->dir);
		break;
	}
	return -1;
}

static int
client_recv(struct client *c)
{
	ut_msg_clear(&c->m);
	while (ut_msg_recv_bare(c->fd, &c->m, ut_msg_now() + SLICE) == -1) {
		if (errno != ETIMEDOUT)
			return -1;
		if (c->deadline != -1 && ut_msg_now() >= c->deadline)
			return -1;
		if (interrupted) {
			errno = EINTR;
			return -1;
		}
		progress_show(c);
	}
	/* utd may have sent something all the time. */
	if (c->deadline != -1 && ut_msg_now() >= c->deadline) {
		errno = ETIMEDOUT;
		return -1;
	}
	return 0;
}

/* Root talks to the utd of anybody: what such a utd sends has bounds. */
static int
too_much(struct client *c)
{
	c->rows += c->m.h.len;
	return c->stranger && c->rows > STRANGER_ROWS;
}

/* A string goes on from *s, where there is that much room. */
static char *
row_string(struct ut_msg *m, char **s, size_t *room)
{
	char *v = *s;
	size_t n;

	ut_msg_get_str(m, *s, *room);
	n = strlen(v) + 1;
	*s += n;
	*room -= n;
	return v;
}

/* Take a row apart, into one piece of memory; NULL if it is malformed. */
static struct row *
row_read(struct ut_msg *m)
{
	size_t i, n = m->h.b, room = (size_t)m->h.len + 1;
	struct row *r;
	char *s;

	/* A member takes five bytes or more. */
	if (n > m->h.len / 5)
		return NULL;
	r = calloc(1, sizeof(*r) + n * sizeof(r->m[0]) + room);
	if (r == NULL)
		return NULL;
	s = (char *)&r->m[n];
	r->what = row_string(m, &s, &room);
	for (i = 0; i < n && !m->bad; i++) {
		r->m[i].key = row_string(m, &s, &room);
		switch (ut_msg_get_u8(m)) {
		case 's':
			r->m[i].str = row_string(m, &s, &room);
			break;
		case 'n':
			r->m[i].num = ut_msg_get_u64(m);
			break;
		default:		/* a later utd's: leave the rest */
			return r;
		}
		r->n = i + 1;
	}
	if (m->bad) {
		free(r);
		return NULL;
	}
	return r;
}

/* Hang the row in the message under the last one of a lesser depth. */
static int
row_add(struct client *c)
{
	size_t d, depth = c->m.h.a;
	struct row *r, *up;

	if ((r = row_read(&c->m)) == NULL)
		return -1;
	for (d = 0; d < depth && d < DEPTH_MAX - 1; d++)
		if (c->last[d + 1] == NULL)
			break;
	up = c->last[d];
	if (up->child == NULL)
		up->child = r;
	else
		up->last->next = r;
	up->last = r;
	c->last[d + 1] = r;
	for (d += 2; d <= DEPTH_MAX; d++)
		c->last[d] = NULL;
	return 0;
}

void
row_free(struct row *r)
{
	struct row *next;
	size_t i;

	for (; r != NULL; r = next) {
		next = r->next;
		row_free(r->child);
		for (i = 0; i < r->n; i++)
			free(r->m[i].clean);
		free(r);
	}
}

/* Make every value fit to be shown as text. */
void
rows_clean(struct row *r)
{
	struct member *m;

	for (; r != NULL; r = r->next) {
		for (m = r->m; m < r->m + r->n; m++)
			if (m->str != NULL && m->clean == NULL)
				m->str = m->clean = clean(m->str);
		rows_clean(r->child);
	}
}

/* The first of that kind, from that row on; NULL: there is none. */
const struct row *
row_first(const struct row *r, const char *what)
{
	while (r != NULL && strcmp(r->what, what) != 0)
		r = r->next;
	return r;
}

/* The member of that name; NULL: a utd of another version has none. */
const struct member *
row_find(const struct row *r, const char *key)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (strcmp(r->m[i].key, key) == 0)
			return &r->m[i];
	return NULL;
}

/* The string of that name, or "". */
const char *
row_str(const struct row *r, const char *key)
{
	const struct member *m = row_find(r, key);

	return m == NULL || m->str == NULL ? "" : m->str;
}

/* The number of that name, or 0. */
uint64_t
row_num(const struct row *r, const char *key)
{
	const struct member *m = row_find(r, key);

	return m == NULL ? 0 : m->num;
}

/* Subtract n from the number of that name, unless the number is smaller. */
void
row_subtract(struct row *r, const char *key, uint64_t n)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (strcmp(r->m[i].key, key) == 0 && r->m[i].num >= n)
			r->m[i].num -= n;
}

/* Read the end of a reply: 0, or -1 after the text of an error. */
static int
client_verdict(struct client *c)
{
	ut_msg_get_str(&c->m, c->text, sizeof(c->text));
	c->code = c->m.h.b;
	if (c->m.h.type == UT_CTL_OK)
		return 0;
	if (!client_hushed(c))
		say("%s", c->text[0] == '\0' ? "utd refused" : c->text);
	return -1;
}

static int
client_reply(struct client *c)
{
	while (client_recv(c) == 0) {
		if (c->m.h.type != UT_CTL_PROGRESS)
			progress_erase(c);
		switch (c->m.h.type) {
		case UT_CTL_OK:
		case UT_CTL_ERR:
			return client_verdict(c);
		case UT_CTL_ROW:
			if (too_much(c) || row_add(c) == -1) {
				errno = EBADMSG;
				return client_fail(c);
			}
			break;
		case UT_CTL_PROGRESS:
			if (interrupted) {
				errno = EINTR;
				return client_fail(c);
			}
			c->left = ut_msg_get_u64(&c->m);
			progress_show(c);
			break;
		}
	}
	return client_fail(c);
}

/* The next request, for the caller to complete. */
struct ut_msg *
client_begin(struct client *c, int type)
{
	ut_msg_clear(&c->m);
	ut_msg_init(&c->m, type, 0, 0);
	return &c->m;
}

/*
 * Send the request and read what utd answers.  The rows, if wanted, are the
 * caller's: a row "" that has those of depth 0 under it.
 */
int
client_request(struct client *c, struct row **rows)
{
	const int64_t bound = c->deadline;
	struct row *root;
	int r;

	if (bound == -1 && c->stranger)
		c->deadline = ut_msg_now() + STRANGER_MS;
	if ((root = calloc(1, sizeof(*root))) == NULL) {
		say_errno("malloc");
		return -1;
	}
	root->what = "";
	memset(c->last, 0, sizeof(c->last));
	c->last[0] = root;
	c->begun = ut_msg_now();
	c->rows = 0;
	c->code = 0;
	c->text[0] = '\0';
	/* A utd that hung up may have said why. */
	if (ut_msg_send(c->fd, &c->m, c->begun + PATIENCE) == -1 &&
	    errno != EPIPE && errno != ECONNRESET)
		r = client_fail(c);
	else
		r = client_reply(c);
	c->deadline = bound;
	if (r == -1 || rows == NULL) {
		row_free(root);
		root = NULL;
	}
	if (rows != NULL)
		*rows = root;
	return r;
}

/* A request that is no more than a name, or a kind. */
int
client_ask(struct client *c, int type, const char *name, struct row **rows)
{
	struct ut_msg *m = client_begin(c, type);

	if (name != NULL)
		ut_msg_str(m, name);
	return client_request(c, rows);
}

/* Keep quiet when one of these is taken: client_hushed() tells. */
void
client_hush(struct client *c, unsigned int taken)
{
	c->hush = taken;
}

int
client_hushed(const struct client *c)
{
	return c->code < 32 && (c->hush >> c->code & 1) != 0;
}

const char *
client_text(const struct client *c)
{
	return c->text;
}

/* Did that bit come with the last reply? */
int
client_did(const struct client *c, uint32_t bit)
{
	return (c->code & bit) != 0;
}

/* Print what utd had to say to a request that came back so; -> exit status. */
int
client_say(struct client *c, int r)
{
	char *text;

	if (r == 0 && c->text[0] != '\0') {
		puts(text = clean(c->text));
		free(text);
	}
	return r == 0 ? 0 : 1;
}

static int
client_hello(struct client *c, int own)
{
	struct ut_msg *m = client_begin(c, UT_CTL_HELLO);

	m->h.a = UT_MSG_VERSION;
	if (client_request(c, NULL) == -1)
		return -1;
	if (c->m.h.a != UT_MSG_VERSION) {
		say("utd in %s speaks version %" PRIu32
		    " of the protocol, this utctl version %d", c->dir,
		    c->m.h.a, UT_MSG_VERSION);
		return -1;
	}
	if (own == 0)
		return 0;
	ut_msg_u32(client_begin(c, UT_CTL_OWN), own == CLIENT_OWN_LAST);
	return client_request(c, NULL);
}

/* Root may talk to anybody's, others to theirs and to root's. */
static int
connect_to(const char *dir)
{
	int s = ut_msg_connect(dir, ut_msg_now() + PATIENCE);
	uid_t uid;
	gid_t gid;
	pid_t pid;

	if (s == -1 || geteuid() == 0 || (ut_peer(s, &uid, &gid, &pid) == 0 &&
	    (uid == 0 || uid == geteuid())))
		return s;
	ut_hang_up(s);
	errno = EPERM;
	return -1;
}

/* Connect to the user's own utd, else to the system's. */
static int
connect_usual(char *dir, size_t size)
{
	const char *e = getenv("UT_RUNDIR");
	int s, saved;

	if (ut_rundir(dir, size) == 0 && (s = connect_to(dir)) != -1)
		return s;
	saved = errno;
	if (geteuid() != 0 && (e == NULL || *e == '\0') &&
	    (s = connect_to(UT_RUNDIR_SYSTEM)) != -1) {
		snprintf(dir, size, "%s", UT_RUNDIR_SYSTEM);
		return s;
	}
	if (dir[0] == '\0')
		snprintf(dir, size, "%s", UT_RUNDIR_SYSTEM);
	errno = saved;
	return -1;
}

static void
no_utd(const char *dir)
{
	if (errno == ENAMETOOLONG)
		say("no utd is running in %s: the path of its socket would "
		    "be longer than %zu bytes", dir,
		    sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1);
	else if (errno == ECONNREFUSED)
		say("no utd is running in %s: %s: it was killed, or the "
		    "directory is another machine's; what it has not written "
		    "the next utd or utctl recover will", dir,
		    strerror(errno));
	else if (errno == ENOENT)
		say("no utd is running in %s: %s: start one, see utd(8), or "
		    "use utctl record", dir, strerror(errno));
	else if (errno == EAGAIN)
		say("utd in %s does not answer: its queue of connections is "
		    "full", dir);
	else
		say_errno("no utd is running in %s", dir);
}

static struct client *
client_new(int s, const char *dir, int own)
{
	struct client *c = calloc(1, sizeof(*c));
	uid_t uid;
	gid_t gid;
	pid_t pid;

	if (c == NULL)
		die_errno("malloc");
	c->fd = s;
	c->stranger = ut_peer(s, &uid, &gid, &pid) == -1 ||
	    (uid != 0 && uid != geteuid());
	c->dir = format("%s", dir);
	c->deadline = ut_msg_now() + PATIENCE;
	ut_msg_init(&c->m, 0, 0, 0);
	if (client_hello(c, own) == -1) {
		client_close(c);
		return NULL;
	}
	c->deadline = -1;
	return c;
}

void
client_bound(struct client *c, int bound)
{
	c->deadline = bound && c->stranger ? ut_msg_now() + STRANGER_MS : -1;
}

/*
 * Connect to utd in that directory, or where it usually is; with `own', utd
 * ends when this connection does, but with CLIENT_OWN_LAST not before its last
 * session.
 */
struct client *
client_open(const char *where, int own)
{
	char dir[PATH_MAX] = "";
	int s;

	if (where != NULL)
		snprintf(dir, sizeof(dir), "%s", where);
	s = where != NULL ? connect_to(dir) : connect_usual(dir, sizeof(dir));
	if (s == -1) {
		no_utd(dir);
		return NULL;
	}
	return client_new(s, dir, own);
}

/* Connect, but do not own utd; NULL, without a message, if there is none. */
struct client *
client_try(const char *where)
{
	char dir[PATH_MAX] = "";
	int s;

	if (where != NULL)
		snprintf(dir, sizeof(dir), "%s", where);
	s = where != NULL ? connect_to(dir) : connect_usual(dir, sizeof(dir));
	return s == -1 ? NULL : client_new(s, dir, 0);
}

struct client *
client_on(int s, const char *dir)
{
	return s == -1 ? NULL : client_new(s, dir, 0);
}

/* utd is about to exit: wait for that, within bounds. */
void
client_ended(struct client *c)
{
	static const struct timespec nap = { 0, 5000000 };
	const int64_t deadline = ut_msg_now() + LINGER;
	pid_t pid = 0;
	uid_t uid;
	gid_t gid;

	(void)ut_peer(c->fd, &uid, &gid, &pid);
	while ((!client_look(c) || (pid > 0 && !ut_dead(pid))) &&
	    interrupted == 0 && ut_msg_now() < deadline)
		nanosleep(&nap, NULL);
}

void
client_close(struct client *c)
{
	if (c == NULL)
		return;
	ut_msg_clear(&c->m);
	ut_hang_up(c->fd);
	free(c->dir);
	free(c);
}
