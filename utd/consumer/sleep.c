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
 * How a consumer sleeps and wakes up: the bell that programs ring, the parent's
 * signals, and the timer of tick.c; and which regions are awake.
 */

#include <sys/types.h>
#include <sys/time.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "consumer.h"
#include "region.h"
#include "sink.h"

#define TICK_MS		1000

static struct ut_bell bell = UT_BELL_NONE;
static struct shared bell_shared;
static volatile sig_atomic_t ticked;	/* the timer is over */
static int64_t armed;			/* time the timer is set to; or 0 */
static bool rung;
static bool made;			/* the bell, by us */
static bool always;		/* nothing else tells of the parent's end */
static int64_t next_tick;	/* 0: none */
static int64_t due;		/* time of the next thing to do; 0: none */
static bool ticking;		/* in this pass */

/* The parent has sent something or is gone, or the time has come. */
void
sleep_signal(int sig)
{
	int error = errno;

	if (sig == SIGALRM)
		ticked = 1;
	if (bell.at != NULL)
		ut_bell_stir(&bell);
	errno = error;
}

void
sleep_tick(bool on)
{
	struct itimerval it;

	memset(&it, 0, sizeof(it));
	it.it_interval.tv_sec = it.it_value.tv_sec = on;
	setitimer(ITIMER_REAL, &it, NULL);
}

/* Sleep no longer than until then, from now on. */
void
sleep_until(int64_t when)
{
	struct itimerval it;
	int64_t ms;

	if (when == armed)
		return;
	armed = when;
	memset(&it, 0, sizeof(it));
	if (when != 0) {
		if ((ms = when - ut_msg_now()) < 1)
			ms = 1;
		it.it_value.tv_sec = (time_t)(ms / 1000);
		it.it_value.tv_usec = (suseconds_t)(ms % 1000 * 1000);
	}
	setitimer(ITIMER_REAL, &it, NULL);
}

bool
sleep_rang(void)
{
	const bool was = rung;

	rung = false;
	return was;
}

/*
 * Open the bell, or make it, when the first region comes: a failure is told in
 * the answer about that region, and is tried again with the next.  Ring it at
 * once, for signals that came before it was there.
 */
int
sleep_bell(char *name)
{
	struct ut_bell b;
	struct ut_msg *out;
	int tries = 0;

	if (bell.at != NULL)
		return 0;
	if (ut_bell_adopt(&b, name) == -1) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
			return -1;	/* programs may ring it */
		if (errno != ENOENT)
			(void)ut_bell_remove(name);	/* half made */
		while (ut_bell_create(&b, name) == -1) {
			if (errno != EEXIST || ++tries == 100)
				return -1;
			ut_shm_name(name);
		}
		made = true;
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

/* Do programs that were there before us have another bell, or none? */
bool
sleep_bell_new(void)
{
	return made;
}

/* With nothing to drain there is nothing to be rung for. */
void
sleep_on_socket(int ms)
{
	struct pollfd pfd;

	pfd.fd = PARENT_FD;
	pfd.events = POLLIN;
	(void)poll(&pfd, 1, ms);
}

/*
 * Sleep until there is something to drain, or the parent has said something.
 * In the latter case false, and no region is looked at, however many there are:
 * their programs take us to be asleep still, and so does the next call.
 */
bool
sleep_on_bell(void)
{
	static bool asleep;
	struct region *r;
	bool enough = false;
	int rang = 0;

	if (!asleep)
		for (r = regions; r != NULL; r = r->next)
			enough |= !region_sleep(r, true);
	asleep = true;
	/* If somebody has spoiled the bell, each second is often enough. */
	if (!enough && !ticked && (rang = ut_bell_wait(&bell)) == -1)
		sleep_on_socket(1000);
	if (!enough && !ticked && rang == 0)
		return false;
	rung |= rang != 0;
	if (ticked) {
		ticked = 0;
		armed = 0;
	}
	for (r = regions; r != NULL; r = r->next)
		(void)region_sleep(r, false);
	asleep = false;
	return true;
}

/* There is something to drain; not yet, if no region has come. */
void
sleep_ring(void)
{
	if (bell.at != NULL)
		ut_bell_ring(&bell);
}

/* Nobody rings any more: remove the bell. */
void
sleep_end(void)
{
	if (ut_bell_remove(bell.name) == -1 && errno != ENOENT)
		log_warn("shared memory %s is left, for you to remove",
		    bell.name);
	ut_bell_close(&bell);
}

void
tick_always(void)
{
	always = true;
}

uint32_t
region_interval(const struct region *r)
{
	const uint32_t ms = r->attrs.v[ATTR_FLUSH];

	return ms == ATTR_NEVER || r->keeps ? 0 : ms;
}

/* The earliest, of which 0 is none. */
static int64_t
earlier(int64_t a, int64_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Every event reads the word: it is not touched in vain. */
void
region_swap_active(struct region *r, uint32_t from, uint32_t to)
{
	if (load(&r->header->active) != from)
		return;
	(void)atomic_compare_exchange_strong_explicit(&r->header->active,
	    &from, to, memory_order_seq_cst, memory_order_relaxed);
}

/* Something may be going on there from now on. */
void
tick_awake(struct region *r)
{
	const int64_t now = ut_msg_now();

	if (r->doze == DOZE_ASLEEP)
		loss_look(r);
	r->doze = DOZE_AWAKE;
	r->quiet = 0;
	region_swap_active(r, UT_DOZING, UT_ACTIVE);
	if (r->flush == 0 && region_interval(r) != 0)
		r->flush = now + region_interval(r);
	if (next_tick == 0)
		next_tick = now + TICK_MS;
	due = earlier(due, earlier(next_tick, r->flush));
	sleep_until(due);
}

/*
 * Somebody has rung, who knows for which region: one that rings because of
 * UT_DOZING does so before that is gone.
 */
void
tick_awake_all(void)
{
	struct region *r;

	for (r = regions; r != NULL; r = r->next)
		if (r->doze != DOZE_AWAKE)
			tick_awake(r);
}

/* A pass begins.  True if it is that of a tick. */
bool
tick_begin(void)
{
	return ticking = next_tick != 0 && ut_msg_now() >= next_tick;
}

/* The pass is over: when is the next one due? */
void
tick_end(void)
{
	const struct region *r;
	bool any = always || programs_dead(), recording = false;

	due = 0;
	for (r = regions; r != NULL; r = r->next) {
		any |= r->doze != DOZE_ASLEEP;
		recording |= load(&r->header->active) != 0;
		due = earlier(due, r->flush);
		if (r->hungry)
			due = earlier(due, ut_msg_now() + HURRY_MS);
	}
	if (!any || regions == NULL)
		next_tick = 0;
	else if (ticking || next_tick == 0)
		next_tick = ut_msg_now() + TICK_MS;
	ticking = false;
	if (recording)
		due = earlier(due, clockfile_next());
	due = earlier(due, next_tick);
	sleep_until(due);
}
