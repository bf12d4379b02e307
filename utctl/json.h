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
 * JSON, to stdout.  Commas, quotes and brackets come by themselves, and a line
 * ends behind the outermost bracket.  A member of an object has a name, and an
 * element of an array has none: NULL.
 */

#ifndef JSON_H
#define JSON_H

#include <stddef.h>
#include <stdint.h>

/* If it is not set, nothing here does anything. */
extern int json_on;
/* Names and values since json_start(), but for strings: about so many bytes. */
extern size_t json_bytes;
void	 json_start(int);

void	 json_object(const char *);
void	 json_array(const char *);
/* The end of the object or array that was begun last and has not ended. */
void	 json_end(void);

/* Where the string is NULL, there is no member. */
void	 json_string(const char *, const char *);
void	 json_u64(const char *, uint64_t);
void	 json_i64(const char *, int64_t);
/* A time is text: it is more than a double holds. */
void	 json_ns(const char *, int64_t);
/* A number, or text if it is more than a double holds. */
void	 json_address(const char *, uint64_t);
void	 json_real(const char *, double);
void	 json_bool(const char *, int);
/* Members that are JSON already. */
void	 json_raw(const char *);
void	 json_format(const char *, const char *, ...)
	    __attribute__((format(printf, 2, 3)));

#endif /* JSON_H */
