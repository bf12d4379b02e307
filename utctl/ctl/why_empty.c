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
 * Why a session has recorded nothing, or not all that it was asked for, as far
 * as utd knows.
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../utctl.h"
#include "common/event_name.h"
#include "ut_abi.h"

#define EVERY	"*"

int
had_event(const struct row *session, const char *glob)
{
	const struct row *ch, *r, *e;

	for (ch = session->child; ch != NULL; ch = ch->next)
		for (r = ch->child; r != NULL; r = r->next)
			for (e = strcmp(r->what, "registry") == 0 ? r->child :
			    NULL; e != NULL; e = e->next)
				if (event_matches(glob, row_str(e, "name")))
					return 1;
	return 0;
}

/* Did a program have other events than those of ut.h? */
static int
had_own(const struct row *session)
{
	return had_event(session, "[!u]*") || had_event(session, "u[!t]*") ||
	    had_event(session, "ut[!:]*");
}

static void
say_unmatched(const struct row *rule)
{
	const char *glob = row_str(rule, "glob");
	const char *but = row_first(rule->child, "exclusion") != NULL ?
	    ", but for those that -x excludes" : "";
	const char *near = row_str(rule, "nearest");

	/* A warning says what does not fit. */
	if (row_num(rule, "unfit") != 0) {
		say("there are events that match %s, but the filter fits none "
		    "of them", glob);
		return;
	}
	/* "no program came that has events, but for those that -x excludes" */
	if (row_num(rule, "level_kind") != UT_RULE_ALL)
		say("no program came that has an event %s of level %s%s", glob,
		    row_str(rule, "level"), but);
	else if (strcmp(glob, EVERY) == 0)
		say("no program came that has events%s", but);
	else
		say("no program came that has an event %s%s%s%s", glob, but,
		    near[0] != '\0' ? ": is it " : "", near);
}

/* Say what each pattern has matched: no event, some, or all. */
static void
say_rules(const struct row *session, int recorded)
{
	const struct row *ch, *r;
	int filters = 0, matched = 0;

	for (ch = session->child; ch != NULL; ch = ch->next)
		for (r = ch->child; r != NULL; r = r->next) {
			if (strcmp(r->what, "rule") != 0)
				continue;
			if (!had_event(session, row_str(r, "glob"))) {
				/* A warning says why it was refused. */
				if (row_num(r, "matched") == 0 ||
				    row_num(r, "unfit") != 0)
					say_unmatched(r);
				continue;
			}
			matched = 1;
			filters |= row_str(r, "filter")[0] != '\0';
		}
	/* "no program has reached one that passes its filter": no error did. */
	if (matched && !recorded && row_str(session, "error")[0] == '\0' &&
	    !had_own(session))
		say("no program came that has events of its own: if another "
		    "module has them, that was not loaded");
	else if (matched && !recorded && row_str(session, "error")[0] == '\0')
		say("there are events that match, but no program has reached "
		    "one%s", filters ? " that passes its filter" : "");
	else if (!matched && row_first(session->child, "tracked") != NULL)
		say("only the programs that are tracked are recorded");
}

static int
has_rules(const struct row *session)
{
	const struct row *ch;

	for (ch = session->child; ch != NULL; ch = ch->next)
		if (row_first(ch->child, "rule") != NULL)
			return 1;
	return 0;
}

/* The hint is for a session to which no program came. */
void
why_empty(const struct row *session, int recorded, const char *hint)
{
	if (!recorded && row_num(session, "begun") == 0)
		say("session %s was never started", row_str(session, "name"));
	else if (!has_rules(session))
		say("no events were enabled in session %s",
		    row_str(session, "name"));
	else if (!recorded && row_num(session, "came") == 0) {
		say("no program came that uses ut(3)%s", hint);
		if (row_num(session, "others") > 0)
			say("there were programs of other users: only sessions "
			    "of root record these");
	} else
		say_rules(session, recorded);
}

