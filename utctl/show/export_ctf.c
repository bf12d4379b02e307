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
 * utctl export -F ctf: a smaller trace, of the selected events.
 *
 * A packet of which all events are selected is copied.  One of which some are
 * begins with a copy of the packet's header and context, in which only sizes,
 * times and counts are written anew.  An event's bytes are copied as well: they
 * mean the same at each place that is as far from a multiple of the event's
 * largest alignment.  Elsewhere the header, the contexts and the fields are
 * moved apart.
 *
 * Readers make out the whole time of an event from the one before.  If that one
 * is left out, and more than these bits can tell lies between, the packet ends
 * and another begins, which has the time in its context.
 *
 * Counts tell what was lost between two packets.  So a packet in front of a
 * loss, of which nothing is selected, is written without events.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../ctf/select.h"
#include "../map.h"
#include "../regular.h"
#include "../say.h"
#include "export.h"

#define BLOCK	65536
#define SLACK	16		/* bytes behind a block, for ctf_take() */

/* A stream, which may have several files: ctf_row.c. */
struct row {
	struct row		*next;
	struct row		*same;	/* with the same hash */
	uint64_t		 key[4];
	int			 any;	/* packets are written */
	uint64_t		 seq;	/* the last one's, or the first one's */
	uint64_t		 discarded;
	int64_t			 end;	/* ns: when the last one ends */
};

/* What the count of -n leaves of a stream, as offsets in the file. */
struct range {
	int		 any;
	uint64_t	 first, last;
};

struct cut {
	char			**dirs;
	char			**names;	/* NULL: one directory */
	struct range		*ranges;	/* by index; NULL: all */
	int64_t			 since, until;	/* their times */
	struct map		 byhash;	/* the rows */
	struct row		*rows, *row;
	struct map		 aligns;	/* event_largest()'s */

	/* The file that is read, and what of it is in memory. */
	const struct ctf_stream	*stream;	/* NULL: none yet */
	const struct ctf_trace	*trace;
	char			*from;
	int			 in;
	uint8_t			*buf;
	size_t			 cap, fill;
	uint64_t		 off;

	/* The file that is written; NULL: not yet. */
	FILE			*out;
	char			*path;
	uint64_t		 cycles;	/* the time for who reads it */

	/* The packet that is read.  Places are in bits from its beginning. */
	int			 inpacket;
	const struct ctf_sclass	*class;
	uint64_t		 pkt, size;	/* bytes */
	uint8_t			*head;
	size_t			 headcap;
	uint64_t		 headlen;	/* bits, and the bytes they take */
	size_t			 headbytes;
	uint64_t		 limit;		/* where its content ends */
	struct ctf_vals		 vals;
	uint64_t		 end;		/* as it was read */
	int			 told;		/* it tells of a loss, or gap */
	int			 early, late;	/* reaches beyond -b, -u */
	uint64_t		 lost, discarded;	/* since the last one */

	/* The packet that is written. */
	int			 open;
	off_t			 start;		/* where, in the file */
	uint64_t		 count;		/* events */
	uint64_t		 at;		/* the last one's place */
	unsigned int		 atbit;
	uint64_t		 pos;		/* bits so far */
	uint8_t			 part;		/* the last ones */
	uint64_t		 first;		/* the time when it begins */
	int			 begins;	/* is first written? */
	/* Bits that follow, and are not copied yet. */
	uint64_t		 runfrom, runto;
};

/*
 * What is read.
 */

/* So many bytes of the file, which are there. */
static const uint8_t *
in_bytes(struct cut *c, uint64_t off, size_t len)
{
	ssize_t n;

	if (off >= c->off && off - c->off + len <= c->fill)
		return c->buf + (off - c->off);
	if (len > c->cap || c->buf == NULL) {
		c->cap = len > BLOCK ? len : BLOCK;
		if ((c->buf = realloc(c->buf, c->cap + SLACK)) == NULL)
			die_errno("malloc");
		memset(c->buf, 0, c->cap + SLACK);
	}
	c->off = off;
	for (c->fill = 0; c->fill < c->cap; c->fill += (size_t)n)
		if ((n = pread(c->in, c->buf + c->fill, c->cap - c->fill,
		    (off_t)(off + c->fill))) == -1)
			die_errno("%s", c->from);
		else if (n == 0)
			break;
	if (c->fill < len)
		die("%s: the file became shorter", c->from);
	return c->buf;
}

