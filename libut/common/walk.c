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
 * The way to a directory, which may lead through directories of others.  They
 * can put a symbolic link anywhere there, at any time, so no name is looked up
 * twice: we go there step by step, in each to what we have seen to be a
 * directory, and look at what we have come to.  It takes no more rights than
 * the kernel wants of a path, which open(2) of each directory would.
 *
 * A link is followed if nobody but its owner can have put it there, and that is
 * root or the user that we work for.  Where others can write, somebody else may
 * have given the link of its owner that name, by rename(2), which the sticky
 * bit forbids, or by link(2): then it has two.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compat.h"

#define LINKS_MAX	32

static int
trusted(uid_t uid)
{
	return uid == 0 || uid == ut_geteuid();
}

/*
 * The link's text goes in front of the rest of the way; -1 if it is not to be
 * followed.
 */
static int
walk_link(const char *name, const struct stat *link, char *rest)
{
	char text[PATH_MAX], rest_of[PATH_MAX];
	struct stat st;
	ssize_t n;
	int len;

	if (stat(".", &st) == -1)
		return -1;
	if (!trusted(link->st_uid) || !trusted(st.st_uid) ||
	    ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0 &&
	    ((st.st_mode & S_ISVTX) == 0 || link->st_nlink > 1))) {
		errno = EPERM;
		return -1;
	}
	if ((n = readlink(name, text, sizeof(text) - 1)) == -1)
		return -1;
	text[n] = '\0';
	strcpy(rest_of, rest);
	len = snprintf(rest, PATH_MAX, "%s/%s", text, rest_of);
	if (len < 0 || len >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return text[0] == '/' ? chdir("/") : 0;
}

/* One step, to a directory that was seen. */
static int
walk_step(const char *name, const struct stat *seen)
{
	struct stat st;

	if (chdir(name) == -1 || stat(".", &st) == -1)
		return -1;
	if (st.st_dev == seen->st_dev && st.st_ino == seen->st_ino)
		return 0;
	errno = EPERM;			/* another one since */
	return -1;
}

/* The first name of the way, which loses it; 0 at the end. */
static int
next_name(char *rest, char *name)
{
	const size_t from = strspn(rest, "/");
	const size_t n = strcspn(rest + from, "/");

	memcpy(name, rest + from, n);
	name[n] = '\0';
	memmove(rest, rest + from + n, strlen(rest + from + n) + 1);
	return n > 0;
}

int
ut_walk(const char *path, int make, mode_t mode)
{
	char rest[PATH_MAX], name[PATH_MAX];
	struct stat st;
	int links = 0;

	if (strlen(path) >= sizeof(rest)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(rest, path);
	if (chdir("/") == -1)
		return -1;
	while (next_name(rest, name)) {
		const int end = rest[strspn(rest, "/")] == '\0';

		if (make && lstat(name, &st) == -1 && errno == ENOENT &&
		    mkdir(name, end ? mode : 0755) == -1 && errno != EEXIST)
			return -1;
		if (lstat(name, &st) == -1)
			return -1;
		if (!S_ISLNK(st.st_mode)) {
			if (walk_step(name, &st) == -1)
				return -1;
		} else if (++links > LINKS_MAX) {
			errno = ELOOP;
			return -1;
		} else if (walk_link(name, &st, rest) == -1) {
			return -1;
		}
	}
	return 0;
}

int
ut_here(void)
{
#if defined(O_PATH) && !defined(UT_POSIX)
	const int how = O_PATH;
#elif defined(O_SEARCH)
	const int how = O_SEARCH;
#else
	const int how = O_RDONLY;
#endif

	return open(".", how | O_DIRECTORY | O_CLOEXEC);
}
