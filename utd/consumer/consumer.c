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
 * files, sleeps on the bell (sleep.c), and does what the parent says (orders.c
 * and orders_later.c).
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumer.h"
#include "region.h"
#include "sink.h"

#define LOCK		(PARENT_FD + 1)	/* where a file to wait in is */

/* Look at all regions that may have something.  True: again, at once. */
static bool
run_pass(void)
{
	struct region *r;
	bool more = false, tick;

	if (sleep_rang())
		tick_awake_all();
	tick = tick_begin();
	for (r = regions; r != NULL; r = r->next)
		more |= region_pass(r, tick);
	if (tick)
		orders_bury();
	output_points();
	tick_end();
	return more;
}

/* Prepare some memory for writers.  False: there is enough. */
static bool
warm_some(void)
{
	struct region *r;

	for (r = regions; r != NULL && !region_warm(r); r = r->next)
		continue;
	return r != NULL;
}

static void
consumer_run(void)
{
	struct region *r;
	bool more = false, warmed;

	while (!parent_gone && !ending) {
		orders_take();
		orders_later();
		if (parent_gone || ending)
			break;
		if (regions == NULL) {
			sleep_on_socket(-1);
			continue;
		}
		warmed = warm_some();
		if (more || (!warmed && sleep_on_bell()))
			more = run_pass();
	}
	orders_take();		/* the parent's last ones */
	orders_later();
	ending &= orders_held == 0;	/* else the next consumer ends */
	while ((r = regions) != NULL) {
		regions = r->next;
		if (ending) {
			region_finish(r, false);
			region_end(r);
		} else {
			(void)region_drain(r, DRAIN_ALL);
		}
	}
	while (ending && traces != NULL)
		output_close(traces);
}

/* Move the two descriptors to PARENT_FD and LOCK, whatever they are. */
static void
fds_move(int sock, int lock)
{
	if ((sock = fcntl(sock, F_DUPFD, LOCK + 1)) == -1 ||
	    (lock = fcntl(lock, F_DUPFD, LOCK + 1)) == -1 ||
	    dup2(sock, PARENT_FD) == -1 || dup2(lock, LOCK) == -1)
		fatal("dup2");
}

/*
 * The consumer of a utd that was killed may still run, and two must not drain
 * the same regions: wait for its lock, which ends with its process.  End if our
 * own parent goes while we wait.
 */
static void
take_turn(uid_t uid)
{
	struct flock lock;

	memset(&lock, 0, sizeof(lock));
	lock.l_type = F_WRLCK;
	lock.l_whence = SEEK_SET;
	sleep_tick(true);
	while (fcntl(LOCK, F_SETLKW, &lock) == -1) {
		if (errno != EINTR)
			fatal("lock of uid %lu", (unsigned long)uid);
		if (ut_hung_up(PARENT_FD))
			exit(1);
	}
	sleep_tick(false);
}

void
consumer_main(int sock, int lock, uid_t uid, gid_t gid)
{
	catch_signal(SIGINT, SIG_IGN, 0);
	catch_signal(SIGTERM, SIG_IGN, 0);
	catch_signal(SIGCHLD, SIG_DFL, 0);	/* the pipe is the parent's */
	fds_move(sock, lock);
	ut_closefrom(LOCK + 1);
	log_detach();
	if (ut_nonblock(PARENT_FD) == -1)
		fatal("fcntl");
	ut_confine(become(uid, gid));
	umask(022);
	ut_name_thread("utd: consumer");
	catch_signal(SIGUSR1, sleep_signal, 0);
	catch_signal(SIGALRM, sleep_signal, 0);
	catch_signal(SIGIO, sleep_signal, 0);
	fault_init();
	orders_init();
	take_turn(uid);
	if (ut_signal_end(PARENT_FD) == -1)
		tick_always();		/* to see that the parent is gone */
	consumer_run();
	sleep_tick(false);
	catch_signal(SIGUSR1, SIG_IGN, 0);
	catch_signal(SIGALRM, SIG_IGN, 0);
	catch_signal(SIGIO, SIG_IGN, 0);
	if (!ending)
		exit(1);		/* another needs the bell */
	sleep_end();			/* the handlers rang the bell */
	exit(0);
}
