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
 * utctl view: finds the traces in a directory and prints their events in the
 * order of time.  A heap holds the streams by the time of what comes next in
 * each; the first is read on until another's time comes.
 *
 * Losses are told where they happened, damage at the end: ctf_damage.c.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat.h"
#include "ctf.h"
#include "utctl.h"

#define DIRDEPTH	32
#define WINDOWS		(64 << 20)	/* bytes of all streams' windows */
#define WINDOWMAX	(128 << 10)
#define WINDOWMIN	(4 << 10)

struct names {
	char		**list;
	size_t		  n, cap;
};

struct view {
	struct ctf_trace	*traces;
	struct ctf_stream	**streams;	/* the heap, once it is made */
	size_t			 nstreams, cap;
	size_t			 ntraces;
	int			 top;		/* a session's "ust" is there, */
	int			 files;		/* and what is no directory */
	int			 json, quiet;
	unsigned long long	 nevents;
	unsigned long long	 ndiscarded;
	unsigned long long	 nlost;		/* packets */
};

static void
names_add(struct names *ns, char *name)
{
	char **list;

	if (ns->n == ns->cap) {
		ns->cap = ns->cap == 0 ? 16 : 2 * ns->cap;
		if ((list = realloc(ns->list, ns->cap * sizeof(*list))) ==
		    NULL)
			die_errno("malloc");
		ns->list = list;
	}
	ns->list[ns->n++] = name;
}

static void
names_free(struct names *ns)
{
	while (ns->n > 0)
		free(ns->list[--ns->n]);
	free(ns->list);
	memset(ns, 0, sizeof(*ns));
}

