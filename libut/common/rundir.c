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

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../ut_msg.h"
#include "compat.h"
#include "hash.h"
#include "rundir.h"

static int
fit(int n, size_t size)
{
	if (n >= 0 && (size_t)n < size)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

int
ut_rundir_user(char *buf, size_t size)
{
	const char *dir;

	if ((dir = getenv("XDG_RUNTIME_DIR")) != NULL && dir[0] == '/')
		return fit(snprintf(buf, size, "%s/utd", dir), size);
	if ((dir = getenv("HOME")) != NULL && dir[0] == '/')
		return fit(snprintf(buf, size, "%s/.utd", dir), size);
	errno = ENOENT;
	return -1;
}

int
ut_rundir(char *buf, size_t size)
{
	const char *dir;

	if ((dir = getenv("UT_RUNDIR")) != NULL && dir[0] != '\0')
		return fit(snprintf(buf, size, "%s", dir), size);
	if (ut_geteuid() == 0)
		return fit(snprintf(buf, size, UT_RUNDIR_SYSTEM), size);
	return ut_rundir_user(buf, size);
}

int
ut_rundir_check(const char *dir)
{
	struct stat st;

	/* The owner of a link can have it lead anywhere at any time. */
	if (lstat(dir, &st) == -1)
		return -1;
	if (S_ISLNK(st.st_mode) && st.st_uid != 0 &&
	    st.st_uid != ut_geteuid()) {
		errno = EPERM;
		return -1;
	}
	if (stat(dir, &st) == -1)
		return -1;
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		return -1;
	}
	if ((st.st_uid != 0 && st.st_uid != ut_geteuid()) ||
	    (st.st_mode & (S_IWGRP | S_IWOTH))) {
		errno = EPERM;
		return -1;
	}
	return 0;
}

int
ut_rundir_beside(char *buf, size_t size, const char *dir)
{
	size_t len = strlen(dir);
	char *slash;

	while (len > 0 && dir[len - 1] == '/')
		len--;
	if (dir[0] != '/' || len == 0) {
		errno = EINVAL;
		return -1;
	}
	/* The directory above, to be checked, and then the name. */
	if (fit(snprintf(buf, size, "%.*s", (int)len, dir), size) == -1)
		return -1;
	slash = strrchr(buf, '/');
	slash[slash == buf] = '\0';
	if (ut_rundir_check(buf) == -1)
		return -1;
	return fit(snprintf(buf, size, "%.*s." UT_FIFO, (int)len, dir), size);
}

/*
 * The name of the FIFO has its owner, for all to check, and the FNV-1a of the
 * name of the directory, which is the same for everybody who has the same name
 * for it.
 */
int
ut_rundir_tmp(char *buf, size_t size, uid_t uid, const char *dir)
{
	const uint64_t h = hash_fnv(FNV_INIT, dir, strlen(dir));

	return fit(snprintf(buf, size, UT_TMP "/" UT_TMP_NAME,
	    (unsigned long)uid, (unsigned long long)h), size);
}
