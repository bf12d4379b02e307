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
 * Debugging information, DWARF 2 to 5: which lines of the source an address is
 * of, and which functions were inlined there.
 */

#ifndef DWARF_H
#define DWARF_H

#include <stddef.h>
#include <stdint.h>

struct dwarf;
struct elf;

/* An address has at most so many: the outermost is there. */
#define DWARF_PLACES	64

struct dwarf_place {
	const char	*function;	/* mangled; NULL: not known */
	const char	*file;		/* from intern(); NULL: not known */
	unsigned int	 line;		/* 0: not known */
};

/* The file becomes the result's. */
struct dwarf *dwarf_new(struct elf *);
/* Add the file with what several files have in common. */
void	 dwarf_common(struct dwarf *, struct elf *);
/*
 * The places of an address of the file, innermost first: inlined functions, and
 * last the function that has them; 0 if nothing is known.
 */
size_t	 dwarf_find(struct dwarf *, uint64_t, struct dwarf_place *);
/* Are functions in other files, .dwo or .dwp? */
int	 dwarf_split(const struct dwarf *);
void	 dwarf_free(struct dwarf *);
void	 dwarf_again(void);		/* begin to count anew */

#endif /* DWARF_H */
