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
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <poll.h>
#elif defined(__FreeBSD__)
#include <sys/param.h>
#include <sys/sysctl.h>
#include <pthread_np.h>
#elif defined(__NetBSD__)
#include <sys/param.h>
#include <sys/sysctl.h>
#include <lwp.h>
#elif defined(__OpenBSD__)
#include <sys/sysctl.h>
#include <pthread_np.h>
#endif

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compat.h"

#define STACK	(64 * 1024)	/* what our own threads use at most, fourfold */

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

uint32_t
ut_gettid(void)
{
#if defined(__linux__)
	return (uint32_t)syscall(SYS_gettid);
#elif defined(__FreeBSD__)
	return (uint32_t)pthread_getthreadid_np();
#elif defined(__NetBSD__)
	return (uint32_t)_lwp_self();
#elif defined(__OpenBSD__)
	return (uint32_t)getthrid();
#else
	static _Atomic uint32_t last;
	static UT_PER_THREAD uint32_t mine;

	if (mine == 0)
		mine = atomic_fetch_add(&last, 1) + 1;
	return mine;
#endif
}

void
ut_own_name(char *name, size_t n)
{
	char all[32] = "";

#if defined(__linux__) && !defined(UT_POSIX)
	if (prctl(PR_GET_NAME, (unsigned long)(uintptr_t)all, 0, 0, 0) == -1)
		all[0] = '\0';
#elif defined(__NetBSD__)
	if (_lwp_getname(_lwp_self(), all, sizeof(all)) == -1)
		all[0] = '\0';
#elif defined(__OpenBSD__) && OpenBSD >= 202304
	if (getthrname(0, all, sizeof(all)) == -1)
		all[0] = '\0';
#endif
	all[sizeof(all) - 1] = '\0';
	memset(name, 0, n);
	memcpy(name, all, strnlen(all, n));
}

uint32_t
ut_cpu(void)
{
#if (defined(__linux__) || (defined(__FreeBSD__) && __FreeBSD__ >= 14)) && \
    !defined(UT_POSIX)
	const int cpu = sched_getcpu();

	return cpu < 0 ? UINT32_MAX : (uint32_t)cpu;
#else
	return UINT32_MAX;
#endif
}

#if defined(__linux__) && !defined(UT_POSIX)

static bool own_tid;

/*
 * The clock of a thread's processor time has the number of the thread in its
 * own: Linux finds the thread by that, so C libraries have no choice, and those
 * that remember the number need not ask for it.
 */
static uint32_t
clock_tid(void)
{
	clockid_t clock;

	if (pthread_getcpuclockid(pthread_self(), &clock) != 0)
		return 0;
	return (uint32_t)~(clock >> 3);
}

void
ut_own_tid_init(void)
{
	own_tid = clock_tid() == ut_gettid();
}

uint32_t
ut_own_tid(void)
{
	return own_tid ? clock_tid() : 0;
}

#else

void
ut_own_tid_init(void)
{
}

uint32_t
ut_own_tid(void)
{
	return 0;
}

#endif

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

#if defined(__linux__) && !defined(UT_POSIX)

/*
 * The first thread of a process has the stack that the system made, unless the
 * process is a child that another thread has forked: then it is on the stack
 * of that one.
 */
static int stack_systems = 1, stack_forker = 1;

static int
on_systems_stack(void)
{
	return stack_systems && (pid_t)ut_gettid() == getpid();
}

void
ut_stack_forking(void)
{
	stack_forker = on_systems_stack();
}

void
ut_stack_init(void)
{
	stack_systems = stack_forker;
}

/* In a line of that file: true if it is of the thread's stack. */
static int
stack_line(const char *line, uintptr_t *low, uintptr_t *high, uintptr_t *end)
{
	const uintptr_t self = (uintptr_t)pthread_self();
	const int first = on_systems_stack();
	uintptr_t from, to;
	const size_t n = strlen(line);
	char *p;

	from = (uintptr_t)strtoull(line, &p, 16);
	to = *p == '-' ? (uintptr_t)strtoull(p + 1, &p, 16) : from;
	/* The system's stack grows as far as there is nothing else. */
	*low = first ? *end : from;
	*high = first ? to : self;
	*end = to;
	if (first)
		return n >= 7 && strcmp(line + n - 7, "[stack]") == 0;
	return self >= from && self < to;
}

