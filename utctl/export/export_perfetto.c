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
 * utctl export -F perfetto: the packets of protos/perfetto/trace in Perfetto's
 * sources, which its UI and trace_processor read.
 *
 * Names are sent once, with a number, in a packet that uses them; from time to
 * time readers are told to forget them, so that neither they nor we have more
 * and more of them.  Readers sort packets by time.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../show/pair_role.h"
#include "../show/print.h"
#include "proto.h"
#include "timeline.h"

/* The numbers of fields; what is before the first _ is the message. */
enum {
	T_PACKET = 1,
	P_CLOCKS = 6, P_TIME = 8, P_SEQUENCE = 10, P_EVENT, P_INTERNED,
	P_FLAGS, P_TRACK = 60,
	E_ANNOTATION = 4, E_TYPE = 9, E_NAME, E_TRACK, E_CATEGORY = 22,
	E_VALUE = 44,
	E_FLOW = 47, E_FLOW_END,
	A_NAME = 1, A_BOOL, A_INT = 4, A_DOUBLE, A_STRING, A_JSON = 9,
	A_ENTRY = 11,
	D_UUID = 1, D_NAME, D_PROCESS, D_THREAD, D_PARENT, D_COUNTER = 8,
	DP_PID = 1, DP_NAME = 6,
	DT_PID = 1, DT_TID, DT_NAME = 5,
	I_EVENT = 2, I_ANNOTATION,
	I_ID = 1, I_NAME,
	C_CLOCK = 1, C_ID = 1, C_TIME
};

enum { BEGIN = 1, END, INSTANT, COUNTER };	/* E_TYPE */
enum { CLEARED = 1, NEEDED };			/* P_FLAGS */
enum { REALTIME = 1, BOOTTIME = 6 };		/* C_ID; BOOTTIME is default */

#define NAMES_MOST	10000	/* before they are forgotten */
#define NESTED		"end"	/* the fields of the event that ends a pair */

static struct {
	struct ids	 events, annotations;	/* names that are known */
	struct message	 interned;	/* names for the next packet */
	struct message	 event;
	int		 cleared;
	struct map	 counters;	/* tracks, by process and name */
	uint64_t	 losses;	/* the track of losses; or 0 */
	uint64_t	 arrows;
	uintptr_t	 categories;
} run;

static void
write_packet(struct message *m, uint32_t flags)
{
	put_number(m, P_SEQUENCE, 1);
	if (flags != 0)
		put_number(m, P_FLAGS, flags);
	write_message(T_PACKET, m);
}

/* The number of a name. */
static uint64_t
name_id(struct ids *ids, uint32_t field, const char *name, size_t n)
{
	static struct message m;
	uint64_t id;

	if (id_get(ids, map_bytes(0, name, n), &id)) {
		put_number(&m, I_ID, id);
		put_utf8(&m, I_NAME, name, n);
		put_message(&run.interned, field, &m);
	}
	return id;
}

static void
forget(struct ids *ids)
{
	map_free(&ids->map);
	memset(ids, 0, sizeof(*ids));
}

/* Begin an event; without a name: NULL. */
static void
begin_event(int type, uint64_t track, const char *name)
{
	if (run.events.n + run.annotations.n > NAMES_MOST) {
		forget(&run.events);
		forget(&run.annotations);
		run.cleared = 0;
	}
	put_number(&run.event, E_TYPE, (uint64_t)type);
	put_number(&run.event, E_TRACK, track);
	if (name != NULL)
		put_number(&run.event, E_NAME, name_id(&run.events, I_EVENT,
		    name, strlen(name)));
}

static void
end_event(int64_t ns)
{
	static struct message m;

	put_number(&m, P_TIME, timeline_date(ns, "perfetto"));
	if (run.interned.n > 0)
		put_message(&m, P_INTERNED, &run.interned);
	put_message(&m, P_EVENT, &run.event);
	write_packet(&m, run.cleared ? NEEDED : CLEARED | NEEDED);
	run.cleared = 1;
}

