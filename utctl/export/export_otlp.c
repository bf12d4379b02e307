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
 * utctl export -F otlp and -F otlp-logs: requests of the OpenTelemetry protocol
 * in its JSON encoding, one in a line, as trace/v1/trace.proto and
 * logs/v1/logs.proto of opentelemetry-proto describe them.
 *
 * IDs are hashes of where the event is, so that another run makes the same.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../show/pair_role.h"
#include "../show/print.h"
#include "common/event_name.h"
#include "common/hash.h"
#include "timeline.h"

/* The collector's reader of files takes lines of a mebibyte at most. */
#define LINE_MOST	(900 << 10)
#define RESOURCE	512		/* bytes around what a process has */
#define KEY_MOST	201		/* bytes of a key */
#define PARENT_LEN	55		/* bytes of a traceparent, at least */
#define HEX		"[0123456789abcdef]"

/* Numbers of opentelemetry-proto. */
enum { INTERNAL = 1 };			/* SpanKind */
enum { WARN = 13 };			/* SeverityNumber */

#define WARNING		4		/* the level */

struct span {
	const struct ctf_trace	*from;
	const struct process	*process;
	uint64_t		 trace[2];
	uint64_t		 id;
	uint64_t		 parent;	/* 0: none */
	uint64_t		 begin;		/* ns since 1970 */
	uint64_t		 dropped;	/* fields that were not kept */
};

static struct {
	struct pairs		*pairs;
	int			 logs;
	size_t			 size;		/* bytes of the line */
	/* The resource that the line is in. */
	const struct ctf_trace	*from;
	const struct process	*process;
} run;

/*
 * JSON.
 */

static char	*put_fields_of(char *, const char *, const char *,
		    const char *, size_t);

/* Put what takes no more than ROOM. */
static char *
put(char *p, const char *fmt, ...)
    __attribute__((__format__(__printf__, 2, 3)));

static char *
put(char *p, const char *fmt, ...)
{
	va_list ap;

	p = out_room(p, ROOM);
	va_start(ap, fmt);
	p += vsnprintf(p, ROOM, fmt, ap);
	va_end(ap);
	return p;
}

static char *
put_text(char *p, const char *before, const char *text, const char *after)
{
	p = put_string(out_text(p, before), (const uint8_t *)text,
	    strlen(text));
	return out_text(p, after);
}

static char *
put_around(char *p, const char *before, const char *s, size_t n,
    const char *after)
{
	return out_text(out_put(out_text(p, before), s, n), after);
}

/* Put a value of JSON as an AnyValue, which is empty for null. */
static char *
put_any(char *p, const char *s, size_t n)
{
	size_t i, k;

	switch (*s) {
	case '"':
		return put_around(p, "{\"stringValue\":", s, n, "}");
	case 't':
	case 'f':
		return put_around(p, "{\"boolValue\":", s, n, "}");
	case 'n':
		return out_text(p, "{}");
	case '{':
		p = out_text(p, "{\"kvlistValue\":{\"values\":[");
		p = put_fields_of(p, "", "", s + 1, n - 2);
		return out_text(p, "]}}");
	case '[':
		p = out_text(p, "{\"arrayValue\":{\"values\":[");
		for (i = 1; i < n - 1; i += k + 1) {
			k = member_len(s + i, n - 1 - i);
			p = put_any(out_text(p, i == 1 ? "" : ","), s + i, k);
		}
		return out_text(p, "]}}");
	}
	if (memchr(s, 'e', n) != NULL)
		return put_around(p, "{\"doubleValue\":", s, n, "}");
	errno = 0;
	(void)strtoll(s, NULL, 10);
	return put_around(p, errno == 0 ? "{\"intValue\":\"" :
	    "{\"stringValue\":\"", s, n, "\"}");
}

/* Put members of JSON, whose names get the prefix, as KeyValues. */
static char *
put_fields_of(char *p, const char *before, const char *prefix, const char *s,
    size_t n)
{
	size_t i, k, name;

	for (i = 0; i < n; i += k + 1) {
		k = member_len(s + i, n - i);
		for (name = 1; s[i + name] != '"'; name++)
			name += s[i + name] == '\\';
		p = put(p, "%s{\"key\":\"%s", before, prefix);
		p = put_around(p, "", s + i + 1, name, ",\"value\":");
		p = put_any(p, s + i + name + 2, k - name - 2);
		p = out_text(p, "}");
		before = ",";
	}
	return p;
}

