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
 * What utctl record says at the end.
 */

#include <sys/types.h>
#include <sys/stat.h>

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat.h"
#include "record.h"

#if UINTPTR_MAX > UINT32_MAX
#define OWN_CLASS	ELFCLASS64
typedef Elf64_Ehdr	Ehdr;
typedef Elf64_Phdr	Phdr;
#else
#define OWN_CLASS	ELFCLASS32
typedef Elf32_Ehdr	Ehdr;
typedef Elf32_Phdr	Phdr;
#endif

/* The command's file; -1: it is not found. */
static int
command_open(const char *name)
{
	const char *dir = getenv("PATH");
	char *path;
	int fd = -1;

	if (strchr(name, '/') != NULL || dir == NULL)
		return open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	for (; fd == -1 && *dir != '\0'; dir += strspn(dir, ":")) {
		path = format("%.*s/%s", (int)strcspn(dir, ":"), dir, name);
		if (access(path, X_OK) == 0)
			fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		free(path);
		dir += strcspn(dir, ":");
	}
	return fd;
}

/*
 * Which dynamic linker loads a program of this ABI, or "" if none does: 0, or
 * -1 if it is no such program.
 */
static int
loader(int fd, char path[PATH_MAX])
{
	Ehdr e;
	Phdr p;
	uint64_t i;

	path[0] = '\0';
	if (pread(fd, &e, sizeof(e), 0) != (ssize_t)sizeof(e) ||
	    memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
	    e.e_ident[EI_CLASS] != OWN_CLASS ||
	    e.e_phentsize != sizeof(p))
		return -1;
	for (i = 0; i < e.e_phnum; i++) {
		if (pread(fd, &p, sizeof(p), (off_t)(e.e_phoff + i *
		    sizeof(p))) != (ssize_t)sizeof(p))
			return -1;
		if (p.p_type != PT_INTERP)
			continue;
		if (p.p_filesz == 0 || p.p_filesz > PATH_MAX ||
		    pread(fd, path, p.p_filesz, (off_t)p.p_offset) !=
		    (ssize_t)p.p_filesz)
			return -1;
		path[p.p_filesz - 1] = '\0';
		return 0;
	}
	return 0;
}

/* The wrappers are for programs that are loaded as utctl is. */
static void
say_loader(const char *name, int fd)
{
	const int own = command_open(utctl_path);
	char of_name[PATH_MAX], ours[PATH_MAX];

	if (loader(fd, of_name) == -1)
		;
	else if (of_name[0] == '\0')
		say("%s is statically linked: -w has no effect on it", name);
	else if (own != -1 && loader(own, ours) == 0 && ours[0] != '\0' &&
	    strcmp(of_name, ours) != 0)
		say("%s is loaded by %s: -w is for programs that %s loads",
		    name, of_name, ours);
	if (own != -1)
		close(own);
}

/* What keeps programs from coming, seen from here. */
static void
say_hints(const struct record *r)
{
	const char *disable = getenv("UT_DISABLE");
	struct stat st;
	int fd;

	if (disable != NULL && *disable != '\0' && strcmp(disable, "0") != 0)
		say("UT_DISABLE is set: ut(3) does nothing in the programs");
	if (r->preload == NULL || (fd = command_open(r->argv[0])) == -1)
		return;
	if (fstat(fd, &st) == 0 && (((st.st_mode & S_ISUID) != 0 &&
	    st.st_uid != geteuid()) || ((st.st_mode & S_ISGID) != 0 &&
	    st.st_gid != getegid())))
		say("%s changes its user or group: -w has no effect on it",
		    r->argv[0]);
	else
		say_loader(r->argv[0], fd);
	close(fd);
}

/* The programs have the events of -w, and reached none of them. */
static void
say_no_functions(const struct record *r)
{
	if (wrapper_in(r->preload, "func"))
		say("-w func records functions that were compiled with "
		    "-finstrument-functions: are there any?");
}

static void
say_left(const char *name, uint64_t pid, int others)
{
	say("%s (%" PRIu64 ")%s still run%s, unrecorded from now on: for "
	    "programs that outlive a command there are sessions", name, pid,
	    others ? " and others" : "", others ? "" : "s");
}

/* utd does not know of them where they have no threads: see -w. */
static void
report_unlisted(const struct record *r)
{
	const pid_t pid = process_with("UT_RUNDIR", r->rundir);
	char *name;

	if (pid == 0)
		return;
	name = process_name(pid);
	say_left(name == NULL ? "a program" : name, (uint64_t)pid, 0);
	free(name);
}

/* What went into the background is not waited for. */
static void
report_left(const struct record *r, const struct row *session)
{
	const struct row *a, *first = NULL;
	unsigned int n = 0;

	for (a = session->child; a != NULL; a = a->next) {
		if (strcmp(a->what, "program") != 0 ||
		    ut_dead((pid_t)row_num(a, "pid")))
			continue;
		if (n++ == 0)
			first = a;
	}
	if (n > 0)
		say_left(row_str(first, "name"), row_num(first, "pid"), n > 1);
	else if (r->preload != NULL)
		report_unlisted(r);
}

/* Say what was recorded; -1 if it is not all. */
int
report(const struct record *r, struct row *rows)
{
	struct row *s;
	const char *error;
	int recorded;
	char over[48] = "";

	if ((s = rows->child) == NULL) {
		say("utd has lost the session");
		return -1;
	}
	modules_hide(r, s);
	error = row_str(s, "error");
	recorded = row_num(s, "written") > 0 || row_num(s, "lost") > 0 ||
	    row_num(s, "overwritten") > 0;
	warnings_say(s);
	if (*error != '\0')
		say("%s", error);
	if (row_num(s, "overwritten") > 0)
		snprintf(over, sizeof(over), ", %" PRIu64 " overwritten",
		    row_num(s, "overwritten"));
	if (r->shot != NULL)
		say("%s", r->shot);
	else if (r->keeps)
		say("%" PRIu64 " events, %" PRIu64 " lost%s, not written%s",
		    row_num(s, "written"), row_num(s, "lost"), over,
		    r->failed ? "" : ": the command did not fail");
	else
		say("%" PRIu64 " events, %" PRIu64 " lost%s, %" PRIu64
		    " bytes in %s%s", row_num(s, "written"),
		    row_num(s, "lost"), over, row_num(s, "bytes"),
		    row_str(s, "dir"), row_num(s, "astray") == 0 ? "" :
		    ": not there any more: moved or removed");
	nothing_say(s, recorded);
	if (!recorded && row_num(s, "came") == 0 && r->argv != NULL)
		say_hints(r);
	else if (!recorded)
		say_no_functions(r);
	/* With -p, or once the time of -T is over, programs may go on. */
	if (r->argv != NULL && (r->limit == -1 || r->until != -1))
		report_left(r, s);
	return *error == '\0' && row_num(s, "missed") == 0 ? 0 : -1;
}
