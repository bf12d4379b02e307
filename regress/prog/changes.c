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
 * Becomes another user after the start, and then has a child: changes uid n.
 * Each traces n events, the parent n before as well.
 */

#include <sys/types.h>
#include <sys/wait.h>

#include <err.h>
#include <grp.h>
#include <stdlib.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(changes, before, UT_INFO, UT_INT(n))
UT_EVENT(changes, after, UT_INFO, UT_INT(n))
UT_EVENT(changes, child, UT_INFO, UT_INT(n))

int
main(int argc, char *argv[])
{
	int i, n, status;
	pid_t pid;
	gid_t id;

	if (argc != 3)
		errx(1, "changes uid n");
	id = (gid_t)strtoul(argv[1], NULL, 10);
	n = atoi(argv[2]);
	for (i = 0; i < n; i++)
		UT(changes, before, i);
	if (setgroups(1, &id) == -1 || setgid(id) == -1 ||
	    setuid((uid_t)id) == -1)
		err(1, "uid %s", argv[1]);
	for (i = 0; i < n; i++)
		UT(changes, after, i);
	if ((pid = fork()) == -1)
		err(1, "fork");
	for (i = 0; i < n && pid == 0; i++)
		UT(changes, child, i);
	if (pid == 0)
		_exit(0);
	if (waitpid(pid, &status, 0) == -1 || status != 0)
		errx(1, "child: %d", status);
	for (i = 0; i < n; i++)
		UT(changes, after, n + i);
	return 0;
}
