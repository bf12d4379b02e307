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
 * When a program is told of: at its start, in the child of a fork, and when
 * it has loaded a library.  The thread that starts the program registers it
 * by itself, so that main() is not entered before; then others listen.
 */

#include <sys/types.h>
#include <sys/socket.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "ut_conn.h"
#include "ut_event.h"
#include "ut_loaded.h"
#include "ut_register.h"

#define BUSY_NAP	5		/* ms until the first retry */
#define BUSY_NAP_MAX	160		/* ms, as it doubles each time */
#define SHORT		50		/* ms */

static bool started;
static pid_t listens;			/* the process whose conns these are */
static bool owed;			/* threads have yet to be started */
static sigset_t fork_signals;

/* At the start: how long is each connection waited for? */
static struct wait {
	bool	 over;			/* no longer waited for */
	bool	 again;			/* the connection was lost once */
	int64_t	 until;			/* -1: no end */
} waits[UT_CONNS];

/*
 * The next step towards being registered; none is left when it is over.  One
 * system call may have failed, so a connection that is lost is tried again,
 * once: utd may hang up on purpose.
 */
static void
register_step(int i, bool readable)
{
	struct conn *c = &ut_conns[i];
	struct wait *w = &waits[i];

	if (c->sock == -1)
		(void)ut_conn_hello(c);
	else if (readable)
		(void)ut_conn_obey(c);
	if (c->sock != -1)
		w->over = c->done == c->asked;
	else if (c->lost && !c->given_up && !w->again)
		w->again = true;
	else
		w->over = !c->busy;
}

/*
 * Poll so that what ends a program can: a signal that has no handler, and
 * that was not blocked.  No handler may run, for it might fork, under the lock.
 */
static void
poll_mortal(struct pollfd *pfds, int ms)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	struct sigaction sa;
	sigset_t set, old;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (sigismember(&ut_signals, ends[i]) == 0 &&
		    sigaction(ends[i], NULL, &sa) == 0 &&
		    sa.sa_handler == SIG_DFL)
			sigaddset(&set, ends[i]);
	pthread_sigmask(SIG_UNBLOCK, &set, &old);
	(void)ut_conn_poll(pfds, (nfds_t)ut_nconns, ms);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/*
 * Poll until something comes, or for *nap, when a utd may have become less
 * busy.  If a thousand programs try to connect, utd gets on better when each
 * of them tries less and less often.
 */
static void
register_poll(struct pollfd *pfds, int64_t deadline, int *nap)
{
	int64_t left = deadline == -1 ? -1 : deadline - ut_msg_now();
	bool naps = false;
	int i;

	for (i = 0; i < ut_nconns; i++) {
		pfds[i].fd = waits[i].over ? -1 : ut_conns[i].sock;
		pfds[i].events = POLLIN;
		pfds[i].revents = 0;
		naps |= !waits[i].over && ut_conns[i].sock == -1;
	}
	if (naps) {
		if (left == -1 || left > *nap)
			left = *nap;
		if ((*nap *= 2) > BUSY_NAP_MAX)
			*nap = BUSY_NAP_MAX;
	}
	if (left > 60000)
		left = 60000;
	if (left < -1)
		left = 0;
	/* Mostly it does not take long. */
	if ((left >= 0 && left <= SHORT) ||
	    ut_conn_poll(pfds, (nfds_t)ut_nconns, SHORT) == 0)
		poll_mortal(pfds, (int)left);
}

/*
 * Is there one to wait for that has always answered in time?  How long, until
 * the first of them is late.
 */
static bool
register_waits(int64_t *until)
{
	const int64_t now = ut_msg_now();
	const struct wait *w;
	bool any = false;

	*until = -1;
	for (w = waits; w < waits + ut_nconns; w++) {
		if (w->over || ut_conn_late(&ut_conns[w - waits]) ||
		    (w->until != -1 && w->until <= now))
			continue;
		any = true;
		if (*until == -1 || (w->until != -1 && w->until < *until))
			*until = w->until;
	}
	return any;
}

/*
 * Register with all at once, and be through with it by the deadline or let it
 * go on.  Who is late now is not waited for again.
 */
static void
register_all(int64_t deadline)
{
	struct pollfd pfds[UT_CONNS];
	int64_t until;
	int i, nap = BUSY_NAP;

	ut_hurry = deadline;
	for (i = 0; i < ut_nconns; i++) {
		waits[i].over = waits[i].again = false;
		register_step(i, false);
		if (!waits[i].over)
			waits[i].until = ut_conn_until(&ut_conns[i], deadline);
	}
	while (register_waits(&until)) {
		register_poll(pfds, until, &nap);
		for (i = 0; i < ut_nconns; i++)
			if (!waits[i].over)
				register_step(i, pfds[i].revents != 0);
	}
	for (i = 0; i < ut_nconns; i++)
		if (!waits[i].over)
			ut_conn_set_late(&ut_conns[i], true);
	ut_hurry = -1;
}

/* When main() must go on: UT_REGISTER_TIMEOUT from now; -1 is never. */
static int64_t
register_deadline(void)
{
	const char *s = ut_issetugid() ? NULL : getenv("UT_REGISTER_TIMEOUT");
	long ms = 3000;
	char *end;

	if (s != NULL && *s != '\0') {
		ms = strtol(s, &end, 10);
		if (*end != '\0' || ms < -1)
			ms = 3000;
	}
	ut_patience = ms;
	return ms == -1 ? -1 : ut_msg_now() + ms;
}

/*
 * Listen from now on; without threads, hang up: what is enabled by then stays
 * so.
 */
