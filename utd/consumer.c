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
 * The consumer: a process of the traced user.  It has the regions and the
 * files, sleeps on the bell, and does what the parent says.
 */

#include <sys/types.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utd.h"

#define SOCK		3	/* where the parent's socket is */
#define LOCK		4	/* and a file to wait in */
#define PROGRESS_MS	200
#define BUCKETS		1024	/* of owners, whose numbers are in a row */

/* A message that has to wait for the end of a pass. */
struct later {
	struct later	*next;
	struct ut_msg	 msg;		/* only as long as it needs to be */
};

static struct pool *pools;
static struct outdir *outdirs;
static struct owner *owners[BUCKETS];
static struct ut_bell bell = { NULL, 0, -1, "" };
static struct shared bell_shared;
static char bell_name[sizeof(bell.name)];	/* of one that is there */
static volatile sig_atomic_t ticked;
static struct later *laters, **last_later = &laters;
static struct ut_msg in, out;
static bool parent_gone;
static bool ending;		/* in order */
static unsigned int ndead;	/* owners, to be buried */
static bool died;		/* one of them just now */

/*
 * Signals: the parent has sent something, or a second has passed.
 */
static void
on_signal(int sig)
{
	int error = errno;

	if (sig == SIGALRM)
		ticked = 1;
	if (bell.at != NULL)
		ut_bell_ring(&bell);
	errno = error;
}

static void
catch(int sig, void (*handler)(int))
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

/* Only while there is something that the timer could be for. */
static void
tick(bool on)
{
	struct itimerval it;

	memset(&it, 0, sizeof(it));
	it.it_interval.tv_sec = it.it_value.tv_sec = on;
	setitimer(ITIMER_REAL, &it, NULL);
}

/*
 * The user's own group.  That of a program may be one that the user is not
 * in, if the program is set-group-ID; it counts where nobody knows the user.
 */
static gid_t
group_of(uid_t uid, gid_t gid)
{
	const struct passwd *pw = getpwuid(uid);

	return pw != NULL ? pw->pw_gid : gid;
}

/*
 * For good: real, effective and saved IDs, and the groups.  True if there was
 * anything to give up.
 */
static bool
drop_privileges(uid_t uid, gid_t gid)
{
	const struct passwd *pw;

	if (geteuid() != 0 || uid == 0)
		return false;
	gid = group_of(uid, gid);
	pw = getpwuid(uid);
	if ((pw != NULL ? initgroups(pw->pw_name, gid) :
	    setgroups(1, &gid)) == -1 || setgid(gid) == -1 ||
	    setuid(uid) == -1)
		fatal("uid %lu", (unsigned long)uid);
	if (getuid() != uid || geteuid() != uid || getgid() != gid ||
	    getegid() != gid || setuid(0) != -1 ||
	    (gid != 0 && setgid(0) != -1)) {
		errno = EPERM;
		fatal("uid %lu", (unsigned long)uid);
	}
	return true;
}

static void
send_out(void)
{
	if (ut_msg_send(SOCK, &out, -1) == -1)
		parent_gone = true;
}

void
consumer_trouble(struct pool *p, bool error, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ut_msg_init(&out, UT_C_TROUBLE, p->id, error);
	ut_msg_str(&out, text);
	send_out();
}

/* Someone may be waiting for the end of this. */
void
consumer_progress(uint64_t left)
{
	static int64_t last;
	int64_t now = ut_msg_now();

	if (now - last < PROGRESS_MS)
		return;
	last = now;
	ut_msg_init(&out, UT_C_PROGRESS, 0, 0);
	ut_msg_u64(&out, left);
	send_out();
}

/* Under another name, perhaps, than that which was asked for. */
void
consumer_made(const struct outdir *d)
{
	ut_msg_init(&out, UT_C_MADE, d->id, 0);
	ut_msg_str(&out, d->path);
	send_out();
}

void
consumer_wrote(const struct outdir *d)
{
	ut_msg_init(&out, UT_C_WROTE, d->id, 0);
	ut_msg_u64(&out, (uint64_t)d->meta_size);
	send_out();
}

void
consumer_close_oldest(void)
{
	struct stream *s, *oldest = NULL;
	struct pool *p;
	uint32_t i;

	for (p = pools; p != NULL; p = p->next) {
		for (i = 0; i < p->nstreams; i++) {
			s = &p->streams[i];
			if (s->fd != -1 &&
			    (oldest == NULL || s->used < oldest->used))
				oldest = s;
		}
	}
	if (oldest != NULL)
		stream_close(oldest);
}

