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
 * libut-cpu.so: samples of what an unmodified program does with the CPU.
 *
 *	LD_PRELOAD=libut-cpu.so program
 *
 * Each thread has a timer of its CPU time (timer_create(2)), which sends it
 * SIGPROF; the handler records where it was.  Linux deletes such timers in
 * execve(2), and discards the signals that they have sent.  No other system is
 * known to do both, and a signal that is left ends the next program: see
 * PORTING.
 *
 * As long as nobody listens, the timers are slow, and only look whether
 * somebody does.  A program that takes SIGPROF for itself gets it
 * (cpu_signal.c), and is not sampled any more, which an event says.
 *
 * No lock: a thread has its struct alone, but for the timer, which whoever
 * changes the state deletes.
 */

#include <sys/mman.h>
#include <sys/syscall.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#ifndef __STDC_NO_THREADS__
#include <threads.h>
#endif

#include "cpu.h"
#include "ut.h"

#ifndef sigev_notify_thread_id		/* glibc before 2.38 */
#define sigev_notify_thread_id	_sigev_un._tid
#endif

#define RATE		99	/* samples for a second of CPU time */
#define RATE_MAX	10000
#define SECOND		UINT64_C(1000000000)
#define LOOK		(SECOND / 10)	/* ns of CPU time between two looks */
#define MS		(SECOND / 1000)
#define LATE		(2 * LOOK)	/* so much without a tick is told */
#define CHUNK		64	/* structs that are allocated at once */

UT_EVENT(cpu, sample, UT_DEBUG_FUNCTION, UT_PTR(pc), UT_U64(time));

/* In no section: it is added when there is something to tell. */
#undef UT_SECTION
#define UT_SECTION	__attribute__((unused))
UT_EVENT(cpu, unsampled, UT_DEBUG_FUNCTION, UT_STR(why), UT_I32(thread),
    UT_U64(time));

static struct ut_module module = {
	UT_VERSION, (uint32_t)sizeof(struct ut_event), &ut__cpu__unsampled,
	&ut__cpu__unsampled + 1, NULL, 0
};

/* A thread, and its timer. */
struct sampled {
#define FREE	0
#define TAKEN	1
#define TIMED	2		/* has a timer */
	_Atomic int	 state;
	bool		 fast;	/* the timer takes samples */
	timer_t		 timer;
	pid_t		 thread;
	_Atomic uint32_t ticked;	/* ms of its CPU time: the last tick */
	struct sampled	*next;	/* all that there are */
	void		*(*start)(void *);
	int		 (*start_c11)(void *);
	void		*arg;
};

#define SAMPLING	1
#define ENDING		2
#define ENDED		3
static _Atomic int state;	/* 0: before, or never */
static pid_t process;		/* The process that samples */
static uint64_t period;		/* ns between two samples */
static pthread_key_t key;	/* the end of a thread */
static _Atomic(struct sampled *) all;
static PER_THREAD struct sampled *self;

static struct {
	int	(*pthread_create)(pthread_t *, const pthread_attr_t *,
		    void *(*)(void *), void *);
	int	(*thrd_create)(void *, int (*)(void *), void *);
} next;

/* A child of vfork(2) has signals of its own, and its parent's memory. */
bool
cpu_sampling(void)
{
	return state == SAMPLING && getpid() == process;
}

/* The thread, and the CPU time in ns; 0: of all, or not known. */
static void
unsampled(const char *why, pid_t thread, uint64_t time)
{
	if (!module.added)
		ut_module_add(&module);
	UT(cpu, unsampled, why, (int32_t)thread, time);
}

/* The CPU time of a thread by its clock, in ms. */
static uint32_t
used(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts) == -1)
		return 0;
	return (uint32_t)((uint64_t)ts.tv_sec * (SECOND / MS) +
	    (uint64_t)ts.tv_nsec / MS);
}

