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
 * A program that writes its title over its arguments and its environment, as
 * some daemons do: title file.  The file has a line once that is done.  Without
 * a file, its child and itself record an event instead.
 */

#include <sys/wait.h>

#include <err.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ut.h"

UT_EVENT(title, set, UT_INFO, UT_BOOL(child));

extern char **environ;

int
main(int argc, char *argv[])
{
	FILE *f = argc == 2 ? fopen(argv[1], "w") : NULL;
	char **p, *end = argv[0];
	pid_t pid;

	if (f == NULL && argc != 1)
		errx(1, "usage: title [file]");
	for (p = environ; *p != NULL; p++)
		if (*p + strlen(*p) > end)
			end = *p + strlen(*p);
	memset(argv[0], 0, (size_t)(end - argv[0]));
	strcpy(argv[0], "t");
	if (f == NULL) {
		if ((pid = fork()) == -1)
			err(1, "fork");
		UT(title, set, pid == 0);
		return pid != 0 && waitpid(pid, NULL, 0) != pid;
	}
	fprintf(f, "done\n");
	fclose(f);
	sleep(60);
	return 0;
}
