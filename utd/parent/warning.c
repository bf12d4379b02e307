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
 * The warnings of a session, which `utctl list' shows.  One user's programs can
 * cause any number of them.
 */

#include <stdio.h>
#include <string.h>

#include "session.h"

#define WARNINGS_MAX	100	/* for the owner of the session */
#define WARNINGS_OTHER	20	/* for each other user */
#define WARNINGS_OTHERS	4000	/* for all other users together */

/*
 * How many more warnings may be of that user?  The owner's share is not for
 * others, and no other user has another's.
 */
static unsigned int
warnings_left(const struct session *s, uid_t uid)
{
	const struct warning *w;
	unsigned int mine = 0, all = 0;
	const unsigned int max = uid == s->uid ? WARNINGS_MAX :
	    WARNINGS_OTHER;

	for (w = s->warnings; w != NULL; w = w->next) {
		mine += w->uid == uid;
		all += w->uid != s->uid;
	}
	if (uid != s->uid && all >= WARNINGS_OTHERS)
		return 0;
	return mine < max ? max - mine : 0;
}

/*
 * To `utctl list', each text once for the session shown; is it a new one?  The
 * user's last one says that there are more.
 */
bool
session_warned(struct session *s, uid_t uid, const char *text)
{
	struct warning *w, **p;
	unsigned int left;
	char more[64];

	s = session_shown(s);
	for (p = &s->warnings; *p != NULL; p = &(*p)->next)
		if (strcmp((*p)->text, text) == 0)
			return false;
	if ((left = warnings_left(s, uid)) == 0)
		return false;
	if (left == 1) {
		snprintf(more, sizeof(more), "uid %lu: more warnings are not "
		    "shown", (unsigned long)uid);
		text = more;
	}
	w = xcalloc(1, sizeof(*w));
	w->uid = uid;
	w->text = xstrdup(text);
	*p = w;
	state_warning(s, w);
	return true;
}

static void	warn_session(struct session *, uid_t, const char *, va_list)
		    __attribute__((format(printf, 3, 0)));

static void
warn_session(struct session *s, uid_t uid, const char *fmt, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	if (session_warned(s, uid, text))
		log_warnx("session %s: %s", session_shown(s)->name, text);
}

/* Warn, also in the log. */
void
session_warn(struct session *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	warn_session(s, s->uid, fmt, ap);
	va_end(ap);
}

/* Warn of what the programs of that user cause, also in the log. */
void
session_blame(struct session *s, uid_t uid, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	warn_session(s, uid, fmt, ap);
	va_end(ap);
}
