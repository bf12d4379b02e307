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
 * Runs a command and prints how many milliseconds it took: ms command ...
 */

#include <sys/wait.h>

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int
main(int argc, char *argv[])
{
	struct timespec a, b;
	int status;
	pid_t pid;

	if (argc < 2)
		errx(1, "ms command [argument ...]");
	clock_gettime(CLOCK_MONOTONIC, &a);
	if ((pid = fork()) == 0) {
		if (freopen("/dev/null", "w", stdout) == NULL)
			err(1, "/dev/null");
		execvp(argv[1], argv + 1);
		err(1, "%s", argv[1]);
	}
	if (pid == -1 || waitpid(pid, &status, 0) == -1)
		err(1, "%s", argv[1]);
	clock_gettime(CLOCK_MONOTONIC, &b);
	if (status != 0)
		errx(1, "%s: status %#x", argv[1], (unsigned int)status);
	printf("%ld\n", (long)(b.tv_sec - a.tv_sec) * 1000 +
	    (b.tv_nsec - a.tv_nsec) / 1000000);
	return 0;
}
