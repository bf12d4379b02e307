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
 * Stacks of all kinds, each compared with what the compiler's own unwinder says
 * of the place: walk SHAPE...  Prints for each shape how many stacks were the
 * same, cut, longer and wrong, of calls and of handlers.  Where the compiler
 * has none (ORACLE), the recursion of deep knows its innermost frames itself:
 * then a stack is longer if these are right.  The status is 77 if libut has no
 * unwinder.
 */

#include <sys/types.h>
#include <sys/mman.h>
#include <sys/time.h>

#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef ORACLE
#include <unwind.h>
#endif
#if defined(__linux__) && !defined(UT_POSIX)
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif

#include "../../libut/unwind/cpu.h"
#include "../../libut/unwind/unwind.h"
#include "walk.h"

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS	MAP_ANON
#endif

#define NOINLINE	__attribute__((noinline))
#define MAX		64

enum { SAME, CUT, LONGER, WRONG, RESULTS };

struct oracle {
	uintptr_t	 from;
	uintptr_t	*frames;
	uint32_t	 n;
	int		 handler;
};

static _Thread_local struct unwinder mine;
static atomic_ulong counts[2][RESULTS];
static _Thread_local volatile long sink;
static jmp_buf back;
static _Thread_local uintptr_t outer[MAX];
static _Thread_local uint32_t nouter;
static int shown;

#ifdef ORACLE
static _Unwind_Reason_Code
each(struct _Unwind_Context *c, void *arg)
{
	struct oracle *o = arg;
	int interrupted = 0;
	const uintptr_t pc = (uintptr_t)_Unwind_GetIPInfo(c, &interrupted);

	/* The handler itself may return to the place that it has interrupted. */
	if (pc != 0 && (o->n > 0 || (pc == o->from &&
	    (interrupted || !o->handler))) && o->n < MAX)
		o->frames[o->n++] = pc;
	return o->n == MAX ? _URC_END_OF_STACK : _URC_NO_REASON;
}
#endif

static uint32_t
ask(uintptr_t from, uintptr_t *frames, int handler)
{
	struct oracle o = { from, frames, 0, handler };

#ifdef ORACLE
	_Unwind_Backtrace(each, &o);
#else
	uint32_t i;

	o.frames[o.n++] = from;
	for (i = nouter; i > 0 && o.n < MAX; i--)
		o.frames[o.n++] = outer[i - 1];
#endif
	return o.n;
}

static void
show(const char *what, const uintptr_t *frames, uint32_t n)
{
	uint32_t i;

	fprintf(stderr, "%s:", what);
	for (i = 0; i < n; i++)
		fprintf(stderr, " %lx", (unsigned long)frames[i]);
	fprintf(stderr, "\n");
}

static void
compare(int handler, const struct unwound *s)
{
	uintptr_t theirs[MAX];
	const uint32_t n = ask(s->frames[0], theirs, handler);
	uint32_t i;
	int r;

	for (i = 0; i < n && i < s->n && theirs[i] == s->frames[i]; i++)
		continue;
	r = i == n && i == s->n ? SAME : i == s->n ? CUT : i == n ? LONGER :
	    WRONG;
	if (s->hash == 0 || s->n == 0 || (r == CUT && s->end == STACK_DONE))
		r = WRONG;
	atomic_fetch_add(&counts[handler][r], 1);
	if (r != SAME && shown++ < 3) {
		show("ours", s->frames, s->n);
		show("theirs", theirs, n);
	}
}

static void NOINLINE
take(uintptr_t from)
{
	uintptr_t frames[MAX];
	struct unwound s = { frames, MAX, 0, 0, 0 };

	ut_unwind_here(&mine, from, &s);
	if (s.n == 0 || s.frames[0] != from)
		errx(1, "the first frame is not the caller");
	compare(0, &s);
	sink++;
}

/* The stack of the function that calls it. */
void NOINLINE
walk_check(void)
{
	take((uintptr_t)__builtin_return_address(0));
	sink++;
}

static void
on_signal(int sig, siginfo_t *info, void *context)
{
	uintptr_t frames[MAX];
	struct unwound s = { frames, MAX, 0, 0, 0 };
	const uint32_t was = nouter;
	const int error = errno;

	(void)info;
	ut_unwind_context(&mine, context, &s);
	nouter = 0;
	compare(1, &s);
	if (sig != SIGPROF)
		walk_check();
	nouter = was;
	errno = error;
}

