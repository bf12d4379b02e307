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
 * The modules that the program consists of: itself and its shared libraries,
 * with events or without.
 */

#ifndef UT_LOADED_H
#define UT_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Can it be known? */
#if (defined(__linux__) || defined(__FreeBSD__) || defined(__NetBSD__) || \
    defined(__OpenBSD__)) && !defined(UT_POSIX)
#define UT_HAS_LOADED	1
#else
#define UT_HAS_LOADED	0
#endif

#define UT_LOADED_MAX	16384		/* systems have no room for more */
#define UT_PATH		4096		/* bytes of a path, with its NUL */
#define UT_BUILD_ID	64		/* bytes of the longest build ID */

/* A module, as the run-time linker tells of it. */
struct ut_loaded {
	uintptr_t		 base;	/* + address in the file: in memory */
	uintptr_t		 start;	/* the lowest address that is mapped */
	uint64_t		 size;	/* to the end of the last segment */
	const char		*name;	/* the linker's; "": unknown */
	bool			 program;	/* the program itself */
	const unsigned char	*id;	/* build ID */
	size_t			 idlen;	/* 0: no build ID */
};

/*
 * phdr.c: what the run-time linker knows.
 *
 * ut_loaded_each calls the function for each module, with the linker's lock
 * held in most systems: the function must take no lock.  If nothing was loaded
 * or unloaded since the time that *seen is of, the function is not called and
 * the result is false; else *seen is updated.
 */
bool		 ut_loaded_each(void (*)(const struct ut_loaded *), uint64_t *);
/* The module's path: absolute, or "" if that is not known.  Under ut_lock. */
const char	*ut_loaded_path(const struct ut_loaded *);
/*
 * Is the address in a module?  -1: unknown.  If it is, ut_loaded_at calls the
 * function for that module, from which the caller was called, and returns what
 * that does, or false.  Neither takes a lock.
 */
bool		 ut_loaded_finds(void);	/* is it ever known? */
int		 ut_loaded_there(const void *);
bool		 ut_loaded_at(const void *, bool (*)(const struct ut_loaded *));
/* May the child of a fork find the linker's lock taken for ever? */
bool		 ut_loaded_stuck(void);

/*
 * code_module.c: the module that ut_code has found, until ut_found_done.
 */
bool		 ut_found_put(const void *);
const struct ut_loaded *ut_found(void);
void		 ut_found_done(void);

/* spans.c: where they lie. */
void		 ut_spans_begin(void);
void		 ut_spans_add(uintptr_t, uintptr_t);
void		 ut_spans_end(void);
bool		 ut_spans_have(uintptr_t);

/* loaded.c: the events ut:module and ut:unload.  Under ut_lock. */
void		 ut_loaded_init(void);
bool		 ut_loaded_wanted(unsigned int);
void		 ut_loaded_tell(unsigned int);
void		 ut_loaded_unwind(void);
void		 ut_loaded_changed(void);
void		 ut_loaded_leaves(const void *);
void		 ut_loaded_before_fork(bool, bool);
void		 ut_loaded_forked(void);

#endif /* UT_LOADED_H */
