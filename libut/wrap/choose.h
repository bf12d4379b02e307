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
 * Which functions func.c records: those whose names a glob fits.
 */

#ifndef CHOOSE_H
#define CHOOSE_H

#include <sys/types.h>
#include <sys/stat.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS	MAP_ANON
#endif

#define NOT_TRACED	__attribute__((no_instrument_function))

#define FUNC_GLOBS	16

/* A module that had not been looked at, and what is there. */
struct ut_func_found {
	const char	*path;		/* file of the module */
	const char	*why;		/* there are no names; or NULL */
	uint32_t	 counts[FUNC_GLOBS];	/* functions, by glob */
};

/* A module: size is 0 while it may not be there. */
struct ut_func_module {
	struct ut_func_module		*next;
	uintptr_t		 base, low, full;
	_Atomic uintptr_t	 size;
	struct stat		 st;
	size_t			 mask;		/* entries of table, less 1 */
	uintptr_t		 table[];	/* functions; 0: free */
};

extern _Atomic(struct ut_func_module *) ut_func_modules;
extern size_t ut_func_nglobs;
extern const char *ut_func_globs[FUNC_GLOBS];

/* Globs with commas between; false: too many, or too long. */
bool	 ut_func_choose(const char *) NOT_TRACED;
/*
 * Look at the module of the function, and tell what is there; NULL: there is
 * none.  Takes no lock where the run-time linker finds a module without one,
 * and keeps errno.
 */
struct ut_func_module *ut_func_look(const void *,
	    void (*)(const struct ut_func_found *)) NOT_TRACED;
static inline bool ut_func_chosen(const void *,
	    void (*)(const struct ut_func_found *)) NOT_TRACED;
/* A module was unloaded: another one may come to the same address. */
void	 ut_func_unloaded(void) NOT_TRACED;
/* Read the file's symbols: those that are functions, and where they are. */
const char *ut_func_read(int, void (*)(void *, const char *, uintptr_t), void *)
	    NOT_TRACED;

/* Is that function chosen? */
static inline bool
ut_func_chosen(const void *addr, void (*tell)(const struct ut_func_found *))
{
	const uintptr_t a = (uintptr_t)addr;
	const struct ut_func_module *m;
	size_t k;

	for (m = atomic_load_explicit(&ut_func_modules, memory_order_acquire);
	    m != NULL && a - m->low >= atomic_load_explicit(&m->size,
	    memory_order_relaxed); m = m->next)
		continue;
	if (m == NULL && (m = ut_func_look(addr, tell)) == NULL)
		return false;
	for (k = a / 4 & m->mask; m->table[k] != 0; k = (k + 1) & m->mask)
		if (m->table[k] == a)
			return true;
	return false;
}

#endif /* CHOOSE_H */
