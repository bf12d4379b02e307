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

#define BLOCK	65536
#define PARTS	4		/* an event has so many */

/* So many bytes of the packet that is read, from that one on. */
static const uint8_t *
in_bytes(struct packet *p, uint64_t at, size_t n)
{
	struct ctf_stream *in = p->in;

	ctf_window_seek(in, in->pkt + at);
	ctf_window_limit(in, in->pkt + at + n);
	while (in->fill - in->pos < n)
		if (!ctf_window_more(in))
			die("%s: the file became shorter", in->path);
	return in->buf + in->pos;
}

static void
in_cur(struct packet *p, struct ctf_cur *cur, uint64_t from, uint64_t to)
{
	const size_t n = (size_t)((to + 7) / 8 - from / 8);

	memset(cur, 0, sizeof(*cur));
	cur->p = in_bytes(p, from / 8, n);
	cur->end = cur->p + n;
	cur->bit = from % 8;
	cur->s = p->in;
}

/* Where the cursor is. */
static uint64_t
place(const struct packet *p, const struct ctf_cur *cur)
{
	return 8 * (p->in->off - p->in->pkt +
	    (uint64_t)(cur->p - p->in->buf)) + cur->bit;
}

/* The order of the first number that is no whole bytes; -1: there is none. */
static int
type_order(const struct ctf_type *t)
{
	int big = -1;
	size_t i;

	if (t == NULL || t->leb)
		return -1;
	if (t->bits != 0)
		return t->bits % 8 == 0 && t->align % 8 == 0 ? -1 : t->big;
	if (t->kind == CTF_ARRAY || t->kind == CTF_SEQ)
		return type_order(t->elem);
	for (i = 0; i < t->nfields && big == -1; i++)
		big = type_order(t->fields[i].type);
	return big;
}

/* How bits are counted in a class of streams: no byte has both orders. */
static int
class_order(const struct ctf_trace *tr, const struct ctf_sclass *sc)
{
	int big = type_order(tr->header);
	size_t i;

	if (big == -1)
		big = type_order(sc->packet);
	if (big == -1)
		big = type_order(sc->header);
	if (big == -1)
		big = type_order(sc->context);
	for (i = 0; i < sc->nevents && big == -1; i++) {
		big = type_order(sc->events[i]->context);
		if (big == -1)
			big = type_order(sc->events[i]->fields);
	}
	return big == -1 ? tr->big : big;
}

/* The time of these low bits, for who has read the time before. */
static uint64_t
time_read(uint64_t before, uint64_t v, uint32_t bits)
{
	const uint64_t mask = ((uint64_t)1 << bits % 64) - 1;

	if (bits == 64 || bits == 0)
		return bits == 0 ? before : v;
	v &= mask;
	return ((v < (before & mask) ? before + mask + 1 : before) & ~mask) |
	    v;
}

/* When the packet that is read begins, for who reads what is written. */
static uint64_t
begin_read(const struct packet *p)
{
	if (packet_has(p, ROLE_BEGIN))
		return time_read(p->cycles, p->vals.val[ROLE_BEGIN],
		    p->in->class->beginbits);
	return p->endcycles > p->cycles ? p->endcycles : p->cycles;
}

/* The packet in which the stream is. */
void
packet_read(struct packet *p, const struct ctf_stream *s)
{
	const struct ctf_sclass *sc = s->class;
	uint64_t n = 512;
	struct ctf_cur cur;
	int i;

	p->open = 1;
	if (p->in->class != sc)
		p->big = class_order(s->trace, sc);
	p->in->class = sc;
	p->in->pkt = s->pkt;
	p->in->vals = s->vals;
	p->in->basecap = 2 * BLOCK;
	p->size = s->nextpkt - s->pkt;
	p->limit = 8 * (s->last - s->pkt) + s->lastbit;
	do {
		n = 2 * n < p->size ? 2 * n : p->size;
		in_cur(p, &cur, 0, 8 * n);
		p->vals.has = 0;
	} while (((s->trace->header != NULL &&
	    ctf_walk(&cur, s->trace->header, &p->vals) == -1) ||
	    (sc->packet != NULL &&
	    ctf_walk(&cur, sc->packet, &p->vals) == -1)) && n < p->size);
	for (i = 0; i < ROLE_MAX; i++)
		if (packet_has(p, (enum ctf_role)i))
			p->at[i] = 8 * (uint64_t)(p->vals.at[i] -
			    (p->in->buf + p->in->pos)) + p->vals.bit[i];
	p->headlen = p->from = p->to = place(p, &cur);
	p->begin = begin_read(p);
	p->end = p->ends = packet_has(p, ROLE_END) ? s->endcycles : 0;
	/* Without an end, the begin tells when the next packet's loss began. */
	p->early = packet_has(p, ROLE_BEGIN) && packet_has(p, ROLE_END) &&
	    sc->beginbits == 64 && ctf_ns(sc->clock, p->begin) < s->since;
	p->late = sc->endclock == sc->clock && s->end > s->until;
	p->told = p->timed = 0;
	p->count = p->lost = p->discarded = 0;
}

