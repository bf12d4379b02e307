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

/* Requests of utctl: channels, and their contexts. */

#include <stdio.h>
#include <string.h>

#include "do.h"
#include "../parent.h"
#include "../link/program.h"

#define DEFAULT_CHANNEL	"channel0"

static const struct attrs no_attrs;

bool
channel_incomplete(const struct channel *ch)
{
	return channel_failed(ch) || links_failed(ch);
}

/* On or off; programs and the consumer follow if the session is started. */
static void
channel_switch(struct client *k, struct channel *ch, bool on,
    void (*finish)(struct client *))
{
	struct waiter *w = client_wait(k, finish, CLIENT_PATIENCE);

	channel_enable(ch, on);
	channel_activate(ch, w);
	channel_sync(ch, w);
	wait_less(w);
}

static void
switched_on(struct client *k)
{
	if (k->why[0] != '\0')
		client_refuse(k, "channel %s is enabled, but %s",
		    k->channel->name, k->why);
	else
		client_answer(k, "");
}

/* enable-channel of an existing channel: enables it if it is disabled. */
static void
channel_again(struct client *k, struct channel *ch, bool different)
{
	if (ch->removed)
		client_refuse(k, "channel %s was removed; its files have the "
		    "name", ch->name);
	else if (ch->enabled || different)
		client_refuse(k, "channel %s exists", ch->name);
	else
		channel_switch(k, ch, true, switched_on);
}

/* Would a file of the second, which are cut, have the name of the first's? */
static bool
is_cut_of(const char *name, const char *of, const struct attrs *attrs)
{
	const size_t n = strlen(of);

	return attrs->v[ATTR_FILESIZE] != 0 && strncmp(name, of, n) == 0 &&
	    name[n] == '_' && name[n + 1] != '\0' &&
	    name[n + 1 + strspn(name + n + 1, "0123456789")] == '\0';
}

/* A channel of the session whose files would have names of that one's. */
static const struct channel *
files_clash(const struct session *s, const char *name,
    const struct attrs *attrs)
{
	const struct channel *ch;

	for (ch = s->channels; ch != NULL; ch = ch->next)
		if (is_cut_of(name, ch->name, &ch->attrs) ||
		    is_cut_of(ch->name, name, attrs))
			break;
	return ch;
}

/*
 * In a session that keeps, nobody would make room for who waits, and what a
 * program of its own has recorded would be gone with it.
 */
static bool
keep_possible(struct attrs *attrs)
{
	if (attrs->v[ATTR_MODE] == UT_MODE_DISCARD)
		attrs->v[ATTR_MODE] = UT_MODE_OVERWRITE;
	return attrs->v[ATTR_MODE] == UT_MODE_OVERWRITE &&
	    attrs->v[ATTR_BUFFERS] == UT_BUFFERS_UID;
}

/*
 * The cycle counter is the best clock where it can be trusted.  False and why
 * if it was asked for and cannot.
 */
static bool
clock_choose(struct attrs *attrs, char *why, size_t n)
{
	uint32_t *clock = &attrs->v[ATTR_CLOCK];

	if (*clock == UT_CLOCK_MONOTONIC || clock_trusted(why, n)) {
		if (*clock == ATTR_CLOCK_AUTO)
			*clock = UT_CLOCK_CYCLES;
		return true;
	}
	if (*clock != ATTR_CLOCK_AUTO)
		return false;
	*clock = UT_CLOCK_MONOTONIC;
	return true;
}

static void
channel_create(struct client *k, const char *name, struct attrs *attrs)
{
	const struct channel *clash;
	char why[160];

	if (k->session->keeps && !keep_possible(attrs)) {
		client_refuse(k, "channel %s: session %s keeps what it "
		    "records: its channels are in overwrite mode, without -p",
		    name, k->session->name);
		return;
	}
	attrs_default(attrs);
	if (k->session->max != 0 &&
	    attrs->v[ATTR_SUBSIZE] > bound_chunk(k->session) / BOUND_PARTS) {
		client_refuse(k, "channel %s: sub-buffers of %u bytes are too "
		    "large for a session of %llu: see create -M", name,
		    attrs->v[ATTR_SUBSIZE],
		    (unsigned long long)k->session->max);
		return;
	}
	if (!channel_possible(attrs, why, sizeof(why)))
		client_refuse(k, "%s", why);
	else if ((clash = files_clash(k->session, name, attrs)) != NULL)
		client_refuse(k, "channel %s: its files would have the names "
		    "of those of channel %s", name, clash->name);
	else if (!clock_choose(attrs, why, sizeof(why)))
		client_refuse(k, "channel %s: %s", name, why);
	else if (channel_new(k->session, name, attrs, new_id()) == NULL)
		client_too_many(k, "channel", name, k->session->uid);
	else {
		watch_soon();
		client_ok(k, "%s", "");
	}
}

