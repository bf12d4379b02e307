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
 * utctl export -F pprof: profile.proto of the pprof project, not compressed.
 * go tool pprof, speedscope, Pyroscope and Parca read it.
 *
 * Samples are written as they come, with the messages that they need in front
 * of them, and all texts last.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../held/weigh.h"
#include "../say.h"
#include "../sym/image.h"
#include "export.h"
#include "proto.h"

/* The numbers of fields; each first letter is that of the message. */
enum {
	P_SAMPLE_TYPE = 1, P_SAMPLE, P_MAPPING, P_LOCATION, P_FUNCTION,
	P_STRING,
	V_TYPE = 1, V_UNIT,
	S_LOCATION = 1, S_VALUE, S_LABEL,
	B_KEY = 1, B_STR,
	M_ID = 1, M_FILENAME = 5, M_BUILD_ID, M_HAS_FUNCTIONS,
	L_ID = 1, L_MAPPING, L_ADDRESS, L_LINE,
	N_FUNCTION = 1, N_LINE,
	F_ID = 1, F_NAME, F_SYSTEM_NAME, F_FILENAME
};

#define SAMPLED	(WEIGH_WAIT + 1)	/* instead of a weight */

struct pprof {
	enum weight	 weight;
	struct ids	 strings, functions, locations, mappings;
	char		**texts;		/* by number */
	size_t		 room;
	uint64_t	 program;		/* the label's key */
};

/* The number of a text: 0 is the empty one. */
static uint64_t
string_get(struct pprof *p, const char *s)
{
	uint64_t id;

	if (s == NULL || *s == '\0' ||
	    !id_get(&p->strings, map_bytes(0, s, strlen(s)), &id))
		return s == NULL || *s == '\0' ? 0 : id;
	p->texts = xgrow(p->texts, id, &p->room, sizeof(*p->texts));
	p->texts[id] = format("%s", s);
	return id;
}

static uint64_t
function_get(struct pprof *p, const struct frame *f)
{
	const uint64_t name = string_get(p, f->function);
	const uint64_t key[] = { name, string_get(p, f->file) };
	static struct message m;
	uint64_t id;

	if (!id_get(&p->functions, map_bytes(0, key, sizeof(key)), &id))
		return id;
	put_number(&m, F_ID, id);
	put_number(&m, F_NAME, name);
	put_number(&m, F_SYSTEM_NAME, name);
	put_number(&m, F_FILENAME, key[1]);
	write_message(P_FUNCTION, &m);
	return id;
}

static uint64_t
mapping_get(struct pprof *p, const struct image *im)
{
	static struct message m;
	char hex[2 * ELF_IDMAX + 1];
	uint64_t id;

	if (im == NULL || !id_get(&p->mappings, (uintptr_t)im, &id))
		return im == NULL ? 0 : id;
	image_id(im, hex);
	put_number(&m, M_ID, id);
	put_number(&m, M_FILENAME, string_get(p, image_path(im)));
	put_number(&m, M_BUILD_ID, string_get(p, hex));
	put_number(&m, M_HAS_FUNCTIONS, 1);
	write_message(P_MAPPING, &m);
	return id;
}

/* A place: the functions that are inlined there, and the one that has them. */
static uint64_t
location_get(struct pprof *p, const struct frame *const *f, size_t n)
{
	static struct message m, line;
	uint64_t id;
	size_t i;

	if (!id_get(&p->locations, map_bytes(0, f, n * sizeof(*f)), &id))
		return id;
	put_number(&m, L_ID, id);
	put_number(&m, L_MAPPING, mapping_get(p, f[n - 1]->image));
	put_number(&m, L_ADDRESS, f[0]->address);
	for (i = 0; i < n && f[i]->function != NULL; i++) {
		put_number(&line, N_FUNCTION, function_get(p, f[i]));
		put_number(&line, N_LINE, f[i]->line);
		put_message(&m, L_LINE, &line);
	}
	write_message(P_LOCATION, &m);
	return id;
}

static void
put_sample(void *arg, const char *program, const struct site *site,
    const uint64_t *values)
{
	static const size_t counts[] = { [WEIGH_EVENTS] = 1,
	    [WEIGH_BLOCKS] = 4, [WEIGH_BYTES] = 4, [WEIGH_TIME] = 2,
	    [WEIGH_WAIT] = 2 };
	static struct message m, label;
	struct pprof *p = arg;
	size_t i, n;

	for (i = 0; i < site->n; i += n) {
		for (n = 1; i + n < site->n &&
		    site->frames[i + n - 1]->inlined; n++)
			continue;
		put_number(&m, S_LOCATION,
		    location_get(p, &site->frames[i], n));
	}
	for (i = 0; i < counts[p->weight] + (p->weight == WEIGH_EVENTS &&
	    weigh_sampled()); i++)
		put_number(&m, S_VALUE, values[i]);
	put_number(&label, B_KEY, p->program);
	put_number(&label, B_STR, string_get(p, program));
	put_message(&m, S_LABEL, &label);
	write_message(P_SAMPLE, &m);
}

/* Write the names of the values of a sample. */
static void
put_types(struct pprof *p)
{
	static const char *const types[][8] = {
	    [WEIGH_EVENTS] = { "events", "count" },
	    [WEIGH_BLOCKS] = { "inuse_objects", "count", "inuse_space",
	    "bytes", "alloc_objects", "count", "alloc_space", "bytes" },
	    [WEIGH_WAIT] = { "contentions", "count", "delay", "nanoseconds" },
	    [SAMPLED] = { "events", "count", "cpu", "nanoseconds" }
	};
	const enum weight w = p->weight;
	const size_t which = w == WEIGH_BYTES ? WEIGH_BLOCKS :
	    weigh_sampled() ? SAMPLED : w == WEIGH_TIME ? WEIGH_WAIT : w;
	static struct message m;
	size_t i;

	for (i = 0; i < 8 && types[which][i] != NULL; i += 2) {
		put_number(&m, V_TYPE, string_get(p, types[which][i]));
		put_number(&m, V_UNIT, string_get(p, types[which][i + 1]));
		write_message(P_SAMPLE_TYPE, &m);
	}
}

static void
put_strings(struct pprof *p)
{
	static struct message m;
	size_t i;

	for (i = 0; i <= p->strings.n; i++) {
		put_utf8(&m, P_STRING, i == 0 ? "" : p->texts[i],
		    i == 0 ? 0 : strlen(p->texts[i]));
		(void)fwrite(m.v, m.n, 1, stdout);
		m.n = 0;
		if (i > 0)
			free(p->texts[i]);
	}
	free(p->texts);
}

int
export_pprof(struct reader *rd, struct reader_dir *dirs, struct pairs *ps,
    enum weight w)
{
	struct pprof p;
	int status;

	memset(&p, 0, sizeof(p));
	p.weight = w;
	p.program = string_get(&p, "program");
	status = weigh(w, rd, dirs, ps, put_sample, &p);
	put_types(&p);
	put_strings(&p);
	map_free(&p.strings.map);
	map_free(&p.functions.map);
	map_free(&p.locations.map);
	map_free(&p.mappings.map);
	return status;
}
