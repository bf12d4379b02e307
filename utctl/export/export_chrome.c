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
 * utctl export -F chrome: JSON that Perfetto, chrome://tracing and speedscope
 * read.  The document "Trace Event Format" of the Chromium project describes
 * it.
 *
 * A bar of a thread is an X, which is written at its end: so the fields of its
 * beginning are kept.  Where these are too much, it is a B and an E.  Pairs
 * with a key are b and e, with an ID.
 */

#include <stdio.h>
#include <string.h>

#include "../say.h"
#include "../show/print.h"
#include "../when.h"
#include "timeline.h"

#define NS_US		1000

static struct {
	int		 any;		/* something was written */
	uint64_t	 profiles, arrows;
} run;

/* After it there is ROOM less some 130 bytes. */
static char *
put_head(const char *ph, const struct track *t)
{
	char *p = out_text(out_begin(), run.any ? ",\n{\"ph\":\"" :
	    "\n{\"ph\":\"");

	run.any = 1;
	p = out_text(out_text(p, ph), "\",\"pid\":");
	p = ctf_put_i64(p, t == NULL ? 0 : t->process == NULL ? t->number :
	    t->process->number);
	return ctf_put_i64(out_text(p, ",\"tid\":"), t == NULL ? 0 :
	    t->number);
}

static int64_t
since(int64_t begin, int64_t ns)
{
	const int64_t n = when_sum(ns, -begin);

	if (n == INT64_MAX || n == -INT64_MAX)
		die("-F chrome: dates that are more than 292 years apart "
		    "cannot be written");
	return n;
}

static char *
put_event(const char *ph, const struct track *t, int64_t ns)
{
	return put_us(out_text(put_head(ph, t), ",\"ts\":"),
	    since(timeline.first, ns));
}

static char *
put_text(char *p, const char *before, const char *text)
{
	p = out_text(p, before);
	return out_room(put_string(p, (const uint8_t *)text, strlen(text)),
	    ROOM);
}

/* End the event; behind what it has of args, there may be more of them. */
static void
put_args(char *p, const char *args, size_t n, const char *more)
{
	if (n > 0 || *more != '\0')
		p = out_text(p, ",\"args\":{");
	p = out_text(out_put(p, args, n), n > 0 && *more != '\0' ? "," : "");
	p = out_room(out_text(p, more), ROOM);
	out_end(out_text(p, n > 0 || *more != '\0' ? "}}" : "}"));
}

static void
chrome_name(const struct track *t, const char *text)
{
	char *p;

	if (*text == '\0')
		return;
	p = put_text(put_head("M", t), ",\"name\":", t->process == NULL ?
	    "process_name" : "thread_name");
	p = put_text(p, ",\"args\":{\"name\":", text);
	out_end(out_text(p, "}}"));
}

/*
 * Pairs.
 */

static char *
put_bar(const char *ph, const struct bar *b, int64_t ns)
{
	char *p = put_event(ph, b->track, ns);

	if (b->id != 0)
		p = ctf_put_u64(out_text(p, ",\"cat\":\"pair\",\"id\":"),
		    b->id);
	return put_text(p, ",\"name\":", b->name);
}

static void
chrome_begin(struct bar *b, const char *args, size_t n)
{
	if (b->id != 0 || !b->kept)
		put_args(put_bar(b->id != 0 ? "b" : "B", b, b->ns), args, n,
		    "");
}

/* The fields of the end have a name of their own beside those of its begin. */
static void
chrome_end(struct bar *b, int ended, const char *args, size_t n)
{
	const int whole = b->id == 0 && b->kept;
	char more[80] = "", *p;

	if (!ended)
		snprintf(more, sizeof(more), "\"%s\":true",
		    bar_member(b, "unended"));
	p = put_bar(whole ? "X" : b->id == 0 ? "E" : "e", b, whole ? b->ns :
	    timeline.now);
	if (whole)
		p = put_us(out_text(p, ",\"dur\":"), since(b->ns,
		    timeline.now));
	if (n == 0) {
		put_args(p, b->args, whole ? b->nargs : 0, more);
		return;
	}
	p = out_text(p, ",\"args\":{");
	if (whole && b->nargs > 0)
		p = out_text(out_put(p, b->args, b->nargs), ",");
	p = out_text(out_text(out_text(p, "\""), bar_member(b, "end")),
	    "\":{");
	p = out_put(p, args, n);
	out_end(out_text(out_room(p, ROOM), "}}}"));
}

static void
chrome_open(struct bar *b)
{
	if (b->id == 0 && b->kept)
		put_args(put_bar("B", b, b->ns), b->args, b->nargs, "");
}

/*
 * Others.
 */

