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
 * The traces in and below a directory, and the files of their streams.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../map.h"
#include "../regular.h"
#include "../say.h"
#include "ctf_stack.h"
#include "reader.h"

#define DIRDEPTH	32
#define TRIES		10	/* to find what is moved meanwhile */
#define ARCHIVES	"/archives/"
#define DATE		20	/* bytes of a time in a chunk's name */
#define NUMBER		(sizeof(ARCHIVES) - 1 + 2 * (DATE + 1))

struct names {
	char		**list;
	size_t		  n, cap;
};

/* The reader's traces, by their metadata, while directories are looked at. */
static struct map	 known;

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

static int
base_is(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash != NULL ? slash + 1 : path, name) == 0;
}

/*
 * A trace that is not whole yet has a name with a dot.  In pid/ are directories
 * with the names of programs, which may have one, too.
 */
static int
is_hidden(const char *path, const char *name)
{
	return name[0] == '.' && (!base_is(path, "pid") ||
	    strcmp(name, ".") == 0 || strcmp(name, "..") == 0);
}

/* The entries of a directory, sorted.  The one that is named must be there. */
static int
dir_read(const char *path, int depth, struct names *ns)
{
	struct dirent *d;
	DIR *dir;

	memset(ns, 0, sizeof(*ns));
	if ((dir = opendir(path)) == NULL) {
		if (depth == 0)
			ctf_damage(path, "%s", strerror(errno));
		else
			ctf_missed(path);
		return -1;
	}
	while ((d = readdir(dir)) != NULL)
		if (!is_hidden(path, d->d_name))
			names_add(ns, format("%s/%s", path, d->d_name));
	closedir(dir);
	if (ns->n > 1)
		qsort(ns->list, ns->n, sizeof(*ns->list), names_cmp);
	return 0;
}

static struct ctf_stream *
stream_new(char *path, const struct stat *st, size_t index)
{
	struct ctf_stream *s;

	if ((s = calloc(1, sizeof(*s))) == NULL)
		die_errno("malloc");
	s->path = path;
	s->size = (uint64_t)st->st_size;
	s->dev = st->st_dev;
	s->ino = st->st_ino;
	s->index = index;
	s->fd = s->kept = -1;
	s->since = INT64_MIN;
	s->until = INT64_MAX;
	return s;
}

void
stream_add(struct reader *r, struct ctf_stream *s)
{
	struct ctf_stream **list;

	if (r->nstreams == r->cap) {
		r->cap = r->cap == 0 ? 16 : 2 * r->cap;
		if ((list = realloc(r->streams, r->cap * sizeof(*list))) ==
		    NULL)
			die_errno("malloc");
		r->streams = list;
	}
	r->streams[r->nstreams++] = s;
}

void
stream_free(struct ctf_stream *s)
{
	ctf_window_drop(s);
	free(s->vals);
	free(s->twice);
	stack_drop(s);
	free(s->path);
	free(s);
}

/* A copy of the stream, to be read from its beginning. */
struct ctf_stream *
stream_copy(const struct ctf_stream *s)
{
	struct ctf_stream *copy = malloc(sizeof(*copy));

	if (copy == NULL)
		die_errno("malloc");
	*copy = *s;
	copy->path = format("%s", s->path);
	copy->vals = NULL;
	copy->nvals = 0;
	copy->twice = NULL;
	copy->stacks = NULL;
	if (s->ntwice > 0) {
		copy->twice = malloc(s->ntwice * sizeof(*s->twice));
		if (copy->twice == NULL)
			die_errno("malloc");
		memcpy(copy->twice, s->twice, s->ntwice * sizeof(*s->twice));
	}
	return copy;
}

/* Note which file the metadata are, and how much of it was read at least. */
void
trace_stat(struct ctf_trace *tr, const struct stat *st)
{
	tr->dev = st->st_dev;
	tr->ino = st->st_ino;
	tr->size = st->st_size;
	tr->mtime = st->st_mtime;
}