static int
names_cmp(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The entries of a directory, sorted. */
static int
dir_read(const char *path, struct names *ns)
{
	struct dirent *d;
	DIR *dir;

	memset(ns, 0, sizeof(*ns));
	if ((dir = opendir(path)) == NULL) {
		ctf_damage(path, "%s", strerror(errno));
		return -1;
	}
	while ((d = readdir(dir)) != NULL)
		if (d->d_name[0] != '.')
			names_add(ns, format("%s/%s", path, d->d_name));
	closedir(dir);
	if (ns->n > 1)
		qsort(ns->list, ns->n, sizeof(*ns->list), names_cmp);
	return 0;
}

static void
view_stream(struct view *v, char *path, uint64_t size)
{
	struct ctf_stream **list, *s;

	if (v->nstreams == v->cap) {
		v->cap = v->cap == 0 ? 16 : 2 * v->cap;
		if ((list = realloc(v->streams, v->cap * sizeof(*list))) ==
		    NULL)
			die_errno("malloc");
		v->streams = list;
	}
	if ((s = calloc(1, sizeof(*s))) == NULL)
		die_errno("malloc");
	s->path = path;
	s->size = size;
	s->fd = -1;
	s->index = v->nstreams;
	v->streams[v->nstreams++] = s;
}

static void
stream_free(struct ctf_stream *s)
{
	ctf_end(s);
	free(s->path);
	free(s);
}

/*
 * The streams from the first on belong to this metadata.  Their sizes were
 * taken before it is read: it describes at least what they hold.
 */
static void
view_trace(struct view *v, char *metadata, size_t first)
{
	struct ctf_trace *tr;
	size_t i;

	v->ntraces++;
	tr = ctf_open(metadata);
	if (tr != NULL && !tr->hastrace && first < v->nstreams)
		ctf_damage(tr->file, "no trace block");
	if (tr != NULL && tr->hastrace) {
		for (i = first; i < v->nstreams; i++)
			v->streams[i]->trace = tr;
		tr->next = v->traces;
		v->traces = tr;
		if (!v->quiet)
			ctf_print_trace(tr);
		return;
	}
	if (tr != NULL)
		ctf_close(tr);
	while (v->nstreams > first)
		stream_free(v->streams[--v->nstreams]);
}

/* Takes the names of streams out of the list. */
static void
view_streams(struct view *v, struct names *ns)
{
	struct stat st;
	const char *base;
	size_t i;

	for (i = 0; i < ns->n; i++) {
		base = strrchr(ns->list[i], '/') + 1;
		if (strcmp(base, "metadata") == 0 ||
		    strcmp(base, "index") == 0)
			continue;
		if (lstat(ns->list[i], &st) == -1) {
			ctf_damage(ns->list[i], "%s", strerror(errno));
			continue;
		}
		if (!S_ISREG(st.st_mode) || st.st_size == 0)
			continue;
		view_stream(v, ns->list[i], (uint64_t)st.st_size);
		ns->list[i] = NULL;
	}
}

/* Does the file begin as a packet does, in either byte order? */
static int
is_stream(const char *path)
{
	uint32_t magic = 0;
	struct stat st;
	FILE *f;

	if (lstat(path, &st) == -1 || !S_ISREG(st.st_mode) ||
	    (f = fopen(path, "r")) == NULL)
		return 0;
	if (fread(&magic, sizeof(magic), 1, f) != 1)
		magic = 0;
	fclose(f);
	return magic == CTF_MAGIC || magic == CTF_SWAPPED;
}

/* Nobody can say what is in there. */
static void
view_unknown(const char *path, const struct names *ns)
{
	size_t i;

	for (i = 0; i < ns->n; i++) {
		if (!is_stream(ns->list[i]))
			continue;
		ctf_damage(path, "streams of events, but no metadata: left "
		    "out");
		break;
	}
}

static void
view_dir(struct view *v, const char *path, int depth)
{
	struct names ns;
	struct stat st;
	char *metadata;
	size_t i, first = v->nstreams;

	if (dir_read(path, &ns) == -1)
		return;
	metadata = format("%s/metadata", path);
	if (lstat(metadata, &st) == 0 && S_ISREG(st.st_mode)) {
		view_streams(v, &ns);
		view_trace(v, metadata, first);
	} else {
		view_unknown(path, &ns);
		free(metadata);
	}
	for (i = 0; i < ns.n; i++) {
		if (ns.list[i] == NULL || lstat(ns.list[i], &st) == -1)
			continue;
		if (depth == 0 && S_ISDIR(st.st_mode))
			v->top |= strcmp(strrchr(ns.list[i], '/'), "/ust") == 0;
		if (!S_ISDIR(st.st_mode))
			v->files = 1;
		else if (depth < DIRDEPTH)
			view_dir(v, ns.list[i], depth + 1);
		else
			ctf_damage(ns.list[i], "too deep");
	}
	names_free(&ns);
}

static int
heap_before(const struct ctf_stream *a, const struct ctf_stream *b)
{
	return a->ns < b->ns || (a->ns == b->ns && a->index < b->index);
}

static void
heap_down(struct view *v, size_t i)
{
	struct ctf_stream *s = v->streams[i];
	size_t child;

	while ((child = 2 * i + 1) < v->nstreams) {
		if (child + 1 < v->nstreams &&
		    heap_before(v->streams[child + 1], v->streams[child]))
			child++;
		if (!heap_before(v->streams[child], s))
			break;
		v->streams[i] = v->streams[child];
		i = child;
	}
	v->streams[i] = s;
}

/* Who comes after the first: one of its two children, or NULL. */
static const struct ctf_stream *
heap_second(const struct view *v)
{
	if (v->nstreams < 2)
		return NULL;
	if (v->nstreams > 2 && heap_before(v->streams[2], v->streams[1]))
		return v->streams[2];
	return v->streams[1];
}

static void
heap_make(struct view *v)
{
	size_t i, n = 0, window;

	window = v->nstreams == 0 ? 0 : WINDOWS / v->nstreams;
	window = window > WINDOWMAX ? WINDOWMAX : window < WINDOWMIN ?
	    WINDOWMIN : window;
	for (i = 0; i < v->nstreams; i++) {
		v->streams[i]->basecap = window;
		if (ctf_peek(v->streams[i]))
			v->streams[n++] = v->streams[i];
		else
			stream_free(v->streams[i]);
	}
	v->nstreams = n;
	for (i = n / 2; i > 0; i--)
		heap_down(v, i - 1);
}

static void
say_discarded(const struct ctf_stream *s)
{
	char from[CTF_TIMELEN], to[CTF_TIMELEN];

	ctf_print_flush();
	ctf_print_time(s->from, from);
	ctf_print_time(s->to, to);
	say("%llu events discarded between %s and %s in %s",
	    (unsigned long long)s->ndiscarded, from, to, s->path);
}

static void
say_lost(const struct ctf_stream *s)
{
	char when[CTF_TIMELEN];

	ctf_print_flush();
	ctf_print_time(s->lost, when);
	say("%llu packets lost before %s in %s",
	    (unsigned long long)s->nlost, when, s->path);
}

static void
view_item(struct view *v, struct ctf_stream *s)
{
	switch (s->item) {
	case ITEM_DISCARDED:
		if (!v->quiet)
			say_discarded(s);
		v->ndiscarded += s->ndiscarded;
		s->ndiscarded = 0;
		break;
	case ITEM_LOST:
		if (!v->quiet)
			say_lost(s);
		v->nlost += s->nlost;
		s->nlost = 0;
		break;
	case ITEM_EVENT:
		if (ctf_body(s) == -1)
			break;
		v->nevents++;
		if (v->quiet)
			v->nevents += ctf_skip(s);
		else
			ctf_print_event(s);
		break;
	}
}

/* What is only counted has no order. */
static int
in_turn(const struct view *v, const struct ctf_stream *s,
    const struct ctf_stream *second)
{
	return v->quiet || second == NULL || heap_before(s, second);
}

static void
view_merge(struct view *v)
{
	const struct ctf_stream *second;
	struct ctf_stream *s;
	int more;

	heap_make(v);
	while (v->nstreams > 0) {
		s = v->streams[0];
		second = heap_second(v);
		do {
			view_item(v, s);
			more = ctf_peek(s);
		} while (more && in_turn(v, s, second));
		if (!more) {
			stream_free(s);
			v->streams[0] = v->streams[--v->nstreams];
		}
		if (v->nstreams > 0)
			heap_down(v, 0);
	}
}

/* The totals, all there is of -q. */
static void
view_totals(const struct view *v)
{
	if (v->json) {
		printf("{\"events\":%llu,\"discarded\":%llu,"
		    "\"lost_packets\":%llu}\n", v->nevents, v->ndiscarded,
		    v->nlost);
		return;
	}
	printf("%llu events, %llu discarded", v->nevents, v->ndiscarded);
	if (v->nlost != 0)
		printf(", %llu packets lost", v->nlost);
	putchar('\n');
}

static int
view_end(struct view *v)
{
	struct ctf_trace *tr;
	const int status = ctf_damaged();

	ctf_print_flush();
	if (v->quiet && (v->ntraces > 0 || status == 0))
		view_totals(v);
	ctf_damage_say();
	while ((tr = v->traces) != NULL) {
		v->traces = tr->next;
		ctf_close(tr);
	}
	free(v->streams);
	return status;
}

int
cmd_view(int argc, char **argv)
{
	struct view v;
	int c;

	memset(&v, 0, sizeof(v));
	while ((c = option(argc, argv, "+jq")) != -1)
		switch (c) {
		case 'j':
			v.json = 1;
			break;
		case 'q':
			v.quiet = 1;
			break;
		default:
			return usage("view");
		}
	if (argc - optind != 1)
		return usage("view");
	ctf_print_init(v.json);
	ut_confine_reader();	/* what it reads may be anybody's */
	view_dir(&v, argv[optind], 0);
	if (v.ntraces == 0 && !ctf_damaged() && (!v.top || v.files))
		ctf_damage(argv[optind], "no trace here");
	else if (v.ntraces == 0 && !ctf_damaged())
		say("%s: an empty trace: no events were recorded",
		    argv[optind]);
	view_merge(&v);
	return view_end(&v);
}
