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
 * The run directory: the socket, and the lock that keeps a second utd out.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../libut/common/rundir.h"
#include "listen.h"

#define LOCK		"utd.pid"
#define PATH_LEN	128		/* a socket's is shorter */
#define TRIES		20		/* to lock the file */
#define TRY_MS		10		/* between these */
#define TURN		64		/* connections */
#define SAY_MS		60000		/* not more often */
#define FIRST_MS	60000		/* for the first message */
#define STRANGER_MS	5000		/* for that of a stranger */

static char sock_path[PATH_LEN], lock_path[PATH_LEN];
static struct file listener;
static struct timer pause_timer;
static int lock_fd = -1;
static pid_t before;			/* the last utd there; 0: it ended */
static const struct hello *hellos;

static void	first_message(struct conn *, struct ut_msg *);
static void	nobody_left(struct conn *);

/* For a connection whose first message has not come. */
static const struct conn_ops stranger_ops = {
	first_message, nobody_left, NULL
};

/* Say, with errno, that programs have to wait; not too often. */
void
listen_full(void)
{
	static int64_t said;
	const int64_t now = ut_msg_now();

	if (said == 0 || now - said > SAY_MS) {
		log_warn("programs have to wait");
		said = now;
	}
}

static void
first_message(struct conn *c, struct ut_msg *m)
{
	const struct hello *h;

	timer_clear(&c->patience);
	for (h = hellos; h->take != NULL; h++) {
		if (h->type == m->h.type) {
			h->take(c, m);
			return;
		}
	}
	log_peer("uid %lu, process %d: garbage", (unsigned long)c->uid,
	    (int)c->pid);
	conn_drop(c);
}

static void
nobody_left(struct conn *c)
{
	timer_clear(&c->patience);
}

/* Drop a silent connection, because others may need its descriptor. */
static void
says_nothing(void *arg)
{
	struct conn *c = arg;

	log_peer("uid %lu, process %d: says nothing", (unsigned long)c->uid,
	    (int)c->pid);
	conn_drop(c);
}

/* A user's own utd accepts only that user and root. */
static bool
welcome(uid_t uid)
{
	return geteuid() == 0 || uid == geteuid() || uid == 0;
}

static void
resume(void *arg)
{
	(void)arg;
	ready_events(&listener, POLLIN);
}

/*
 * How long may a connection be silent?  A busy machine may give a program no
 * processor for many seconds.  But strangers share descriptors, so a stranger
 * does not keep one for long.
 */
static int
hello_ms(uid_t uid)
{
	return user_is_stranger(uid) ? STRANGER_MS : FIRST_MS;
}

/* There is no memory for the connection: it is dropped. */
static void
say_lost(uid_t uid, pid_t pid)
{
	log_warn("connection of process %d, uid %lu", (int)pid,
	    (unsigned long)uid);
}

/* Accept a connection; false when there is none. */
static bool
accept_one(void)
{
	struct conn *c;
	struct user *u;
	uid_t uid;
	gid_t gid;
	pid_t pid;
	int s;

	if ((s = ut_accept(listener.fd)) == -1) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
		    errno == ENOBUFS) {
			listen_full();
			ready_events(&listener, 0);
			timer_set(&pause_timer, 100, resume, NULL);
			return false;
		}
		return errno == EINTR || errno == ECONNABORTED;
	}
	if (ut_peer(s, &uid, &gid, &pid) == -1 || !welcome(uid)) {
		ut_hang_up(s);
		return true;
	}
	if ((u = user_come(uid)) == NULL) {
		say_lost(uid, pid);
		ut_hang_up(s);
		return true;
	}
	if ((s = user_open(u, s, false)) == -1) {
		log_peer("uid %lu has too many connections",
		    (unsigned long)uid);
		user_drop(u);
		return true;
	}
	if ((c = conn_new(s, &stranger_ops, NULL)) == NULL) {
		say_lost(uid, pid);
		user_close(u, s);
		user_drop(u);
		return true;
	}
	conn_of(c, u, gid, pid);
	conn_read(c);		/* the hello came with the connection */
	if (c->state != CONN_DEAD && c->ops == &stranger_ops)
		timer_set(&c->patience, hello_ms(uid), says_nothing, c);
	return true;
}

/* Accept some connections; then it is the turn of others. */
static void
accept_some(void *arg, short revents)
{
	int n;

	(void)arg;
	(void)revents;
	for (n = 0; n < TURN && accept_one(); n++)
		continue;
}

/* The run directory must be ours, or others could replace the socket. */
static void
open_dir(const char *dir)
{
	struct stat st;
	mode_t mode = geteuid() == 0 ? 0755 : 0700;

	if (mkdir(dir, mode) == -1 && errno != EEXIST)
		fatal("%s", dir);
	if (lstat(dir, &st) == -1)
		fatal("%s", dir);
	if (S_ISLNK(st.st_mode) && st.st_uid != 0 &&
	    st.st_uid != geteuid())
		fatalx("%s: a symbolic link of uid %lu", dir,
		    (unsigned long)st.st_uid);
	if (stat(dir, &st) == -1)
		fatal("%s", dir);
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		fatal("%s", dir);
	}
	if (st.st_uid != geteuid())
		fatalx("%s: owned by uid %lu, not by %lu", dir,
		    (unsigned long)st.st_uid, (unsigned long)geteuid());
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		fatalx("%s: writable by others than its owner", dir);
}

