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
 * The directory of a snapshot: it has a hidden name until the snapshot is
 * complete, and gets its own by one rename(2).
 *
 * The consumer of the session's owner makes it and names it, in snapshots/ of
 * the session's directory or wherever the user wants.  Each step may have been
 * taken by a consumer that died behind it.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "consumer.h"
#include "sink.h"

#define SNAPSHOTS	"snapshots"
#define HIDDEN		".utd-"		/* how names begin until then */

static mode_t
dir_mode(void)
{
	return geteuid() == 0 ? 0755 : 0700;
}

/* A part of a path, which leads nowhere else. */
static bool
is_name(const char *s)
{
	return *s != '\0' && strchr(s, '/') == NULL && strcmp(s, ".") != 0 &&
	    strcmp(s, "..") != 0;
}

/* snapshots/ of the session. */
static int
open_snapshots(int fd)
{
	if (mkdirat(fd, SNAPSHOTS, dir_mode()) == -1 && errno != EEXIST)
		return report_errno(SNAPSHOTS);
	return output_open(fd, SNAPSHOTS);
}

/* The directory above the path, whose last name is left of it. */
static int
open_above(char *path)
{
	size_t n = strlen(path);
	char *slash;
	int fd;

	while (n > 1 && path[n - 1] == '/')
		path[--n] = '\0';
	if ((slash = strrchr(path, '/')) == NULL) {
		errno = EINVAL;
		return report_errno(path);
	}
	*slash = '\0';
	fd = output_above(path);
	memmove(path, slash + 1, strlen(slash + 1) + 1);
	return fd;
}

/* Does it have to have a name that is taken? */
static int
check_free(int above, const char *name, bool any)
{
	if (!is_name(name) || strlen(name) >= NAME_MAXLEN) {
		errno = is_name(name) ? ENAMETOOLONG : EINVAL;
		return report_errno(name);
	}
	if (any || !output_there(above, name))
		return 0;
	errno = EEXIST;
	return report_why(NULL, "there is one of that name");
}

/*
 * One of that name is there.  If it is of the same request, from a consumer
 * that died behind that, it is empty; what is not empty, or not ours, stays.
 */
static void
unmake_hidden(int above, const char *hidden)
{
	const int fd = output_open(above, hidden);

	if (fd == -1)
		return;
	(void)unlinkat(fd, TOP, AT_REMOVEDIR);
	close(fd);
	(void)unlinkat(above, hidden, AT_REMOVEDIR);
}

static int
make_hidden(int above, const char *hidden)
{
	int error, fd;

	if (output_there(above, hidden))
		unmake_hidden(above, hidden);
	if (mkdirat(above, hidden, dir_mode()) == -1)
		return report_errno(hidden);
	if ((fd = output_open(above, hidden)) == -1)
		return -1;
	/* Somebody may have given this name to another directory. */
	if (output_bare(fd, "") == 0 && mkdirat(fd, TOP, 0755) == 0)
		return fd;
	report_errno(NULL);
	error = errno;
	(void)unlinkat(above, hidden, AT_REMOVEDIR);	/* if empty */
	errno = error;
	return close_failed(fd);
}

/* UT_C_SHOTDIR */
void
shot_dir(struct ut_msg *m)
{
	char path[PATH_MAX], hidden[NAME_MAXLEN];
	const uint32_t serial = ut_msg_get_u32(m);
	struct ut_msg *out;
	int above = -1, fd = -1, session = -1;
	bool any;

	ut_msg_get_str(m, path, sizeof(path));
	any = ut_msg_get_u32(m) != 0;
	ut_msg_get_str(m, hidden, sizeof(hidden));
	errno = EINVAL;
	if (!m->bad && is_name(hidden))
		above = m->h.nfds == 0 ? open_above(path) :
		    (session = ut_msg_get_fd(m)) == -1 ? -1 :
		    open_snapshots(session);
	if (above != -1 && check_free(above, path, any) == 0)
		fd = make_hidden(above, hidden);
	if (fd == -1) {
		report_failed(serial, errno);
	} else {
		out = report_begin(UT_C_REPLY, serial, 0);
		ut_msg_fd(out, fd);
		ut_msg_fd(out, above);
		ut_msg_str(out, path);
		report_send();
		close(fd);
	}
	if (above != -1)
		close(above);
	if (session != -1)
		close(session);
}

