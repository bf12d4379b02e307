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
 * CTF 2: the fragments of the metadata.
 *
 * Each one is an object of JSON behind a character RS.  The text of a trace
 * that is still written may stop anywhere: a last fragment that is not whole is
 * as if it were not there.
 */

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "ctf_json.h"

static void
uuid_read(struct ctf_json_parse *q, const struct ctf_json *o, uint8_t *uuid,
    int *has)
{
	const struct ctf_json *all = ctf_json_get(q, o, "uuid", JSON_ARRAY);
	const struct ctf_json *v;
	size_t i = 0;

	if (all == NULL)
		return;
	for (v = all->child; v != NULL && i < 16; v = v->next) {
		if (v->kind != JSON_INT || v->neg || v->num > 255)
			break;
		uuid[i++] = (uint8_t)v->num;
	}
	if (i < 16 || v != NULL)
		ctf_json_wrong(q, all, "no UUID");
	*has = 1;
}

static void
read_preamble(struct ctf_json_parse *q, const struct ctf_json *o)
{
	struct ctf_trace *tr = q->p.trace;

	if (ctf_json_number(q, o, "version", UINT64_MAX, 0) != 2)
		ctf_json_wrong(q, o, "not version 2 of CTF");
	uuid_read(q, o, tr->uuid, &tr->hasuuid);
}

static void
read_trace(struct ctf_json_parse *q, const struct ctf_json *o)
{
	static const char *const names[] = { "namespace", "name", "uid" };
	struct ctf_trace *tr = q->p.trace;
	const struct ctf_json *env, *v;
	struct ctf_value value;
	const char *s;
	size_t i;

	if (q->hastrace)
		ctf_json_wrong(q, o, "a second trace class");
	q->hastrace = 1;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		s = ctf_json_word(q, o, names[i], "");
		tr->origin = hash_fnv(tr->origin, s, strlen(s) + 1);
	}
	env = ctf_json_get(q, o, "environment", JSON_OBJECT);
	for (v = env == NULL ? NULL : env->child; v != NULL; v = v->next) {
		if (v->kind != JSON_STRING && v->kind != JSON_INT) {
			ctf_json_wrong(q, v, "neither a string nor an integer");
			return;
		}
		value.tok = v->kind == JSON_STRING ? TOK_STR : TOK_NUM;
		value.neg = v->neg;
		value.num = v->num;
		value.str = v->str == NULL ? NULL :
		    ctf_json_copy(q, v, v->str);
		if (!q->p.bad)
			ctf_env(tr, v->key, &value);
	}
	tr->header = ctf_fclass(q, o, "packet-header-field-class",
	    SCOPE_HEADER);
}

static int64_t
seconds(struct ctf_json_parse *q, const struct ctf_json *o)
{
	const struct ctf_json *v = ctf_json_get(q, o, "seconds", JSON_INT);

	if (v == NULL)
		return 0;
	if (v->num > INT64_MAX)
		ctf_json_wrong(q, v, "no time of this age");
	return v->neg ? (int64_t)(0 - v->num) : (int64_t)v->num;
}

static void
read_clock(struct ctf_json_parse *q, const struct ctf_json *o)
{
	struct ctf_trace *tr = q->p.trace;
	struct ctf_clock *c = ctf_alloc(tr, sizeof(*c));
	const struct ctf_json *from;

	if (tr->nclocks++ == CTF_CLOCKS)
		ctf_json_wrong(q, o, "more than %d clocks", CTF_CLOCKS);
	c->name = ctf_json_copy(q, o, ctf_json_word(q, o, "id", NULL));
	if (ctf_clock_find(tr, c->name) != NULL)
		ctf_json_wrong(q, o, "a second clock '%.64s'", c->name);
	c->freq = ctf_json_number(q, o, "frequency", INT64_MAX, JSON_NEEDED);
	/* A date is off by both at most. */
	c->precision = ctf_json_number(q, o, "precision", INT64_MAX, 0) +
	    ctf_json_number(q, o, "accuracy", INT64_MAX, 0);
	from = ctf_json_get(q, o, "offset-from-origin", JSON_OBJECT);
	if (from != NULL) {
		c->offset_s = seconds(q, from);
		c->offset = (int64_t)ctf_json_number(q, from, "cycles",
		    INT64_MAX, 0);
		if ((uint64_t)c->offset >= c->freq)
			ctf_json_wrong(q, from, "cycles of a second or more");
	}
	q->p.at = o->at;
	if (!q->p.bad)
		ctf_clock_base(&q->p, c);
	c->next = tr->clocks;
	tr->clocks = c;
}

static void
read_stream(struct ctf_json_parse *q, const struct ctf_json *o)
{
	struct ctf_trace *tr = q->p.trace;
	struct ctf_sclass *sc = ctf_alloc(tr, sizeof(*sc));
	const char *clock;

	if (tr->nnames++ == CTF_NAMES)
		ctf_json_wrong(q, o, "too many data stream classes");
	sc->line = q->p.line;
	sc->id = ctf_json_number(q, o, "id", UINT64_MAX, 0);
	if (ctf_sclass(tr, sc->id) != NULL)
		ctf_json_wrong(q, o, "a second data stream class %llu",
		    (unsigned long long)sc->id);
	clock = ctf_json_word(q, o, "default-clock-class-id", "");
	sc->clock = ctf_clock_find(tr, clock);
	if (sc->clock == NULL && *clock != '\0')
		ctf_json_wrong(q, o, "no clock '%.64s' before this", clock);
	q->scopes[SCOPE_HEADER] = tr->header;
	q->timed = NULL;
	sc->packet = ctf_fclass(q, o, "packet-context-field-class",
	    SCOPE_PACKET);
	sc->header = ctf_fclass(q, o, "event-record-header-field-class",
	    SCOPE_EVENT);
	sc->context = ctf_fclass(q, o,
	    "event-record-common-context-field-class", SCOPE_COMMON);
	if (q->timed != NULL && sc->clock == NULL)
		ctf_json_wrong(q, q->timed, "a time without a clock");
	if (q->p.bad)
		return;
	tr->hastrace = 1;
	sc->next = tr->sclasses;
	tr->sclasses = sc;
	map_put(&tr->byid, sc->id, sc);
}