/* The header and the context, and where the values are that tell of it. */
static void
head_read(struct cut *c, const struct ctf_stream *s)
{
	const size_t whole = (size_t)(s->nextpkt - s->pkt);
	struct ctf_cur cur;
	size_t n = 0;

	do {
		if (n == whole)
			die("%s: packet at byte %llu: it changed meanwhile",
			    s->path, (unsigned long long)s->pkt);
		n = n == 0 ? 1024 : 2 * n;
		n = n < whole ? n : whole;
		memset(&cur, 0, sizeof(cur));
		cur.buf = cur.p = in_bytes(c, s->pkt, n);
		cur.end = cur.buf + n;
		cur.vals = s->vals;
		c->vals.has = 0;
	} while ((s->trace->header != NULL &&
	    ctf_walk(&cur, s->trace->header, &c->vals) == -1) ||
	    (s->class->packet != NULL &&
	    ctf_walk(&cur, s->class->packet, &c->vals) == -1));
	c->headlen = 8 * (uint64_t)(cur.p - cur.buf) + cur.bit;
	c->headbytes = (size_t)(c->headlen + 7) / 8;
	if (c->headbytes >= c->headcap) {
		c->headcap = c->headbytes + 1;
		if ((c->head = realloc(c->head, c->headcap)) == NULL)
			die_errno("malloc");
	}
	if (c->headbytes > 0)
		memcpy(c->head, cur.buf, c->headbytes);
}

static int
has(const struct cut *c, enum ctf_role role)
{
	return (c->vals.has & (uint32_t)1 << role) != 0;
}

/*
 * What is written.
 */

static void
out_write(struct cut *c, const void *p, size_t n)
{
	if (n > 0 && fwrite(p, n, 1, c->out) != 1)
		export_dir_die(c->path);
}

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

/* The last byte, of which the head may have the first bits. */
static void
out_part(struct cut *c)
{
	if ((c->pos - 1) / 8 == c->headlen / 8 && c->headlen % 8 != 0)
		c->head[c->headlen / 8] = c->part;
	out_write(c, &c->part, 1);
	c->part = 0;
}

/* Append so many bits of p, from that one on. */
static void
out_bits(struct cut *c, const uint8_t *p, uint64_t from, uint64_t n)
{
	const int big = c->trace->big;
	size_t bytes;

	while (n > 0) {
		if (c->pos % 8 == 0 && from % 8 == 0 && n >= 8) {
			bytes = (size_t)(n / 8);
			out_write(c, p + from / 8, bytes);
			c->pos += 8 * (uint64_t)bytes;
			from += 8 * (uint64_t)bytes;
			n -= 8 * (uint64_t)bytes;
			continue;
		}
		bit_put(&c->part, c->pos % 8, big, bit_get(p, from++, big));
		if (++c->pos % 8 == 0)
			out_part(c);
		n--;
	}
}

static uint64_t
aligned(uint64_t at, uint64_t align)
{
	return (at + align - 1) & ~(align - 1);
}

static void
out_align(struct cut *c, uint64_t align)
{
	static const uint8_t zeros[64];
	uint64_t n = aligned(c->pos, align) - c->pos, some;

	for (; n > 0; n -= some) {
		some = n < 8 * sizeof(zeros) ? n : 8 * sizeof(zeros);
		out_bits(c, zeros, 0, some);
	}
}

/* Write the value there in the head as it was read. */
static void
head_set(struct cut *c, enum ctf_role role, uint64_t v)
{
	const struct ctf_type *t = c->vals.type[role];
	const uint64_t at = c->vals.at[role];
	uint32_t i;

	if (!has(c, role) || c->vals.val[role] == v)
		return;
	if (role == ROLE_BEGIN || role == ROLE_END)
		v &= UINT64_MAX >> (64 - t->bits);
	if (t->leb || (t->bits < 64 && v >> t->bits != 0))
		die("%s: packet at byte %llu: %llu does not fit into its "
		    "context", c->from, (unsigned long long)c->pkt,
		    (unsigned long long)v);
	for (i = 0; i < t->bits; i++)
		bit_put(c->head, at + i, t->big, (int)(v >> (t->big !=
		    t->turned ? t->bits - 1 - i : i) & 1));
	c->vals.val[role] = v;
}

