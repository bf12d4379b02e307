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
 * unless it is that user's own, and nobody else can write to it.  Descriptors
 * tell; then nobody else can give another file that name.
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

#include "utd.h"

#ifndef BINDIR
#define BINDIR		"/usr/local/bin"
#endif

#define SYSTEM_DIR	"/etc/ut/sessions"
#define OWN_DIR		".config/ut/sessions"
#define REMEDY	\
	"of the user who runs utd, and nobody else may write to it"

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

/*
 * Run utctl, which says on the standard error what goes wrong, in the home
 * directory: a trace may have a name that is not absolute.  The one that was
 * installed goes first: PATH may be another user's, who has become root.
 */
static void
load(int fd, const char *dir, const char *name)
{
	const pid_t pid = fork();
	int status = 0;

	if (pid == 0 && dup2(fd, 0) == 0 &&
	    (chdir(getenv("HOME")) == 0 || chdir("/") == 0)) {
		execl(BINDIR "/utctl", "utctl", "load", (char *)NULL);
		execlp("utctl", "utctl", "load", (char *)NULL);
	}
	if (pid <= 0)
		fatal("utctl");
	(void)waitpid(pid, &status, 0);
	if (status != 0)
		log_warnx("%s/%s: not loaded to its end", dir, name);
}

static void
load_all(const char *dir, bool asked)
{
	struct dirent **all;
	const char *name;
	int i, n, fd;

	if (ut_walk(dir, 0, 0) == -1) {
		if (asked || errno != ENOENT)
			log_warn("%s: no session is loaded", dir);
		return;
	}
	if (!is_ours(open(".", O_RDONLY | O_DIRECTORY), S_IFDIR) ||
	    (n = scandir(".", &all, NULL, alphasort)) == -1) {
		log_warn("%s: no session is loaded, it has to be "
		    REMEDY, dir);
		return;
	}
	for (i = 0; i < n; i++) {
		name = all[i]->d_name;
		if (name[0] == '.' || name[strlen(name) - 1] == '~')
			continue;
		fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
		if (is_ours(fd, S_IFREG))
			load(fd, dir, name);
		else
			log_warn("%s/%s: not loaded, it has to be a regular "
			    "file " REMEDY, dir, name);
		close(fd);
	}
}

pid_t
boot_load(const char *dir, const char *rundir)
{
	const pid_t pid = fork();
	const struct passwd *pw;
	char own[PATH_MAX];

	if (pid != 0)
		return pid;
	catch_signal(SIGTERM, SIG_DFL, 0);
	catch_signal(SIGINT, SIG_DFL, 0);
	catch_signal(SIGCHLD, SIG_DFL, 0);
	ut_closefrom(3);
	if (dup2(open("/dev/null", O_RDWR | O_CLOEXEC), 1) == -1)
		fatal("/dev/null");
	(void)setenv("UT_RUNDIR", rundir, 1);
	if (getenv("HOME") == NULL)	/* where traces go by default */
		(void)setenv("HOME", (pw = getpwuid(geteuid())) != NULL ?
		    pw->pw_dir : "/", 1);
	make_path(own, sizeof(own), getenv("HOME"), OWN_DIR);
	load_all(dir[0] != '\0' ? dir : geteuid() == 0 ? SYSTEM_DIR : own,
	    dir[0] != '\0');
	exit(0);
}