/*
 * Bits and bytes.
 */

static void
bit_put(uint8_t *p, uint64_t at, int big, int bit)
{
	const uint8_t mask = (uint8_t)(big ? 0x80 >> at % 8 : 1 << at % 8);

	p[at / 8] = bit ? p[at / 8] | mask : p[at / 8] & (uint8_t)~mask;
}

static int
bit_get(const uint8_t *p, uint64_t at, int big)
{
	return p[at / 8] >> (big ? 7 - at % 8 : at % 8) & 1;
}

static void
out_bytes(struct packet *p, const void *from, size_t n)
{
	if (n > 0 && fwrite(from, n, 1, p->out) != 1)
		export_dir_die(p->path);
}

/* Append so many bits, from that one on. */
static void
out_bits(struct packet *p, const uint8_t *from, uint64_t at, uint64_t n)
{
	const int big = p->big;
	uint64_t whole;

	for (; n > 0; n -= whole, at += whole) {
		if (p->pos % 8 == 0 && at % 8 == 0 && n >= 8) {
			whole = n & ~(uint64_t)7;
			out_bytes(p, from + at / 8, (size_t)(whole / 8));
			p->pos += whole;
			continue;
		}
		whole = 1;
		bit_put(&p->part, p->pos % 8, big, bit_get(from, at, big));
		if (++p->pos % 8 != 0)
			continue;
		/* The head's last bits may be in the same byte. */
		if (p->pos - p->headlen < 8)
			p->head[p->headlen / 8] = p->part;
		out_bytes(p, &p->part, 1);
	}
}

static uint64_t
aligned(uint64_t at, uint64_t align)
{
	return (at + align - 1) & ~(align - 1);
}

static void
out_align(struct packet *p, uint64_t align)
{
	static const uint8_t zero;
	uint64_t n = aligned(p->pos, align) - p->pos, some;

	for (; n > 0; n -= some) {
		some = n < 8 ? n : 8;
		out_bits(p, &zero, 0, some);
	}
}

/*
 * Heads.
 */

static void
head_read(struct packet *p)
{
	const size_t n = (size_t)(p->headlen + 7) / 8;

	if (n >= p->headcap) {
		p->headcap = n + 1;
		if ((p->head = realloc(p->head, p->headcap)) == NULL)
			die_errno("malloc");
	}
	memcpy(p->head, in_bytes(p, 0, n), n);
	if (p->out == NULL)
		p->out = export_dir_file(p->path);
}

/* In the groups of 7 bits that are there; what does not fit is left. */
static uint64_t
leb_put(uint8_t *p, uint64_t v)
{
	int more;

	do {
		more = *p & 0x80;
		*p++ = (uint8_t)((v & 0x7f) | (unsigned int)more);
		v >>= 7;
	} while (more);
	return v;
}

/* Write the value as the one was that was read. */
static void
head_set(struct packet *p, enum ctf_role role, uint64_t v)
{
	const struct ctf_type *t = p->vals.type[role];
	const uint64_t at = p->at[role];
	uint32_t i;

	if (!packet_has(p, role) || p->vals.val[role] == v)
		return;
	if (role == ROLE_BEGIN || role == ROLE_END)
		v &= UINT64_MAX >> (64 - t->bits);
	if (t->leb ? leb_put(p->head + at / 8, v) != 0 :
	    t->bits < 64 && v >> t->bits != 0)
		die("%s: packet at byte %llu: its context has no room for %llu",
		    p->in->path, (unsigned long long)p->in->pkt,
		    (unsigned long long)v);
	for (i = 0; i < t->bits && !t->leb; i++)
		bit_put(p->head, at + i, t->big, (int)(v >> (t->big !=
		    t->turned ? t->bits - 1 - i : i) & 1));
}

