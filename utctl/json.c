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
 * JSON, to stdout: see json.h.
 */

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "say.h"

#define DEEPEST	64

int			json_on;
size_t			json_bytes;
static char		brackets[DEEPEST];	/* close what is open */
static size_t		depth;
static int		comma;			/* is due before what comes */

void
json_start(int on)
{
	json_on = on;
	json_bytes = 0;
	depth = 0;
	comma = 0;
}

static void
put_name(const char *name)
{
	if (comma)
		putchar(',');
	comma = 1;
	json_bytes++;
	if (name == NULL)
		return;
	json_bytes += strlen(name) + 3;
	put_json(name);
	putchar(':');
}

static void
put_open(const char *name, const char *pair)
{
	if (!json_on)
		return;
	if (depth == DEEPEST)
		die("JSON would be too deep");
	put_name(name);
	putchar(pair[0]);
	brackets[depth++] = pair[1];
	comma = 0;
}

void
json_object(const char *name)
{
	put_open(name, "{}");
}

void
json_array(const char *name)
{
	put_open(name, "[]");
}

void
json_end(void)
{
	if (!json_on)
		return;
	putchar(brackets[--depth]);
	comma = depth > 0;
	if (depth == 0)
		putchar('\n');
}

void
json_format(const char *name, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (!json_on)
		return;
	put_name(name);
	va_start(ap, fmt);
	n = vprintf(fmt, ap);
	va_end(ap);
	json_bytes += n > 0 ? (size_t)n : 0;
}

void
json_raw(const char *members)
{
	json_format(NULL, "%s", members);
}

void
json_string(const char *name, const char *s)
{
	if (!json_on || s == NULL)
		return;
	put_name(name);
	put_json(s);
}

void
json_u64(const char *name, uint64_t v)
{
	json_format(name, "%" PRIu64, v);
}

void
json_i64(const char *name, int64_t v)
{
	json_format(name, "%" PRId64, v);
}

void
json_ns(const char *name, int64_t ns)
{
	json_format(name, "\"%" PRId64 "\"", ns);
}

void
json_address(const char *name, uint64_t v)
{
	json_format(name, v > (uint64_t)1 << 53 ? "\"%" PRIu64 "\"" :
	    "%" PRIu64, v);
}

void
json_real(const char *name, double v)
{
	json_format(name, "%.17g", v);
}

void
json_bool(const char *name, int v)
{
	json_format(name, "%s", v ? "true" : "false");
}