/* A value of JSON: numbers and plain strings have kinds of their own. */
static void
put_value(struct message *m, const char *v, size_t n)
{
	const char *end = v + n;
	char *stop;
	long long i;
	double d;

	if (n > 1 && *v == '"' && memchr(v, '\\', n) == NULL)
		put_bytes(m, A_STRING, v + 1, n - 2);
	else if (n >= 4 && (*v == 't' || *v == 'f'))
		put_number(m, A_BOOL, *v == 't');
	else if (i = strtoll(v, &stop, 10), stop == end)
		put_number(m, A_INT, (uint64_t)i);
	else if (d = strtod(v, &stop), stop == end)
		put_double(m, A_DOUBLE, d);
	else
		put_bytes(m, A_JSON, v, n);
}

static size_t
name_len(const char *s)
{
	size_t i;

	for (i = 0; s[i] != '"'; i++)
		i += s[i] == '\\';
	return i;
}

/* Put the members of an event, each a message. */
static void
put_members_of(struct message *m, uint32_t field, const char *s, size_t n)
{
	static struct message a;
	size_t i, k, name;

	for (i = 0; i < n; i += k + 1) {
		k = member_len(s + i, n - i);
		name = name_len(s + i + 1);
		put_number(&a, A_NAME, name_id(&run.annotations, I_ANNOTATION,
		    s + i + 1, name));
		put_value(&a, s + i + name + 3, k - name - 3);
		put_message(m, field, &a);
	}
}

/*
 * Tracks.
 */

/* Tell of a track, whose kind may have a message; text: its name, or NULL. */
static void
tell_track(uint64_t serial, const struct track *parent, const char *text,
    uint32_t kind, struct message *inner)
{
	static struct message d, m;

	put_number(&d, D_UUID, serial);
	if (parent != NULL)
		put_number(&d, D_PARENT, parent->serial);
	if (text != NULL)
		put_utf8(&d, D_NAME, text, strlen(text));
	if (inner != NULL)
		put_message(&d, kind, inner);
	put_message(&m, P_TRACK, &d);
	write_packet(&m, 0);
}

static void
perfetto_name(const struct track *t, const char *text)
{
	static struct message m;

	if (t->process == NULL) {
		put_number(&m, DP_PID, (uint64_t)t->number);
		put_utf8(&m, DP_NAME, text, strlen(text));
		tell_track(t->serial, NULL, NULL, D_PROCESS, &m);
		return;
	}
	put_number(&m, DT_PID, (uint64_t)t->process->number);
	put_number(&m, DT_TID, (uint64_t)t->number);
	put_utf8(&m, DT_NAME, text, strlen(text));
	tell_track(t->serial, t->process, NULL, D_THREAD, &m);
}

/*
 * Events.
 */

/* Does the event begin several pairs of its thread? */
static int
begins_several(const struct ctf_eclass *ev)
{
	const struct pair_role *r;
	int n = 0;

	for (r = ev->pairs; r != NULL; r = r->next)
		n += !r->ends && r->pair->key == NULL;
	return n > 1;
}

/*
 * The times of whole calls are not so exact that these always nest, and pairs
 * that one event begins end in any order: a category of its own tells which
 * beginning an end is of.
 */
static void
put_category(const struct bar *b)
{
	char text[24];

	if (b->own == NULL)
		return;
	snprintf(text, sizeof(text), "%llu",
	    (unsigned long long)(uintptr_t)b->own);
	put_bytes(&run.event, E_CATEGORY, text, strlen(text));
}

/* Pairs with a key have a track each: the UI joins those of one name. */
static void
perfetto_begin(struct bar *b, const char *args, size_t n)
{
	b->serial = b->track->serial;
	if (b->id != 0) {
		b->serial = timeline_serial();
		tell_track(b->serial, b->track->process, b->name, 0, NULL);
	}
	begin_event(BEGIN, b->serial, b->name);
	if (b->whole || (b->id == 0 && begins_several(timeline.stream->event)))
		b->own = (void *)++run.categories;
	put_category(b);
	put_members_of(&run.event, E_ANNOTATION, args, n);
	end_event(b->ns);
}

