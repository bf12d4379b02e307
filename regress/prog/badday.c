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
 * A library for LD_PRELOAD: write(2), writev(2), pwrite(2) and clock_gettime(2)
 * as they are on a bad day.  BADFILE is a file that says how bad it is, and
 * may be changed at any time: a word or a number.
 *
 *	good		like any other day
 *	EIO ...		what is written to files with BADPART, or "/ust/", in
 *			their paths fails with that error: EIO, EDQUOT, ENOSPC,
 *			EINTR
 *	short		only a part of it is written
 *	torn		a part of it is written, then EIO
 *	full ...	no file of a trace grows (ENOSPC), but pwrite(2) works;
 *			with a number, the process is killed after so many of
 *			these, and with "all" behind that, its parent, too: then
 *			it is the day "full"
 *	step		CLOCK_REALTIME jumps by an hour, to and fro
 */

#include <sys/types.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_uint turn;

static void
next(void *f, const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	memcpy(f, &p, sizeof(p));
}

/* What day it is. */
static void
day(char *s, size_t size)
{
	const char *path = getenv("BADFILE");
	ssize_t n = 0;
	int fd, error = errno;

	if (path != NULL && (fd = open(path, O_RDONLY)) != -1) {
		n = read(fd, s, size - 1);
		close(fd);
	}
	s[n > 0 ? n : 0] = '\0';
	s[strcspn(s, "\n")] = '\0';
	errno = error;
}

/* Is it a file of a trace? */
static int
is_trace(int fd)
{
	const char *part = getenv("BADPART");
	char path[64], file[4096];
	ssize_t n;

	if (part == NULL)
		part = "/ust/";
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if ((n = readlink(path, file, sizeof(file) - 1)) == -1)
		return 0;
	file[n] = '\0';
	return strstr(file, part) != NULL;
}

/* After a pwrite(2): is it one to die of? */
static void
deadly(void)
{
	static unsigned int calls;
	const char *path = getenv("BADFILE");
	char today[32], all[4] = "";
	unsigned int n;
	int fd;

	day(today, sizeof(today));
	if (sscanf(today, "full %u %3s", &n, all) < 1 || ++calls != n)
		return;
	if ((fd = open(path, O_WRONLY | O_TRUNC)) == -1 ||
	    write(fd, "full", 4) != 4)
		abort();
	if (strcmp(all, "all") == 0)
		kill(getppid(), SIGKILL);
	kill(getpid(), SIGKILL);
}

/* How much of it is written today; -1 and errno. */
static ssize_t
share(int fd, size_t len)
{
	static const struct {
		const char *name;
		int error;
	} errors[] = {
		{ "EIO", EIO }, { "EDQUOT", EDQUOT }, { "ENOSPC", ENOSPC }
	};
	char today[32];
	unsigned int t;
	size_t i;

	day(today, sizeof(today));
	if (today[0] == '\0' || strcmp(today, "good") == 0 || !is_trace(fd))
		return (ssize_t)len;
	t = turn++;
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (strcmp(today, errors[i].name) == 0) {
			errno = errors[i].error;
			return -1;
		}
	}
	if (strncmp(today, "full", 4) == 0) {
		errno = ENOSPC;
		return -1;
	}
	if (strcmp(today, "EINTR") == 0 && t % 3 != 0) {
		errno = EINTR;
		return -1;
	}
	if (strcmp(today, "short") == 0 && len > 1)
		return (ssize_t)(1 + t * 7919 % (len - 1));
	if (strcmp(today, "torn") == 0) {
		if (t % 2 != 0) {
			errno = EIO;
			return -1;
		}
		return (ssize_t)(len - len / 3);
	}
	return (ssize_t)len;
}

ssize_t
write(int fd, const void *buf, size_t len)
{
	static ssize_t (*real)(int, const void *, size_t);
	ssize_t n;

	if (real == NULL)
		next(&real, "write");
	n = share(fd, len);
	return n == -1 ? -1 : real(fd, buf, (size_t)n);
}

ssize_t
pwrite(int fd, const void *buf, size_t len, off_t at)
{
	static ssize_t (*real)(int, const void *, size_t, off_t);
	char today[32];
	ssize_t n;

	if (real == NULL)
		next(&real, "pwrite");
	day(today, sizeof(today));
	if (strncmp(today, "full", 4) == 0 && is_trace(fd)) {
		n = real(fd, buf, len, at);
		deadly();
		return n;
	}
	n = share(fd, len);
	return n == -1 ? -1 : real(fd, buf, (size_t)n, at);
}

#ifdef __GLIBC__
/* What utd calls, whose files may be large. */
ssize_t
pwrite64(int fd, const void *buf, size_t len, off64_t at)
{
	return pwrite(fd, buf, len, (off_t)at);
}
#endif

/* A part of it by way of write(2). */
ssize_t
writev(int fd, const struct iovec *iov, int niov)
{
	static ssize_t (*real)(int, const struct iovec *, int);
	static ssize_t (*real_write)(int, const void *, size_t);
	size_t len = 0, at = 0, n;
	unsigned char *buf;
	ssize_t part;
	int i;

	if (real == NULL) {
		next(&real, "writev");
		next(&real_write, "write");
	}
	for (i = 0; i < niov; i++)
		len += iov[i].iov_len;
	part = share(fd, len);
	if (part == -1 || (size_t)part == len)
		return part == -1 ? -1 : real(fd, iov, niov);
	if ((buf = malloc((size_t)part)) == NULL)
		abort();
	for (i = 0; at < (size_t)part; i++) {
		n = iov[i].iov_len;
		if (n > (size_t)part - at)
			n = (size_t)part - at;
		memcpy(buf + at, iov[i].iov_base, n);
		at += n;
	}
	part = real_write(fd, buf, (size_t)part);
	free(buf);
	return part;
}

/* An hour to and fro, with every look. */
int
clock_gettime(clockid_t id, struct timespec *ts)
{
	static int (*real)(clockid_t, struct timespec *);
	char today[32];
	int r;

	if (real == NULL)
		next(&real, "clock_gettime");
	if ((r = real(id, ts)) != 0 || id != CLOCK_REALTIME)
		return r;
	day(today, sizeof(today));
	if (strcmp(today, "step") == 0)
		ts->tv_sec += ++turn % 2 == 0 ? 3600 : -3600;
	return r;
}
