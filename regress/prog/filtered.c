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
 * Events under a filter of seccomp(2), which allows what ut(3) says that events
 * call, and what this program calls itself: `filtered', or `filtered jump' for
 * an event that is left by siglongjmp(3), too.  `filtered list' prints the
 * first of these lists.  A call that is not allowed is named, status 1.
 *
 * `filtered threads' has all threads under the filter, with what ut(3) says that
 * libut's call, and an event each ms until the end of its input.  A thread that
 * calls anything else ends the program.  `filtered threadlist' prints that list.
 */

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ut.h>

UT_EVENT(filtered, one, UT_INFO, UT_INT(n))
UT_EVENT(filtered, text, UT_INFO, UT_BYTES(text))

#define PAGE	65536

struct call {
	const char	*name;
	long		 number;
};
#define CALL(name)	{ #name, SYS_##name }

/* Of events. */
static const struct call events[] = {
	CALL(rt_sigprocmask), CALL(mmap), CALL(madvise), CALL(munmap),
	CALL(getpid), CALL(gettid), CALL(sched_yield), CALL(sigaltstack),
	CALL(futex), CALL(clock_gettime)
};
static const struct call jumps[] = {
	CALL(openat), CALL(read), CALL(close),
#ifdef SYS_open
	CALL(open),
#endif
};
/* Of libut's threads, by their names on systems of 64 bits. */
static const struct call threads[] = {
#if defined(__LP64__) && defined(SYS_close_range)
	CALL(close), CALL(close_range), CALL(connect), CALL(epoll_create1),
	CALL(epoll_ctl), CALL(faccessat), CALL(fcntl), CALL(fstat),
	CALL(geteuid), CALL(getsockopt), CALL(linkat), CALL(membarrier),
	CALL(mknodat), CALL(openat), CALL(prctl), CALL(read), CALL(recvfrom),
	CALL(recvmsg), CALL(sendmsg), CALL(sendto), CALL(shutdown),
	CALL(signalfd4), CALL(socket), CALL(tgkill), CALL(unlinkat),
#else
	{ NULL, 0 }
#endif
};
/* The same by other names. */
static const struct call other_names[] = {
#if defined(SYS_access) && defined(__LP64__)
	CALL(access), CALL(link), CALL(unlink), CALL(poll), CALL(epoll_wait),
	CALL(newfstatat), CALL(stat), CALL(lstat), CALL(mknod),
#elif defined(__LP64__)
	CALL(ppoll), CALL(epoll_pwait), CALL(newfstatat),
#endif
	CALL(clock_nanosleep), CALL(nanosleep)
};
/* The same by other names, and what the program does. */
static const struct call own[] = {
#ifdef SYS_mmap2
	CALL(mmap2),
#endif
#ifdef SYS_futex_time64
	CALL(futex_time64),
#endif
#ifdef SYS_clock_gettime64
	CALL(clock_gettime64),
#endif
#ifdef SYS_clone3
	CALL(clone3),
#endif
#ifdef SYS_rseq
	CALL(rseq),
#endif
#ifdef SYS_sigreturn
	CALL(sigreturn),
#endif
	CALL(clone), CALL(set_robust_list), CALL(rt_sigreturn), CALL(write),
	CALL(mprotect), CALL(brk), CALL(rt_sigaction), CALL(exit),
	CALL(exit_group)
};
#define N(a)	(sizeof(a) / sizeof((a)[0]))

static struct sock_filter code[256];
static unsigned short ncode;
static unsigned char *page;
static bool jumping, threaded;
static sigjmp_buf back;

static void
op(uint16_t what, uint32_t k, uint8_t yes)
{
	code[ncode++] = (struct sock_filter)BPF_JUMP(what, k, yes, 0);
}

static void
allow(const struct call *c, size_t n)
{
	for (; n-- > 0; c++) {
		code[ncode++] = (struct sock_filter)BPF_JUMP(BPF_JMP |
		    BPF_JEQ | BPF_K, (uint32_t)c->number, 0, 1);
		op(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0);
	}
}

static int
enter_filter(void)
{
	struct sock_fprog prog = { 0, code };

	op(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0);
	allow(events, N(events));
	if (jumping)
		allow(jumps, N(jumps));
	allow(own, N(own));
	if (threaded) {
		allow(threads, N(threads));
		allow(other_names, N(other_names));
	}
	op(BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0);
	prog.len = ncode;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == -1)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	    threaded ? SECCOMP_FILTER_FLAG_TSYNC : 0, &prog);
}

static void
forbidden(int sig, siginfo_t *si, void *context)
{
	char text[] = "system call 000 is not allowed\n";
	char *p = text + 14;
	int n = si->si_syscall;

	(void)sig;
	(void)context;
	for (; n > 0; n /= 10)
		*p-- = (char)('0' + n % 10);
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(1);
}

/* In the middle of an event: another one. */
static void
fault(int sig)
{
	UT(filtered, one, sig);
	if (mprotect(page, PAGE, PROT_READ | PROT_WRITE) == -1)
		_exit(1);
	if (jumping)
		siglongjmp(back, 1);
}

static void
trace(int n)
{
	const unsigned char *text = page;
	int i;

	for (i = 0; i < n; i++)
		UT(filtered, one, i);
	if (mprotect(page, PAGE, PROT_NONE) == -1)
		_exit(1);
	if (sigsetjmp(back, 1) == 0)
		UT(filtered, text, text, (size_t)8);
	UT(filtered, one, n);
}

static void *
thread(void *arg)
{
	int i;

	for (i = 0; i < 300; i++)
		UT(filtered, one, i);
	return arg;
}

/* While sessions come and go. */
static void
trace_on(void)
{
	const struct timespec ms = { 0, 1000000 };
	char c;
	int i;

	if (fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) == -1)
		_exit(1);
	for (i = 0; read(STDIN_FILENO, &c, 1) != 0; i++) {
		UT(filtered, one, i);
		nanosleep(&ms, NULL);
	}
}

int
main(int argc, char *argv[])
{
	struct sigaction sa;
	pthread_t t;
	size_t i;

	for (i = 0; argc > 1 && strcmp(argv[1], "list") == 0; i++) {
		if (i == N(events) + 3)
			return 0;
		puts(i < N(events) ? events[i].name :
		    jumps[i - N(events)].name);
	}
	for (i = 0; argc > 1 && strcmp(argv[1], "threadlist") == 0; i++) {
		if (i == N(threads) || threads[i].name == NULL)
			return i > 0 ? 0 : 77;
		puts(threads[i].name);
	}
	threaded = argc > 1 && strcmp(argv[1], "threads") == 0;
	jumping = argc > 1 && !threaded;
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = fault;
	sigaction(SIGSEGV, &sa, NULL);
	sa.sa_sigaction = forbidden;
	sa.sa_flags = SA_SIGINFO;
	sigaction(SIGSYS, &sa, NULL);
	if (page == MAP_FAILED || enter_filter() == -1)
		return 77;
	if (threaded) {
		trace_on();
		_exit(0);
	}
	trace(3000);
	if (pthread_create(&t, NULL, thread, NULL) != 0 ||
	    pthread_join(t, NULL) != 0)
		return 1;
	free(malloc(100));
	(void)!write(STDOUT_FILENO, "survived\n", 9);
	_exit(0);
}
