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
 * Streams are read one after the other, and so are written; those of a kernel,
 * of which the CPUs tell whose an event is, in the order of time.  What is
 * selected is told, as it is for view; losses that are told are counted in the
 * packets that tell them.  A loss is between two packets: if nothing of the
 * first one is selected, it is written without events.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../ctf/select.h"
#include "../map.h"
#include "../regular.h"
#include "../say.h"
#include "export.h"
#include "export_packet.h"

/* A definition of a stack that is written with the next event, if one comes. */
struct pending {
	const struct ctf_eclass	*event;
	uint64_t		 at, end, cycles;
	unsigned int		 atbit, endbit;
};

/* A file, by the stream's index. */
struct part {
	struct row	 row;		/* if it is read first of the row */
	struct packet	*packet;	/* NULL: the file is not written now */
	uint64_t	 at;		/* the last event's place, in bits */
	/* The events that -n leaves: offsets in the file, in bits. */
	int		 any;
	uint64_t	 first, last;
	struct pending	*pending;
	size_t		 npending, room;
	uint64_t	 pkt;		/* where these are */
};

struct cut {
	const struct reader_dir	*dirs;
	struct part		*parts;
	struct map		 rows;		/* theirs */
	int			 all;		/* no event is left out */
	int			 counted;	/* -n: as the parts say */
	int64_t			 until;		/* the last time of these */
	int			 merged;	/* all streams at a time */
	struct part		*last;		/* the one written; or NULL */
};

/*
 * Files.
 */

/*
 * The path below the directory that is written: it begins behind the one that
 * was named, or with its name if there are several.
 */
static char *
below(const struct cut *c, const char *path)
{
	const struct reader_dir *dir = c->dirs;
	size_t n, from;

	for (;; dir++) {
		n = strlen(dir->name);
		while (n > 1 && dir->name[n - 1] == '/')
			n--;
		if (strncmp(path, dir->name, n) == 0 && path[n] == '/')
			break;
	}
	for (from = n; c->dirs[1].name != NULL && from > 0 &&
	    path[from - 1] != '/'; from--)
		continue;
	return format("%s", path + from + strspn(path + from, "/"));
}

static void
copy_file(const struct cut *c, const char *file, int kept)
{
	char *path = below(c, file), buf[4096];
	FILE *out = export_dir_file(path);
	struct stat st;
	ssize_t n;
	int in = kept;

	if (in == -1 &&
	    (in = regular_open(AT_FDCWD, file, O_NOFOLLOW, &st)) == -1)
		die_errno("%s", file);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (fwrite(buf, (size_t)n, 1, out) != 1)
			export_dir_die(path);
	if (n == -1)
		die_errno("%s", file);
	if (in != kept)
		close(in);
	export_dir_close(out, path);
	free(path);
}

static void
part_done(struct part *part)
{
	struct packet *p = part->packet;

	if (p == NULL)
		return;
	packet_done(p);
	if (p->row->packet == p)
		p->row->packet = NULL;
	if (p->out != NULL)
		export_dir_close(p->out, p->path);
	free(p->path);
	p->in->vals = NULL;		/* the stream's that was read */
	stream_free(p->in);
	free(p->head);
	free(p);
	part->packet = NULL;
}

/* babeltrace2 takes traces of one UUID, such as LTTng's chunks, for one. */
static struct row *
row_of(struct cut *c, const struct ctf_stream *s)
{
	const struct ctf_trace *tr = s->trace;
	const uint64_t what[] = { (uint64_t)s->hasinstance, s->hasinstance ?
	    s->instance : s->index, s->class->id };
	const uint64_t key = map_bytes(tr->hasuuid && s->hasinstance ?
	    map_bytes(0, tr->uuid, sizeof(tr->uuid)) : (uintptr_t)tr, what,
	    sizeof(what));
	struct row *r = map_get(&c->rows, key);

	if (r == NULL) {
		r = &c->parts[s->index].row;
		map_put(&c->rows, key, r);
	}
	return r;
}

static struct packet *
packet_new(struct cut *c, const struct ctf_stream *s)
{
	struct packet *p = xcalloc(1, sizeof(*p));

	p->in = stream_anew(s);
	p->path = below(c, s->path);
	p->row = row_of(c, s);
	return p;
}

