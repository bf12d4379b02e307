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
 * A provider with every macro of LTTng-UST, in the names of its first API; the
 * test makes the names of the second of them.
 */

#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER	lttngust
#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE	"./lttngust.h"

#if !defined(LTTNGUST_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define LTTNGUST_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <lttng/tracepoint.h>

TRACEPOINT_ENUM(lttngust, colour, TP_ENUM_VALUES(
	ctf_enum_value("red", 1)
	ctf_enum_range("many", 2, 9)
	ctf_enum_auto("ten")
	ctf_enum_value("a \"quoted\" \\ one", 100)
))
TRACEPOINT_ENUM(lttngust, wide, TP_ENUM_VALUES(
	ctf_enum_range("least", -0x7fffffffffffffff - 1, -1)
	ctf_enum_value("most", 0x7fffffffffffffff)
))
TRACEPOINT_ENUM(lttngust, large, TP_ENUM_VALUES(
	ctf_enum_value("largest", 0xffffffffffffffff)
))

TRACEPOINT_EVENT(TRACEPOINT_PROVIDER, numbers,
	TP_ARGS(int, n, double, d, const void *, p),
	TP_FIELDS(
		ctf_integer(int, i, n)
		ctf_integer(uint8_t, u8, n)
		ctf_integer(int64_t, i64, -n)
		ctf_integer(unsigned long long, u64, (unsigned long long)-n)
		ctf_integer_hex(short, x, n)
		ctf_integer_hex(const void *, p, p)
		ctf_integer_network(uint32_t, net, n)
		ctf_integer_network_hex(uint16_t, netx, n)
		ctf_integer_nowrite(int, nowhere, called())
		ctf_unused(called())
		ctf_float(double, d, d)
		ctf_float(float, f, d)
		ctf_float_nowrite(float, nowhere, d)
		ctf_enum(lttngust, colour, int, colour, n)
		ctf_enum(lttngust, colour, uint8_t, small, 100)
		ctf_enum(lttngust, wide, int64_t, wide, -n)
		ctf_enum(lttngust, large, uint64_t, large, -1)
		ctf_enum_nowrite(lttngust, colour, int, nowhere, n)
		ctf_integer(int, once, called())
	)
)
TRACEPOINT_LOGLEVEL(lttngust, numbers, TRACE_WARNING)
TRACEPOINT_LOGLEVEL(lttngust, none_such, TRACE_INFO)
TRACEPOINT_MODEL_EMF_URI(lttngust, numbers, "http://example.org/")

TRACEPOINT_EVENT(lttngust, texts,
	TP_ARGS(const char *, s, const int16_t *, v, unsigned int, n),
	TP_FIELDS(
		ctf_string(s, s)
		ctf_string_nowrite(nowhere, s)
		ctf_array_text(char, at, s, 3)
		ctf_array_text_nowrite(char, nowhere, s, 3)
		ctf_sequence_text(char, st, s, uint8_t, n)
		ctf_sequence_text_nowrite(char, nowhere, s, uint8_t, n)
		ctf_array(int16_t, a, v, 3)
		ctf_array_hex(uint16_t, ax, v, 2)
		ctf_array_network(int16_t, an, v, 2)
		ctf_array_network_hex(int16_t, anx, v, 1)
		ctf_array_nowrite(int16_t, nowhere, v, 3)
		ctf_array_nowrite_hex(int16_t, nowhere, v, 3)
		ctf_array_network_nowrite(int16_t, nowhere, v, 3)
		ctf_array_network_nowrite_hex(int16_t, nowhere, v, 3)
		ctf_sequence(int16_t, q, v, unsigned long, n)
		ctf_sequence_hex(uint8_t, qx, v, size_t, n)
		ctf_sequence_network(uint16_t, qn, v, uint8_t, n)
		ctf_sequence_network_hex(uint16_t, qnx, v, uint8_t, n)
		ctf_sequence_nowrite(int16_t, nowhere, v, uint8_t, n)
		ctf_sequence_nowrite_hex(int16_t, nowhere, v, uint8_t, n)
		ctf_sequence_network_nowrite(int16_t, nowhere, v, uint8_t, n)
		ctf_sequence_network_nowrite_hex(int16_t, nowhere, v, uint8_t,
		    n)
	)
)

#ifndef ORIGINAL		/* 2.13 has none */
TRACEPOINT_EVENT(lttngust, blobs, TP_ARGS(const char *, s, int, n),
	TP_FIELDS(
		lttng_ust_field_fixed_length_blob(b, s, 2, "x/y")
		lttng_ust_field_variable_length_blob(v, s, int, n, "x/y")
		lttng_ust_field_fixed_length_blob_nowrite(nowhere, s, 2, "")
		lttng_ust_field_variable_length_blob_nowrite(nowhere, s, int,
		    n, "")
	)
)

#endif

/* Names that are macros or keywords; arguments by names of the library's. */
TRACEPOINT_EVENT(lttngust, names,
	TP_ARGS(int, ut_e, int, ut_p, int, ut_r),
	TP_FIELDS(ctf_integer(int, MACRO, ut_e) ctf_integer(int, class, ut_p)
	    ctf_integer(int, len, ut_r))
)

TRACEPOINT_EVENT(lttngust, none, TP_ARGS(), TP_FIELDS())
TRACEPOINT_EVENT(lttngust, none_void, TP_ARGS(void), TP_FIELDS())

TRACEPOINT_EVENT_CLASS(lttngust, of_ten,
	TP_ARGS(int, a, int, b, int, c, int, d, int, e, int, f, int, g,
	    int, h, int, i, int, j),
	TP_FIELDS(
		ctf_integer(int, a, a) ctf_integer(int, b, b)
		ctf_integer(int, c, c) ctf_integer(int, d, d)
		ctf_integer(int, e, e) ctf_integer(int, f, f)
		ctf_integer(int, g, g) ctf_integer(int, h, h)
		ctf_integer(int, i, i) ctf_integer(int, j, j)
	)
)
TRACEPOINT_EVENT_INSTANCE(lttngust, of_ten, ten,
	TP_ARGS(int, a, int, b, int, c, int, d, int, e, int, f, int, g,
	    int, h, int, i, int, j))
TRACEPOINT_EVENT_INSTANCE(lttngust, of_ten, ten_too,
	TP_ARGS(int, a, int, b, int, c, int, d, int, e, int, f, int, g,
	    int, h, int, i, int, j))
TRACEPOINT_LOGLEVEL(lttngust, ten_too, TRACE_ERR)

#endif

#include <lttng/tracepoint-event.h>