static struct owner *
find_owner(uint64_t number)
{
	struct owner *o = owners[number % BUCKETS];

	while (o != NULL && o->number != number)
		o = o->next;
	return o;
}

const struct owner *
owner_find(uint64_t number)
{
	return find_owner(number);
}

bool
owner_dead(uint64_t number)
{
	const struct owner *o = find_owner(number);

	return o != NULL && o->dead;
}

static struct pool *
pool_find(uint32_t id)
{
	struct pool *p;

	for (p = pools; p != NULL && p->id != id; p = p->next)
		continue;
	return p;
}

static struct outdir *
outdir_find(uint32_t id)
{
	struct outdir *d;

	for (d = outdirs; d != NULL && d->id != id; d = d->next)
		continue;
	return d;
}

static void
reply_fd(uint32_t serial, int fd, const char *path)
{
	ut_msg_init(&out, UT_C_REPLY, serial, fd == -1 ? (uint32_t)errno : 0);
	if (fd != -1)
		ut_msg_fd(&out, fd);
	ut_msg_str(&out, path);
	send_out();
	if (fd != -1)
		close(fd);
}

static void
reply_counts(uint32_t serial, const struct pool *p)
{
	static const struct counts none;
	const struct counts *c = p != NULL ? &p->counts : &none;
	const uint64_t lost = p != NULL ? pool_lost(p) : 0;

	ut_msg_init(&out, UT_C_REPLY, serial, p != NULL ? 0 : ENOENT);
	ut_msg_u64(&out, c->written);
	ut_msg_u64(&out, lost);
	ut_msg_u64(&out, c->bytes);
	ut_msg_u64(&out, c->packets);
	send_out();
}

static void
do_outdir(struct ut_msg *m)
{
	char path[PATH_MAX];
	uint32_t serial = ut_msg_get_u32(m);
	bool again;

	ut_msg_get_str(m, path, sizeof(path));
	again = ut_msg_get_u32(m) != 0;
	errno = ENAMETOOLONG;
	reply_fd(serial, m->bad ? -1 : output_session(path, again), path);
}

/* Of another user, who is to write there. */
static void
do_uiddir(struct ut_msg *m)
{
	char path[PATH_MAX];
	uint32_t serial = ut_msg_get_u32(m);
	uid_t uid;
	gid_t gid;
	bool new;
	int fd, dir = -1;

	ut_msg_get_str(m, path, sizeof(path));
	new = ut_msg_get_u32(m) != 0;
	uid = (uid_t)ut_msg_get_u32(m);
	gid = (gid_t)ut_msg_get_u32(m);
	if ((fd = ut_msg_get_fd(m)) != -1)
		dir = output_dir(fd, path, new, uid);
	if (dir != -1 && uid != geteuid() &&
	    fchown(dir, uid, group_of(uid, gid)) == -1) {
		close(dir);
		dir = -1;
	}
	reply_fd(serial, dir, path);
	if (fd != -1)
		close(fd);
}

static void
do_trace(struct ut_msg *m)
{
	struct outdir like, *d = NULL;
	char path[PATH_MAX];
	uint32_t serial = ut_msg_get_u32(m);
	bool made;
	int i, fd;

	ut_msg_get_str(m, path, sizeof(path));
	memset(&like, 0, sizeof(like));
	like.id = m->h.a;
	like.new = ut_msg_get_u32(m) != 0;
	like.again = ut_msg_get_u32(m) != 0;
	made = ut_msg_get_u32(m) != 0;
	for (i = 0; i < UUID_LEN; i++)
		like.uuid[i] = ut_msg_get_u8(m);
	if ((fd = ut_msg_get_fd(m)) != -1)
		d = output_trace(&like, fd, path, made);
	ut_msg_init(&out, UT_C_REPLY, serial, d != NULL ? 0 :
	    (uint32_t)errno);
	if (d != NULL) {
		d->next = outdirs;
		outdirs = d;
		ut_msg_u64(&out, (uint64_t)d->meta_size);
	}
	send_out();
}

