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
 * Finding a utd that is not there yet, without looking for it again and
 * again.
 *
 * A thread sleeps at a FIFO that it reads; utd, once there, holds that FIFO
 * open for writing as long as it lives.  The thread first makes the FIFO, then
 * looks whether utd is there, and only then opens the FIFO; utd first listens
 * at its socket, then takes hold of the FIFOs that there are.  So either the
 * FIFO was there in time for utd, and the thread does not sleep, or it came
 * later, and then utd is seen at its socket: no start of utd is missed,
 * whenever it comes.
 *
 * There may be two: the system's utd and the user's.  One thread sleeps for
 * both, on a FIFO in /tmp that both take hold of.  It is the user's, for an
 * ordinary user cannot make one in the directory of the system.
 *
 * A thread with descriptors of its own sleeps in open(2), which waits for a
 * writer.  An open(2) that waits has its number already: dup2(2) to it fails
 * on some systems and waits on others, and nobody else can have it.  So where
 * the descriptors are the program's, the thread opens the FIFO without waiting,
 * moves the descriptor out of the way, and sleeps in poll(2): utd writes a byte
 * into each FIFO that it holds, which nobody reads.  The program may close this
 * descriptor, so no such sleep is for long.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/rundir.h"
#include "ut_conn.h"

/*
 * The delay after an attempt that failed although a utd seems to be there: it
 * holds the FIFO, or its queue is full.  Doubles each time.
 */
#define PACE_MIN	100		/* ms */
#define PACE_MAX	6400
#define LASTED		10000		/* ms: that was a good connection */
#define SLEPT		20		/* ms: nobody held the FIFO */
#define WATCH_MIN	100		/* ms, doubles each time */
#define WATCH_MAX	10000

static unsigned int finders;		/* numbers given to threads */
static int pace;

/* The FIFO that is open among the program's descriptors, if fd is not -1. */
static struct {
	int	fd;
	int	ms;				/* how long to sleep there */
	dev_t	dev;
	ino_t	ino;
	char	place[PLACE_LEN];
} watch = { .fd = -1 };

/* May we create files?  Not in a program that runs for somebody else. */
static bool
may_create(const char *path)
{
	return path[0] == '/' && !ut_issetugid();
}

/* Can nobody but root and us replace what we put into that directory? */
static bool
dir_safe(const char *dir)
{
	struct stat st;

	return stat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
	    (st.st_uid == 0 || st.st_uid == ut_geteuid()) &&
	    (!(st.st_mode & (S_IWGRP | S_IWOTH)) || (st.st_mode & S_ISVTX));
}

/* Make a run directory; chmod, because the umask may have removed bits. */
static void
dir_make(const char *dir)
{
	const mode_t mode = ut_geteuid() == 0 ? 0755 : 0700;
	char above[RUNDIR_LEN];
	char *slash;

	if (!may_create(dir))
		return;
	strcpy(above, dir);
	for (slash = strrchr(above, '/'); slash > above && slash[1] == '\0';
	    slash = strrchr(above, '/'))
		*slash = '\0';
	slash[slash == above] = '\0';
	if (dir_safe(above) && mkdir(dir, mode) == 0)
		(void)chmod(dir, mode);
}

/* Is there a FIFO that is root's or ours? */
static bool
fifo_there(const char *path, struct stat *st)
{
	return lstat(path, st) == 0 && S_ISFIFO(st->st_mode) &&
	    (st->st_uid == 0 || st->st_uid == ut_geteuid());
}

/* Try to make a FIFO; then, is there one that is root's or ours? */
static bool
fifo_make(const char *path, mode_t mode, struct stat *st)
{
	/* The sticky bit keeps those away who clean up; not all have it. */
	if (may_create(path) && mkfifo(path, mode & 0777) == 0 &&
	    chmod(path, mode) == -1)
		(void)chmod(path, mode & 0777);
	return fifo_there(path, st);
}