/* Counts of the next packet.  The first one tells of nothing before. */
static void
head_counts(struct packet *p, uint64_t end)
{
	struct row *r = p->row;

	if (r->trace != NULL)
		r->seq += 1 + p->lost;
	r->trace = p->in->trace;
	r->discarded += p->discarded;
	r->read = p->vals.val[ROLE_DISCARDED];
	p->lost = p->discarded = 0;
	head_set(p, ROLE_SEQ, r->seq);
	head_set(p, ROLE_DISCARDED, r->discarded);
	r->end = packet_has(p, ROLE_END) ?
	    ctf_ns(p->in->class->endclock, end) :
	    ctf_ns(p->in->class->clock, p->begin);
	p->endcycles = end;
}

/*
 * Packets.
 */

static void
packet_begin(struct packet *p)
{
	head_read(p);
	p->begun = 1;
	p->start = ftello(p->out);
	p->pos = p->headlen;
	p->part = p->head[p->headlen / 8];
	out_bytes(p, p->head, (size_t)(p->headlen / 8));
}

/* Copy what waits. */
static void
run_flush(struct packet *p)
{
	uint64_t n, at;

	if (!p->begun)
		packet_begin(p);
	for (; p->from < p->to; p->from += n) {
		at = p->from % 8;
		n = p->to - p->from < 8 * BLOCK ? p->to - p->from : 8 * BLOCK;
		out_bits(p, in_bytes(p, p->from / 8, (size_t)(at + n + 7) / 8),
		    at, n);
	}
}

static void
packet_end(struct packet *p)
{
	const size_t n = (size_t)(p->headlen + 7) / 8;
	uint64_t content;
	int sizes;

	run_flush(p);
	content = p->pos;
	out_align(p, 8);
	sizes = packet_has(p, ROLE_CONTENT) + packet_has(p, ROLE_PACKET);
	if ((sizes < 2 && content != p->pos) || (sizes == 0 && p->start != 0))
		die("%s: has no sizes of packets, and cannot be cut so",
		    p->in->path);
	head_set(p, ROLE_PACKET, p->pos);
	head_set(p, ROLE_CONTENT, content);
	head_set(p, ROLE_BEGIN, p->begin);
	head_set(p, ROLE_END, p->end);
	head_counts(p, p->end);
	if (fflush(p->out) == EOF ||
	    pwrite(fileno(p->out), p->head, n, p->start) != (ssize_t)n)
		export_dir_die(p->path);
	p->begun = p->timed = 0;
	p->count = 0;
	p->end = p->ends;
}

static void
packet_copy(struct packet *p)
{
	uint64_t at = (p->headlen + 7) / 8;
	size_t n;

	head_read(p);
	head_counts(p, p->end);
	out_bytes(p, p->head, (size_t)at);
	for (; at < p->size; at += n) {
		n = p->size - at < BLOCK ? (size_t)(p->size - at) : BLOCK;
		out_bytes(p, in_bytes(p, at, n), n);
	}
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

static void
empty_put(struct packet *p, uint64_t begin, uint64_t end)
{
	p->begin = begin;
	p->end = end;
	packet_end(p);
	p->begin = begin_read(p);
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
	    begin > 0 && ctf_ns(sc->clock, begin - 1) >= p->row->end)
		empty_put(p, begin - 1, begin - 1);
}

/* babeltrace2 turns the order of two that begin together: it begins earlier. */
void
packet_empty(struct packet *p, int64_t ns)
{
	uint64_t begin = cycles_at(p->in->class->clock, ns);

	begin -= begin > 0 && packet_has(p, ROLE_END);
	row_begin(p, begin);
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
	if (!p->begun && !p->timed && p->from == p->headlen &&
	    p->to == p->limit) {
		packet_copy(p);
		return;
	}
	if (p->late && !p->told)
		p->end = p->cycles;
	else if (p->in->trace->ours && p->count == 0 && p->lost > 0 &&
	    p->discarded == 0)
		p->end = p->begin;
	packet_end(p);
}