static char *
put_ids(char *p, const uint64_t *trace, uint64_t id)
{
	return put(p, "\"traceId\":\"%016" PRIx64 "%016" PRIx64
	    "\",\"spanId\":\"%016" PRIx64 "\"", trace[0], trace[1], id);
}

/* Begin the attributes. */
static char *
put_thread(char *p, const struct track *t)
{
	p = out_text(p, ",\"attributes\":[");
	if (track_tid(t) != CTF_NOBODY)
		p = put(p, "{\"key\":\"thread.id\",\"value\":{\"intValue\":\"%"
		    PRId64 "\"}},", track_tid(t));
	return put_text(p, "{\"key\":\"thread.name\",\"value\":"
	    "{\"stringValue\":", t->name, "}}");
}

/* Dates come in order here, up to calls that are one event. */
static uint64_t
date(int64_t ns)
{
	return timeline_date(ns, run.logs ? "otlp-logs" : "otlp");
}

/*
 * Lines.
 */

/* Begin what a process has; or a trace, of no process. */
static char *
put_resource(char *p, const struct ctf_trace *tr, const struct process *pr)
{
	const int named = pr != NULL && pr->name[0] != '\0';

	p = put_text(p, "{\"resource\":{\"attributes\":[{\"key\":"
	    "\"service.name\",\"value\":{\"stringValue\":", named ? pr->name :
	    "unknown_service", "}}");
	if (named)
		p = put_text(p, ",{\"key\":\"process.executable.name\","
		    "\"value\":{\"stringValue\":", pr->name, "}}");
	if (pr != NULL && pr->vpid != CTF_NOBODY)
		p = put(p, ",{\"key\":\"process.pid\",\"value\":{\"intValue\":"
		    "\"%" PRId64 "\"}}", pr->vpid);
	if (tr->host != NULL)
		p = put_text(p, ",{\"key\":\"host.name\",\"value\":"
		    "{\"stringValue\":", tr->host, "}}");
	if (ctf_moves(&tr->moved))
		p = put(p, ",{\"key\":\"ut.moved_ns\",\"value\":"
		    "{\"intValue\":\"%" PRId64 "\"}}", tr->moved.ns);
	if (tr->moved.rate != 0)
		p = put(p, ",{\"key\":\"ut.moved_ppm\",\"value\":"
		    "{\"doubleValue\":%.17g}},{\"key\":\"ut.moved_from\","
		    "\"value\":{\"intValue\":\"%" PRId64 "\"}}",
		    (double)tr->moved.rate / 1e9, tr->moved.from);
	if (tr->sourcelen > 0)
		p = put_fields_of(p, ",", "ut.", tr->source + 1,
		    tr->sourcelen - 1);
	return put(p, "]},\"%s\":[{\"scope\":{\"name\":\"utctl\",\"version\":\""
	    VERSION "\"},\"%s\":[", run.logs ? "scopeLogs" : "scopeSpans",
	    run.logs ? "logRecords" : "spans");
}

static void
end_line(void)
{
	if (run.size > 0)
		out_end(out_text(out_begin(), "]}]}]}\n"));
	run.size = 0;
}

/* Write a span or a record, which was held up to there. */
static void
write_held(char *p, const struct ctf_trace *tr, const struct process *pr)
{
	size_t n;
	const char *text = out_held(p, &n);
	int same;

	if (run.size + n > LINE_MOST)
		end_line();
	same = run.size > 0 && run.from == tr && run.process == pr;
	p = out_text(out_begin(), same ? "," : run.size > 0 ? "]}]}," :
	    run.logs ? "{\"resourceLogs\":[" : "{\"resourceSpans\":[");
	out_end(out_put(same ? p : put_resource(p, tr, pr), text, n));
	run.size += n + (same ? 1 : RESOURCE);
	run.from = tr;
	run.process = pr;
}

/*
 * IDs.
 */

/* Spread what differs over all bits; an ID is not 0. */
static uint64_t
id_make(uint64_t h)
{
	h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
	h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
	h ^= h >> 32;
	return h == 0 ? 1 : h;
}

