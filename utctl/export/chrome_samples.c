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
 * The samples of threads for utctl export -F chrome, as the processor profiler
 * of V8 writes them: Perfetto and the Firefox Profiler read that.
 *
 * A thread has a profile of its own, which begins with an event.  Each sample
 * is another event, with those nodes of the tree that are new.
 */

#include <stdlib.h>
#include <string.h>

#include "../map.h"
#include "../say.h"
#include "../show/print.h"
#include "chrome_samples.h"

static struct map nodes;	/* IDs, by profile, parent and function */

static char *
put_profile(char *p, const struct samples *sm, const char *name)
{
	p = out_text(p, ",\"cat\":\"disabled-by-default-v8.cpu_profiler\",");
	p = ctf_put_u64(out_text(p, "\"id\":\"0x"), sm->id);
	return out_text(out_text(out_text(p, "\",\"name\":\""), name),
	    "\",\"args\":{\"data\":{");
}

char *
samples_begin(char *p, struct samples *sm, uint64_t id, int64_t us)
{
	sm->id = id;
	sm->us = us;
	p = ctf_put_i64(out_text(put_profile(p, sm, "Profile"),
	    "\"startTime\":"), us);
	return out_text(p, "}}}");
}

static char *
put_node(char *p, uint64_t id, uint64_t parent, const struct frame *f)
{
	char text[32], *end;

	p = ctf_put_u64(out_text(out_room(p, ROOM), "{\"id\":"), id);
	if (parent != 0)
		p = ctf_put_u64(out_text(p, ",\"parent\":"), parent);
	p = out_text(p, ",\"callFrame\":{\"codeType\":\"other\","
	    "\"scriptId\":0,\"functionName\":");
	end = f->function == NULL ? put_hex(text, f->address) : text;
	p = f->function != NULL ? put_string(p, (const uint8_t *)f->function,
	    strlen(f->function)) :
	    put_string(p, (const uint8_t *)text, (size_t)(end - text));
	if (f->module != NULL)
		p = put_string(out_text(out_room(p, ROOM), ",\"url\":"),
		    (const uint8_t *)f->module, strlen(f->module));
	return out_text(out_room(p, ROOM), "}}");
}

char *
samples_add(char *p, struct samples *sm, const struct site *site, int64_t us)
{
	uint64_t key[3] = { sm->id, 0, 0 }, k;
	const char *comma = "";
	uintptr_t id = 0;
	size_t i;

	p = out_text(put_profile(p, sm, "ProfileChunk"),
	    "\"cpuProfile\":{\"nodes\":[");
	for (i = site->n; i > 0; i--) {
		key[1] = id;
		key[2] = frame_function(site->frames[i - 1]);
		k = map_bytes(0, key, sizeof(key));
		if ((id = (uintptr_t)map_get(&nodes, k)) != 0)
			continue;
		id = ++sm->nnodes;
		map_put(&nodes, k, (void *)id);
		p = put_node(out_text(out_room(p, ROOM), comma), id, key[1],
		    site->frames[i - 1]);
		comma = ",";
	}
	p = ctf_put_u64(out_text(out_room(p, ROOM), "],\"samples\":["), id);
	p = ctf_put_i64(out_text(p, "]},\"timeDeltas\":["), us - sm->us);
	sm->us = us;
	return out_text(p, "]}}}");
}

void
samples_free(void)
{
	map_free(&nodes);
}
