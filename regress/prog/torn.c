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
 * A library for LD_PRELOAD: the process is killed as it writes to a file with
 * TORNPART in its path, the TORNth time, or renames one: half of what was to
 * be written is there by then.
 */

#include <sys/types.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int turn;

static void
next(void *f, const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	memcpy(f, &p, sizeof(p));
}

static int
is_ours(const char *path)
{
	const char *part = getenv("TORNPART");

	return part != NULL && strstr(path, part) != NULL;
}

static int
is_our_fd(int fd)
{
	char path[64], file[4096];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if ((n = readlink(path, file, sizeof(file) - 1)) == -1)
		return 0;
	file[n] = '\0';
	return is_ours(file);
}

static int
its_turn(void)
{
	const char *when = getenv("TORN");

	return when != NULL && ++turn == atoi(when);
}

static void
die(void)
{
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

ssize_t
pwrite(int fd, const void *buf, size_t len, off_t at)
{
	static ssize_t (*real)(int, const void *, size_t, off_t);

	if (real == NULL)
		next(&real, sizeof(off_t) > sizeof(long) ? "pwrite64" :
		    "pwrite");
	if (is_our_fd(fd) && its_turn()) {
		(void)!real(fd, buf, len / 2, at);
		die();
	}
	return real(fd, buf, len, at);
}

#ifdef __GLIBC__
ssize_t
pwrite64(int fd, const void *buf, size_t len, off64_t at)
{
	return pwrite(fd, buf, len, (off_t)at);
}
#endif

int
rename(const char *from, const char *to)
{
	static int (*real)(const char *, const char *);
	int r;

	if (real == NULL)
		next(&real, "rename");
	if (!is_ours(from))
		return real(from, to);
	if (its_turn())
		die();
	r = real(from, to);
	if (its_turn())
		die();
	return r;
}
