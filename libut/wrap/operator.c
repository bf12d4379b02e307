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
 * The operators new and delete of C++, by the names that compilers give them.
 *
 * The C++ library's operators call malloc(3) and free(3), which are wrapped:
 * calls of these operators are only passed on.  Another library, such as an
 * allocator, may have operators that call nothing of that kind: their calls are
 * recorded here, as those of malloc(3), aligned_alloc(3) and free(3), and
 * nothing that they call themselves.  The operators of the program itself come
 * before ours, which see nothing of them.
 *
 * A program that is not in C++ may open a library with operators that only this
 * library and those that come with it see.  Ours then pass calls on to the
 * first library that has any, in the order in which libraries were loaded.
 * The C++ library's own calls would go there; that library stays loaded.
 *
 * An exception leaves these functions without another word.  The state that
 * remains is as after siglongjmp(3): see alloc_left.
 */

#define _GNU_SOURCE 1	/* RTLD_NEXT and more, here and on NetBSD */
#define _NETBSD_SOURCE 1

#include <sys/types.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

#ifndef RTLD_NOLOAD
#define RTLD_NOLOAD	0		/* the library is loaded already */
#endif

#define PATH_LEN	4096

/* size_t, as it is a part of the names. */
#if (UINTPTR_MAX > UINT32_MAX && !defined(_ILP32) && !defined(__ILP32__)) || \
    defined(__OpenBSD__) || (defined(__NetBSD__) && defined(__arm__))
#define SZ		m
#else
#define SZ		j
#endif

#define J(a, b, c)	J_(a, b, c)
#define J_(a, b, c)	a##b##c
#define STR(name)	STR_(name)
#define STR_(name)	#name

/*
 * All forms of one operator: name, parameters, arguments, and the alignment.
 * The operators that an operator calls are in front of it.
 */
#define NEWS(X, name)							\
	X(J(name, SZ,), (size_t size), (size), 0)			\
	X(J(name, SZ, RKSt9nothrow_t),					\
	    (size_t size, const void *nothrow), (size, nothrow), 0)	\
	X(J(name, SZ, St11align_val_t),					\
	    (size_t size, size_t align), (size, align), align)		\
	X(J(name, SZ, St11align_val_tRKSt9nothrow_t),			\
	    (size_t size, size_t align, const void *nothrow),		\
	    (size, align, nothrow), align)
#define DELETES(X, name)						\
	X(name, (void *ptr), (ptr))					\
	X(J(name, SZ,), (void *ptr, size_t size), (ptr, size))		\
	X(J(name, RKSt9nothrow_t,),					\
	    (void *ptr, const void *nothrow), (ptr, nothrow))		\
	X(J(name, St11align_val_t,),					\
	    (void *ptr, size_t align), (ptr, align))			\
	X(J(name, SZ, St11align_val_t),					\
	    (void *ptr, size_t size, size_t align), (ptr, size, align))	\
	X(J(name, St11align_val_t, RKSt9nothrow_t),			\
	    (void *ptr, size_t align, const void *nothrow),		\
	    (ptr, align, nothrow))
#define ALL(NEW, DELETE)						\
	NEWS(NEW, _Znw) NEWS(NEW, _Zna)					\
	DELETES(DELETE, _ZdlPv) DELETES(DELETE, _ZdaPv)

#define AT(name, ...)	J(AT, name,),
enum { ALL(AT, AT) NOPERATORS };

#define NAME(name, ...)	STR(name),
static const char *const names[] = { ALL(NAME, NAME) };

_Static_assert(J(AT, _ZdlPv,) == OPERATORS_NEW, "operators");

/* The operators behind ours, and which of them are recorded here. */
static void *next[NOPERATORS];
static bool recorded[NOPERATORS];
static bool sought;			/* all, once */