/* The counts of the next packet.  Nobody asks the first one what came before. */
static void
head_counts(struct cut *c)
{
	struct row *r = c->row;

	if (r->any)
		r->seq += 1 + c->lost;
	r->any = 1;
	r->discarded += c->discarded;
	c->lost = c->discarded = 0;
	head_set(c, ROLE_SEQ, r->seq);
	head_set(c, ROLE_DISCARDED, r->discarded);
	r->end = has(c, ROLE_END) ?
	    ctf_ns(c->class->endclock, c->vals.val[ROLE_END]) :
	    ctf_ns(c->class->clock, c->vals.val[ROLE_BEGIN]);
}

/* The time, of which these are the low bits, for who has read the one before. */
static uint64_t
time_read(uint64_t before, uint64_t v, uint32_t bits)
{
	const uint64_t mask = UINT64_MAX >> (64 - bits);

	if (bits == 64)
		return v;
	v &= mask;
	return ((v < (before & mask) ? before + mask + 1 : before) & ~mask) |
	    v;
}

static void
packet_begin(struct cut *c)
{
	if (c->out == NULL)
		c->out = export_dir_file(c->path);
	c->open = 1;
	c->start = ftello(c->out);
	if (c->start > 0 && !has(c, ROLE_PACKET) && !has(c, ROLE_CONTENT))
		die("%s: packets without sizes cannot be cut so", c->from);
	c->pos = c->headlen;
	out_write(c, c->head, (size_t)(c->headlen / 8));
	c->part = c->headlen % 8 == 0 ? 0 : c->head[c->headlen / 8];
}

/* Copy the bits that wait, which are in the packet that is read. */
static void
run_flush(struct cut *c)
{
	uint64_t n, skip;

	if (!c->open)
		packet_begin(c);
	for (; c->runfrom < c->runto; c->runfrom += n) {
		skip = c->runfrom % 8;
		n = c->runto - c->runfrom;
		if (n > 8 * (BLOCK - 1))
			n = 8 * (BLOCK - 1);
		out_bits(c, in_bytes(c, c->pkt + c->runfrom / 8,
		    (size_t)(skip + n + 7) / 8), skip, n);
	}
}

/*
 * The packet that is written ends here: last, if no more follows of the one
 * that is read.  In our own traces, one that lasts, has no event and tells of
 * no loss, says that nothing was recorded meanwhile.
 */
static void
packet_end(struct cut *c, int last)
{
	uint64_t content;

	run_flush(c);
	content = c->pos;
	out_align(c, 8);
	if (content != c->pos && !(has(c, ROLE_PACKET) && has(c, ROLE_CONTENT)))
		die("%s: packets without sizes cannot be cut so", c->from);
	head_set(c, ROLE_PACKET, c->pos);
	head_set(c, ROLE_CONTENT, content);
	if (c->begins || (c->early && !c->told && c->count > 0))
		head_set(c, ROLE_BEGIN, c->first);
	if (!last || (c->late && !c->told))
		head_set(c, ROLE_END, c->cycles);
	else if (c->trace->ours && c->count == 0 && c->lost > 0 &&
	    c->discarded == 0)
		head_set(c, ROLE_END, c->vals.val[ROLE_BEGIN]);
	else if (c->count > 0)
		head_set(c, ROLE_END, c->end);
	head_counts(c);
	if (fflush(c->out) == EOF || pwrite(fileno(c->out), c->head,
	    c->headbytes, c->start) != (ssize_t)c->headbytes)
		export_dir_die(c->path);
	c->open = c->begins = 0;
	c->count = 0;
}

/* Nothing of the packet is selected away. */
static void
packet_copy(struct cut *c)
{
	uint64_t at = c->headbytes, n;

	if (c->out == NULL)
		c->out = export_dir_file(c->path);
	head_counts(c);
	out_write(c, c->head, c->headbytes);
	for (; at < c->size; at += n) {
		n = c->size - at < BLOCK ? c->size - at : BLOCK;
		out_write(c, in_bytes(c, c->pkt + at, (size_t)n), (size_t)n);
	}
}

