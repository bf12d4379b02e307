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
 * The answers to a viewer, in LTTng's live protocol, version 2.4.
 * It is described in doc/live-reading-protocol of lttng-tools, and its
 * structures are in lttng-viewer-abi.h of babeltrace2, under the MIT licence.
 * Numbers are in network order; the viewer asks, and each question has one
 * answer.
 *
 * A viewer merges streams by time: it prints nothing before each stream has
 * told what comes next, or that nothing comes before some time.  It hears of
 * new streams only with a packet.  Both are easy to promise for one stream of
 * our own, the beat, which is the first that the viewer asks for.  No event is
 * in it.  It tells the time before which all is in the files (v->upto), and
 * stands still there until the viewer knows all streams; other streams without
 * a packet stand a little later.  So the viewer prints nothing after the beat,
 * whatever packets it has got, and what comes later is never before what was
 * printed.
 */

#include <sys/types.h>
#include <sys/socket.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"
#include "viewer.h"

#define MAJOR		2
#define MINOR		4
#define SESSION		1		/* the ID of the one that there is */
#define BEAT		1		/* ID of the beat's stream, ... */
#define BEAT_TRACE	2		/* ... and of its trace */
#define IDS		100		/* others have larger ones */
#define LIVE_TIMER	1000000		/* us: 0 would mean: not live */
#define STEP		INT64_C(100000000)	/* ns between two beats */
/*
 * Streams without a packet stand at times apart, of which the beat has the
 * first: babeltrace2 warns of equal ones.  It converts them with floating-point
 * numbers, so they are more than some ns apart.
 */
#define APART		INT64_C(1000)	/* ns */
#define TIMES		1000
#define PIECE		(1 << 20)	/* bytes of an answer's data */
#define STREAMS		256		/* in one answer */
#define PATH_LEN	4096		/* sizes of LTTng's arrays */
#define NAME_LEN	255
#define HOST_LEN	64

#define SIGNATURE	"/* CTF 1.8 */\n"

/* Answers: these are 1 in all of them. */
#define OK		1
#define ATTACH_UNKNOWN	3
#define ATTACH_SEEK	5
#define SEEK_BEGINNING	1
#define SEEK_LAST	2
#define INDEX_RETRY	2
#define INDEX_HUP	3
#define INDEX_ERR	4
#define INDEX_INACTIVE	5
#define PACKET_ERR	3
#define METADATA_NONE	2
#define METADATA_ERR	3
#define STREAMS_NONE	2
#define STREAMS_ERR	3
#define STREAMS_HUP	4
#define DETACH_UNKNOWN	2
#define FLAG_METADATA	1
#define FLAG_STREAMS	2

enum state {
	STATE_NEW,
	STATE_CONNECTED,
	STATE_CREATED,
	STATE_ATTACHED
};

/* The trace of the beat: a clock, from 1970 on, and packets without events. */
static const char beat_metadata[] = SIGNATURE
    "typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
    "trace { major = 1; minor = 8; byte_order = be; packet.header := struct {"
    " integer { size = 32; align = 8; signed = false; } magic; }; };\n"
    "clock { name = beat; freq = 1000000000; absolute = TRUE; };\n"
    "typealias integer { size = 64; align = 8; signed = false;"
    " map = clock.beat.value; } := time;\n"
    "stream { packet.context := struct { time timestamp_begin;"
    " time timestamp_end; u64 content_size; u64 packet_size; }; };\n";

#define BEAT_LEN	36		/* bytes of its packets */

/*
 * Numbers.
 */

static uint64_t
get_number(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | *p++;
	return v;
}

static uint8_t *
out_room(struct viewer *v, size_t n)
{
	uint8_t *p;

	if (v->nout + n > v->outcap) {
		v->outcap = 2 * v->outcap + n;
		v->out = xrealloc(v->out, v->outcap);
	}
	p = v->out + v->nout;
	v->nout += n;
	return p;
}

static void
put_number(struct viewer *v, uint64_t value, size_t n)
{
	uint8_t *p = out_room(v, n);

	while (n-- > 0) {
		p[n] = value & 0xff;
		value >>= 8;
	}
}