/*
 * pthread_getattr_np(3) allocates memory, and may wait for the lock of an
 * allocator that a signal handler has interrupted.  What it would say of a
 * thread that is not the first one ends, in glibc and musl, where pthread_t
 * points.
 */
int
ut_stack(uintptr_t *low, uintptr_t *high)
{
	char buf[256], line[160];
	uintptr_t end = 0;
	size_t len = 0;
	ssize_t n, i;
	int fd, state, found = 0;

	if (pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state) != 0)
		state = PTHREAD_CANCEL_ENABLE;
	fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	while (fd != -1 && !found && (n = read(fd, buf, sizeof(buf))) > 0) {
		for (i = 0; i < n && !found; i++) {
			if (buf[i] != '\n') {
				if (len < sizeof(line) - 1)
					line[len++] = buf[i];
				continue;
			}
			line[len] = '\0';
			len = 0;
			found = stack_line(line, low, high, &end);
		}
	}
	if (fd != -1)
		close(fd);
	(void)pthread_setcancelstate(state, NULL);
	return found ? 0 : -1;
}

#elif (defined(__FreeBSD__) || defined(__NetBSD__)) && !defined(UT_POSIX)

/*
 * Once an attribute was filled, it is filled again without more memory.  There
 * is one for all threads, and who finds it taken does not wait.
 */
static pthread_attr_t stack_attr;
static atomic_int stack_attr_free;

void
ut_stack_init(void)
{
	static bool made;

	if (!made)
		made = pthread_attr_init(&stack_attr) == 0;
	atomic_store(&stack_attr_free, made &&
	    pthread_attr_get_np(pthread_self(), &stack_attr) == 0);
}

int
ut_stack(uintptr_t *low, uintptr_t *high)
{
	size_t size;
	void *at;
	int r = -1;

	if (!atomic_exchange(&stack_attr_free, 0))
		return -1;
	if (pthread_attr_get_np(pthread_self(), &stack_attr) == 0 &&
	    pthread_attr_getstack(&stack_attr, &at, &size) == 0) {
		*low = (uintptr_t)at;
		*high = *low + size;
		r = 0;
	}
	atomic_store(&stack_attr_free, 1);
	return r;
}

#elif defined(__OpenBSD__) && !defined(UT_POSIX)

int
ut_stack(uintptr_t *low, uintptr_t *high)
{
	stack_t s;

	if (pthread_stackseg_np(pthread_self(), &s) != 0)
		return -1;
	*high = (uintptr_t)s.ss_sp;
	*low = *high - s.ss_size;
	return 0;
}

#else

int
ut_stack(uintptr_t *low, uintptr_t *high)
{
	*low = *high = 0;
	return -1;
}

#endif

#if !defined(__linux__) || defined(UT_POSIX)
void
ut_stack_forking(void)
{
}
#endif

#if !(defined(__linux__) || defined(__FreeBSD__) || defined(__NetBSD__)) || \
    defined(UT_POSIX)