static void NOINLINE
deep(int n, int sig)
{
	volatile char b[100];

	b[n] = 1;
	outer[nouter++] = (uintptr_t)__builtin_return_address(0);
	walk_check();
	if (n > 0)
		deep(n - 1, sig);
	else if (sig != 0)
		raise(sig);
	nouter--;
	sink += b[n];
}

static void NOINLINE
shape_deep(void)
{
	int i;

	for (i = 0; i < 40; i++)
		deep(i, SIGUSR1);
}

/* Frames that are realigned, and that have no fixed size. */
static void NOINLINE
aligned(int n)
{
	char b[n * 16 + 16], c[64] __attribute__((aligned(64)));

	memset(b, n, sizeof(b));
	memset(c, n, sizeof(c));
	walk_check();
	if (n > 0)
		aligned(n - 1);
	__asm__ volatile("" : : "r" (b), "r" (c) : "memory");
}

static void NOINLINE
shape_aligned(void)
{
	aligned(20);
}

/* Larger than what is asked for at once. */
static void NOINLINE
shape_large(void)
{
	volatile char b[300000];

	b[0] = 1;
	deep(5, SIGUSR1);
	sink += b[0];
}

static int
order(const void *a, const void *b)
{
	walk_check();
	return *(const int *)a - *(const int *)b;
}

static void NOINLINE
shape_callback(void)
{
	int a[50], i;

	for (i = 0; i < 50; i++)
		a[i] = i * 7919 % 101;
	qsort(a, 50, sizeof(a[0]), order);
}

static void NOINLINE __attribute__((noreturn))
leave(void)
{
	walk_check();
	longjmp(back, 1);
}

static void NOINLINE
jump(int n)
{
	walk_check();
	if (n == 0)
		leave();
	if (n > 0)
		jump(n - 1);
	sink++;
}

static void NOINLINE
shape_jump(void)
{
	volatile int i;

	for (i = 0; i < 20; i++)
		if (setjmp(back) == 0)
			jump(i);
}

/* Handlers on a stack of their own, one in another. */
static void NOINLINE
shape_alternate(void)
{
	static char other[65536];
	stack_t s;
	int i;

	memset(&s, 0, sizeof(s));
	s.ss_sp = other;
	s.ss_size = sizeof(other);
	if (sigaltstack(&s, NULL) == -1)
		err(1, "sigaltstack");
	for (i = 0; i < 1000; i++)
		deep(i % 17, SIGUSR2);
}

#if defined(__linux__) && !defined(__GLIBC__)

/* musl has no coroutines. */
static void NOINLINE
shape_coroutines(void)
{
}

#else

static ucontext_t whole, part;

static void
coroutine(void)
{
	for (;;) {
		deep(20, 0);
		swapcontext(&part, &whole);
	}
}

/* Stacks that are unmapped and mapped anew, some smaller, at guard pages. */
static void NOINLINE
shape_coroutines(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size;
	char *p;
	int i, k;

	for (i = 0; i < 200; i++) {
		size = (20 + (size_t)i % 5) * page;
		p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
		if (p == MAP_FAILED || mprotect(p + page, size - 2 * page,
		    PROT_READ | PROT_WRITE) == -1 || getcontext(&part) == -1)
			err(1, "coroutines");
		part.uc_stack.ss_sp = p + page;
		part.uc_stack.ss_size = size - 2 * page;
		makecontext(&part, coroutine, 0);
		for (k = 0; k < 3; k++)
			swapcontext(&whole, &part);
		munmap(p, size);
		ut_unwind_forget(&mine);
	}
}

#endif

static void *
thread(void *arg)
{
	int i;

	for (i = 0; i < 100; i++)
		deep(i % 20 + *(int *)arg, i % 10 == 0 ? SIGUSR1 : 0);
	return NULL;
}

static void NOINLINE
shape_threads(void)
{
	pthread_attr_t attr;
	pthread_t t[8];
	int n[8], i, k;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 131072);
	for (k = 0; k < 5; k++) {
		for (i = 0; i < 8; i++) {
			n[i] = i;
			if (pthread_create(&t[i], i % 2 ? &attr : NULL, thread,
			    &n[i]) != 0)
				errx(1, "pthread_create");
		}
		for (i = 0; i < 8; i++)
			pthread_join(t[i], NULL);
	}
}

static atomic_int storm_over;

static void *
beside(void *arg)
{
	while (!storm_over)
		deep(20, 0);
	return arg;
}