/* No more comes of the packet that is read. */
static void
packet_done(struct cut *c)
{
	if (!c->inpacket)
		return;
	c->inpacket = 0;
	if (!c->told && c->count == 0)
		return;
	if (!c->open && !c->begins && c->runfrom == c->headlen &&
	    c->runto == c->limit)
		packet_copy(c);
	else
		packet_end(c, 1);
}

static void
file_done(struct cut *c)
{
	packet_done(c);
	if (c->stream == NULL)
		return;
	if (c->out != NULL)
		export_dir_close(c->out, c->path);
	close(c->in);
	free(c->path);
	free(c->from);
	c->out = NULL;
	c->stream = NULL;
}

/* The path below the directory that is written. */
static char *
below(const struct cut *c, const char *path)
{
	size_t i = 0, n;

	while (n = strlen(c->dirs[i]), strncmp(path, c->dirs[i], n) != 0 ||
	    path[n] != '/')
		i++;
	n += strspn(path + n, "/");
	return c->names == NULL ? format("%s", path + n) :
	    format("%s/%s", c->names[i], path + n);
}

/* The names of several directories, which are kept below the new one. */
static void
name_dirs(struct cut *c)
{
	char *path;
	size_t i, k, n = 0;

	while (c->dirs[n] != NULL)
		n++;
	if (n < 2)
		return;
	if ((c->names = calloc(n + 1, sizeof(*c->names))) == NULL)
		die_errno("malloc");
	for (i = 0; i < n; i++) {
		if ((path = realpath(c->dirs[i], NULL)) == NULL)
			die_errno("%s", c->dirs[i]);
		c->names[i] = format("%s", strrchr(path, '/') + 1);
		free(path);
		for (k = 0; k < i; k++)
			if (strcmp(c->names[k], c->names[i]) == 0)
				die("two of the directories are called %s",
				    c->names[i]);
	}
}

static struct row *
row_of(struct cut *c, const struct ctf_stream *s)
{
	const uint64_t key[] = { (uintptr_t)s->trace, s->class->id,
	    s->hasinstance ? s->instance : s->index,
	    (uint64_t)s->hasinstance };
	const uint64_t hash = map_bytes(0, key, sizeof(key));
	struct row *r = map_get(&c->byhash, hash);

	while (r != NULL && memcmp(r->key, key, sizeof(key)) != 0)
		r = r->same;
	if (r != NULL)
		return r;
	if ((r = calloc(1, sizeof(*r))) == NULL)
		die_errno("malloc");
	memcpy(r->key, key, sizeof(key));
	r->same = map_get(&c->byhash, hash);
	map_put(&c->byhash, hash, r);
	r->next = c->rows;
	c->rows = r;
	return r;
}

static void
file_begin(struct cut *c, const struct ctf_stream *s)
{
	struct stat st;

	file_done(c);
	if ((c->in = regular_open(AT_FDCWD, s->path, O_NOFOLLOW, &st)) == -1)
		die_errno("%s", s->path);
	c->stream = s;
	c->trace = s->trace;
	c->from = format("%s", s->path);
	c->path = below(c, s->path);
	c->row = row_of(c, s);
	c->fill = 0;
	c->cycles = 0;
}

/* Something is wanted of the packet in which the stream is. */
static void
packet_at(struct cut *c, const struct ctf_stream *s)
{
	if (c->stream != s)
		file_begin(c, s);
	if (c->inpacket && c->pkt == s->pkt)
		return;
	packet_done(c);
	c->inpacket = 1;
	c->class = s->class;
	c->pkt = s->pkt;
	c->size = s->nextpkt - s->pkt;
	c->limit = 8 * (s->last - s->pkt) + s->lastbit;
	head_read(c, s);
	c->runfrom = c->runto = c->headlen;
	c->end = c->vals.val[ROLE_END];
	c->early = has(c, ROLE_BEGIN) && s->class->beginbits == 64 &&
	    ctf_ns(s->class->clock, c->vals.val[ROLE_BEGIN]) < s->since;
	c->late = s->class->endclock == s->class->clock && s->end > s->until;
	c->told = c->begins = 0;
	c->count = c->lost = c->discarded = 0;
}

/*
 * Events.
 */

