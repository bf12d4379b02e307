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
 * Sessions that have the cycle counter for a clock are watched: each second,
 * and when one stops, the counter is compared with CLOCK_MONOTONIC.  This is
 * the parent's task, since it has the line that the metadata tell, can begin a
 * chunk and can warn; and what is compared is the same for all regions.
 *
 * If the counter parts from its line, because the machine slept, was moved to
 * another host, or the counter is not what it was trusted to be, a new chunk
 * begins with a line of its own.  Consumers write all that is committed to the
 * old chunk first.  So what is dated wrong is what was recorded between the
 * last comparison that fits and the next chunk, and the session warns.
 *
 * A counter that stands still has no line: the next chunk begins when the
 * counter goes on.  A counter that parts from line after line is no clock, and
 * more chunks would not help.
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "trace.h"

#define WATCH_MS	1000
#define STEADY		(UINT64_C(10) * 1000000000)	/* ns, of a line */
#define UNSTEADY_MAX	4	/* lines in a row that were shorter */

static struct timer timer;

static bool
is_watched(const struct session *s)
{
	const struct channel *ch;

	for (ch = s->channels; ch != NULL; ch = ch->next)
		if (ch->attrs.v[ATTR_CLOCK] == UT_CLOCK_CYCLES &&
		    !ch->removed)
			return s->active && !s->dying && s->trigger == NULL;
	return false;
}

static void
clock_refine(struct session *s)
{
	struct trace *t;

	for (t = s->traces; t != NULL; t = t->next)
		if (t->line == s->course.lines)
			trace_refine(t);
}

/* The time of day of the last comparison that fits, as readers print it. */
static const char *
last_fit(const struct session *s)
{
	static char text[64];
	const uint64_t ns = s->offset + s->course.upto.ns;
	const time_t when = (time_t)(ns / 1000000000u);
	struct tm tm;
	size_t n = 0;

	if (localtime_r(&when, &tm) != NULL)
		n = strftime(text, sizeof(text), "%H:%M:%S", &tm);
	snprintf(text + n, sizeof(text) - n, ".%06" PRIu64,
	    ns % 1000000000u / 1000);
	return text;
}

/* The counter parted from its line. */
static void
clock_parted(struct session *s, const struct instant *now)
{
	struct course *c = &s->course;
	const double ms = (double)c->off / 1e6;

	c->unsteady = c->lines > 0 && now->ns - c->since.ns < STEADY ?
	    c->unsteady + 1 : 0;
	c->lost = c->unsteady >= UNSTEADY_MAX;
	c->broken = true;
	c->seen = c->upto;
	if (c->lost)
		session_warn(s, "the cycle counter is no clock here: it parts "
		    "from CLOCK_MONOTONIC again and again, now by %.3f ms: "
		    "all later events are dated wrong", ms);
	else if (s->keeps)
		session_warn(s, "the cycle counter parted from "
		    "CLOCK_MONOTONIC by %.3f ms after %s: events before that "
		    "are dated wrong", ms, last_fit(s));
	else
		session_warn(s, "the cycle counter parted from "
		    "CLOCK_MONOTONIC by %.3f ms after %s: later events of "
		    "this chunk are dated wrong", ms, last_fit(s));
	state_changed(&s->saved);
}

/* Begin another line, with a chunk if what is before has files. */
static void
clock_renew(struct session *s, const struct instant *now)
{
	struct course *c = &s->course;
	const bool files = session_output(s) && !s->keeps;
	char why[512];
	bool moves;

	moves = course_moves(&c->seen, now);
	c->seen = *now;
	if (!moves || (files && rotation_refused(s, UT_CHUNK_KEEP, why,
	    sizeof(why))))
		return;
	course_anew(c, s->offset, now);
	c->broken = false;
	state_changed(&s->saved);
	if (files)
		rotation_begin(s, UT_CHUNK_ANY);
}

static void
clock_compare(struct session *s, const struct instant *now)
{
	struct course *c = &s->course;
	const unsigned int before = c->compared;
	uint64_t off;

	if (c->broken)
		return;
	if (!course_fits(c, now, &off)) {
		c->off = off;
		clock_parted(s, now);
	} else if (c->compared != before && (before & c->compared) == 0) {
		clock_refine(s);	/* after 1, 2, 4, 8 ... of them */
	}
}

/* The session stops: a last comparison, but no other line. */
void
watch_session(struct session *s)
{
	struct instant now;

	if (!is_watched(s))
		return;
	instant_read(&now);
	clock_compare(s, &now);
}

static void
watch_sessions(void *arg)
{
	struct session *s;
	struct instant now;
	bool any = false;

	(void)arg;
	instant_read(&now);
	for (s = sessions; s != NULL; s = s->next) {
		if (!is_watched(s))
			continue;
		any = true;
		clock_compare(s, &now);
		if (s->course.broken && !s->course.lost)
			clock_renew(s, &now);
	}
	if (any)
		timer_set(&timer, WATCH_MS, watch_sessions, NULL);
}

void
watch_soon(void)
{
	if (timer.when == 0)
		timer_set(&timer, 0, watch_sessions, NULL);
}
