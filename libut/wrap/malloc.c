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
 * libut-malloc.so: events of the allocator of an unmodified program.
 *
 *	LD_PRELOAD=libut-malloc.so program
 *
 * Every call is passed on to the next library that has the function, and
 * recorded: free before it happens, because the address may be another
 * thread's right after it, all others when they return.  A call is recorded
 * as the program makes it, free(NULL) and realloc(NULL, n) included.  What
 * the allocator and libut call for themselves is not.  A realloc is one event,
 * so another thread's malloc may be seen to return the old address just before
 * it.
 *
 * Of a program that has an allocator linked into itself only that is recorded,
 * since its own symbols come before ours: see unseen.c.  One that is preloaded
 * comes after us in LD_PRELOAD.
 *
 * Where thread-local storage is emulated it is allocated, by malloc: OpenBSD
 * needs -fno-emulated-tls for this file.
 */

#if defined(__linux__)
#include <sys/auxv.h>
#endif

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "early.h"
#include "new.h"
#include "ut.h"
#include "wrap.h"

/*
 * The events of calls are in a section of their own, as those of samples are:
 * a program has either, and tells utd of them once.
 */
#undef UT_SECTION
#define UT_SECTION	__attribute__((section("ut_calls"), unused))
extern struct ut_event __start_ut_calls[] __attribute__((visibility("hidden")));
extern struct ut_event __stop_ut_calls[] __attribute__((visibility("hidden")));

static struct ut_module calls = {
	UT_VERSION, (uint32_t)sizeof(struct ut_event), __start_ut_calls,
	__stop_ut_calls, NULL, 0
};

/* An event tells where the program has called, as its field does. */
#undef UT_FROM
#define UT_FROM()	((void *)(uintptr_t)caller)

UT_EVENT(libc, malloc, UT_DEBUG_FUNCTION, UT_SIZE(size), UT_PTR(ptr),
    UT_PTR(caller));
UT_EVENT(libc, calloc, UT_DEBUG_FUNCTION, UT_SIZE(count), UT_SIZE(size),
    UT_PTR(ptr), UT_PTR(caller));
UT_EVENT(libc, realloc, UT_DEBUG_FUNCTION, UT_PTR(old), UT_SIZE(size),
    UT_PTR(ptr), UT_PTR(caller));
UT_EVENT(libc, reallocarray, UT_DEBUG_FUNCTION, UT_PTR(old), UT_SIZE(count),
    UT_SIZE(size), UT_PTR(ptr), UT_PTR(caller));
UT_EVENT(libc, posix_memalign, UT_DEBUG_FUNCTION, UT_SIZE(alignment),
    UT_SIZE(size), UT_PTR(ptr), UT_INT(result), UT_PTR(caller));
UT_EVENT(libc, aligned_alloc, UT_DEBUG_FUNCTION, UT_SIZE(alignment),
    UT_SIZE(size), UT_PTR(ptr), UT_PTR(caller));
#ifdef __linux__
UT_EVENT(libc, memalign, UT_DEBUG_FUNCTION, UT_SIZE(alignment),
    UT_SIZE(size), UT_PTR(ptr), UT_PTR(caller));
#endif
#ifndef __OpenBSD__
UT_EVENT(libc, valloc, UT_DEBUG_FUNCTION, UT_SIZE(size), UT_PTR(ptr),
    UT_PTR(caller));
#endif
#ifdef __GLIBC__
UT_EVENT(libc, pvalloc, UT_DEBUG_FUNCTION, UT_SIZE(size), UT_PTR(ptr),
    UT_PTR(caller));
#endif

/* A stack here would double the cost of a block; that of malloc tells more. */
#undef UT_STACKS
#define UT_STACKS	UT_STACKLESS
UT_EVENT(libc, free, UT_DEBUG_FUNCTION, UT_PTR(ptr), UT_PTR(caller));