static void
perfetto_end(struct bar *b, int ended, const char *args, size_t n)
{
	static struct message m;
	const char *name;
	char text[80];

	begin_event(END, b->serial, NULL);
	put_category(b);
	if (!ended) {
		snprintf(text, sizeof(text), "\"%s\":true",
		    bar_member(b, "unended"));
		put_members_of(&run.event, E_ANNOTATION, text, strlen(text));
	} else if (n > 0) {
		name = bar_member(b, NESTED);
		put_number(&m, A_NAME, name_id(&run.annotations, I_ANNOTATION,
		    name, strlen(name)));
		put_members_of(&m, A_ENTRY, args, n);
		put_message(&run.event, E_ANNOTATION, &m);
	}
	end_event(timeline.now);
}

static void
perfetto_instant(const struct track *t, const char *name, int64_t ns,
    const char *args, size_t n)
{
	begin_event(INSTANT, t->serial, name);
	put_members_of(&run.event, E_ANNOTATION, args, n);
	end_event(ns);
}

static void
perfetto_counter(const struct track *t, const char *name, int64_t ns, double v)
{
	static struct message none;
	const uint64_t key = map_bytes(t->process->serial, name,
	    strlen(name));
	uintptr_t serial = (uintptr_t)map_get(&run.counters, key);

	if (serial == 0) {
		serial = (uintptr_t)timeline_serial();
		map_put(&run.counters, key, (void *)serial);
		tell_track(serial, t->process, name, D_COUNTER, &none);
	}
	begin_event(COUNTER, serial, NULL);
	put_double(&run.event, E_VALUE, v);
	end_event(ns);
}

static void
arrow_end(uint32_t field, const char *name, const struct track *t, int64_t ns)
{
	begin_event(INSTANT, t->serial, name);
	put_fixed(&run.event, field, run.arrows);
	end_event(ns);
}

/* An arrow is from event to event, so there are two for it. */
static void
perfetto_arrow(const char *name, const struct track *from, int64_t left,
    const struct track *to, int64_t came, int marks)
{
	(void)marks;
	run.arrows++;
	arrow_end(E_FLOW, name, from, left);
	arrow_end(E_FLOW_END, name, to, came);
}

static void
perfetto_lose(const struct ctf_stream *s, const char *what, uint64_t n,
    int64_t until)
{
	char text[96];

	if (run.losses == 0) {
		run.losses = timeline_serial();
		tell_track(run.losses, NULL, "losses", 0, NULL);
	}
	begin_event(INSTANT, run.losses, what);
	snprintf(text, sizeof(text), "\"count\":%llu,\"until_ns\":\"%lld\"",
	    (unsigned long long)n, (long long)until);
	put_members_of(&run.event, E_ANNOTATION, text, strlen(text));
	end_event(s->ns);
}

/* Times are dates: say so with a clock that is the default one. */
static void
put_clocks(void)
{
	static const int ids[] = { BOOTTIME, REALTIME };
	static struct message m, clocks, clock;
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		put_number(&clock, C_ID, (uint64_t)ids[i]);
		put_number(&clock, C_TIME, timeline_date(timeline.first,
		    "perfetto"));
		put_message(&clocks, C_CLOCK, &clock);
	}
	put_message(&m, P_CLOCKS, &clocks);
	write_packet(&m, 0);
}

void
export_perfetto(struct reader *rd, struct pairs *ps, const char *value)
{
	static const struct timeline_ops ops = { perfetto_begin, perfetto_end,
	    NULL, perfetto_instant, NULL, perfetto_name, perfetto_counter,
	    perfetto_arrow, perfetto_lose };

	memset(&run, 0, sizeof(run));
	ctf_print_init(1);
	timeline_run(rd, ps, value, &ops);
	if (timeline.any)
		put_clocks();
	timeline_free();
	forget(&run.events);
	forget(&run.annotations);
	map_free(&run.counters);
	free(run.interned.v);
	free(run.event.v);
}