/*
 * Events.
 */

/* The bits of time in the header of the event there. */
static uint32_t
time_bits(struct packet *p, const struct ctf_sclass *sc, uint64_t from,
    uint64_t to)
{
	struct ctf_cur cur;
	struct ctf_vals v;

	if (sc->headlen != 0)
		return sc->headtime.type == NULL ? 0 : sc->headtime.type->bits;
	v.has = 0;
	in_cur(p, &cur, from, to);
	if (sc->header != NULL)
		(void)ctf_walk(&cur, sc->header, &v);
	return v.has & 1 << ROLE_TIME ? v.timebits : 0;
}

/*
 * The packet's first event: its time must follow from when the packet begins,
 * or else the packet before ends.
 */
static void
first_time(struct packet *p, uint64_t now, uint32_t bits, int again)
{
	const uint32_t beginbits = p->in->class->beginbits;
	const int begins = packet_has(p, ROLE_BEGIN);
	const uint64_t t = begin_read(p);

	p->timed = again || time_read(t, now, bits) != now;
	p->begin = p->timed || (p->early && !p->told) ? now : t;
	if (!p->timed || (begins && time_read(p->cycles, now, beginbits) ==
	    now))
		return;
	if (begins || !packet_has(p, ROLE_END) || now < p->cycles)
		die("%s: packets do not tell when they begin: what is left of "
		    "them would have other times", p->in->path);
	p->timed = 0;
	empty_put(p, now, now);
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

/*
 * Move a value to the next place that suits it.  What is in it moves with it,
 * unless there is a larger alignment inside: variants have none of their own.
 */
static void
type_move(struct packet *p, struct ctf_cur *cur, const struct ctf_type *t)
{
	const struct ctf_field *f = t->fields;
	const struct ctf_field *end = f == NULL ? f : f + t->nfields;
	struct ctf_cur at;
	uint64_t n;

	(void)ctf_align(cur, t->align);
	out_align(p, t->align);
	at = *cur;
	if (t->most == t->align) {
		(void)ctf_walk_type(cur, t);
		out_bits(p, at.p, at.bit, place(p, cur) - place(p, &at));
		return;
	}
	if (t->kind == CTF_ARRAY || t->kind == CTF_SEQ) {
		for (n = ctf_count(cur, t); n > 0; n--)
			type_move(p, cur, t->elem);
		return;
	}
	if (t->kind == CTF_VARIANT) {
		if ((f = ctf_option(cur, t)) == NULL)
			return;
		end = f + 1;
	}
	for (; f < end; f++) {
		(void)ctf_align(cur, f->type->align);
		if (f->slot != 0 || f->outer != 0)
			ctf_note(cur, f);
		type_move(p, cur, f->type);
	}
}

void
packet_event(struct packet *p, const struct ctf_stream *s)
{
	const struct ctf_type *parts[PARTS] = { s->class->header,
	    s->class->context, s->event->context, s->event->fields };
	const uint64_t from = 8 * (s->at - s->pkt) + s->atbit;
	const uint64_t to = 8 * (s->off + s->pos - s->pkt) + s->bit;
	uint64_t align = 1, most = 1;
	struct ctf_cur cur;
	size_t i;

	for (i = PARTS; i-- > 0;)
		if (parts[i] != NULL) {
			most = parts[i]->most > most ? parts[i]->most : most;
			align = parts[i]->align;
		}
	if (p->count == 0)
		row_begin(p, p->begin);
	event_time(p, s->cycles, time_bits(p, s->class, from, to));
	if (from == p->to && (!p->begun ? p->from == p->headlen :
	    p->from < from && (p->pos - p->from) % most == 0)) {
		p->to = to;
		return;
	}
	run_flush(p);
	out_align(p, align);
	p->from = aligned(from, align);
	p->to = to;
	if ((p->pos - p->from) % most == 0)
		return;
	in_cur(p, &cur, from, to);
	for (i = 0; i < PARTS; i++)
		if (parts[i] != NULL)
			type_move(p, &cur, parts[i]);
	p->from = to;
}
