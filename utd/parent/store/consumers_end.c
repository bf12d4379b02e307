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
 * The end of the consumers, when utd ends.
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>

#include "consumers.h"

#define STOPS		100	/* by its user, of one that is to end */
#define KILLED_MS	1000	/* for a killed process to end */
#define END_MS		60000	/* for all consumers to end */
#define LOOK_MS		5	/* between two looks */

/*
 * Has the process ended?  If its user has stopped it, it is continued, some
 * times, and then killed.  Reads everything that it has said.
 */
static bool
process_ended(struct consumer *c)
{
	int status;
	pid_t pid;

	if (c->pid <= 0)
		return true;
	pid = waitpid(c->pid, &status, WNOHANG | WUNTRACED);
	if (pid == 0 || (pid == -1 && errno == EINTR))
		return false;
	if (pid != -1 && WIFSTOPPED(status)) {
		kill(c->pid, c->nstops++ < STOPS ? SIGCONT : SIGKILL);
		return false;
	}
	if (c->conn != NULL)
		conn_drop(c->conn);
	c->pid = 0;
	if (pid != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		c->state = CONSUMER_FINISHED;
	return true;
}

/*
 * Tell the consumer to end.  One that has not taken over everything yet leaves
 * its regions to the next utd.
 */
static void
consumer_end(struct consumer *c, int64_t now)
{
	c->heard = c->late ? now - LATE_MS + KILLED_MS : now;
	consumer_tell(c, UT_C_END, 0, 0);
	if (c->pid > 0)
		kill(c->pid, SIGUSR1);
}

/* Need we not wait for the consumer any more?  Kills it when it is time. */
static bool
consumer_over(struct consumer *c, int64_t now, int64_t deadline)
{
	if (process_ended(c))
		return true;
	if (c->killed && now - c->heard >= KILLED_MS)
		return true;
	if (!c->killed && (now >= deadline || now - c->heard >= LATE_MS)) {
		consumer_warn(c, "does not end: killed");
		kill(c->pid, SIGKILL);
		c->killed = true;
		c->heard = now;
	}
	return false;
}

/*
 * Have all consumers drain and stop their regions, and end.  One that says
 * nothing for long is killed, and one that cannot be killed is left alone.  A
 * consumer that did not end in order may leave regions for the next utd.
 */
void
consumers_end(void)
{
	int64_t now = ut_msg_now(), deadline = now + END_MS;
	struct consumer *c;
	bool all = false;

	for (c = consumers; c != NULL; c = c->next)
		consumer_end(c, now);
	while (!all) {
		all = true;
		for (c = consumers; c != NULL; c = c->next) {
			if (c->conn != NULL)
				(void)conn_flush(c->conn, 0);
			all &= consumer_over(c, now, deadline);
		}
		conn_reap();
		if (!all)
			(void)poll(NULL, 0, LOOK_MS);
		now = ut_msg_now();
	}
	for (c = consumers; c != NULL; c = c->next)
		if (c->pid > 0)
			consumer_warn(c, CONSUMER_STUCK);
}

/* Remove what consumers leave in the file system and in shared memory. */
void
consumers_remove(void)
{
	const struct consumer *c;

	for (c = consumers; c != NULL; c = c->next) {
		consumer_remove(c, c->bellname, true);
		if (c->pid <= 0)	/* else its process has the lock */
			consumer_unlock(c->uid);
	}
}
