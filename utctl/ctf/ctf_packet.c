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
 * The packets of a stream.
 *
 * Nothing is believed before it was compared with the packet's content, the
 * content with the packet, and the packet with the file.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../say.h"
#include "ctf_stream.h"

#define NAPS	100	/* sleeps of 10 ms, for what is being written */
#define GREW_MAX	((uint64_t)1 << 48)	/* a count, in a packet */

static void
name_set(char *name, size_t size, const uint8_t *from, size_t n)
{
	if (n > size - 1)
		n = size - 1;
	memcpy(name, from, n);
	name[n] = '\0';
}

void
ctf_who(struct ctf_who *w, const struct ctf_vals *v)
{
	if (v->has & 1 << ROLE_VPID)
		w->vpid = (int64_t)v->val[ROLE_VPID];
	if (v->has & 1 << ROLE_VTID)
		w->vtid = (int64_t)v->val[ROLE_VTID];
	if (v->has & 1 << ROLE_PROCNAME)
		name_set(w->name, sizeof(w->name), v->name, v->namelen);
	if (v->has & 1 << ROLE_THREAD)
		name_set(w->thread, sizeof(w->thread), v->thread,
		    v->threadlen);
	if (v->has & 1 << ROLE_CPU)
		w->cpu = v->val[ROLE_CPU];
	w->has |= (int)v->has & (1 << ROLE_VPID | 1 << ROLE_VTID |
	    1 << ROLE_PROCNAME | 1 << ROLE_THREAD | 1 << ROLE_CPU);
}

/* Reads a header or context at pos, which may be none. */
int
ctf_stream_struct(struct ctf_stream *s, const struct ctf_type *t,
    struct ctf_vals *v)
{
	struct ctf_cur c;

	v->has = 0;
	if (t == NULL)
		return 0;
	do {
		ctf_cur_set(&c, s);
		if (ctf_walk(&c, t, v) == 0) {
			s->pos = (size_t)(c.p - s->buf);
			s->bit = c.bit;
			return 0;
		}
	} while (ctf_window_more(s));
	return -1;
}

/* Make room for the lengths and tags of the trace. */
void
ctf_stream_vals(struct ctf_stream *s)
{
	const size_t n = (size_t)s->trace->nslots + 1;

	if (n <= s->nvals)
		return;
	if ((s->vals = realloc(s->vals, n * sizeof(*s->vals))) == NULL)
		die_errno("malloc");
	memset(s->vals + s->nvals, 0, (n - s->nvals) * sizeof(*s->vals));
	s->nvals = n;
}

static void
packet_damage(const struct ctf_stream *s, const char *what)
{
	ctf_damage(s->path, "packet at byte %llu: %s",
	    (unsigned long long)s->pkt, what);
}

/* Tell, once for a file, that its packets name another metadata. */
static void
packet_stranger(struct ctf_stream *s)
{
	if (!s->stranger) {
		ctf_damage_once(3 * s->index + 3);
		ctf_warn(s->path, "packet at byte %llu: the UUID is not the "
		    "metadata's", (unsigned long long)s->pkt);
	}
	s->stranger = 1;
}

/* Somebody is writing it right now, and we came in the midst of a packet. */
static int
still_growing(const struct ctf_stream *s)
{
	static const struct timespec nap = { 0, 10000000 };
	static unsigned int naps;	/* for all files */
	struct stat st;
	int i;

	for (i = 0; i < 5; i++) {
		if ((s->kept != -1 ? fstat(s->kept, &st) :
		    stat(s->path, &st)) == -1)
			return 1;	/* moved, or removed */
		if ((uint64_t)st.st_size > s->size)
			return 1;
		if (naps++ < NAPS)
			nanosleep(&nap, NULL);
	}
	return 0;
}

static void
packet_short(const struct ctf_stream *s, uint64_t size)
{
	unsigned long long left = s->size - s->pkt;

	if (s->growing || still_growing(s))
		return;
	if (size == 0)
		ctf_damage(s->path, "last packet cut short at byte %llu: "
		    "%llu bytes", (unsigned long long)s->pkt, left);
	else
		ctf_damage(s->path, "last packet cut short at byte %llu: "
		    "%llu of %llu bytes", (unsigned long long)s->pkt, left,
		    (unsigned long long)size);
}

/*
 * 0: a good header.  1: a bad one; the packet is skipped if its context, read
 * as that of the packet before, gives a size.  -1: nothing can be read.
 */