/* Give it its name, or one with a number behind. */
static int
shot_name(int above, const char *hidden, char *name, bool any)
{
	const size_t n = strlen(name);
	unsigned int i;

	for (i = 2; output_there(above, name); i++) {
		if (!any || i == OUTPUT_NUMBERS) {
			errno = EEXIST;
			return report_why(name, "there is one of that name");
		}
		if (!output_there(above, hidden))
			return 0;	/* done by a consumer that died */
		snprintf(name + n, OUTPUT_NUMBER, "-%u", i);
	}
	return renameat(above, hidden, above, name) == 0 ? 0 :
	    report_errno(name);
}

/* Remove it, if that name still leads to the directory that we have made. */
static int
remove_hidden(int above, const char *hidden, int fd)
{
	struct stat ours, named;

	if (fstat(fd, &ours) == -1)
		return report_errno(NULL);
	if (output_empty(fd) == -1)
		return -1;
	if (fstatat(above, hidden, &named, AT_SYMLINK_NOFOLLOW) == -1)
		return errno == ENOENT ? 0 : report_errno(hidden);
	if (named.st_dev != ours.st_dev || named.st_ino != ours.st_ino ||
	    unlinkat(above, hidden, AT_REMOVEDIR) == 0)
		return 0;
	return report_errno(hidden);
}

/* Remove what was not complete when its utd was killed, as far as it goes. */
static int
shots_sweep(int session)
{
	int fd = output_open(session, SNAPSHOTS);
	const char *name;
	DIR *dir;

	if (fd == -1)
		return errno == ENOENT ? 0 : -1;
	if ((dir = output_list(fd)) == NULL)
		return close_failed(fd);
	while ((name = output_next(dir)) != NULL)
		if (strncmp(name, HIDDEN, sizeof(HIDDEN) - 1) == 0 &&
		    output_ours(fd, name))
			(void)output_remove(fd, name);
	closedir(dir);
	close(fd);
	return 0;
}

/* UT_C_SHOTEND */
void
shot_end(struct ut_msg *m)
{
	char hidden[NAME_MAXLEN], name[NAME_MAXLEN + OUTPUT_NUMBER];
	const uint32_t serial = ut_msg_get_u32(m);
	struct aging may = { .bytes = UINT64_MAX };
	struct ut_msg *out;
	int fd = -1, made = -1, r = -1;
	bool any;

	ut_msg_get_str(m, hidden, sizeof(hidden));
	ut_msg_get_str(m, name, NAME_MAXLEN);
	any = ut_msg_get_u32(m) != 0;
	may.n = m->h.b == UT_SHOT_KEEP ? ut_msg_get_u32(m) : UINT32_MAX;
	errno = EINVAL;
	if (!m->bad && (fd = ut_msg_get_fd(m)) != -1 && m->h.nfds > 1)
		made = ut_msg_get_fd(m);
	if (fd == -1)
		r = -1;
	else if (m->h.b == UT_SHOT_SWEEP)
		r = shots_sweep(fd);
	else if (!is_name(hidden) || !is_name(name))
		r = report_errno(NULL);
	else if (m->h.b == UT_SHOT_REMOVE)
		r = made != -1 ? remove_hidden(fd, hidden, made) : 0;
	else if ((r = shot_name(fd, hidden, name, any)) == 0)
		output_age(fd, name, &may);
	if (r == -1) {
		report_failed(serial, errno);
	} else {
		out = report_begin(UT_C_REPLY, serial, 0);
		ut_msg_str(out, name);
		report_send();
	}
	if (made != -1)
		close(made);
	if (fd != -1)
		close(fd);
}
