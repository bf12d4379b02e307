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
 * What utctl asks for: one function for each request.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "parent.h"
#include "program.h"

#define DEFAULT_CHANNEL	"channel0"
#define PATIENCE	3000	/* ms for programs that do not answer */
#define ROTATE_MS	15000	/* for consumers, which may be found late */

static const struct attrs no_attrs;

/* The session that the request names, or the last one. */
static bool
find_session(struct client *k, struct ut_msg *m)
{
	char name[NAME_MAXLEN], why[512] = "session name too long";

	ut_msg_get_str(m, name, sizeof(name));
	if (!m->bad)
		client_about(k, session_find(name, k->conn->uid, why,
		    sizeof(why)));
	if (k->session == NULL)
		client_refuse(k, "%s", why);
	return k->session != NULL;
}

/* Only root and the user utd runs as may tie utd's life to a connection. */
static void
do_own(struct client *k, struct ut_msg *m)
{
	(void)m;
	if (k->conn->uid != 0 && k->conn->uid != geteuid()) {
		client_refuse(k, "this utd is not yours");
		return;
	}
	k->owner = true;
	client_ok(k, "%s", "");
}

/*
 * UT_CTL_CREATE: the consumer of the user has made the directory, or could not.
 * If it makes the directory later, nobody uses it.
 */
static void
created(struct client *k)
{
	struct session *s = k->session;

	if (s->ino != 0 || !session_output(s)) {
		session_made(s);
		log_info("session %s: %s", s->name, session_output(s) ?
		    s->dir : "no output");
		client_ok(k, "%s", "");
		return;
	}
	if (s->refused != 0)
		client_taken(k, s->refused == ENOTEMPTY ? UT_TAKEN_DIR : 0,
		    "%s: %s", s->dir, s->gone);
	else
		client_refuse(k, "%s: the consumer of uid %lu does not answer",
		    s->dir, (unsigned long)s->uid);
	session_end(s);
}

/* The user's limit is reached. */
static void
too_many(struct client *k, const char *what, const char *name, uid_t uid)
{
	client_refuse(k, "%s %s: uid %lu has too many %ss", what, name,
	    (unsigned long)uid, what);
}

static void
do_create(struct client *k, struct ut_msg *m)
{
	char name[NAME_MAXLEN], dir[PATH_MAX];
	struct session *s;
	struct waiter *w;

	ut_msg_get_str(m, name, sizeof(name));
	ut_msg_get_str(m, dir, sizeof(dir));
	if (m->bad || !name_valid(name, "._-")) {
		client_refuse(k,
		    "session name: 1 to 64 letters, digits, . _ -");
	} else if (dir[0] != '/' && dir[0] != '\0') {
		client_refuse(k, "directory %s: not absolute", dir);
	} else if (session_taken(name, k->conn->uid)) {
		client_taken(k, UT_TAKEN_NAME, "session %s exists", name);
	} else if (consumers_late(k->conn->uid)) {
		client_refuse(k, "%s: the consumer of uid %lu does not answer",
		    dir, (unsigned long)k->conn->uid);
	} else if ((s = session_new(new_id(), name, dir, k->conn->uid,
	    k->conn->gid)) == NULL) {
		too_many(k, "session", name, k->conn->uid);
	} else {
		client_about(k, s);
		w = client_wait(k, created, 0);
		session_open(s, w);
		wait_less(w);
	}
}

/* The request is done; say how many programs have not answered. */
static void
answer(struct client *k, const char *text)
{
	char late[64] = "";

	if (k->late > 0)
		snprintf(late, sizeof(late), "%s%u program%s not answer",
		    *text != '\0' ? "; " : "", k->late,
		    k->late == 1 ? " does" : "s do");
	client_ok(k, "%s%s", text, late);
}

static void
done(struct client *k)
{
	answer(k, "");
}

/* Does the session want any event? */
static bool
any_rule(const struct session *s)
{
	const struct channel *ch;

	for (ch = s->channels; ch != NULL; ch = ch->next)
		if (ch->enabled && !ch->removed && ch->newest != NULL)
			return true;
	return false;
}