static void
put_u32(struct viewer *v, uint32_t value)
{
	put_number(v, value, 4);
}

static void
put_u64(struct viewer *v, uint64_t value)
{
	put_number(v, value, 8);
}

/* A string in an array of that size: the rest is zeros, one at least. */
static void
put_text(struct viewer *v, const char *s, size_t size)
{
	uint8_t *p = out_room(v, size);

	memset(p, 0, size);
	memcpy(p, s, strnlen(s, size - 1));
}

/*
 * Streams.
 */

static void
put_stream(struct viewer *v, uint64_t id, uint64_t trace, int metadata,
    const char *dir, const char *name)
{
	put_u64(v, id);
	put_u64(v, trace);
	put_u32(v, (uint32_t)metadata);
	put_text(v, dir, PATH_LEN);
	put_text(v, name, NAME_LEN);
}

/* A stream with its path below the session's directory. */
static void
put_row(struct viewer *v, const struct vstream *w)
{
	const char *path = source_stream(w->file)->path + strlen(source.dir);
	char *dir = format("%s", path + (*path == '/'));
	char *name = strrchr(dir, '/');
	const int first = w->trace->nstreams == 1;

	if (name != NULL)
		*name++ = '\0';
	if (first)
		put_stream(v, w->trace->id, w->trace->id, 1, dir, "metadata");
	put_stream(v, w->id, w->trace->id, 0, dir, name == NULL ? dir : name);
	free(dir);
}

/* All streams that are new to the viewer, or many of them; the count first. */
static void
put_streams(struct viewer *v, int beat)
{
	const size_t at = v->nout;
	struct vstream *w;
	uint32_t n = 0;
	size_t len, i;

	put_u32(v, 0);
	if (beat) {
		put_stream(v, BEAT_TRACE, BEAT_TRACE, 1, "beat", "metadata");
		put_stream(v, BEAT, BEAT_TRACE, 0, "beat", "beat");
		n = 2;
	}
	for (i = 0; i < STREAMS && (w = vstream_new(v)) != NULL; i++) {
		len = v->nout;
		put_row(v, w);
		n += (uint32_t)((v->nout - len) / (8 + 8 + 4 + PATH_LEN +
		    NAME_LEN));
	}
	for (i = 0; i < 4; i++)
		v->out[at + i] = n >> 8 * (3 - i) & 0xff;
}

static void
put_index(struct viewer *v, const struct vstream *w, uint64_t to,
    uint32_t status, uint32_t flags)
{
	const int packet = w != NULL && status == OK;

	put_u64(v, packet ? w->at : 0);
	put_u64(v, packet ? 8 * w->len : 0);
	put_u64(v, packet ? w->content : 0);
	put_u64(v, packet ? w->from : 0);
	put_u64(v, to);
	put_u64(v, packet ? w->discarded : 0);
	put_u64(v, w == NULL ? 0 : w->class);
	put_u32(v, status);
	put_u32(v, flags);
}

/* The time of the beat, as a number of its clock. */
static uint64_t
beat_time(const struct viewer *v)
{
	return v->upto <= TIMES * APART ? 0 :
	    (uint64_t)(v->upto - TIMES * APART);
}

static void
beat_next(struct viewer *v)
{
	v->beat = beat_time(v);
	if (vstream_unknown(v)) {
		put_u64(v, 0);
		put_u64(v, 8 * BEAT_LEN);
		put_u64(v, 8 * BEAT_LEN);
		put_u64(v, v->beat);
		put_u64(v, v->beat);
		put_u64(v, 0);
		put_u64(v, 0);
		put_u32(v, OK);
		put_u32(v, FLAG_STREAMS);
	} else if (source.ended)
		put_index(v, NULL, 0, INDEX_HUP, 0);
	else if (source.searches - v->searches > 1 && source.upto > STEP &&
	    source.upto - STEP > v->upto) {
		v->upto = source.upto;
		put_index(v, NULL, beat_time(v), INDEX_INACTIVE, 0);
	} else
		put_index(v, NULL, 0, INDEX_RETRY, 0);
}

