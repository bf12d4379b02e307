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
 * Where utd is found.
 */

#ifndef RUNDIR_H
#define RUNDIR_H

#include <sys/types.h>

#include <stddef.h>

#ifndef UT_RUNDIR_SYSTEM		/* tests have one of their own */
#define UT_RUNDIR_SYSTEM	"/var/run/utd"
#endif

/* Where every user can leave a FIFO, named like this. */
#define UT_TMP			"/tmp"
#define UT_TMP_PREFIX		".utd-"
#define UT_TMP_NAME		UT_TMP_PREFIX "%lu-%016llx"

/* The user's own: 0, or -1 with ENOENT or ENAMETOOLONG. */
int	 ut_rundir_user(char *, size_t);

/* The exit status of a utd that another one keeps out of the run directory. */
#define UT_RUNDIR_TAKEN	2

/* UT_RUNDIR, else the system's for root and the user's own for others. */
int	 ut_rundir(char *, size_t);

/* 0 if root or this user, and nobody else, can have put files there. */
int	 ut_rundir_check(const char *);

/*
 * The second name of the FIFO in that directory: beside it, and so still
 * there when somebody has removed the directory.  -1 where somebody else
 * could put something.
 */
int	 ut_rundir_beside(char *, size_t, const char *);

/*
 * The FIFO outside of all run directories on which programs of a user sleep
 * that look for the utd of that directory: 0 or -1.
 */
int	 ut_rundir_tmp(char *, size_t, uid_t, const char *);

#endif /* RUNDIR_H */