/* How it is called, or is to be. */
static void
do_bell(struct ut_msg *m)
{
	ut_msg_get_str(m, bell_name, sizeof(bell_name));
}

/*
 * With the first region; what takes shared memory is then told of by the one
 * answer, and can be tried again.  It rings at once, for the signals that
 * came when there was none.
 */
static int
make_bell(void)
{
	struct ut_bell b;
	int tries = 0;

	if (bell.at != NULL)
		return 0;
	if (ut_bell_adopt(&b, bell_name) == -1) {
		if (errno != ENOENT)
			ut_bell_remove(bell_name);	/* half made */
		while (ut_bell_create(&b, bell_name) == -1) {
			if (errno != EEXIST || ++tries == 100)
				return -1;
			ut_shm_name(bell_name);
		}
	}
	if (b.size > 0)
		fault_watch(&bell_shared, b.at, b.size);
	bell = b;
	ut_bell_ring(&bell);
	ut_msg_init(&out, UT_C_READY, 0, 0);
	if (bell.fd != -1)
		ut_msg_fd(&out, bell.fd);
	ut_msg_str(&out, bell.name);
	send_out();
	return 0;
}

/* Made, or taken over; NULL and errno. */
static struct pool *
make_region(struct pool *like, bool again, int fd)
{
	struct pool *p;
	int error;

	if (like->dir == NULL || make_bell() == -1) {
		if (like->dir == NULL)
			errno = ENOENT;
		if (fd != -1)
			close(fd);
		return NULL;
	}
	if ((p = pool_new(like, again, fd)) == NULL || !again ||
	    pool_adopt(p))
		return p;
	error = errno;
	pool_free(p, false);
	errno = error;
	return NULL;
}

static void
do_region(struct ut_msg *m)
{
	struct pool like, *p;
	uint32_t serial, active;
	bool again;

	memset(&like, 0, sizeof(like));
	like.id = m->h.a;
	like.dir = outdir_find(m->h.b);
	serial = ut_msg_get_u32(m);
	like.stream = ut_msg_get_u32(m);
	ut_msg_get_str(m, like.name, sizeof(like.name));
	like.nsubs = ut_msg_get_u32(m);
	like.subsize = ut_msg_get_u32(m);
	like.clock = ut_msg_get_u32(m);
	active = ut_msg_get_u32(m);
	ut_msg_get_str(m, like.shm, sizeof(like.shm));
	again = ut_msg_get_u32(m) != 0;
	p = make_region(&like, again, m->h.nfds > 0 ? ut_msg_get_fd(m) : -1);
	ut_msg_init(&out, UT_C_REPLY, serial, p != NULL ? 0 :
	    (uint32_t)errno);
	if (p != NULL) {
		if (active)
			pool_activate(p, true);
		if (pools == NULL)
			tick(true);
		p->next = pools;
		pools = p;
		ut_msg_u32(&out, active);
		ut_msg_fd(&out, p->fd);
	}
	send_out();
}

/* A failure is told of when there is data that it keeps back. */
static void
do_metadata(struct ut_msg *m)
{
	static char text[UT_MSG_MAX];
	struct outdir *d = outdir_find(m->h.a);

	ut_msg_get_str(m, text, sizeof(text));
	if (d != NULL)
		(void)output_metadata(d, text, m->h.b == 0);
}

static void
do_refine(struct ut_msg *m)
{
	char text[512];
	struct outdir *d = outdir_find(m->h.a);
	uint64_t at = ut_msg_get_u64(m);

	ut_msg_get_str(m, text, sizeof(text));
	if (d != NULL && !m->bad)
		output_refine(d, at, text);
}

static struct owner *
get_owner(struct ut_msg *m)
{
	uint64_t number = ut_msg_get_u64(m);
	struct owner *o;

	if ((o = find_owner(number)) != NULL)
		return o;
	o = xcalloc(1, sizeof(*o));
	o->number = number;
	o->pid = ut_msg_get_u32(m);
	ut_msg_get_str(m, o->name, sizeof(o->name));
	o->next = owners[number % BUCKETS];
	owners[number % BUCKETS] = o;
	return o;
}

static void
do_owner(struct ut_msg *m)
{
	(void)get_owner(m);
}

