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
 * The size of a session (create -M) is divided into eight.  A chunk has one,
 * which is divided among its traces as they grow; what was carried into it
 * counts besides.  What is in archives/ has all but what the chunk that ended,
 * the current one and the next one need, and one to spare: a trace that begins
 * anew keeps what it was allowed.  Nothing is allowed that all together do not
 * leave.  What a trace was allowed is in the saved state before its consumer is
 * told, and never taken back.
 */

#include "trace.h"

/* Bytes that the chunks of the session may have, each; 0: any. */
uint64_t
bound_chunk(const struct session *s)
{
	return s->max / BOUND_PARTS;
}

/* Bytes that may be in archives/ when the chunk that ended comes there. */
uint64_t
bound_archives(const struct session *s)
{
	const struct rotation *ro = &s->rotation;
	const uint64_t chunk = bound_chunk(s);
	const uint64_t others = ro->ended + ro->held + 2 * chunk +
	    (ro->allowed > chunk ? ro->allowed : chunk);

	return others < s->max ? s->max - others : 0;
}

/* Bytes that nothing may have yet. */
static uint64_t
bound_rest(const struct session *s)
{
	const struct rotation *ro = &s->rotation;
	const uint64_t all = ro->stored + ro->ended + ro->held + ro->allowed;

	return all < s->max ? s->max - all : 0;
}

/*
 * Has the current chunk so much that the next one should begin?  Or does what
 * was carried leave so little that older chunks should be removed?
 */
bool
bound_near(const struct session *s)
{
	const uint64_t chunk = bound_chunk(s);

	return s->max != 0 && (s->rotation.allowed > chunk / 4 * 3 ||
	    (bound_rest(s) < chunk / 4 && s->rotation.stored > chunk / 4));
}

void
bound_end(struct session *s)
{
	struct rotation *ro = &s->rotation;

	ro->ended = ro->allowed + ro->held;
	ro->allowed = ro->held = 0;
}

/* The trace is a part of the current chunk from here on. */
void
bound_carry(const struct trace *t)
{
	struct rotation *ro = &t->session->rotation;

	ro->ended -= ro->ended < t->limit ? ro->ended : t->limit;
	ro->held += t->limit;
	state_changed(&t->session->saved);
}

/* The chunk that ended is in archives/ now, or gone. */
void
bound_place(struct session *s, bool there)
{
	struct rotation *ro = &s->rotation;

	if (there && s->max != 0) {
		ro->stored = bound_archives(s) + ro->ended;
		ro->most = ro->most < ro->ended ? ro->ended : ro->most;
	}
	ro->ended = 0;
	state_changed(&s->saved);
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
	if (more > bound_rest(t->session))
		more = bound_rest(t->session);
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
