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

#include <stdlib.h>
#include <string.h>

#include "../say.h"
#include "../sym/image.h"
#include "../sym/process.h"
#include "../sym/symbols.h"
#include "stacks.h"

#define INLINED	16		/* functions in one place, and no more */

static struct frame	 frames[STACK_MAX * INLINED];

/* The file's name; NULL: the function is called by it. */
static const char *
module_of(const struct ctf_stream *s, uint64_t address, enum ctf_address kind)
{
	const struct mapping *m = symbols_mapping(s, address, kind);
	const char *path = m == NULL ? NULL : image_path(m->image);
	const char *slash = path == NULL ? NULL : strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* Is the function called file+0x1234? */
static int
is_nameless(const char *function, const char *module)
{
	const size_t n = strlen(module);

	return strncmp(function, module, n) == 0 &&
	    strncmp(function + n, "+0x", 3) == 0;
}

static size_t
put_frame(struct frame *f, const struct ctf_stream *s, uint64_t address,
    enum ctf_address kind)
{
	const struct place *p;
	const char *module;
	size_t i, n = symbols_places(s, address, kind, &p);

	memset(f, 0, sizeof(*f));
	f->address = address;
	if (n == 0)
		return 1;
	module = module_of(s, address, kind);
	n = n < INLINED ? n : INLINED;
	for (i = 0; i < n; i++, p++, f++) {
		f->address = address;
		f->function = p->function;
		f->file = p->file;
		f->line = p->line;
		f->inlined = p->inlined;
		f->module = module == NULL ||
		    is_nameless(p->function, module) ? NULL : module;
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