/* The event's bytes. */
static void
event_cur(struct cut *c, const struct ctf_stream *s, struct ctf_cur *cur)
{
	const size_t n = (size_t)(s->off + s->pos + (s->bit != 0) - s->at);

	memset(cur, 0, sizeof(*cur));
	cur->buf = cur->p = in_bytes(c, s->at, n);
	cur->bit = s->atbit;
	cur->end = cur->buf + n;
	cur->bias = s->at - s->pkt;
	cur->vals = s->vals;
}

/* The bits of time in its header. */
static uint32_t
time_bits(struct cut *c, const struct ctf_stream *s)
{
	const struct ctf_sclass *sc = s->class;
	struct ctf_vals v;
	struct ctf_cur cur;

	if (sc->headlen != 0 || sc->header == NULL)
		return sc->headtime.type == NULL ? 64 : sc->headtime.type->bits;
	event_cur(c, s, &cur);
	v.has = 0;
	(void)ctf_walk(&cur, sc->header, &v);
	return v.has & 1 << ROLE_TIME ? v.timebits : 64;
}

/* Before the event: will who reads it know its time? */
static void
event_time(struct cut *c, const struct ctf_stream *s)
{
	const uint32_t bits = time_bits(c, s);
	uint64_t t = c->cycles;
	int again = 0;

	if (c->count > 0 && time_read(t, s->cycles, bits) != s->cycles) {
		packet_end(c, 0);
		again = 1;
	}
	if (c->count == 0) {
		if (has(c, ROLE_BEGIN))
			t = time_read(t, c->vals.val[ROLE_BEGIN],
			    c->class->beginbits);
		c->first = s->cycles;
		c->begins = again || time_read(t, s->cycles, bits) != s->cycles;
	}
	if (c->begins && (!has(c, ROLE_BEGIN) || time_read(c->cycles,
	    c->first, c->class->beginbits) != c->first))
		die("%s: packets do not tell when they begin: what is left of "
		    "them would have other times", c->from);
	c->cycles = s->cycles;
	c->count++;
}

/* The largest alignment of all that is in the type. */
static uint64_t
largest(const struct ctf_type *t)
{
	uint64_t most = t->align, n;
	size_t i;

	if (t->elem != NULL && (n = largest(t->elem)) > most)
		most = n;
	for (i = 0; i < t->nfields; i++)
		if ((n = largest(t->fields[i].type)) > most)
			most = n;
	return most;
}

/* The same, of all parts of an event. */
static uint64_t
event_largest(struct cut *c, const struct ctf_stream *s)
{
	const struct ctf_type *parts[] = { s->class->header,
	    s->class->context, s->event->context, s->event->fields };
	const uint64_t key = (uintptr_t)s->event;
	uint64_t most = (uintptr_t)map_get(&c->aligns, key), n;
	size_t i;

	if (most > 0)
		return most;
	for (most = 1, i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i] != NULL && (n = largest(parts[i])) > most)
			most = n;
	map_put(&c->aligns, key, (void *)(uintptr_t)most);
	return most;
}

/*
 * Move a value to the next place that suits it.  What is in it moves with it,
 * unless there is a larger alignment inside: variants have none of their own.
 */
static void
type_move(struct cut *c, struct ctf_cur *cur, const struct ctf_type *t)
{
	const struct ctf_field *f = t->fields, *end = f + t->nfields;
	struct ctf_cur at;
	uint64_t n;

	ctf_to(cur, t);
	out_align(c, t->align);
	at = *cur;
	if (largest(t) == t->align) {
		(void)ctf_walk_type(cur, t);
		n = 8 * (uint64_t)(cur->p - at.p) + cur->bit - at.bit;
		out_bits(c, at.p, at.bit, n);
		return;
	}
	if (t->kind == CTF_ARRAY || t->kind == CTF_SEQ) {
		for (n = ctf_count(cur, t); n > 0; n--)
			type_move(c, cur, t->elem);
		return;
	}
	if (t->kind == CTF_VARIANT) {
		if ((f = ctf_option(cur, t)) == NULL)
			return;
		end = f + 1;
	}
	for (; f < end; f++) {
		at = *cur;
		if (f->slot != 0 || f->outer != 0)
			cur->vals[f->slot] = cur->vals[f->outer] =
			    ctf_take(&at, f->type);
		type_move(c, cur, f->type);
	}
}