/* More of them, the first one taken; or NULL. */
static struct sampled *
more(void)
{
	struct sampled *s;
	size_t i;

	s = mmap(NULL, CHUNK * sizeof(*s), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return NULL;
	s[0].state = TAKEN;
	for (i = 0; i + 1 < CHUNK; i++)
		s[i].next = &s[i + 1];
	s[i].next = all;
	while (!atomic_compare_exchange_weak(&all, &s[i].next, s))
		continue;
	return s;
}

static struct sampled *
take(void)
{
	struct sampled *s;
	int unused;

	for (s = all; s != NULL; s = s->next) {
		unused = FREE;
		if (s->state == FREE && atomic_compare_exchange_strong(
		    &s->state, &unused, TAKEN))
			return s;
	}
	return more();
}

static struct timespec
in_timespec(uint64_t ns)
{
	const struct timespec ts = { .tv_sec = (time_t)(ns / SECOND),
	    .tv_nsec = (long)(ns % SECOND) };

	return ts;
}

/*
 * Begin at random within the first interval: not in step with the program.  A
 * timer that was deleted meanwhile is not there.
 */
static void
timer_start(struct sampled *s)
{
	const uint64_t interval = (s->fast = UT_ON(cpu, sample)) ? period :
	    LOOK;
	struct itimerspec it = { .it_interval = in_timespec(interval) };
	struct timespec now;
	uint64_t x;

	clock_gettime(CLOCK_MONOTONIC, &now);
	x = ((uint64_t)now.tv_nsec ^ (uintptr_t)s) *
	    UINT64_C(0x9e3779b97f4a7c15);
	it.it_value = in_timespec(1 + (x >> 32) % interval);
	(void)timer_settime(s->timer, 0, &it, NULL);
}

static void
timer_end(struct sampled *s)
{
	int timed = TIMED;

	if (atomic_compare_exchange_strong(&s->state, &timed, TAKEN))
		timer_delete(s->timer);
}

/*
 * A thread that ends all timers says so first, and then deletes those that it
 * sees; this one makes its timer first, and then looks.
 */
static void
timer_make(struct sampled *s)
{
	struct sigevent ev;

	memset(&ev, 0, sizeof(ev));
	ev.sigev_notify = SIGEV_THREAD_ID;
	ev.sigev_signo = SIGPROF;
	ev.sigev_value.sival_ptr = &all;
	ev.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	s->thread = ev.sigev_notify_thread_id;
	s->ticked = used(CLOCK_THREAD_CPUTIME_ID);
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &ev, &s->timer) == -1) {
		unsampled("too many threads: no timer for one (ulimit -i)",
		    s->thread, 0);
		return;
	}
	s->state = TIMED;
	if (cpu_sampling())
		timer_start(s);
	else
		timer_end(s);
}

static bool
timer_sent(const siginfo_t *info)
{
	return info->si_value.sival_ptr == &all;
}

/* Where the signal came, if this processor's context is known; or NULL. */
static const void *
interrupted(const void *context)
{
	const ucontext_t *u = context;

#if defined(__x86_64__)
	return (const void *)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__i386__)
	return (const void *)u->uc_mcontext.gregs[REG_EIP];
#elif defined(__aarch64__)
	return (const void *)(uintptr_t)u->uc_mcontext.pc;
#elif defined(__arm__)
	return (const void *)u->uc_mcontext.arm_pc;
#elif defined(__riscv)
	return (const void *)u->uc_mcontext.__gregs[REG_PC];
#elif defined(__s390x__)
	return (const void *)u->uc_mcontext.psw.addr;
#else
	(void)u;
	return NULL;
#endif
}

/*
 * A sample stands for all times that the timer has expired.  The module is
 * asked for only where that takes no lock of the run-time linker, which this
 * thread may have.
 */
static void
sample(const siginfo_t *info, const void *context)
{
	const void *const pc = interrupted(context);

#ifdef DLFO_STRUCT_HAS_EH_DBASE		/* see ut_code */
	ut_code(pc);
#endif
	ut_code_context(context);
	UT(cpu, sample, pc, period * ((uint64_t)info->si_overrun + 1));
	ut_code_context(NULL);
}

