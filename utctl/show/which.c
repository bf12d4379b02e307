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
 * Which traces the commands read that read traces: directories, the sessions of
 * utd by their names, or, if none is given, the newest one.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../ctf/reader.h"
#include "../utctl.h"
#include "../when.h"

#define RECORDED	"ut-"		/* record's directories begin so */

struct newest {
	char	*dir;			/* NULL: none yet */
	time_t	 time;
	int	 others;		/* other users have some */
};

/* The sessions that utd has, or NULL; asked for once. */
static struct row *
sessions(void)
{
	static struct row *rows;
	static int asked;
	struct client *c;

	if (asked || (c = client_try(NULL)) == NULL)
		return rows;
	asked = 1;
	(void)client_ask(c, UT_CTL_LIST, "", &rows);
	client_close(c);
	return rows;
}

/*
 * Find the session of that name, one's own first, or of the user's whose ID is
 * in front; or NULL.
 */
static const struct row *
session_find(const char *name)
{
	const struct row *rows = sessions(), *s, *found = NULL;
	const size_t digits = strspn(name, "0123456789");
	uid_t uid = geteuid();
	int any = 1;

	if (digits > 0 && name[digits] == '/') {
		uid = (uid_t)strtoul(name, NULL, 10);
		name += digits + 1;
		any = 0;
	}
	for (s = rows == NULL ? NULL : rows->child; s != NULL; s = s->next) {
		if (strcmp(row_str(s, "name"), name) != 0 ||
		    (!any && row_num(s, "uid") != uid))
			continue;
		found = s;
		if (row_num(s, "uid") == uid)
			break;
	}
	return found;
}

/* The session's directory. */
static const char *
session_dir(const char *name)
{
	const struct row *s = session_find(name);

	if (s != NULL && row_str(s, "dir")[0] == '\0')
		die("session %s has no directory", name);
	return s == NULL ? NULL : row_str(s, "dir");
}

static int
has_file(const char *dir, const char *name)
{
	char *path = format("%s/%s", dir, name);
	const int has = access(path, F_OK) == 0;

	free(path);
	return has;
}

/*
 * Find the session that a directory in the current one hides by its name, and
 * that is elsewhere: how to name it, to be freed; or NULL.  A directory with a
 * trace of its own is what was meant.
 */
static char *
hidden_by(const char *arg)
{
	const struct row *s;
	struct stat here, there;

	if (strchr(arg, '/') != NULL || stat(arg, &here) == -1 ||
	    !S_ISDIR(here.st_mode) || has_file(arg, "metadata") ||
	    has_file(arg, "ust") || (s = session_find(arg)) == NULL)
		return NULL;
	if (stat(row_str(s, "dir"), &there) == 0 &&
	    here.st_dev == there.st_dev && here.st_ino == there.st_ino)
		return NULL;
	return format("%llu/%s", (unsigned long long)row_num(s, "uid"), arg);
}

/* A path that is not there may be the name of a session. */
static char *
trace_find(const char *arg, char **hides)
{
	const char *dir = NULL, *at = strrchr(arg, '@');
	int64_t ns;

	if (access(arg, F_OK) == 0 || errno != ENOENT) {
		*hides = hidden_by(arg);
		return format("%s", arg);
	}
	if (strchr(arg + strspn(arg, "0123456789/"), '/') == NULL)
		dir = session_dir(arg);
	if (dir == NULL && at != NULL && when_length(at + 1, &ns) == 0)
		die("%s: no such path, and an offset needs a sign: %.*s@+%s or "
		    "@-%s", arg, (int)(at - arg), arg, at + 1, at + 1);
	return format("%s", dir == NULL ? arg : dir);
}

/* Is it the user's: a directory, or a link that the user has made? */
static int
is_mine(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_uid == geteuid();
}

/* Traces in which something was recorded have an "ust". */
static void
newest_try(struct newest *n, const char *dir)
{
	char *ust = format("%s/ust", dir);
	struct stat st;

	if (lstat(ust, &st) == 0 && S_ISDIR(st.st_mode) &&
	    (n->dir == NULL || st.st_mtime > n->time ||
	    (st.st_mtime == n->time && strcmp(dir, n->dir) > 0))) {
		free(n->dir);
		n->dir = format("%s", dir);
		n->time = st.st_mtime;
	}
	free(ust);
}

/*
 * Try all traces in that directory.  In one like /tmp, anybody can make what
 * looks like the newest trace.
 */