/* Put the event where the one before ends, at a place that suits it. */
static void
event_place(struct cut *c, const struct ctf_stream *s, uint64_t from,
    uint64_t to)
{
	const struct ctf_type *parts[] = { s->class->header,
	    s->class->context, s->event->context, s->event->fields };
	const uint64_t align = parts[0] == NULL ? 1 : parts[0]->align;
	struct ctf_cur cur;
	size_t i;

	run_flush(c);
	out_align(c, align);
	c->runfrom = aligned(from, align);
	c->runto = to;
	if ((c->pos - c->runfrom) % event_largest(c, s) == 0)
		return;
	event_cur(c, s, &cur);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i] != NULL)
			type_move(c, &cur, parts[i]);
	c->runfrom = to;
}

static int
is_within(const struct cut *c, const struct ctf_stream *s, uint64_t at)
{
	const struct range *r = c->ranges == NULL ? NULL :
	    &c->ranges[s->index];

	return r == NULL || (r->any && at >= r->first && at <= r->last);
}

/* An event of a module is wanted for the names that others get of it. */
static void
cut_module(void *arg, struct ctf_stream *s)
{
	struct cut *c = arg;
	const uint64_t from = 8 * (s->at - s->pkt) + s->atbit;
	const uint64_t to = 8 * (s->off + s->pos - s->pkt) + s->bit;

	packet_at(c, s);
	if (c->count > 0 && s->at == c->at && s->atbit == c->atbit)
		return;				/* it was selected, too */
	c->at = s->at;
	c->atbit = s->atbit;
	event_time(c, s);
	if (from == c->runto && (!c->open ? c->runfrom == c->headlen :
	    c->runfrom < from &&
	    (c->pos - c->runfrom) % event_largest(c, s) == 0))
		c->runto = to;
	else
		event_place(c, s, from, to);
}

static void
cut_event(void *arg, struct ctf_stream *s)
{
	if (is_within(arg, s, s->at))
		cut_module(arg, s);
}

/*
 * Losses.
 */

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
 * A packet without events that ends at that time, before the one that is read.
 * It begins earlier: babeltrace2 turns the order of two that begin together.
 */
static void
packet_empty(struct cut *c, int64_t ns)
{
	static const enum ctf_role roles[] = { ROLE_BEGIN, ROLE_END,
	    ROLE_CONTENT, ROLE_PACKET };
	const struct ctf_vals was = c->vals;
	const uint8_t part = c->head[c->headlen / 8];
	uint64_t begin = cycles_at(c->class->clock, ns), at;
	size_t i;

	head_set(c, ROLE_BEGIN, begin - (begin > 0));
	head_set(c, ROLE_END, cycles_at(c->class->endclock, ns));
	packet_end(c, 1);
	for (at = c->headlen; at % 8 != 0; at++)
		bit_put(c->head, at, c->trace->big,
		    bit_get(&part, at % 8, c->trace->big));
	for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		head_set(c, roles[i], was.val[roles[i]]);
}

/*
 * The packet is written, for it tells of a loss since then.  If the one before
 * did not end at that time, or is not there, one without events comes first.
 */
static void
loss_at(struct cut *c, const struct ctf_stream *s, int64_t since, int first)
{
	int told;

	packet_at(c, s);
	told = c->told;
	c->told = 1;
	if (!told && (c->row->any ? c->row->end != since : !first))
		packet_empty(c, since);
}

static void
cut_discarded(void *arg, const struct ctf_stream *s)
{
	struct cut *c = arg;

	if (!is_within(c, s, s->pkt))
		return;
	loss_at(c, s, s->from, s->ndiscarded == 0);
	c->discarded = s->ndiscarded != 0 ? s->ndiscarded : s->discarded;
}

static void
cut_lost(void *arg, const struct ctf_stream *s)
{
	struct cut *c = arg;

	if (!is_within(c, s, s->pkt))
		return;
	loss_at(c, s, s->lostfrom, 0);
	c->lost = s->nlost;
}

/*
 * The first packet's sequence number says that there were others before.  What
 * is missing later a packet says that has no events.
 */