/* Another signal does what it would do without us: it ends the process. */
static void
tick(int sig, siginfo_t *info, void *context)
{
	const struct sigaction none = { .sa_handler = SIG_DFL };
	const int saved = errno;

	if (!timer_sent(info)) {
		cpu_sigaction(&none, NULL);
		raise(sig);
	} else if (self != NULL) {	/* the thread does not end */
		self->ticked = used(CLOCK_THREAD_CPUTIME_ID);
		if (self->fast != UT_ON(cpu, sample))
			timer_start(self);
		else if (self->fast)
			sample(info, context);
	}
	errno = saved;
}

/*
 * Discard what timers have sent, which no timer does any more.  To ignore a
 * signal discards it in all threads; one of the program's is sent again.
 */
static void
discard(void)
{
	static const struct timespec now;
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	siginfo_t info, theirs;
	bool any = false;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPROF);
	while (cpu_sigtimedwait(&set, &info, &now) == SIGPROF)
		if (!timer_sent(&info)) {
			theirs = info;
			any = true;
		}
	cpu_sigaction(&ignore, NULL);
	cpu_sigaction(&cpu_action, NULL);
	if (any)
		syscall(SYS_rt_sigqueueinfo, getpid(), SIGPROF, &theirs);
}

static void
await_end(void)
{
	while (state == ENDING)
		sched_yield();
}

/* A second thread waits until the first one has done it. */
void
cpu_give_up(void)
{
	const int saved = errno;
	int sampling = SAMPLING;
	struct sampled *s;
	sigset_t signals;

	if (getpid() != process)
		return;
	wrap_block(&signals);
	if (atomic_compare_exchange_strong(&state, &sampling, ENDING)) {
		for (s = all; s != NULL; s = s->next)
			timer_end(s);
		discard();
		state = ENDED;
		unsampled("the program uses SIGPROF", 0, 0);
	}
	await_end();
	wrap_unblock(&signals);
	errno = saved;
}

/* Only this thread is left, and has no timer. */
static void
forked(void)
{
	struct sampled *s;

	process = getpid();
	for (s = all; s != NULL; s = s->next)
		s->state = s == self ? TAKEN : FREE;
	if (state == SAMPLING && self != NULL)
		timer_make(self);
}

/* The system looks at the timers now and then, on a busy machine seldom. */
static void
say_rest(void)
{
	const uint64_t ns = self == NULL ? 0 :
	    MS * (used(CLOCK_THREAD_CPUTIME_ID) - self->ticked);
	const char *why;
	sigset_t set;

	if (sigpending(&set) == 0 && sigismember(&set, SIGPROF) == 1)
		why = "a thread has SIGPROF blocked at its end";
	else if (cpu_sampling() && ns > LATE)
		why = "the ticks for a thread's last time did not come";
	else
		return;
	unsampled(why, (pid_t)syscall(SYS_gettid), ns);
}

/*
 * Other threads that still run when the process ends.  In Linux, the clock of a
 * thread has its ID inverted above three bits, which say what it measures.
 */
static void
say_living(void)
{
	struct sampled *s;
	uint32_t ms;

	for (s = all; s != NULL; s = s->next) {
		if (s == self || s->state != TIMED)
			continue;
		ms = used((clockid_t)(~(unsigned int)s->thread << 3 | 6));
		if (ms > s->ticked && MS * (ms - s->ticked) > LATE)
			unsampled("a thread has SIGPROF blocked at the "
			    "program's end", s->thread, MS * (ms - s->ticked));
	}
}

static void
thread_end(void *arg)
{
	struct sampled *s = arg;

	say_rest();
	self = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	timer_end(s);
	s->state = FREE;
}