/* Other threads walk while a library comes and goes, and calls us. */
static void NOINLINE
shape_storm(void)
{
	const char *path = getenv("WALK_SO");
	union {
		void	*p;
		void	(*f)(void (*)(void));
	} call;
	pthread_t t[2];
	void *so;
	int i;

	storm_over = path == NULL;
	for (i = 0; i < 2; i++)
		if (pthread_create(&t[i], NULL, beside, NULL) != 0)
			errx(1, "pthread_create");
	for (i = 0; path != NULL && i < 300; i++) {
		if ((so = dlopen(path, RTLD_NOW)) == NULL ||
		    (call.p = dlsym(so, "walk_call")) == NULL)
			errx(1, "%s", dlerror());
		/* One that nobody has told of is found, or the stack cut. */
		call.f(walk_check);
		ut_unwind_changed();
		call.f(walk_check);
		dlclose(so);
		ut_unwind_gone();
	}
	storm_over = 1;
	for (i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

/*
 * Another library comes in the place of one that has gone, and nobody tells of
 * it: its frames have other sizes.
 */
static void NOINLINE
shape_replaced(void)
{
	const char *paths[] = { getenv("WALK_SO"), getenv("WALK_SO2") };
	union {
		void	*p;
		void	(*f)(void (*)(void));
	} call;
	void *so;
	int i;

	for (i = 0; i < 40 && paths[1] != NULL; i++) {
		if ((so = dlopen(paths[i % 2], RTLD_NOW)) == NULL ||
		    (call.p = dlsym(so, "walk_call")) == NULL)
			errx(1, "%s", dlerror());
		ut_unwind_forget(&mine);
		call.f(walk_check);
		if (i == 0)
			ut_unwind_changed();
		call.f(walk_check);
		dlclose(so);
		ut_unwind_forget(&mine);
	}
}

/* A timer looks in the middle of what compilers and libraries make. */
static void NOINLINE
shape_timer(void)
{
	static char big[65536];
	struct itimerval it = { { 0, 1000 }, { 0, 1000 } };
	int i, a[50], k;

	setitimer(ITIMER_PROF, &it, NULL);
	for (k = 0; k < 3000; k++) {
		for (i = 0; i < 50; i++)
			a[i] = (i + k) * 7919 % 101;
		qsort(a, 50, sizeof(a[0]), order);
		memset(big, 'a' + k % 3, sizeof(big) - 1);
		sink += (long)strlen(big);
		snprintf(big, 100, "%d %g", k, k * 0.1);
		free(malloc((size_t)k + 1));
	}
	memset(&it, 0, sizeof(it));
	setitimer(ITIMER_PROF, &it, NULL);
}

static uint64_t expected;
static uint32_t expected_n;

static void
on_alarm(int sig, siginfo_t *info, void *context)
{
	uintptr_t frames[MAX];
	struct unwound s = { frames, MAX, 0, 0, 0 };

	(void)sig;
	(void)info;
	ut_unwind_context(&mine, context, &s);
	sink += s.n;
}

static void NOINLINE
again(int n, uintptr_t from)
{
	struct itimerval it = { { 0, 50 }, { 0, 50 } };
	uintptr_t frames[MAX];
	struct unwound s = { frames, MAX, 0, 0, 0 };
	volatile char b[3000];
	int i;

	b[0] = 1;
	if (n > 0) {
		again(n - 1, from);
		sink += b[0];
		return;
	}
	ut_unwind_here(&mine, from, &s);
	expected = s.hash;
	expected_n = s.n;
	setitimer(ITIMER_REAL, &it, NULL);
	for (i = 0; i < 100000; i++) {
		/* So that memory is asked for in each walk. */
		if (i % 2 == 0)
			ut_unwind_forget(&mine);
		ut_unwind_here(&mine, from, &s);
		atomic_fetch_add(&counts[0][s.hash == expected &&
		    s.n == expected_n ? SAME : WRONG], 1);
	}
	memset(&it, 0, sizeof(it));
	setitimer(ITIMER_REAL, &it, NULL);
}

/* A handler walks in the middle of a walk, with the same memory. */
static void NOINLINE
shape_interrupted(void)
{
	again(20, (uintptr_t)__builtin_return_address(0));
}

/* The system does not say any more what can be read. */
static void NOINLINE
shape_refused(void)
{
#if defined(__linux__) && !defined(UT_POSIX)
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		    offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	};
	struct sock_fprog p = { sizeof(f) / sizeof(f[0]), f };

	deep(20, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) == -1)
		return;
	deep(20, 0);
	ut_unwind_forget(&mine);
	deep(20, 0);
#endif
}

#if defined(__x86_64__) && defined(__GLIBC__)
#define TRAP	0x100			/* the processor's flag */

static volatile sig_atomic_t stepping;