static void
listen_all(void)
{
	struct conn *c;

	for (c = ut_conns; c < ut_conns + ut_nconns; c++) {
		if (c->listened)
			continue;	/* a thread would not end */
		if (ut_alone || owed)
			ut_conn_lost(c);
		else if (c->sock != -1 && ut_conn_listen(c) == -1)
			ut_conn_give_up(c);
	}
	if (!ut_alone && !owed && ut_find_later())
		ut_find_start();
}

/* Register, and listen from then on. */
static void
conns_talk(int64_t deadline)
{
	owed = false;
	ut_conns_here();
	register_all(deadline);
	listen_all();
}

static void
threads_begin(void)
{
	struct conn *c;

	listens = getpid();
	ut_threads_none();
	for (c = ut_conns; c < ut_conns + ut_nconns; c++)
		ut_conn_reset(c);
}

/*
 * Children that are not waited for may never live to see an answer, so ask
 * for one ourselves: with it nobody is late any more.
 */
static void
ask_late(void)
{
	struct conn *c;

	ut_hurry = ut_msg_now();
	for (c = ut_conns; c < ut_conns + ut_nconns; c++)
		if (ut_conn_late(c) && c->done == c->asked)
			(void)ut_conn_tell(c);
	ut_hurry = -1;
}

static bool
connected(void)
{
	const struct conn *c;

	for (c = ut_conns; c < ut_conns + ut_nconns; c++)
		if (c->sock != -1)
			return true;
	return false;
}

static void
before_fork(void)
{
	sigset_t old;
	bool known;

	ut_enter(&old);
	fork_signals = old;
	ut_conn_share_late();
	ask_late();
	known = connected();
	ut_loaded_before_fork(known, !known && ut_threads_others());
	ut_threads_before_fork();
	ut_stack_forking();
	ut_fork_hold();
}

static void
after_fork(void)
{
	sigset_t old = fork_signals;

	ut_fork_release();
	ut_threads_after_fork();
	ut_leave(&old);
}

/*
 * Where no thread may start yet, the child is registered, and listens when the
 * fork is over.  If nobody will say when that is, it hangs up.
 */
static void
talk_in_fork(void)
{
	const enum fork_threads when = ut_fork_threads();

	if (when == FORK_NOW || ut_alone) {
		conns_talk(register_deadline());
		return;
	}
	register_all(register_deadline());
	owed = true;
	if (when == FORK_UNSEEN)
		listen_all();		/* hangs up */
}

/* May this process have one more descriptor? */
static bool
can_connect(void)
{
	const int s = ut_alone ? -1 : ut_socket(SOCK_STREAM);

	if (s != -1)
		close(s);
	return s != -1 || ut_alone || (errno != EMFILE && errno != ENFILE);
}

/* The child is a program of its own. */
static void
child_of_fork(void)
{
	struct thread *self;
	sigset_t old = fork_signals;
	struct conn *c;

	ut_fork_release();
	for (c = ut_conns; c < ut_conns + ut_nconns; c++)
		ut_conn_forked(c);
	if (ut_regions_any() && !can_connect())
		ut_regions_unheard();
	ut_threads_forked();
	ut_region_forked();
	self = ut_mute();
	ut_loaded_forked();
	ut_events_forked();
	ut_conn_init();
	ut_find_forked();
	threads_begin();
	talk_in_fork();
	ut_unmute(self);
	ut_threads_after_fork();
	ut_leave(&old);
}

/* In the child of a fork, which may have threads from now on. */
static void
fork_over(void)
{
	struct thread *self;
	sigset_t signals;

	if (!owed || getpid() != listens)
		return;
	ut_enter(&signals);
	self = ut_mute();
	if (owed)
		conns_talk(register_deadline());
	ut_unmute(self);
	ut_leave(&signals);
}

/* Once, with the first module, under ut_lock: true that time. */
bool
ut_listen(void)
{
	if (started)
		return false;
	started = true;
	ut_clock_init();
	ut_thread_init();
	ut_conn_init();
	ut_find_init();
	ut_fork_init(fork_over);
	pthread_atfork(before_fork, after_fork, child_of_fork);
	threads_begin();
	conns_talk(register_deadline());
	return true;
}

/*
 * Tell of new events, and wait for what comes of it: under ut_lock.  In a
 * child that ran no atfork handler the sockets are its parent's, and so would
 * be the answers.
 */
void
ut_listen_new(void)
{
	int64_t deadline = register_deadline();
	bool wait[UT_CONNS];
	int i;

	if (getpid() != listens)
		return;
	if (ut_alone || owed) {
		conns_talk(deadline);
		return;
	}
	ut_hurry = deadline;
	for (i = 0; i < ut_nconns; i++)
		wait[i] = ut_conn_tell(&ut_conns[i]);
	ut_hurry = -1;
	for (i = 0; i < ut_nconns; i++)
		if (wait[i])
			ut_conn_await(&ut_conns[i],
			    ut_conn_until(&ut_conns[i], deadline));
}

/* Whether the library has threads. */
UT_EXPORT int
ut_threads(int want)
{
	struct thread *self;
	sigset_t signals;
	int error = 0;
	bool had;

	ut_enter(&signals);
	self = ut_mute();
	had = !ut_alone;
	ut_threads_want(want != 0);
	if (started && getpid() == listens) {
		if (!want)
			error = ut_threads_end();
		else if (!had || owed)
			conns_talk(register_deadline());
		if (!want && error == 0)
			ut_conns_let_go();
	}
	ut_unmute(self);
	ut_leave(&signals);
	if (error == 0)
		return 0;
	errno = error;
	return -1;
}
