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
 * Run directories of one's own.
 */

#include <sys/types.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"
#include "common/compat.h"
#include "ut_abi.h"

/* We get there, and nobody but us and root can rename what we make there. */
static int
tmp_safe(const char *tmp)
{
	struct stat st;
	int here, safe;

	if ((here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
		return 0;
	safe = ut_walk(tmp, 0, 0) == 0 && stat(".", &st) == 0 &&
	    (st.st_uid == 0 || st.st_uid == geteuid()) &&
	    ((st.st_mode & (S_IWGRP | S_IWOTH)) == 0 ||
	    (st.st_mode & S_ISVTX) != 0);
	if (fchdir(here) == -1)
		die_errno("fchdir");
	close(here);
	return safe;
}

/*
 * Can every user get to what is in that directory, and nobody but root change
 * the way there?
 */
static int
good_for_root(const char *dir)
{
	char path[PATH_MAX], *p = path;
	struct stat st;
	int ok;

	if (snprintf(path, sizeof(path), "%s/", dir) >= (int)sizeof(path))
		return 0;
	do {
		p += strcspn(p + 1, "/") + 1;
		*p = '\0';
		ok = stat(path, &st) == 0 && st.st_uid == 0 &&
		    (st.st_mode & S_IXOTH) != 0 &&
		    ((st.st_mode & (S_IWGRP | S_IWOTH)) == 0 ||
		    (st.st_mode & S_ISVTX) != 0);
		*p = '/';
	} while (ok && p[1] != '\0');
	return ok;
}

/* For a run directory, whose socket has a name that is bounded. */
static const char *
tmp_dir(void)
{
	const size_t max = sizeof(((struct sockaddr_un *)NULL)->sun_path);
	const char *tmp = getenv("TMPDIR");

	if (tmp == NULL || tmp[0] != '/' || !tmp_safe(tmp) ||
	    strlen(tmp) + strlen("/ut-XXXXXX/run/" UT_SOCKET) >= max ||
	    (geteuid() == 0 && !good_for_root(tmp)))
		return "/tmp";
	return tmp;
}

/*
 * A run directory of our own.  It is a level deeper than need be, for programs
 * that outlive us make their run directory, but none above it.  What root runs
 * may become any user, and its utd serves them all.
 */
char *
private_make(void)
{
	const char *tmp = tmp_dir();
	char *dir = format("%s/ut-XXXXXX", tmp);

	if (mkdtemp(dir) != NULL &&
	    (geteuid() != 0 || chmod(dir, 0711) == 0))
		return dir;
	say_errno("run directory in %s", tmp);
	free(dir);
	return NULL;
}
