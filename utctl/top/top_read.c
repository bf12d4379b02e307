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
 * utctl top: the files that a session writes.
 *
 * Headers of packets tell exactly whose bytes came, and what was lost.  Events
 * are counted in the packets, of which no more are read than a bound of bytes a
 * second allows: where more come, one of so many packets is read, evenly over
 * all files, and what is counted there is scaled by bytes.  The packets of
 * threads that trace rarely are all read: these alone tell their threads in
 * each event.
 *
 * If all packets are read, their events make pairs in the order of time.  Else
 * a pair is seen only where one packet has both ends.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../ctf/ctf_stack.h"
#include "../ctf/reader.h"
#include "../show/follow.h"
#include "../show/hist.h"
#include "../show/pair.h"
#include "../show/show.h"
#include "common/compat.h"
#include "top.h"

#define WINDOW	(32 << 10)	/* bytes of a file in memory */
#define MERGED	(64 << 10)	/* packets that wait for others */

static struct reader	 files;		/* all streams are idle ones */
static struct reader	 merged;	/* a stream for each packet */
static struct watch	 watch;
static struct top_sums	 sums;
static struct map	 classes;	/* rows, by classes of events */
static struct map	 durations;	/* rows of pairs; they stay */
static struct top_row	 unseen;	/* pairs that are not shown */
static struct pairs	 pairs;
static int		 pairing;	/* -d or -D */
static uint64_t		 bound;		/* bytes for a second; 0: all */
static uint64_t		 stride, turn;	/* one of `stride' packets is read */
static int		 begun;		/* the first look is over */
static int64_t		 looked;	/* ns: the last look */
static int64_t		 taken;		/* ns: when sums began */
/* Dates in ns: since when pairs are read, and until when they are known. */
static int64_t		 pairs_since, paired;
static double		 events_now;	/* since that, as are these two */
static uint64_t		 came_now, read_now;