/* The packet of the beat, from that byte on. */
static void
beat_packet(struct viewer *v, uint64_t at, size_t n)
{
	const size_t head = v->nout;
	size_t len;

	put_u32(v, OK);
	put_u32(v, 0);
	put_u32(v, 0);
	put_u32(v, CTF_MAGIC);
	put_u64(v, v->beat);
	put_u64(v, v->beat);
	put_u64(v, 8 * BEAT_LEN);
	put_u64(v, 8 * BEAT_LEN);
	len = at >= BEAT_LEN ? 0 : BEAT_LEN - (size_t)at;
	len = n < len ? n : len;
	memmove(v->out + head + 12, v->out + head + 12 + (len > 0 ? at : 0),
	    len);
	v->nout = head + 12 + len;
	v->out[head + 7] = (uint8_t)len;
	if (len == 0)
		v->out[head + 3] = PACKET_ERR;
}

/*
 * Requests: 0 ends the connection.
 */

static int
on_connect(struct viewer *v, const uint8_t *p)
{
	const uint32_t major = (uint32_t)get_number(p + 8, 4);
	const uint32_t minor = (uint32_t)get_number(p + 12, 4);

	if (major != MAJOR) {
		say("viewer %s: it speaks version %u of the live protocol, "
		    "not %d", v->address, major, MAJOR);
		return 0;
	}
	put_u64(v, SESSION);
	put_u32(v, MAJOR);
	put_u32(v, minor < MINOR ? minor : MINOR);
	put_u32(v, (uint32_t)get_number(p + 16, 4));
	v->state = v->state == STATE_NEW ? STATE_CONNECTED : v->state;
	return 1;
}

static int
on_list(struct viewer *v, const uint8_t *p)
{
	char host[HOST_LEN] = "";

	(void)p;
	(void)gethostname(host, sizeof(host) - 1);
	put_u32(v, 1);
	put_u64(v, SESSION);
	put_u32(v, LIVE_TIMER);
	put_u32(v, 0);
	put_u32(v, (uint32_t)source.files.nidle);
	put_text(v, host, HOST_LEN);
	put_text(v, source.name, NAME_LEN);
	return 1;
}

static int
on_create(struct viewer *v, const uint8_t *p)
{
	(void)p;
	put_u32(v, OK);
	v->state = v->state == STATE_ATTACHED ? STATE_ATTACHED : STATE_CREATED;
	return 1;
}

static void
forget(struct viewer *v)
{
	vstreams_free(v);
	v->ids = IDS;
	v->upto = INT64_MIN;
	memset(&v->beat_told, 0, sizeof(v->beat_told));
}

static int
on_attach(struct viewer *v, const uint8_t *p)
{
	const uint64_t seek = get_number(p + 16, 4);

	if (get_number(p, 8) != SESSION || (seek != SEEK_BEGINNING &&
	    seek != SEEK_LAST)) {
		put_u32(v, get_number(p, 8) != SESSION ? ATTACH_UNKNOWN :
		    ATTACH_SEEK);
		put_u32(v, 0);
		return 1;
	}
	source_look(1);
	forget(v);
	v->searches = source.searches;
	v->state = STATE_ATTACHED;
	v->before = v->obeys && seek == SEEK_LAST ? source.files.nfound : 0;
	put_u32(v, OK);
	put_streams(v, 1);
	return 1;
}

static int
on_index(struct viewer *v, const uint8_t *p)
{
	const uint64_t id = get_number(p, 8);
	struct vstream *w = vstream_find(v, id);
	const int64_t upto = v->upto == INT64_MIN ? INT64_MIN :
	    v->upto - (int64_t)(id % TIMES) * APART;
	const struct ctf_trace *tr;
	enum vstream_is is;

	if (id == BEAT) {
		beat_next(v);
		return 1;
	}
	if (w == NULL) {
		put_index(v, NULL, 0, INDEX_ERR, 0);
		return 1;
	}
	is = vstream_next(v, w);
	tr = w->trace->meta->trace;
	if (is == VSTREAM_PACKET)
		put_index(v, w, w->to, OK, w->trace->told.n < w->needs ?
		    FLAG_METADATA : 0);
	else if (is == VSTREAM_OVER) {
		put_index(v, w, 0, INDEX_HUP, 0);
		vstream_free(v, w);
	} else if (is == VSTREAM_NOTHING && (!w->waits || w->told < upto)) {
		/* A new one is always told: else the beat is never asked. */
		w->waits = 1;
		w->told = upto > w->told ? upto : w->told;
		put_index(v, w, source_cycles(source_clock(tr), upto),
		    INDEX_INACTIVE, 0);
	} else
		put_index(v, w, 0, INDEX_RETRY, 0);
	return 1;
}

