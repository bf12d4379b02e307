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
 * Shared by the libraries that are named in LD_PRELOAD.  Several of them may be
 * there at once: each calls the function of the next.
 */

#define _GNU_SOURCE 1	/* RTLD_NEXT and more, here and on NetBSD */
#define _NETBSD_SOURCE 1

#include <sys/types.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "wrap.h"

static bool
same_library(const void *a, const void *b)
{
	Dl_info of_a, of_b;

	return dladdr(a, &of_a) != 0 && dladdr(b, &of_b) != 0 &&
	    of_a.dli_fbase == of_b.dli_fbase;
}

#ifdef __GLIBC__
/*
 * The functions below have two versions, and a lookup without one may find that
 * for programs of 2002, where a condition is another structure.  A lookup with
 * one, though, passes over libraries between us and the C library, whose
 * functions have no versions.
 */
static void *
newest(const char *name, void *symbol)
{
	static const char *const versioned[] = {
		"pthread_cond_wait", "pthread_cond_timedwait",
		"pthread_cond_signal", "pthread_cond_broadcast"
	};
	void *other;
	size_t i;

	for (i = 0; i < sizeof(versioned) / sizeof(versioned[0]); i++) {
		if (strcmp(name, versioned[i]) != 0)
			continue;
		other = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
		if (other == NULL)
			(void)dlerror();	/* clear it */
		else if (symbol == NULL || same_library(symbol, other))
			return other;
	}
	return symbol;
}
#endif

/* The function of that name in the libraries behind this one, or NULL. */
void *
wrap_next(const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

#ifdef __GLIBC__
	symbol = newest(name, symbol);
#endif
	if (symbol == NULL)
		(void)dlerror();	/* the program must not see it */
	return symbol;
}

void *
wrap_first(const char *name)
{
	void *symbol = dlsym(RTLD_DEFAULT, name);

	if (symbol == NULL)
		(void)dlerror();	/* clear it */
	return symbol;
}

bool
wrap_ours(const void *addr)
{
	return same_library(addr, &ut_this_module);
}

void
wrap_block(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, old);
}

void
wrap_unblock(const sigset_t *old)
{
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

/* The arguments of wrap_ranges. */
struct search {
	struct wrap_range	*ranges;
	const void *const	*inside;
	size_t			 n;
};

/* Size 0 if nothing of it is mapped. */
void
wrap_range_of(const struct dl_phdr_info *info, struct wrap_range *r)
{
	uintptr_t low = UINTPTR_MAX, high = 0, end;
	size_t i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		if (info->dlpi_phdr[i].p_vaddr < low)
			low = info->dlpi_phdr[i].p_vaddr;
		end = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
		if (end > high)
			high = end;
	}
	r->low = info->dlpi_addr + low;
	r->size = high > low ? high - low : 0;
}

/* The module's range, if it has one of these addresses. */
static int
find_range(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct search *s = arg;
	struct wrap_range r;
	size_t i;

	(void)size;
	wrap_range_of(info, &r);
	for (i = 0; i < s->n; i++)
		if (wrap_within(&r, 1, s->inside[i]))
			s->ranges[i] = r;
	return 0;
}

void
wrap_ranges(struct wrap_range *ranges, const void *const *inside, size_t n)
{
	struct search s = { ranges, inside, n };

	dl_iterate_phdr(find_range, &s);
}

uint64_t
wrap_number(const char *name, uint64_t most)
{
	const char *s = getenv(name);
	uint64_t n = 0;

	for (; s != NULL && *s >= '0' && *s <= '9' && n <= most; s++)
		n = 10 * n + (uint64_t)(*s - '0');
	return s == NULL || *s != '\0' || n > most ? 0 : n;
}

/*
 * The library is never unloaded, and its events last as long as the process:
 * other libraries may have destructors that run later.
 */
static void __attribute__((destructor))
keep(void)
{
	ut_this_module.added = 0;
}

/*
 * After dlclose(3), another library may be loaded at the same address, so the
 * modules have to be looked up again.  There is no such wrapper of dlopen(3),
 * whose result depends on its caller.  Not on OpenBSD, where dlsym(3) may not
 * find the dynamic linker's function.
 */
void (*wrap_closing)(void);
void (*wrap_closed)(void);

#ifndef __OpenBSD__
int	dlclose(void *) __attribute__((visibility("default")));

int
dlclose(void *handle)
{
	int (*next)(void *);
	void *symbol;
	int result;

	if ((symbol = wrap_next("dlclose")) == NULL)
		return -1;
	memcpy(&next, &symbol, sizeof(next));
	if (wrap_closing != NULL)
		wrap_closing();
	result = next(handle);
	if (wrap_closed != NULL)
		wrap_closed();
	ut_code_gone();
	return result;
}
#endif
