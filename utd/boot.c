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
 * Sessions that are there when utd starts: each file in a directory has what
 * utctl save prints, and utctl load carries it out.
 *
 * The sessions are those of the user who runs utd.  So whoever can write to the
 * directory, or to a file in it, could give orders to that user: none is read
 * unless it is that user's own, and nobody else can write to it.  A file is
 * looked at by its descriptor, which then is the input of utctl.
 */

#include <sys/stat.h>
#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../libut/common/rundir.h"
#include "utd.h"

#define SYSTEM_DIR	"/etc/ut/sessions"

bool
boot_default(char *dir, size_t size)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *more = "";

	if (geteuid() == 0) {
		snprintf(dir, size, "%s", SYSTEM_DIR);
		return true;
	}
	if (base == NULL || base[0] != '/') {
		base = getenv("HOME");
		more = "/.config";
	}
	if (base == NULL || base[0] != '/')
		return false;
	snprintf(dir, size, "%s%s/ut/sessions", base, more);
	return true;
}

/* Is it of that type, and ours alone?  If not, errno says why. */
static bool
is_ours(int fd, mode_t type)
{
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1)
		return false;
	errno = EPERM;
	return (st.st_mode & S_IFMT) == type && st.st_uid == geteuid() &&
	    (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* The directory of utd's file, if it is known, has utctl's near it. */
static void
become_utctl(const char *utd, int in, int out)
{
	static const char *const from_utd[] = { "utctl", "../bin/utctl",
	    "../utctl/utctl" };
	const int n = (int)(strrchr(utd, '/') - utd);
	char path[PATH_MAX];
	size_t i;

	if (dup2(in, 0) == -1 || dup2(out, 1) == -1 || dup2(out, 2) == -1 ||
	    chdir("/") == -1)
		_exit(1);
	ut_closefrom(3);
	for (i = 0; i < sizeof(from_utd) / sizeof(from_utd[0]); i++) {
		snprintf(path, sizeof(path), "%.*s/%s", n, utd, from_utd[i]);
		execl(path, "utctl", "load", (char *)NULL);
	}
	execlp("utctl", "utctl", "load", (char *)NULL);
	printf("utctl: it is neither beside utd nor in PATH\n");
	exit(1);
}

static void
load(const char *dir, const char *name, const char *utd, int fd)
{
	static const char error[] = "utctl: ";
	char line[1024];
	int out[2];
	pid_t pid;
	FILE *f;

	if (pipe(out) == -1 || (pid = fork()) == -1)
		fatal("%s/%s", dir, name);
	if (pid == 0)
		become_utctl(utd, fd, out[1]);
	close(out[1]);
	if ((f = fdopen(out[0], "r")) == NULL)
		fatal("%s/%s", dir, name);
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, error, sizeof(error) - 1) == 0)
			log_warnx("%s/%s: %s", dir, name,
			    line + sizeof(error) - 1);
		else
			log_info("%s", line);
	}
	fclose(f);
	(void)waitpid(pid, NULL, 0);
}

/* Editors leave files with such names beside others. */
static int
is_wanted(const struct dirent *d)
{
	const size_t n = strlen(d->d_name);

	return d->d_name[0] != '.' && d->d_name[n - 1] != '~';
}

static void
load_all(const char *dir, bool asked, const char *utd)
{
	const char *remedy = "has to be of the user who runs utd, and nobody "
	    "else may write to it";
	struct dirent **all;
	int i, n, fd;

	if (ut_walk(dir, 0, 0) == -1) {
		if (asked || errno != ENOENT)
			log_warn("%s: no session is loaded", dir);
		return;
	}
	if (!is_ours(open(".", O_RDONLY | O_DIRECTORY), S_IFDIR) ||
	    (n = scandir(".", &all, is_wanted, alphasort)) == -1) {
		log_warn("%s: no session is loaded, it %s", dir, remedy);
		return;
	}
	for (i = 0; i < n; i++) {
		fd = open(all[i]->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
		if (is_ours(fd, S_IFREG))
			load(dir, all[i]->d_name, utd, fd);
		else
			log_warn("%s/%s: not loaded, the file %s", dir,
			    all[i]->d_name, remedy);
		close(fd);
	}
}

pid_t
boot_load(const char *dir, bool asked, const char *rundir, const char *utd)
{
	const pid_t pid = fork();
	const struct passwd *pw;

	if (pid != 0)
		return pid;
	catch_signal(SIGTERM, SIG_DFL, 0);
	catch_signal(SIGINT, SIG_DFL, 0);
	catch_signal(SIGCHLD, SIG_DFL, 0);
	ut_closefrom(3);
	(void)setenv("UT_RUNDIR", rundir, 1);
	if (getenv("HOME") == NULL && (pw = getpwuid(geteuid())) != NULL)
		(void)setenv("HOME", pw->pw_dir, 1);
	load_all(dir, asked, utd);
	exit(0);
}