/* Levels are names, or the numbers that LTTng has for these. */
static void
level_read(struct ctf_json_parse *q, const struct ctf_json *o,
    struct ctf_eclass *ev)
{
	static const char *const names[] = { "emergency", "alert", "critical",
	    "error", "warning", "notice", "info", "debug:system",
	    "debug:program", "debug:process", "debug:module", "debug:unit",
	    "debug:function", "debug:line", "debug" };
	const struct ctf_json *v = ctf_json_get(q, o, "log-level", JSON_ANY);
	const int n = sizeof(names) / sizeof(names[0]);
	int i;

	if (v == NULL || (v->kind != JSON_INT && v->kind != JSON_STRING))
		return;
	for (i = 0; v->kind == JSON_STRING && i < n; i++)
		if (strcmp(v->str, names[i]) == 0)
			break;
	ev->level = v->kind == JSON_STRING ? i : v->neg ?
	    (int64_t)(0 - v->num) : (int64_t)v->num;
	ev->haslevel = v->kind == JSON_INT || i < n;
}

static void
read_event(struct ctf_json_parse *q, const struct ctf_json *o)
{
	static const char *const owners[] = { "babeltrace.org,2020",
	    "lttng.org,2009" };
	struct ctf_trace *tr = q->p.trace;
	struct ctf_eclass *ev = ctf_alloc(tr, sizeof(*ev));
	const struct ctf_json *attributes, *v;
	const struct ctf_sclass *sc;
	size_t i;

	ev->line = q->p.line;
	ev->name = ctf_json_copy(q, o, ctf_json_word(q, o, "name", ""));
	ev->hasstream = 1;
	ev->id = ctf_json_number(q, o, "id", UINT64_MAX, 0);
	ev->stream = ctf_json_number(q, o, "data-stream-class-id", UINT64_MAX,
	    0);
	attributes = ctf_json_get(q, o, "attributes", JSON_OBJECT);
	for (i = 0; attributes != NULL && i < 2; i++) {
		v = ctf_json_get(q, attributes, owners[i], JSON_ANY);
		if (v == NULL || v->kind != JSON_OBJECT)
			continue;
		if (!ev->haslevel)
			level_read(q, v, ev);
		v = ctf_json_get(q, v, "emf-uri", JSON_ANY);
		if (ev->uri == NULL && v != NULL &&
		    v->kind == JSON_STRING)
			ev->uri = ctf_json_copy(q, v, v->str);
	}
	if ((sc = ctf_sclass(tr, ev->stream)) == NULL) {
		ctf_json_wrong(q, o, "no data stream class %llu before this",
		    (unsigned long long)ev->stream);
		return;
	}
	q->scopes[SCOPE_HEADER] = tr->header;
	q->scopes[SCOPE_PACKET] = sc->packet;
	q->scopes[SCOPE_EVENT] = sc->header;
	q->scopes[SCOPE_COMMON] = sc->context;
	ev->context = ctf_fclass(q, o, "specific-context-field-class",
	    SCOPE_SPECIFIC);
	ev->fields = ctf_fclass(q, o, "payload-field-class", SCOPE_PAYLOAD);
	if (q->p.bad)
		return;
	ev->next = tr->events;
	tr->events = ev;
}

static void
fragment_read(struct ctf_json_parse *q)
{
	static const struct {
		const char	*type;
		void		(*read)(struct ctf_json_parse *,
				    const struct ctf_json *);
	} all[] = {
		{ "preamble", read_preamble },
		{ "field-class-alias", ctf_fclass_alias },
		{ "trace-class", read_trace },
		{ "clock-class", read_clock },
		{ "data-stream-class", read_stream },
		{ "event-record-class", read_event }
	};
	const struct ctf_json *o = ctf_json(q);
	const char *type;
	size_t i;

	if (o == NULL)
		return;
	q->p.whole = 1;
	type = ctf_json_word(q, o, "type", NULL);
	ctf_json_extensions(q, o);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(type, all[i].type) == 0)
			break;
	if ((i == 0) != (q->p.line == 1))
		ctf_json_wrong(q, o, "the preamble must come first");
	else if (i == sizeof(all) / sizeof(all[0]))
		ctf_json_wrong(q, o, "no fragment '%.64s'", type);
	if (!q->p.bad)
		all[i].read(q, o);
	ctf_alloc_free(&q->tree);
}

int
ctf_fragments(struct ctf_trace *tr, const char *text, size_t n)
{
	const char *const end = text + n, *next;
	struct ctf_json_parse q;

	memset(&q, 0, sizeof(q));
	q.p.trace = tr;
	q.tree.file = q.kept.file = tr->file;
	q.p.begin = text;
	tr->unit = "fragment";
	tr->roles = 1;
	for (; text < end && !q.p.bad; text = next) {
		text++;
		next = memchr(text, CTF_RS, (size_t)(end - text));
		q.p.whole = next != NULL;
		if (next == NULL)
			next = end;
		if (text == next)
			continue;
		q.p.line++;
		q.p.p = text;
		q.p.end = next;
		fragment_read(&q);
	}
	ctf_alloc_free(&q.tree);
	ctf_alloc_free(&q.kept);
	map_free(&q.aliases);
	return q.p.bad && !q.p.cut ? -1 : ctf_finish(tr);
}
