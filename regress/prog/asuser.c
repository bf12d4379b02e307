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
 * Run a command as another user, for root, or as the same with `-'; with -g
 * in a process group of its own.  Signals are as a terminal's shell has them,
 * not ignored as in the background of a script or under nohup(1).
 */

#include <sys/types.h>

#include <err.h>
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
main(int argc, char *argv[])
{
	gid_t id;

	if (argc > 1 && strcmp(argv[1], "-g") == 0) {
		(void)setpgid(0, 0);
		argc--;
		argv++;
	}
	if (argc < 3)
		errx(1, "asuser [-g] uid|- command [argument ...]");
	signal(SIGHUP, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (strcmp(argv[1], "-") != 0) {
		id = (gid_t)strtoul(argv[1], NULL, 10);
		if (setgroups(1, &id) == -1 || setgid(id) == -1 ||
		    setuid((uid_t)id) == -1)
			err(1, "uid %s", argv[1]);
	}
	execvp(argv[2], argv + 2);
	warn("%s", argv[2]);
	return errno == ENOENT ? 127 : 126;
}