/* Is the symbol in the C++ library? */
static bool
is_cxx(const void *symbol)
{
	static const char *const libraries[] = {
		"/libstdc++.", "/libc++", "/libcxxrt."
	};
	const char *file;
	Dl_info info;
	size_t i;

	if (dladdr(symbol, &info) == 0 ||
	    (file = strrchr(info.dli_fname, '/')) == NULL)
		return false;
	for (i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (strncmp(file, libraries[i], strlen(libraries[i])) == 0)
			return true;
	return false;
}

/*
 * Operators that are not found the first time, but later, are not recorded,
 * whatever library has them.
 */
void
operator_find(void)
{
	const bool later = __atomic_load_n(&sought, __ATOMIC_RELAXED);
	struct wrap_range lib = { 0, 0 };
	const void *symbol;
	bool cxx = false;
	size_t i;

	for (i = 0; i < NOPERATORS; i++) {
		if (__atomic_load_n(&next[i], __ATOMIC_RELAXED) != NULL)
			continue;
		if ((symbol = wrap_next(names[i])) == NULL) {
			if (i == 0)
				break;
			continue;
		}
		if (!wrap_within(&lib, 1, symbol)) {
			wrap_ranges(&lib, &symbol, 1);
			cxx = is_cxx(symbol);
		}
		recorded[i] = !later && !cxx;
		__atomic_store_n(&next[i], (void *)(uintptr_t)symbol,
		    __ATOMIC_RELEASE);
	}
	__atomic_store_n(&sought, true, __ATOMIC_RELAXED);
}

void
operator_modules(const void *at[2])
{
	size_t i;

	at[0] = at[1] = NULL;
	for (i = 0; i < NOPERATORS; i++)
		if (recorded[i])
			at[i >= OPERATORS_NEW] = next[i];
}

void *
operator_cxx(size_t i)
{
	void *symbol;

	if (next[i] == NULL || recorded[i])
		return NULL;
	symbol = wrap_first(names[i]);
	return wrap_ours(symbol) ? symbol : NULL;
}

/* The path of the module that was loaded as so many'th. */
struct nth {
	size_t	 left;
	char	 path[PATH_LEN];
};

static int
find_nth(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct nth *m = arg;

	(void)size;
	if (m->left-- > 0)
		return 0;
	m->path[0] = '\0';
	if (info->dlpi_name != NULL && strlen(info->dlpi_name) < PATH_LEN)
		memcpy(m->path, info->dlpi_name, strlen(info->dlpi_name) + 1);
	return 1;
}

/* A handle of the module, if it has an operator of its own. */
static void *
open_owner(const char *path)
{
	const void *symbol;
	void *handle;
	Dl_info info;

	if (path[0] == '\0' ||
	    (handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD)) == NULL)
		return NULL;
	symbol = dlsym(handle, names[0]);
	if (symbol != NULL && !wrap_ours(symbol) &&
	    dladdr(symbol, &info) != 0 && strcmp(info.dli_fname, path) == 0)
		return handle;
	(void)dlclose(handle);
	return NULL;
}

/* No operators were behind ours when the program began: look again. */
static void
find_late(void)
{
	struct nth m;
	void *handle = NULL, *symbol;
	size_t i;

	for (i = 0; handle == NULL; i++) {
		m.left = i;
		if (dl_iterate_phdr(find_nth, &m) == 0)
			break;
		handle = open_owner(m.path);
	}
	for (i = 0; handle != NULL && i < NOPERATORS; i++)
		if ((symbol = dlsym(handle, names[i])) != NULL)
			__atomic_store_n(&next[i], symbol, __ATOMIC_RELEASE);
	(void)dlerror();		/* the program must not see it */
}

/*
 * Look for what the program calls, before or after our constructor; without us,
 * a program that calls what is not there would not have begun.
 */
static void * __attribute__((noinline))
find(size_t i)
{
	sigset_t signals;

	wrap_block(&signals);
	if (!alloc_ours())
		__atomic_store_n(&next[i], wrap_next(names[i]),
		    __ATOMIC_RELEASE);	/* find nothing else */
	else {
		operator_find();
		alloc_modules();
	}
	if (next[i] == NULL)
		find_late();
	wrap_unblock(&signals);
	if (next[i] == NULL)
		abort();
	return next[i];
}

static inline void *
next_operator(size_t i)
{
	void *f = __atomic_load_n(&next[i], __ATOMIC_ACQUIRE);

	return UT_LIKELY(f != NULL) ? f : find(i);
}

#define BEHIND(name)	\
	(__extension__ (__typeof__(&name))next_operator(J(AT, name,)))

#define DEFINE_NEW(name, params, args, align)				\
	void	*name params;						\
	void *								\
	name params							\
	{								\
		__typeof__(&name) f = BEHIND(name);			\
		void *p;						\
		bool outer;						\
									\
		if (UT_LIKELY(!recorded[J(AT, name,)]))			\
			return f args;					\
		outer = ENTER();					\
		p = f args;						\
		if (outer)						\
			alloc_operator(align != 0 ? ALIGNED_ALLOC :	\
			    MALLOC, align, size, p, UT_CALLER());	\
		alloc_leave(outer);					\
		return p;						\
	}

#define DEFINE_DELETE(name, params, args)				\
	void	 name params;						\
	void								\
	name params							\
	{								\
		__typeof__(&name) f = BEHIND(name);			\
		bool outer;						\
									\
		if (UT_LIKELY(!recorded[J(AT, name,)])) {		\
			f args;						\
			return;						\
		}							\
		outer = ENTER();					\
		if (outer)						\
			alloc_operator(FREE, 0, 0, ptr, UT_CALLER());	\
		f args;							\
		alloc_leave(outer);					\
	}

#pragma GCC visibility push(default)

ALL(DEFINE_NEW, DEFINE_DELETE)

#pragma GCC visibility pop