/* The FIFO in the directory, with its second name if it can have one. */
static bool
fifo_named(const char *path, const char *beside, struct stat *st)
{
	const bool names = beside != NULL && may_create(path);

	if (names && fifo_there(beside, st))
		(void)link(beside, path);
	if (!fifo_make(path, ut_geteuid() == 0 ? 0644 : 0600, st))
		return false;
	if (names)
		(void)link(path, beside);
	return true;
}

/*
 * The FIFO of the run directory, which only the utd there holds.
 *
 * Somebody may remove the directory while there is no utd, as systemd does with
 * a directory that it has made.  Nobody can hold a FIFO without a name, and who
 * sleeps there sleeps for ever.  So the FIFO has a second name, beside the
 * directory, by which it is linked into the next one.
 *
 * If the two names are different files, the one in the directory counts: a
 * container may share only the directory with us.
 */
static bool
own_fifo(char *path, const char *dir)
{
	char inside[PLACE_LEN], beside[PLACE_LEN];
	struct stat in, out;
	bool may, has_in, has_out;
	int n = snprintf(inside, sizeof(inside), "%s/%s", dir, UT_FIFO);

	if (n < 0 || (size_t)n >= sizeof(inside))
		return false;
	may = ut_rundir_beside(beside, sizeof(beside), dir) == 0;
	has_in = ut_rundir_check(dir) == 0;
	if (!has_in && errno != ENOENT)
		return false;
	has_in = has_in && fifo_named(inside, may ? beside : NULL, &in);
	has_out = may && fifo_there(beside, &out);
	if (has_out && has_in && (in.st_dev != out.st_dev ||
	    in.st_ino != out.st_ino))
		has_out = false;
	strcpy(path, has_out ? beside : inside);
	return has_in || has_out;
}

/* The FIFO in /tmp, which the system's utd and that of the directory hold. */
static bool
tmp_fifo(char *path, const char *dir)
{
	struct stat st;

	return !ut_issetugid() && dir_safe(UT_TMP) &&
	    ut_rundir_tmp(path, PLACE_LEN, ut_geteuid(), dir) == 0 &&
	    fifo_make(path, S_ISVTX | 0600, &st);
}

/* Does that thread look for it? */
static bool
is_wanted(const struct conn *c, unsigned int me)
{
	return !c->given_up && !c->listened && c->finder == me;
}

/*
 * Choose the FIFO to sleep on for everything that this thread looks for: rather
 * one that is ours if another thread may want to wake this one.
 */
static bool
choose_place(unsigned int me, char *path)
{
	const char *system = NULL, *own = NULL;
	struct conn *c;

	for (c = ut_conns; c < ut_conns + ut_nconns; c++) {
		if (!is_wanted(c, me))
			continue;
		if (c->system)
			system = c->dir;
		else
			own = c->dir;
	}
	if (own != NULL && system != NULL && tmp_fifo(path, own))
		return true;
	if (own != NULL)
		return own_fifo(path, own);
	if (system == NULL)
		return false;
	if (ut_nconns > 1)
		return tmp_fifo(path, system) || own_fifo(path, system);
	return own_fifo(path, system) || tmp_fifo(path, system);
}

/* Wake the threads that sleep on that FIFO, so that they look again. */
bool
ut_find_poke(const char *path)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);

	if (fd == -1)
		return false;
	close(fd);
	return true;
}

/*
 * Have this thread look for every utd that is not found, in place of the other
 * threads that look for one and can be woken.  A thread that has nothing left
 * to look for ends; one that is woken before it sleeps ends when it wakes.
 */
static unsigned int
take_over(const struct conn *lost)
{
	unsigned int me = ++finders;
	struct conn *c;

	for (c = ut_conns; c < ut_conns + ut_nconns; c++) {
		if (c->given_up || c->listened)
			continue;
		if (c == lost || c->place[0] == '\0' ||
		    ut_find_poke(c->place)) {
			c->finder = me;
			c->place[0] = '\0';
		}
	}
	return me;
}

