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
 * The points of a trace: what the clocks said, now and then.  They are packets
 * without events, of one size, in a file of their own.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../regular.h"
#include "../say.h"
#include "ctf_stream.h"

#define CLASS		UINT32_MAX	/* the ID of the class of streams */
#define PACKETMAX	512		/* bytes */
#define POINTS		131072		/* per trace: 91 days of minutes */
#define SLACK		8		/* for ctf_load() */
#define NS_MAX		(INT64_MAX / 4)	/* 73 years of uptime */

static const struct {
	const char	*name;
	size_t		 off;
} fields[] = {
	{ "timestamp_begin", offsetof(struct ctf_point, monotonic) },
	{ "cycles", offsetof(struct ctf_point, cycles) },
	{ "boottime", offsetof(struct ctf_point, boottime) },
	{ "realtime", offsetof(struct ctf_point, realtime) },
	{ "ntp_offset", offsetof(struct ctf_point, ntp_offset) },
	{ "ntp_frequency", offsetof(struct ctf_point, ntp_frequency) },
	{ "ntp_maximum", offsetof(struct ctf_point, ntp_maximum) },
	{ "ntp_error", offsetof(struct ctf_point, ntp_error) },
	{ "ntp_state", offsetof(struct ctf_point, ntp_state) }
};
#define NFIELDS		(sizeof(fields) / sizeof(fields[0]))

/* An integer so far into a packet; or type is NULL: there is none. */
struct place {
	const struct ctf_type	*type;
	size_t			 off;
};

/* Where a packet has them. */
struct layout {
	const struct ctf_sclass	*class;
	struct place		 at[NFIELDS];
	size_t			 len;	/* bytes of a packet */
};

static int
is_fixed(const struct ctf_type *t)
{
	return t != NULL && t->fixed != 0 && 8 * t->fixed == t->min &&
	    t->fixed <= PACKETMAX / 2;
}

/* 0: the trace has no points that are known here. */
static int
layout_find(const struct ctf_trace *tr, struct layout *l)
{
	const struct ctf_field *f;
	size_t i;

	memset(l, 0, sizeof(*l));
	l->class = ctf_sclass(tr, CLASS);
	if (l->class == NULL || !is_fixed(tr->header) ||
	    !is_fixed(l->class->packet))
		return 0;
	l->len = tr->header->fixed;
	for (f = l->class->packet->fields;
	    f < l->class->packet->fields + l->class->packet->nfields; f++) {
		for (i = 0; i < NFIELDS; i++)
			if (f->type->kind == CTF_INT &&
			    strcmp(f->name, fields[i].name) == 0) {
				l->at[i].type = f->type;
				l->at[i].off = l->len;
			}
		if (f->type->fixed == 0)
			return 0;
		l->len += f->type->fixed;
	}
	for (i = 0; i < NFIELDS; i++)
		if (l->at[i].type == NULL)
			return 0;
	return 1;
}

static int
is_header(const struct ctf_trace *tr, const uint8_t *buf, size_t n,
    struct ctf_vals *v)
{
	struct ctf_cur c = { .p = buf, .end = buf + n };

	v->has = 0;
	return ctf_walk(&c, tr->header, v) == 0 &&
	    (v->has & 1 << ROLE_MAGIC) && v->val[ROLE_MAGIC] == CTF_MAGIC &&
	    (v->has & 1 << ROLE_STREAM) && v->val[ROLE_STREAM] == CLASS;
}

/* Is that the file?  Its name does not matter. */
int
ctf_points_here(const struct ctf_trace *tr, const char *path)
{
	uint8_t buf[PACKETMAX + SLACK] = { 0 };
	struct ctf_vals v;
	struct layout l;
	struct stat st;
	ssize_t n;
	int fd;

	if (!layout_find(tr, &l) ||
	    (fd = regular_open(AT_FDCWD, path, O_NOFOLLOW, &st)) == -1)
		return 0;
	n = read(fd, buf, l.len);
	close(fd);
	return n > 0 && is_header(tr, buf, (size_t)n, &v);
}

