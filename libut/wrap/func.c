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
 * libut-func.o, to be linked into the program, and libut-func.so, to be named
 * in LD_PRELOAD: events of every function that was compiled with
 * -finstrument-functions.  Entry comes before the function's first statement
 * and exit after its last, but longjmp(3) and exit(3) leave functions without
 * one.
 *
 * A program that is linked without libut-func.o has empty hooks from the C
 * library, if that has any: glibc does.  Those of libut-func.so take their
 * place if the program is linked dynamically.
 *
 * The hooks, and what they call here, are never themselves instrumented:
 * not even if this file, like the rest of the program, is compiled with that
 * option.
 */

#include <sys/mman.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "choose.h"

/* Before ut.h defines it. */
static inline unsigned char *ut_put(unsigned char *, const void *, size_t)
    NOT_TRACED;

#include "ut.h"
#include "ut_code.h"

#define CALLS	4096		/* open calls of a thread that are known */
#define FRAME	1024		/* words of it that are looked at */
#define ALLOCA	(1 << 20)	/* bytes that a function adds to its frame */

/* The stack of an event begins where the function was called. */
#undef UT_FROM
#define UT_FROM()	((void *)(uintptr_t)call_site)

static void	ut_record_ut__func__entry(struct ut_event *,
		    const volatile void *, const volatile void *) NOT_TRACED;
static void	ut_record_ut__func__exit(struct ut_event *,
		    const volatile void *, const volatile void *) NOT_TRACED;
static void	ut_record_ut__func__call(struct ut_event *,
		    const volatile void *, const volatile void *, uint64_t,
		    uint64_t, uint8_t) NOT_TRACED;
static void	ut_record_ut__func__chosen(struct ut_event *, const char *,
		    uint32_t, const char *) NOT_TRACED;
static void	ut_record_ut__func__unnamed(struct ut_event *, const char *,
		    const char *) NOT_TRACED;

UT_EVENT(func, entry, UT_DEBUG_FUNCTION, UT_PTR(addr), UT_PTR(call_site));
/*
 * A call that took long enough, at its end: ns, those without recorded calls
 * within, and whether the function was called within a call of itself.
 */
UT_EVENT(func, call, UT_DEBUG_FUNCTION, UT_PTR(addr), UT_PTR(call_site),
    UT_U64(took), UT_U64(self), UT_U8(nested));
/* The stack is that of the entry. */
#undef UT_STACKS
#define UT_STACKS	UT_STACKLESS
UT_EVENT(func, exit, UT_DEBUG_FUNCTION, UT_PTR(addr), UT_PTR(call_site));
#undef UT_FROM
#define UT_FROM()	NULL
/* In no section: each is added when it has something to tell. */
#undef UT_SECTION
#define UT_SECTION	__attribute__((unused))
UT_EVENT(func, chosen, UT_DEBUG_FUNCTION, UT_STR(glob), UT_U32(functions),
    UT_STR(module));
UT_EVENT(func, unnamed, UT_DEBUG_FUNCTION, UT_STR(module), UT_STR(why));

static struct ut_module modules[] = {
	{ UT_VERSION, (uint32_t)sizeof(struct ut_event), &ut__func__chosen,
	    &ut__func__chosen + 1, NULL, 0 },
	{ UT_VERSION, (uint32_t)sizeof(struct ut_event), &ut__func__unnamed,
	    &ut__func__unnamed + 1, NULL, 0 }
};

/* A call that has not returned, and where its stack was. */
struct call {
	const void	*addr, *call_site;
	const void	*hook;		/* where the entry's hook returns */
	uintptr_t	 sp;
	uintptr_t	 slot;		/* where the return address is */
	uint64_t	 began;		/* ns */
	uint64_t	 inner;		/* ns of recorded calls within */
	uint32_t	 level;		/* 0: not within a chosen one */
};

/* A thread's open calls, the innermost last. */
struct thread {
	struct thread	*next;		/* all that there ever were */
	_Atomic int	 taken;
	size_t		 n;
	size_t		 under;		/* calls below those in alt */
	uintptr_t	 alt, altsize;	/* the signal stack; 0: not there */
	struct call	 calls[CALLS];
};

