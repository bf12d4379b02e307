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
 * Which events a pattern means, what the log levels are called, and how near
 * one word is to another.
 */

#ifndef EVENT_NAME_H
#define EVENT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NLEVELS		15
#define WORD_NEAR	2	/* the largest distance that is computed */

/* The names of the log levels, by level: the most severe first. */
extern const char *const level_names[NLEVELS];
const char *level_name(uint64_t);	/* NULL: there is no such level */

bool	 event_matches(const char *, const char *);	/* pattern, name */
unsigned int word_distance(const char *, size_t, const char *, size_t);

#endif /* EVENT_NAME_H */
