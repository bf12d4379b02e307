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
 * A program that does what it is told, as pulse does, and says how many
 * milliseconds it took:
 *
 *	hit	an event
 *	load p	dlopen of a library that firstlib.c makes, and its event
 *	fork	a child that traces, and waiting for it
 *	dup n	nothing of that: dup2 to that number; answers 0, or the errno
 *	on	nothing of that: y if the event is listened to, else n
 */

#include <sys/wait.h>

#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(late, hit, UT_INFO, UT_INT(n))
UT_EVENT(late, child, UT_INFO, UT_INT(n))

static int n;

static void
load(const char *path)
{
	void (*library)(void);
	void *lib, *sym;

	if ((lib = dlopen(path, RTLD_NOW)) == NULL ||
	    (sym = dlsym(lib, "first_library")) == NULL)
		errx(1, "%s", dlerror());
	memcpy(&library, &sym, sizeof(library));
	library();
}

static void
fork_one(void)
{
	pid_t pid;
	int status;

	if ((pid = fork()) == 0) {
		UT(late, child, n);
		_exit(0);
	}
	if (pid == -1 || waitpid(pid, &status, 0) == -1 || status != 0)
		err(1, "fork");
}

static int
dup_to(int to)
{
	if (dup2(STDIN_FILENO, to) == -1)
		return errno;
	close(to);
	return 0;
}

static long
obey(const char *line)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	n++;
	if (strcmp(line, "hit") == 0)
		UT(late, hit, n);
	else if (strcmp(line, "fork") == 0)
		fork_one();
	else if (strncmp(line, "load ", 5) == 0)
		load(line + 5);
	else
		errx(1, "%s", line);
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (long)(b.tv_sec - a.tv_sec) * 1000 +
	    (b.tv_nsec - a.tv_nsec) / 1000000;
}

int
main(void)
{
	char line[300];

	alarm(120);
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "dup ", 4) == 0)
			printf("%d\n", dup_to(atoi(line + 4)));
		else if (strcmp(line, "on") == 0)
			printf("%c\n", UT_ON(late, hit) ? 'y' : 'n');
		else
			printf("%ld\n", obey(line));
	}
	return 0;
}
