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
 * Shared memory that nobody takes up: utd keeps a state file that it cannot
 * read, damaged or of another utd, under another name, state.kept-NUMBER.
 * Whatever else is in there, it is a row of messages, of which two kinds have
 * such names, always in the same place.  Users have what they like written into
 * others, so a name anywhere else, or behind damage, is not believed.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libut/common/compat.h"
#include "../regular.h"
#include "../utctl.h"
#include "ut_msg.h"

#define KEPT		"state.kept-"
#define PREFIX		"/ut-"		/* see ut_shm_name */
#define CONSUMER	3		/* see STATE_CONSUMER, whose name is */
#define REGION		10		/* first, and STATE_REGION */

/* A file of ours, all of it. */
struct bytes {
	char	*s;
	size_t	 n;
};

/* Another user who can write there could have us remove what is another's. */
static bool
is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && (st->st_mode & 022) == 0;
}

/* False after a message, but for a file that is not there. */
static bool
bytes_read(struct bytes *b, int dir, const char *path)
{
	struct stat st;
	FILE *f = NULL;
	int fd;

	memset(b, 0, sizeof(*b));
	fd = regular_open(dir, strrchr(path, '/') + 1, O_NOFOLLOW, &st);
	if (fd == -1 && errno == ENOENT)
		return false;
	if (fd == -1 || !is_ours(&st) || st.st_nlink != 1 ||
	    (f = fdopen(fd, "r")) == NULL) {
		say("%s: not ours", path);
		if (fd != -1)
			close(fd);
		return false;
	}
	if ((b->s = malloc((size_t)st.st_size + 1)) == NULL)
		die_errno("malloc");
	b->n = fread(b->s, 1, (size_t)st.st_size, f);
	b->s[b->n] = '\0';
	fclose(f);
	return true;
}

/* Is it a name as ut_shm_name makes them?  Its length is before it. */
static bool
name_at(const struct bytes *b, size_t at, char *name)
{
	const size_t pre = sizeof(PREFIX) - 1;
	size_t digits;
	uint16_t n;

	if (at + sizeof(n) > b->n)
		return false;
	memcpy(&n, b->s + at, sizeof(n));
	at += sizeof(n);
	if (n <= pre || n >= UT_SHM_NAME || n > b->n - at)
		return false;
	memcpy(name, b->s + at, n);
	name[n] = '\0';
	if (strncmp(name, PREFIX, pre) != 0)
		return false;
	digits = strspn(name + pre, "0123456789abcdef");
	return digits > 0 && name[pre + digits] == '-' &&
	    strspn(name + pre + digits + 1, UT_SHM_DIGITS) ==
	    n - pre - digits - 1;
}

/*
 * Find the next name, from *at on, which is where a message begins.  False:
 * there is no more, or what comes is no message.
 */
static bool
name_next(const struct bytes *b, size_t *at, char *name)
{
	struct ut_msghdr h;
	bool found = false;

	while (!found && *at <= b->n && b->n - *at >= sizeof(h)) {
		memcpy(&h, b->s + *at, sizeof(h));
		if (h.len < sizeof(h) || h.len > b->n - *at)
			return false;
		if (h.type == CONSUMER)
			found = name_at(b, *at + sizeof(h), name);
		else if (h.type == REGION)
			found = name_at(b, *at + sizeof(h) + sizeof(uint32_t),
			    name);
		*at += h.len;
	}
	return found;
}

/* Is the name there, before that place? */
static bool
has_name(const struct bytes *b, size_t end, const char *name)
{
	char other[UT_SHM_NAME];
	size_t at = 0;

	while (name_next(b, &at, other) && at <= end)
		if (strcmp(name, other) == 0)
			return true;
	return false;
}

/*
 * The process that has the number of the utd in that name, or 0.  If there is
 * one, the memory may be its: users have what they like written into a state of
 * root's utd.
 */
static pid_t
owner_of(const char *name)
{
	const unsigned long n = strtoul(name + sizeof(PREFIX) - 1, NULL, 16);
	const pid_t pid = (pid_t)n;

	return pid > 0 && (unsigned long)pid == n && !ut_dead(pid) ? pid : 0;
}

/*
 * Is the memory of that name left?  Not if utd has it now, or if there is none
 * of ours; some has to stay.
 */
static bool
is_left(const char *name, const struct bytes *now, int delete, bool *stays)
{
	const pid_t pid = owner_of(name);
	struct stat st;

	if (has_name(now, now->n, name) || ut_shm_look(name, &st) <= UT_SHM_OTHER)
		return false;
	printf("%s: shared memory of %llu bytes, uid %lu", name,
	    (unsigned long long)st.st_size, (unsigned long)st.st_uid);
	if (pid != 0) {
		printf(": stays: it may be that of process %ld, which runs\n",
		    (long)pid);
		*stays = true;
		return false;
	}
	printf("%s\n", delete ? ": removed" : "");
	if (delete && shm_unlink(name) == -1)
		say_errno("%s", name);
	return true;
}

/* The same name may be there many times, as things have changed. */
static unsigned int
left_of(const char *path, int dir, const struct bytes *now, int delete,
    bool *stay)
{
	struct bytes b;
	char name[UT_SHM_NAME];
	size_t at = 0, from;
	unsigned int n = 0;
	bool stays = false;

	if (!bytes_read(&b, dir, path))
		return 0;
	printf("%s:\n", path);
	for (from = 0; name_next(&b, &at, name); from = at) {
		if (has_name(&b, from, name))
			continue;
		n += is_left(name, now, delete, &stays);
		if (delete && !has_name(now, now->n, name) &&
		    owner_of(name) == 0)
			ut_bell_remove(name);
	}
	if (delete && !stays && unlinkat(dir, strrchr(path, '/') + 1, 0) == -1)
		say_errno("%s", path);
	free(b.s);
	*stay |= stays;
	return n;
}

/* The run directory, if nobody else can write there; or NULL. */
static DIR *
dir_read(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd == -1)
		return NULL;
	if (fstat(fd, &st) == 0 && is_ours(&st))
		return fdopendir(fd);
	say("%s: not ours", path);
	close(fd);
	return NULL;
}

/* How many such files there are.  Say what is left of each, or remove it. */
unsigned int
left_behind(const char *dir, int delete)
{
	const struct dirent *e;
	struct bytes now;
	unsigned int files = 0, n = 0;
	bool stay = false;
	char *path;
	DIR *d;

	if ((d = dir_read(dir)) == NULL)
		return 0;
	path = format("%s/state", dir);
	if (!bytes_read(&now, dirfd(d), path))
		now.n = 0;
	free(path);
	while ((e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, KEPT, sizeof(KEPT) - 1) != 0)
			continue;
		files++;
		path = format("%s/%s", dir, e->d_name);
		n += left_of(path, dirfd(d), &now, delete, &stay);
		free(path);
	}
	closedir(d);
	free(now.s);
	if (files > 0 && !delete && (n > 0 || !stay))
		printf("%u left: \"utctl recover -d\" removes %s\n", n,
		    n > 0 ? "them, and what is recorded there" : "the files");
	return files;
}
