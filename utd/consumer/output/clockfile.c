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
 * The file "clock" of a trace directory: a stream of packets without events,
 * which tell what the clocks said at some instants, the points.
 *
 * The clocks are the same for all traces, so there is one row of points, of
 * which the last POINTS are kept.  A trace has those from the last one before
 * it began on, and one of its end; the traces of all users and programs are so
 * dated by the same points.  They are written when others come, so that a
 * program that ends soon has them in one write.
 *
 * Nothing depends on that file.  If it cannot be written, the points wait for
 * the next ones; if somebody has cut or removed it, it goes on with those that
 * come; in place of another file nothing is written.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "points.h"

#define FILE_NAME	"clock"
#define POINTS		1024
#define LOOK_MS		100		/* between comparisons */
#define SLEEP_MS	((int64_t)(POINTS_EVERY / 1000000))
#define NEW_NS		100000000u	/* a younger reading will do */
#define INEXACT		5000		/* ns of error that is no accident */

/* A packet: see metadata.c. */
struct packet_point {
	uint32_t	 magic;
	unsigned char	 uuid[UUID_LEN];
	uint32_t	 stream;
	uint64_t	 instance;
	uint64_t	 begin, end;
	uint64_t	 content_size, packet_size;	/* in bits */
	uint64_t	 seq;
	uint64_t	 cycles, boot, real;
	int64_t		 ntp_offset, ntp_frequency;
	uint64_t	 ntp_maximum, ntp_error;
	int32_t		 ntp_state;
};

#define SIZE	(offsetof(struct packet_point, ntp_state) + sizeof(int32_t))
_Static_assert(SIZE == 32 + 12 * 8 + 4, "padding");

struct point {
	struct instant	 at;
	struct ut_ntp	 ntp;
};

static struct point points[POINTS];	/* by number */
static uint64_t made;			/* so many */
static struct points policy;
static struct point seen;		/* the last comparison */
static int64_t looked;			/* when that was; 0: never */
static bool stale;			/* some files lack points */

static void
point_add(const struct point *p)
{
	points[made++ % POINTS] = *p;
	points_add(&policy, &p->at);
	stale = true;
}

/* Is the last point as good as one of the last comparison? */
static bool
is_new(void)
{
	return made > 0 && seen.at.ns - policy.last.ns < NEW_NS;
}

/*
 * Compare the clocks, and add a point if one is due or wanted.  If the clocks
 * have gone another way since the last comparison, that one is where the old
 * way ends.  A process that a debugger steps through, or that has no processor,
 * cannot read them at one instant: then there is no point, if they could be
 * read before.
 */
static void
clocks_compare(bool wanted)
{
	static uint64_t least = UINT64_MAX;
	const struct point before = seen;
	enum points_due due;

	instant_read(&seen.at);
	if (seen.at.error > INEXACT && seen.at.error / 4 > least) {
		seen = before;
		return;
	}
	if (least > seen.at.error)
		least = seen.at.error;
	if (!instant_counter)
		seen.at.cycles = 0;
	ut_ntp_read(&seen.ntp);
	due = points_due(&policy, &seen.at);
	if (due == POINTS_BROKEN && before.at.ns > policy.last.ns)
		point_add(&before);
	if (due != POINTS_NOT || (wanted && !is_new()))
		point_add(&seen);
}

/*
 * Compare the clocks now and then.  True: some files lack points, also those
 * that have just begun; that of a program which ends sooner has one write.
 */
bool
clockfile_look(void)
{
	const int64_t ms = ut_msg_now();
	bool was;

	if (looked != 0 && ms - looked < LOOK_MS)
		return false;
	looked = ms;
	clocks_compare(false);
	was = stale;
	stale = false;
	return was;
}

/* When the clocks are to be compared though nothing else wakes us. */
int64_t
clockfile_next(void)
{
	return looked == 0 ? 0 : looked + SLEEP_MS;
}

/* The session starts or stops: a point. */
void
clockfile_mark(void)
{
	clocks_compare(true);
}

/*
 * The directory was made.  That of a program has a point of its own only if the
 * clocks have gone another way since the last one.
 */
void
clockfile_begin(struct trace *t)
{
	clocks_compare(made == 0 || !t->new);
	t->clock.next = made > 0 ? made - 1 : 0;
	stale = true;
}

/*
 * The trace has events from that time on, by its clock: it gets the points
 * since then that are still known.
 */
void
clockfile_since(struct trace *t, uint64_t time, bool cycles)
{
	uint64_t n = made - 1;
	const struct instant *at = &points[n % POINTS].at;

	if (made == 0)
		return;
	while (n > 0 && made - n < POINTS &&
	    (cycles ? at->cycles : at->ns) > time)
		at = &points[--n % POINTS].at;
	if (n < t->clock.next)
		t->clock.next = n;
}