/* What else to say: errors, and how many warnings there are. */
static void
troubles(const struct session *s, bool last, char *text, size_t n)
{
	const char *error = session_error(s);
	const struct warning *w;
	unsigned int warnings = 0;
	size_t len;

	snprintf(text, n, "%s%s", error[0] != '\0' ? "; " : "", error);
	for (w = s->warnings; w != NULL; w = w->next)
		warnings += strcmp(w->text, error) != 0;
	len = strlen(text);
	if (warnings > 0)
		snprintf(text + len, n - len, "; %u warning%s: see %s%s",
		    warnings, warnings == 1 ? "" : "s",
		    last ? "the log of utd" : "utctl list ",
		    last ? "" : s->name);
}

/* If some buffers could not be made, the session records everything else. */
static void
started(struct client *k)
{
	char trouble[2048], text[sizeof(trouble) + NAME_MAXLEN + 64];

	if (k->why[0] != '\0') {
		client_refuse(k, "session %s is started, but %s",
		    k->session->name, k->why);
		return;
	}
	troubles(k->session, false, trouble, sizeof(trouble));
	snprintf(text, sizeof(text), "session %s started%s%s", k->session->name,
	    any_rule(k->session) ? "" : ": no event is enabled yet", trouble);
	answer(k, text);
}

/* Is there a region that could not be made, or a program attached to? */
static bool
incomplete(const struct channel *ch)
{
	return channel_failed(ch) || links_failed(ch);
}

static bool
session_failed(const struct session *s)
{
	const struct channel *ch;

	for (ch = s->channels; ch != NULL; ch = ch->next)
		if (incomplete(ch))
			return true;
	return false;
}

static void
do_start(struct client *k, struct ut_msg *m)
{
	struct session *s = k->session;
	struct channel *ch;
	struct waiter *w;

	(void)m;
	if (s->active && !session_failed(s)) {
		client_refuse(k, "session %s is started already", s->name);
		return;
	}
	w = client_wait(k, started, PATIENCE);
	session_activate(s, true);
	for (ch = s->channels; ch != NULL; ch = ch->next) {
		channel_activate(ch, w);
		channel_sync(ch, w);
	}
	wait_less(w);
}

static void
tell_counts(struct client *k, const char *what, bool last)
{
	char text[2048], over[48] = "";
	struct counts sum;

	session_counts(k->session, &sum);
	troubles(k->session, last, text, sizeof(text));
	if (sum.overwritten > 0)
		snprintf(over, sizeof(over), ", %llu overwritten",
		    (unsigned long long)sum.overwritten);
	client_ok(k, "session %s %s: %llu events, %llu lost%s, %llu bytes%s",
	    k->session->name, what, (unsigned long long)sum.written,
	    (unsigned long long)sum.lost, over, (unsigned long long)sum.bytes,
	    text);
}

/* Refuse to end a session if a consumer of its events does not answer. */
static bool
refused_late(struct client *k, const char *what)
{
	const struct consumer *c = session_late(k->session);

	if (c == NULL)
		return false;
	client_refuse(k, "session %s is %s: the consumer of uid %lu does not "
	    "answer, and its events are still in the buffers",
	    k->session->name, what, (unsigned long)c->uid);
	return true;
}

static void
stopped(struct client *k)
{
	if (!refused_late(k, "stopped"))
		tell_counts(k, "stopped", false);
}

/* Programs are told to record no more, but nobody waits for their answers. */
static struct waiter *
stop_session(struct client *k, void (*finish)(struct client *))
{
	struct waiter *w = client_wait(k, finish, 0);
	struct channel *ch;
	struct trace *t;

	k->draining = true;
	session_activate(k->session, false);
	for (t = k->session->traces; t != NULL; t = t->next)
		trace_refine(t);
	for (ch = k->session->channels; ch != NULL; ch = ch->next) {
		channel_activate(ch, w);
		channel_sync(ch, NULL);
	}
	return w;
}

static void
do_stop(struct client *k, struct ut_msg *m)
{
	(void)m;
	if (!k->session->active)
		client_refuse(k, "session %s is not started",
		    k->session->name);
	else
		wait_less(stop_session(k, stopped));
}

/* If a consumer is late the session stays, to be destroyed later. */
static bool
undestroyed(struct client *k)
{
	if (!refused_late(k, "stopped, not destroyed"))
		return false;
	k->session->dying = false;
	session_wait(k->session);
	return true;
}

