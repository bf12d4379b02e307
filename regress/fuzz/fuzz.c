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

#include <sys/stat.h>

#include <err.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

static char dir[64];
static pid_t maker;

void
input_bytes(struct input *in, void *to, size_t n)
{
	const size_t k = n < in->n ? n : in->n;

	memset(to, 0, n);
	if (k > 0)
		memcpy(to, in->p, k);
	in->p += k;
	in->n -= k;
}

uint8_t
input_u8(struct input *in)
{
	uint8_t v;

	input_bytes(in, &v, sizeof(v));
	return v;
}

uint16_t
input_u16(struct input *in)
{
	uint16_t v;

	input_bytes(in, &v, sizeof(v));
	return v;
}

uint32_t
input_u32(struct input *in)
{
	uint32_t v;

	input_bytes(in, &v, sizeof(v));
	return v;
}

uint64_t
input_u64(struct input *in)
{
	uint64_t v;

	input_bytes(in, &v, sizeof(v));
	return v;
}

size_t
input_some(struct input *in, size_t n, const uint8_t **p)
{
	if (n > in->n)
		n = in->n;
	*p = in->p;
	in->p += n;
	in->n -= n;
	return n;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void
remove_dir(void)
{
	if (getpid() == maker)
		(void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *
fuzz_dir(void)
{
	const char *tmp = getenv("TMPDIR");

	if (dir[0] != '\0')
		return dir;
	snprintf(dir, sizeof(dir), "%s/ut-fuzz-XXXXXX",
	    tmp != NULL && strlen(tmp) < 40 ? tmp : "/tmp");
	if (mkdtemp(dir) == NULL)
		err(1, "%s", dir);
	maker = getpid();
	atexit(remove_dir);
	return dir;
}

void
fuzz_file(const char *name, const void *p, size_t n)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fuzz_dir(), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd == -1 || write(fd, p, n) != (ssize_t)n)
		err(1, "%s", path);
	close(fd);
}

void
fuzz_die(const char *what)
{
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}