static void
on_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
	uintptr_t frames[MAX];
	struct unwound s = { frames, MAX, 0, 0, 0 };

	(void)sig;
	(void)info;
	if (!stepping) {
		*flags &= ~TRAP;
		return;
	}
	*flags |= TRAP;
	ut_unwind_context(&mine, context, &s);
	atomic_fetch_add(&counts[1][s.end == STACK_CUT ? CUT : SAME], 1);
}

/* Instruction by instruction through a call whose function is found then. */
static void NOINLINE
shape_stepped(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_trap;
	sa.sa_flags = SA_SIGINFO;
	if (sigaction(SIGTRAP, &sa, NULL) == -1)
		err(1, "sigaction");
	stepping = 1;
	raise(SIGTRAP);
	sink += a64l("ab");
	stepping = 0;
}
#else
static void NOINLINE
shape_stepped(void)
{
	atomic_fetch_add(&counts[1][SAME], 1);
}
#endif

static void NOINLINE
unseen(void)
{
	uintptr_t frames[MAX];
	struct unwound s = { frames, MAX, 0, 0, 0 };

	ut_unwind_here(&mine, (uintptr_t)__builtin_return_address(0), &s);
	sink += s.n;
}

/* The rule of this function is that of another stack. */
static void NOINLINE
run_on(char *top, void (*f)(void))
{
#if defined(__x86_64__)
	__asm__ volatile("movq %%rsp, %%rbx\n\tmovq %0, %%rsp\n\tcall *%1\n\t"
	    "movq %%rbx, %%rsp" : : "r" (top), "r" (f) : "rbx", "rax", "rcx",
	    "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory");
#elif defined(__aarch64__)
	__asm__ volatile("mov x19, sp\n\tmov sp, %0\n\tblr %1\n\t"
	    "mov sp, x19" : : "r" (top), "r" (f) : "x19", "x30", "x0", "x1",
	    "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
	    "x12", "x13", "x14", "x15", "x16", "x17", "cc", "memory");
#else
	(void)top;
	f();
#endif
}

/* What is behind the end of a stack is freed. */
static void NOINLINE
shape_beside(void)
{
	const size_t half = 64 * (size_t)sysconf(_SC_PAGESIZE);
	char *p;
	int i;

	p = mmap(NULL, 2 * half, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		err(1, "mmap");
	for (i = 0; i < 3; i++)
		run_on(p + half, unseen);
	munmap(p + half, half);
	for (i = 0; i < 3; i++)
		run_on(p + half, unseen);
	munmap(p, half);
}

static void NOINLINE
shape_throw(void)
{
#ifdef CXX
	walk_throw();
#endif
}

static const struct {
	const char	*name;
	void		(*run)(void);
} shapes[] = {
	{ "deep", shape_deep }, { "aligned", shape_aligned },
	{ "large", shape_large }, { "callback", shape_callback },
	{ "jump", shape_jump }, { "alternate", shape_alternate },
	{ "coroutines", shape_coroutines }, { "threads", shape_threads },
	{ "storm", shape_storm }, { "replaced", shape_replaced },
	{ "timer", shape_timer },
	{ "interrupted", shape_interrupted }, { "refused", shape_refused },
	{ "beside", shape_beside }, { "stepped", shape_stepped },
	{ "throw", shape_throw }
};

static void
shape(const char *name)
{
	const unsigned int n = sizeof(shapes) / sizeof(shapes[0]);
	unsigned int i, k;

	memset(counts, 0, sizeof(counts));
	for (i = 0; i < n && strcmp(shapes[i].name, name) != 0; i++)
		continue;
	if (i == n)
		errx(1, "%s: no such shape", name);
	shapes[i].run();
	printf("%s", name);
	for (i = 0; i < 2; i++)
		for (k = 0; k < RESULTS; k++)
			printf(" %lu", counts[i][k]);
	printf("\n");
}

static void
handle(int sig, void (*f)(int, siginfo_t *, void *), int flags)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = f;
	sa.sa_flags = SA_SIGINFO | SA_RESTART | flags;
	if (sigaction(sig, &sa, NULL) == -1)
		err(1, "sigaction");
}

int
main(int argc, char *argv[])
{
	int i;

	if (!UNWIND_CPU)
		return 77;
	ut_unwind_changed();
	handle(SIGUSR1, on_signal, 0);
	handle(SIGUSR2, on_signal, SA_ONSTACK);
	handle(SIGPROF, on_signal, 0);
	handle(SIGALRM, on_alarm, SA_ONSTACK);
	for (i = 1; i < argc; i++)
		shape(argv[i]);
	return 0;
}