void	__cyg_profile_func_enter(void *, void *) NOT_TRACED;
void	__cyg_profile_func_exit(void *, void *) NOT_TRACED;
static uint64_t	 number(const char *) NOT_TRACED;
static void	 begin(void) NOT_TRACED __attribute__((constructor(65001)));
static void	 event_add(struct ut_module *) NOT_TRACED;
static void	 tell(const struct ut_func_found *) NOT_TRACED;
static void	 thread_end(void *) NOT_TRACED;
static struct thread *thread_get(void) NOT_TRACED;
static bool	 on_signal_stack(struct thread *, uintptr_t) NOT_TRACED;
static uintptr_t slot_of(const void *, uintptr_t) NOT_TRACED
		    __attribute__((no_sanitize_address));
static void	 settle(struct thread *, uintptr_t) NOT_TRACED;
static uint64_t	 now(void) NOT_TRACED;
static bool	 is_recorded(const struct call *) NOT_TRACED;
static void	 add(struct thread *, const struct call *) NOT_TRACED;
static void	 drop_left(struct thread *, const struct call *) NOT_TRACED;
static void	 push(const void *, const void *, uintptr_t, const void *)
		    NOT_TRACED;
static struct call *drop(struct thread *) NOT_TRACED;
static void	 took(const struct call *, uint64_t) NOT_TRACED;
static bool	 pop(const void *, const void *, uintptr_t, bool,
		    struct call *) NOT_TRACED;
static inline void unheard(void) NOT_TRACED;
static void	 enter(const void *, const void *, uintptr_t, const void *)
		    NOT_TRACED __attribute__((noinline));
static void	 leave(const void *, const void *, uintptr_t, bool) NOT_TRACED
		    __attribute__((noinline));

/* Set once: the hooks look at it first. */
#define ALL	0		/* all functions are recorded */
#define NAMED	1		/* functions that are chosen by name */
#define NESTED	2		/* by depth or duration, and perhaps name */
#define UNKNOWN	3
static int choice = UNKNOWN;
static uint64_t depth, least;	/* 0: any */
static pid_t process;		/* the one that began */
static pthread_key_t key;
static _Atomic(struct thread *) threads;
static _Thread_local struct thread *self
    __attribute__((tls_model("initial-exec")));
/* wrap.c has it, where that is linked. */
extern void (*wrap_closed)(void) __attribute__((weak));

/* Whatever else the variable has is no number. */
static uint64_t
number(const char *name)
{
	const char *s = getenv(name);
	uint64_t n = 0;

	for (; s != NULL && *s >= '0' && *s <= '9' && n < UINT32_MAX *
	    UINT64_C(1000000); s++)
		n = 10 * n + (uint64_t)(*s - '0');
	return s == NULL || *s != '\0' ? 0 : n;
}

static void
begin(void)
{
	const char *names = getenv("UT_FUNC_NAMES");

	if (choice != UNKNOWN)
		return;
	process = getpid();
	if (names != NULL && (*names == '\0' || !ut_func_choose(names)))
		ut_func_nglobs = 0;
	depth = number("UT_FUNC_DEPTH");
	least = number("UT_FUNC_LEAST");
	if ((depth != 0 || least != 0) &&
	    pthread_key_create(&key, thread_end) != 0)
		depth = least = 0;
	if (least != 0 && ut_func_nglobs != 0 && depth == 0)
		depth = 1;
	if (&wrap_closed != NULL)
		wrap_closed = ut_func_unloaded;
	choice = depth != 0 || least != 0 ? NESTED :
	    ut_func_nglobs != 0 ? NAMED : ALL;
}

/*
 * Add an event that has something to tell.  A child of fork(2) does not: the
 * run-time linker's lock may be that of a thread which is not there.
 */
static void
event_add(struct ut_module *m)
{
	if (!m->added && getpid() == process)
		ut_module_add(m);
}

/* Say how many functions of a module each glob has chosen. */
static void
tell(const struct ut_func_found *f)
{
	size_t i;

	if (f->why != NULL) {
		event_add(&modules[1]);
		UT(func, unnamed, f->path, f->why);
	}
	for (i = 0; i < ut_func_nglobs; i++)
		if (f->counts[i] > 0) {
			event_add(&modules[0]);
			UT(func, chosen, ut_func_globs[i], f->counts[i],
			    f->path);
		}
}

/*
 * Open calls.
 */

static void
thread_end(void *arg)
{
	struct thread *t = arg;

	self = NULL;
	t->taken = 0;
}

