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
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record.h"

#define TRIES		1000

/* All that a session writes into its directory. */
static const char *const parts[] = { "ust", "archives", "snapshots" };

#define NPARTS		(sizeof(parts) / sizeof(parts[0]))

/* Programs of other users have a part in a trace of root. */
static mode_t
dir_mode(void)
{
	return geteuid() == 0 ? 0755 : 0700;
}

static void
cut_slashes(char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		path[--n] = '\0';
}

/* Name the directory: by default as the command, and the time. */
void
record_dir_name(struct record_dir *o, const char *command)
{
	const char *slash = strrchr(command, '/');
	char *name, *unique;

	o->above = o->older_fd = -1;
	if (o->given != NULL) {
		o->dir = absolute(o->given);
		cut_slashes(o->dir);
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
is_trace(int fd)
{
	const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct dirent *d;
	DIR *dir;
	size_t i;
	int ok = 1;

	if (copy == -1 || (dir = fdopendir(copy)) == NULL)
		return 0;
	rewinddir(dir);
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
has_trace(const struct record_dir *o)
{
	char *path;
	size_t i;
	int any = 0, fd;

	if (o->given == NULL ||
	    (fd = open(o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
		return 0;
	if (!is_trace(fd)) {
		close(fd);
		return 0;
	}
	close(fd);
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

/*
 * The name below o->above of what has such a path: dir itself, or dir with
 * something behind it.
 */
static const char *
name_of(const struct record_dir *o, const char *path)
{
	return path + (strrchr(o->dir, '/') + 1 - o->dir);
}

static int
is_there(const struct record_dir *o, const char *path)
{
	struct stat st;

	return fstatat(o->above, name_of(o, path), &st,
	    AT_SYMLINK_NOFOLLOW) == 0;
}

static int
say_move(const struct record_dir *o, const char *from, const char *to)
{
	if (renameat(o->above, name_of(o, from), o->above, name_of(o, to)) == 0)
		return 0;
	say_errno("%s", from);
	return -1;
}

/* 1: there is a directory above, now open; 0: there is none. */
static int
above(struct record_dir *o)
{
	char *name;

	if (o->above != -1)
		return 1;
	o->above = dir_above(o->dir, &name);
	free(name);
	if (o->above != -1)
		return 1;
	if (errno == ENOENT)
		return 0;
	dir_above_say(o->dir);
	return -1;
}

/* Root takes nothing for the old trace where others can rename. */
static int
says_above(const struct record_dir *o)
{
	const int n = (int)(strrchr(o->dir, '/') - o->dir);

	say("%.*s: belongs to another user than root, or others can write "
	    "there: root replaces no trace in it: record as that user, or give "
	    "-o a directory elsewhere", n == 0 ? 1 : n, o->dir);
	return 1;
}

/*
 * Is something of that name in the way, which is no trace, or cannot be removed
 * later?  *fd becomes the directory that is there, if any.
 */
static int
in_the_way(const struct record_dir *o, const char *path, int *fd)
{
	*fd = -1;
	if (!is_there(o, path))
		return 0;
	if (!dir_keeps_names(o->above))
		return says_above(o);
	if ((*fd = dir_open(o->above, name_of(o, path))) == -1 ||
	    !is_trace(*fd))
		say("%s: not a trace: it is not replaced", path);
	else if (!dir_removable(o->above, *fd))
		say("%s: root does not remove it: others can write there, or "
		    "to the directory above", path);
	else
		return 0;
	return 1;
}

/*
 * Check the place of the trace: with -r, what is there must be a trace that can
 * be moved away; without it, there must be none.  With -r, *older becomes the
 * directory that has the name of the old trace, or -1.
 */
static int
check_place(struct record_dir *o, int *older)
{
	char *old;
	int bad, fd = -1;

	*older = -1;
	if (!o->replace)
		return has_trace(o) ? -1 : 0;
	if ((bad = above(o)) != 1)
		return bad;
	old = format("%s.old", o->dir);
	bad = in_the_way(o, o->dir, &fd);
	if (fd != -1)
		close(fd);
	bad = bad || in_the_way(o, old, older);
	free(old);
	return bad ? -1 : 0;
}

/* Check the place when only the answer is wanted. */
static int
check_now(struct record_dir *o)
{
	int older;
	const int r = check_place(o, &older);

	if (older != -1)
		close(older);
	return r;
}

/*
 * With -r, the trace becomes dir.old, just before utd makes another; if make is
 * set, an empty one is there at once.  An older dir.old waits until we have
 * recorded.
 */
int
record_dir_replace(struct record_dir *o, int make)
{
	char *old;
	int older;

	if (!o->replace || o->old != NULL)
		return 0;
	/* Check once more: the first check was long ago. */
	if (check_place(o, &older) == -1)
		return -1;
	if (o->above == -1 || !is_there(o, o->dir)) {
		if (older != -1)
			close(older);
		return 0;
	}
	old = format("%s.old", o->dir);
	if ((o->older_fd = older) != -1) {
		o->older = format("%s.%ld", old, (long)getpid());
		if (say_move(o, old, o->older) == -1)
			return -1;
	}
	if (say_move(o, o->dir, old) == -1)
		return -1;
	o->old = old;
	if (!make)
		return 0;
	o->keep = 0;
	if (mkdirat(o->above, name_of(o, o->dir), dir_mode()) == 0)
		return 0;
	say_errno("%s", o->dir);
	return -1;
}

/* Can we make a directory of that name?  It is removed again. */
static int
try_name(const struct record_dir *o, const char *path)
{
	const int result = mkdirat(o->above, name_of(o, path), 0700);

	if (result == 0)
		(void)unlinkat(o->above, name_of(o, path), AT_REMOVEDIR);
	return result;
}

static int
replace_try(const struct record_dir *o)
{
	char *path = format("%s.%ld", o->dir, (long)getpid());
	const int result = try_name(o, path);

	if (result == -1)
		say_errno("%s", path);
	free(path);
	return result;
}

/* Say now if the directory could not be made, perhaps at the end. */
int
record_dir_try(struct record_dir *o)
{
	char *first = o->dir;
	int n = 1, r;

	o->keep = 1;
	if (check_now(o) == -1)
		return -1;
	if ((r = above(o)) != 1)
		return r;
	if (o->replace && is_there(o, o->dir))
		return replace_try(o);
	while (try_name(o, o->dir) == -1) {
		if (errno != EEXIST || n == TRIES || o->given != NULL) {
			say_errno("%s", o->dir);
			return -1;
		}
		o->dir = format("%s-%d", first, ++n);
	}
	return 0;
}

/*
 * Without -o, make a new directory here, by its last name: the absolute path
 * may lead elsewhere by now.
 */
int
record_dir_make(struct record_dir *o)
{
	char *first = o->dir;
	int n = 1;

	if (check_now(o) == -1) {
		o->keep = 1;
		return -1;
	}
	if (o->given != NULL) {
		o->keep = access(o->dir, F_OK) == 0;
		return 0;
	}
	while (mkdir(strrchr(o->dir, '/') + 1, dir_mode()) == -1) {
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
record_dir_done(struct record_dir *o)
{
	if (o->older != NULL && dir_remove(o->above, name_of(o, o->older),
	    o->older_fd) == -1)
		say_errno("%s: not all of it could be removed", o->older);
}

/*
 * Nothing was recorded, and if ust is set, there is an empty directory ust.
 * What has events all the same stays, as with record_dir_done().
 */
void
record_dir_undo(struct record_dir *o, int ust)
{
	char *path;

	if (ust) {
		path = format("%s/ust", o->dir);
		remove_dir(path, 0);
		free(path);
	}
	if (o->old == NULL && !o->keep)
		remove_dir(o->dir, 0);
	if (o->old != NULL && renameat(o->above, name_of(o, o->old), o->above,
	    name_of(o, o->dir)) == -1) {
		say("the trace in %s may not be complete", o->dir);
		record_dir_done(o);
	} else if (o->older != NULL) {
		path = format("%s.old", o->dir);
		(void)say_move(o, o->older, path);
		free(path);
	}
}
