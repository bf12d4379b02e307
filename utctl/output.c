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
 * The directory of a trace that utctl record writes.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record.h"

#define TRIES		1000

/* What a session writes into its directory, and nothing else. */
static const char *const parts[] = { "ust", "archives", "snapshots" };

#define NPARTS		(sizeof(parts) / sizeof(parts[0]))

/* By default it is called as the command, and the time. */
void
output_name(struct output *o, const char *command)
{
	const char *slash = strrchr(command, '/');
	char *name, *unique;

	if (o->given != NULL) {
		o->dir = absolute(o->given);
		return;
	}
	name = format("ut-trace-%.64s", slash == NULL ? command : slash + 1);
	unique = stamped(name);
	o->dir = absolute(unique);
	free(unique);
	free(name);
}

/* Has the directory parts of a trace, and nothing else; or nothing at all? */
static int
is_trace(const char *path)
{
	struct dirent *d;
	DIR *dir;
	size_t i;
	int ok = 1;

	if ((dir = opendir(path)) == NULL)
		return 0;
	while (ok && (d = readdir(dir)) != NULL) {
		if (strcmp(d->d_name, ".") == 0 ||
		    strcmp(d->d_name, "..") == 0)
			continue;
		for (i = 0; i < NPARTS; i++)
			if (strcmp(d->d_name, parts[i]) == 0)
				break;
		ok = i < NPARTS;
	}
	closedir(dir);
	return ok;
}

static int
is_filled(const char *path)
{
	struct dirent *d;
	DIR *dir;
	int filled = 0;

	if ((dir = opendir(path)) == NULL)
		return 0;
	while (!filled && (d = readdir(dir)) != NULL)
		filled = strcmp(d->d_name, ".") != 0 &&
		    strcmp(d->d_name, "..") != 0;
	closedir(dir);
	return filled;
}

/* Is there a trace already, and nobody wants it to be replaced? */
static int
has_trace(const struct output *o)
{
	char *path;
	size_t i;
	int any = 0;

	if (o->given == NULL || !is_trace(o->dir))
		return 0;
	for (i = 0; i < NPARTS && !any; i++) {
		path = format("%s/%s", o->dir, parts[i]);
		any = is_filled(path);
		free(path);
	}
	if (any)
		say("%s: has a trace: replace it with -r, or name another "
		    "directory", o->dir);
	return any;
}

/* Is something of that name in the way, which is no trace? */
static int
in_the_way(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == -1)
		return 0;
	if (S_ISDIR(st.st_mode) && is_trace(path))
		return 0;
	say("%s: not a trace: it is not replaced", path);
	return 1;
}

/* With -r, what is there may be moved away; without it, there is no trace. */
static int
check_place(const struct output *o)
{
	char *old;
	int bad;

	if (!o->replace)
		return has_trace(o) ? -1 : 0;
	old = format("%s.old", o->dir);
	bad = in_the_way(o->dir) || in_the_way(old);
	free(old);
	return bad ? -1 : 0;
}

/*
 * With -r, the trace becomes dir.old, just before utd makes another; if make is
 * set, an empty one is there at once.  An older dir.old waits until we have
 * recorded.
 */
int
output_replace(struct output *o, int make)
{
	char *old;

	if (!o->replace || o->old != NULL || access(o->dir, F_OK) == -1)
		return 0;
	if (check_place(o) == -1)	/* once more: that was long ago */
		return -1;
	old = format("%s.old", o->dir);
	if (access(old, F_OK) == 0) {
		o->older = format("%s.%ld", old, (long)getpid());
		if (rename(old, o->older) == -1) {
			say_errno("%s", old);
			return -1;
		}
	}
	if (rename(o->dir, old) == -1) {
		say_errno("%s", o->dir);
		return -1;
	}
	o->old = old;
	if (!make)
		return 0;
	o->keep = 0;
	if (mkdir(o->dir, geteuid() == 0 ? 0755 : 0700) == 0)
		return 0;
	say_errno("%s", o->dir);
	return -1;
}

/* Can what is there be renamed? */
static int
replace_try(const struct output *o)
{
	char *path = format("%s.%ld", o->dir, (long)getpid());
	const int result = mkdir(path, 0700);

	if (result == 0)
		rmdir(path);
	else
		say_errno("%s", path);
	free(path);
	return result;
}

/* It is made at the end, perhaps; what keeps us from that is said now. */
int
output_try(struct output *o)
{
	char *first = o->dir;
	int n = 1;

	o->keep = 1;
	if (check_place(o) == -1)
		return -1;
	if (o->replace && access(o->dir, F_OK) == 0)
		return replace_try(o);
	while (mkdir(o->dir, 0700) == -1) {
		if (errno == ENOENT && o->given != NULL)
			return 0;
		if (errno != EEXIST || n == TRIES || o->given != NULL) {
			say_errno("%s", o->dir);
			return -1;
		}
		o->dir = format("%s-%d", first, ++n);
	}
	rmdir(o->dir);
	return 0;
}

/*
 * If nobody said where, that is a new directory, in the one where we are: by
 * its path that may be another by now.
 */
int
output_make(struct output *o)
{
	char *first = o->dir;
	int n = 1;

	if (check_place(o) == -1) {
		o->keep = 1;
		return -1;
	}
	if (o->given != NULL) {
		o->keep = access(o->dir, F_OK) == 0;
		return 0;
	}
	while (mkdir(strrchr(o->dir, '/') + 1, 0777) == -1) {
		if (errno != EEXIST || n == TRIES) {
			say_errno("%s", o->dir);
			o->keep = 1;
			return -1;
		}
		if (o->dir != first)
			free(o->dir);
		o->dir = format("%s-%d", first, ++n);
	}
	if (o->dir != first)
		free(first);
	return 0;
}

void
output_done(struct output *o)
{
	if (o->older != NULL)
		remove_dir(o->older, 1);
}

/*
 * Nothing was recorded, and if ust is set, there is an empty directory ust.
 * What has events all the same stays, as with output_done().
 */
void
output_undo(struct output *o, int ust)
{
	char *path;

	if (ust) {
		path = format("%s/ust", o->dir);
		remove_dir(path, 0);
		free(path);
	}
	if (o->old == NULL && !o->keep)
		remove_dir(o->dir, 0);
	if (o->old != NULL && rename(o->old, o->dir) == -1) {
		say("the trace in %s may not be complete", o->dir);
		output_done(o);
	} else if (o->older != NULL) {
		path = format("%s.old", o->dir);
		if (rename(o->older, path) == -1)
			say_errno("%s", o->older);
		free(path);
	}
}
