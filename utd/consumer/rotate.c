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
 * Rotation: a region goes on in another trace, between two passes.
 *
 * All that is committed is written to the old trace; what comes then goes to
 * the new one, whose streams and numbers begin anew, so that each of the two
 * can be read without the other.  What could not be written, since there is no
 * room for metadata, waits in the region, and goes to the new trace.  In
 * overwrite mode a pass leaves some of what is full, and all that was delivered
 * since it began, so there are several.
 *
 * The parent saves that the region goes on in the new trace before it says so.
 * Wherever we die, the next consumer finds the last packets in one of the two.
 */

#include "consumer.h"
#include "region.h"
#include "sink.h"

#define PASSES	8		/* programs may fill more all the time */

void
region_rotate(struct region *r, struct trace *to)
{
	struct sink *k;
	int passes;

	r->begun = region_now(r);
	region_look_files(r);
	for (passes = 0; passes < PASSES; passes++)
		if (!region_drain(r, DRAIN_ALL) &&
		    (!r->overwrites || passes > 0))
			break;
	region_check(r);
	k = r->sink;
	region_left_sink(r, k);
	r->sink = sink_new(r, to);
	r->sink->trouble = k->trouble;
	r->watched_bytes = 0;
	sink_free(k);
}
