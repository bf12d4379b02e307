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
 * The metadata of a trace directory: TSDL of CTF 1.8
 * (https://diamon.org/ctf/v1.8.3/).  Readers strip one underscore from the
 * front of a name, so that a field may be called anything.
 */

#include <sys/utsname.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../store/trace.h"

void
text_add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	for (;;) {
		va_start(ap, fmt);
		n = vsnprintf(t->s == NULL ? NULL : t->s + t->len,
		    t->size - t->len, fmt, ap);
		va_end(ap);
		if (n < 0)
			fatal("vsnprintf");
		if (t->len + (size_t)n < t->size)
			break;
		t->size = (t->len + (size_t)n + 1) * 2;
		t->s = xrealloc(t->s, t->size);
	}
	t->len += (size_t)n;
}

void
text_free(struct text *t)
{
	free(t->s);
	memset(t, 0, sizeof(*t));
}

/* So much of it, from the front, is elsewhere by now. */
void
text_cut(struct text *t, size_t n)
{
	if (n == t->len) {
		text_free(t);
		return;
	}
	memmove(t->s, t->s + n, t->len - n);
	t->len -= n;
	t->sent -= t->sent < n ? t->sent : n;
}

static void
add_types(struct text *t)
{
	int bits;

	for (bits = 8; bits <= 64; bits *= 2)
		text_add(t, "typealias integer { size = %d; align = 8; "
		    "signed = false; } := uint%d_t;\n", bits, bits);
	for (bits = 32; bits <= 64; bits *= 2)
		text_add(t, "typealias integer { size = %d; align = 8; "
		    "signed = true; } := int%d_t;\n", bits, bits);
}

/* Between quotes, as it is to be shown. */
static const char *
quotable(const char *from, char *s, size_t size)
{
	size_t i;

	for (i = 0; i + 1 < size && from[i] != '\0'; i++)
		s[i] = iscntrl((unsigned char)from[i]) || from[i] == '"' ||
		    from[i] == '\\' ? '?' : from[i];
	s[i] = '\0';
	return s;
}

static void
add_env(struct text *t, const struct trace *tr)
{
	struct utsname uts;
	struct tm tm;
	time_t when = (time_t)tr->session->created;
	char date[64], name[64], host[sizeof(uts.nodename)], boot[64];

	if (localtime_r(&when, &tm) == NULL ||
	    strftime(date, sizeof(date), "%Y%m%dT%H%M%S%z", &tm) == 0)
		date[0] = '\0';
	if (uname(&uts) == -1)
		uts.nodename[0] = '\0';
	text_add(t, "\nenv {\n\tdomain = \"ust\";\n"
	    "\ttracer_name = \"libut\";\n"
	    "\ttracer_major = %d;\n\ttracer_minor = %d;\n"
	    "\ttracer_buffering_scheme = \"%s\";\n"
	    "\ttracer_buffering_id = %lu;\n"
	    "\tarchitecture_bit_width = %u;\n"
	    "\ttrace_name = \"%s\";\n"
	    "\ttrace_creation_datetime = \"%s\";\n"
	    "\thostname = \"%s\";\n", UT_VERSION, 0,
	    tr->owner != 0 ? "pid" : "uid",
	    (unsigned long)(tr->owner != 0 ? tr->pid : (pid_t)tr->uid),
	    tr->bits, tr->session->name, date, quotable(uts.nodename, host,
	    sizeof(host)));
	ut_boot_id(name, sizeof(name));
	if (name[0] != '\0')
		text_add(t, "\tboot_id = \"%s\";\n", quotable(name, boot,
		    sizeof(boot)));
	/* No other program has the number: IDs and names come again. */
	if (tr->owner != 0)
		text_add(t, "\tvpid = %ld;\n\tprocname = \"%s\";\n"
		    "\tprogram_number = %llu;\n", (long)tr->vpid,
		    quotable(tr->name, name, sizeof(name)),
		    (unsigned long long)tr->owner);
	text_add(t, "};\n");
}

