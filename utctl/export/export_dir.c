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
 * The directory that utctl export writes.  Nobody else can put anything there:
 * it and all in it is of who runs utctl, each file is new, and no link is
 * followed.  If utctl ends before export_dir_keep(), all that was made is
 * removed.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../say.h"
#include "../utctl.h"
#include "export.h"

#define MODE	0755		/* directories have it */

/* A file or a directory that was made, below the top. */
struct made {
	struct made	*next;		/* made before it */
	int		 flag;		/* for unlinkat(2) */
	char		 path[];
};

static const char	*top;
static int		 above = -1;	/* the directory that top is in ... */
static char		*name;		/* ... by that name */
static int		 top_fd = -1;
static int		 top_made;
static struct made	*made;

static void
made_add(const char *path, size_t len, int flag)
{
	struct made *m = malloc(sizeof(*m) + len + 1);

	if (m == NULL)
		die_errno("malloc");
	memcpy(m->path, path, len);
	m->path[len] = '\0';
	m->flag = flag;
	m->next = made;
	made = m;
}

static void
dir_end(int keep)
{
	struct made *m;

	if (top_fd == -1)
		return;
	while ((m = made) != NULL) {
		made = m->next;
		if (!keep)
			(void)unlinkat(top_fd, m->path, m->flag);
		free(m);
	}
	close(top_fd);
	top_fd = -1;
	if (!keep && top_made)
		(void)unlinkat(above, name, AT_REMOVEDIR);
}

static void
dir_undo(void)
{
	dir_end(0);
}

void
export_dir_keep(void)
{
	dir_end(1);
}

static int
is_empty(int fd)
{
	const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct dirent *d;
	DIR *dir;
	int n = 0;

	if (copy == -1 || (dir = fdopendir(copy)) == NULL)
		die_errno("%s", top);
	while ((d = readdir(dir)) != NULL)
		n += strcmp(d->d_name, ".") != 0 &&
		    strcmp(d->d_name, "..") != 0;
	closedir(dir);
	return n == 0;
}

/* Is it ours alone?  What others could put into root's is not root's. */
static int
is_ours(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    (st.st_uid != 0 || (st.st_mode & (S_IWGRP | S_IWOTH)) == 0);
}

void
export_dir(const char *path)
{
	char *whole = absolute(path);

	top = path;
	if ((above = dir_above(whole, &name)) == -1) {
		dir_above_say(path);
		exit(1);
	}
	free(whole);
	top_made = mkdirat(above, name, MODE) == 0;
	if (!top_made && errno != EEXIST)
		die_errno("%s", path);
	if ((top_fd = dir_open(above, name)) == -1)
		die("%s: is there, and is not a directory", path);
	atexit(dir_undo);
	if (!is_ours(top_fd)) {
		top_made = 0;
		die("%s: others can write there: name a directory that is new",
		    path);
	}
	if (!top_made && !is_empty(top_fd))
		die("%s: is not empty: name a directory that is new", path);
	signal(SIGXFSZ, SIG_IGN);	/* write(2) says it, too */
}

/* The directory of that name, which is made if it is not there. */
static int
dir_step(int at, const char *path, size_t from, size_t to)
{
	char *step = format("%.*s", (int)(to - from), path + from);
	int fd;

	if (strcmp(step, "..") == 0)
		die("..: give that directory by its name");
	if (mkdirat(at, step, MODE) == 0)
		made_add(path, to, AT_REMOVEDIR);
	else if (errno != EEXIST)
		die_errno("%s/%.*s", top, (int)to, path);
	if ((fd = dir_open(at, step)) == -1)
		die_errno("%s/%.*s", top, (int)to, path);
	free(step);
	if (at != top_fd)
		close(at);
	return fd;
}

void
export_dir_die(const char *path)
{
	die_errno("%s/%s", top, path);
}

FILE *
export_dir_file(const char *path)
{
	size_t from = 0, to;
	int at = top_fd, fd;
	FILE *f;

	for (;;) {
		from += strspn(path + from, "/");
		to = from + strcspn(path + from, "/");
		if (path[to] == '\0')
			break;
		at = dir_step(at, path, from, to);
		from = to;
	}
	fd = openat(at, path + from, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
	    O_CLOEXEC, 0666);
	if (fd == -1 || (f = fdopen(fd, "w")) == NULL)
		export_dir_die(path);
	made_add(path, strlen(path), 0);
	if (at != top_fd)
		close(at);
	return f;
}

void
export_dir_close(FILE *f, const char *path)
{
	if (fclose(f) == EOF)
		export_dir_die(path);
}