static void
packet_make(unsigned char *to, const struct trace *t, const struct point *p)
{
	struct packet_point h;

	h.magic = CTF_MAGIC;
	memcpy(h.uuid, t->uuid, UUID_LEN);
	h.stream = CTF_STREAM_CLOCK;
	h.instance = 0;
	h.begin = h.end = p->at.ns;
	h.content_size = h.packet_size = SIZE * 8;
	h.seq = 0;		/* until it is known */
	h.cycles = p->at.cycles;
	h.boot = p->at.boot;
	h.real = p->at.real;
	h.ntp_offset = p->ntp.offset;
	h.ntp_frequency = p->ntp.frequency;
	h.ntp_maximum = p->ntp.maximum;
	h.ntp_error = p->ntp.error;
	h.ntp_state = p->ntp.state;
	memcpy(to, &h, SIZE);
}

/* Is what the file has of this trace, as another consumer has left it? */
static bool
file_is_ours(const struct trace *t, int fd, uint64_t size)
{
	unsigned char buf[SIZE];
	uint32_t stream = CTF_STREAM_CLOCK;
	const off_t at = size < SIZE ? 0 : (off_t)(size - size % SIZE - SIZE);
	const ssize_t n = pread(fd, buf, sizeof(buf), at);

	if (n == (ssize_t)SIZE)
		memcpy(&stream, buf + offsetof(struct packet_point, stream),
		    sizeof(stream));
	return n >= 0 && stream == CTF_STREAM_CLOCK &&
	    packet_begins(buf, (size_t)n, t->uuid);
}

/* Open the file as it is: what is behind whole packets is cut off. */
static int
clockfile_open(struct trace *t)
{
	const int flags = O_RDWR | O_APPEND;
	struct clockfile *c = &t->clock;
	struct stat st;
	int fd = -1;

	errno = ENOENT;
	if (c->made || t->adopted)
		fd = output_file(t, FILE_NAME, flags);
	if (fd == -1 && errno == ENOENT) {
		c->made = false;
		fd = output_file(t, FILE_NAME, flags | O_CREAT);
	}
	if (fd == -1 || fstat(fd, &st) == -1)
		return fd == -1 ? -1 : close_failed(fd);
	if ((c->made && !c->torn && (uint64_t)st.st_size > c->size) ||
	    (st.st_size > 0 && !file_is_ours(t, fd, (uint64_t)st.st_size))) {
		(void)output_refuse(FILE_NAME, "somebody else has written "
		    "there");
		return close_failed(fd);
	}
	c->made = true;
	if (!c->torn || (uint64_t)st.st_size < c->size)
		c->size = (uint64_t)st.st_size / SIZE * SIZE;
	if ((uint64_t)st.st_size != c->size &&
	    ftruncate(fd, (off_t)c->size) == -1)
		return close_failed(fd);
	c->torn = false;
	return fd;
}

/* Append whole packets, or nothing.  Their numbers are those in the file. */
static bool
clockfile_append(struct trace *t, unsigned char *buf, size_t len)
{
	const int fd = bound_room(t, len) ? clockfile_open(t) :
	    bound_refuse();
	uint64_t seq = t->clock.size / SIZE;
	size_t at;
	bool ok;

	if (fd == -1) {
		t->clock.refused = errno == EPERM || errno == ELOOP ||
		    errno == EEXIST;
		if (t->clock.refused)
			log_peer("uid %lu: %s: what the clocks say is not "
			    "written any more: %s", (unsigned long)geteuid(),
			    t->path, report_reason(errno));
		return false;
	}
	for (at = 0; at < len; at += SIZE, seq++)
		memcpy(buf + at + offsetof(struct packet_point, seq), &seq,
		    sizeof(seq));
	ok = write(fd, buf, len) == (ssize_t)len;
	if (ok) {
		t->clock.size += len;
		t->used += len;
	} else {
		t->clock.torn = ftruncate(fd, (off_t)t->clock.size) == -1;
	}
	close(fd);
	return ok;
}

/* Write the points that the file lacks, and perhaps another one behind them. */
static void
write_points(struct trace *t, const struct point *end)
{
	static unsigned char buf[(POINTS + 1) * SIZE];
	struct clockfile *c = &t->clock;
	struct reason other = { "" };
	uint64_t n = c->next;
	size_t len = 0;

	if (t->nowhere || t->lost != 0 || c->refused || t->meta_size == 0)
		return;
	if (n + POINTS < made)
		n = made - POINTS;
	for (; n < made; n++, len += SIZE)
		packet_make(buf + len, t, &points[n % POINTS]);
	if (end != NULL) {
		packet_make(buf + len, t, end);
		len += SIZE;
	}
	if (len == 0)
		return;
	report_swap(&other);
	if (clockfile_append(t, buf, len))
		c->next = made;
	report_swap(&other);
}

void
clockfile_write(struct trace *t)
{
	write_points(t, NULL);
}

/* Nothing more is written to the trace. */
void
clockfile_end(struct trace *t)
{
	clocks_compare(false);
	write_points(t, is_new() || seen.at.ns <= policy.last.ns ? NULL :
	    &seen);
}