/* Types of a clock: the low bits that events have, and all bits. */
static void
add_clock_types(struct text *t, const char *clock)
{
	static const unsigned int sizes[] = { 32, 64 };
	size_t i;

	text_add(t, "\n");
	for (i = 0; i < 2; i++)
		text_add(t, "typealias integer { size = %u; align = 8; "
		    "signed = false; map = clock.%s.value; } := "
		    "uint%u_%s_t;\n", sizes[i], clock, sizes[i], clock);
}

static void
add_clock(struct text *t, const struct session *s)
{
	text_add(t, "\nclock {\n\tname = \"monotonic\";\n"
	    "\tdescription = \"Monotonic Clock\";\n"
	    "\tfreq = 1000000000;\n"
	    "\toffset_s = %llu;\n\toffset = %llu;\n"
	    "\tabsolute = TRUE;\n};\n",
	    (unsigned long long)(s->offset / 1000000000u),
	    (unsigned long long)(s->offset % 1000000000u));
	add_clock_types(t, "monotonic");
}

/*
 * Add a line of the counter: as long every time, so that it can be written over
 * what was there.  False if the line is not known any more.
 */
bool
metadata_cycles(struct text *t, const struct session *s, uint32_t line)
{
	struct line l;

	if (!course_line(&s->course, line, s->offset, &l))
		return false;
	text_add(t, "\nclock {\n\tname = \"cycles\";\n"
	    "\tdescription = \"Cycle Counter\";\n"
	    "\tfreq = %20llu;\n\tprecision = %20llu;\n"
	    "\toffset_s = %20llu;\n\toffset = %20llu;\n"
	    "\tabsolute = TRUE;\n};\n", (unsigned long long)l.freq,
	    (unsigned long long)((double)l.error * (double)l.freq / 1e9) +
	    (l.error > 0),
	    (unsigned long long)l.offset_s, (unsigned long long)l.offset);
	return true;
}

/* The clock of the channel, if metadata_head does not have it: is it added? */
bool
metadata_clock(struct text *t, const struct channel *ch)
{
	const struct session *s = ch->session;

	if (ch->attrs.v[ATTR_CLOCK] != UT_CLOCK_CYCLES)
		return false;
	(void)metadata_cycles(t, s, s->course.lines);
	add_clock_types(t, "cycles");
	return true;
}

/*
 * A stream of clock readings: packets without events, so that no reader shows
 * or counts what the user has not recorded.  See consumer/output/clockfile.c.
 */
static void
add_points(struct text *t)
{
	text_add(t, "\nstream {\n\tid = %u;\n"
	    "\tpacket.context := struct {\n"
	    "\t\tuint64_monotonic_t timestamp_begin;\n"
	    "\t\tuint64_monotonic_t timestamp_end;\n"
	    "\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n"
	    "\t\tuint64_t packet_seq_num;\n"
	    "\t\tuint64_t cycles;\n\t\tuint64_t boottime;\n"
	    "\t\tuint64_t realtime;\n"
	    "\t\tint64_t ntp_offset;\n\t\tint64_t ntp_frequency;\n"
	    "\t\tuint64_t ntp_maximum;\n\t\tuint64_t ntp_error;\n"
	    "\t\tint32_t ntp_state;\n\t};\n};\n", CTF_STREAM_CLOCK);
}

void
metadata_head(struct text *t, const struct trace *tr, const char *uuid)
{
	const uint16_t one = 1;

	text_add(t, "/* CTF 1.8 */\n\n");
	add_types(t);
	text_add(t, "\ntrace {\n\tmajor = 1;\n\tminor = 8;\n"
	    "\tuuid = \"%s\";\n\tbyte_order = %s;\n"
	    "\tpacket.header := struct {\n"
	    "\t\tuint32_t magic;\n\t\tuint8_t uuid[16];\n"
	    "\t\tuint32_t stream_id;\n\t\tuint64_t stream_instance_id;\n"
	    "\t};\n};\n", uuid,
	    *(const unsigned char *)&one == 1 ? "le" : "be");
	add_env(t, tr);
	add_clock(t, tr->session);
	add_points(t);
}

