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
 * The next event of a stream.
 */

#include <sys/types.h>

#include <string.h>

#include "ctf_stream.h"

/* After ctf_read(): the event's contexts and fields. */
void
ctf_cur(struct ctf_cur *c, const struct ctf_stream *s)
{
	c->s = s;
	c->p = s->buf + s->body;
	c->bit = s->bodybit;
	c->end = s->buf + s->pos + (s->bit != 0);
	c->found = NULL;
}

struct ctf_cpu *
ctf_cpu(const struct ctf_stream *s)
{
	return s->trace->cpus != NULL && (s->who.has & 1 << ROLE_CPU) &&
	    s->who.cpu < CTF_CPUS ? &s->trace->cpus[s->who.cpu] : NULL;
}

static void
who_bycpu(struct ctf_who *who, const struct ctf_cpu *cpu)
{
	if (cpu == NULL || !cpu->known || cpu->ns <= cpu->lossy)
		return;
	who->vtid = cpu->tid;
	memcpy(who->name, cpu->name, sizeof(who->name));
	who->has |= 1 << ROLE_VTID | 1 << ROLE_PROCNAME;
}

/* After ctf_read(): whose the event is; it may be put into who. */
const struct ctf_who *
ctf_whose(const struct ctf_stream *s, struct ctf_who *who)
{
	struct ctf_vals v;
	struct ctf_cur c;

	if (!s->class->eventwho)
		return &s->who;
	ctf_cur(&c, s);
	v.has = 0;
	if (s->class->context != NULL)
		(void)ctf_walk(&c, s->class->context, &v);
	*who = s->who;
	who->has &= ~(1 << ROLE_THREAD);	/* another packet's */
	ctf_who(who, &v);
	if (s->class->bycpu)
		who_bycpu(who, ctf_cpu(s));
	if ((s->trace->lttng || s->trace->kernel) &&
	    (who->has & 1 << ROLE_PROCNAME)) {
		memcpy(who->thread, who->name, sizeof(who->thread));
		who->has |= 1 << ROLE_THREAD;
	}
	return who;
}

