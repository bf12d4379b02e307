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
 * The size of a session (create -M) is divided into eight: what is in archives/
 * has four before one is added, and a chunk one, so that there is room for the
 * chunk that ends, the next one, and what is carried into each of them.  A
 * chunk's part is divided among its traces as they grow.  What a trace was
 * allowed is in the saved state before its consumer is told, and never taken
 * back.
 */

#include "trace.h"

/* Bytes that the chunks of the session may have, each; 0: any. */
uint64_t
bound_chunk(const struct session *s)
{
	return s->max / BOUND_PARTS;
}

/* Has the current chunk so much that the next one should begin? */
bool
bound_near(const struct session *s)
{
	return s->max != 0 && s->rotation.allowed > bound_chunk(s) / 4 * 3;
}

/*
 * UT_C_FULL: allow more, as long as the chunk has it, and enough that a trace
 * which grows need not ask often.  The session is told; or NULL.
 */
struct session *
trace_full(const struct consumer *c, uint32_t id, uint64_t want)
{
	struct trace *t = trace_by_id(id);
	static struct ut_msg out;
	struct rotation *ro;
	uint64_t chunk, more = 0;

	if (t == NULL || t->consumer != c || t->session->max == 0)
		return NULL;
	ro = &t->session->rotation;
	chunk = bound_chunk(t->session);
	if (want > chunk && t->limit == 0)
		session_blame(t->session, t->uid, "a chunk of %llu bytes has "
		    "no room for the metadata of uid %lu: see create -M",
		    (unsigned long long)chunk, (unsigned long)t->uid);
	if (want > chunk)
		want = chunk;
	if (t->chunk == ro->chunk && ro->allowed < chunk)
		more = (want > t->limit ? want - t->limit : 0) +
		    (want < chunk / 8 ? want : chunk / 8);
	if (t->chunk == ro->chunk && more > chunk - ro->allowed)
		more = chunk - ro->allowed;
	if (more > 0) {
		t->limit += more;
		ro->allowed += more;
		state_changed(&t->saved);
		state_changed(&t->session->saved);
		state_save();
	}
	ut_msg_init(&out, UT_C_LIMIT, t->id, 0);
	ut_msg_u64(&out, t->limit);
	consumer_send(t->consumer, &out);
	return t->session;
}
