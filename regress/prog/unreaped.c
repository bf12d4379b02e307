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
 * A process that no SIGKILL ends, as far as its parent can tell, as long as
 * our input is open:
 *
 *	unreaped pid		it ends, but its parent cannot wait for it
 *	unreaped -e pid		it keeps its descriptors, too
 *
 * Its parent has no say, for we trace it.  Prints a line when we do.
 */

#include <sys/types.h>
#ifdef __linux__
#include <sys/ptrace.h>
#endif

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__) && defined(PTRACE_SEIZE)

static void
seize(pid_t pid, int at_exit)
{
	const long options = at_exit ? PTRACE_O_TRACEEXIT : 0;

	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)options) == -1) {
		warn("ptrace");
		exit(77);
	}
}

#else

static void
seize(pid_t pid, int at_exit)
{
	(void)pid;
	(void)at_exit;
	warnx("not on this system");
	exit(77);
}

#endif

int
main(int argc, char *argv[])
{
	int at_exit = argc > 1 && strcmp(argv[1], "-e") == 0;
	char c;

	if (argc != 2 + at_exit)
		errx(1, "unreaped [-e] pid");
	seize((pid_t)atol(argv[1 + at_exit]), at_exit);
	puts("seized");
	fflush(stdout);
	while (read(0, &c, 1) == 1)
		continue;
	return 0;		/* which lets go of it */
}