void
ut_stack_init(void)
{
}
#endif

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
int
ut_clock_source(char *name, size_t size)
{
	ssize_t n;
	int fd;

	fd = open("/sys/devices/system/clocksource/clocksource0/"
	    "current_clocksource", O_RDONLY | O_CLOEXEC);
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
	const char *const file = "/proc/self/timens_offsets";
	char own[64] = "", next[64] = "", text[256], *p;
	int64_t ns;
	ssize_t n;
	int fd;

	if ((fd = open(file, O_RDONLY | O_CLOEXEC)) == -1)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
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

#else

int64_t
ut_clock_ahead(void)
{
	return 0;
}

#endif

void
ut_name_thread(const char *name)
{
#if defined(__linux__)
	(void)pthread_setname_np(pthread_self(), name);
#elif defined(__FreeBSD__) || defined(__OpenBSD__)
	pthread_set_name_np(pthread_self(), name);
#else
	/* NetBSD's allocates memory: see `malloc in the child' in PORTING. */
	(void)name;
#endif
}

/*
 * What the system itself wants of a stack, for a signal's frame or the
 * binding of a symbol, differs a lot and comes on top of what we use.
 */
static size_t
stack_size(void)
{
	long min = -1;

#ifdef _SC_THREAD_STACK_MIN
	min = sysconf(_SC_THREAD_STACK_MIN);
#endif
#ifdef PTHREAD_STACK_MIN
	if (min < (long)PTHREAD_STACK_MIN)
		min = (long)PTHREAD_STACK_MIN;
#endif
	return STACK + (min > 0 ? ((size_t)min + 4095) & ~(size_t)4095 : 0);
}

/*
 * glibc has one block from malloc(3) for a thread, the vector of its
 * thread-local storage, and keeps only a pointer to the second element, of
 * two words each.  That valgrind takes for a leak as long as the thread lives,
 * unless a pointer to the block itself is somewhere.  A thread begins with two
 * words, the second of which is that pointer; of the vector nothing is read.
 */
#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__i386__)) && \
    !defined(UT_POSIX)

#define BLOCKS	8		/* of the threads started last */

static void __attribute__((no_sanitize_thread))
keep_block(pthread_t thread)
{
	static void **_Atomic blocks[BLOCKS];
	static atomic_uint next;
	void ***head = (void ***)thread;

	atomic_store(&blocks[atomic_fetch_add(&next, 1) % BLOCKS],
	    head[1] - 2);
}

#else

static void
keep_block(pthread_t thread)
{
	(void)thread;
}

#endif

int
ut_thread_start(void *(*run)(void *), void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, old;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, stack_size());
	error = pthread_create(&thread, &attr, run, arg);
	pthread_attr_destroy(&attr);
	/* Thread-local storage may count: then as the system likes. */
	if (error == EINVAL)
		error = pthread_create(&thread, NULL, run, arg);
	if (error == 0) {
		keep_block(thread);
		pthread_detach(thread);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

int
ut_thread_gone(uint32_t tid)
{
#if defined(__linux__)
	return syscall(SYS_tgkill, getpid(), tid, 0) == -1 && errno == ESRCH;
#else
	(void)tid;
	return 1;
#endif
}

/* Linux links the directory once for each, and twice for itself. */
unsigned int
ut_thread_count(void)
{
#if defined(__linux__)
	struct stat st;

	if (stat("/proc/self/task", &st) == 0 && st.st_nlink > 2)
		return (unsigned int)st.st_nlink - 2;
#elif defined(__NetBSD__)
	struct kinfo_proc2 p;
	const int mib[] = { CTL_KERN, KERN_PROC2, KERN_PROC_PID,
		(int)getpid(), (int)sizeof(p), 1 };
	size_t n = sizeof(p);

	if (sysctl(mib, 6, &p, &n, NULL, 0) == 0 && n == sizeof(p))
		return (unsigned int)p.p_nlwps;
#endif
	return 0;
}

#if defined(__linux__) && defined(SYS_close_range) && !defined(UT_POSIX)

int
ut_has_own_fds(void)
{
	return 1;
}

int
ut_own_fds(int keep)
{
	const unsigned int unshare = 1u << 1;	/* CLOSE_RANGE_UNSHARE */

	if (syscall(SYS_close_range, (unsigned int)(keep + 1), ~0u,
	    unshare) == -1)
		return 0;
	if (keep > 0)
		(void)syscall(SYS_close_range, 0u, (unsigned int)keep - 1, 0);
	return 1;
}

/* A signal that does nothing, and that all our threads block. */
int
ut_nudge_open(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void
ut_nudge(pthread_t thread)
{
	(void)pthread_kill(thread, SIGURG);
}

void
ut_nudge_read(int fd)
{
	struct signalfd_siginfo si;

	while (read(fd, &si, sizeof(si)) > 0)
		continue;
}

#else

int
ut_has_own_fds(void)
{
	return 0;
}

int
ut_own_fds(int keep)
{
	(void)keep;
	return 0;
}

int
ut_nudge_open(void)
{
	return -1;
}

void
ut_nudge(pthread_t thread)
{
	(void)thread;
}

void
ut_nudge_read(int fd)
{
	(void)fd;
}

#endif