void
do_channel(struct client *k, struct ut_msg *m)
{
	struct attrs attrs;
	struct channel *ch;
	char name[NAME_MAXLEN];

	ut_msg_get_str(m, name, sizeof(name));
	attrs_get(m, &attrs);
	if (name[0] == '\0' && !m->bad)
		snprintf(name, sizeof(name), "%s", DEFAULT_CHANNEL);
	if (m->bad || !name_valid(name, "._-")) {
		client_refuse(k,
		    "channel name: 1 to 64 letters, digits, . _ -");
	} else if (strcmp(name, "metadata") == 0) {
		client_refuse(k, "channel name metadata is taken");
	} else if ((ch = channel_find(k->session,
	    name)) != NULL) {
		channel_again(k, ch, memcmp(&attrs, &no_attrs,
		    sizeof(attrs)) != 0);
	} else {
		channel_create(k, name, &attrs);
	}
}

struct channel *
channel_asked(struct client *k, const char *name, bool create)
{
	struct session *s = k->session;
	struct attrs attrs = no_attrs;
	struct channel *ch;

	if (s->keeps)
		(void)keep_possible(&attrs);
	attrs_default(&attrs);
	if (name[0] == '\0')
		name = DEFAULT_CHANNEL;
	ch = channel_find(s, name);
	if (ch == NULL && create && strcmp(name, DEFAULT_CHANNEL) == 0 &&
	    (ch = channel_new(s, name, &attrs, new_id())) == NULL) {
		client_too_many(k, "channel", name, s->uid);
		return NULL;
	}
	if (ch != NULL && !ch->removed)
		return k->channel = ch;
	client_refuse(k, "channel %s %s", name, ch == NULL ?
	    "does not exist: enable-channel makes it" : "was removed");
	return NULL;
}

static struct channel *
get_channel(struct client *k, struct ut_msg *m)
{
	char name[NAME_MAXLEN];

	ut_msg_get_str(m, name, sizeof(name));
	if (!m->bad)
		return channel_asked(k, name, false);
	client_refuse(k, "channel name too long");
	return NULL;
}

void
do_choff(struct client *k, struct ut_msg *m)
{
	struct channel *ch = get_channel(k, m);

	if (ch == NULL)
		return;
	if (!ch->enabled)
		client_refuse(k, "channel %s is disabled already", ch->name);
	else
		channel_switch(k, ch, false, client_done);
}

/*
 * Everything is written: keep only the name, which the files have, and the
 * counts.  Somebody may have enabled the channel again meanwhile.
 */
static void
answer_removed(struct client *k)
{
	if (!k->channel->removed) {
		k->channel->removed = true;
		channel_enable(k->channel, false);
		channel_close(k->channel);
	}
	client_answer(k, "");
}

void
do_chremove(struct client *k, struct ut_msg *m)
{
	struct channel *ch = get_channel(k, m);

	if (ch != NULL)
		channel_switch(k, ch, false, answer_removed);
}

/* The contexts of a request; false, and refused, if these cannot be. */
static bool
get_contexts(struct client *k, struct ut_msg *m, struct contexts *cs)
{
	char why[256];

	snprintf(why, sizeof(why), "contexts: 1 to %u names of at most %d "
	    "characters", CONTEXT_MAX, CONTEXT_NAME - 1);
	return client_check(k, contexts_get(m, cs) && cs->n > 0 &&
	    contexts_valid(cs, why, sizeof(why)), why);
}

/* Can all channels of the session have them, but those that were removed? */
static bool
contexts_wanted(struct client *k, const struct contexts *cs)
{
	const struct channel *ch;
	char why[256];

	for (ch = k->session->channels; ch != NULL; ch = ch->next)
		if (!ch->removed && !client_check(k, contexts_possible(ch, cs,
		    why, sizeof(why)), why))
			return false;
	return true;
}

/* To one channel, or to all that there are; without any, to the default one. */
void
do_context(struct client *k, struct ut_msg *m)
{
	struct contexts cs;
	struct channel *ch;
	char name[NAME_MAXLEN], why[256];
	bool any = false;

	ut_msg_get_str(m, name, sizeof(name));
	if (!get_contexts(k, m, &cs))
		return;
	for (ch = k->session->channels; ch != NULL; ch = ch->next)
		any |= !ch->removed;
	if (name[0] == '\0' && any) {
		if (!contexts_wanted(k, &cs))
			return;
		for (ch = k->session->channels; ch != NULL; ch = ch->next)
			if (!ch->removed)
				contexts_add(ch, &cs);
	} else {
		if ((ch = channel_asked(k, name, true)) == NULL ||
		    !client_check(k, contexts_possible(ch, &cs, why,
		    sizeof(why)), why))
			return;
		contexts_add(ch, &cs);
	}
	client_ok(k, "%s", "");
}
