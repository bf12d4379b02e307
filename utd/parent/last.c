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
 * utd is told to end: sessions that keep what they record are written once
 * more, as snapshots, for what is in memory is all that they have.
 */

#include <stdio.h>
#include <stdlib.h>

#include "client.h"
#include "parent.h"
#include "trace.h"

#define PARTS_MS	15000		/* for other users' consumers, which
					   may say something and do little */
#define HURRY_MS	1000		/* and for parts that begin later */
#define LAST_MS		20000		/* in all; then utd ends without */

/* The last snapshot of a session. */
struct last {
	char		 session[NAME_MAXLEN];
	uint32_t	 shot;
	char		 why[600];	/* it is not there, or lacks a part */
	struct last	*next;
};

static struct last *lasts;
static unsigned int pending;
static bool asked;
static struct timer parts;

static void
out_of_time(void *arg)
{
	(void)arg;
	loop_end();
}

/* Again and again: a part may begin late, when its directory is there. */
static void
hurry(void *arg)
{
	(void)arg;
	shots_hurry();
	timer_set(&parts, HURRY_MS, hurry, NULL);
}

static void
taken(void *arg)
{
	char path[PATH_MAX + NAME_MAXLEN + 16];
	struct last *l = arg;
	uint64_t events;

	if (shot_failed(l->shot) != NULL) {
		snprintf(l->why, sizeof(l->why), ": %s", shot_failed(l->shot));
		log_warnx("session %s: snapshot%s", l->session, l->why);
	} else if (shot_result(l->shot, &events, path, sizeof(path))) {
		snprintf(l->why, sizeof(l->why), "%s", shot_lacks(l->shot));
		log_info("session %s: snapshot of %llu event%s%s: %s",
		    l->session, (unsigned long long)events,
		    events == 1 ? "" : "s", l->why, path);
	}
	if (--pending == 0)
		loop_end();
}

static void
take(struct session *s)
{
	struct last *l = xcalloc(1, sizeof(*l));
	struct waiter *w = wait_new(taken, l);
	char why[600];

	l->next = lasts;
	lasts = l;
	snprintf(l->session, sizeof(l->session), "%s", s->name);
	snprintf(l->why, sizeof(l->why), ": not complete");
	pending++;
	l->shot = shot_begin(s, NULL, NULL, NULL, w, why, sizeof(why));
	if (l->shot == 0) {
		log_warnx("%s", why);
		snprintf(l->why, sizeof(l->why), ": %.590s", why);
		wait_abandon(w);
		pending--;
	}
	wait_less(w);
}

/* Sessions whose events in memory were not all saved; NULL: none. */
const char *
last_unsaved(void)
{
	static char text[2048];
	const struct last *l;
	size_t n = 0;

	for (l = lasts; l != NULL && n < sizeof(text); l = l->next)
		if (l->why[0] != '\0')
			n += (size_t)snprintf(text + n, sizeof(text) - n,
			    "%ssession %s: snapshot%s", n == 0 ? "" : "; ",
			    l->session, l->why);
	return n == 0 ? NULL : text;
}

/* Has anybody recorded anything that the session keeps? */
static bool
keeps_any(const struct session *s)
{
	struct counts sum;

	if (!s->keeps || s->dying || s->trigger != NULL || s->traces == NULL)
		return false;
	session_counts(s, &sum);
	return s->active || sum.written > 0;
}

/* End the loop, soon, or, when this is asked for a second time, at once. */
void
parent_stop(void)
{
	static struct timer limit;
	struct session *s;

	if (asked) {
		loop_end();
		return;
	}
	asked = true;
	for (s = sessions; s != NULL; s = s->next)
		if (keeps_any(s))
			take(s);
	if (pending == 0) {
		loop_end();
	} else {
		timer_set(&parts, PARTS_MS, hurry, NULL);
		timer_set(&limit, LAST_MS, out_of_time, NULL);
	}
}
