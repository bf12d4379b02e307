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

/* The events of load.c, as LTTng-UST wants them: included many times. */

#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER load

#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "./lttngload.h"

#if !defined(LTTNGLOAD_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define LTTNGLOAD_H

#include <lttng/tracepoint.h>
#include <stdint.h>

TRACEPOINT_EVENT(load, none, TP_ARGS(), TP_FIELDS())
TRACEPOINT_EVENT(load, one, TP_ARGS(int, n), TP_FIELDS(ctf_integer(int, n, n)))
TRACEPOINT_EVENT(load, mix,
    TP_ARGS(uint64_t, a, uint32_t, b, const char *, s, double, d),
    TP_FIELDS(
	ctf_integer(uint64_t, a, a)
	ctf_integer(uint32_t, b, b)
	ctf_string(s, s)
	ctf_float(double, d, d)))
TRACEPOINT_EVENT(load, bytes, TP_ARGS(const uint8_t *, p),
    TP_FIELDS(ctf_array(uint8_t, p, p, 256)))
TRACEPOINT_EVENT(load, off, TP_ARGS(int, n), TP_FIELDS(ctf_integer(int, n, n)))

#endif

#include <lttng/tracepoint-event.h>
