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
 * The product's variables, which lie between the files below: a run begins with
 * what they are at first, and so does a consumer with its own.
 */

#include <stdlib.h>
#include <string.h>

#include "../../libut/ut_priv.h"
#include "turns.h"

static char *data;		/* as it was when nothing had run */

void
product_reset_consumer(void)
{
	memcpy(data_consumer, data + (data_consumer - data_libut),
	    (size_t)(data_end - data_consumer));
	memset(bss_consumer, 0, (size_t)(bss_end - bss_consumer));
}

void
product_reset(void)
{
	const size_t n = (size_t)(data_end - data_libut);

	if (data == NULL) {
		data = malloc(n);
		memcpy(data, data_libut, n);
		T->threads = aligned_alloc(4096, 64 * sizeof(struct thread));
	}
	memcpy(data_libut, data, n);
	memset(bss_libut, 0, (size_t)(bss_end - bss_libut));
	memset(T->threads, 0, 4 * sizeof(struct thread));
	ut_thread_init();
}