static void
gone(struct client *k)
{
	log_info("session %s destroyed", k->session->name);
	command_lingers(k->session);
	session_forget(k->session);
	if (k->undo)
		session_unmade(k->session);
	tell_counts(k, "destroyed", true);
	session_end(k->session);
}

/* All regions are freed: the last chunk is complete. */
static void
destroyed(struct client *k)
{
	struct waiter *w;

	if (undestroyed(k))
		return;
	w = client_wait(k, gone, PATIENCE);
	rotation_last(k->session, w);
	wait_less(w);
}

/*
 * Everything is in the files.  The session stays in the saved state until its
 * regions are freed.
 */
static void
drained(struct client *k)
{
	struct waiter *w;
	struct channel *ch;

	if (undestroyed(k))
		return;
	session_keep_error(k->session);
	w = client_wait(k, destroyed, 0);
	for (ch = k->session->channels; ch != NULL; ch = ch->next) {
		channel_close(ch);
		channel_count(ch, w);
	}
	wait_less(w);
}

static void
do_destroy(struct client *k, struct ut_msg *m)
{
	k->undo = ut_msg_more(m) && ut_msg_get_u32(m) == 1;
	k->session->dying = true;
	wait_less(stop_session(k, drained));
}

/* On or off; programs and the consumer follow if the session is started. */
static void
channel_switch(struct client *k, struct channel *ch, bool on,
    void (*finish)(struct client *))
{
	struct waiter *w = client_wait(k, finish, PATIENCE);

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
		answer(k, "");
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

static void
channel_create(struct client *k, const char *name, struct attrs *attrs)
{
	const struct channel *clash;
	char why[160];

	attrs_default(attrs);
	if (!channel_possible(attrs, why, sizeof(why)))
		client_refuse(k, "%s", why);
	else if ((clash = files_clash(k->session, name, attrs)) != NULL)
		client_refuse(k, "channel %s: its files would have the names "
		    "of those of channel %s", name, clash->name);
	else if (attrs->v[ATTR_CLOCK] == UT_CLOCK_CYCLES &&
	    !clock_trusted(why, sizeof(why)))
		client_refuse(k, "channel %s: %s", name, why);
	else if (channel_new(k->session, name, attrs) == NULL)
		too_many(k, "channel", name, k->session->uid);
	else
		client_ok(k, "%s", "");
}

static void
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

/* The channel of a request; the default one is created if that is asked for. */
static struct channel *
find_channel(struct client *k, const char *name, bool create)
{
	struct session *s = k->session;
	struct attrs attrs = no_attrs;
	struct channel *ch;

	attrs_default(&attrs);
	if (name[0] == '\0')
		name = DEFAULT_CHANNEL;
	ch = channel_find(s, name);
	if (ch == NULL && create && strcmp(name, DEFAULT_CHANNEL) == 0 &&
	    (ch = channel_new(s, name, &attrs)) == NULL) {
		too_many(k, "channel", name, s->uid);
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
		return find_channel(k, name, false);
	client_refuse(k, "channel name too long");
	return NULL;
}

static void
do_choff(struct client *k, struct ut_msg *m)
{
	struct channel *ch = get_channel(k, m);

	if (ch == NULL)
		return;
	if (!ch->enabled)
		client_refuse(k, "channel %s is disabled already", ch->name);
	else
		channel_switch(k, ch, false, done);
}

/*
 * Everything is written: keep only the name, which the files have, and the
 * counts.  Somebody may have enabled the channel again meanwhile.
 */
static void
removed(struct client *k)
{
	if (!k->channel->removed) {
		channel_remove(k->channel);
		channel_close(k->channel);
	}
	answer(k, "");
}

static void
do_chremove(struct client *k, struct ut_msg *m)
{
	struct channel *ch = get_channel(k, m);

	if (ch != NULL)
		channel_switch(k, ch, false, removed);
}

static int
by_name(const void *va, const void *vb)
{
	const char *const *a = va, *const *b = vb;

	return strcmp(*a, *b);
}

/* How many different events of the registries the newest rule matches. */
static unsigned int
count_events(const struct channel *ch, const struct rule *rule)
{
	const struct region *r;
	const struct registry *events;
	const char **names = NULL;
	unsigned int i, n = 0, room = 0, different = 0;

	for (r = ch->regions; r != NULL; r = r->next) {
		events = &r->registry;
		for (i = 1; i <= events->last; i++) {
			if (events->entries[i].rule != rule->serial)
				continue;
			if (n == room) {
				room = room * 2 + 64;
				names = xrealloc(names,
				    room * sizeof(*names));
			}
			names[n++] = events->entries[i].event->name;
		}
	}
	if (n > 0)
		qsort(names, n, sizeof(*names), by_name);
	for (i = 0; i < n; i++)
		different += i == 0 || strcmp(names[i], names[i - 1]) != 0;
	free(names);
	return different;
}

/* How many programs have such events mapped. */
static unsigned int
count_programs(const struct channel *ch, const struct rule *rule)
{
	const struct program *p;
	const struct link *l;
	unsigned int n = 0;

	for (p = programs; p != NULL; p = p->next)
		if (p->conn != NULL && (l = link_find(p, ch)) != NULL &&
		    l->mapped != NULL && l->mapped->hit &&
		    l->mapped->newest == rule->serial)
			n++;
	return n;
}

/* The counts are known only as long as no rule is newer. */
static void
enabled(struct client *k)
{
	const struct rule *newest;
	const struct filter *f = k->rule->filter;
	const char *unfit = f != NULL ? f->why : "";
	char text[2 * NAME_MAXLEN + sizeof(f->why) + 64] = "";

	if (k->why[0] != '\0') {
		client_refuse(k, "%s is enabled, but %s", k->rule->glob,
		    k->why);
		return;
	}
	newest = k->channel->newest;
	if (!channel_active(k->channel))
		snprintf(text, sizeof(text), "%s: enabled; %s %s is %s",
		    k->rule->glob, k->channel->enabled ? "session" : "channel",
		    k->channel->enabled ? k->session->name : k->channel->name,
		    k->channel->enabled ? "not started" : "disabled");
	else if (newest != NULL && newest->serial == k->rule->serial)
		snprintf(text, sizeof(text), "%s: %u events of %u programs%s%s",
		    k->rule->glob, count_events(k->channel, k->rule),
		    count_programs(k->channel, k->rule), unfit[0] != '\0' ?
		    "; " : "", unfit);
	answer(k, text);
}

/* The channel and the rule that the request is about. */
static struct channel *
get_rule(struct client *k, struct ut_msg *m, bool create)
{
	char name[NAME_MAXLEN], why[512];

	rule_free(k->rule);
	ut_msg_get_str(m, name, sizeof(name));
	if ((k->rule = rule_read(m, why, sizeof(why))) != NULL)
		return find_channel(k, name, create);
	client_refuse(k, "%s", why);
	return NULL;
}

/* Of a rule that is to be: the contexts that it names have to be there. */
static bool
filter_fits(struct client *k, const struct channel *ch)
{
	char why[256];

	if (contexts_fit(ch, k->rule->filter, why, sizeof(why)))
		return true;
	client_refuse(k, "%s", why);
	return false;
}

static void
sync_rules(struct client *k, void (*finish)(struct client *))
{
	struct waiter *w;

	w = client_wait(k, finish, PATIENCE);
	if (channel_active(k->channel))
		channel_sync(k->channel, w);
	wait_less(w);
}

static void
do_enable(struct client *k, struct ut_msg *m)
{
	struct channel *ch = get_rule(k, m, true);

	if (ch == NULL || !filter_fits(k, ch))
		return;
	if (k->rule->kind == UT_RULE_ANY) {
		client_refuse(k, "rule: no such kind");
		return;
	}
	if (channel_active(ch) && incomplete(ch))
		(void)rule_del(ch, k->rule);	/* to add it again */
	if (rule_add(ch, k->rule))
		sync_rules(k, enabled);
	else if (errno == EEXIST)
		client_refuse(k, "%s is enabled already in channel %s",
		    k->rule->glob, ch->name);
	else
		too_many(k, "rule", k->rule->glob, ch->session->uid);
}

static void
do_disable(struct client *k, struct ut_msg *m)
{
	struct channel *ch = get_rule(k, m, false);

	if (ch == NULL)
		return;
	if (!rule_del(ch, k->rule))
		client_refuse(k, k->rule->filter == NULL ?
		    "%s is not enabled in channel %s" :
		    "%s is not enabled in channel %s with this filter, as list "
		    "has it", k->rule->glob, ch->name);
	else
		sync_rules(k, done);
}

/* It has happened: say how many programs are tracked now, if that is known. */
static void
tracked(struct client *k)
{
	const struct session *s = k->session;
	unsigned int n, of;
	char text[NAME_MAXLEN + 64];

	if (k->why[0] != '\0') {
		client_refuse(k, "session %s tracks that, but %s", s->name,
		    k->why);
		return;
	}
	links_wanted(s, &n, &of);
	if (s->active && any_rule(s) && s->tracks != NULL)
		snprintf(text, sizeof(text), "session %s tracks %u of %u "
		    "programs", s->name, n, of);
	else
		snprintf(text, sizeof(text), "session %s tracks %s%s", s->name,
		    s->tracks != NULL ? "only that" : "all programs",
		    !s->active ? "; it is not started" : any_rule(s) ? "" :
		    "; no event is enabled yet");
	answer(k, text);
}

static void
sync_tracks(struct client *k)
{
	struct waiter *w = client_wait(k, tracked, PATIENCE);
	struct channel *ch;

	for (ch = k->session->channels; ch != NULL; ch = ch->next)
		if (channel_active(ch))
			channel_sync(ch, w);
	wait_less(w);
}

/* Does the session see programs of all these users? */
static bool
users_seen(struct client *k, const struct track *list)
{
	const struct session *s = k->session;
	const struct track *t = list;

	while (t != NULL && (t->kind != UT_TRACK_UID ||
	    session_sees(s, (uid_t)t->number)))
		t = t->next;
	if (t != NULL)
		client_refuse(k, "%s: session %s sees only programs of uid %lu",
		    track_text(t), s->name, (unsigned long)s->uid);
	return t == NULL;
}

/* The entries of a request; false, and refused, if these cannot be. */
static bool
get_tracks(struct client *k, struct ut_msg *m, struct track **list)
{
	if (tracks_read(m, list))
		return true;
	client_refuse(k, "track: at most %d entries: process IDs, user IDs, "
	    "and patterns of 1 to %d characters", UT_TRACK_MAX, UT_TRACK_GLOB);
	return false;
}

static void
do_track(struct client *k, struct ut_msg *m)
{
	struct track *list;
	char why[512];

	if (!get_tracks(k, m, &list))
		return;
	if (list == NULL) {
		client_refuse(k, "track: nothing is named");
	} else if (users_seen(k, list)) {
		if (tracks_add(k->session, list, why, sizeof(why)))
			sync_tracks(k);
		else
			client_refuse(k, "%s", why);
	}
	tracks_free(list);
}

static void
do_untrack(struct client *k, struct ut_msg *m)
{
	struct track *list;
	char why[512];

	if (!get_tracks(k, m, &list))
		return;
	if (tracks_del(k->session, list, why, sizeof(why)))
		sync_tracks(k);
	else
		client_refuse(k, "%s", why);
	tracks_free(list);
}

static void
rotated(struct client *k)
{
	const struct session *s = k->session;

	if (k->why[0] != '\0')
		client_refuse(k, "session %s: %s", s->name, k->why);
	else if (s->rotation.busy)
		client_refuse(k, "session %s is being rotated: that takes "
		    "long, and goes on", s->name);
	else if (s->rotation.how == UT_CHUNK_CLEAR)
		client_ok(k, "session %s cleared", s->name);
	else
		client_ok(k, "session %s rotated: %s/archives/%s", s->name,
		    s->dir, s->rotation.to);
}

/* A chunk ends.  Its files are complete, or gone, when this is answered. */
static void
end_chunk(struct client *k, uint32_t how)
{
	struct session *s = k->session;
	struct waiter *w;
	char why[600];

	if (rotation_refused(s, why, sizeof(why))) {
		client_refuse(k, "%s", why);
		return;
	}
	w = client_wait(k, rotated, ROTATE_MS);
	(void)waits_add(&s->rotation.waiters, w);
	rotation_begin(s, how);
	wait_less(w);
}

static void
do_rotate(struct client *k, struct ut_msg *m)
{
	(void)m;
	end_chunk(k, UT_CHUNK_KEEP);
}

static void
do_clear(struct client *k, struct ut_msg *m)
{
	(void)m;
	end_chunk(k, UT_CHUNK_CLEAR);
}

/* When there is another chunk. */
static void
do_chunks(struct client *k, struct ut_msg *m)
{
	struct rotation *ro = &k->session->rotation;
	const uint32_t with = ut_msg_get_u32(m), ms = ut_msg_get_u32(m);
	const uint64_t bytes = ut_msg_get_u64(m);
	char command[UT_COMMAND_MAX + 1];

	ut_msg_get_str(m, command, sizeof(command));
	if (m->bad || ms > INT32_MAX || (ms > 0 && ms < UT_CHUNK_MS)) {
		client_refuse(k, "rotate: a time of %d ms to %d s, and a "
		    "command of %d bytes", UT_CHUNK_MS, INT32_MAX / 1000,
		    UT_COMMAND_MAX);
		return;
	}
	if (!session_output(k->session)) {
		client_refuse(k, "session %s has no output", k->session->name);
		return;
	}
	if ((with & UT_CHUNKS_MS) != 0)
		ro->ms = ms;
	if ((with & UT_CHUNKS_BYTES) != 0)
		ro->bytes = bytes;
	if ((with & UT_CHUNKS_COMMAND) != 0)
		command_set(k->session, command);
	ro->next = 0;
	rotation_set(k->session);
	state_changed(&k->session->saved);
	client_ok(k, "%s", "");
}

/* The contexts of a request; false, and refused, if these cannot be. */
static bool
get_contexts(struct client *k, struct ut_msg *m, struct contexts *cs)
{
	char why[256];

	snprintf(why, sizeof(why), "contexts: 1 to %u names of at most %d "
	    "characters", CONTEXT_MAX, CONTEXT_NAME - 1);
	if (contexts_get(m, cs) && cs->n > 0 &&
	    contexts_valid(cs, why, sizeof(why)))
		return true;
	client_refuse(k, "%s", why);
	return false;
}

/* Can all channels of the session have them?  Those that were removed cannot. */
static bool
contexts_wanted(struct client *k, const struct contexts *cs)
{
	const struct channel *ch;
	char why[256];

	for (ch = k->session->channels; ch != NULL; ch = ch->next) {
		if (ch->removed ||
		    contexts_possible(ch, cs, why, sizeof(why)))
			continue;
		client_refuse(k, "%s", why);
		return false;
	}
	return true;
}

/* To one channel, or to all that there are; without any, to the default one. */
static void
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
		if ((ch = find_channel(k, name, true)) == NULL)
			return;
		if (!contexts_possible(ch, &cs, why, sizeof(why))) {
			client_refuse(k, "%s", why);
			return;
		}
		contexts_add(ch, &cs);
	}
	client_ok(k, "%s", "");
}

