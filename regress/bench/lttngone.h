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

/* The event of one.c, as LTTng-UST wants it: this is included many times. */

#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER one

#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "./lttngone.h"

#if !defined(LTTNGONE_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define LTTNGONE_H

#include <lttng/tracepoint.h>

TRACEPOINT_EVENT(one, hello, TP_ARGS(int, n),
    TP_FIELDS(ctf_integer(int, n, n)))

#endif

#include <lttng/tracepoint-event.h>