/* Contexts: the values of a channel's events besides their fields. */
static void
add_contexts(struct text *t, const struct contexts *cs)
{
	const struct context *c;
	uint32_t i;
	int kind;

	for (i = 0; i < cs->n; i++) {
		kind = context_kind(cs->name[i]);
		c = &context_table[kind];
		text_add(t, "\t\tinteger { size = %u; align = 8; "
		    "signed = %s;%s } _%s;\n", c->size * 8u,
		    c->flags & UT_F_SIGNED ? "true" : "false",
		    c->flags & UT_F_HEX ? " base = 16;" : "",
		    kind == CONTEXT_OWN ? cs->name[i] : c->name);
	}
}

/*
 * A class of streams: packets tell whose they are, or, where many threads
 * share them, each event does.
 */
static void
add_class(struct text *t, const struct channel *ch, bool shared)
{
	static const char who[] = "\t\tint32_t _vpid;\n\t\tint32_t _vtid;\n"
	    "\t\tstring _procname;\n";
	const char *clock = ch->attrs.v[ATTR_CLOCK] == UT_CLOCK_CYCLES ?
	    "cycles" : "monotonic";

	text_add(t, "\nstream {\n\tid = %u;\n"
	    "\tevent.header := struct {\n"
	    "\t\tuint16_t id;\n\t\tuint32_%s_t timestamp;\n\t};\n"
	    "\tpacket.context := struct {\n"
	    "\t\tuint64_%s_t timestamp_begin;\n"
	    "\t\tuint64_%s_t timestamp_end;\n"
	    "\t\tuint64_t content_size;\n\t\tuint64_t packet_size;\n"
	    "\t\tuint64_t packet_seq_num;\n\t\tuint64_t events_discarded;\n",
	    CTF_STREAM(ch->stream, shared), clock, clock, clock);
	if (!shared)
		text_add(t, "%s\t\tstring _thread;\n", who);
	text_add(t, "\t};\n");
	if (shared || ch->contexts.n > 0) {
		text_add(t, "\tevent.context := struct {\n");
		if (shared)
			text_add(t, "%s", who);
		add_contexts(t, &ch->contexts);
		text_add(t, "\t};\n");
	}
	text_add(t, "};\n");
}

void
metadata_channel(struct text *t, const struct channel *ch)
{
	add_class(t, ch, false);
	add_class(t, ch, true);
}

#define TEXT	" encoding = UTF8;"

static void
add_integer(struct text *t, const struct field *f, const char *more)
{
	text_add(t, "integer { size = %u; align = 8; signed = %s;%s%s%s }",
	    f->size * 8u, f->flags & UT_F_SIGNED ? "true" : "false",
	    f->flags & UT_F_HEX ? " base = 16;" : "",
	    f->flags & UT_F_BE ? " byte_order = be;" : "", more);
}

/* IEEE 754: exponent and mantissa as TSDL counts them. */
static void
add_element(struct text *t, const struct field *f)
{
	if (f->kind == UT_KIND_FLOAT || f->flags & UT_F_FLOAT)
		text_add(t, "floating_point { exp_dig = %d; mant_dig = %d; "
		    "align = 8; }", f->size == 4 ? 8 : 11,
		    f->size == 4 ? 24 : 53);
	else
		add_integer(t, f, f->flags & UT_F_TEXT ? TEXT : "");
}

