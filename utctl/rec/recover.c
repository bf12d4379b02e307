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
 * utctl recover: after utd, its consumers and perhaps all programs were
 * killed, write what the buffers still have.  A utd is started that takes up
 * the sessions, as any would; they are ended in order, and it with them.
 *
 * utd keeps a state file that it cannot read, damaged or of another utd, under
 * another name, state.kept-NUMBER.  Whatever else is in there, it is a row of
 * messages, of which two kinds have names of shared memory, always in the same
 * place.  Users have what they like written into others, so a name anywhere
 * else, or behind damage, is not believed.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../regular.h"
#include "../utctl.h"
#include "common/compat.h"
#include "common/rundir.h"
#include "ut_msg.h"

#define KEPT		"state.kept-"
#define PREFIX		"/ut-"		/* see ut_shm_name */
#define CONSUMER	3	/* STATE_CONSUMER, which begins with the name */
#define REGION		10	/* STATE_REGION: the name is behind a number */

static bool failed;		/* -d could not remove something */

/* A file of ours, all of it. */
struct bytes {
	char	*s;
	size_t	 n;
};

/*
 * Only we may be able to write there: whoever else can could have us remove
 * memory of another user.
 */
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

	if (has_name(now, now->n, name) ||
	    ut_shm_look(name, &st) <= UT_SHM_OTHER)
		return false;
	printf("%s: shared memory of %llu bytes, uid %lu", name,
	    (unsigned long long)st.st_size, (unsigned long)st.st_uid);
	if (pid != 0) {
		printf(": stays: it may be that of process %ld, which runs\n",
		    (long)pid);
		*stays = true;
		return false;
	}
	if (delete && shm_unlink(name) == -1) {
		printf(": stays: %s\n", strerror(errno));
		*stays = failed = true;
		return false;
	}
	printf("%s\n", delete ? ": removed" : "");
	return true;
}

/* Deal with the memory that one file names, perhaps many times. */
static unsigned int
kept_one(const char *path, int dir, const struct bytes *now, int delete,
    bool *stay)
{
	struct bytes b;
	char name[UT_SHM_NAME];
	size_t at = 0, from;
	unsigned int n = 0;
	bool stays = false, this;

	if (!bytes_read(&b, dir, path))
		return 0;
	printf("%s:\n", path);
	for (from = 0; name_next(&b, &at, name); from = at) {
		if (has_name(&b, from, name))
			continue;
		this = false;
		n += is_left(name, now, delete, &this);
		stays |= this;
		if (delete && !this && !has_name(now, now->n, name) &&
		    owner_of(name) == 0)
			(void)ut_bell_remove(name);
	}
	if (delete && !stays && unlinkat(dir, strrchr(path, '/') + 1, 0) ==
	    -1) {
		say_errno("%s", path);
		failed = true;
	}
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

/* Say what each such file has left, or remove it; -> how many files. */
static unsigned int
kept_shm(const char *dir, int delete)
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
		n += kept_one(path, dirfd(d), &now, delete, &stay);
		free(path);
	}
	closedir(d);
	free(now.s);
	if (files > 0 && !delete && (n > 0 || !stay))
		printf("%u left: \"utctl recover -d\" removes %s\n", n,
		    n > 0 ? "them, and what is recorded there" : "the files");
	return files;
}

/* Write a snapshot of a session that writes nothing by itself. */
static int
session_keep(struct client *c, const struct row *s, const char *session)
{
	char *dir = NULL, *name;
	int r;

	if (row_str(s, "dir")[0] == '\0') {
		name = stamped(row_str(s, "name"));
		dir = absolute(name);
		free(name);
	}
	r = client_say(c, client_snapshot(c, session, dir, NULL, NULL,
	    NULL));
	free(dir);
	return r;
}

/* End all sessions, and write all they have; -1 if one went wrong. */
static int
sessions_end(void *arg)
{
	struct client *c = arg;
	struct row *rows;
	const struct row *s;
	char *name;
	int r = 0;

	if (client_ask(c, UT_CTL_LIST, "", &rows) == -1)
		return -1;
	rows_clean(rows);
	for (s = rows->child; s != NULL; s = s->next) {
		printf("%s:\n", row_str(s, "dir")[0] != '\0' ?
		    row_str(s, "dir") : "(no output)");
		name = format("%" PRIu64 "/%s", row_num(s, "uid"),
		    row_str(s, "name"));
		if (row_num(s, "keeps") && row_num(s, "written") > 0 &&
		    session_keep(c, s, name) != 0)
			r = -1;
		if (client_say(c, client_ask(c, UT_CTL_DESTROY, name,
		    NULL)) != 0)
			r = -1;
		fflush(stdout);
		warnings_say(s);
		free(name);
	}
	if (rows->child == NULL)
		say("there was no session");
	row_free(rows);
	return r;
}

static int
recover_dir(char *dir)
{
	struct client *c;
	char *utd = utd_find();
	pid_t pid;
	int r = -1, sig = 0, killed;

	signals_catch();
	pid = utd_start(utd, dir, &sig, NULL);
	free(utd);
	if (pid == -1)
		return 1;
	c = client_open(dir, CLIENT_OWN);
	utd_owned();
	if (c == NULL)
		kill(pid, SIGTERM);
	else if (sig == 0)
		r = interruptible(sessions_end, c);
	client_close(c);
	if ((killed = utd_reap(pid)) == -1)
		say("utd in %s does not end", dir);
	else if (killed != 0)
		say("utd in %s was killed by signal %d: recover again", dir,
		    killed);
	return r == 0 && killed == 0 ? 0 : 1;
}

/* With -d, only what nobody can write is removed. */
static int
recover_main(int argc, char **argv)
{
	char dir[PATH_MAX], *state;
	int c, s, delete = 0, r = 0;

	while ((c = option(argc, argv)) != -1) {
		if (c != 'd')
			return usage();
		delete = 1;
	}
	if (argc != optind)
		return usage();
	if (ut_rundir(dir, sizeof(dir)) == -1)
		die("no run directory: neither UT_RUNDIR, XDG_RUNTIME_DIR nor "
		    "HOME names one");
	state = format("%s/state", dir);
	if ((s = ut_msg_connect(dir, ut_msg_now())) != -1) {
		ut_hang_up(s);
		if (kept_shm(dir, delete) == 0)
			die("utd runs in %s, and has taken up what there "
			    "was", dir);
	} else if (access(state, F_OK) == -1) {
		s = errno;
		if (kept_shm(dir, delete) == 0)
			die("nothing to recover: %s: %s", state, strerror(s));
	} else {
		r = delete ? 0 : recover_dir(dir);
		(void)kept_shm(dir, delete);
	}
	free(state);
	return failed ? 1 : r;
}

const struct command cmd_recover = {
	.name = "recover", .page = "utctl-record",
	.line = "write what a utd that was killed has left",
	.usage = "[-d]",
	.options = { "-d\tremove what cannot be written" },
	.run = recover_main
};