static uint64_t
file_key(dev_t dev, ino_t ino)
{
	return map_bytes(map_bytes(0, &dev, sizeof(dev)), &ino, sizeof(ino));
}

/* Was the file written since? */
int
trace_changed(const struct ctf_trace *tr, const struct stat *st)
{
	return tr->dev == st->st_dev && tr->ino == st->st_ino &&
	    (tr->size != st->st_size || tr->mtime != st->st_mtime);
}

/*
 * The streams from the first on are the trace's.  Its points are no stream.
 * While the trace is written, its metadata tell the clock better.
 */
static void
streams_have(struct reader *r, struct ctf_trace *tr, size_t first)
{
	struct ctf_stream *s;
	size_t i, n = first;

	for (i = first; i < r->nstreams; i++) {
		s = r->streams[i];
		s->trace = tr;
		if (!ctf_points_here(tr, s->path)) {
			r->streams[n++] = s;
			continue;
		}
		if (!r->follow)
			ctf_points_read(tr, s->path);
		stream_free(s);
	}
	r->nstreams = n;
}

/*
 * The streams from the first on belong to this metadata.  Their sizes were
 * taken before it is read: it describes at least what they hold.
 */
static void
trace_add(struct reader *r, char *metadata, const struct stat *st,
    size_t first)
{
	struct ctf_trace *tr;

	r->ntraces++;
	tr = ctf_open(metadata, &r->move);
	if (tr != NULL && !tr->hastrace && (first < r->nstreams ||
	    (tr->roles && !r->follow)))
		ctf_damage(tr->file, "no %s", tr->roles ?
		    "data stream class" : "trace block");
	if (tr != NULL && tr->hastrace) {
		streams_have(r, tr, first);
		trace_stat(tr, st);
		tr->dir = r->dir;
		tr->next = r->traces;
		r->traces = tr;
		map_put(&known, file_key(tr->dev, tr->ino), tr);
		return;
	}
	if (tr != NULL)
		ctf_close(tr);
	while (r->nstreams > first)
		stream_free(r->streams[--r->nstreams]);
}

/*
 * The file has been found before, perhaps in another directory.  Another file,
 * of this trace or another one, may have got its inode since.
 */
static int
is_stream_known(struct ctf_stream **list, size_t n, const struct ctf_trace *tr,
    const struct stat *st, char *path)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (list[i]->ino != st->st_ino ||
		    list[i]->dev != st->st_dev || list[i]->trace != tr)
			continue;
		if (!base_is(path, strrchr(list[i]->path, '/') + 1) ||
		    !ctf_window_is(list[i], path)) {
			list[i]->ino = 0;
			continue;
		}
		free(list[i]->path);
		list[i]->path = path;
		return 1;
	}
	return 0;
}

/* Takes the names of streams out of the list; those of tr may be known. */
static void
find_streams(struct reader *r, struct names *ns, const struct ctf_trace *tr)
{
	struct stat st;
	size_t i;

	for (i = 0; i < ns->n; i++) {
		if (base_is(ns->list[i], "metadata") ||
		    base_is(ns->list[i], "index"))
			continue;
		if (lstat(ns->list[i], &st) == -1) {
			ctf_missed(ns->list[i]);
			continue;
		}
		if (!S_ISREG(st.st_mode) || st.st_size == 0)
			continue;
		if (tr == NULL || (!is_stream_known(r->streams, r->nstreams,
		    tr, &st, ns->list[i]) && !is_stream_known(r->idle,
		    r->nidle, tr, &st, ns->list[i])))
			stream_add(r, stream_new(ns->list[i], &st,
			    r->nfound++));
		ns->list[i] = NULL;
	}
}

/* The trace, if it was found before: in another directory, or in this one. */
static struct ctf_trace *
find_known(const struct stat *st)
{
	struct ctf_trace *tr = map_get(&known, file_key(st->st_dev,
	    st->st_ino));

	return tr != NULL && tr->dev == st->st_dev &&
	    tr->ino == st->st_ino ? tr : NULL;
}

