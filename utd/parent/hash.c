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
 * A hash of what programs of any user have chosen: nobody can choose many of
 * one bucket, as the key is this process's secret.
 */

#include "common/hash.h"
#include "event.h"

static uint64_t key[2];

static void
key_make(void)
{
	random_bytes(key, sizeof(key));
	key[0] |= 1;			/* made */
}

/* Of these bytes, behind those that `before' is the hash of, or 0. */
uint32_t
hash_bytes(uint32_t before, const void *bytes, size_t n)
{
	if (key[0] == 0)
		key_make();
	return (uint32_t)hash_keyed(key, before, bytes, n);
}