/* Add a label between quotes, as C writes it: octal digits always three. */
static void
add_label(struct text *t, const char *s)
{
	text_add(t, " \"");
	for (; *s != '\0'; s++)
		if (*s == '"' || *s == '\\')
			text_add(t, "\\%c", *s);
		else if (iscntrl((unsigned char)*s))
			text_add(t, "\\%03o", (unsigned char)*s);
		else
			text_add(t, "%c", *s);
	text_add(t, "\"");
}

static void
add_enum(struct text *t, struct ut_msg *m, const struct field *f)
{
	struct ut_value v;
	char name[NAME_MAXLEN], number[24];
	uint32_t i;

	text_add(t, "enum : ");
	add_integer(t, f, "");
	text_add(t, " {");
	for (i = 0; i < f->nvalues; i++) {
		event_value(m, &v, name);
		add_label(t, name);
		text_add(t, " = %s",
		    event_number(f->flags, v.low, number, sizeof(number)));
		if (v.high != v.low)
			text_add(t, " ... %s",
			    event_number(f->flags, v.high, number,
			    sizeof(number)));
		text_add(t, ",");
	}
	text_add(t, " }");
}

/*
 * The length of a sequence is a field before it: __NAME_length, and more
 * underscores behind as long as the event has a field of that name.
 */
static void
length_name(const struct event *e, const char *name, char *s, size_t size)
{
	static struct ut_msg m;
	struct field f;
	uint32_t n;

	snprintf(s, size, "__%s_length", name);
	event_open(e, &m, &n);
	while (n-- > 0) {
		event_field(&m, &f);
		event_skip(&m, &f);
		if (strcmp(f.name + strspn(f.name, "_"),
		    s + strspn(s, "_")) == 0) {
			snprintf(s + strlen(s), size - strlen(s), "_");
			event_open(e, &m, &n);
		}
	}
}

static void
add_field(struct text *t, const struct event *e, struct ut_msg *m)
{
	struct field f;
	char length[2 * NAME_MAXLEN];

	event_field(m, &f);
	text_add(t, "\t\t");
	switch (f.kind) {
	case UT_KIND_STRING:
		text_add(t, "string _%s;\n", f.name);
		break;
	case UT_KIND_TEXT:
		add_integer(t, &f, TEXT);
		text_add(t, " _%s[%u];\n", f.name, f.count);
		break;
	case UT_KIND_ARRAY:
		add_element(t, &f);
		text_add(t, " _%s[%u];\n", f.name, f.count);
		break;
	case UT_KIND_SEQ:
		length_name(e, f.name, length, sizeof(length));
		text_add(t, "uint32_t %s;\n\t\t", length);
		add_element(t, &f);
		text_add(t, " _%s[%s];\n", f.name, length);
		break;
	case UT_KIND_ENUM:
		add_enum(t, m, &f);
		text_add(t, " _%s;\n", f.name);
		break;
	default:
		add_element(t, &f);
		text_add(t, " _%s;\n", f.name);
		break;
	}
}

static void
add_event(struct text *t, const struct event *e, uint32_t id, uint32_t stream)
{
	static struct ut_msg m;
	uint32_t n;

	text_add(t, METADATA_EVENT "\tname = \"%s\";\n\tid = %u;\n"
	    "\tstream_id = %u;\n\tloglevel = %u;\n\tfields := struct {\n",
	    e->name, id, stream, e->level);
	event_open(e, &m, &n);
	while (n-- > 0)
		add_field(t, e, &m);
	text_add(t, "\t};\n};\n");
}

void
metadata_event(struct text *t, const struct channel *ch,
    const struct event *e, uint32_t id)
{
	add_event(t, e, id, CTF_STREAM(ch->stream, false));
	add_event(t, e, id, CTF_STREAM(ch->stream, true));
}

/* All events that the registry has an ID for. */
void
metadata_events(struct text *t, const struct channel *ch,
    const struct registry *g)
{
	uint32_t id;

	for (id = 1; id <= g->last; id++)
		metadata_event(t, ch, g->entries[id].event, id);
}