/* Can nobody else rename what is in there?  The owner of / can do anything. */
static bool
is_firm(const struct stat *st)
{
	struct stat top;

	if (st->st_uid != geteuid() && st->st_uid != 0 &&
	    (stat("/", &top) == -1 || st->st_uid != top.st_uid))
		return false;
	return (st->st_mode & S_ISVTX) != 0 || ((st->st_mode & S_IWOTH) == 0 &&
	    ((st->st_mode & S_IWGRP) == 0 || st->st_gid == 0));
}

static void	in_the_way(const char *) __attribute__((noreturn));

static void
in_the_way(const char *dir)
{
	fatalx("%s: others can put another directory there, or above it", dir);
}

/* The directories above the current one. */
static void
check_above(const char *dir)
{
	struct stat st, above;
	int fd, up;

	if ((fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1 ||
	    fstat(fd, &st) == -1)
		fatal("%s", dir);
	while ((up = openat(fd, "..", O_RDONLY | O_DIRECTORY |
	    O_CLOEXEC)) != -1) {
		close(fd);
		fd = up;
		if (fstat(fd, &above) == -1)
			fatal("%s", dir);
		if (above.st_dev == st.st_dev && above.st_ino == st.st_ino)
			break;
		st = above;
		if (!is_firm(&above))
			in_the_way(dir);
	}
	close(fd);
}

/*
 * Root's utd creates, renames and removes files there by their paths: nobody
 * else may be able to put another directory, or a link, in the place of one on
 * the way.
 */
static void
check_way(const char *dir)
{
	char path[PATH_MAX], *p;
	struct stat st;

	if (ut_walk(dir, 0, 0) == -1) {
		if (errno == EPERM)
			in_the_way(dir);
		fatal("%s", dir);
	}
	check_above(dir);
	if (chdir("/") == -1)
		fatal("/");
	snprintf(path, sizeof(path), "%s", dir);
	for (p = path + 1; (p = strchr(p, '/')) != NULL; *p++ = '/') {
		*p = '\0';
		if (stat(path, &st) == -1)
			fatal("%s", path);
		if (!is_firm(&st))
			in_the_way(dir);
	}
}

/* A file with another name may have been linked there by somebody else. */
static bool
is_plain(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink <= 1;
}

/* A utd that was killed keeps its lock until its memory is freed. */
static void
lock_file(const char *dir)
{
	struct flock lock;
	int tries = 0;

	memset(&lock, 0, sizeof(lock));
	lock.l_type = F_WRLCK;
	lock.l_whence = SEEK_SET;
	while (fcntl(lock_fd, F_SETLK, &lock) == -1) {
		if (errno != EAGAIN && errno != EACCES)
			fatal("%s", lock_path);
		if (++tries == TRIES) {
			log_warnx("%s: another utd runs there", dir);
			exit(UT_RUNDIR_TAKEN);
		}
		(void)poll(NULL, 0, TRY_MS);
	}
}

static void
take_lock(const char *dir)
{
	char pid[32];
	int n;

	/* Not for others to read: who can, can lock it as well. */
	lock_fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
	    O_NONBLOCK, 0600);
	if (lock_fd != -1 && !is_plain(lock_fd))
		fatalx("%s: not a file of ours, or with another name",
		    lock_path);
	if (lock_fd == -1 || fchmod(lock_fd, 0600) == -1)
		fatal("%s", lock_path);
	lock_file(dir);
	if ((n = (int)read(lock_fd, pid, sizeof(pid) - 1)) > 0) {
		pid[n] = '\0';
		before = (pid_t)strtol(pid, NULL, 10);
	}
	n = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	if (ftruncate(lock_fd, 0) == -1 || pwrite(lock_fd, pid,
	    (size_t)n, 0) != n)
		fatal("%s", lock_path);
}

static void
open_socket(void)
{
	struct sockaddr_un sun;
	mode_t mode = geteuid() == 0 ? 0666 : 0600;
	int s;

	memset(&sun, 0, sizeof(sun));
	sun.sun_family = AF_UNIX;
	if (strlen(sock_path) >= sizeof(sun.sun_path))
		fatalx("%s: longer than the %zu bytes of a socket's path",
		    sock_path, sizeof(sun.sun_path) - 1);
	strcpy(sun.sun_path, sock_path);
	if (unlink(sock_path) == -1 && errno != ENOENT)
		fatal("%s", sock_path);
	if ((s = ut_socket(SOCK_STREAM)) == -1 ||
	    bind(s, (struct sockaddr *)&sun, sizeof(sun)) == -1 ||
	    chmod(sock_path, mode) == -1 || listen(s, 1024) == -1)
		fatal("%s", sock_path);
	ut_refuse_fds(s);
	if (!file_add(&listener, s, POLLIN, accept_some, NULL))
		fatal("%s", sock_path);
}

/* The process ID of the utd that was killed in this run directory, or 0. */
pid_t
listen_before(void)
{
	return before;
}

void
listen_open(const char *dir, const struct hello *table)
{
	hellos = table;
	make_path(sock_path, sizeof(sock_path), dir, UT_SOCKET);
	make_path(lock_path, sizeof(lock_path), dir, LOCK);
	open_dir(dir);
	if (geteuid() == 0)
		check_way(dir);
	take_lock(dir);
	open_socket();
	wake_open(dir);		/* only now, as libut/find.c says */
}

/* Remove the socket last: utctl takes that for our end. */
void
listen_close(void)
{
	wake_close();
	unlink(lock_path);
	close(listener.fd);
	unlink(sock_path);
	close(lock_fd);
}
