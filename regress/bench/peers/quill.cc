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

/* Quill.  The queue grows if it is full, as it does by default. */

#include <quill/Backend.h>
#include <quill/Frontend.h>
#include <quill/LogMacros.h>
#include <quill/Logger.h>
#include <quill/sinks/FileSink.h>

#include "peer.h"

static quill::Logger *logger;

static void
begin(const char *file)
{
	quill::Backend::start();
	quill::Frontend::preallocate();
	logger = quill::Frontend::create_or_get_logger("load",
	    quill::Frontend::create_or_get_sink<quill::FileSink>(file));
}

static void
one(long n)
{
	int i;

	for (i = 0; i < (int)n; i++) {
		FENCE(i);
		LOG_INFO(logger, "one {}", i);
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
		LOG_INFO(logger, "mix {} {} {} {}", (uint64_t)i, (uint32_t)i,
		    s, (double)i);
	}
}

static void
end(void)
{
	quill::Backend::stop();
}

int
main(int argc, char *argv[])
{
	return peer_main(argc, argv, begin, one, mix, end);
}
