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
 * The FIFOs on which programs sleep that have no utd: see libut/find.c.
 *
 * To hold one is to have it open for writing, with a byte in it: nobody sleeps
 * there then.  It is done once, after the socket is there.  They stay when we
 * go.
 *
 * Besides the one in the run directory there are those in /tmp, which users
 * make.  What is not exactly one of them is left alone, nothing is created
 * there, no open(2) waits, and no user has more than a few of our
 * descriptors.  Those on which somebody sleeps come first, and are opened
 * however many there are: open(2) for writing succeeds only with a reader.
 * All others are for who has made one and is about to look for us, or to
 * sleep.  Who may mount a file system there can have whoever looks wait for
 * ever, so a process of its own does that, and passes on what it finds.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libut/common/rundir.h"
#include "listen.h"

#define PATH_LEN	128
#define HELD_MAX	1024
#define PER_USER	16
#define FLAGS		(O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY)

struct held {
	int	 fd;
	uid_t	 uid;
	dev_t	 dev;
	ino_t	 ino;
};

static struct held held[HELD_MAX];
static int nheld, held_max;
static struct file finder;		/* socket of the finder */
static pid_t finder_pid;		/* a process of ours; or 0 */

static bool
is_fifo_of(const struct stat *st, uid_t uid)
{
	return S_ISFIFO(st->st_mode) && st->st_uid == uid;
}

/* Open a FIFO of the user for writing; -1 if it is none or nobody sleeps. */
static int
fifo_wake(const char *path, uid_t uid)
{
	struct stat st;
	int w;

	if (lstat(path, &st) == -1 || !is_fifo_of(&st, uid))
		return -1;
	w = open(path, O_WRONLY | FLAGS);
	if (w != -1 && (fstat(w, &st) == -1 || !is_fifo_of(&st, uid))) {
		close(w);
		w = -1;
	}
	/* For those that sleep in poll(2); nobody reads it. */
	if (w != -1)
		(void)!write(w, "", 1);
	return w;
}

/* Wake a FIFO's reader, or hold the FIFO if nobody sleeps there. */
static int
fifo_hold(const char *path, uid_t uid)
{
	struct stat st;
	int r, w = -1;

	if (lstat(path, &st) == -1 || !is_fifo_of(&st, uid) ||
	    (r = open(path, O_RDONLY | FLAGS)) == -1)
		return -1;
	if (fstat(r, &st) == 0 && is_fifo_of(&st, uid))
		w = fifo_wake(path, uid);
	close(r);
	return w;
}

static bool
is_held(const char *path)
{
	struct stat st;
	int i;

	if (lstat(path, &st) == -1)
		return true;
	for (i = 0; i < nheld; i++)
		if (held[i].ino == st.st_ino && held[i].dev == st.st_dev)
			return true;
	return false;
}

static int
held_by(uid_t uid)
{
	int i, n = 0;

	for (i = 0; i < nheld; i++)
		n += held[i].uid == uid;
	return n;
}

/*
 * Keep the descriptor.  If there are too many, the oldest is closed, except our
 * own FIFO: the programs that slept there are awake, and will find us.
 */
static void
held_add(int fd, uid_t uid)
{
	static int next;
	struct held *h;
	struct stat st;

	if (nheld < held_max) {
		h = &held[nheld++];
	} else {
		h = &held[1 + next++ % (held_max - 1)];
		close(h->fd);
	}
	h->fd = fd;
	h->uid = uid;
	h->dev = h->ino = 0;
	if (fstat(fd, &st) == 0) {
		h->dev = st.st_dev;
		h->ino = st.st_ino;
	}
}

static bool
wake_hold(const char *path, uid_t uid)
{
	const int fd = fifo_hold(path, uid);

	if (fd != -1)
		held_add(fd, uid);
	return fd != -1;
}

/* Is it a name that ut_rundir_tmp makes?  Then *uid is the user in it. */
static bool
tmp_name(const char *name, uid_t *uid)
{
	const char *digits = name + strlen(UT_TMP_PREFIX);
	unsigned long long key;
	unsigned long n;
	char again[64], *end;

	if (strncmp(name, UT_TMP_PREFIX, strlen(UT_TMP_PREFIX)) != 0)
		return false;
	n = strtoul(digits, &end, 10);
	if (*end != '-')
		return false;
	key = strtoull(end + 1, NULL, 16);
	*uid = (uid_t)n;
	snprintf(again, sizeof(again), UT_TMP_NAME, n, key);
	return *uid == n && strcmp(name, again) == 0;
}

static void
pass_on(int sock, int fd, uid_t uid)
{
	static struct ut_msg m;

	ut_msg_init(&m, 0, (uint32_t)uid, 0);
	ut_msg_fd(&m, fd);
	if (ut_msg_send(sock, &m, -1) == -1)
		_exit(1);
}

