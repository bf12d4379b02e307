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
 * Threads: what the system knows of the calling one and of the process, and how
 * ours are started, woken, and given descriptors of their own.
 */

#include <sys/types.h>
#include <sys/stat.h>
#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <dirent.h>
#include <fcntl.h>
#elif defined(__FreeBSD__)
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
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat.h"

#define STACK	(64 * 1024)	/* four times what our own threads use */

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

#if defined(__NetBSD__)
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

#if UT_OTHERS_NAME

/* Has the thread of that status that number in its own PID namespace? */
static bool
is_inside(const char *status, uint32_t tid)
{
	const char *p = strstr(status, "\nNSpid:"), *end;

	if (p == NULL)
		return false;
	end = strchr(++p, '\n');
	while (end != NULL && end > p && *--end != '\t')
		continue;
	return end != NULL && strtoul(end, NULL, 10) == tid;
}

/* The number that we have for a thread of another PID namespace; 0: none. */
static uint32_t
tid_outside(pid_t pid, uint32_t tid)
{
	char path[64], status[8192];
	struct dirent *d;
	uint32_t found = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
	if ((dir = opendir(path)) == NULL)
		return 0;
	while (found == 0 && (d = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%ld/task/%.20s/status",
		    (long)pid, d->d_name);
		if (d->d_name[0] != '.' &&
		    ut_proc_read(path, status, sizeof(status)) > 0 &&
		    is_inside(status, tid))
			found = (uint32_t)strtoul(d->d_name, NULL, 10);
	}
	closedir(dir);
	return found;
}

void
ut_thread_name(pid_t pid, pid_t inside, uint32_t tid, char *name, size_t n)
{
	char path[64], all[32];
	ssize_t len;

	memset(name, 0, n);
	if (pid != inside)
		tid = tid_outside(pid, tid);
	if (pid == 0 || tid == 0)
		return;
	snprintf(path, sizeof(path), "/proc/%ld/task/%lu/comm", (long)pid,
	    (unsigned long)tid);
	if ((len = ut_proc_read(path, all, sizeof(all))) <= 0)
		return;
	if (all[len - 1] == '\n')
		all[len - 1] = '\0';
	memcpy(name, all, strnlen(all, n));
}

#else

void
ut_thread_name(pid_t pid, pid_t inside, uint32_t tid, char *name, size_t n)
{
	(void)pid;
	(void)inside;
	(void)tid;
	memset(name, 0, n);
}

#endif

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
 * The system itself needs some of a stack, for a signal's frame or the binding
 * of a symbol: how much differs a lot, and comes on top of what we use.
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

#define BLOCKS	8		/* kept for the threads started last */

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

/*
 * The signal is one that does nothing by itself.  The program may use it, too:
 * PostgreSQL blocks SIGURG, and reads it from a signalfd(2).  What was sent to
 * the process is pending for each of its threads, so signals is readable then,
 * and remains so for as long as the program likes.  Hence epoll(7), which
 * tells of each signal once.
 */
int
ut_nudge_open(struct ut_nudge *n)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLET };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	if ((n->wakes = epoll_create1(EPOLL_CLOEXEC)) == -1)
		return -1;
	n->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (n->signals != -1 &&
	    epoll_ctl(n->wakes, EPOLL_CTL_ADD, n->signals, &e) == 0)
		return 0;
	ut_nudge_close(n);
	return -1;
}

void
ut_nudge_close(struct ut_nudge *n)
{
	if (n->signals != -1)
		close(n->signals);
	close(n->wakes);
}

void
ut_nudge(pthread_t thread)
{
	(void)pthread_kill(thread, SIGURG);
}

/*
 * Linux takes a signal that was sent to the thread before one that was sent to
 * the process, which is the program's.  Where the thread's is gone, because the
 * program has set the signal's action meanwhile, the program gets its own back.
 */
void
ut_nudge_read(const struct ut_nudge *n, bool sent)
{
	struct signalfd_siginfo si;
	struct epoll_event e;

	(void)epoll_wait(n->wakes, &e, 1, 0);
	if (sent && read(n->signals, &si, sizeof(si)) == sizeof(si) &&
	    si.ssi_code != SI_TKILL)
		(void)kill(getpid(), SIGURG);
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
ut_nudge_open(struct ut_nudge *n)
{
	(void)n;
	return -1;
}

void
ut_nudge_close(struct ut_nudge *n)
{
	(void)n;
}

void
ut_nudge(pthread_t thread)
{
	(void)thread;
}

void
ut_nudge_read(const struct ut_nudge *n, bool sent)
{
	(void)n;
	(void)sent;
}

#endif