static const struct {
	uint16_t	 type;
	void		(*act)(struct client *, struct ut_msg *);
	bool		 session;	/* it begins with the name of one */
} requests[] = {
	{ UT_CTL_OWN,		do_own,		false },
	{ UT_CTL_CREATE,	do_create,	false },
	{ UT_CTL_DESTROY,	do_destroy,	true },
	{ UT_CTL_START,		do_start,	true },
	{ UT_CTL_STOP,		do_stop,	true },
	{ UT_CTL_CHANNEL,	do_channel,	true },
	{ UT_CTL_CHOFF,		do_choff,	true },
	{ UT_CTL_CHREMOVE,	do_chremove,	true },
	{ UT_CTL_ENABLE,	do_enable,	true },
	{ UT_CTL_DISABLE,	do_disable,	true },
	{ UT_CTL_TRACK,		do_track,	true },
	{ UT_CTL_UNTRACK,	do_untrack,	true },
	{ UT_CTL_ROTATE,	do_rotate,	true },
	{ UT_CTL_CLEAR,		do_clear,	true },
	{ UT_CTL_CHUNKS,	do_chunks,	true },
	{ UT_CTL_CONTEXT,	do_context,	true },
	{ UT_CTL_LIST,		list_sessions,	false },
	{ UT_CTL_EVENTS,	list_events,	false },
	{ UT_CTL_STATUS,	list_status,	false },
};

/* False if the message is no request. */
static bool
request(struct client *k, struct ut_msg *m)
{
	size_t i;

	for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (requests[i].type == m->h.type) {
			if (!requests[i].session || find_session(k, m))
				requests[i].act(k, m);
			return true;
		}
	}
	return false;
}

void
control_hello(struct conn *c, struct ut_msg *m)
{
	client_hello(c, m, request);
}
