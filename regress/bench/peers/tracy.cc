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
 * Tracy's client.  A plot is its only event with a number, and it has none with
 * several fields.  Nobody reads the events: they stay in memory.
 */

#include <tracy/Tracy.hpp>

#include "peer.h"

static void
begin(const char *file)
{
	(void)file;
	TracyPlotConfig("one", tracy::PlotFormatType::Number, true, false, 0);
}

static void
one(long n)
{
	int i;

	for (i = 0; i < (int)n; i++) {
		FENCE(i);
		TracyPlot("one", (int64_t)i);
	}
}

static void
end(void)
{
}

int
main(int argc, char *argv[])
{
	return peer_main(argc, argv, begin, one, nullptr, end);
}