/* The least that malloc(3) aligns to, and the most the arena can align to. */
#define ALIGN		16
#define PAGE		4096
#define ARENA		(16 * PAGE)

/* The functions behind ours. */
struct libc {
	void	*(*malloc)(size_t);
	void	*(*calloc)(size_t, size_t);
	void	*(*realloc)(void *, size_t);
	void	*(*reallocarray)(void *, size_t, size_t);
	void	 (*free)(void *);
	int	 (*posix_memalign)(void **, size_t, size_t);
	void	*(*aligned_alloc)(size_t, size_t);
	void	*(*memalign)(size_t, size_t);
	void	*(*valloc)(size_t);
	void	*(*pvalloc)(size_t);
};

/* The functions of C23, once they have been looked for. */
static void	any_free_sized(void *, size_t);
static void	any_free_aligned_sized(void *, size_t, size_t);

static struct {
	void	 (*free_sized)(void *, size_t);
	void	 (*free_aligned_sized)(void *, size_t, size_t);
} c23 = { any_free_sized, any_free_aligned_sized };


/* Set once, by whichever thread has looked all of them up first. */
static const struct libc *found;

PER_THREAD struct alloc_call alloc_call;
static PER_THREAD int finding;

/*
 * The modules whose calls within a call are their own: this one and libut, the
 * C library and the linker, and the allocator.
 */
#define THEIRS	8
#define WITHIN	32		/* calls of theirs within a call, at most */
static struct wrap_range theirs[THEIRS];

/*
 * The arena: dlsym(3) may allocate while it looks for the functions to
 * allocate with.  Each piece has its size in front; none is ever used again,
 * so all are zeros.
 */
static unsigned char arena[ARENA] __attribute__((aligned(PAGE)));
static size_t arena_used;

static bool
arena_has(const void *p)
{
	return (uintptr_t)p - (uintptr_t)arena < ARENA;
}