/* Get this thread's, or NULL.  Those of threads that ended are used again. */
static struct thread *
thread_get(void)
{
	struct thread *t;
	int unused;

	if (self != NULL)
		return self;
	for (t = threads; t != NULL; t = t->next) {
		unused = 0;
		if (atomic_compare_exchange_strong(&t->taken, &unused, 1))
			break;
	}
	if (t == NULL) {
		t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (t == MAP_FAILED)
			return NULL;
		t->taken = 1;
		t->next = threads;
		while (!atomic_compare_exchange_weak(&threads, &t->next, t))
			continue;
	}
	t->n = t->under = 0;
	t->altsize = 0;
	(void)pthread_setspecific(key, t);
	return self = t;
}

/* The stack goes up: has a signal's handler a stack of its own? */
static bool
on_signal_stack(struct thread *t, uintptr_t sp)
{
	stack_t ss;

	if (t->altsize != 0 || sigaltstack(NULL, &ss) == -1 ||
	    (ss.ss_flags & SS_ONSTACK) == 0 ||
	    sp - (uintptr_t)ss.ss_sp > ss.ss_size)
		return false;
	t->alt = (uintptr_t)ss.ss_sp;
	t->altsize = ss.ss_size + 1;
	t->under = t->n;
	return true;
}

/* Drop the innermost call; what was recorded within is within the next. */
static struct call *
drop(struct thread *t)
{
	struct call *c = &t->calls[--t->n];

	if (t->n > 0)
		c[-1].inner += c->inner;
	return c;
}

/* Forget calls that were left without an exit: they lay below. */
static void
settle(struct thread *t, uintptr_t sp)
{
	if (t->altsize != 0 && sp - t->alt >= t->altsize) {
		while (t->n > t->under)
			(void)drop(t);
		t->altsize = t->under = 0;
	}
	if (t->n == t->under || t->calls[t->n - 1].sp >= sp ||
	    on_signal_stack(t, sp))
		return;
	while (t->n > t->under && t->calls[t->n - 1].sp < sp)
		(void)drop(t);
}

/* Where the function has its return address: on these, above its frame. */
static uintptr_t
slot_of(const void *call_site, uintptr_t sp)
{
#if defined(__x86_64__) || defined(__i386__)
	const uintptr_t *p = (const uintptr_t *)sp;
	size_t i;

	for (i = 0; i < FRAME; i++)
		if (p[i] == (uintptr_t)call_site)
			return (uintptr_t)&p[i];
#else
	(void)call_site;
#endif
	return sp;
}

static uint64_t
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static bool
is_recorded(const struct call *c)
{
	return c->level > 0 && (depth == 0 || c->level <= depth);
}

/* A signal's handler may use the place up to when it is counted. */
static void
add(struct thread *t, const struct call *call)
{
	struct call *c = &t->calls[t->n];

	*c = *call;
	atomic_signal_fence(memory_order_seq_cst);
	t->n++;
	atomic_signal_fence(memory_order_seq_cst);
	*c = *call;
}

/*
 * Drop calls that longjmp(3) has left, and whose stack the new one has.  A call
 * that is inlined has the return address of what it is in, which may be the
 * same function; but no place in a function is there twice before it has
 * returned.
 */
static void
drop_left(struct thread *t, const struct call *call)
{
	const struct call *c;
	size_t i;

	while (t->n > t->under && (c = &t->calls[t->n - 1])->slot <=
	    call->slot && (c->slot < call->slot || c->call_site !=
	    call->call_site || c->sp != call->sp))
		(void)drop(t);
	for (i = t->n; i > t->under; i--) {
		c = &t->calls[i - 1];
		if (c->slot != call->slot || c->sp != call->sp)
			break;
		if (c->addr != call->addr || c->hook != call->hook)
			continue;
		while (t->n >= i)
			(void)drop(t);
		break;
	}
}