static void
try_all(struct newest *n, const char *where, const char *prefix)
{
	struct dirent *d;
	char *path, *ust;
	DIR *dir;

	if ((dir = opendir(where)) == NULL)
		return;
	while ((d = readdir(dir)) != NULL) {
		if (d->d_name[0] == '.' ||
		    strncmp(d->d_name, prefix, strlen(prefix)) != 0)
			continue;
		path = format("%s/%s", where, d->d_name);
		ust = format("%s/ust", path);
		if (is_mine(path) && is_mine(ust))
			newest_try(n, path);
		else
			n->others |= access(ust, F_OK) == 0;
		free(ust);
		free(path);
	}
	closedir(dir);
}

/*
 * Find the trace that began last: of the user's sessions, of those where
 * sessions go by default, and of those that record made here.
 */
static char *
newest(void)
{
	struct newest n = { NULL, 0, 0 };
	const struct row *rows = sessions(), *s;
	const char *home = getenv("HOME");
	char *traces;

	for (s = rows == NULL ? NULL : rows->child; s != NULL; s = s->next)
		if (row_num(s, "uid") == geteuid() &&
		    row_str(s, "dir")[0] != '\0')
			newest_try(&n, row_str(s, "dir"));
	if (home != NULL && home[0] == '/') {
		traces = format("%s/ut-traces", home);
		try_all(&n, traces, "");
		free(traces);
	}
	try_all(&n, ".", RECORDED);
	if (n.dir == NULL && n.others)
		die("there is no trace of yours here, nor in ~/ut-traces, but "
		    "some of others: name the directory of one");
	if (n.dir == NULL)
		die("there is no trace here, nor in ~/ut-traces: name its "
		    "directory");
	say("the newest trace is %s", n.dir);
	return n.dir;
}

/* A number, in billionths: of a second, they are ns. */
static int
parse_billionths(const char *s, int64_t *n)
{
	return s[strspn(s, "0123456789.")] == '\0' ? when_length(s, n) : -1;
}

/* Read what is like +1.25ms-50ppm@1700000000 or +1.25ms; cut the text. */
static int
parse_offset(char *s, struct ctf_move *m)
{
	char *rate = strpbrk(s + 1, "+-"), *at = NULL;
	const int back = rate != NULL && *rate == '-';

	if (rate != NULL && (at = strstr(rate, "ppm@")) != NULL) {
		*rate++ = *at = '\0';
		if (parse_billionths(rate, &m->rate) == -1 ||
		    parse_billionths(at + 4, &m->from) == -1 ||
		    m->rate >= CTF_RATE_MAX)
			return -1;
	}
	if (when_length(s + 1, &m->ns) == -1)
		return -1;
	m->ns = *s == '-' ? -m->ns : m->ns;
	m->rate = back ? -m->rate : m->rate;
	m->from = m->rate == 0 ? 0 : m->from;
	return 0;
}

/* Take the offset off an argument, unless there is such a path. */
static void
take_offset(char *arg, struct ctf_move *m)
{
	char *at, *last = NULL, *offset;

	for (at = arg; (at = strchr(at, '@')) != NULL; at++)
		if (at[1] == '+' || at[1] == '-')
			last = at;
	if (last == NULL || access(arg, F_OK) == 0)
		return;
	offset = format("%s", last + 1);
	if (parse_offset(offset, m) == -1)
		die("%s: the offset is not a time such as +1.25ms, nor one "
		    "with a drift below 100000 ppm such as "
		    "+1.25ms-50ppm@1700000000", arg);
	free(offset);
	*last = '\0';
}

/* The directories that the arguments mean. */
struct reader_dir *
which_traces(char **args)
{
	struct reader_dir *dirs;
	size_t i, n = 0;

	while (args[n] != NULL)
		n++;
	dirs = xcalloc(n + 2, sizeof(*dirs));
	for (i = 0; i < n; i++) {
		take_offset(args[i], &dirs[i].move);
		if (args[i][0] == '\0')
			die("a name is empty: name a directory or a session");
		dirs[i].name = trace_find(args[i], &dirs[i].hides);
	}
	if (n == 0)
		dirs[0].name = newest();
	return dirs;
}

void
which_free(struct reader_dir *dirs)
{
	size_t i;

	for (i = 0; dirs[i].name != NULL; i++) {
		free(dirs[i].name);
		free(dirs[i].hides);
	}
	free(dirs);
}
