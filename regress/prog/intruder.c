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
 * What somebody tries who is not to be let in:
 *
 *	intruder own rundir	have utd end with us: prints `ok', `refused'
 *				or, if it does not talk to us, `closed'
 *	intruder trace pid	look into a process: exits 0 if that can be done
 *	intruder swap a b	have two names change places, until killed
 *	intruder fifo uid dir	prints the name of the FIFO in /tmp on which that
 *				user's programs sleep for the utd in there
 */

#include <sys/types.h>
#if defined(__linux__)
#include <sys/ptrace.h>
#include <sys/syscall.h>
#endif
#include <sys/socket.h>
#include <sys/un.h>

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../libut/ut_msg.h"

/* ut_msg(5) */
struct msghead {
	uint32_t	len;
	uint16_t	type;
	uint16_t	nfds;
	uint32_t	a;
	uint32_t	b;
};

enum { HELLO = 32, OWN = 33, OK = 48, ERR = 49 };

/* The type of the answer, or 0. */
static int
ask(int s, uint16_t type)
{
	struct msghead h = { sizeof(h), type, 0, UT_MSG_VERSION, 0 };
	char rest[65536];
	size_t n;

	if (send(s, &h, sizeof(h), MSG_NOSIGNAL) != sizeof(h) ||
	    recv(s, &h, sizeof(h), MSG_WAITALL) != sizeof(h))
		return 0;
	n = h.len - sizeof(h);
	if (h.len < sizeof(h) || n > sizeof(rest) ||
	    recv(s, rest, n, MSG_WAITALL) != (ssize_t)n)
		errx(1, "a message of %u bytes", h.len);
	return h.type;
}

static int
own(const char *dir)
{
	struct sockaddr_un sun;
	int s, answer;

	memset(&sun, 0, sizeof(sun));
	sun.sun_family = AF_UNIX;
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/sock", dir);
	if ((s = socket(AF_UNIX, SOCK_STREAM, 0)) == -1 ||
	    connect(s, (struct sockaddr *)&sun, sizeof(sun)) == -1)
		err(1, "%s", sun.sun_path);
	if ((answer = ask(s, HELLO)) == OK)
		answer = ask(s, OWN);
	puts(answer == OK ? "ok" : answer == ERR ? "refused" : "closed");
	return 0;
}

static int
trace(const char *number)
{
#if defined(__linux__)
	const pid_t pid = (pid_t)strtol(number, NULL, 10);
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/mem", number);
	if ((fd = open(path, O_RDONLY)) != -1)
		return 0;
	snprintf(path, sizeof(path), "/proc/%s/fd/3", number);
	if (access(path, F_OK) == 0)
		return 0;
	return ptrace(PTRACE_SEIZE, pid, NULL, NULL) == -1;
#else
	(void)number;
	return 1;
#endif
}

static int
exchange(const char *a, const char *b)
{
#if defined(__linux__) && defined(SYS_renameat2)
	static int fails;

	if (!fails && syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b,
	    2 /* RENAME_EXCHANGE */) == 0)
		return 0;
	fails = 1;
#endif
	char c[PATH_MAX];

	snprintf(c, sizeof(c), "%s.", a);
	return rename(a, c) == -1 || rename(b, a) == -1 || rename(c, b) == -1;
}

static int
swap(const char *a, const char *b)
{
	for (;;)
		if (exchange(a, b) != 0 && errno != ENOENT)
			err(1, "%s", a);
}

/* ut(7), FILES: FNV-1a */
static int
fifo(const char *uid, const char *dir)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (; *dir != '\0'; dir++)
		h = (h ^ (unsigned char)*dir) * UINT64_C(1099511628211);
	printf("/tmp/.utd-%s-%016llx\n", uid, (unsigned long long)h);
	return 0;
}

int
main(int argc, char *argv[])
{
	if (argc == 3 && strcmp(argv[1], "own") == 0)
		return own(argv[2]);
	if (argc == 3 && strcmp(argv[1], "trace") == 0)
		return trace(argv[2]);
	if (argc == 4 && strcmp(argv[1], "swap") == 0)
		return swap(argv[2], argv[3]);
	if (argc == 4 && strcmp(argv[1], "fifo") == 0)
		return fifo(argv[2], argv[3]);
	errx(1, "intruder own rundir | trace pid | swap a b | fifo uid dir");
}