/* The parent need not remember them for another consumer. */
static void
forget_dead(void)
{
	struct owner **op, *o;
	int i;

	for (i = 0; i < BUCKETS && ndead > 0; i++) {
		for (op = &owners[i]; (o = *op) != NULL;) {
			if (!o->dead) {
				op = &o->next;
				continue;
			}
			*op = o->next;
			ut_msg_init(&out, UT_C_REPLY, o->serial, 0);
			send_out();
			free(o);
			ndead--;
		}
	}
}

/* All who died, in one pass; what that cannot deal with is tried again. */
static void
bury_dead(void)
{
	struct pool *p;
	bool buried = true;

	died = false;
	if (ndead == 0)
		return;
	for (p = pools; p != NULL; p = p->next)
		buried &= pool_bury(p);
	if (buried)
		forget_dead();
}

/*
 * Buried with those that the next messages tell of.  It may never have been
 * told of before, by the parent to this consumer.
 */
static void
do_dead(struct ut_msg *m)
{
	uint32_t serial = ut_msg_get_u32(m);
	struct owner *o = get_owner(m);

	if (o->dead)
		return;
	o->dead = true;
	o->serial = serial;
	ndead++;
	died = true;
}

static void
do_active(struct ut_msg *m)
{
	struct pool *p = pool_find(m->h.a);
	uint32_t serial = ut_msg_get_u32(m);

	if (p != NULL)
		pool_activate(p, m->h.b != 0);
	reply_counts(serial, p);
}

static void
do_count(struct ut_msg *m)
{
	struct pool *p = pool_find(m->h.a);

	if (p != NULL)
		(void)pool_drain(p, DRAIN_ALL);
	reply_counts(ut_msg_get_u32(m), p);
}

static void
do_close(struct ut_msg *m)
{
	struct pool **pp, *p;

	for (pp = &pools; (p = *pp) != NULL; pp = &p->next)
		if (p->id == m->h.a)
			break;
	if (p != NULL) {
		*pp = p->next;
		pool_finish(p, m->h.b != 0);
	}
	reply_counts(ut_msg_get_u32(m), p);
	if (p != NULL)
		pool_free(p, true);
	if (pools == NULL)
		tick(false);
}

static void
do_closetrace(struct ut_msg *m)
{
	struct outdir **dp, *d;

	for (dp = &outdirs; (d = *dp) != NULL; dp = &d->next) {
		if (d->id == m->h.a) {
			*dp = d->next;
			output_close(d);
			return;
		}
	}
}

static void
do_end(struct ut_msg *m)
{
	(void)m;
	ending = true;
}

static const struct {
	uint16_t	 type;
	void		(*act)(struct ut_msg *);
} orders[] = {
	{ UT_C_END,		do_end },
	{ UT_C_OUTDIR,		do_outdir },
	{ UT_C_UIDDIR,		do_uiddir },
	{ UT_C_TRACE,		do_trace },
	{ UT_C_REGION,		do_region },
	{ UT_C_METADATA,	do_metadata },
	{ UT_C_REFINE,		do_refine },
	{ UT_C_BELL,		do_bell },
	{ UT_C_OWNER,		do_owner },
	{ UT_C_DEAD,		do_dead },
	{ UT_C_ACTIVE,		do_active },
	{ UT_C_COUNT,		do_count },
	{ UT_C_CLOSE,		do_close },
	{ UT_C_CLOSETRACE,	do_closetrace },
};

static void
obey(struct ut_msg *m)
{
	size_t i;

	for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (orders[i].type == m->h.type)
			orders[i].act(m);
	ut_msg_clear(m);
}

static void
put_off(struct ut_msg *m)
{
	size_t body = m->h.len - sizeof(m->h);
	struct later *l;

	l = xcalloc(1, sizeof(*l) - sizeof(m->body) + body);
	memcpy(&l->msg, m, offsetof(struct ut_msg, body) + body);
	*last_later = l;
	last_later = &l->next;
	ut_msg_init(m, 0, 0, 0);
}

/*
 * What can be done in the middle of a pass: metadata and the names of
 * programs must be, as events that are committed may need them, and new
 * buffers are what a program waits for.
 */
static bool
at_once(const struct ut_msg *m)
{
	switch (m->h.type) {
	case UT_C_BELL:
	case UT_C_OWNER:
	case UT_C_TRACE:
		return true;
	case UT_C_METADATA:
		return outdir_find(m->h.a) != NULL;
	case UT_C_REGION:
		return outdir_find(m->h.b) != NULL;
	default:
		return false;
	}
}

