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
 * Numbers in .eh_frame, of which no byte is read behind its end.
 */

#ifndef BYTES_H
#define BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	const uint8_t	*p;
	const uint8_t	*end;
	bool		 bad;		/* there was too little */
};

static inline unsigned int
bytes_one(struct bytes *b)
{
	if (b->p < b->end)
		return *b->p++;
	b->bad = true;
	return 0;
}

uint64_t ut_bytes_fixed(struct bytes *, size_t);
uint64_t ut_bytes_leb(struct bytes *);
int64_t	 ut_bytes_sleb(struct bytes *);
void	 ut_bytes_skip(struct bytes *, uint64_t);
/* A length, and so many bytes. */
struct bytes ut_bytes_block(struct bytes *);
/* An address in that encoding (DW_EH_PE_), or only what is stored. */
uintptr_t ut_bytes_address(struct bytes *, unsigned int);
uintptr_t ut_bytes_stored(struct bytes *, unsigned int);

#endif /* BYTES_H */
