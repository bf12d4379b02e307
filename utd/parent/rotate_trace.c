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
 * The regions of a trace go on in another one: its consumer is told so, and
 * told again, if it is a new one, until it has closed the trace before.
 */

#include "trace.h"

static struct ut_msg out;

/* The trace before is closed. */
static void
trace_moved(struct trace *t)
{
	struct region *r;

	for (r = t->regions; r != NULL; r = r->beside) {
		r->moved = false;
		region_watch(r);
		state_changed(&r->saved);
	}
	state_changed(&t->saved);
	trace_drop(t->before);
}

/* Bytes or packets in a chunk; none if there cannot be so many. */
static uint64_t
plausible(struct ut_msg *m)
{
	uint64_t n = 0;

	(void)count_grew(&n, ut_msg_get_u64(m));
	return n;
}

/* UT_C_ROTATE is answered. */
static void
got_rotated(uint32_t id, int error, struct ut_msg *m)
{
	struct trace *t = trace_by_id(id);
	struct region *r;
	struct channel *ch;
	uint64_t bytes;
	uint32_t n;

	if (t == NULL || t->before == NULL ||
	    (error != 0 && t->state == TRACE_FAILED))
		return;			/* asked for again later */
	for (n = error == 0 ? ut_msg_get_u32(m) : 0; n > 0; n--) {
		r = region_by_id(ut_msg_get_u32(m));
		if (m->bad || r == NULL || r->trace != t)
			break;
		ch = r->channel;
		r->told = ut_msg_get_u64(m);
		bytes = plausible(m);
		if (t->before->chunk != t->session->rotation.chunk)
			count_add(&ch->older, bytes);
		count_add(&ch->past.bytes, bytes);
		count_add(&ch->past.packets, plausible(m));
		r->counts.bytes = r->counts.packets = r->carried = 0;
		state_changed(&ch->saved);
	}
	trace_moved(t);
}

/* The consumer was given up: no other moves its regions. */
void
traces_moved(const struct consumer *c)
{
	struct trace *t = c->traces;

	while (t != NULL) {
		if (t->before == NULL) {
			t = t->beside;
			continue;
		}
		trace_moved(t);
		t = c->traces;
	}
}

/* The consumer has both traces: let it move the regions. */
void
trace_moving(struct trace *t)
{
	request_init(&out, UT_C_ROTATE, t->before->id, t->id);
	(void)consumer_ask(t->consumer, &out, got_rotated, t->id, NULL);
}
