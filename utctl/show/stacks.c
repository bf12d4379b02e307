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
 * Call stacks by name: see stacks.h.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../json.h"
#include "../say.h"
#include "../sym/image.h"
#include "../sym/process.h"
#include "../sym/symbols.h"
#include "stacks.h"

static struct frame	 frames[STACK_MAX * DWARF_PLACES];
static struct map	 known;		/* one of all that are equal */

static size_t
put_frame(struct frame *f, const struct ctf_stream *s, uint64_t address,
    enum ctf_address kind)
{
	const struct mapping *m = symbols_mapping(s, address, kind);
	const struct place *p;
	size_t i, n = symbols_places(s, address, kind, &p);

	memset(f, 0, sizeof(*f));
	f->address = address;
	if (n == 0)
		return 1;
	for (i = 0; i < n; i++, p++, f++) {
		f->address = address;
		f->function = p->function;
		f->exact = p->exact;
		f->file = p->file;
		f->line = p->line;
		f->inlined = p->inlined;
		f->image = m == NULL ? NULL : m->image;
		f->module = p->exact != NULL || m == NULL ? NULL :
		    base_name(image_path(m->image));
	}
	return n;
}

size_t
stack_frames(const struct ctf_stream *s, const struct stack *st,
    const struct frame **list)
{
	size_t i, n = 0;

	*list = frames;
	for (i = 0; st != NULL && i < st->n; i++)
		n += put_frame(&frames[n], s, st->frames[i],
		    stack_kind(s, i));
	return n;
}

static char *
text_make(const struct frame *f)
{
	char *text, *shown, line[16];

	snprintf(line, sizeof(line), f->line == 0 ? "?" : "%u", f->line);
	text = f->function == NULL ? format("0x%" PRIx64, f->address) :
	    f->module == NULL ? format("%s", f->function) : f->file == NULL ?
	    format("%s (%s)", f->function, f->module) :
	    format("%s %s:%s (%s)", f->function, base_name(f->file), line,
	    f->module);
	shown = clean(text);
	free(text);
	return shown;
}

/* The one frame that is equal. */
static const struct frame *
frame_get(const struct frame *f)
{
	const uint64_t key = map_bytes(0, f, sizeof(*f));
	struct frame *mine = map_get(&known, key);

	if (mine != NULL)
		return mine;
	mine = xcalloc(1, sizeof(*mine));
	*mine = *f;
	mine->text = text_make(f);
	map_put(&known, key, mine);
	return mine;
}

void
frames_free(void)
{
	struct frame *f;
	size_t i;

	for (i = 0; i < known.cap; i++)
		if ((f = known.v[i].value) != NULL) {
			free(f->text);
			free(f);
		}
	map_free(&known);
}

static struct site *
site_new(struct sites *ss, const struct ctf_stream *s, const struct stack *st)
{
	const struct frame *list;
	struct frame f;
	size_t i, n = stack_frames(s, st, &list);
	struct site *site = xcalloc(1, sizeof(*site) + n * sizeof(list));

	ss->v = xgrow(ss->v, ss->n, &ss->room, sizeof(*ss->v));
	site->stack = st;
	site->number = (uint32_t)ss->n;
	site->n = n;
	for (i = 0; i < n; i++) {
		f = list[i];
		if (ss->functions) {
			f.file = NULL;
			f.line = 0;
		}
		site->frames[i] = frame_get(&f);
	}
	return ss->v[ss->n++] = site;
}

struct site *
site_get(struct sites *ss, const struct ctf_stream *s, uint64_t modules)
{
	const struct stack *st = stack_of(s);
	struct site *site;
	uint64_t key;

	if (st == NULL)
		return NULL;
	key = map_bytes(modules, &st, sizeof(st));
	if ((site = map_get(&ss->map, key)) == NULL) {
		site = site_new(ss, s, st);
		map_put(&ss->map, key, site);
	}
	return site;
}

void
sites_free(struct sites *ss)
{
	while (ss->n > 0)
		free(ss->v[--ss->n]);
	free(ss->v);
	ss->v = NULL;
	ss->room = 0;
	map_free(&ss->map);
}

/* Functions without a name are told apart by their calls. */
uint64_t
frame_function(const struct frame *f)
{
	return f->function == NULL ? f->address :
	    map_bytes((uintptr_t)f->function, &f->image, sizeof(f->image));
}

/*
 * Names of frames.
 */

int
frame_is(const struct frame *a, const struct frame *b)
{
	return a == b || (a->function != NULL && a->function == b->function &&
	    a->image == b->image && a->file == b->file && a->line == b->line);
}

const char *
frame_file(const struct frame *f)
{
	return base_name(f->file);
}

const char *
frame_text(const struct frame *f, char *buf)
{
	cut_text(buf, FRAME_TEXT, f->text);
	return buf;
}

void
frame_json(const struct frame *f)
{
	json_address("caller", f->address);
	json_string("caller_sym", f->function);
	if (f->file != NULL)
		json_string("file", f->file);
	if (f->file != NULL && f->line != 0)
		json_u64("line", f->line);
	if (f->module != NULL)
		json_string("module", f->module);
}

void
site_json(const struct site *site)
{
	size_t i;

	json_array("stack");
	for (i = 0; i < site->n; i++) {
		json_object(NULL);
		frame_json(site->frames[i]);
		json_end();
	}
	json_end();
}

char *
site_text(const struct site *site, size_t from)
{
	size_t i, n = 1;
	char *text, *p;

	for (i = from; i < site->n; i++)
		n += strlen(site->frames[i]->text) + 3;
	text = p = xcalloc(1, n);
	for (i = from; i < site->n; i++)
		p += sprintf(p, "%s%s", i == from ? "" : " < ",
		    site->frames[i]->text);
	return text;
}