static inline const struct ctf_eclass *
event_find(const struct ctf_sclass *sc, uint64_t id)
{
	size_t lo = 0, hi = sc->nevents, mid;

	/* IDs mostly count from the first. */
	if (hi != 0 && id >= sc->events[0]->id &&
	    (mid = (size_t)(id - sc->events[0]->id)) < hi &&
	    sc->events[mid]->id == id)
		return sc->events[mid];
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (sc->events[mid]->id == id)
			return sc->events[mid];
		if (sc->events[mid]->id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/*
 * After damage: the rest of the packet cannot be told apart.  A growing file
 * that could not be read may have been renamed: the event is tried again later.
 */
static void
event_damage(struct ctf_stream *s, const char *what)
{
	if (s->growing && s->size < s->limit) {
		ctf_window_drop(s);
		s->off = s->at;
		s->bit = s->atbit;
		return;
	}
	ctf_damage(s->path, "event at byte %llu: %s",
	    (unsigned long long)s->at, what);
	s->inpacket = 0;
}

/*
 * The bytes of the header at p, if ID and time are where they always are; 0:
 * they are not, or not here.
 */
static inline size_t
header_quick(const struct ctf_sclass *sc, const uint8_t *p, size_t left,
    uint64_t *id, uint64_t *cycles)
{
	const struct ctf_bits *n = &sc->headid, *t = &sc->headtime;

	if (sc->headlen == 0 || sc->headlen > left)
		return 0;
	*id = ctf_word(p + n->off, sc->headbig) >> n->shift & n->mask;
	if (*id >= sc->longid)
		return 0;
	ctf_clock_update(cycles, ctf_word(p + t->off, sc->headbig) >> t->shift,
	    t->mask);
	return sc->headlen;
}

/* The other way, for all headers. */
static int
header_walk(struct ctf_stream *s, uint64_t *id, uint64_t *cycles)
{
	struct ctf_vals v;

	if (ctf_stream_struct(s, s->class->header, &v) == -1)
		return -1;
	*id = v.has & 1 << ROLE_ID ? v.val[ROLE_ID] : 0;
	if (v.has & 1 << ROLE_TIME)
		ctf_clock_update(cycles, v.val[ROLE_TIME],
		    UINT64_MAX >> (64 - v.timebits));
	return 0;
}

/* The next event's header; -1: there are no more in this packet. */
static inline int
event_header(struct ctf_stream *s)
{
	const struct ctf_sclass *sc = s->class;
	uint64_t id, cycles = s->cycles;
	size_t n;

	s->at = s->off + s->pos;
	s->atbit = s->bit;
	if (s->at >= s->last && (s->at > s->last || s->bit >= s->lastbit)) {
		s->inpacket = 0;
		return -1;
	}
	if (s->bit == 0 && (n = header_quick(sc, s->buf + s->pos,
	    s->stop - s->pos, &id, &cycles)) != 0)
		s->pos += n;
	else if (header_walk(s, &id, &cycles) == -1) {
		event_damage(s, "beyond the packet's content");
		return -1;
	}
	if ((s->event = event_find(sc, id)) == NULL) {
		ctf_damage(s->path, "event at byte %llu: unknown event id "
		    "%llu", (unsigned long long)s->at,
		    (unsigned long long)id);
		s->inpacket = 0;
		return -1;
	}
	if (cycles < s->cycles)
		ctf_time_check(s, s->at, ctf_ns(sc->clock, s->cycles),
		    ctf_ns(sc->clock, cycles));
	s->cycles = cycles;
	s->item = ITEM_EVENT;
	s->ns = ctf_ns(sc->clock, s->cycles);
	if (s->ns > s->until) {
		s->inpacket = 0;
		return -1;
	}
	return 0;
}

/* Something is missing before what comes next. */
static void
item_loss(struct ctf_stream *s)
{
	s->item = s->gone ? ITEM_GONE : s->discards ? ITEM_DISCARDED :
	    ITEM_LOST;
	s->ns = s->gone ? s->gonefrom : s->discards ? s->from : s->lostfrom;
}

int64_t
ctf_lost_until(const struct ctf_stream *s)
{
	return s->item == ITEM_DISCARDED ? s->to :
	    s->item == ITEM_LOST ? s->lost : s->goneto;
}

/* Past bytes of a fixed number and strings; or NULL: not all are here. */
static inline const uint8_t *
pieces_end(const struct ctf_eclass *ev, const uint8_t *p, const uint8_t *end)
{
	const uint64_t *n = ev->pieces, *last = n + ev->npieces - 1;

	for (; n < last; n++) {
		if (*n > (size_t)(end - p) || (p = memchr(p + *n, '\0',
		    (size_t)(end - p) - *n)) == NULL)
			return NULL;
		p++;
	}
	return *n > (size_t)(end - p) ? NULL : p + *n;
}

/* From an event's body past it; -1: not all of it is here. */
static int
event_walk(const struct ctf_stream *s, const struct ctf_eclass *ev,
    struct ctf_cur *c)
{
	const struct ctf_type *context = s->class->context;

	return (context != NULL && ctf_walk(c, context, NULL) == -1) ||
	    (ev->context != NULL && ctf_walk(c, ev->context, NULL) == -1) ||
	    (ev->fields != NULL && ctf_walk(c, ev->fields, NULL) == -1) ||
	    (c->bit > s->lastbit && s->off + (size_t)(c->p - s->buf) ==
	    s->last) ? -1 : 0;
}

/* Past the event's body in the way for all; -1: not all of it is there. */
static int
body_walk(struct ctf_stream *s)
{
	struct ctf_cur c;

	ctf_cur_set(&c, s);
	while (event_walk(s, s->event, &c) == -1) {
		if (!ctf_window_more(s)) {
			event_damage(s, "beyond the packet's content");
			return -1;
		}
		ctf_cur_set(&c, s);
	}
	s->body = s->pos;
	s->bodybit = s->bit;
	s->pos = (size_t)(c.p - s->buf);
	s->bit = c.bit;
	s->empty = c.empty;
	return 0;
}

/*
 * After the event's header: checks that all of it is there, leaves its place in
 * body and pos behind it.
 */
static inline int
ctf_body(struct ctf_stream *s)
{
	const uint8_t *end;

	if (s->event->npieces != 0 && s->bit == 0 &&
	    (end = pieces_end(s->event, s->buf + s->pos, s->buf + s->stop)) !=
	    NULL) {
		s->body = s->pos;
		s->bodybit = 0;
		s->pos = (size_t)(end - s->buf);
	} else if (body_walk(s) == -1)
		return -1;
	if (s->off + s->pos == s->at && s->bit == s->atbit) {
		event_damage(s, "of no bytes");
		return -1;
	}
	return 0;
}

/* Find the next item, and of an event all of it; 0: there is none, or yet. */
int
ctf_read(struct ctf_stream *s)
{
	for (;;) {
		if (s->gone || s->discards || s->nlost != 0) {
			item_loss(s);
			return 1;
		}
		if (s->inpacket) {
			if (event_header(s) == 0 && ctf_body(s) == 0)
				return 1;
			if (s->inpacket)
				return 0;	/* not now */
		} else if (ctf_packet_open(s) == -1)
			return 0;
	}
}

/*
 * Note the lengths and tags before the event, or before what comes next: there
 * may be more of them by now.
 */
static void
packet_again(struct ctf_stream *s, int event)
{
	const uint64_t at = event ? s->at : s->off + s->pos;
	const unsigned int bit = event ? s->atbit : s->bit;
	struct ctf_vals v;

	ctf_window_seek(s, s->pkt);
	if (ctf_stream_struct(s, s->trace->header, &v) == 0)
		(void)ctf_stream_struct(s, s->class->packet, &v);
	ctf_window_seek(s, at);
	s->bit = bit;
	if (event)
		(void)ctf_stream_struct(s, s->class->header, &v);
	s->body = s->pos;
	s->bodybit = s->bit;
}

/*
 * The stream's trace was read again, and its metadata may be others by now.  If
 * ctf_read() has seen an event that was not taken yet, that is done again: 0 if
 * there is no such event any more.
 */
int
ctf_again(struct ctf_stream *s, const struct ctf_trace *tr, int event)
{
	const struct ctf_eclass *ev = s->event;

	s->trace = tr;
	if (s->class != NULL)
		s->class = ctf_sclass(tr, s->class->id);
	s->event = !event || s->class == NULL ? NULL :
	    event_find(s->class, ev->id);
	if (s->class == NULL)
		s->inpacket = 0;
	ctf_stream_vals(s);
	if (s->class != NULL && s->inpacket && (tr->haspaths || tr->roles))
		packet_again(s, event);
	if (!event)
		return 1;
	s->pos = s->body;
	s->bit = s->bodybit;
	if (s->event != NULL)
		return ctf_body(s) == 0;
	s->inpacket = 0;
	return 0;
}

/*
 * Pass over events.  Whatever ends this is left to ctf_read(): the end of the
 * window, of the packet, or damage, and perhaps time that runs backwards.
 * Trying the class of the event before first lets the processor go on before it
 * has the ID.
 */
static inline uint64_t
events_skip(struct ctf_stream *s, int timed)
{
	const struct ctf_sclass *sc = s->class;
	const struct ctf_eclass *ev = s->event;
	const uint8_t *p;
	uint64_t cycles, done = s->cycles, id, n = 0;
	struct ctf_cur c;
	size_t len;

	if (!s->inpacket)
		return 0;
	ctf_cur_set(&c, s);
	p = c.p;
	while (c.bit == 0) {
		cycles = done;
		len = header_quick(sc, p, (size_t)(c.end - p), &id, &cycles);
		if (len == 0 || (timed && cycles < done) ||
		    (id != ev->id && (ev = event_find(sc, id)) == NULL))
			break;
		c.p = p + len;
		if (ev->npieces == 0 ? event_walk(s, ev, &c) == -1 || c.bit !=
		    0 : (c.p = pieces_end(ev, c.p, c.end)) == NULL)
			break;
		p = c.p;
		done = cycles;
		n++;
	}
	s->pos = (size_t)(p - s->buf);
	s->cycles = done;
	return n;
}

uint64_t
ctf_skip(struct ctf_stream *s)
{
	return events_skip(s, 0);
}

uint64_t
ctf_skip_timed(struct ctf_stream *s)
{
	return events_skip(s, 1);
}

/*
 * Read a stream that has not been read yet, for the time of its first event and
 * that when it ends, by its packets; 0 if it has no event.
 */
int
ctf_span(struct ctf_stream *s, int64_t *begin, int64_t *end)
{
	int n;

	do
		if (!ctf_read(s))
			return 0;
		else if (s->item != ITEM_EVENT)
			s->discards = 0, s->nlost = 0, s->gone = 0;
	while (s->item != ITEM_EVENT);
	*begin = *end = s->ns;
	do {
		if (s->end > *end)
			*end = s->end;
		n = ctf_packet_open(s);
	} while (n != -1);
	return 1;
}
