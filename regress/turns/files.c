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
 * The files of a trace, in memory, and the rest of utd, as far as a consumer
 * calls it.
 */

#include <sys/stat.h>
#include <sys/uio.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../utd/consumer/consumer.h"
#include "../../utd/consumer/region.h"
#include "../../utd/consumer/sink.h"
#include "turns.h"

#define NFILES		32
#define FILE_SIZE	65536
#define FD		1000		/* the first file's */

static struct file {
	bool		 made;
	size_t		 size;
	unsigned char	 bytes[FILE_SIZE];
} files[NFILES];

void
files_reset(void)
{
	int i;

	for (i = 0; i < NFILES; i++) {
		files[i].made = false;
		files[i].size = 0;
	}
}

static struct file *
file_of(int fd)
{
	if (fd < FD || fd >= FD + NFILES)
		wrong("no such descriptor: %d", fd);
	return &files[fd - FD];
}

void
files_each(void (*look)(const unsigned char *, size_t))
{
	int i;

	for (i = 0; i < NFILES; i++)
		if (files[i].made)
			look(files[i].bytes, files[i].size);
}

int
output_file(const struct trace *t, const char *name, int flags)
{
	const int i = atoi(strchr(name, '_') + 1);

	(void)t;
	if (i >= NFILES)
		wrong("too many files");
	if (!files[i].made && (flags & O_CREAT) == 0) {
		errno = ENOENT;
		return -1;
	}
	files[i].made = true;
	return FD + i;
}

int	 __wrap_close(int);
int	 __wrap_fstat(int, struct stat *);
int	 __wrap_ftruncate(int, off_t);
ssize_t	 __wrap_pread(int, void *, size_t, off_t);
ssize_t	 __wrap_pwrite(int, const void *, size_t, off_t);
ssize_t	 __wrap_writev(int, const struct iovec *, int);

int
__wrap_close(int fd)
{
	(void)fd;
	return 0;
}

int
__wrap_fstat(int fd, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_nlink = 1;
	st->st_size = (off_t)file_of(fd)->size;
	return 0;
}

int
__wrap_ftruncate(int fd, off_t size)
{
	file_of(fd)->size = (size_t)size;
	return 0;
}

ssize_t
__wrap_pread(int fd, void *p, size_t n, off_t at)
{
	const struct file *f = file_of(fd);

	if ((size_t)at >= f->size)
		return 0;
	if (n > f->size - (size_t)at)
		n = f->size - (size_t)at;
	memcpy(p, f->bytes + at, n);
	return (ssize_t)n;
}

ssize_t
__wrap_pwrite(int fd, const void *p, size_t n, off_t at)
{
	step();
	memcpy(file_of(fd)->bytes + at, p, n);
	return (ssize_t)n;
}

/* The consumer may die between any two of them. */
ssize_t
__wrap_writev(int fd, const struct iovec *iov, int n)
{
	struct file *f = file_of(fd);
	ssize_t sum = 0;
	int i;

	for (i = 0; i < n; i++) {
		step();
		if (f->size + iov[i].iov_len > FILE_SIZE)
			wrong("file too long");
		weak_read(iov[i].iov_base, iov[i].iov_len);
		memcpy(f->bytes + f->size, iov[i].iov_base, iov[i].iov_len);
		f->size += iov[i].iov_len;
		sum += (ssize_t)iov[i].iov_len;
	}
	step();
	return sum;
}

static struct program programs[NPROGRAMS];

struct program *
program_find(uint64_t number)
{
	struct program *p;

	if (number < 1 || number > NPROGRAMS || T->buried[number - 1])
		return NULL;
	p = &programs[number - 1];
	p->number = number;
	p->pid = p->outside = PID;
	p->dead = T->known[number - 1];
	memcpy(p->name, NAME, sizeof(NAME));
	return p;
}

const struct program *
program_of_pid(uint32_t pid)
{
	(void)pid;
	return NULL;
}

bool
program_dead(uint64_t number)
{
	const struct program *p = program_find(number);

	return p != NULL && p->dead;
}

bool
programs_dead(void)
{
	return false;
}

struct ut_msg *
report_begin(uint16_t type, uint32_t a, uint32_t b)
{
	static struct ut_msg m;

	(void)type;
	(void)a;
	(void)b;
	return &m;
}

/* Nothing that a run does is worth a report. */
void
report_trouble(uint32_t region, uint32_t what, const char *fmt, ...)
{
	(void)region;
	(void)what;
	wrong("trouble: %s", fmt);
}

const char *
report_reason(int error)
{
	return strerror(error);
}

void
report_bytes(uint64_t n)
{
	(void)n;
}

void
report_progress(uint64_t left)
{
	(void)left;
}

void
report_send(void)
{
}

void
report_try(void)
{
}

void
orders_take(void)
{
}

int
output_pending(struct trace *t)
{
	(void)t;
	return 0;
}

bool
region_warm(struct region *r)
{
	(void)r;
	return false;
}

int64_t
clockfile_next(void)
{
	return 0;
}

const char *
output_spoiled(const struct trace *t)
{
	(void)t;
	return NULL;
}
