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
 * A library for LD_PRELOAD in which a system call fails: number FAIL_AT of the
 * kind FAIL_KIND, with FAIL_ERROR, or after half of the bytes if that is
 * "short".  The file CALLS has CALL, a function, the number of its kind and how
 * it says that it failed, for each, and ERROR with the names of the errors.
 *
 * The file FAIL_COUNT counts the calls of each kind, in 8 bytes, made by all
 * processes together of the program FAIL_NAME; if FAIL_WHERE is "parent", not
 * by what it forks, and if that is "child", only by this.  The name "libut"
 * stands for what libut.so calls in any program.
 */

#include <sys/types.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LENGTH	512		/* of FAIL_COUNT */

/* How a function says that it has failed. */
enum how {
	MINUS,			/* -1 and errno */
	NIL,			/* NULL and errno */
	NUMBER,			/* the number of the error */
	AFTER,			/* -1 and errno, after it was done */
	STREAM,			/* 0 and errno, and ferror(3) says so */
	BYTES,			/* -1 and errno; with a number of bytes */
	MESSAGE			/* -1 and errno; with a struct msghdr */
};

typedef long function(long, long, long, long, long, long, long);

struct call {
	const char	*name;
	int		 kind;
	enum how	 how;
	function	*real;
};

static const struct {
	const char	*name;
	int		 number;
} errors[] = {
#define ERROR(name)	{ #name, name },
#define CALL(name, kind, how)
#include CALLS
#undef ERROR
#undef CALL
	{ "short", 0 }
};

static _Atomic uint64_t *counts;
static const char *where;
static uint64_t at;
static int kind, error, only_libut;
static pid_t first;
static __thread int inside;

static void __attribute__((constructor))
init(void)
{
	const char *path = getenv("FAIL_COUNT"), *name = getenv("FAIL_NAME");
	size_t i = 0;
	void *p;
	int fd;

	where = getenv("FAIL_WHERE");
	if (path == NULL || name == NULL || where == NULL)
		return;
	only_libut = strcmp(name, "libut") == 0;
	if (!only_libut && strcmp(name, program_invocation_short_name) != 0)
		return;
	first = getpid();
	at = strtoull(getenv("FAIL_AT"), NULL, 10);
	kind = atoi(getenv("FAIL_KIND"));
	while (strcmp(errors[i].name, getenv("FAIL_ERROR")) != 0)
		i++;
	error = errors[i].number;
	fd = open(path, O_RDWR | O_CLOEXEC);
	p = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p != MAP_FAILED)
		counts = p;
}

/* Can this transfer of bytes end like that? */
static int
transfers(const struct call *c, const long *a)
{
	const struct msghdr *m = (const void *)a[1];
	struct stat st;

	if (fstat((int)a[0], &st) == -1 || S_ISCHR(st.st_mode))
		return 0;
	if (error == 0)
		return (c->how == MESSAGE ? (long)m->msg_iov[0].iov_len :
		    a[2]) > 1;
	if (error == EAGAIN)
		return (fcntl((int)a[0], F_GETFL) & O_NONBLOCK) != 0;
	return S_ISREG(st.st_mode) ||
	    (error != EIO && error != ENOSPC && error != EDQUOT);
}

/* Can this call fail with the error? */
static int
can_fail(const struct call *c, const long *a)
{
	if (c->how >= BYTES)
		return transfers(c, a);
	if (strncmp(c->name, "fcntl", 5) == 0)
		return a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC;
	if (strcmp(c->name, "seteuid") == 0)
		return a[0] != 0;
	if (strcmp(c->name, "waitpid") == 0)
		return (a[2] & WNOHANG) == 0;
	if (strcmp(c->name, "epoll_ctl") == 0)
		return a[1] == EPOLL_CTL_ADD;
	if (strcmp(c->name, "syscall") == 0)
		return a[0] != SYS_gettid && a[0] != SYS_geteuid &&
		    a[0] != SYS_tgkill && (error != EINTR || a[0] == SYS_futex);
	return error != 0;
}

static int
fails(const struct call *c, const long *a, const void *caller)
{
	Dl_info info;
	int counted;

	if (counts == NULL || inside ||
	    (*where != '\0' && (*where == 'c') == (getpid() == first)))
		return 0;
	inside = 1;
	counted = (c->kind != kind || can_fail(c, a)) && (!only_libut ||
	    (dladdr(caller, &info) != 0 &&
	    strstr(info.dli_fname, "/libut.so") != NULL));
	inside = 0;
	return counted && ++counts[c->kind] == at && c->kind == kind;
}

/* A first part only. */
static long
half(const struct call *c, long *a)
{
	struct msghdr *m = (void *)a[1];
	size_t pieces, len;
	long n;

	if (c->how == BYTES)
		return c->real(a[0], a[1], a[2] / 2, a[3], a[4], a[5], a[6]);
	pieces = m->msg_iovlen;
	len = m->msg_iov[0].iov_len;
	m->msg_iovlen = 1;
	m->msg_iov[0].iov_len /= 2;
	n = c->real(a[0], a[1], a[2], 0, 0, 0, 0);
	m->msg_iovlen = pieces;
	m->msg_iov[0].iov_len = len;
	return n;
}

static long
pass(struct call *c, long *a, const void *caller)
{
	int failing, saved = errno;
	void *p;

	if (c->real == NULL) {
		p = dlsym(RTLD_NEXT, c->name);
		memcpy(&c->real, &p, sizeof(p));
	}
	failing = fails(c, a, caller);
	errno = saved;
	if (!failing)
		return c->real(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
	if (error == 0)
		return half(c, a);
	if (c->how == NUMBER)
		return error;
	if (c->how == AFTER)
		(void)c->real(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
	/* Of fread and fwrite; both C libraries have the flag there. */
	if (c->how == STREAM)
		*(unsigned int *)a[3] |= 32;
	/* Nobody is at the other end of such a socket. */
	if (error == EPIPE || error == ECONNRESET)
		(void)shutdown((int)a[0], SHUT_RDWR);
	errno = error;
	return c->how == NIL || c->how == STREAM ? 0 : -1;
}

/*
 * One kind of function stands for all: their arguments, at most seven, and
 * results are integers or pointers.
 */
#define ERROR(name)
#define CALL(name, kind, how)						\
long fail_##name(long, long, long, long, long, long, long)		\
    __asm__(#name);							\
long									\
fail_##name(long a, long b, long c, long d, long e, long f, long g)	\
{									\
	static struct call call = { #name, kind, how, NULL };		\
									\
	return pass(&call, (long []){ a, b, c, d, e, f, g },		\
	    __builtin_return_address(0));				\
}
#include CALLS
