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
 * Events as lines of text, or as JSON.
 */

#include <string.h>

#include "columns.h"
#include "indent.h"
#include "print.h"

static char *
put_when(char *p, int64_t ns)
{
	p = ctf_put_i64(out_text(p, "{\"ns\":\""), ns);
	p = put_time(out_text(p, "\",\"time\":\""), ns);
	return out_text(put_zone(p), "\",");
}

static char *
put_json_event(char *p, struct ctf_stream *s)
{
	const struct ctf_eclass *ev = s->event;

	p = put_when(p, s->ns);
	if (s->trace->label != NULL)
		p = out_text(put_string(out_text(p, "\"host\":"),
		    (const uint8_t *)s->trace->label,
		    strlen(s->trace->label)), ",");
	p = put_who(p, s);
	return put_fields(out_put(p, ev->text, ev->textlen), s);
}

/* The last member. */
static char *
put_json_depth(char *p, size_t depth, int64_t took)
{
	p = out_room(p, ROOM);
	p = ctf_put_u64(out_text(p, ",\"depth\":"), depth);
	if (took == TOOK_NONE)
		return p;
	return ctf_put_i64(out_text(p, ",\"took_ns\":\""), took);
}

/* Makes ready what of a trace is printed, before its events. */
void
ctf_print_trace(struct ctf_trace *tr)
{
	text_trace(tr);
	columns_trace(tr);
	indent_trace(tr);
}

void
ctf_print_event(struct ctf_stream *s)
{
	int64_t took = TOOK_NONE;
	char *p = out_begin();
	size_t depth = 0;

	if (indent_on)
		depth = indent_event(s, &took);
	if (style.json) {
		p = put_json_event(p, s);
		if (indent_on)
			p = put_json_depth(p, depth, took);
		p = out_text(p, took == TOOK_NONE ? "}\n" : "\"}\n");
	} else {
		p = out_room(columns_event(p, s, depth), ROOM);
		if (took != TOOK_NONE)
			p = put_took(out_text(p, " "), took);
		*p++ = '\n';
	}
	out_end(p);
}