static void
put_packet(struct viewer *v, uint32_t status, uint32_t len, uint32_t flags)
{
	put_u32(v, status);
	put_u32(v, len);
	put_u32(v, flags);
}

static int
on_packet(struct viewer *v, const uint8_t *p)
{
	const uint64_t id = get_number(p, 8), at = get_number(p + 8, 8);
	struct vstream *w = vstream_find(v, id);
	size_t n = (size_t)get_number(p + 16, 4), head = v->nout;
	ssize_t got;

	if (id == BEAT) {
		beat_packet(v, at, n);
		return 1;
	}
	if (w == NULL || at < w->at || at - w->at >= w->len) {
		put_packet(v, PACKET_ERR, 0, 0);
		return 1;
	}
	if (w->trace->told.n < w->needs) {
		put_packet(v, PACKET_ERR, 0, FLAG_METADATA);
		return 1;
	}
	if (n > w->len - (at - w->at))
		n = (size_t)(w->len - (at - w->at));
	n = n > PIECE ? PIECE : n;
	put_packet(v, OK, (uint32_t)n, 0);
	got = vstream_read(w, out_room(v, n), n, at);
	if (got == -1 || (size_t)got != n || n == 0) {
		v->nout = head;
		put_packet(v, PACKET_ERR, 0, 0);
	}
	return 1;
}

/*
 * Metadata are sent in pieces, the last of which is empty.  The viewer reads
 * all pieces up to that one as one text, so the first of them begins with the
 * signature.
 */
static void
put_metadata(struct viewer *v, const char *text, size_t len, struct told *t)
{
	const size_t head = t->n > 0 && t->n < len && !t->more ?
	    sizeof(SIGNATURE) - 1 : 0;
	size_t n = len - t->n;

	n = n > PIECE ? PIECE : n;
	t->more = n > 0;
	put_u64(v, head + n);
	put_u32(v, n == 0 ? METADATA_NONE : OK);
	memcpy(out_room(v, head), SIGNATURE, head);
	if (n > 0)
		memcpy(out_room(v, n), text + t->n, n);
	t->n += n;
}

static int
on_metadata(struct viewer *v, const uint8_t *p)
{
	const uint64_t id = get_number(p, 8);
	struct trace *t;

	if (id == BEAT_TRACE) {
		put_metadata(v, beat_metadata, sizeof(beat_metadata) - 1,
		    &v->beat_told);
		return 1;
	}
	for (t = v->traces; t != NULL && t->id != id;)
		t = t->next;
	if (t == NULL) {
		put_u64(v, 0);
		put_u32(v, METADATA_ERR);
	} else
		put_metadata(v, t->meta->text, t->meta->len, &t->told);
	return 1;
}

static int
on_streams(struct viewer *v, const uint8_t *p)
{
	const int is = get_number(p, 8) == SESSION;

	if (!is || !vstream_unknown(v)) {
		put_u32(v, !is ? STREAMS_ERR : source.ended ? STREAMS_HUP :
		    STREAMS_NONE);
		put_u32(v, 0);
		return 1;
	}
	put_u32(v, OK);
	put_streams(v, 0);
	return 1;
}

static int
on_detach(struct viewer *v, const uint8_t *p)
{
	const int is = get_number(p, 8) == SESSION;

	put_u32(v, is ? OK : DETACH_UNKNOWN);
	if (is) {
		forget(v);
		v->state = STATE_CREATED;
	}
	return 1;
}