static int
count_wanted(unsigned int me)
{
	int i, n = 0;

	for (i = 0; i < ut_nconns; i++)
		n += is_wanted(&ut_conns[i], me);
	return n;
}

static void
give_up(unsigned int me)
{
	struct conn *c;

	for (c = ut_conns; c < ut_conns + ut_nconns; c++)
		if (is_wanted(c, me))
			c->given_up = true;
}

/* Try to connect to each; *busy if one is there that does not accept yet. */
static struct conn *
try_all(unsigned int me, bool apart, bool *busy)
{
	struct conn *c;

	*busy = false;
	for (c = ut_conns; c < ut_conns + ut_nconns; c++) {
		if (!is_wanted(c, me))
			continue;
		c->apart = apart;
		if (ut_conn_hello(c) == 0)
			return c;
		*busy |= c->busy;
	}
	return NULL;
}

static int
slower(void)
{
	pace = pace == 0 ? PACE_MIN : pace * 2;
	if (pace > PACE_MAX)
		pace = PACE_MAX;
	return pace;
}

/*
 * Wait, without the lock.  Then wait, though not for ever, until the regions
 * that were detached are unmapped, because utd may give us another number.
 */
static void
pause_ms(int ms)
{
	int tries = 0;

	do {
		ut_threads_nap(ms);
		ms = PACE_MIN;
	} while (!ut_region_settle(20) && ++tries < 10);
}

/* Close it, unless the program has done that. */
static void
watch_close(void)
{
	if (ut_fd_is(watch.fd, watch.dev, watch.ino))
		close(watch.fd);
	watch.fd = -1;
}

static bool
watch_open(const char *place)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW;
	struct stat st;
	int fd;

	watch_close();
	if ((fd = open(place, flags)) == -1)
		return false;
	fd = ut_high_fd(fd);
	if (fstat(fd, &st) == -1) {
		errno = ENOENT;		/* closed by the program: later */
		return false;
	}
	watch.fd = fd;
	watch.ms = WATCH_MIN;
	watch.dev = st.st_dev;
	watch.ino = st.st_ino;
	strcpy(watch.place, place);
	return true;
}

/* Is it open, or is it again? */
static bool
watch_at(const char *place)
{
	return (strcmp(watch.place, place) == 0 &&
	    ut_fd_is(watch.fd, watch.dev, watch.ino)) || watch_open(place);
}

/* Sleep in poll(2), without the lock.  Errors are those of open(2). */
static int
sleep_watching(const char *place)
{
	struct pollfd pfd;
	int ms, n;

	if (!watch_at(place))
		return errno;
	ms = watch.ms;
	pfd.fd = watch.fd;
	pfd.events = POLLIN;
	ut_unlock();
	n = ut_conn_poll(&pfd, 1, ms);
	pthread_mutex_lock(&ut_lock);
	if (watch.fd == pfd.fd && n != 0)
		watch_close();
	else if ((watch.ms *= 2) > WATCH_MAX)
		watch.ms = WATCH_MAX;
	return 0;
}

