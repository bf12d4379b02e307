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

/* NanoLog.  A program waits if its 1 MB buffer is full. */

#include <array>	/* which the next one lacks */

#include <NanoLogCpp17.h>

#include "peer.h"

static void
begin(const char *file)
{
	NanoLog::setLogFile(file);
	NanoLog::preallocate();
}

static void
one(long n)
{
	int i;

	for (i = 0; i < (int)n; i++) {
		FENCE(i);
		NANO_LOG(NOTICE, "one %d", i);
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
		NANO_LOG(NOTICE, "mix %llu %u %s %f",
		    (unsigned long long)i, (uint32_t)i, s, (double)i);
	}
}

static void
end(void)
{
	NanoLog::sync();
}

int
main(int argc, char *argv[])
{
	return peer_main(argc, argv, begin, one, mix, end);
}
