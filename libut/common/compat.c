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

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <poll.h>
#elif defined(__FreeBSD__)
#include <sys/param.h>
#include <sys/sysctl.h>
#elif defined(__NetBSD__)
#include <sys/param.h>
#include <sys/sysctl.h>
#elif defined(__OpenBSD__)
#include <sys/sysctl.h>
#endif

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compat.h"

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS	MAP_ANON
#endif

void
ut_closefrom(int fd)
{
	long max;

#if defined(__linux__) && defined(SYS_close_range) && !defined(UT_POSIX)
	if (syscall(SYS_close_range, (unsigned int)fd, ~0u, 0) == 0)
		return;
#elif !defined(__linux__) && !defined(UT_POSIX)
	closefrom(fd);
	return;
#endif
	if ((max = sysconf(_SC_OPEN_MAX)) == -1)
		max = 65536;
	for (; fd < max; fd++)
		close(fd);
}

uint32_t
ut_pid_space(void)
{
#if defined(__linux__)
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == -1 ? 0 : (uint32_t)st.st_ino;
#else
	return 1;
#endif
}

#if defined(__linux__) && defined(SYS_pidfd_open) && !defined(UT_POSIX)

int
ut_dead(pid_t pid)
{
	struct pollfd pfd;
	int dead;

	pfd.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pfd.fd == -1)
		return kill(pid, 0) == -1 && errno == ESRCH;
	pfd.events = POLLIN;
	dead = poll(&pfd, 1, 0) == 1;
	close(pfd.fd);
	return dead;
}

#else

int
ut_dead(pid_t pid)
{
	return kill(pid, 0) == -1 && errno == ESRCH;
}

#endif

#if defined(__linux__) && !defined(UT_POSIX)

/*
 * Does /proc count processes as we do?  In a new PID namespace it is the one of
 * the outer namespace until it is mounted anew, and has other processes under
 * our numbers.
 */
static bool
proc_fits(void)
{
	char self[16];
	const ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	return strtol(self, NULL, 10) == (long)getpid();
}

ssize_t
ut_proc_read(const char *path, char *s, size_t n)
{
	ssize_t len;
	int fd;

	s[0] = '\0';
	if (isdigit((unsigned char)path[strlen("/proc/")]) && !proc_fits()) {
		errno = ENOENT;
		return -1;
	}
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return -1;
	len = read(fd, s, n - 1);
	close(fd);
	s[len > 0 ? len : 0] = '\0';
	return len;
}
#endif

/* The first thread decides; where the system does not say, none is stopped. */
int
ut_stopped(pid_t pid)
{
#if defined(__linux__) && !defined(UT_POSIX)
	char path[64], text[512], *s;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	if (ut_proc_read(path, text, sizeof(text)) <= 0)
		return 0;
	s = strrchr(text, ')');		/* the name may have any, too */
	return s != NULL && s[1] == ' ' && (s[2] == 'T' || s[2] == 't');
#else
	(void)pid;
	return 0;
#endif
}

uid_t
ut_geteuid(void)
{
#if defined(__linux__) && defined(SYS_geteuid32) && !defined(UT_POSIX)
	return (uid_t)syscall(SYS_geteuid32);
#elif defined(__linux__) && !defined(UT_POSIX)
	return (uid_t)syscall(SYS_geteuid);
#else
	return geteuid();
#endif
}

void
ut_progname(char *s, size_t n)
{
#if defined(__linux__)
	snprintf(s, n, "%s", program_invocation_short_name);
#else
	const char *name = getprogname();

	snprintf(s, n, "%s", name != NULL ? name : "?");
#endif
}

int
ut_issetugid(void)
{
#if defined(__linux__)
	return getauxval(AT_SECURE) != 0;
#else
	/* On FreeBSD and NetBSD also after a change of UID, so ask once. */
	static int known = -1;

	if (known == -1)
		known = issetugid();
	return known;
#endif
}

static atomic_bool not_wiped;