static int
packet_header(struct ctf_stream *s)
{
	const struct ctf_trace *tr = s->trace;
	const struct ctf_sclass *sc;
	struct ctf_vals v;
	const char *what = NULL;

	if (ctf_stream_struct(s, tr->header, &v) == -1) {
		packet_short(s, 0);
		return -1;
	}
	s->hasinstance = (v.has & 1 << ROLE_INSTANCE) != 0;
	if (s->hasinstance)
		s->instance = v.val[ROLE_INSTANCE];
	if (!(v.has & 1 << ROLE_STREAM) && tr->sclasses != NULL &&
	    tr->sclasses->next == NULL)
		sc = tr->sclasses;
	else
		sc = ctf_sclass(tr, v.has & 1 << ROLE_STREAM ?
		    v.val[ROLE_STREAM] : 0);
	if ((v.has & 1 << ROLE_MAGIC) && v.val[ROLE_MAGIC] != CTF_MAGIC)
		what = "bad magic";
	else if (sc == NULL)
		what = "unknown stream id";
	if (sc == NULL)
		sc = s->class != NULL ? s->class : tr->sclasses;
	s->class = sc;
	if (what != NULL)
		packet_damage(s, what);
	else if ((v.has & 1 << ROLE_UUID) && tr->hasuuid &&
	    memcmp(v.uuid, tr->uuid, 16) != 0)
		packet_stranger(s);
	if (sc == NULL) {
		s->nextpkt = UINT64_MAX;
		return -1;
	}
	return what != NULL;
}

/*
 * Where the packet and its content end.  With neither size the packet is the
 * rest of the file.  0: good.  1: the packet must be skipped.  -1: it has no
 * end.
 */
static int
packet_sizes(struct ctf_stream *s, const struct ctf_vals *v, int bad)
{
	const uint64_t head = 8 * (s->off + s->pos - s->pkt) + s->bit;
	uint64_t size, content;

	size = content = 8 * (s->size - s->pkt);
	if (v->has & 1 << ROLE_PACKET)
		size = content = v->val[ROLE_PACKET];
	if (v->has & 1 << ROLE_CONTENT) {
		content = v->val[ROLE_CONTENT];
		if (!(v->has & 1 << ROLE_PACKET))
			size = content;
	}
	if (size % 8 != 0 || size < head || size == 0) {
		if (!bad)
			packet_damage(s, "no size of a packet");
		s->nextpkt = UINT64_MAX;
		return -1;
	}
	if (size / 8 > s->size - s->pkt) {
		if (!bad)
			packet_short(s, size / 8);
		return -1;
	}
	s->nextpkt = s->pkt + size / 8;
	if (bad)
		return 1;
	if (content > size || content < head) {
		packet_damage(s, "no size of a content");
		return 1;
	}
	s->last = s->pkt + content / 8;
	s->lastbit = content % 8;
	ctf_window_limit(s, s->last + (s->lastbit != 0));
	return 0;
}

/*
 * Tell, once for a file, that time runs backwards at that byte.  Other tracers
 * may begin a packet before the last event of the one before.
 */
void
ctf_time_check(struct ctf_stream *s, uint64_t at, int64_t before, int64_t now)
{

	char was[CTF_TIMELEN], is[CTF_TIMELEN];

	if (now >= before || s->backwards)
		return;
	s->backwards = 1;
	ctf_damage_once(3 * s->index + 1);
	ctf_print_time(before, was);
	ctf_print_time(now, is);
	(s->inpacket || s->trace->ours ? ctf_damage : ctf_warn)(s->path,
	    "time runs backwards at byte %llu: from %s to %s",
	    (unsigned long long)at, was, is);
}

/*
 * By how much did a count grow since the packet before?  It begins anew at 0
 * when it has counted all that fits its bits; a wide one that would have grown
 * by half of that was set back.
 */
static uint64_t
count_grew(const struct ctf_vals *v, enum ctf_role role, uint64_t before)
{
	const uint32_t bits = v->type[role]->bits;
	const uint64_t grew = (v->val[role] - before) &
	    UINT64_MAX >> (64 - bits);

	return bits >= 32 && v->val[role] < before && grew >> (bits - 1) != 0 ?
	    0 : grew;
}

/* The growth, if programs can have counted that meanwhile; or 0. */
static uint64_t
packet_grew(struct ctf_stream *s, const char *what, uint64_t before,
    uint64_t grew)
{
	const uint64_t now = before + grew;

	if (grew <= GREW_MAX)
		return grew;
	if (!s->leaps) {
		ctf_damage_once(3 * s->index + 2);
		ctf_damage(s->path, "%s leaps from %llu to %llu in the packet "
		    "at byte %llu", what, (unsigned long long)before,
		    (unsigned long long)now, (unsigned long long)s->pkt);
	}
	s->leaps = 1;
	return 0;
}

/*
 * Is the packet one of those by which utd tells that the events of some time
 * were not recorded?  It has that time and nothing else.
 */
static int
packet_pauses(const struct ctf_stream *s, int64_t begin, int64_t end)
{
	return s->trace->ours && begin < end && !s->discards &&
	    s->off + s->pos == s->limit && s->bit == 0;
}

/* When the packet ends: after it begins, also if the bits of the time wrap. */
static int64_t
packet_end(struct ctf_stream *s, uint64_t val)
{
	const struct ctf_sclass *sc = s->class;

	s->endcycles = val;
	if (sc->endclock == sc->clock) {
		s->endcycles = s->cycles;
		ctf_clock_update(&s->endcycles, val,
		    UINT64_MAX >> (64 - sc->endbits));
	}
	return ctf_ns(sc->endclock, s->endcycles);
}

/*
 * Note what was lost since the packet before, for ctf_read() to tell.  Losses
 * that the first packet tells may be of its time or from long before, in
 * packets that are not there.
 */