/* Something is wanted of the packet in which the stream is. */
static struct packet *
packet_at(struct cut *c, const struct ctf_stream *s)
{
	struct part *part = &c->parts[s->index];
	struct packet *p = part->packet;

	if (p == NULL) {
		if (!c->merged && c->last != NULL)
			part_done(c->last);
		c->last = part;
		p = part->packet = packet_new(c, s);
	}
	if (p->open && p->in->pkt == s->pkt)
		return p;
	/* Another file of the row ends here. */
	if (p->row->packet != NULL)
		packet_done(p->row->packet);
	p->row->packet = p;
	packet_read(p, s);
	return p;
}

/*
 * To read.
 */

static int
is_within(const struct cut *c, const struct ctf_stream *s, uint64_t at)
{
	const struct part *part = &c->parts[s->index];

	return !c->counted ||
	    (part->any && at >= part->first && at <= part->last);
}

static void
pending_write(struct part *part, struct packet *p, const struct ctf_stream *s)
{
	struct ctf_stream at = *s;
	const struct pending *d;
	size_t i;

	for (i = 0; part->pkt == s->pkt && i < part->npending; i++) {
		d = &part->pending[i];
		part->at = 8 * d->at + d->atbit;
		at.event = d->event;
		at.at = d->at;
		at.atbit = d->atbit;
		at.off = d->end;
		at.pos = 0;
		at.bit = d->endbit;
		at.cycles = d->cycles;
		packet_event(p, &at);
	}
	part->npending = 0;
}

/*
 * An event of a module is wanted for the names that others get of it, and a
 * kernel's sched_switch for it tells whose others are.
 */
static void
cut_module(void *arg, struct ctf_stream *s)
{
	struct cut *c = arg;
	struct part *part = &c->parts[s->index];
	struct packet *p = packet_at(c, s);
	const uint64_t at = 8 * s->at + s->atbit;

	if (part->npending > 0)
		pending_write(part, p, s);
	if (p->count > 0 && part->at == at)
		return;				/* a selected event */
	part->at = at;
	packet_event(p, s);
}

static void
cut_event(void *arg, struct ctf_stream *s)
{
	if (is_within(arg, s, 8 * s->at + s->atbit))
		cut_module(arg, s);
}

/*
 * Any event behind it in the packet may need the definition, and those before
 * it, of which it may keep a part.
 */
static void
cut_define(void *arg, struct ctf_stream *s)
{
	struct cut *c = arg;
	struct part *part = &c->parts[s->index];
	struct pending *d;

	if (c->all) {
		cut_module(c, s);
		return;
	}
	if (part->pkt != s->pkt)
		part->npending = 0;
	part->pkt = s->pkt;
	part->pending = xgrow(part->pending, part->npending, &part->room,
	    sizeof(*part->pending));
	d = &part->pending[part->npending++];
	d->event = s->event;
	d->at = s->at;
	d->atbit = s->atbit;
	d->end = s->off + s->pos;
	d->endbit = s->bit;
	d->cycles = s->cycles;
}

/*
 * The packet tells of a loss since then.  If nobody knows since when, it is the
 * first one; else another one ends there, if it can tell that.
 */
static struct packet *
loss_at(struct cut *c, const struct ctf_stream *s, int64_t since, int known)
{
	struct packet *p = packet_at(c, s);

	if (!p->told && known && (p->row->trace != s->trace ||
	    (p->row->end != since &&
	    (packet_has(p, ROLE_BEGIN) || packet_has(p, ROLE_END))))) {
		packet_empty(p, since);
		p->soon = 1;
	}
	p->told = 1;
	return p;
}

static void
cut_discarded(void *arg, const struct ctf_stream *s)
{
	struct packet *p;

	if (!is_within(arg, s, 8 * s->pkt))
		return;
	p = loss_at(arg, s, s->from, s->ndiscarded != 0);
	p->discarded = s->ndiscarded;
	if (s->ndiscarded == 0 && s->discarded > p->row->read) {
		p->discarded = s->discarded - p->row->read;
		p->soon = 1;
	}
}

