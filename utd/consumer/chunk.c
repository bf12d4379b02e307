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
 * A chunk that is complete: no consumer writes there any more.  It gets its
 * place below archives/ by one rename(2), or is removed.
 *
 * The first chunk of a session is ust/ itself, and moves into a directory of
 * its own first; later ones have one.  Each step may have been taken by a
 * consumer that died behind it.
 *
 * Before that, parts of it can be carried into the next chunk.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "consumer.h"
#include "region.h"
#include "sink.h"

#define ARCHIVES	"archives"

static int
make_dir(int at, const char *name)
{
	return mkdirat(at, name, 0755) == 0 || errno == EEXIST ? 0 :
	    report_errno(name);
}

bool
output_there(int at, const char *name)
{
	struct stat st;

	return fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Is there a directory of ours: 1, 0, or -1? */
static int
have_dir(int at, const char *name)
{
	const int fd = output_open(at, name);

	if (fd == -1)
		return errno == ENOENT ? 0 : -1;
	close(fd);
	return 1;
}

/* Give ust/ a directory above, which is complete before it is called so. */
static int
wrap_top(int fd, int archives, const char *hidden)
{
	int dir, r = 0;

	if (make_dir(archives, hidden) == -1 ||
	    (dir = output_open(archives, hidden)) == -1)
		return -1;
	if (!output_there(dir, TOP) && renameat(fd, TOP, dir, TOP) == -1)
		r = errno == ENOENT ? make_dir(dir, TOP) : report_errno(TOP);
	return r == 0 ? close(dir) : close_failed(dir);
}

static int
chunk_move(int fd, int archives, const char *from, const char *to, uint32_t how,
    const struct aging *may)
{
	char hidden[NAME_MAXLEN + 1];
	const bool top = strcmp(from, TOP) == 0;
	int there;

	if (output_there(archives, to))
		return 0;		/* done by a consumer that died */
	output_age(archives, to, may);
	snprintf(hidden, sizeof(hidden), ".%s", to);
	if (how == UT_CHUNK_ANY)
		output_prune(fd, from);
	if ((there = have_dir(fd, from)) == -1)
		return -1;
	if (there == 0 && how == UT_CHUNK_ANY &&
	    !output_there(archives, hidden))
		return 0;
	if (there == 0 || top) {
		if (wrap_top(fd, archives, hidden) == -1)
			return -1;
		from = hidden;
		fd = archives;
	}
	return renameat(fd, from, archives, to) == 0 ? 0 : report_errno(to);
}

/*
 * Keep the chunk under that name, if there is any, and so many others; or
 * remove it: 0, or -1 and errno.
 */
int
chunk_done(int fd, const char *from, const char *to, uint32_t how,
    const struct aging *may, bool *any)
{
	int archives, r;

	if (how == UT_CHUNK_CLEAR) {
		r = output_remove(fd, from);
	} else {
		if (make_dir(fd, ARCHIVES) == -1 ||
		    (archives = output_open(fd, ARCHIVES)) == -1)
			return -1;
		r = chunk_move(fd, archives, from, to, how, may);
		*any = output_there(archives, to);
		r = r == 0 ? close(archives) : close_failed(archives);
	}
	/* An empty trace is recognized by this directory. */
	return r == 0 ? make_dir(fd, TOP) : r;
}

/*
 * Open the directory above the last name of the path, and perhaps make it; the
 * name is told.  It has to be ours to the end, and nobody else's to write in.
 */
static int
open_above(int fd, const char *path, bool make, const char **name)
{
	char one[NAME_MAXLEN + 1];
	const char *slash;
	struct stat st;
	int at = fd, dir;

	for (; (slash = strchr(path, '/')) != NULL; path = slash + 1) {
		snprintf(one, sizeof(one), "%.*s", (int)(slash - path), path);
		dir = make && make_dir(at, one) == -1 ? -1 :
		    output_open(at, one);
		if (at != fd)
			(void)close_failed(at);
		if ((at = dir) == -1)
			return -1;
		if (fstat(at, &st) == -1 || st.st_uid != geteuid() ||
		    (st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
			(void)output_refuse(one, "others can write there");
			return close_failed(at);
		}
	}
	*name = path;
	errno = EINVAL;
	return at != fd ? at : -1;
}

/*
 * Move a part of a chunk, a directory that may be another user's, into the next
 * one: 0, or -1 and errno.  It is not opened, nor looked at, because a user can
 * mount on it what does not answer.  If it is not there, a consumer that died
 * has moved it.
 */
int
chunk_carry(int fd, const char *from, const char *to)
{
	const char *name, *new;
	int here, there, r = -1;

	if ((here = open_above(fd, from, false, &name)) == -1)
		return errno == ENOENT ? 0 : -1;
	if ((there = open_above(fd, to, true, &new)) != -1) {
		r = renameat(here, name, there, new) == 0 || errno == ENOENT ?
		    0 : report_errno(to);
		r = r == 0 ? close(there) : close_failed(there);
	}
	return r == 0 ? close(here) : close_failed(here);
}

/*
 * Rotation: a region goes on in another trace, between two passes.
 *
 * All that is committed is written to the old trace; what comes then goes to
 * the new one, whose streams and numbers begin anew, so that each of the two
 * can be read without the other.  What could not be written, since there is no
 * room for metadata, waits in the region, and goes to the new trace.  In
 * overwrite mode a pass leaves some of what is full, and all that was delivered
 * since it began, so there are several.
 *
 * The parent saves that the region goes on in the new trace before it says so.
 * Wherever we die, the next consumer finds the last packets in one of the two.
 */

#define PASSES	8		/* programs may fill more all the time */

void
region_rotate(struct region *r, struct trace *to)
{
	struct sink *k;
	int passes;

	r->begun = region_now(r);
	region_look_files(r);
	for (passes = 0; passes < PASSES; passes++)
		if (!region_drain(r, DRAIN_ALL) &&
		    (!r->overwrites || passes > 0))
			break;
	region_check(r);
	k = r->sink;
	region_left_sink(r, k);
	r->sink = sink_new(r, to);
	r->sink->trouble = k->trouble;
	r->watched_bytes = 0;
	sink_free(k);
}