/* What the parent has sent, in order but for that. */
void
consumer_metadata(void)
{
	int r;

	while ((r = ut_msg_read(SOCK, &in)) == 1) {
		if (at_once(&in))
			obey(&in);
		else
			put_off(&in);
	}
	if (r == -1)
		parent_gone = true;
}

static void
do_laters(void)
{
	struct later *l;

	while ((l = laters) != NULL) {
		if ((laters = l->next) == NULL)
			last_later = &laters;
		if (died && l->msg.h.type != UT_C_DEAD)
			bury_dead();
		obey(&l->msg);
		free(l);
	}
	if (died)
		bury_dead();
}

/* With nothing to drain there is nothing to be rung for. */
static void
sleep_on_socket(int ms)
{
	struct pollfd pfd;

	pfd.fd = SOCK;
	pfd.events = POLLIN;
	(void)poll(&pfd, 1, ms);
}

static void
sleep_on_bell(void)
{
	struct pool *p;
	bool asleep = true;

	for (p = pools; p != NULL; p = p->next)
		asleep &= pool_sleep(p, true);
	/* If somebody has spoiled the bell, each second is often enough. */
	if (asleep && !ticked && ut_bell_wait(&bell) == -1)
		sleep_on_socket(1000);
	for (p = pools; p != NULL; p = p->next)
		(void)pool_sleep(p, false);
}

static void
run(void)
{
	struct outdir *d;
	struct pool *p;
	bool more = false;
	int how;

	while (!parent_gone && !ending) {
		consumer_metadata();
		do_laters();
		if (parent_gone)
			break;
		if (pools == NULL) {
			sleep_on_socket(-1);
			continue;
		}
		if (!more)
			sleep_on_bell();
		how = ticked ? DRAIN_ALL : DRAIN_FULL;
		ticked = 0;
		more = false;
		for (p = pools; p != NULL; p = p->next) {
			more |= pool_drain(p, how);
			if (how == DRAIN_ALL)
				pool_revoke(p);
		}
		if (how == DRAIN_ALL)
			bury_dead();
	}
	do_laters();
	while ((p = pools) != NULL) {
		pools = p->next;
		if (ending) {
			pool_finish(p, false);
			pool_free(p, true);
		} else {
			(void)pool_drain(p, DRAIN_ALL);
		}
	}
	while (ending && (d = outdirs) != NULL) {
		outdirs = d->next;
		output_close(d);
	}
}

/* Wherever the two are, here is where they are to be. */
static void
move(int sock, int lock)
{
	if ((sock = fcntl(sock, F_DUPFD, LOCK + 1)) == -1 ||
	    (lock = fcntl(lock, F_DUPFD, LOCK + 1)) == -1 ||
	    dup2(sock, SOCK) == -1 || dup2(lock, LOCK) == -1)
		fatal("dup2");
}

/*
 * The consumer of a utd that was killed may not have found that out: two must
 * not empty the same regions.  The lock goes when its process does.
 */
static void
take_turn(uid_t uid)
{
	struct flock lock;

	memset(&lock, 0, sizeof(lock));
	lock.l_type = F_WRLCK;
	lock.l_whence = SEEK_SET;
	while (fcntl(LOCK, F_SETLKW, &lock) == -1)
		if (errno != EINTR)
			fatal("lock of uid %lu", (unsigned long)uid);
}

void
consumer_main(int sock, uid_t uid, gid_t gid)
{
	catch(SIGINT, SIG_IGN);
	catch(SIGTERM, SIG_IGN);
	loop_forget();
	move(sock, state_lock(uid));
	ut_closefrom(LOCK + 1);
	if (ut_nonblock(SOCK) == -1)
		fatal("fcntl");
	ut_confine(drop_privileges(uid, gid));
	umask(022);
	ut_name_thread("utd: consumer");
	catch(SIGUSR1, on_signal);
	catch(SIGALRM, on_signal);
	fault_init();
	ut_msg_init(&in, 0, 0, 0);
	take_turn(uid);
	run();
	tick(false);
	catch(SIGUSR1, SIG_IGN);
	catch(SIGALRM, SIG_IGN);
	if (!ending)
		exit(0);		/* another needs the bell */
	ut_bell_close(&bell);		/* the handlers rang it */
	exit(0);
}
