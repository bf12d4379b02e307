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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOT_TRACED	__attribute__((no_instrument_function))

#define FUNC_GLOBS	16

/* What was found in a module that had not been looked at. */
struct ut_func_found {
	const char	*path;		/* its file */
	const char	*why;		/* there are no names; or NULL */
	uint32_t	 counts[FUNC_GLOBS];	/* functions, by glob */
};

extern size_t ut_func_nglobs;
extern const char *ut_func_globs[FUNC_GLOBS];

/* Globs with commas between; false: too many, or too long. */
bool	 ut_func_choose(const char *) NOT_TRACED;
/*
 * Is that function chosen?  If its module had not been looked at, the function
 * behind is told what is there.  Takes no lock.
 */
bool	 ut_func_chosen(const void *, void (*)(const struct ut_func_found *))
	    NOT_TRACED;
/* A module was unloaded: another one may come to the same address. */
void	 ut_func_unloaded(void) NOT_TRACED;
/* Read the file's symbols: those that are functions, and where they are. */
const char *ut_func_read(int, void (*)(void *, const char *, uintptr_t), void *)
	    NOT_TRACED;

#endif /* CHOOSE_H */
