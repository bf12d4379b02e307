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
 * One header in many files, of the program and of its libraries.
 */

#ifndef UNITS_H
#define UNITS_H

#include <ut.h>

UT_ENUMERATION(where, UT_VALUE("program", 0), UT_VALUE("library", 1));
UT_EVENT(units, call, UT_INFO, UT_STR(unit), UT_INT(n),
    UT_ENUM(where, where))

int	unit_a(int);
int	unit_b(int);
int	unit_lib1(int);
int	unit_lib2(int);

#endif /* UNITS_H */
