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
 * Events before main, in its first line, and in what runs behind it.
 */

#include <stdlib.h>

#include <ut.h>

UT_EVENT(first, constructor, UT_INFO)
UT_EVENT(first, line, UT_INFO)
UT_EVENT(first, atexit, UT_INFO)
UT_EVENT(first, destructor, UT_INFO)

static void __attribute__((constructor))
before(void)
{
	UT(first, constructor);
}

static void __attribute__((destructor))
behind(void)
{
	UT(first, destructor);
}

static void
at_exit(void)
{
	UT(first, atexit);
}

int
main(void)
{
	UT(first, line);
	atexit(at_exit);
	return 0;
}
