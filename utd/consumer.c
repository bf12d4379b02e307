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
 * files, sleeps on the bell, and does what the parent says: see orders.c.
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

#include "consumer.h"

#define LOCK		(PARENT_FD + 1)	/* where a file to wait in is */

struct pool *pools;
struct outdir *outdirs;

static struct ut_bell bell = UT_BELL_NONE;
static struct shared bell_shared;
static volatile sig_atomic_t ticked;

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
void
consumer_tick(bool on)
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
gid_t
consumer_group(uid_t uid, gid_t gid)
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
	gid = consumer_group(uid, gid);
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

/*
 * With the first region; what takes shared memory is then told of by the one
 * answer, and can be tried again.  It rings at once, for the signals that
 * came when there was none.
 */
int
consumer_bell(char *name)
{
	struct ut_bell b;
	struct ut_msg *out;
	int tries = 0;

	if (bell.at != NULL)
		return 0;
	if (ut_bell_adopt(&b, name) == -1) {
		if (errno != ENOENT)
			ut_bell_remove(name);	/* half made */
		while (ut_bell_create(&b, name) == -1) {
			if (errno != EEXIST || ++tries == 100)
				return -1;
			ut_shm_name(name);
		}
	}
	if (b.size > 0)
		fault_watch(&bell_shared, b.at, b.size);
	bell = b;
	ut_bell_ring(&bell);
	out = report_begin(UT_C_READY, 0, 0);
	if (bell.fd != -1)
		ut_msg_fd(out, bell.fd);
	ut_msg_str(out, bell.name);
	report_send();
	return 0;
}

/* With nothing to drain there is nothing to be rung for. */
static void
sleep_on_socket(int ms)
{
	struct pollfd pfd;

	pfd.fd = PARENT_FD;
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
		orders_take();
		orders_obey();
		if (parent_gone || ending)
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
			owners_bury();
	}
	orders_take();		/* it may have gone after it said so */
	orders_obey();
	for (d = outdirs; d != NULL; d = d->next)
		ending &= !d->behind;	/* not yet: another will */
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
	    dup2(sock, PARENT_FD) == -1 || dup2(lock, LOCK) == -1)
		fatal("dup2");
}

/*
 * The consumer of a utd that was killed may not have found that out: two must
 * not empty the same regions.  The lock goes when its process does.  Our own
 * parent may not wait so long.
 */
static void
take_turn(uid_t uid)
{
	struct flock lock;

	memset(&lock, 0, sizeof(lock));
	lock.l_type = F_WRLCK;
	lock.l_whence = SEEK_SET;
	consumer_tick(true);
	while (fcntl(LOCK, F_SETLKW, &lock) == -1) {
		if (errno != EINTR)
			fatal("lock of uid %lu", (unsigned long)uid);
		if (ut_hung_up(PARENT_FD))
			exit(1);
	}
	consumer_tick(false);
}

void
consumer_main(int sock, int lock, uid_t uid, gid_t gid)
{
	catch(SIGINT, SIG_IGN);
	catch(SIGTERM, SIG_IGN);
	catch(SIGCHLD, SIG_DFL);	/* that pipe is the parent's */
	move(sock, lock);
	ut_closefrom(LOCK + 1);
	if (ut_nonblock(PARENT_FD) == -1)
		fatal("fcntl");
	ut_confine(drop_privileges(uid, gid));
	umask(022);
	ut_name_thread("utd: consumer");
	catch(SIGUSR1, on_signal);
	catch(SIGALRM, on_signal);
	fault_init();
	orders_init();
	take_turn(uid);
	run();
	consumer_tick(false);
	catch(SIGUSR1, SIG_IGN);
	catch(SIGALRM, SIG_IGN);
	if (!ending)
		exit(1);		/* another needs the bell */
	/* The handlers rang it. */
	ut_bell_remove(bell.name);
	ut_bell_close(&bell);
	exit(0);
}