/* Requests by their numbers: bytes behind their heads, and when they come. */
static const struct request {
	size_t		 len;
	enum state	 state;		/* at least */
	int		(*answer)(struct viewer *, const uint8_t *);
} requests[] = {
	[1] = { 20, STATE_NEW,		on_connect },
	[2] = { 0, STATE_CONNECTED,	on_list },
	[3] = { 20, STATE_CREATED,	on_attach },
	[4] = { 8, STATE_ATTACHED,	on_index },
	[5] = { 20, STATE_ATTACHED,	on_packet },
	[6] = { 8, STATE_ATTACHED,	on_metadata },
	[7] = { 8, STATE_ATTACHED,	on_streams },
	[8] = { 0, STATE_CONNECTED,	on_create },
	[9] = { 8, STATE_ATTACHED,	on_detach }
};

#define REQUESTS	(sizeof(requests) / sizeof(requests[0]))
#define HEAD		16		/* bytes: length, number, version */

/* The request that the bytes begin with; NULL: it is none, or none now. */
static const struct request *
request_of(const struct viewer *v)
{
	const uint64_t len = get_number(v->in, 8), n = get_number(v->in + 8, 4);
	const struct request *rq = n < REQUESTS ? &requests[n] : NULL;

	if (rq == NULL || rq->answer == NULL ||
	    (rq->len > 0 && len != rq->len) ||
	    v->state < (int)rq->state) {
		say("viewer %s: its request %llu of %llu bytes is not one that "
		    "can come now", v->address, (unsigned long long)n,
		    (unsigned long long)len);
		return NULL;
	}
	return rq;
}

/* Answer one request, if all of it is here; 0: it cannot be. */
static int
answer(struct viewer *v)
{
	const struct request *rq;
	size_t len;

	if (v->nin < HEAD || v->nout > 0)
		return 1;
	if ((rq = request_of(v)) == NULL)
		return 0;
	len = HEAD + rq->len;
	if (v->nin < len)
		return 1;
	/* To list sessions again and again is no reading. */
	if (rq->state >= STATE_CREATED)
		v->heard = ut_msg_now();
	if (!rq->answer(v, v->in + HEAD))
		return 0;
	memmove(v->in, v->in + len, v->nin - len);
	v->nin -= len;
	return 1;
}

/* Write what can be: 0 if the connection is over. */
static int
flush(struct viewer *v)
{
	ssize_t n;

	while (v->wrote < v->nout) {
		n = write(v->fd, v->out + v->wrote, v->nout - v->wrote);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return errno == EAGAIN || errno == EWOULDBLOCK;
		v->wrote += (size_t)n;
	}
	v->nout = v->wrote = 0;
	return 1;
}

int
viewer_turn(struct viewer *v)
{
	size_t had;
	ssize_t n;

	if (!flush(v))
		return 0;
	if (v->nout == 0 && v->nin < sizeof(v->in)) {
		n = read(v->fd, v->in + v->nin, sizeof(v->in) - v->nin);
		if (n == 0 || (n == -1 && errno != EINTR && errno != EAGAIN &&
		    errno != EWOULDBLOCK))
			return 0;
		v->nin += n == -1 ? 0 : (size_t)n;
	}
	do {
		had = v->nin;
		if (!answer(v) || !flush(v))
			return 0;
	} while (v->nin < had);
	return 1;
}

int
viewer_writes(const struct viewer *v)
{
	return v->nout > 0;
}

int
viewer_attached(const struct viewer *v)
{
	return v->state == STATE_ATTACHED;
}

struct viewer *
viewer_new(int fd, int obeys)
{
	struct viewer *v = xcalloc(1, sizeof(*v));

	v->fd = fd;
	v->obeys = obeys;
	v->heard = ut_msg_now();
	forget(v);
	return v;
}

void
viewer_close(struct viewer *v)
{
	if (v->late > 0)
		say("viewer %s: %llu packet%s left out that came too late",
		    v->address, (unsigned long long)v->late, many(v->late));
	if (v->bad > 0)
		say("viewer %s: %llu packet%s left out that cannot be read: "
		    "see utctl view", v->address, (unsigned long long)v->bad,
		    many(v->bad));
	if (v->unread)
		say("viewer %s: streams were left out, for too many files are "
		    "open: raise ulimit -n", v->address);
	if (v->full)
		say("viewer %s: streams were left out, for a viewer has %d at "
		    "most", v->address, ROWS);
	vstreams_free(v);
	close(v->fd);
	free(v->out);
	free(v);
}
