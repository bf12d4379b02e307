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

/* XTR, with the counter as its time.  A program waits if its queue is full. */

#define FMT_HEADER_ONLY
#include <xtr/logger.hpp>

#include "peer.h"

static xtr::logger *logger;
static xtr::sink *sink;

static void
begin(const char *file)
{
	logger = new xtr::logger(file, std::chrono::system_clock(),
	    xtr::null_command_path);
	sink = new xtr::sink(logger->get_sink("load"));
}

static void
one(long n)
{
	int i;

	for (i = 0; i < (int)n; i++) {
		FENCE(i);
		XTR_LOG_TSC(*sink, "one {}", i);
	}
}

static void
mix(long n)
{
	const char *s = STRING;
	int i;

	for (i = 0; i < (int)n; i++) {
		FENCE(i);
		FENCE(s);
		XTR_LOG_TSC(*sink, "mix {} {} {} {}", (uint64_t)i, (uint32_t)i,
		    s, (double)i);
	}
}

static void
end(void)
{
	delete sink;
	delete logger;
}

int
main(int argc, char *argv[])
{
	return peer_main(argc, argv, begin, one, mix, end);
}