static void
thread_begin(struct sampled *s)
{
	const int saved = errno;

	self = s;
	if (pthread_setspecific(key, s) == 0)
		timer_make(s);
	errno = saved;
}

static void
find(void *function, const char *name)
{
	void *symbol = wrap_next(name);

	memcpy(function, &symbol, sizeof(symbol));
}

/*
 * With other libraries' constructors, or before: then libut is told of our
 * event now.  UT_DISABLE keeps it from being added.
 */
static void __attribute__((constructor(65001)))
begin(void)
{
	static bool begun;
	struct sigaction sa = { .sa_sigaction = tick,
	    .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK };
	struct sampled *s;
	uint64_t rate;

	if (begun)
		return;
	begun = true;
	ut_this_module_add();
	if (!ut_this_module.added)
		return;
	if (cpu_sigaction(NULL, &cpu_action) == -1 ||
	    cpu_action.sa_handler != SIG_DFL) {
		unsampled("SIGPROF was ignored or handled at the start", 0, 0);
		return;
	}
	process = getpid();
	rate = wrap_number("UT_CPU_RATE", RATE_MAX);
	period = SECOND / (rate != 0 ? rate : RATE);
	sigfillset(&sa.sa_mask);
	(void)pthread_key_create(&key, thread_end);
	(void)pthread_atfork(await_end, NULL, forked);
	cpu_sigaction(&sa, NULL);
	state = SAMPLING;
	if ((s = take()) != NULL)
		thread_begin(s);
}

/* Not all calls that set a signal are seen: syscall(2) is not. */
static void __attribute__((destructor))
end(void)
{
	struct sigaction now;

	if (!cpu_sampling())
		return;
	say_rest();
	say_living();
	if (cpu_sigaction(NULL, &now) == 0 && now.sa_sigaction != tick)
		unsampled("something else has taken SIGPROF", 0, 0);
}

/* Does libut itself start a thread, perhaps with a lock that begin wants? */
static bool
of_libut(const void *caller)
{
	static struct wrap_range libut;
	const void *const inside[] = { wrap_next("ut_begin") };

	if (libut.size == 0)
		wrap_ranges(&libut, inside, 1);
	return wrap_within(&libut, 1, caller);
}

/* The argument of the new thread, or NULL: it is not sampled. */
static struct sampled *
prepare(void *(*f)(void *), int (*f11)(void *), void *arg, const void *caller)
{
	struct sampled *s;

	if (next.pthread_create == NULL) {
		find(&next.thrd_create, "thrd_create");
		find(&next.pthread_create, "pthread_create");
	}
	if (of_libut(caller))
		return NULL;
	begin();
	if (!cpu_sampling() || (s = take()) == NULL)
		return NULL;
	s->start = f;
	s->start_c11 = f11;
	s->arg = arg;
	return s;
}

/* The last call leaves no frame of ours. */
static void *
run(void *arg)
{
	struct sampled *s = arg;

	thread_begin(s);
	return s->start(s->arg);
}

static int
run_c11(void *arg)
{
	struct sampled *s = arg;

	thread_begin(s);
	return s->start_c11(s->arg);
}

#pragma GCC visibility push(default)

int
pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr,
    void *(*f)(void *), void *restrict arg)
{
	struct sampled *s = prepare(f, NULL, arg, UT_CALLER());
	int error;

	if (s == NULL)
		return next.pthread_create(thread, attr, f, arg);
	if ((error = next.pthread_create(thread, attr, run, s)) != 0)
		s->state = FREE;
	return error;
}

#ifndef __STDC_NO_THREADS__
int
thrd_create(thrd_t *thread, thrd_start_t f, void *arg)
{
	struct sampled *s = prepare(NULL, f, arg, UT_CALLER());
	int error;

	if (s == NULL)
		return next.thrd_create(thread, f, arg);
	if ((error = next.thrd_create(thread, run_c11, s)) != thrd_success)
		s->state = FREE;
	return error;
}
#endif

#pragma GCC visibility pop
