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
 * The packets of a smaller trace.
 *
 * A packet of which all events are selected is copied.  One of which some are
 * begins with a copy of the packet's header and context, in which only sizes,
 * times and counts are written anew.  An event's bytes are copied as well: they
 * mean the same at each place that is as far from a multiple of the event's
 * largest alignment.  Elsewhere the header, the contexts and the fields move
 * apart.
 *
 * Readers make out the whole time of an event from the one before.  If that one
 * is left out, and more than these bits can tell lies between, the packet ends
 * and another begins, which has the time in its context.
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../say.h"
#include "export.h"
#include "export_packet.h"

#define LEB_MOST	9	/* bytes of LEB128: babeltrace2 takes no more */

static void
head_read(struct packet *p)
{
	const struct ctf_stream *in = p->in;
	int i;

	for (i = 0; i < ROLE_MAX; i++)
		if (packet_has(p, (enum ctf_role)i))
			p->at[i] = 8 * (in->off - in->pkt + (uint64_t)
			    (p->vals.at[i] - in->buf)) + p->vals.bit[i];
	p->headlen = 8 * (in->off - in->pkt + in->pos) + in->bit;
	p->outlen = p->headlen;
	free(p->head);
	p->head = xcalloc(1, (size_t)p->headlen / 8 + 1 + ROLE_MAX * LEB_MOST);
	memcpy(p->head, bits_in(p, 0, (size_t)(p->headlen + 7) / 8),
	    (size_t)(p->headlen + 7) / 8);
}

/*
 * Numbers of LEB128 get room for whatever may be written there: groups of 7
 * bits that are 0.  What stands behind them keeps its alignment.
 */
static void
head_widen(struct packet *p)
{
	const uint64_t step = p->in->class->packet == NULL ||
	    p->in->class->packet->most < 8 ? 1 :
	    p->in->class->packet->most / 8;
	uint64_t at, n, more;
	int i, k;

	for (i = ROLE_BEGIN; i <= ROLE_DISCARDED; i++) {
		if (!packet_has(p, (enum ctf_role)i) || !p->vals.type[i]->leb)
			continue;
		at = p->at[i] / 8;
		for (n = 1; p->head[at + n - 1] & 0x80; n++)
			continue;
		if (n >= LEB_MOST || (more = (LEB_MOST - n) / step * step) == 0)
			continue;
		memmove(p->head + at + n + more, p->head + at + n,
		    (size_t)((p->outlen + 7) / 8 - at - n));
		memset(p->head + at + n - 1, 0x80, (size_t)more);
		p->head[at + n + more - 1] = 0;
		for (k = 0; k < ROLE_MAX; k++)
			if (p->at[k] > p->at[i])
				p->at[k] += 8 * more;
		p->outlen += 8 * more;
	}
}

/* The time, for who has read what was written so far. */
static uint64_t
time_so_far(const struct packet *p)
{
	return !packet_has(p, ROLE_BEGIN) && p->endcycles > p->cycles ?
	    p->endcycles : p->cycles;
}

/* When the packet that is read begins. */
static uint64_t
begin_read(const struct packet *p)
{
	return packet_has(p, ROLE_BEGIN) ? p->vals.val[ROLE_BEGIN] :
	    time_so_far(p);
}

