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
 * Protocol Buffers, as far as utctl export writes them.
 *
 * A message is a row of fields, in any order: a key, which is the number of the
 * field and what kind of value comes, and the value, an integer of a varying
 * number of bytes, eight bytes, or so many bytes.
 */

#ifndef PROTO_H
#define PROTO_H

#include <stddef.h>
#include <stdint.h>

#include "../map.h"

/* A message that is made.  It keeps its memory when it is begun anew. */
struct message {
	uint8_t	*v;
	size_t	 n, room;
};

/* Numbers by keys, from 1 on. */
struct ids {
	struct map	 map;
	uintptr_t	 n;
};

void	 put_number(struct message *, uint32_t, uint64_t);
void	 put_fixed(struct message *, uint32_t, uint64_t);
void	 put_double(struct message *, uint32_t, double);
void	 put_bytes(struct message *, uint32_t, const void *, size_t);
/* Put a text, of UTF-8 whatever it has; and so many bytes. */
void	 put_utf8(struct message *, uint32_t, const char *, size_t);
/* Put a message into one, and begin it anew. */
void	 put_message(struct message *, uint32_t, struct message *);
/* Write a message that is a field of what stdout is. */
void	 write_message(uint32_t, struct message *);

/* Find the number of a key; is it new? */
int	 id_get(struct ids *, uint64_t, uint64_t *);

#endif /* PROTO_H */