static void
cut_gone(void *arg, const struct ctf_stream *s)
{
	struct cut *c = arg;
	struct row *r = row_of(c, s);

	if (s->gonefrom == INT64_MIN) {
		if (!r->any)
			r->seq = s->seq;
	} else if (is_within(c, s, s->pkt)) {
		packet_at(c, s);
		c->told = 1;
	}
}

static const struct reader_ops cut_ops = { cut_event, cut_discarded, cut_lost,
    NULL, cut_module, NULL, cut_gone };

/*
 * The count of -n, which is of events in the order of time: they are read twice.
 */

static void
range_add(struct cut *c, const struct ctf_stream *s, uint64_t at)
{
	struct range *r = &c->ranges[s->index];

	if (!r->any++)
		r->first = at;
	r->last = at;
	c->since = s->ns < c->since ? s->ns : c->since;
	c->until = s->ns > c->until ? s->ns : c->until;
}

static void
range_event(void *arg, struct ctf_stream *s)
{
	range_add(arg, s, s->at);
}

static void
range_loss(void *arg, const struct ctf_stream *s)
{
	range_add(arg, s, s->pkt);
}

static void
cut_count(struct cut *c, struct reader *rd)
{
	static const struct reader_ops ops = { range_event, range_loss,
	    range_loss, NULL, NULL, NULL, NULL };
	struct reader again;
	size_t i;

	c->since = INT64_MAX;
	c->until = INT64_MIN;
	if ((c->ranges = calloc(rd->nfound + 1, sizeof(*c->ranges))) == NULL)
		die_errno("malloc");
	reader_again(rd, &again);
	again.left = rd->left;
	again.skip = rd->skip;
	ctf_damage_hush(1);
	reader_merge(&again, &ops, c);
	ctf_damage_hush(0);
	free(again.streams);
	rd->skip = 0;
	rd->left = ULLONG_MAX;
	for (i = 0; i < rd->nstreams; i++) {
		if (rd->streams[i]->since < c->since)
			rd->streams[i]->since = c->since;
		if (rd->streams[i]->until > c->until)
			rd->streams[i]->until = c->until;
	}
}

static void
cut_read(struct cut *c, struct reader *rd)
{
	struct ctf_trace *tr;

	for (tr = rd->traces; tr != NULL; tr = tr->next)
		reader_trace(rd, &cut_ops, tr);
	if (rd->select != NULL)
		reader_times(rd);
	reader_rows(rd);
	reader_count(rd);
	if (rd->select != NULL && rd->select->count_given)
		cut_count(c, rd);
	rd->apart = 1;
	reader_merge(rd, &cut_ops, c);
	file_done(c);
}

static void
copy_file(struct cut *c, const char *file)
{
	char *path = below(c, file);
	FILE *out = export_dir_file(path);
	char buf[4096];
	struct stat st;
	ssize_t n;
	int in;

	if ((in = regular_open(AT_FDCWD, file, O_NOFOLLOW, &st)) == -1)
		die_errno("%s", file);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (fwrite(buf, (size_t)n, 1, out) != 1)
			export_dir_die(path);
	if (n == -1)
		die_errno("%s", file);
	close(in);
	export_dir_close(out, path);
	free(path);
}

static void
cut_free(struct cut *c)
{
	struct row *r;
	size_t i;

	for (i = 0; c->names != NULL && c->names[i] != NULL; i++)
		free(c->names[i]);
	free(c->names);
	while ((r = c->rows) != NULL) {
		c->rows = r->next;
		free(r);
	}
	map_free(&c->byhash);
	map_free(&c->aligns);
	free(c->ranges);
	free(c->head);
	free(c->buf);
}

/*
 * Without metadata, a directory is no trace: these come last, so that what was
 * killed does not look as if it were whole.
 */
void
export_ctf(struct reader *rd, char **dirs, const char *to)
{
	struct ctf_trace *tr;
	struct cut c;

	memset(&c, 0, sizeof(c));
	c.dirs = dirs;
	name_dirs(&c);
	export_dir(to);
	cut_read(&c, rd);
	for (tr = rd->traces; tr != NULL; tr = tr->next) {
		if (tr->points_file != NULL)
			copy_file(&c, tr->points_file);
		copy_file(&c, tr->file);
	}
	export_dir_keep();
	cut_free(&c);
}