/* The packet in which the stream is. */
void
packet_read(struct packet *p, const struct ctf_stream *s)
{
	const struct ctf_sclass *sc = s->class;
	struct ctf_stream *in = p->in;

	p->open = 1;
	if (in->class != sc)
		p->big = bits_order(s->trace, sc);
	in->class = sc;
	in->pkt = s->pkt;
	in->vals = s->vals;
	in->basecap = 2 * BITS_BLOCK;
	p->size = s->nextpkt - s->pkt;
	p->limit = 8 * (s->last - s->pkt) + s->lastbit;
	ctf_window_seek(in, in->pkt);
	ctf_window_limit(in, s->nextpkt);
	if (ctf_stream_struct(in, s->trace->header, &p->vals) == -1 ||
	    ctf_stream_struct(in, sc->packet, &p->vals) == -1)
		die("%s: the file became shorter", in->path);
	if (p->vals.val[ROLE_END] == 0)		/* a crash left it so */
		p->vals.has &= ~((uint32_t)1 << ROLE_END);
	head_read(p);
	head_widen(p);
	p->from = p->to = p->headlen;
	p->pos = p->outlen;
	p->begin = begin_read(p);
	p->end = p->ends = packet_has(p, ROLE_END) ? s->endcycles : 0;
	/* Without an end, the begin tells when the next packet's loss began. */
	p->early = packet_has(p, ROLE_BEGIN) && packet_has(p, ROLE_END) &&
	    sc->beginbits == 64 && ctf_ns(sc->clock, p->begin) < s->since;
	p->late = sc->endclock == sc->clock && s->end > s->until;
	p->run = 1;
	p->told = p->soon = p->whole = 0;
	p->count = p->lost = p->discarded = 0;
}

/* Write the value as the one is that was read. */
static void
head_set(struct packet *p, enum ctf_role role, uint64_t v)
{
	const struct ctf_type *t = p->vals.type[role];

	if (!packet_has(p, role))
		return;
	if (role == ROLE_BEGIN || role == ROLE_END)
		v &= UINT64_MAX >> (64 - t->bits);
	if (!bits_number(p->head, p->at[role], t, v))
		die("%s: packet at byte %llu: its context has no room for "
		    "%llu: select by -b and -u alone", p->in->path,
		    (unsigned long long)p->in->pkt, (unsigned long long)v);
}

/* A count of few bits begins anew at 0, for readers that know: count_grew(). */
static void
head_count(struct packet *p, enum ctf_role role, uint64_t grew, uint64_t v)
{
	uint64_t mask;

	if (!packet_has(p, role))
		return;
	mask = UINT64_MAX >> (64 - p->vals.type[role]->bits);
	head_set(p, role, grew <= mask >> (mask >= UINT32_MAX) ? v & mask : v);
}

/*
 * Packets.
 */

static void
packet_begin(struct packet *p)
{
	if (p->out == NULL)
		p->out = export_dir_file(p->path);
	p->begun = 1;
	p->start = ftello(p->out);
	p->part = p->head[p->outlen / 8];
	bits_put_bytes(p, p->head, (size_t)(p->outlen / 8));
}

/* Copy what waits. */
static void
run_flush(struct packet *p)
{
	if (!p->begun)
		packet_begin(p);
	bits_copy(p, p->from, p->to);
	p->from = p->to;
}

/*
 * The head tells what is known at the end.  The first packet's counts tell of
 * nothing before.
 */
static void
packet_end(struct packet *p)
{
	const struct ctf_sclass *sc = p->in->class;
	struct row *r = p->row;
	const size_t n = (size_t)(p->outlen + 7) / 8;
	const uint64_t seq = r->seq, discarded = r->discarded;
	uint64_t content;
	int sizes;

	run_flush(p);
	content = p->whole ? p->limit : p->pos;
	bits_align(p, 8);
	sizes = packet_has(p, ROLE_CONTENT) + packet_has(p, ROLE_PACKET);
	if ((sizes < 2 && content != p->pos) || (sizes == 0 && p->start != 0))
		die("%s: has no sizes of packets, and cannot be cut so",
		    p->in->path);
	if (r->trace != NULL)
		r->seq += 1 + p->lost;
	r->trace = p->in->trace;
	if (!p->open || p->soon) {
		r->discarded += p->discarded;
		p->discarded = 0;
	}
	r->read = p->vals.val[ROLE_DISCARDED];
	r->end = packet_has(p, ROLE_END) ? ctf_ns(sc->endclock, p->end) :
	    ctf_ns(sc->clock, p->begin);
	head_count(p, ROLE_SEQ, r->seq - seq, r->seq);
	head_count(p, ROLE_DISCARDED, r->discarded - discarded, r->discarded);
	head_set(p, ROLE_PACKET, p->pos);
	head_set(p, ROLE_CONTENT, content);
	head_set(p, ROLE_BEGIN, p->begin);
	head_set(p, ROLE_END, p->end);
	if (fflush(p->out) == EOF ||
	    pwrite(fileno(p->out), p->head, n, p->start) != (ssize_t)n)
		export_dir_die(p->path);
	p->endcycles = p->end;
	p->begun = 0;
	p->run = p->to == p->headlen;
	p->count = p->lost = 0;
	p->end = p->ends;
	p->pos = p->outlen;
}

