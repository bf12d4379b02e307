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
 * pty command [argument ...]: its standard output is a terminal, and is copied
 * to ours as it comes out of the terminal.  3: there are no such terminals.
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#define NONE	3

int
main(int argc, char **argv)
{
	struct termios t;
	char buf[4096];
	const char *name;
	int master, slave, status;
	ssize_t n;
	pid_t pid;

	if (argc < 2)
		errx(1, "usage: pty command [argument ...]");
	if ((master = posix_openpt(O_RDWR | O_NOCTTY)) == -1 ||
	    grantpt(master) == -1 || unlockpt(master) == -1 ||
	    (name = ptsname(master)) == NULL ||
	    (slave = open(name, O_RDWR | O_NOCTTY)) == -1)
		err(NONE, "pty");
	/* A newline remains one. */
	if (tcgetattr(slave, &t) == -1)
		err(1, "tcgetattr");
	t.c_oflag &= (tcflag_t)~OPOST;
	if (tcsetattr(slave, TCSANOW, &t) == -1)
		err(1, "tcsetattr");
	if ((pid = fork()) == -1)
		err(1, "fork");
	if (pid == 0) {
		if (dup2(slave, STDOUT_FILENO) == -1)
			err(1, "dup2");
		close(master);
		close(slave);
		execvp(argv[1], argv + 1);
		err(127, "%s", argv[1]);
	}
	close(slave);
	/* When nobody has it open any more, some systems say EIO. */
	while ((n = read(master, buf, sizeof(buf))) > 0)
		if (write(STDOUT_FILENO, buf, (size_t)n) != n)
			err(1, "write");
	if (waitpid(pid, &status, 0) == -1)
		err(1, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
