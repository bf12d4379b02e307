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
 * orphans command...: as process 1 of a container that waits for no child but
 * its own.  Prints how many others came to it, which would have stayed zombies;
 * the command's exit status.
 */

#include <sys/types.h>
#include <sys/wait.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <err.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__) && defined(PR_SET_CHILD_SUBREAPER)

static int
adopt(void)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

#else

static int
adopt(void)
{
	return -1;
}

#endif

int
main(int argc, char *argv[])
{
	static const struct timespec nap = { 0, 10000000 };
	int n = 0, status, tries = 0;
	pid_t pid, r;

	if (argc < 2)
		errx(1, "orphans command ...");
	if (adopt() == -1) {
		warnx("not on this system");
		return 77;
	}
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		execvp(argv[1], argv + 1);
		err(127, "%s", argv[1]);
	}
	if (waitpid(pid, &status, 0) != pid)
		err(1, "waitpid");
	/* Ten seconds for those that still run. */
	while ((r = waitpid(-1, NULL, WNOHANG)) != -1 && tries < 1000) {
		n += r > 0;
		tries += r == 0;
		if (r == 0)
			nanosleep(&nap, NULL);
	}
	printf("%d orphans\n", n + (r != -1));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