static void
chrome_instant(const struct track *t, const char *name, int64_t ns,
    const char *args, size_t n)
{
	put_args(put_text(put_event("i", t, ns), ",\"name\":", name), args, n,
	    "");
}

static void
chrome_sample(struct track *t, const struct ctf_stream *s,
    const struct site *site)
{
	const int64_t us = since(timeline.first, s->ns) / NS_US;

	if (t->samples.id == 0)
		out_end(samples_begin(put_event("P", t, s->ns), &t->samples,
		    ++run.profiles, us));
	out_end(samples_add(put_event("P", t, s->ns), &t->samples, site, us));
}

static void
chrome_counter(const struct track *t, const char *name, int64_t ns, double v)
{
	char number[48];

	snprintf(number, sizeof(number), ",\"args\":{\"value\":%.17g}}", v);
	out_end(out_text(put_text(put_event("C", t, ns), ",\"name\":", name),
	    number));
}

/* Readers tie an end of the arrow to what its thread has at that time. */
static void
arrow_end(const char *ph, const char *name, const struct track *t, int64_t ns,
    int mark)
{
	char *p;

	if (mark)
		out_end(out_text(put_text(put_event("i", t, ns), ",\"name\":",
		    name), ",\"cat\":\"arrow\"}"));
	p = put_text(put_event(ph, t, ns), ",\"name\":", name);
	p = ctf_put_u64(out_text(p, ",\"id\":"), run.arrows);
	out_end(out_text(p, *ph == 'f' ? ",\"bp\":\"e\"}" : "}"));
}

static void
chrome_arrow(const char *name, const struct track *from, int64_t left,
    const struct track *to, int64_t came, int marks)
{
	run.arrows++;
	arrow_end("s", name, from, left, marks);
	arrow_end("f", name, to, came, marks);
}

static void
chrome_lose(const struct ctf_stream *s, const char *what, uint64_t n,
    int64_t until)
{
	char *p;

	p = put_text(put_event("i", NULL, s->ns), ",\"s\":\"g\",\"name\":",
	    what);
	p = out_text(p, ",\"args\":{\"count\":");
	p = n == 0 ? out_text(p, "null") : ctf_put_u64(p, n);
	p = put_us(out_text(p, ",\"until\":"), since(timeline.first, until));
	out_end(out_text(p, "}}"));
}

/* Write the offsets of directories, if there are any. */
static char *
put_moved(char *p)
{
	const char *before = "\"moved\":[";
	const struct reader_dir *dir;
	const struct ctf_move *m;

	for (dir = timeline.reader->dirs; dir->name != NULL; dir++) {
		m = &dir->move;
		if (!ctf_moves(m))
			continue;
		p = out_text(out_text(p, before), "{\"dir\":");
		p = put_string(p, (const uint8_t *)dir->name,
		    strlen(dir->name));
		p = ctf_put_i64(out_text(p, ",\"offset_ns\":\""),
		    m->ns);
		p = out_text(p, "\"");
		if (m->rate != 0)
			p = ctf_put_i64(out_text(ctf_put_real(out_text(p,
			    ",\"drift_ppm\":"), (double)m->rate / 1e9, 0),
			    ",\"from\":\""), m->from);
		p = out_text(p, m->rate != 0 ? "\"}" : "}");
		before = ",";
	}
	return *before == ',' ? out_text(p, "],") : p;
}

/* Write what is known only at the end. */
static void
put_tail(void)
{
	char *p = out_text(out_begin(), "\n],\"otherData\":{");

	if (timeline.any) {
		p = ctf_put_i64(out_text(p, "\"start_ns\":\""),
		    timeline.first);
		p = put_time(out_text(p, "\",\"start\":\""), timeline.first);
		p = out_text(put_zone(p), "\",");
	}
	p = ctf_put_u64(out_text(put_moved(p), "\"discarded\":"),
	    timeline.reader->ndiscarded);
	p = ctf_put_u64(out_text(p, ",\"lost_packets\":"),
	    timeline.reader->nlost);
	out_end(out_text(p, "}}\n"));
}

void
export_chrome(struct reader *rd, struct pairs *ps, const char *value)
{
	static const struct timeline_ops ops = { chrome_begin, chrome_end,
	    chrome_open, chrome_instant, chrome_sample, chrome_name,
	    chrome_counter, chrome_arrow, chrome_lose };

	memset(&run, 0, sizeof(run));
	ctf_print_init(1);
	out_end(out_text(out_begin(), "{\"displayTimeUnit\":\"ns\","
	    "\"traceEvents\":["));
	timeline_run(rd, ps, value, &ops);
	put_tail();
	ctf_print_flush();
	samples_free();
	timeline_free();
}
