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
 * tracef() and tracelog(): messages, as events with LTTng-UST's names.  This
 * file is tracef.h, too.
 */

#ifndef LTTNG_UST_TRACELOG_H
#define LTTNG_UST_TRACELOG_H

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <lttng/tracepoint.h>

/* For compilers, it is no part of the program: see ut.h. */
#pragma GCC system_header

#define lttng_ust_tracef(...)						\
	UT_LTTNG_LOG(ut_lttng_log, lttng_ust_tracef, event, NULL, 0,	\
	    NULL, __VA_ARGS__)
#define lttng_ust_vtracef(fmt, ap)					\
	UT_LTTNG_LOG(ut_lttng_vlog, lttng_ust_tracef, event, NULL, 0,	\
	    NULL, fmt, ap)
#define lttng_ust_tracelog(level, ...)					\
	UT_LTTNG_LOG(ut_lttng_log, lttng_ust_tracelog, level, __FILE__,	\
	    __LINE__, UT_FUNC, __VA_ARGS__)
#define lttng_ust_vtracelog(level, fmt, ap)				\
	UT_LTTNG_LOG(ut_lttng_vlog, lttng_ust_tracelog, level, __FILE__, \
	    __LINE__, UT_FUNC, fmt, ap)
#define UT_LTTNG_LOG(log, p, n, ...)					\
	do {								\
		if (UT_LTTNG_ON(p, n))					\
			log(&ut_lttng_ref_##p##___##n, __VA_ARGS__);	\
	} while (0)

#define UT_LTTNG_LOG_MAX	65536	/* a longer message is cut */

/* Without a file, it is tracef's, which has but the message. */
static __inline__ void UT_HELPER
ut_lttng_log_put(struct ut_event *e, void *caller, const char *file, int line,
    const char *func, const char *fmt, va_list ap)
{
	struct ut_record r;
	unsigned char *p;
	char text[1024], *longer = NULL;
	size_t n, nfile = 0, nfunc = 0, len = 0;
	const int error = errno;
	va_list again;

	__asm__ ("" : : "r" (ut_context));	/* see tracepoint-event.h */
	va_copy(again, ap);
	n = (size_t)vsnprintf(text, sizeof(text), fmt, ap);
	if (n >= sizeof(text) && n <= INT_MAX) {
		n = n < UT_LTTNG_LOG_MAX ? n + 1 : UT_LTTNG_LOG_MAX;
		if ((longer = (char *)malloc(n)) == NULL)
			n = sizeof(text);
		else
			(void)vsnprintf(longer, n, fmt, again);
		n--;
	} else if (n > INT_MAX)		/* a conversion failed */
		n = 0;
	va_end(again);
	errno = error;
	if (file != NULL) {
		nfile = strlen(file);
		nfunc = strlen(func);
		len = sizeof(line) + nfile + 1 + nfunc + 1;
	}
	if ((p = ut_begin(&r, e, len + 4 + n)) == NULL)
		p = ut_begin_at(&r, caller);
	while (p != NULL) {
		if (file != NULL) {
			p = ut_put(p, &line, sizeof(line));
			p = ut_put(p, file, nfile + 1);
			p = ut_put(p, func, nfunc + 1);
		}
		(void)ut_put_seq(p, longer != NULL ? longer : text, n, 1);
		p = ut_commit(&r);
	}
	free(longer);
	errno = error;
}

static void __attribute__((noinline, format(printf, 5, 6))) UT_HELPER
ut_lttng_log(struct ut_event *e, const char *file, int line, const char *func,
    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ut_lttng_log_put(e, UT_CALLER(), file, line, func, fmt, ap);
	va_end(ap);
}

static void __attribute__((noinline, format(printf, 5, 0))) UT_HELPER
ut_lttng_vlog(struct ut_event *e, const char *file, int line, const char *func,
    const char *fmt, va_list ap)
{
	ut_lttng_log_put(e, UT_CALLER(), file, line, func, fmt, ap);
}

static const struct ut_field __attribute__((unused)) ut_lttng_log_fields[] = {
	{ "line", NULL, 0, UT_KIND_INT, (uint8_t)sizeof(int), UT_F_SIGNED, 0 },
	{ "file", NULL, 0, UT_KIND_STRING, 1, 0, 0 },
	{ "func", NULL, 0, UT_KIND_STRING, 1, 0, 0 },
	{ "msg", NULL, 0, UT_KIND_SEQ, 1, UT_F_TEXT, 0 },
	{ NULL, NULL, 0, 0, 0, 0, 0 }
};

#define UT_LTTNG_LOG_EVENT(p, n, level, fields)				\
	static struct ut_event ut_lttng_ref_##p##___##n UT_SECTION = {	\
		0, level, #p ":" #n, fields, NULL, NULL, { 0 }, 0,	\
		UT_STACKS, NULL, NULL					\
	};
UT_LTTNG_LOG_EVENT(lttng_ust_tracef, event, UT_DEBUG, ut_lttng_log_fields + 3)

#define UT_LTTNG_LOG_LEVEL(prefix, level)	\
	UT_LTTNG_LOG_EVENT(lttng_ust_tracelog, prefix##level, prefix##level, \
	    ut_lttng_log_fields)
UT_LTTNG_LEVELS(UT_LTTNG_LOG_LEVEL, LTTNG_UST_TRACEPOINT_LOGLEVEL_)

#ifdef UT_LTTNG_API_0
UT_LTTNG_LEVELS(UT_LTTNG_LOG_LEVEL, TRACE_)
#define tracef		lttng_ust_tracef
#define vtracef		lttng_ust_vtracef
#define tracelog	lttng_ust_tracelog
#define vtracelog	lttng_ust_vtracelog
#endif

#endif /* LTTNG_UST_TRACELOG_H */
