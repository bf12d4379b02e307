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
 * A library for LD_PRELOAD: the allocation number NOMEM_AT fails, and so do
 * NOMEM_MORE after it.  Allocations are counted in the program and all its
 * children together, or, if NOMEM_CHILD is there, in the children that it
 * forks only.  The count is in the file NOMEM_COUNT, 8 bytes.
 */

#include <sys/types.h>
#include <sys/mman.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic uint64_t *count;
static uint64_t at, more;
static int in_child;
static pid_t first;

static void *(*real_mmap)(void *, size_t, int, int, int, off64_t);
static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);

static void
find(void *f, const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	memcpy(f, &p, sizeof(p));
}

static void __attribute__((constructor))
init(void)
{
	const char *path = getenv("NOMEM_COUNT"), *s;
	void *p;
	int fd;

	find(&real_mmap, "mmap64");
	find(&real_malloc, "malloc");
	find(&real_realloc, "realloc");
	find(&real_calloc, "calloc");
	if (path == NULL || (fd = open(path, O_RDWR | O_CREAT, 0600)) == -1)
		return;
	if (ftruncate(fd, sizeof(*count)) == 0) {
		p = real_mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
		if (p != MAP_FAILED)
			count = p;
	}
	close(fd);
	if ((s = getenv("NOMEM_AT")) != NULL)
		at = strtoull(s, NULL, 10);
	if ((s = getenv("NOMEM_MORE")) != NULL)
		more = strtoull(s, NULL, 10);
	in_child = getenv("NOMEM_CHILD") != NULL;
	first = getpid();
}

static int
fails(void)
{
	uint64_t n;

	if (count == NULL || (in_child && getpid() == first))
		return 0;
	n = ++*count;
	if (n < at || n - at > more || at == 0)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t n)
{
	if (real_malloc == NULL)
		find(&real_malloc, "malloc");
	return fails() ? NULL : real_malloc(n);
}

/* The linker's own, before there is anything to be found. */
void *
calloc(size_t n, size_t size)
{
	static _Alignas(16) char early[4096];
	static size_t used;
	void *p;

	if (real_calloc == NULL) {
		p = early + used;
		used += (n * size + 15) & ~(size_t)15;
		return used <= sizeof(early) ? p : NULL;
	}
	return fails() ? NULL : real_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
	if (real_realloc == NULL)
		find(&real_realloc, "realloc");
	return fails() ? NULL : real_realloc(p, n);
}

/* The one, or the other in what was compiled for large files. */
void *
mmap64(void *addr, size_t len, int prot, int flags, int fd, off64_t off)
{
	if (real_mmap == NULL)
		find(&real_mmap, "mmap64");
	return fails() ? MAP_FAILED :
	    real_mmap(addr, len, prot, flags, fd, off);
}

void *
mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	return mmap64(addr, len, prot, flags, fd, off);
}
