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
 * Files that are mapped into processes: programs and libraries, of whose
 * functions and variables the names are wanted.
 */

#ifndef IMAGE_H
#define IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include "dwarf.h"
#include "elf.h"

struct image;

/* How a file was mapped, as the event tells. */
struct mapping {
	struct image	*image;
	uint64_t	 start, size;
	uint64_t	 base;		/* added to the file's own addresses */
	int64_t		 ns;		/* when it was known to be there */
};

/* Look for all files below this directory; dies if it is none. */
void	 images_root(const char *);
/* The one that has this path and build ID; NULL if there are too many. */
struct image *image_get(const char *, const uint8_t *, size_t);
const char *image_path(const struct image *);
/* The build ID in hexadecimal, "" if none is known: 2 * ELF_IDMAX + 1 bytes. */
void	 image_id(const struct image *, char *);
/*
 * The name of what has this address of the process, and where it begins; 0 if
 * that is not known for sure.
 */
int	 image_find(const struct mapping *, enum elf_kind, uint64_t, char *,
	    uint64_t *);
/* Where, in the file, the function of an address begins; 0: not known. */
int	 image_function(const struct mapping *, uint64_t, uint64_t *);
/* An address of the module has no name: images_say() tells. */
void	 image_nameless(const struct mapping *);
/* dwarf_find() for an address of the process. */
size_t	 image_places(const struct mapping *, uint64_t, struct dwarf_place *);
/* Say that nothing was found below it, and which files have no names. */
void	 images_say(void);
void	 images_free(void);

#endif /* IMAGE_H */