static int
is_time(int64_t ns)
{
	return ns >= 0 && ns <= NS_MAX;
}

/* A packet of points; its UUID is that of another trace. */
static int
is_foreign(const struct ctf_trace *tr, const struct layout *l,
    const uint8_t *buf)
{
	struct ctf_vals v;

	return is_header(tr, buf, l->len, &v) && (v.has & 1 << ROLE_UUID) &&
	    tr->hasuuid && memcmp(v.uuid, tr->uuid, 16) != 0;
}

static int
point_get(const struct ctf_trace *tr, const struct layout *l,
    const uint8_t *buf, struct ctf_point *p)
{
	struct ctf_cur c = { .p = buf, .end = buf + l->len };
	struct ctf_vals v;
	uint64_t val;
	size_t i;

	if (!is_header(tr, buf, l->len, &v))
		return 0;
	c.p += tr->header->fixed;
	if (ctf_walk(&c, l->class->packet, &v) == -1 ||
	    !(v.has & 1 << ROLE_PACKET) || v.val[ROLE_PACKET] != 8 * l->len)
		return 0;
	for (i = 0; i < NFIELDS; i++) {
		val = ctf_load(buf + l->at[i].off, l->at[i].type);
		memcpy((char *)p + fields[i].off, &val, sizeof(val));
	}
	return is_time(p->monotonic) && is_time(p->boottime) &&
	    is_time(p->realtime / 2);
}

static int
point_cmp(const void *va, const void *vb)
{
	const struct ctf_point *a = va, *b = vb;

	if (a->boottime != b->boottime)
		return a->boottime < b->boottime ? -1 : 1;
	return a->monotonic < b->monotonic ? -1 : a->monotonic > b->monotonic;
}

static void
point_add(struct ctf_trace *tr, const struct ctf_point *p)
{
	const size_t n = tr->npoints;

	if ((n & (n - 1)) == 0) {
		tr->points = realloc(tr->points, (n == 0 ? 1 : 2 * n) *
		    sizeof(*p));
		if (tr->points == NULL)
			die_errno("malloc");
	}
	tr->points[tr->npoints++] = *p;
}

/* A file of very many points is read in steps. */
void
ctf_points_read(struct ctf_trace *tr, const char *path)
{
	uint8_t buf[PACKETMAX + SLACK] = { 0 };
	struct ctf_point p;
	struct layout l;
	struct stat st;
	uint64_t n, i, step, bad = 0, foreign = 0;
	FILE *f = NULL;
	int fd;

	if (tr->npoints > 0) {
		ctf_damage(path, "another file of the trace tells already what "
		    "clocks said");
		return;
	}
	if (!layout_find(tr, &l) ||
	    (fd = regular_open(AT_FDCWD, path, O_NOFOLLOW, &st)) == -1)
		return;
	tr->owner = st.st_uid;
	free(tr->points_file);
	tr->points_file = format("%s", path);
	if ((f = fdopen(fd, "r")) == NULL)
		die_errno("%s", path);
	n = (uint64_t)st.st_size / l.len;
	step = n / POINTS + 1;
	for (i = 0; i < n; i = i + step < n || i == n - 1 ? i + step : n - 1) {
		if ((step > 1 && fseeko(f, (off_t)(i * l.len), SEEK_SET) ==
		    -1) || fread(buf, l.len, 1, f) != 1)
			break;
		if (is_foreign(tr, &l, buf))
			foreign++;
		else if (point_get(tr, &l, buf, &p))
			point_add(tr, &p);
		else
			bad++;
	}
	fclose(f);
	if (foreign > 0)
		ctf_damage(path, "%llu of its packets are of another trace",
		    (unsigned long long)foreign);
	if (bad > 0)
		ctf_damage(path, "%llu of its packets say nothing that clocks "
		    "can have said", (unsigned long long)bad);
	if ((uint64_t)st.st_size % l.len != 0)
		ctf_damage(path, "last packet cut short at byte %llu",
		    (unsigned long long)(n * l.len));
	if (tr->npoints > 1)
		qsort(tr->points, tr->npoints, sizeof(p), point_cmp);
}
