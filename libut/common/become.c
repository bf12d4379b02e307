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
 * A process of root becomes one of another user.
 */

#include <sys/types.h>

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "compat.h"

gid_t
ut_user_group(uid_t uid, gid_t gid)
{
	const struct passwd *pw = getpwuid(uid);

	return pw != NULL ? pw->pw_gid : gid;
}

/* Real, effective and saved IDs, and the groups. */
int
ut_become(uid_t uid, gid_t gid)
{
	const struct passwd *pw;

	gid = ut_user_group(uid, gid);
	pw = getpwuid(uid);
	if ((pw != NULL ? initgroups(pw->pw_name, gid) :
	    setgroups(1, &gid)) == -1 || setgid(gid) == -1 ||
	    setuid(uid) == -1)
		return -1;
	if (getuid() == uid && geteuid() == uid && getgid() == gid &&
	    getegid() == gid && setuid(0) == -1 &&
	    (gid == 0 || setgid(0) == -1))
		return 0;
	errno = EPERM;
	return -1;
}