/* In the finder: open a FIFO, unless its user has enough, and pass it on. */
static void
hold_some(const char *path, uid_t uid, bool slept_on, int sock)
{
	int fd;

	if (held_by(uid) >= PER_USER || (!slept_on && nheld == held_max) ||
	    is_held(path))
		return;
	fd = slept_on ? fifo_wake(path, uid) : fifo_hold(path, uid);
	if (fd == -1)
		return;
	held_add(fd, uid);
	pass_on(sock, fd, uid);
}

static void
find_all(int sock, bool slept_on)
{
	char path[PATH_LEN];
	struct dirent *d;
	DIR *dir;
	uid_t uid;

	if ((dir = opendir(UT_TMP)) == NULL)
		return;
	while ((d = readdir(dir)) != NULL) {
		if (!tmp_name(d->d_name, &uid))
			continue;
		snprintf(path, sizeof(path), "%s/%.64s", UT_TMP, d->d_name);
		hold_some(path, uid, slept_on, sock);
	}
	closedir(dir);
}

/*
 * The FIFO has a second name.  If that is another FIFO, somebody has removed
 * the run directory, and programs still sleep on the old FIFO: it takes the
 * place of ours.
 */
static void
hold_beside(const char *path, const char *dir)
{
	char beside[PATH_LEN];
	struct stat st, also;

	if (ut_rundir_beside(beside, sizeof(beside), dir) == -1 ||
	    link(path, beside) == 0 || lstat(path, &st) == -1 ||
	    lstat(beside, &also) == -1 ||
	    (st.st_dev == also.st_dev && st.st_ino == also.st_ino))
		return;
	if (wake_hold(beside, geteuid()) && unlink(path) == 0 &&
	    link(beside, path) == -1)
		log_warn("%s", path);
}

static void	finder_run(int) __attribute__((noreturn));

static void
finder_run(int sock)
{
	(void)signal(SIGTERM, SIG_DFL);
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGCHLD, SIG_DFL);
	if (dup2(sock, 3) == -1)
		_exit(1);
	ut_closefrom(4);	/* nobody is to wait for us */
	log_detach();
	find_all(3, true);
	find_all(3, false);
	_exit(0);
}

static void
finder_close(void)
{
	if (finder.fd == -1)
		return;
	file_del(&finder);
	close(finder.fd);
	finder.fd = -1;
}

static void
finder_found(void *arg, short revents)
{
	struct ut_msg *m = arg;
	int fd, r;

	(void)revents;
	while ((r = ut_msg_read(finder.fd, m)) == 1) {
		if ((fd = ut_msg_get_fd(m)) != -1)
			held_add(fd, (uid_t)m->h.a);
		ut_msg_clear(m);
	}
	if (r == -1)
		finder_close();
}

/* A process has ended, perhaps the finder. */
void
wake_reap(void)
{
	if (finder_pid > 0 && waitpid(finder_pid, NULL, WNOHANG) != 0)
		finder_pid = 0;
}

/* The system's utd holds the FIFOs of all users, by means of the finder. */
static void
hold_all(void)
{
	static struct ut_msg m;
	int pair[2];

	ut_msg_init(&m, 0, 0, 0);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1 ||
	    ut_nonblock(pair[0]) == -1 || (finder_pid = fork()) == -1)
		fatal("%s", UT_TMP);
	if (finder_pid == 0)
		finder_run(pair[1]);
	close(pair[1]);
	if (!file_add(&finder, pair[0], POLLIN, finder_found, &m))
		fatal("%s", UT_TMP);
}

/* Hold the FIFO in the run directory; it must be there. */
static void
hold_own(const char *dir)
{
	const mode_t mode = geteuid() == 0 ? 0644 : 0600;
	char path[PATH_LEN];
	struct stat st;

	make_path(path, sizeof(path), dir, UT_FIFO);
	if (mkfifo(path, mode) == -1 && errno != EEXIST)
		fatal("%s", path);
	if (lstat(path, &st) == 0 && is_fifo_of(&st, geteuid()))
		(void)chmod(path, mode);
	errno = 0;
	if (wake_hold(path, geteuid())) {
		hold_beside(path, dir);
		return;
	}
	if (errno != 0)
		fatal("%s", path);
	fatalx("%s: not a FIFO of ours", path);
}

void
wake_open(const char *dir)
{
	long max = sysconf(_SC_OPEN_MAX) / 4;
	char path[PATH_LEN];

	finder.fd = -1;
	held_max = max < 4 || max > HELD_MAX ? HELD_MAX : (int)max;
	hold_own(dir);
	if (geteuid() == 0) {
		if (strcmp(dir, UT_RUNDIR_SYSTEM) == 0)
			hold_all();
	} else if (ut_rundir_tmp(path, sizeof(path), geteuid(), dir) == 0) {
		(void)wake_hold(path, geteuid());
	}
}

void
wake_close(void)
{
	if (finder_pid > 0)
		kill(finder_pid, SIGKILL);
	finder_close();
	while (nheld > 0)
		close(held[--nheld].fd);
}