/* Does the file begin as a packet does, in either byte order? */
static int
is_stream(const char *path)
{
	uint32_t magic;
	struct stat st;
	const int fd = regular_open(AT_FDCWD, path, O_NOFOLLOW, &st);

	if (fd == -1)
		return 0;
	if (read(fd, &magic, sizeof(magic)) != (ssize_t)sizeof(magic))
		magic = 0;
	close(fd);
	return magic == CTF_MAGIC || magic == CTF_SWAPPED;
}

/* Nobody can say what is in there. */
static void
find_unknown(const char *path, const struct names *ns)
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

/*
 * Look for new streams of a trace, which may have been renamed since.  If its
 * name is new, the file may be another trace's, with the same inode: it is read
 * again.
 */
static void
trace_more(struct reader *r, struct ctf_trace *tr, char *metadata,
    struct names *ns)
{
	const size_t first = r->nstreams;

	if (strcmp(tr->file, metadata) != 0)
		tr->size = -1;
	free(tr->file);
	tr->file = metadata;
	find_streams(r, ns, tr);
	streams_have(r, tr, first);
}

static void	 find_dir(struct reader *, const char *, int);

/*
 * Snapshots hold what the session's trace has, too, and what other snapshots
 * have.  So only the newest is read, and that only if there is no trace: the
 * session keeps what it records in memory.
 */
static void
find_snapshots(struct reader *r, const char *path, int depth, int none)
{
	struct names ns;
	struct stat st;
	time_t newest = 0;
	size_t i, best;

	if (dir_read(path, depth, &ns) == -1)
		return;
	best = ns.n;
	for (i = 0; i < ns.n && none; i++) {
		if (lstat(ns.list[i], &st) == -1 || !S_ISDIR(st.st_mode) ||
		    (best < ns.n && st.st_mtime < newest))
			continue;
		best = i;
		newest = st.st_mtime;
	}
	if (best < ns.n)
		find_dir(r, ns.list[best], depth + 1);
	if (best == ns.n && ns.n > 0)
		say("%s: snapshots are left out, for their events are in the "
		    "trace, too: name one to read it", path);
	else if (ns.n > 1)
		say("%s is the newest of %zu snapshots: name another one to "
		    "read that", ns.list[best], ns.n);
	names_free(&ns);
}

/* Does the list have both? */
static int
has_snapshots(const struct names *ns)
{
	size_t i;
	int both = 0;

	for (i = 0; i < ns->n; i++)
		if (ns->list[i] != NULL)
			both |= base_is(ns->list[i], "ust") |
			    base_is(ns->list[i], "snapshots") << 1;
	return both == 3;
}

static void
find_dir(struct reader *r, const char *path, int depth)
{
	const size_t before = r->ntraces;
	struct ctf_trace *tr;
	struct names ns;
	struct stat st;
	char *metadata, *snapshots = NULL;
	size_t i, first = r->nstreams;
	int both;

	if (dir_read(path, depth, &ns) == -1)
		return;
	metadata = format("%s/metadata", path);
	if (lstat(metadata, &st) == -1 || !S_ISREG(st.st_mode)) {
		find_unknown(path, &ns);
		free(metadata);
	} else if ((tr = find_known(&st)) != NULL && r->follow) {
		trace_more(r, tr, metadata, &ns);
	} else if (tr != NULL) {
		if (memcmp(&tr->moved, &r->move, sizeof(r->move)) != 0)
			ctf_damage(metadata, "named twice, with two offsets");
		r->twice = 1;
		r->ntraces++;
		free(metadata);
	} else {
		find_streams(r, &ns, NULL);
		trace_add(r, metadata, &st, first);
	}
	both = has_snapshots(&ns);
	for (i = 0; i < ns.n; i++) {
		if (ns.list[i] == NULL)
			continue;
		if (lstat(ns.list[i], &st) == -1) {
			ctf_missed(ns.list[i]);
			continue;
		}
		if (depth == 0 && S_ISDIR(st.st_mode))
			r->top |= base_is(ns.list[i], "ust");
		if (!S_ISDIR(st.st_mode))
			r->files = 1;
		else if (depth >= DIRDEPTH)
			ctf_damage(ns.list[i], "too deep");
		else if (both && base_is(ns.list[i], "snapshots"))
			snapshots = ns.list[i];
		else
			find_dir(r, ns.list[i], depth + 1);
	}
	if (snapshots != NULL && !r->follow)
		find_snapshots(r, snapshots, depth + 1, r->ntraces == before);
	names_free(&ns);
}