static void
cut_lost(void *arg, const struct ctf_stream *s)
{
	if (is_within(arg, s, 8 * s->pkt))
		loss_at(arg, s, s->lostfrom, 1)->lost = s->nlost;
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

	if (r->packet != NULL)
		packet_done(r->packet);
	if (s->gonefrom != INT64_MIN && is_within(c, s, 8 * s->pkt))
		packet_at(c, s)->told = 1;
	else if (s->gonefrom == INT64_MIN && r->trace == NULL)
		r->seq = s->seq;
}

/*
 * Read once in the order of time, before all else, for what the count of -n
 * leaves.
 */

static void
note(struct cut *c, const struct ctf_stream *s, uint64_t at)
{
	struct part *part = &c->parts[s->index];

	if (!part->any++)
		part->first = at;
	part->last = at;
	c->until = s->ns > c->until ? s->ns : c->until;
}

static void
note_event(void *arg, struct ctf_stream *s)
{
	note(arg, s, 8 * s->at + s->atbit);
}

static void
note_loss(void *arg, const struct ctf_stream *s)
{
	note(arg, s, 8 * s->pkt);
}

static void
cut_count(struct cut *c, struct reader *rd)
{
	static const struct reader_ops ops = { note_event, note_loss,
	    note_loss, NULL, NULL, NULL, NULL };
	struct reader again;
	size_t i;

	c->counted = 1;
	c->until = INT64_MIN;
	reader_again(rd, &again);
	again.left = rd->left;
	again.skip = rd->skip;
	again.each = rd->each;
	ctf_damage_hush(1);
	reader_merge(&again, &ops, c);
	ctf_damage_hush(0);
	free(again.streams);
	rd->skip = 0;
	rd->left = ULLONG_MAX;
	for (i = 0; i < rd->nstreams; i++) {
		rd->streams[i]->until = c->until;
		ctf_cpu_clear(rd->streams[i]->trace);
	}
}

/* The files of a row are in the order of time. */
static int
begin_cmp(const void *va, const void *vb)
{
	const struct ctf_stream *a = *(struct ctf_stream *const *)va;
	const struct ctf_stream *b = *(struct ctf_stream *const *)vb;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static void
cut_read(struct cut *c, struct reader *rd)
{
	static const struct reader_ops ops = { cut_event, cut_discarded,
	    cut_lost, NULL, cut_module, NULL, cut_gone };
	const size_t n = rd->nstreams;
	struct reader one;
	size_t i;

	reader_begin(rd, &ops);
	if (rd->select != NULL && rd->select->count_given)
		cut_count(c, rd);
	if (n > 1)
		qsort(rd->streams, n, sizeof(*rd->streams), begin_cmp);
	one = *rd;
	one.define = cut_define;
	c->all = rd->select == NULL;
	one.sched = rd->names == NULL ? NULL : cut_module;
	rd->nstreams = 0;
	for (i = 0; i < n; i = c->merged ? n : i + 1) {
		one.streams = &rd->streams[i];
		one.nstreams = c->merged ? n : 1;
		reader_merge(&one, &ops, c);
	}
	rd->nevents = one.nevents;
	for (i = 0; i < rd->nfound; i++)
		part_done(&c->parts[i]);
}

/*
 * Without metadata, a directory is no trace: these come last, so that what was
 * killed does not look as if it were whole.
 */
void
export_ctf(struct reader *rd, struct reader_dir *dirs, const char *to)
{
	struct ctf_trace *tr;
	struct cut c;
	size_t i;

	memset(&c, 0, sizeof(c));
	c.dirs = dirs;
	c.parts = xcalloc(rd->nfound + 1, sizeof(*c.parts));
	export_dir(to);
	for (tr = rd->traces; tr != NULL; tr = tr->next) {
		if (ctf_moves(&tr->moved))
			die("-F ctf: no offset, for clocks are copied as they "
			    "are: it can follow the name of the copy");
		c.merged |= tr->kernel && rd->select != NULL;
	}
	cut_read(&c, rd);
	for (tr = rd->traces; tr != NULL; tr = tr->next) {
		if (tr->points_file != NULL)
			copy_file(&c, tr->points_file, tr->kept_points);
		copy_file(&c, tr->file, tr->kept);
	}
	export_dir_keep();
	map_free(&c.rows);
	for (i = 0; i < rd->nfound; i++)
		free(c.parts[i].pending);
	free(c.parts);
}