void
ut_wipe_on_fork(void *p, size_t size, int wipe)
{
#if defined(MADV_WIPEONFORK) && !defined(UT_POSIX)
	int r = madvise(p, size, wipe ? MADV_WIPEONFORK : MADV_KEEPONFORK);
#elif defined(INHERIT_ZERO) && !defined(UT_POSIX)
	int r = minherit(p, size, wipe ? INHERIT_ZERO : INHERIT_COPY);
#elif defined(MAP_INHERIT_ZERO) && !defined(UT_POSIX)
	int r = minherit(p, size, wipe ? MAP_INHERIT_ZERO : MAP_INHERIT_COPY);
#else
	int r = -1;

	(void)p;
	(void)size;
#endif
	if (r == -1 && wipe)
		atomic_store(&not_wiped, true);
}

int
ut_wipes(void)
{
	return !atomic_load(&not_wiped);
}

void *
ut_wipe_pages(size_t size)
{
	void *p;

	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	ut_wipe_on_fork(p, size, 1);
	return p;
}

/*
 * Without membarrier(2), time stands in for it: a store leaves the store
 * buffer of its processor within microseconds, so after ten milliseconds it
 * is visible.
 */
void
ut_barrier(void)
{
	static const struct timespec nap = { 0, 10000000 };

#if defined(__linux__) && defined(SYS_membarrier) && !defined(UT_POSIX)
	enum { PRIVATE = 8, REGISTER_PRIVATE = 16 };

	if (syscall(SYS_membarrier, PRIVATE, 0, 0) == 0 ||
	    (syscall(SYS_membarrier, REGISTER_PRIVATE, 0, 0) == 0 &&
	    syscall(SYS_membarrier, PRIVATE, 0, 0) == 0))
		return;
#endif
	nanosleep(&nap, NULL);
	atomic_thread_fence(memory_order_seq_cst);
}

#if defined(__linux__) && !defined(UT_POSIX)
/* Only the regress suite has another file. */
#ifndef UT_CLOCKSOURCE
#define UT_CLOCKSOURCE \
	"/sys/devices/system/clocksource/clocksource0/current_clocksource"
#endif

int
ut_clock_source(char *name, size_t size)
{
	ssize_t n;
	int fd;

	fd = open(UT_CLOCKSOURCE, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return -1;
	n = read(fd, name, size - 1);
	close(fd);
	if (n <= 0)
		return -1;
	name[n] = '\0';
	name[strcspn(name, "\n")] = '\0';
	return 0;
}
#elif (defined(__FreeBSD__) || defined(__NetBSD__)) && !defined(UT_POSIX)
int
ut_clock_source(char *name, size_t size)
{
	return sysctlbyname("kern.timecounter.hardware", name, &size, NULL, 0);
}
#elif defined(__OpenBSD__) && !defined(UT_POSIX)
int
ut_clock_source(char *name, size_t size)
{
	const int mib[] = { CTL_KERN, KERN_TIMECOUNTER,
		KERN_TIMECOUNTER_HARDWARE };

	return sysctl(mib, 3, name, &size, NULL, 0);
}
#else
int
ut_clock_source(char *name, size_t size)
{
	(void)name;
	(void)size;
	errno = ENOTSUP;
	return -1;
}
#endif

#if defined(__linux__) && !defined(UT_POSIX)

/*
 * The file tells it of the namespace that our children are in.  That is ours
 * too, unless we have just left it for them, and then nothing tells ours.
 */
int64_t
ut_clock_ahead(void)
{
	char own[64] = "", next[64] = "", text[256], *p;
	int64_t ns;

	if (ut_proc_read("/proc/self/timens_offsets", text,
	    sizeof(text)) <= 0)
		return 0;
	if ((p = strstr(text, "monotonic")) == NULL)
		return 0;
	ns = strtoll(p + strlen("monotonic"), &p, 10) * 1000000000;
	ns += strtoll(p, NULL, 10);
	if (ns == 0 ||
	    readlink("/proc/self/ns/time", own, sizeof(own) - 1) == -1 ||
	    readlink("/proc/self/ns/time_for_children", next,
	    sizeof(next) - 1) == -1 || strcmp(own, next) != 0)
		return 0;
	return ns;
}

void
ut_boot_id(char *s, size_t n)
{
	if (ut_proc_read("/proc/sys/kernel/random/boot_id", s, n) <= 0)
		s[0] = '\0';
	s[strcspn(s, "\n")] = '\0';
}

#else

int64_t
ut_clock_ahead(void)
{
	return 0;
}

void
ut_boot_id(char *s, size_t n)
{
	(void)n;
	s[0] = '\0';
}

#endif
