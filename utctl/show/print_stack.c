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
 * The call stack of an event, for view -o stack: a line for each frame, and for
 * each function that was inlined there, or the members of an array in JSON.
 */

#include "../ctf/ctf_stack.h"
#include "../sym/symbols.h"
#include "print.h"
#include "stacks.h"

static char *
put_words(char *p, const char *s)
{
	const struct symbol text = { .text = (char *)(uintptr_t)s };

	return out_room(put_symbol(p, &text), ROOM);
}

/* function file:line (module), or the number of the address. */
static char *
put_place(char *p, const struct frame *f)
{
	p = out_room(p, ROOM);
	if (f->function == NULL)
		return put_hex(p, f->address);
	p = put_words(p, f->exact != NULL ? f->exact : f->function);
	if (f->file != NULL) {
		*p++ = ' ';
		p = put_words(p, frame_file(f));
		*p++ = ':';
		p = f->line == 0 ? out_text(p, "?") : ctf_put_u64(p, f->line);
	}
	if (f->module != NULL) {
		p = put_words(out_text(p, " ("), f->module);
		*p++ = ')';
	}
	return f->inlined ? out_text(p, " inlined") : p;
}

static char *
put_object(char *p, const struct frame *f)
{
	p = put_hex(out_text(out_room(p, ROOM), "{\"address\":\""),
	    f->address);
	*p++ = '"';
	p = put_member(p, ",\"name\":\"", f->exact != NULL ? f->exact :
	    f->function);
	p = put_member(p, ",\"file\":\"", f->file);
	p = out_room(p, ROOM);
	if (f->file != NULL && f->line != 0)
		p = ctf_put_u64(out_text(p, ",\"line\":"), f->line);
	p = put_member(p, ",\"module\":\"", f->module);
	return out_text(out_room(p, ROOM), f->inlined ?
	    ",\"inlined\":true}" : "}");
}

char *
put_stack(char *p, const struct ctf_stream *s)
{
	static const char *const ends[] = { NULL,
	    "    and callers beyond the depth that was recorded\n",
	    "    and callers that could not be found\n" };
	const struct stack *st = stack_of(s);
	const struct frame *f;
	size_t i, n = stack_frames(s, st, &f);

	for (i = 0; i < n; i++) {
		p = ctf_put_u64(out_text(out_room(p, ROOM), "    #"), i);
		*p++ = ' ';
		p = out_room(put_place(p, &f[i]), ROOM);
		*p++ = '\n';
	}
	p = out_room(p, ROOM);
	return n == 0 || ends[st->end] == NULL ? p : out_text(p, ends[st->end]);
}

char *
put_json_stack(char *p, const struct ctf_stream *s)
{
	static const char *const ends[] = { "\"done\"", "\"depth\"",
	    "\"cut\"" };
	const struct stack *st = stack_of(s);
	const struct frame *f;
	size_t i, n = stack_frames(s, st, &f);

	p = out_room(p, ROOM);
	if (n == 0)
		return p;
	p = out_text(p, ",\"stack\":[");
	for (i = 0; i < n; i++) {
		if (i > 0)
			*p++ = ',';
		p = out_room(put_object(p, &f[i]), ROOM);
	}
	return out_text(out_text(p, "],\"stack_end\":"), ends[st->end]);
}
