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
 * The rights that a process gives up for good.  ut_confine gives up what it can
 * where the system has a way: more than has to be, so nothing there may fail.
 */

#include <sys/types.h>
#include <sys/resource.h>
#if defined(__linux__)
#include <sys/prctl.h>
#elif defined(__FreeBSD__)
#include <sys/procctl.h>
#endif

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

static void
no_new_rights(void)
{
#if defined(__linux__) && defined(PR_SET_NO_NEW_PRIVS)
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#elif defined(__FreeBSD__) && defined(PROC_NO_NEW_PRIVS_CTL)
	int how = PROC_NO_NEW_PRIVS_ENABLE;

	(void)procctl(P_PID, getpid(), PROC_NO_NEW_PRIVS_CTL, &how);
#endif
}

static void
no_processes(void)
{
#ifdef RLIMIT_NPROC
	const struct rlimit none = { 0, 0 };

	(void)setrlimit(RLIMIT_NPROC, &none);
#endif
}

/* Systems do that by themselves when a process changes its UID; not always. */
static void
no_looking_in(void)
{
	const struct rlimit none = { 0, 0 };

	(void)setrlimit(RLIMIT_CORE, &none);
#if defined(__linux__)
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#elif defined(__FreeBSD__) && defined(PROC_TRACE_CTL)
	{
		int how = PROC_TRACE_CTL_DISABLE;

		(void)procctl(P_PID, getpid(), PROC_TRACE_CTL, &how);
	}
#endif
}

void
ut_confine(int others)
{
	no_new_rights();
	no_processes();
	if (others)
		no_looking_in();
}

void
ut_confine_reader(int writes)
{
	no_new_rights();
	no_processes();
#if defined(__OpenBSD__)
	(void)pledge(writes ? "stdio rpath wpath cpath" : "stdio rpath", NULL);
#else
	(void)writes;
#endif
}

void
ut_confine_readers(void)
{
	no_new_rights();
#if defined(__OpenBSD__)
	(void)pledge("stdio rpath proc", NULL);
#endif
}
