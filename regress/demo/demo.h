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
 * The events of the demo.  A program usually keeps them in a header of its
 * own, which every file that traces includes.
 */

#ifndef DEMO_H
#define DEMO_H

#include "ut.h"

enum kind { WORDS, PRIMES, MATRIX, KINDS };

UT_ENUMERATION(kind,
    UT_VALUE("words", WORDS),
    UT_VALUE("primes", PRIMES),
    UT_VALUE("matrix", MATRIX));

/* A job enters the queue, now so long. */
UT_EVENT(job, submit, UT_INFO,
    UT_U64(id), UT_ENUM(kind, kind), UT_STR(text), UT_SIZE(queued));

/* A worker is at it. */
UT_SPAN(job, run, UT_DEBUG_PROGRAM,
    UT_U64(id), UT_INT(worker));

/* A word of the line, which has a blank behind it, or a NUL. */
UT_EVENT(job, word, UT_DEBUG,
    UT_U64(id), UT_STRN(word));

/* What was found, its mean, and a hash of it. */
UT_EVENT(job, done, UT_INFO,
    UT_U64(id), UT_INT(worker), UT_ENUM(kind, kind), UT_BOOL(right),
    UT_F64(mean), UT_SEQ(uint32_t, found), UT_BYTES(hash));

#endif /* DEMO_H */