static int64_t
now_ns(clockid_t clock)
{
	struct timespec ts;

	ut_clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static struct top_row *
row_of(struct map *rows, const char *name)
{
	const uint64_t key = map_bytes(0, name, strlen(name));
	struct top_row *row = map_get(rows, key);

	if (row != NULL)
		return row;
	row = xcalloc(1, sizeof(*row));
	row->name = format("%s", name);
	map_put(rows, key, row);
	return row;
}

static struct top_row *
row_of_event(const struct ctf_eclass *ev)
{
	struct top_row *row = map_get(&classes, (uintptr_t)ev);

	if (row == NULL) {
		row = row_of(&sums.rows[TOP_EVENT], ev->name);
		map_put(&classes, (uintptr_t)ev, row);
	}
	return row;
}

static struct top_row *
row_of_program(const struct ctf_who *who)
{
	return row_of(&sums.rows[TOP_PROGRAM], who->name[0] == '\0' ? "-" :
	    who->name);
}

static struct top_row *
row_of_thread(const struct ctf_who *who)
{
	char name[sizeof(who->name) + 2 * 21 + 4], pid[21] = "", tid[21] = "";

	if (who->has & 1 << ROLE_VPID)
		snprintf(pid, sizeof(pid), "%" PRId64, who->vpid);
	if (who->has & 1 << ROLE_VTID)
		snprintf(tid, sizeof(tid), "%" PRId64, who->vtid);
	snprintf(name, sizeof(name), "%s[%s:%s]", who->name, pid, tid);
	return row_of(&sums.rows[TOP_THREAD], name);
}

/*
 * Pairs.
 */

static void *
pair_begin(void *arg, const struct ctf_stream *s, const char *name,
    const struct ctf_field_at *at, uint64_t address)
{
	char text[PAIR_NAME];

	(void)arg;
	(void)s;
	snprintf(text, sizeof(text), at != NULL ? "%s 0x%" PRIx64 : "%s", name,
	    address);
	return row_of(&durations, text);
}

/* One packet is of one thread, so there its pairs would be those that stay. */
static void *
pair_begin_key(void *arg, const struct ctf_stream *s, const char *name)
{
	(void)arg;
	(void)s;
	return stride > 1 ? &unseen : row_of(&durations, name);
}

static void
pair_ended(void *arg, const struct ctf_stream *s, const struct pair_end *e)
{
	struct top_row *row = e->what;

	(void)arg;
	(void)s;
	if (row != &unseen && e->begin + e->took >= pairs_since)
		hist_add(&row->took, (double)e->took);
}

static void
merged_event(void *arg, struct ctf_stream *s)
{
	(void)arg;
	pairs_event(&pairs, s, PAIR_FITS);
}

static void
merged_lost(void *arg, const struct ctf_stream *s)
{
	(void)arg;
	pairs_lose(&pairs, s);
}

/* The packet alone, as a stream, with what was lost before it. */
static void
packet_merge(const struct ctf_stream *s)
{
	struct ctf_stream *c = stream_copy(s);

	if (s->nvals > 0) {
		c->vals = xcalloc(s->nvals, sizeof(*c->vals));
		memcpy(c->vals, s->vals, s->nvals * sizeof(*c->vals));
		c->nvals = s->nvals;
	}
	c->fd = -1;
	c->buf = NULL;
	c->off += c->pos;
	c->cap = c->fill = c->pos = c->stop = 0;
	c->basecap = READER_LITTLE;
	c->size = c->nextpkt;
	c->growing = 0;
	if (reader_next(&merged, c))
		stream_add(&merged, c);
	else
		stream_free(c);
}

static int
is_there(const struct ctf_trace *old)
{
	const struct ctf_trace *tr;

	for (tr = files.traces; tr != NULL && tr != old;)
		tr = tr->next;
	return tr != NULL;
}

/* The trace is new, or comes in the place of the one from the same file. */
static void
note_trace(struct ctf_trace *tr)
{
	struct ctf_stream *s;
	size_t i, n = 0;

	pairs_trace(&pairs, tr);
	for (i = 0; i < merged.nstreams; i++) {
		s = merged.streams[i];
		if (!is_there(s->trace) || (s->trace != tr &&
		    strcmp(s->trace->file, tr->file) == 0 &&
		    !ctf_again(s, tr, s->item == ITEM_EVENT)))
			stream_free(s);
		else
			merged.streams[n++] = s;
	}
	merged.nstreams = n;
	reader_sort(&merged);
}

/*
 * Packets.
 */

static void
event_count(const struct ctf_stream *s)
{
	struct top_row *row = row_of_event(s->event), *program, *thread;
	const uint64_t bytes = s->off + s->pos - s->at;
	struct ctf_who buf;
	const struct ctf_who *who;

	if (!s->class->eventwho) {
		row->now++;
		row->read += bytes;
		return;
	}
	who = ctf_whose(s, &buf);
	program = row_of_program(who);
	thread = row_of_thread(who);
	row->events++;
	program->events++;
	thread->events++;
	sums.events++;
	row->bytes += bytes;
	program->bytes += bytes;
	thread->bytes += bytes;
}

/* Count the events of the packet, and return how many there are. */
static uint64_t
packet_read(struct ctf_stream *s)
{
	const uint64_t size = s->size;
	const int apart = pairing && stride > 1;
	uint64_t n = 0;

	if (apart)
		pairs_cut(&pairs, s);
	s->size = s->nextpkt;
	while (ctf_read(s)) {
		if (s->event->stack != NULL && s->event->stack->hidden)
			continue;
		event_count(s);
		n++;
		if (apart)
			pairs_event(&pairs, s, PAIR_FITS);
	}
	s->size = size;
	if (apart)
		pairs_cut(&pairs, s);
	return n;
}

static void
losses_count(const struct ctf_stream *s)
{
	const uint64_t lost = s->discards ? s->ndiscarded : 0;

	sums.packets_lost += s->nlost;
	if (lost == 0)
		return;
	sums.lost += lost;
	row_of_program(&s->who)->lost += lost;
	row_of_thread(&s->who)->lost += lost;
}

static void
packet_count(struct ctf_stream *s)
{
	const uint64_t bytes = s->limit - (s->off + s->pos);
	struct top_row *program, *thread;
	uint64_t n;

	losses_count(s);
	if (pairing && stride == 1)
		packet_merge(s);
	s->gone = s->discards = 0;
	s->nlost = 0;
	sums.bytes += bytes;
	if (s->class->eventwho) {
		sums.read += bytes;
		(void)packet_read(s);
		return;
	}
	program = row_of_program(&s->who);
	thread = row_of_thread(&s->who);
	program->came += bytes;
	thread->came += bytes;
	came_now += bytes;
	if (turn++ % stride != 0)
		return;
	n = packet_read(s);
	sums.read += bytes;
	program->now += n;
	thread->now += n;
	program->read += bytes;
	thread->read += bytes;
	events_now += (double)n;
	read_now += bytes;
}

static void
stream_look(struct ctf_stream *s)
{
	while (ctf_packet_open(s) != -1) {
		if (s->inpacket && begun)
			packet_count(s);
		s->gone = s->discards = s->inpacket = 0;
		s->nlost = 0;
	}
	ctf_window_drop(s);
}

/* Scale counts since the last look, which stand for all that came. */
static void
row_scale(struct top_row *row, enum top_by by)
{
	const double each = read_now == 0 ? 0 : events_now / (double)read_now;
	const double all = read_now == 0 ? 0 :
	    (double)came_now / (double)read_now;

	if (by == TOP_EVENT) {
		row->events += (double)row->now * all;
		row->bytes += (uint64_t)((double)row->read * all);
	} else if (row->read == 0) {
		row->events += (double)row->came * each;
		row->bytes += row->came;
	} else {
		row->events += (double)row->now *
		    ((double)row->came / (double)row->read);
		row->bytes += row->came;
	}
	row->came = row->now = row->read = 0;
}

static void
sums_scale(void)
{
	enum top_by by;
	size_t i;

	for (by = TOP_EVENT; by <= TOP_THREAD; by++)
		for (i = 0; i < sums.rows[by].cap; i++)
			if (sums.rows[by].v[i].value != NULL)
				row_scale(sums.rows[by].v[i].value, by);
	if (read_now > 0)
		sums.events += events_now *
		    ((double)came_now / (double)read_now);
	events_now = 0;
	came_now = read_now = 0;
}

/* The next file in which more may be, from that one on; or NULL. */
static struct ctf_stream *
stream_next(size_t *i)
{
	struct ctf_stream *s;

	while (*i < files.nidle) {
		s = files.idle[(*i)++];
		if (s->trace->away == 0 && s->placed && s->nextpkt < s->size)
			return s;
	}
	return NULL;
}

/* Choose evenly: one of so many packets of all files, the first by chance. */
static void
choose(int64_t now)
{
	struct ctf_stream *s;
	uint64_t most, n = 0;
	size_t i = 0;

	stride = 1;
	if (!begun)
		return;			/* nothing is read of what is there */
	while ((s = stream_next(&i)) != NULL)
		n += s->size - s->nextpkt;
	most = (uint64_t)((double)bound * (double)(now - looked) / 1e9) + 1;
	stride = bound == 0 || n <= most ? 1 : (n + most - 1) / most;
	turn = map_hash((uint64_t)now) % stride;
	if (stride > 1) {
		sums.partly = 1;
		while (merged.nstreams > 0)
			stream_free(merged.streams[--merged.nstreams]);
	}
}

void
top_look(int64_t hold, int all)
{
	static const struct reader_ops ops = { .trace = note_trace };
	static const struct reader_ops pair_ops = { merged_event, merged_lost,
	    merged_lost, NULL, NULL, NULL, merged_lost };
	const int64_t now = now_ns(CLOCK_MONOTONIC);
	int64_t upto = now_ns(CLOCK_REALTIME);
	struct ctf_stream *s;
	size_t i = 0;

	/* Classes of metadata that have grown meanwhile are gone. */
	map_free(&classes);
	memset(&classes, 0, sizeof(classes));
	follow_look(&files, &watch, &ops);
	choose(now);
	while ((s = stream_next(&i)) != NULL) {
		s->basecap = WINDOW;
		stream_look(s);
	}
	sums_scale();
	reader_sort(&merged);
	if (!all && merged.nstreams <= MERGED)
		upto -= hold;
	(void)reader_upto(&merged, &pair_ops, NULL, all ||
	    merged.nstreams > MERGED ? INT64_MAX : upto);
	if (pairing && paired == 0)
		paired = pairs_since = now_ns(CLOCK_REALTIME);
	else if (pairing && upto > paired) {
		sums.pairs_ns += upto - paired;
		paired = upto;
	}
	begun = 1;
	looked = now;
}

int64_t
top_quiet(void)
{
	const struct ctf_trace *tr;
	struct stat st;
	time_t newest = 0;
	size_t i;

	for (tr = files.traces; tr != NULL; tr = tr->next)
		if (lstat(tr->file, &st) == 0 && st.st_mtime > newest)
			newest = st.st_mtime;
	for (i = 0; i < files.nidle; i++)
		if (lstat(files.idle[i]->path, &st) == 0 &&
		    st.st_mtime > newest)
			newest = st.st_mtime;
	return files.traces == NULL ? -1 : (int64_t)(time(NULL) - newest);
}

void
top_take(struct top_sums *to)
{
	const int64_t now = now_ns(CLOCK_MONOTONIC);
	struct top_row *row;
	size_t i;

	for (i = 0; i < durations.cap; i++) {
		if ((row = durations.v[i].value) == NULL || row->took.n == 0)
			continue;
		row_of(&sums.rows[TOP_PAIR], row->name)->took = row->took;
		memset(&row->took, 0, sizeof(row->took));
	}
	sums.ns = now - taken;
	sums.pairing = pairing;
	taken = now;
	*to = sums;
	memset(&sums, 0, sizeof(sums));
	map_free(&classes);
	memset(&classes, 0, sizeof(classes));
}

void
top_sums_free(struct top_sums *ss)
{
	struct top_row *row;
	size_t by, i;

	for (by = 0; by < TOP_TABLES; by++) {
		for (i = 0; i < ss->rows[by].cap; i++)
			if ((row = ss->rows[by].v[i].value) != NULL) {
				hist_free(&row->took);
				free(row->name);
				free(row);
			}
		map_free(&ss->rows[by]);
	}
	memset(ss, 0, sizeof(*ss));
}

void
top_read_pair(const char *pair)
{
	if (pair == NULL)
		pairs.named = 1;
	else
		pairs_add(&pairs, pair);
	pairing = 1;
}

void
top_read_pairs(void)
{
	struct ctf_trace *tr;

	if (pairing)
		return;
	top_read_pair(NULL);
	for (tr = files.traces; tr != NULL; tr = tr->next)
		pairs_trace(&pairs, tr);
}

/* Before the others. */
void
top_read_init(void)
{
	static const struct pair_ops ops = { .begin = pair_begin,
	    .end = pair_ended, .begin_key = pair_begin_key };

	pairs_init(&pairs);
	pairs.ops = &ops;
}

void
top_read_begin(const char *dir, uint64_t most)
{
	watch.dir = dir;
	bound = most;
	files.follow = 1;
	reader_count(&files);
	reader_count(&merged);
	looked = taken = now_ns(CLOCK_MONOTONIC);
}

void
top_read_say(void)
{
	ctf_damage_say();
	if (pairing)
		pairs_say(&pairs);
}