/* The first value of the clock at that time. */
static uint64_t
cycles_at(const struct ctf_clock *cl, int64_t ns)
{
	uint64_t lo = 0, hi = INT64_MAX, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (ctf_ns(cl, mid) < ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * A packet without events, in front of what was lost before this one.
 * babeltrace2 turns the order of two that begin together: it begins earlier.
 */
static void
empty_put(struct packet *p, uint64_t begin, uint64_t end)
{
	const uint64_t lost = p->lost, discarded = p->discarded;

	p->lost = p->discarded = 0;
	p->begin = begin - (begin > 0 && packet_has(p, ROLE_END));
	p->end = end;
	packet_end(p);
	if (packet_has(p, ROLE_BEGIN) && p->begin > p->cycles)
		p->cycles = p->begin;
	p->begin = begin_read(p);
	p->lost = lost;
	p->discarded = discarded;
}

/*
 * Packets begin, or end, with so few bits of the time that this one would be
 * taken for an earlier one: others carry the time on.  In the trace that is
 * read, something did in each of these intervals, and took some bytes.
 */
static void
carry(struct packet *p, uint64_t now)
{
	const struct ctf_sclass *sc = p->in->class;
	const int begins = packet_has(p, ROLE_BEGIN);
	const uint32_t bits = begins ? sc->beginbits : sc->endbits;
	uint64_t mask, at = time_so_far(p);

	if ((!begins && !packet_has(p, ROLE_END)) ||
	    (now < at && (!begins || bits < 64)))
		die("%s: packets do not tell when they begin, and what is left "
		    "of them would have other times: select by -u alone",
		    p->in->path);
	mask = UINT64_MAX >> (64 - bits);
	for (; now > at && now - at > mask; at = time_so_far(p)) {
		if (p->carried++ > p->in->size)
			die("%s: the times of packets are too far apart",
			    p->in->path);
		empty_put(p, at + mask, at + mask);
	}
}

/*
 * Counts go on from trace to trace of one UUID.  Who reads a trace alone would
 * take the count of its first packet for a loss, if that packet lasts: one that
 * does not last comes first, as LTTng begins its chunks.
 */
static void
row_begin(struct packet *p, uint64_t begin)
{
	const struct ctf_sclass *sc = p->in->class;

	if (p->row->trace != p->in->trace && !p->told &&
	    p->row->discarded > 0 && packet_has(p, ROLE_BEGIN) &&
	    packet_has(p, ROLE_END) && sc->endclock == sc->clock &&
	    begin > 1 && ctf_ns(sc->clock, begin - 2) >= p->row->end)
		empty_put(p, begin - 1, begin - 2);
}

void
packet_empty(struct packet *p, int64_t ns)
{
	const uint64_t begin = cycles_at(p->in->class->clock, ns);

	row_begin(p, begin);
	if (packet_has(p, ROLE_BEGIN) && p->in->class->beginbits < 64 &&
	    begin > p->cycles)
		carry(p, begin);
	empty_put(p, begin, cycles_at(p->in->class->endclock, ns));
}

/*
 * In our own traces, a packet that lasts, has no event and tells of none that
 * were discarded, says that nothing was recorded meanwhile.
 */
void
packet_done(struct packet *p)
{
	if (!p->open)
		return;
	p->open = 0;
	if (!p->told && p->count == 0)
		return;
	if (!p->begun && p->from == p->headlen && p->to == p->limit &&
	    p->outlen == p->headlen && (!packet_has(p, ROLE_BEGIN) ||
	    p->begin == p->vals.val[ROLE_BEGIN] || p->early)) {
		p->whole = 1;
		if (p->early)
			p->begin = p->vals.val[ROLE_BEGIN];
		p->to = 8 * p->size;
	} else if (p->late && !p->told)
		p->end = p->cycles;
	else if (p->in->trace->ours && p->count == 0 && p->lost > 0 &&
	    p->discarded == 0)
		p->end = p->begin;
	packet_end(p);
}

/*
 * Events.
 */

/* The time of these low bits, for who has read the time before. */
static uint64_t
time_read(uint64_t before, uint64_t v, uint32_t bits)
{
	if (bits != 0)
		ctf_clock_update(&before, v, UINT64_MAX >> (64 - bits));
	return before;
}

/* The bits of time in the header of the event there. */
static uint32_t
time_bits(struct packet *p, const struct ctf_sclass *sc, uint64_t from,
    uint64_t to)
{
	struct ctf_cur cur;
	struct ctf_vals v;

	v.has = 0;
	bits_cur(p, &cur, from, to);
	if (sc->header != NULL)
		(void)ctf_walk(&cur, sc->header, &v);
	return v.has & 1 << ROLE_TIME ? v.timebits : 0;
}

/* Does the time of the packet's first event follow from when it begins? */
static int
first_follows(const struct packet *p, uint64_t now, uint32_t bits)
{
	uint64_t t = time_so_far(p);

	if (packet_has(p, ROLE_BEGIN))
		t = time_read(t, p->vals.val[ROLE_BEGIN],
		    p->in->class->beginbits);
	return time_read(t, now, bits) == now;
}

/* If it does not, the packet before ends then, or this one begins then. */
static void
first_time(struct packet *p, uint64_t now, uint32_t bits, int again)
{
	int follows = !again && first_follows(p, now, bits);

	if (!follows) {
		carry(p, now);
		follows = !again && first_follows(p, now, bits);
	}
	if (!follows && !packet_has(p, ROLE_BEGIN))
		empty_put(p, now, now);
	p->begin = !follows || (p->early && !p->told) ? now :
	    begin_read(p);
}

/* Will who reads it know the event's time? */
static void
event_time(struct packet *p, uint64_t now, uint32_t bits)
{
	int again = 0;

	if (p->count > 0 && time_read(p->cycles, now, bits) != now) {
		p->end = p->cycles;
		packet_end(p);
		again = 1;
	}
	if (p->count == 0)
		first_time(p, now, bits, again);
	p->cycles = now;
	p->count++;
}

void
packet_event(struct packet *p, const struct ctf_stream *s)
{
	const struct ctf_type *parts[BITS_PARTS] = { s->class->header,
	    s->class->context, s->event->context, s->event->fields };
	const uint64_t from = 8 * (s->at - s->pkt) + s->atbit;
	const uint64_t to = 8 * (s->off + s->pos - s->pkt) + s->bit;
	uint64_t align = 1, most = 1;
	struct ctf_cur cur;
	size_t i;

	for (i = BITS_PARTS; i-- > 0;)
		if (parts[i] != NULL) {
			most = parts[i]->most > most ? parts[i]->most : most;
			align = parts[i]->align;
		}
	if (p->count == 0)
		row_begin(p, p->begin);
	event_time(p, s->cycles, time_bits(p, s->class, from, to));
	if (p->run && from == p->to && (p->pos - p->from) % most == 0) {
		p->to = to;
		return;
	}
	run_flush(p);
	bits_align(p, align);
	p->from = bits_aligned(from, align);
	p->to = to;
	if ((p->run = (p->pos - p->from) % most == 0))
		return;
	bits_cur(p, &cur, from, to);
	for (i = 0; i < BITS_PARTS; i++)
		if (parts[i] != NULL)
			bits_move(p, &cur, parts[i]);
	p->from = to;
}