/* Print the warnings, but for the one that is printed as the error. */
void
warnings_say(const struct row *session)
{
	const char *error = row_str(session, "error");
	const struct row *w;

	for (w = session->child; w != NULL; w = w->next)
		if (strcmp(w->what, "warning") == 0 &&
		    strcmp(row_str(w, "text"), error) != 0)
			say("warning: %s", row_str(w, "text"));
}

/*
 * How many sub-buffers to advise: no fewer than the default, unless they are
 * larger than that; 0: there cannot be more.
 */
static uint64_t
more_subbufs(const struct row *channel)
{
	const struct attr *a = &attr_table[ATTR_NSUBS];
	const uint64_t size = row_num(channel, "subbuf_size");
	const uint64_t most = attr_subbufs((uint32_t)size);
	const uint64_t had = row_num(channel, "subbufs"), usual =
	    strcmp(row_str(channel, "buffers"), "pid") == 0 ? a->usual_pid :
	    a->usual;
	uint64_t n = had * 4;

	if (n < usual && size <= attr_table[ATTR_SUBSIZE].usual)
		n = usual;
	if (n > most)
		n = most;
	return n > had ? n : 0;
}

/* Write which options make more or longer sub-buffers, if any can. */
static void
options_text(const struct row *channel, char *text, size_t len)
{
	const int longer = row_num(channel, "subbuf_size") < UT_SUBSIZE_MAX;
	const uint64_t n = more_subbufs(channel);

	text[0] = '\0';
	if (n > 0)
		snprintf(text, len, ": -n %" PRIu64 " makes more of them%s", n,
		    longer ? ", -b longer ones" : "");
	else if (longer)
		snprintf(text, len, ": -b makes longer ones");
}

/* Say what the user can do about events that found no free buffer. */
static void
remedy_of(const struct row *channel)
{
	const char *name = row_str(channel, "name");
	const char *mode = row_str(channel, "mode");
	const uint64_t waited = row_num(channel, "waited_us") / 1000;
	const uint64_t more = more_subbufs(channel);
	char text[96], makes[48] = "";

	options_text(channel, text, sizeof(text));
	if (row_num(channel, "lost") > 0 && strcmp(mode, "block") != 0)
		say("channel %s: events are lost while no buffer is free, or "
		    "if they are longer than one%s%s", name, text,
		    strcmp(mode, "discard") != 0 ? "" : text[0] != '\0' ?
		    ", and with -m block programs wait for one" :
		    ": with -m block programs wait for one");
	else if (row_num(channel, "lost") > 0)
		say("channel %s: events are lost if no buffer becomes free "
		    "within the time-out, or if they are longer than one%s%s "
		    "-t sets the time-out", name, text,
		    text[0] != '\0' ? "," : ":");
	if (row_num(channel, "lost") > 0 || waited == 0)
		return;
	if (more > 0)
		snprintf(makes, sizeof(makes), ": -n %" PRIu64
		    " makes more of them", more);
	say("channel %s: programs have waited for a free buffer, %" PRIu64
	    " ms in all%s", name, waited, makes);
}

/* An error has been told, and is the reason for what is lost. */
void
remedies_say(const struct row *session)
{
	const struct row *ch;

	if (row_str(session, "error")[0] != '\0')
		return;
	for (ch = session->child; ch != NULL; ch = ch->next)
		if (strcmp(ch->what, "channel") == 0)
			remedy_of(ch);
}

/* Stop or destroy the session.  If nothing was recorded, say why. */
int
end_ask(struct client *c, struct step *st)
{
	struct row *rows;
	const struct row *s;

	if (step_say(c, st, client_ask(c, st->type, st->session, &rows)) != 0)
		return 1;
	fflush(stdout);
	if ((s = row_first(rows->child, "session")) != NULL) {
		/* One that is destroyed cannot be listed any more. */
		if (st->type == UT_CTL_DESTROY)
			warnings_say(s);
		if (client_did(c, UT_DID_NOTHING))
			why_empty(s, 0, "");
		remedies_say(s);
	}
	row_free(rows);
	return 0;
}