/* Find what is new in and below a directory. */
void
reader_look(struct reader *r, const char *dir)
{
	struct ctf_trace *tr;

	for (tr = r->traces; tr != NULL; tr = tr->next)
		map_put(&known, file_key(tr->dev, tr->ino), tr);
	find_dir(r, dir, 0);
	map_free(&known);
}

static int
file_keep(struct reader *r, const char *path)
{
	const int fd = ctf_keep(path);

	if (fd == -1)
		return -1;
	r->kept = xgrow(r->kept, r->nkept, &r->keptcap, sizeof(*r->kept));
	r->kept[r->nkept++] = fd;
	return fd;
}

/* Keep what was found open: later it may be gone. */
static void
find_keep(struct reader *r, const struct reader *was)
{
	struct ctf_trace *tr;
	size_t i;

	for (i = was->nstreams; i < r->nstreams; i++)
		r->streams[i]->kept = file_keep(r, r->streams[i]->path);
	for (tr = r->traces; tr != was->traces; tr = tr->next) {
		tr->kept = file_keep(r, tr->file);
		tr->kept_points = file_keep(r, tr->points_file);
	}
}

void
reader_unkeep(struct reader *r, size_t n)
{
	while (r->nkept > n)
		ctf_unkeep(r->kept[--r->nkept]);
}

/* Forget what was found since. */
static void
find_undo(struct reader *r, const struct reader *was)
{
	struct ctf_trace *tr;

	while (r->nstreams > was->nstreams)
		stream_free(r->streams[--r->nstreams]);
	reader_unkeep(r, was->nkept);
	while ((tr = r->traces) != was->traces) {
		r->traces = tr->next;
		ctf_close(tr);
	}
	r->nfound = was->nfound;
	r->ntraces = was->ntraces;
}

/*
 * Find the traces; and all of them anew, while a session moves or removes some
 * of their files.
 */
static void
find_steady(struct reader *r, const char *dir)
{
	const struct reader was = *r;
	unsigned long missed = ctf_nmissed() + 1;
	int i;

	for (i = 0; i < TRIES && missed != ctf_nmissed(); i++) {
		find_undo(r, &was);
		missed = ctf_nmissed();
		r->top = r->files = r->twice = 0;
		reader_look(r, dir);
		find_keep(r, &was);
	}
	if (missed != ctf_nmissed())
		ctf_warn(dir, "files were moved or removed while they were "
		    "looked for: their events are left out");
}

/* The number of the chunk below dir that the path is of; or ULONG_MAX. */
static unsigned long
chunk_number(const char *dir, const char *path)
{
	const char *chunk = path + strlen(dir);

	return strncmp(chunk, ARCHIVES, strlen(ARCHIVES)) == 0 &&
	    strlen(chunk) > NUMBER ? strtoul(chunk + NUMBER, NULL, 10) :
	    ULONG_MAX;
}

static int
number_cmp(const void *a, const void *b)
{
	const unsigned long n = *(const unsigned long *)a;
	const unsigned long m = *(const unsigned long *)b;

	return (n > m) - (n < m);
}

/* Is the chunk of that number still there? */
static int
is_there(const struct names *ns, const char *dir, unsigned long number)
{
	struct stat st;
	size_t i;

	for (i = 0; i < ns->n; i++)
		if (chunk_number(dir, ns->list[i]) == number)
			return lstat(ns->list[i], &st) == 0;
	return 0;
}

/*
 * Say that there is no directory of a chunk between others.  A session removes
 * the oldest chunks only, but may do so while the directory is read.
 */