static uint64_t
place_hash(const struct ctf_stream *s)
{
	const struct ctf_trace *tr = s->trace;
	const uint64_t at[] = { event_place(s).bit, s->cycles };
	const char *slash = strrchr(s->path, '/');
	const char *file = slash == NULL ? s->path : slash + 1;
	uint64_t h;

	h = tr->hasuuid ? hash_fnv(FNV_INIT, tr->uuid, sizeof(tr->uuid)) :
	    hash_fnv(FNV_INIT, &tr->origin, sizeof(tr->origin));
	return hash_fnv(hash_fnv(h, file, strlen(file)), at, sizeof(at));
}

/* Take the IDs of the header that W3C's Trace Context describes. */
static int
traceparent(const char *s, uint64_t *trace, uint64_t *parent)
{
	char high[17], low[17], id[17];
	int n = 0;

	if (strncmp(s, "ff", 2) == 0 || sscanf(s, "%*2" HEX "-%16" HEX "%16"
	    HEX "-%16" HEX "-%*2" HEX "%n", high, low, id, &n) != 3 ||
	    n != PARENT_LEN || strspn(s + 3, "0") >= 32 ||
	    strspn(id, "0") == 16)
		return 0;
	trace[0] = strtoull(high, NULL, 16);
	trace[1] = strtoull(low, NULL, 16);
	*parent = strtoull(id, NULL, 16);
	return 1;
}

/* Find the header among members of JSON: strings have no bare quotes. */
static int
traceparent_in(const char *s, uint64_t *trace, uint64_t *parent)
{
	static const char name[] = "\"traceparent\":\"";

	return (s = strstr(s, name)) != NULL &&
	    traceparent(s + sizeof(name) - 1, trace, parent);
}

/* Take the IDs of the span that is open in the event's thread. */
static int
around(const struct ctf_stream *s, uint64_t *trace, uint64_t *id)
{
	const struct bar *b = pairs_top(run.pairs, s);
	const struct span *sp = b == NULL ? NULL : b->own;

	if (sp == NULL)
		return 0;
	memcpy(trace, sp->trace, sizeof(sp->trace));
	*id = sp->id;
	return 1;
}

/* All pairs that have the same key are in one trace, whatever their host. */
static void
key_trace(struct span *sp, const struct ctf_stream *s)
{
	char key[KEY_MOST];
	const size_t n = ctf_field_text(&run.pairs->key->at, s, key,
	    sizeof(key) - 1);
	const uint64_t h = hash_fnv(FNV_INIT, key, n);

	key[n] = '\0';
	if (traceparent(key, sp->trace, &sp->parent))
		return;
	sp->trace[0] = id_make(h);
	sp->trace[1] = id_make(hash_fnv(h, key, n));
}

/* An event may begin several pairs: each has an ID of its own. */
static void
span_ids(struct span *sp, const struct bar *b, const char *args)
{
	const struct ctf_stream *s = timeline.stream;
	uint64_t h = place_hash(s);

	if (!b->isfunction)
		h = hash_fnv(h, b->name, strlen(b->name));
	sp->trace[0] = id_make(h + 1);
	sp->trace[1] = id_make(h + 2);
	if (b->id != 0) {
		key_trace(sp, s);
		h = hash_fnv(h, sp->trace, sizeof(sp->trace));
	}
	sp->id = id_make(h);
	if (!traceparent_in(args, sp->trace, &sp->parent) && b->id == 0)
		(void)around(s, sp->trace, &sp->parent);
}

/*
 * Functions of the time line.
 */

static void
otlp_begin(struct bar *b, const char *args, size_t n)
{
	const struct ctf_stream *s = timeline.stream;
	const uint64_t begin = run.logs ? 0 : date(b->ns);
	struct span *sp = calloc(1, sizeof(*sp));
	size_t i;

	if (sp == NULL)
		die_errno("malloc");
	sp->begin = begin;
	sp->from = s->trace;
	sp->process = processes_get(&run.pairs->processes, s);
	for (i = b->kept ? n : 0; i < n; i += member_len(args + i, n - i) + 1)
		sp->dropped++;
	span_ids(sp, b, args);
	b->own = sp;
}

