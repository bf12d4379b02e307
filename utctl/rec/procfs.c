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
 * Facts that the system tells of a process.  Only Linux does; elsewhere, and of
 * processes that we may not look at, nothing is known.
 */

#include <sys/types.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../utctl.h"
#include "common/compat.h"

#if defined(__linux__) && !defined(UT_POSIX)

#define FILE_MAX	(4u << 20)	/* bytes; the environment has no more */

/* A file of /proc/PID, with a NUL behind it; NULL: it cannot be read. */
static char *
file_read(long pid, const char *name, size_t *len)
{
	char path[64], *text;
	size_t n = 0, room = 4096;
	ssize_t r = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/%s", pid, name);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return NULL;
	if ((text = malloc(room)) == NULL)
		die_errno("malloc");
	while (n < FILE_MAX && (r = read(fd, text + n, room - n - 1)) > 0) {
		if ((n += (size_t)r) < room - 1)
			continue;
		if ((text = realloc(text, room *= 2)) == NULL)
			die_errno("malloc");
	}
	close(fd);
	if (r == -1) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	*len = n;
	return text;
}

/* The value of a line of /proc/PID/status; to be freed. */
static char *
status_line(pid_t pid, const char *word)
{
	char *text, *p, *line = NULL;
	size_t len;

	if ((text = file_read((long)pid, "status", &len)) == NULL)
		return NULL;
	for (p = text; p != NULL; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, word, strlen(word)) != 0)
			continue;
		p += strlen(word);
		p += strspn(p, " \t");
		line = format("%.*s", (int)strcspn(p, "\n"), p);
		break;
	}
	free(text);
	return line;
}

char *
process_name(pid_t pid)
{
	return status_line(pid, "Name:");
}

/* The effective one of the IDs in a line: 0, or -1. */
static int
effective(pid_t pid, const char *word, unsigned long *id)
{
	char *line = status_line(pid, word), *p = NULL;

	if (line != NULL) {
		(void)strtoul(line, &p, 10);		/* the real one */
		*id = strtoul(p, NULL, 10);
	}
	free(line);
	return line == NULL ? -1 : 0;
}

int
process_user(pid_t pid, uid_t *uid, gid_t *gid)
{
	unsigned long u, g;

	if (effective(pid, "Uid:", &u) == -1 ||
	    effective(pid, "Gid:", &g) == -1)
		return -1;
	*uid = (uid_t)u;
	*gid = (gid_t)g;
	return 0;
}

int
process_stopped(pid_t pid)
{
	char *line = status_line(pid, "State:");
	const int stopped = line != NULL && (line[0] == 'T' || line[0] == 't');

	free(line);
	return stopped;
}

char *
process_env(pid_t pid, const char *name)
{
	const size_t n = strlen(name);
	char *text, *p, *value = NULL;
	size_t len;

	if ((text = file_read((long)pid, "environ", &len)) == NULL)
		return NULL;
	for (p = text; value == NULL && p < text + len; p += strlen(p) + 1)
		if (strncmp(p, name, n) == 0 && p[n] == '=')
			value = format("%s", p + n + 1);
	/* Some programs write their title over it. */
	errno = memchr(text, '=', len) == NULL ? ENOENT : 0;
	free(text);
	return value;
}

int
process_thread(pid_t pid, const char *name)
{
	char path[64], *text;
	struct dirent *d;
	size_t len;
	DIR *dir;
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
	if ((dir = opendir(path)) == NULL)
		return -1;
	while (!found && (d = readdir(dir)) != NULL) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "task/%.20s/comm", d->d_name);
		if ((text = file_read((long)pid, path, &len)) == NULL)
			continue;
		text[strcspn(text, "\n")] = '\0';
		found = strcmp(text, name) == 0;
		free(text);
	}
	closedir(dir);
	return found;
}

/* In clock ticks since the system started; 0: not known. */
static unsigned long long
process_began(pid_t pid)
{
	unsigned long long ticks = 0;
	char *text, *p;
	size_t len;
	int i;

	if ((text = file_read((long)pid, "stat", &len)) == NULL)
		return 0;
	p = strrchr(text, ')');		/* the name may have any bytes */
	for (i = 0; i < 20 && p != NULL; i++)
		p = strchr(p + 1, ' ');
	if (p != NULL)
		ticks = strtoull(p, NULL, 10);
	free(text);
	return ticks;
}

/* A process that began before us is not ours. */
static int
process_maps(pid_t pid, const char *library)
{
	char *text;
	size_t len;
	int maps;

	if (process_began(pid) < process_began(getpid()) ||
	    (text = file_read((long)pid, "maps", &len)) == NULL)
		return 0;
	maps = strstr(text, library) != NULL;
	free(text);
	return maps;
}

pid_t
process_with(const char *name, const char *value, const char *library)
{
	struct dirent *d;
	char *v;
	pid_t pid, found = 0;
	DIR *dir;

	if ((dir = opendir("/proc")) == NULL)
		return 0;
	while (found == 0 && (d = readdir(dir)) != NULL) {
		if (d->d_name[0] < '1' || d->d_name[0] > '9')
			continue;
		pid = (pid_t)strtol(d->d_name, NULL, 10);
		v = process_env(pid, name);
		if (v != NULL ? strcmp(v, value) == 0 :
		    errno == ENOENT && process_maps(pid, library))
			found = pid;
		free(v);
	}
	closedir(dir);
	return found;
}

#else

char *
process_name(pid_t pid)
{
	(void)pid;
	return NULL;
}

int
process_user(pid_t pid, uid_t *uid, gid_t *gid)
{
	(void)pid;
	(void)uid;
	(void)gid;
	return -1;
}

int
process_stopped(pid_t pid)
{
	(void)pid;
	return 0;
}

char *
process_env(pid_t pid, const char *name)
{
	(void)pid;
	(void)name;
	errno = ENOSYS;
	return NULL;
}

pid_t
process_with(const char *name, const char *value, const char *library)
{
	(void)library;
	(void)name;
	(void)value;
	return 0;
}

int
process_thread(pid_t pid, const char *name)
{
	(void)pid;
	(void)name;
	return -1;
}

#endif