static void
say_missing(const char *dir)
{
	struct names ns;
	unsigned long *v;
	char *path = format("%s/archives", dir);
	size_t i, n = 0;

	if (dir_read(path, 1, &ns) == 0 && ns.n > 0) {
		if ((v = calloc(ns.n, sizeof(*v))) == NULL)
			die_errno("malloc");
		for (i = 0; i < ns.n; i++)
			if ((v[n] = chunk_number(dir, ns.list[i])) != ULONG_MAX)
				n++;
		qsort(v, n, sizeof(*v), number_cmp);
		for (i = 1; i < n && v[i] - v[i - 1] <= 1; i++)
			continue;
		if (i < n && is_there(&ns, dir, v[0]))
			say("%s: there is no chunk between number %lu and "
			    "number %lu", dir, v[i - 1], v[i]);
		free(v);
	}
	names_free(&ns);
	free(path);
}

/* Note and say that the first chunks of a session are not there any more. */
static void
note_removed(const struct reader *r, const char *dir,
    const struct ctf_trace *end)
{
	const struct ctf_trace *oldest = NULL;
	unsigned long n, least = ULONG_MAX;
	struct ctf_trace *tr;

	for (tr = r->traces; tr != end; tr = tr->next)
		if ((n = chunk_number(dir, tr->file)) < least) {
			least = n;
			oldest = tr;
		}
	if (oldest == NULL)
		return;
	say_missing(dir);
	if (least <= 1)
		return;
	for (tr = r->traces; tr != end; tr = tr->next)
		tr->headless = chunk_number(dir, tr->file) == least;
	say("%s: chunks before number %lu, which begins at %.*s, were removed "
	    "(create -M, rotate -k, clear) or empty", dir, least, DATE,
	    oldest->file + strlen(dir) + strlen(ARCHIVES));
}

static void
say_none(const struct reader *r, const char *dir)
{
	const char *session = r->dirs[r->dir].hides;

	ctf_damage(dir, "no trace here");
	if (session != NULL)
		say("%s: the directory here was read, not the session of that "
		    "name: name the session as %s", dir, session);
}

/* Add the traces in and below a directory. */
void
reader_open(struct reader *r, const char *dir)
{
	const size_t n = r->ntraces, nfound = r->nfound;
	const unsigned long damaged = ctf_damaged();
	const struct ctf_trace *end = r->traces;

	find_steady(r, dir);
	note_removed(r, dir, end);
	if (r->nfound > nfound || ctf_damaged() != damaged)
		return;
	if (r->twice)
		say("%s: named twice, and read once", dir);
	else if (r->ntraces > n)
		say("%s: an empty trace: there is no file of events", dir);
	else if (!r->top || r->files)
		say_none(r, dir);
	else
		say("%s: an empty trace: no events were recorded", dir);
}

static int
name_cmp(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * The hosts of traces that are read together.  If there are several, whatever
 * names a process names its host as well: their IDs have nothing in common.
 */
void
hosts_find(struct reader *r)
{
	struct ctf_trace *tr;
	size_t i, n = 0;

	if ((r->hosts = calloc(r->ntraces + 1, sizeof(*r->hosts))) == NULL)
		die_errno("malloc");
	for (tr = r->traces; tr != NULL; tr = tr->next)
		if (tr->host != NULL && tr->host[0] != '\0')
			r->hosts[n++] = tr->host;
	if (n > 1)
		qsort(r->hosts, n, sizeof(*r->hosts), name_cmp);
	for (i = 0; i < n; i++)
		if (i == 0 || strcmp(r->hosts[i], r->hosts[i - 1]) != 0)
			r->hosts[r->nhosts++] = r->hosts[i];
	if (r->nhosts < 2)
		return;
	for (tr = r->traces; tr != NULL; tr = tr->next)
		tr->label = tr->host == NULL || tr->host[0] == '\0' ? "-" :
		    tr->host;
}

char *
host_name(const char *host, const char *name)
{
	return host == NULL ? format("%s", name) :
	    format("%s:%s", host, name);
}
