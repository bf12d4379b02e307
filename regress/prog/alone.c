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
 * A program that sometimes has to have one thread only: a command a line on
 * stdin, an answer a line on stdout.
 *
 *	hit n		the event so many times
 *	on		y if somebody listens to it, or n
 *	threads 0|1	ut_threads: 0, or the name of the error
 *	turns n		so many times both, and alone in between: how often not
 *	count		threads, where /proc knows
 *	fds		descriptors
 *	alone		what the system says when it has to know: y or n
 *	user		the same by a user namespace: y, n, or - for not allowed
 *	fork		what `alone' says in a child, which records the event
 *	load file	dlopen
 *
 * Compiled with -DEARLY it never has one.
 */

#include <sys/wait.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef LOAD
#include <dlfcn.h>
#endif

#include <ut.h>

UT_EVENT(alone, hit, UT_INFO, UT_INT(n))
UT_EVENT(alone, child, UT_INFO)

#ifdef EARLY
static void __attribute__((constructor(101)))
early(void)
{
	if (ut_threads(0) == -1)
		abort();
}
#endif

static int
count(void)
{
	DIR *dir = opendir("/proc/self/task");
	int n = -2;

	if (dir == NULL)
		return 0;
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

static int
fds(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) != -1;
	return n;
}

/* Nothing is unshared by a process that shares nothing. */
static char
alone(void)
{
#if defined(__linux__) && defined(CLONE_NEWUSER)
	return unshare(CLONE_VM) == 0 ? 'y' : 'n';
#else
	return 'y';
#endif
}

static char
user(void)
{
#if defined(__linux__) && defined(CLONE_NEWUSER)
	if (unshare(CLONE_NEWUSER) == 0)
		return 'y';
	return errno == EINVAL ? 'n' : '-';
#else
	return '-';
#endif
}

static int
turns(int n)
{
	int bad = 0;

	while (n-- > 0) {
		bad += ut_threads(0) == -1 || alone() != 'y';
		bad += ut_threads(1) == -1;
		if (n % 2 == 0)
			usleep(1000 * (n % 7));
	}
	return bad;
}

static int
in_child(void)
{
	int status;
	pid_t pid;

	if ((pid = fork()) == 0) {
		UT(alone, child);
		_exit(alone());
	}
	if (pid == -1 || waitpid(pid, &status, 0) == -1 || !WIFEXITED(status))
		return '?';
	return WEXITSTATUS(status);
}

static int
load(const char *file)
{
#ifdef LOAD
	return dlopen(file, RTLD_NOW) != NULL ? 'y' : 'n';
#else
	(void)file;
	return '-';
#endif
}

int
main(void)
{
	char line[4096];
	int n;

	alarm(600);
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "hit %d", &n) == 1) {
			while (n-- > 0)
				UT(alone, hit, n);
			printf("done\n");
		} else if (strcmp(line, "on") == 0) {
			printf("%c\n", UT_ON(alone, hit) ? 'y' : 'n');
		} else if (sscanf(line, "threads %d", &n) == 1) {
			printf("%s\n", ut_threads(n) == 0 ? "0" :
			    errno == EBUSY ? "EBUSY" : strerror(errno));
		} else if (sscanf(line, "turns %d", &n) == 1) {
			printf("%d\n", turns(n));
		} else if (strcmp(line, "count") == 0) {
			printf("%d\n", count());
		} else if (strcmp(line, "fds") == 0) {
			printf("%d\n", fds());
		} else if (strcmp(line, "alone") == 0) {
			printf("%c\n", alone());
		} else if (strcmp(line, "user") == 0) {
			printf("%c\n", user());
		} else if (strcmp(line, "fork") == 0) {
			printf("%c\n", in_child());
		} else if (strncmp(line, "load ", 5) == 0) {
			printf("%c\n", load(line + 5));
		} else {
			printf("what?\n");
		}
	}
	return 0;
}
