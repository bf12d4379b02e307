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
 * UT_LOG and UT_VLOG: the event ut:log, whose one argument has to be formatted
 * first.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ut_priv.h"

#define LOG_MAX	4096			/* a longer message is cut */

static void __attribute__((noinline))
log_put(struct ut_event *e, const char *file, int line, const char *func,
    void *caller, const char *fmt, va_list ap)
{
	struct ut_record r;
	unsigned char *p;
	char msg[LOG_MAX];
	size_t n, nfile, nfunc;
	int error = errno;

	if (vsnprintf(msg, sizeof(msg), fmt, ap) < 0)
		msg[0] = '\0';
	n = strlen(msg);
	nfile = strlen(file);
	nfunc = strlen(func);
	errno = error;			/* a context of the event, perhaps */
	p = ut_begin(&r, e, n + 1 + nfile + 1 + sizeof(line) + nfunc + 1);
	if (p == NULL)
		p = ut_begin_at(&r, caller);
	while (p != NULL) {
		p = ut_put(p, msg, n + 1);
		p = ut_put(p, file, nfile + 1);
		p = ut_put(p, &line, sizeof(line));
		(void)ut_put(p, func, nfunc + 1);
		p = ut_commit(&r);
	}
	errno = error;
}

UT_EXPORT void
ut_log(struct ut_event *e, const char *file, int line, const char *func,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_put(e, file, line, func, UT_CALLER(), fmt, ap);
	va_end(ap);
}

UT_EXPORT void
ut_vlog(struct ut_event *e, const char *file, int line, const char *func,
    const char *fmt, va_list ap)
{
	log_put(e, file, line, func, UT_CALLER(), fmt, ap);
}