static void
packet_losses(struct ctf_stream *s, const struct ctf_vals *v)
{
	int64_t begin, end;
	uint64_t n, grew;

	begin = ctf_ns(s->class->clock, s->cycles);
	end = v->has & 1 << ROLE_END ? packet_end(s, v->val[ROLE_END]) : begin;
	if (v->has & 1 << ROLE_DISCARDED) {
		n = v->val[ROLE_DISCARDED];
		grew = !s->hasend ? n : count_grew(v, ROLE_DISCARDED,
		    s->discarded);
		if (grew > 0 && (s->hasend || begin < end ||
		    !(v->has & 1 << ROLE_END))) {
			s->discards = 1;
			s->ndiscarded = !s->hasend ? 0 : packet_grew(s,
			    "events_discarded", s->discarded, grew);
			s->from = s->hasend ? s->end : begin;
			s->to = end;
		}
		s->discarded = n;
	}
	if (v->has & 1 << ROLE_SEQ) {
		n = v->val[ROLE_SEQ];
		if (s->hasseq && (grew = count_grew(v, ROLE_SEQ,
		    s->seq)) > 1) {
			s->nlost = packet_grew(s, "packet_seq_num", s->seq,
			    grew);
			s->nlost -= s->nlost > 0;
			s->lostfrom = s->end < begin ? s->end : begin;
			s->lost = begin;
		}
		if (!s->hasseq && (n > 0 || s->trace->headless)) {
			s->gone = 1;
			s->gonefrom = INT64_MIN;
			s->goneto = begin;
		}
		s->seq = n;
		s->hasseq = 1;
	}
	if (packet_pauses(s, begin, end)) {
		if (!s->gone)
			s->gonefrom = begin;
		s->gone = 1;
		s->goneto = end;
	}
	s->end = end;
	s->hasend = 1;
}

/* Another stream has the packet, and tells what was lost before it. */
static int
packet_istwice(struct ctf_stream *s)
{
	if (s->attwice == s->ntwice || s->twice[s->attwice] != s->pkt)
		return 0;
	s->attwice++;
	s->discards = s->gone = 0;
	s->nlost = 0;
	return 1;
}

/*
 * Keep how the first packet begins, times among it: no other file begins so,
 * while its inode may become that of another file.
 */
static void
packet_first(struct ctf_stream *s)
{
	size_t n = s->fill;

	if (s->pkt != 0 || s->off != 0 || s->nhead != 0)
		return;
	if (n > s->nextpkt)
		n = (size_t)s->nextpkt;
	s->nhead = n < sizeof(s->head) ? n : sizeof(s->head);
	memcpy(s->head, s->buf, s->nhead);
}

/*
 * 0: a packet was entered.  1: this one is no good, or of another time.  -1:
 * there is no next.
 */
int
ctf_packet_open(struct ctf_stream *s)
{
	struct ctf_vals v;
	int64_t before[2];
	int bad, end;

	s->pkt = s->nextpkt;
	if (s->pkt >= s->size)
		return -1;
	ctf_stream_vals(s);
	s->empty = 0;
	ctf_window_seek(s, s->pkt);
	ctf_window_limit(s, s->size);
	if ((bad = packet_header(s)) == -1)
		return -1;
	if (ctf_stream_struct(s, s->class->packet, &v) == -1) {
		if (!bad)
			packet_short(s, 0);
		return -1;
	}
	if (v.val[ROLE_END] == 0)		/* a crash left it so */
		v.has &= ~((uint32_t)1 << ROLE_END);
	before[0] = ctf_who_id(&s->who, ROLE_VPID);
	before[1] = ctf_who_id(&s->who, ROLE_VTID);
	s->who = s->trace->who;
	ctf_who(&s->who, &v);
	s->stays = s->hasend && before[1] != CTF_NOBODY &&
	    before[0] == ctf_who_id(&s->who, ROLE_VPID) &&
	    before[1] == ctf_who_id(&s->who, ROLE_VTID);
	if ((end = packet_sizes(s, &v, bad)) != 0)
		return end;
	packet_first(s);
	if (v.has & 1 << ROLE_BEGIN)
		ctf_clock_update(&s->cycles, v.val[ROLE_BEGIN],
		    UINT64_MAX >> (64 - s->class->beginbits));
	else if (s->endcycles > s->cycles)
		s->cycles = s->endcycles;
	if (v.has & 1 << ROLE_BEGIN && s->hasend)
		ctf_time_check(s, s->pkt, s->end, ctf_ns(s->class->clock,
		    s->cycles));
	packet_losses(s, &v);
	if (packet_istwice(s))
		return 1;
	if (v.has & 1 << ROLE_BEGIN &&
	    (ctf_ns(s->class->clock, s->cycles) > s->until ||
	    (v.has & 1 << ROLE_END && s->end < s->since &&
	    !s->class->needed)))
		return 1;
	s->inpacket = 1;
	return 0;
}

/* Step to the next packet, for what it tells; 0 if there is none. */
int
ctf_packet(struct ctf_stream *s)
{
	return ctf_packet_open(s) != -1;
}
