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
 * The modules of the program, for those who walk: safe in handlers.
 */

#ifndef MODULES_H
#define MODULES_H

#include <stdbool.h>
#include <stdint.h>

struct unwind_module {
	uintptr_t	 text;		/* executable, and can be read */
	uintptr_t	 etext;
	uintptr_t	 header;	/* .eh_frame_hdr, or 0 */
	uintptr_t	 begin;		/* the segment that has it */
	uintptr_t	 end;
	bool		 whole;		/* begin and end are the module's */
	bool		 program;	/* known to be the program itself */
};

/* Read the list anew, with the run-time linker's lock.  Not in handlers. */
void	 ut_modules_read(void);
/*
 * Have other listed modules gone than the last time?  False if that cannot be
 * known without a lock.  Safe in handlers.
 */
bool	 ut_modules_gone(void);
/* Begin another generation. */
void	 ut_modules_old(void);
/*
 * The generation of the list, of 15 bits: what was known of code before it
 * changed is not known any more.
 */
uint64_t ut_modules_gen(void);
/* The module that has that code, if there is one now. */
bool	 ut_modules_find(uintptr_t, struct unwind_module *);

#endif /* MODULES_H */