static void *
arena_alloc(size_t alignment, size_t size)
{
	size_t pos, used;

	if (alignment < ALIGN)
		alignment = ALIGN;
	used = __atomic_load_n(&arena_used, __ATOMIC_RELAXED);
	do {
		pos = used + sizeof(size) + alignment - 1;
		pos -= pos % alignment;
		if (alignment > PAGE || pos > ARENA || size > ARENA - pos) {
			errno = ENOMEM;
			return NULL;
		}
	} while (!__atomic_compare_exchange_n(&arena_used, &used, pos + size,
	    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	memcpy(arena + pos - sizeof(size), &size, sizeof(size));
	return arena + pos;
}

/* A piece moves out of the arena, or within it, as to->malloc decides. */
static void *
arena_move(const struct libc *to, const void *old, size_t size)
{
	size_t have;
	void *p;

	if ((p = to->malloc(size)) == NULL)
		return NULL;
	memcpy(&have, (const unsigned char *)old - sizeof(have), sizeof(have));
	memcpy(p, old, have < size ? have : size);
	return p;
}

static bool
too_many(size_t count, size_t size)
{
	if (size == 0 || count <= SIZE_MAX / size)
		return false;
	errno = ENOMEM;
	return true;
}

/*
 * The functions over the arena: until the system's are found, and for good
 * where the system lacks one.
 */
static void *
early_malloc(size_t size)
{
	return arena_alloc(ALIGN, size);
}

static void *
early_calloc(size_t count, size_t size)
{
	return too_many(count, size) ? NULL : arena_alloc(ALIGN, count * size);
}

/* Other pointers than NULL went to arena_move. */
static void *
early_realloc(void *old, size_t size)
{
	(void)old;
	return arena_alloc(ALIGN, size);
}

static void *
early_reallocarray(void *old, size_t count, size_t size)
{
	(void)old;
	return early_calloc(count, size);
}

static void
early_free(void *ptr)
{
	(void)ptr;
}

static int
early_posix_memalign(void **ptr, size_t alignment, size_t size)
{
	const int saved = errno;
	void *p;

	if (alignment % sizeof(void *) != 0 || alignment == 0 ||
	    (alignment & (alignment - 1)) != 0)
		return EINVAL;
	p = arena_alloc(alignment, size);
	errno = saved;
	if (p == NULL)
		return ENOMEM;
	*ptr = p;
	return 0;
}

static void *
early_aligned_alloc(size_t alignment, size_t size)
{
	return arena_alloc(alignment, size);
}

static void *
early_valloc(size_t size)
{
	return arena_alloc(PAGE, size);
}

static const struct libc early = {
	early_malloc, early_calloc, early_realloc, early_reallocarray,
	early_free, early_posix_memalign, early_aligned_alloc,
	early_aligned_alloc, early_valloc, early_valloc
};

static void
find_one(void *function, const char *name)
{
	void *symbol;

	if ((symbol = wrap_next(name)) != NULL)
		memcpy(function, &symbol, sizeof(symbol));
}

/* An address in the run-time linker. */
static const void *
linker(void)
{
#if defined(__linux__)
	return (const void *)getauxval(AT_BASE);
#else
	return wrap_next("dlsym");
#endif
}

/* Several threads may do so at once: they find the same. */
static void
find_theirs(const struct libc *c)
{
	const void *inside[THEIRS] = { &early, wrap_next("ut_begin"),
	    wrap_next("abort"), linker() };

	memcpy(&inside[4], &c->malloc, sizeof(inside[4]));
	memcpy(&inside[5], &c->free, sizeof(inside[5]));
	operator_modules(&inside[6]);
	wrap_ranges(theirs, inside, THEIRS);
}

/* Is the program's malloc ours, and not one that is linked into it? */
bool
alloc_ours(void)
{
	const void *symbol = wrap_first("malloc");

	return symbol != NULL && wrap_ours(symbol);
}

/*
 * Look all of them up.  Several threads may do so at once and need not wait
 * for each other: they find the same.  All should be there: a message that one
 * is not would take locks which whoever allocates may have.
 */
static const struct libc * __attribute__((noinline))
find(void)
{
	const int saved = errno;
	const struct libc *none = NULL;
	struct libc *c;
	sigset_t signals;

	if (finding || (c = arena_alloc(ALIGN, sizeof(*c))) == NULL)
		return &early;
	wrap_block(&signals);
	finding = 1;
	*c = early;
	find_one(&c->malloc, "malloc");
	find_one(&c->calloc, "calloc");
	find_one(&c->realloc, "realloc");
	find_one(&c->reallocarray, "reallocarray");
	find_one(&c->free, "free");
	find_one(&c->posix_memalign, "posix_memalign");
	find_one(&c->aligned_alloc, "aligned_alloc");
	find_one(&c->memalign, "memalign");
	find_one(&c->valloc, "valloc");
	find_one(&c->pvalloc, "pvalloc");
	find_theirs(c);
	finding = 0;
	wrap_unblock(&signals);
	errno = saved;
	if (__atomic_compare_exchange_n(&found, &none, c, false,
	    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return c;
	return none;
}

static inline const struct libc *
libc(void)
{
	const struct libc *c = __atomic_load_n(&found, __ATOMIC_ACQUIRE);

	return UT_LIKELY(c != NULL) ? c : find();
}

/* Stand in where the C library has no such function, as before C23. */
static void
any_free_sized(void *ptr, size_t size)
{
	(void)size;
	libc()->free(ptr);
}

static void
any_free_aligned_sized(void *ptr, size_t alignment, size_t size)
{
	(void)alignment, (void)size;
	libc()->free(ptr);
}

/*
 * Has the call that the thread seems to be in been left, by siglongjmp(3) or by
 * an exception?  The calls within it are further down on the stack, and called
 * by the modules above; so this one is the program's.  Or a handler makes it,
 * which the allocator calls when there is no memory; or a signal handler, which
 * must not.  The program may also have called the C library, further down: then
 * there are soon more calls than any call makes.
 */
bool __attribute__((noinline))
alloc_left(uintptr_t frame, const void *caller)
{
	if (__atomic_load_n(&found, __ATOMIC_ACQUIRE) == NULL)
		return false;
	if (frame >= alloc_call.frame || !wrap_within(theirs, THEIRS, caller))
		return true;
	return ++alloc_call.within > WITHIN &&
	    alloc_call.frame != UINTPTR_MAX;
}

void
alloc_modules(void)
{
	find_theirs(libc());
}

/* An event that nobody listens to is not recorded. */
static void
emit_call(const struct call *c)
{
	ut_code(c->caller);
	switch (c->function) {
	case NO_FUNCTION:
		break;
	case MALLOC:
		UT(libc, malloc, c->size, c->ptr, c->caller);
		break;
	case CALLOC:
		UT(libc, calloc, c->count, c->size, c->ptr, c->caller);
		break;
	case REALLOC:
		UT(libc, realloc, c->old, c->size, c->ptr, c->caller);
		break;
	case REALLOCARRAY:
		UT(libc, reallocarray, c->old, c->count, c->size, c->ptr,
		    c->caller);
		break;
	case FREE:
		UT(libc, free, c->ptr, c->caller);
		break;
	case POSIX_MEMALIGN:
		UT(libc, posix_memalign, c->count, c->size, c->ptr, c->result,
		    c->caller);
		break;
	case ALIGNED_ALLOC:
		UT(libc, aligned_alloc, c->count, c->size, c->ptr, c->caller);
		break;
	case MEMALIGN:
#ifdef __linux__
		UT(libc, memalign, c->count, c->size, c->ptr, c->caller);
#endif
		break;
	case VALLOC:
#ifndef __OpenBSD__
		UT(libc, valloc, c->size, c->ptr, c->caller);
#endif
		break;
	case PVALLOC:
#ifdef __GLIBC__
		UT(libc, pvalloc, c->size, c->ptr, c->caller);
#endif
		break;
	}
}

/* Count that many calls, which could not be kept, as lost. */
static void
miss(enum function f, size_t n)
{
	static const struct ut_event *const events[NFUNCTIONS] = {
		[MALLOC] = &ut__libc__malloc,
		[CALLOC] = &ut__libc__calloc,
		[REALLOC] = &ut__libc__realloc,
		[REALLOCARRAY] = &ut__libc__reallocarray,
		[FREE] = &ut__libc__free,
		[POSIX_MEMALIGN] = &ut__libc__posix_memalign,
		[ALIGNED_ALLOC] = &ut__libc__aligned_alloc,
#ifdef __linux__
		[MEMALIGN] = &ut__libc__memalign,
#endif
#ifndef __OpenBSD__
		[VALLOC] = &ut__libc__valloc,
#endif
#ifdef __GLIBC__
		[PVALLOC] = &ut__libc__pvalloc,
#endif
	};

	if (sample_every != 0)
		sample_missed(n);
	else if (events[f] != NULL)
		ut_missed(events[f], n);
}

static void
emit(const struct call *c)
{
	if (UT_UNLIKELY(sample_every != 0))
		sample_call(c);
	else
		emit_call(c);
}

/* A call that was kept: the block that it frees may be a sample by now. */
static void
emit_kept(const struct call *c)
{
	if (sample_every != 0 && (c->ptr != NULL || c->size == 0 ||
	    (c->function == REALLOCARRAY && c->count == 0)))
		sample_free(c->old, 0, c->caller);
	emit(c);
}

/* Record what the program called, now or later, and leave errno as it is. */
static void __attribute__((noinline))
record(struct call *c, const void *frame)
{
	const int saved = errno;

	c->caller = new_caller(c->caller, frame);
	if (c->caller != NULL && (early_over || !early_keep(c)))
		emit(c);
	errno = saved;
}

#define WANTED(event)	(UT_ON(libc, event) || UT_UNLIKELY(!early_over))
#define RECORD(wanted, ...)						\
	do {								\
		if (outer && (wanted))					\
			record(&(struct call){ __VA_ARGS__,	\
			    .caller = UT_CALLER() },			\
			    __builtin_frame_address(0));		\
	} while (0)
#define RECORD_ALLOC(event, bytes, ...)	\
	RECORD(WANTED(event) || alloc_due(bytes), __VA_ARGS__)
#define RECORD_FREE()	\
	RECORD(WANTED(free) || sample_has(ptr), FREE, .ptr = ptr)

void
alloc_operator(enum function f, size_t alignment, size_t size, const void *p,
    const void *caller)
{
	struct call c = { .function = f, .count = alignment, .size = size,
	    .ptr = p, .caller = caller };

	if (f == FREE ? WANTED(free) || sample_has(p) : (f == MALLOC ?
	    WANTED(malloc) : WANTED(aligned_alloc)) || alloc_due(size))
		record(&c, __builtin_frame_address(0));
}

/* Look for unseen calls; libut's own calls meanwhile are not the program's. */
static void
look_around(void)
{
	const uintptr_t inside = alloc_call.frame;
	const int saved = errno;
	sigset_t signals;

	wrap_block(&signals);
	alloc_call.frame = UINTPTR_MAX;
	unseen_look();
	alloc_call.frame = inside;
	wrap_unblock(&signals);
	errno = saved;
}

/*
 * The constructor of ut.h comes between these two, and what libut allocates
 * there is not the program's.  Functions are found before there are threads,
 * one of which may hold the linker's lock.  A function that may not be there is
 * not looked for if the program has its own free, which might get what dlsym(3)
 * allocates for its message.  The calls of new_learn have to look as if the
 * program made them.
 */
static void __attribute__((constructor(64999)))
begin(void)
{
	alloc_call.frame = UINTPTR_MAX;
	sample_begin();
	(void)libc();
	if (alloc_ours()) {
		find_one(&c23.free_sized, "free_sized");
		find_one(&c23.free_aligned_sized, "free_aligned_sized");
		operator_find();
		alloc_modules();
	}
	new_find();
	alloc_call.frame = 0;
	new_learn(libc()->free);
	alloc_call.frame = UINTPTR_MAX;
}

static void __attribute__((constructor(65001)))
end_early(void)
{
	ut_bind();
	ut_module_add(sample_every != 0 ? &sample_events : &calls);
	early_end(emit_kept, miss);
	unseen_begin();
	wrap_closing = look_around;
	alloc_call.frame = 0;
}

/* Other destructors, which may close libraries as well, run before or after. */
static void __attribute__((destructor))
end(void)
{
	look_around();
}

/* Not all headers declare these. */
void	free_aligned_sized(void *, size_t, size_t);
void	free_sized(void *, size_t);
void	*memalign(size_t, size_t);
void	*pvalloc(size_t);
void	*reallocarray(void *, size_t, size_t);
void	*valloc(size_t);

#pragma GCC visibility push(default)

void *
malloc(size_t size)
{
	const bool outer = ENTER();
	void *p;

	p = libc()->malloc(size);
	RECORD_ALLOC(malloc, size, MALLOC, .size = size, .ptr = p);
	alloc_leave(outer);
	return p;
}

void *
calloc(size_t count, size_t size)
{
	const bool outer = ENTER();
	void *p;

	p = libc()->calloc(count, size);
	RECORD_ALLOC(calloc, count * size, CALLOC, .count = count,
	    .size = size, .ptr = p);
	alloc_leave(outer);
	return p;
}

void *
realloc(void *old, size_t size)
{
	const bool outer = ENTER();
	const struct libc *c;
	uintptr_t mark;
	void *p;

	c = libc();
	mark = outer && sample_has(old) ? sample_mark(old) : 0;
	if (UT_UNLIKELY(arena_has(old)))
		p = arena_move(c, old, size);
	else
		p = c->realloc(old, size);
	if (UT_UNLIKELY(mark != 0) && (p != NULL || size == 0))
		sample_free(old, mark, UT_CALLER());
	RECORD_ALLOC(realloc, size, REALLOC, .old = old, .size = size,
	    .ptr = p);
	alloc_leave(outer);
	return p;
}

void *
reallocarray(void *old, size_t count, size_t size)
{
	const bool outer = ENTER();
	const struct libc *c;
	uintptr_t mark;
	void *p;

	c = libc();
	mark = outer && sample_has(old) ? sample_mark(old) : 0;
	if (UT_UNLIKELY(arena_has(old)))
		p = too_many(count, size) ? NULL :
		    arena_move(c, old, count * size);
	else
		p = c->reallocarray(old, count, size);
	if (UT_UNLIKELY(mark != 0) && (p != NULL || size == 0 || count == 0))
		sample_free(old, mark, UT_CALLER());
	RECORD_ALLOC(reallocarray, count * size, REALLOCARRAY, .old = old,
	    .count = count, .size = size, .ptr = p);
	alloc_leave(outer);
	return p;
}

void
free(void *ptr)
{
	const bool outer = ENTER();

	RECORD_FREE();
	if (UT_LIKELY(!arena_has(ptr)))
		libc()->free(ptr);
	alloc_leave(outer);
}

int
posix_memalign(void **ptr, size_t alignment, size_t size)
{
	const bool outer = ENTER();
	int result;

	result = libc()->posix_memalign(ptr, alignment, size);
	RECORD_ALLOC(posix_memalign, size, POSIX_MEMALIGN, .count = alignment,
	    .size = size, .ptr = result == 0 ? *ptr : NULL, .result = result);
	alloc_leave(outer);
	return result;
}

void *
aligned_alloc(size_t alignment, size_t size)
{
	const bool outer = ENTER();
	void *p;

	p = libc()->aligned_alloc(alignment, size);
	RECORD_ALLOC(aligned_alloc, size, ALIGNED_ALLOC, .count = alignment,
	    .size = size, .ptr = p);
	alloc_leave(outer);
	return p;
}

/* C23 has these two. */
void
free_sized(void *ptr, size_t size)
{
	const bool outer = ENTER();

	RECORD_FREE();
	if (UT_LIKELY(!arena_has(ptr)))
		c23.free_sized(ptr, size);
	alloc_leave(outer);
}

void
free_aligned_sized(void *ptr, size_t alignment, size_t size)
{
	const bool outer = ENTER();

	RECORD_FREE();
	if (UT_LIKELY(!arena_has(ptr)))
		c23.free_aligned_sized(ptr, alignment, size);
	alloc_leave(outer);
}

#ifdef __linux__
void *
memalign(size_t alignment, size_t size)
{
	const bool outer = ENTER();
	void *p;

	p = libc()->memalign(alignment, size);
	RECORD_ALLOC(memalign, size, MEMALIGN, .count = alignment,
	    .size = size, .ptr = p);
	alloc_leave(outer);
	return p;
}
#endif

#ifndef __OpenBSD__
void *
valloc(size_t size)
{
	const bool outer = ENTER();
	void *p;

	p = libc()->valloc(size);
	RECORD_ALLOC(valloc, size, VALLOC, .size = size, .ptr = p);
	alloc_leave(outer);
	return p;
}
#endif

#ifdef __GLIBC__
void *
pvalloc(size_t size)
{
	const bool outer = ENTER();
	void *p;

	p = libc()->pvalloc(size);
	RECORD_ALLOC(pvalloc, size, PVALLOC, .size = size, .ptr = p);
	alloc_leave(outer);
	return p;
}
#endif

#pragma GCC visibility pop