/* Sleep as in sleep_watching, in a thread with descriptors of its own. */
static int
sleep_apart(const char *place)
{
	int fd, error;

	ut_unlock();
	do
		fd = open(place, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	while (fd == -1 && errno == EINTR);
	error = fd == -1 ? errno : 0;
	if (fd != -1)
		close(fd);
	pthread_mutex_lock(&ut_lock);
	return error;
}

/* Sleep until somebody holds the FIFO.  Returns ms to wait then, or -1. */
static int
sleep_at(unsigned int me, bool apart, const char *place)
{
	int64_t begin = ut_msg_now();
	struct conn *c;
	int error;

	for (c = ut_conns; c < ut_conns + ut_nconns; c++)
		if (is_wanted(c, me))
			strcpy(c->place, place);
	error = apart ? sleep_apart(place) : sleep_watching(place);
	for (c = ut_conns; c < ut_conns + ut_nconns; c++)
		if (is_wanted(c, me))
			c->place[0] = '\0';
	/* Without a descriptor, or if it is gone: choose again, later. */
	if (error != 0 && error != EMFILE && error != ENFILE &&
	    error != ENOENT)
		return -1;
	if (error != 0 || ut_msg_now() - begin < SLEPT)
		return slower();
	pace = 0;
	return 0;
}

/* One was found: true if this thread can listen and need not go on looking. */
static bool
is_found(struct conn *c, unsigned int me)
{
	c->listened = true;
	c->since = ut_msg_now();
	if (count_wanted(me) == 0)
		return true;
	if (ut_conn_listen(c) == -1)
		slower();
	return false;
}

/* Look until one is found to listen to, or nothing is left to look for. */
static struct conn *
find_any(unsigned int me, bool apart, int ms)
{
	char place[PLACE_LEN];
	struct conn *c;
	bool busy, placed;

	for (;;) {
		pause_ms(ms);
		ms = 0;
		if (ut_alone || count_wanted(me) == 0)
			return NULL;
		placed = choose_place(me, place);
		if ((c = try_all(me, apart, &busy)) != NULL) {
			if (is_found(c, me))
				return c;
			if (!c->listened)
				ms = pace;
		} else if (busy) {
			ms = slower();
		} else if (!placed || (ms = sleep_at(me, apart,
		    place)) == -1) {
			give_up(me);
			return NULL;
		}
	}
}

/*
 * Find the next connection for this thread to listen to; NULL if the thread is
 * to end.  lost is the connection that it has listened to, or NULL; apart says
 * whether it has descriptors of its own.  Called without the lock.
 */
struct conn *
ut_find(struct conn *lost, bool apart)
{
	unsigned int me;
	struct conn *c;
	int ms = 0;

	pthread_mutex_lock(&ut_lock);
	if (lost != NULL) {
		lost->listened = false;
		if (ut_msg_now() - lost->since > LASTED)
			pace = 0;
		ms = slower();
	}
	me = take_over(lost);
	c = find_any(me, apart, ms);
	if (me == finders)
		watch_close();
	ut_unlock();
	return c;
}

/*
 * Is there anything for a thread to look for?  If it is hopeless, give up.  The
 * program is not yet in main, or in fork: what is opened now does not take a
 * number from it.
 */
bool
ut_find_later(void)
{
	char place[PLACE_LEN];
	unsigned int me = take_over(NULL);
	struct conn *c;

	if (count_wanted(me) == 0)
		return false;
	if (choose_place(me, place)) {
		if (!ut_has_own_fds() || ut_debugs())
			(void)watch_open(place);
		return true;
	}
	for (c = ut_conns; c < ut_conns + ut_nconns; c++)
		if (is_wanted(c, me) && c->busy)
			return true;
	give_up(me);
	return false;
}

/* In the child of a fork. */
void
ut_find_forked(void)
{
	watch_close();
}

/* Add a place where utd may be; not a directory that we cannot make. */
static void
conn_add(const char *dir, bool system)
{
	struct conn *c = &ut_conns[ut_nconns];

	if (strlen(dir) >= sizeof(c->dir))
		return;
	if (!system) {
		dir_make(dir);
		if (access(dir, F_OK) == -1 && errno != EIO &&
		    errno != ENOMEM) {
			ut_debug("%s: no such directory, nor can it be made: "
			    "not used", dir);
			return;
		}
	}
	strcpy(c->dir, dir);
	c->system = system;
	c->known.conn = ut_nconns;
	ut_nconns++;
}

/* The places where utd may be. */
void
ut_find_init(void)
{
	const char *dir = ut_issetugid() ? NULL : getenv("UT_RUNDIR");
	char user[RUNDIR_LEN];

	if (dir != NULL && *dir != '\0') {
		conn_add(dir, false);
		return;
	}
	conn_add(UT_RUNDIR_SYSTEM, ut_geteuid() != 0 || ut_issetugid());
	if (!ut_issetugid() && ut_geteuid() != 0 &&
	    ut_rundir_user(user, sizeof(user)) == 0)
		conn_add(user, false);
}