static void
push(const void *addr, const void *call_site, uintptr_t sp, const void *hook)
{
	struct call call = { .addr = addr, .call_site = call_site,
	    .hook = hook, .sp = sp, .slot = slot_of(call_site, sp) };
	struct thread *t = thread_get();
	const struct call *around;

	if (t == NULL)
		return;
	settle(t, sp);
	drop_left(t, &call);
	if (t->n == CALLS)
		return;
	around = t->n == 0 ? NULL : &t->calls[t->n - 1];
	if (ut_func_nglobs > 0 && ut_func_chosen(addr, tell))
		call.level = 1;
	else if (around == NULL)
		call.level = ut_func_nglobs == 0;
	else
		call.level = around->level + (around->level > 0);
	if (least != 0 && is_recorded(&call))
		call.began = now();
	add(t, &call);
	if (least == 0 && is_recorded(&call)) {
		ut_code(addr);
		UT(func, entry, addr, call_site);
	}
}

/*
 * Get the call that returns, or false.  The exit's hook may be called as the
 * function's last act, when its frame is gone: then the outermost call below is
 * the one; else what lies below was left.  With no room for more calls, it may
 * be one of those that are not known, further down.
 */
static bool
pop(const void *addr, const void *call_site, uintptr_t sp, bool last,
    struct call *call)
{
	struct thread *t = thread_get();
	struct call *c;

	if (t == NULL)
		return false;
	if (!last)
		settle(t, sp);
	else
		while (t->n > t->under + 1 && t->calls[t->n - 2].sp < sp)
			(void)drop(t);
	if (t->n == t->under)
		return false;
	c = &t->calls[t->n - 1];
	if (c->addr == addr && (last ? c->sp < sp : c->sp - sp < ALLOCA) &&
	    (last || t->n < CALLS || c->slot == slot_of(call_site, sp))) {
		*call = *c;
		atomic_signal_fence(memory_order_seq_cst);
		if (--t->n == t->under)
			t->altsize = t->under = 0;
		return true;
	}
	ut_missed(least != 0 ? &ut__func__call : &ut__func__exit, 1);
	return false;
}

static void
enter(const void *addr, const void *call_site, uintptr_t sp, const void *hook)
{
	const int saved = errno;

	if (choice == UNKNOWN)
		begin();	/* before the constructor */
	if (choice == NESTED)
		push(addr, call_site, sp, hook);
	else if (choice == ALL || ut_func_chosen(addr, tell)) {
		ut_code(addr);
		UT(func, entry, addr, call_site);
	}
	errno = saved;
}

/* Record a call that took so many ns, unless that is too short. */
static void
took(const struct call *c, uint64_t ns)
{
	struct call *outer = &self->calls[self->n];
	bool nested = false;

	if (self->n > 0)
		outer[-1].inner += ns >= least ? ns : c->inner;
	if (ns < least)
		return;
	while (!nested && outer > self->calls)
		nested = (--outer)->addr == c->addr && is_recorded(outer);
	ut_code(c->addr);
	UT(func, call, c->addr, c->call_site, ns, ns - c->inner, nested);
}

static void
leave(const void *addr, const void *call_site, uintptr_t sp, bool last)
{
	const int saved = errno;
	struct call c;
	const bool known = choice == NESTED &&
	    pop(addr, call_site, sp, last, &c);

	if (known && least != 0)
		took(&c, is_recorded(&c) ? now() - c.began : 0);
	else if (known ? is_recorded(&c) : choice != NESTED) {
		ut_code(addr);
		UT(func, exit, addr, call_site);
	}
	errno = saved;
}

/*
 * Nobody listens to this hook's events.  If nobody listens at all, calls may
 * return unseen: those that are open now are forgotten.
 */
static inline void
unheard(void)
{
	if (choice == NESTED && self != NULL && !UT_ON(func, entry) &&
	    !UT_ON(func, exit) && !UT_ON(func, call))
		self->n = self->under = self->altsize = 0;
}

#pragma GCC visibility push(default)

void
__cyg_profile_func_enter(void *addr, void *call_site)
{
	if (!UT_ON(func, entry) && !(choice == NESTED && UT_ON(func, call)))
		unheard();
	else if (choice != NAMED || ut_func_chosen(addr, tell))
		enter(addr, call_site, (uintptr_t)__builtin_dwarf_cfa(),
		    __builtin_return_address(0));
}

void
__cyg_profile_func_exit(void *addr, void *call_site)
{
	if (!UT_ON(func, exit) && !(choice == NESTED && UT_ON(func, call)))
		unheard();
	else if (choice != NAMED || ut_func_chosen(addr, tell))
		leave(addr, call_site, (uintptr_t)__builtin_dwarf_cfa(),
		    __builtin_return_address(0) == call_site);
}

#pragma GCC visibility pop
