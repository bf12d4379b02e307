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
 * The program of the units: calls each, then those of a library that it
 * loads and unloads: units [library times].  Waits for its stdin to end.
 * With a third argument a child of clone(2) loads the library before.
 */

#include <sys/syscall.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "units.h"

static void
load(const char *path, int n)
{
	int (*unit)(int);
	void *lib, *sym;

	if ((lib = dlopen(path, RTLD_NOW)) == NULL ||
	    (sym = dlsym(lib, "unit_lib3")) == NULL)
		errx(1, "%s", dlerror());
	memcpy(&unit, &sym, sizeof(unit));
	if (unit(n) != n + 1)
		errx(1, "unit_lib3(%d)", n);
	if (dlclose(lib) != 0)
		errx(1, "dlclose: %s", dlerror());
}

static void
load_in_clone(const char *path)
{
#if defined(SYS_clone)
	pid_t pid;
	int status;

	if ((pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) == 0) {
		/* It may not trace on every system. */
		_exit(dlopen(path, RTLD_NOW) == NULL);
	}
	if (pid == -1 || waitpid(pid, &status, 0) == -1 || status != 0)
		err(1, "child");
	usleep(300000);		/* until utd has answered, if it was asked */
#else
	(void)path;
#endif
}

int
main(int argc, char *argv[])
{
	int i, times = argc > 2 ? atoi(argv[2]) : 0;

	UT(units, call, "main", 0, 0);
	if (unit_a(1) != 2 || unit_b(2) != 3 || unit_lib1(3) != 4 ||
	    unit_lib2(4) != 5)
		return 1;
	if (argc > 3)
		load_in_clone(argv[1]);
	for (i = 0; i < times; i++)
		load(argv[1], i);
	unit_a(-1);
	printf("done\n");
	fflush(stdout);
	while (getchar() != EOF)
		continue;
	return 0;
}