static void
put_span(const struct bar *b, const struct span *sp, int ended,
    const char *args, size_t n)
{
	char *p = put_ids(out_text(out_hold(), "{"), sp->trace, sp->id);

	if (sp->parent != 0)
		p = put(p, ",\"parentSpanId\":\"%016" PRIx64 "\"", sp->parent);
	p = put_text(p, ",\"name\":", b->name, "");
	p = put(p, ",\"kind\":%d,\"startTimeUnixNano\":\"%" PRIu64
	    "\",\"endTimeUnixNano\":\"%" PRIu64 "\"", INTERNAL, sp->begin,
	    date(timeline.now));
	p = put_fields_of(put_thread(p, b->track), ",", "", b->args, b->nargs);
	p = put_fields_of(p, ",", "end.", args, n);
	if (!ended)
		p = out_text(p, ",{\"key\":\"ut.unended\","
		    "\"value\":{\"boolValue\":true}}");
	write_held(put(p, "],\"droppedAttributesCount\":%" PRIu64 "}",
	    sp->dropped), sp->from, sp->process);
}

static void
otlp_end(struct bar *b, int ended, const char *args, size_t n)
{
	if (!run.logs)
		put_span(b, b->own, ended, args, n);
	free(b->own);
}

static void
otlp_open(struct bar *b)
{
	otlp_end(b, 0, "", 0);
}

/* Begin a record. */
static char *
put_record(int64_t ns, int severity, const char *level, const char *body)
{
	char *p = put(out_hold(), "{\"timeUnixNano\":\"%" PRIu64
	    "\",\"severityNumber\":%d,\"severityText\":\"%s\"", date(ns),
	    severity, level == NULL ? "" : level);

	return put_text(p, ",\"body\":{\"stringValue\":", body, "}");
}

static void
otlp_instant(const struct track *t, const char *name, int64_t ns,
    const char *args, size_t n)
{
	/* The data model of logs has these for syslog's levels. */
	static const int severities[NLEVELS] = { 21, 19, 18, 17, WARN, 10, 9,
	    5, 5, 5, 5, 5, 5, 5, 5 };
	const struct ctf_stream *s = timeline.stream;
	const uint64_t level = (uint64_t)s->event->level;
	const char *text = s->event->haslevel ? level_name(level) : NULL;
	uint64_t trace[2], id;
	char *p;

	if (!run.logs)
		return;
	p = put_record(ns, text == NULL ? 0 : severities[level], text, name);
	p = put_fields_of(put_thread(p, t), ",", "", args, n);
	p = out_text(p, "]");
	if (traceparent_in(args, trace, &id) || around(s, trace, &id))
		p = put_ids(out_text(p, ","), trace, id);
	write_held(out_text(p, "}"), s->trace,
	    processes_get(&run.pairs->processes, s));
}

static void
otlp_lose(const struct ctf_stream *s, const char *what, uint64_t n,
    int64_t until)
{
	char *p;

	if (!run.logs)
		return;
	p = put_record(s->ns, WARN, level_name(WARNING), what);
	p = put_text(p, ",\"attributes\":[{\"key\":\"ut.file\",\"value\":"
	    "{\"stringValue\":", s->path, "}}");
	if (n > 0)
		p = put(p, ",{\"key\":\"ut.count\",\"value\":{\"intValue\":"
		    "\"%" PRIu64 "\"}}", n);
	p = put(p, ",{\"key\":\"ut.until\",\"value\":{\"intValue\":\"%" PRId64
	    "\"}}]}", until);
	write_held(p, s->trace, NULL);
}

static void
export_both(struct reader *rd, struct pairs *ps, int logs)
{
	static const struct timeline_ops ops = { .begin = otlp_begin,
	    .end = otlp_end, .open = otlp_open, .instant = otlp_instant,
	    .lose = otlp_lose };

	memset(&run, 0, sizeof(run));
	run.pairs = ps;
	run.logs = logs;
	ctf_print_init(1);
	style.typed = 1;
	timeline_run(rd, ps, NULL, &ops);
	end_line();
	ctf_print_flush();
	timeline_free();
}

void
export_otlp(struct reader *rd, struct pairs *ps, const char *value)
{
	(void)value;
	export_both(rd, ps, 0);
}

void
export_otlp_logs(struct reader *rd, struct pairs *ps, const char *value)
{
	(void)value;
	export_both(rd, ps, 1);
}
