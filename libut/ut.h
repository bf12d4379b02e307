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
 * libut: trace events of a program.  See ut(3).
 *
 * C99, C11 and C++11, with the extensions that gcc and clang share; C89 with
 * more of them: hence __inline__, since inline is no keyword for -ansi.
 */

#ifndef UT_H
#define UT_H

/*
 * The macros that stand in a program's functions.  Both utd and utctl know what
 * events look like, and have none of their own.
 */
#ifndef UT_NO_EVENTS

/* UT_ON(provider, event): is anyone listening? */
#define UT_ON(provider, event)	(UT_LISTENS(ut__##provider##__##event) != 0)
#define UT_LISTENS(ev)	\
	UT_UNLIKELY(__atomic_load_n(&(ev).on, __ATOMIC_RELAXED) != 0)

/* UT(provider, event, arguments...) */
#define UT(provider, ...)	UT_FIRE(ut__##provider##__##__VA_ARGS__)
#define UT_FIRE(...)	\
	UT_CAT(UT_FIRE_, UT_ONE(__VA_ARGS__))(__VA_ARGS__)
#define UT_FIRE_ut_1(ev)						\
	do {								\
		if (UT_LISTENS(ev))					\
			ut_record_##ev(&ev);				\
	} while (0)
#define UT_FIRE_ut_n(ev, ...)						\
	do {								\
		if (UT_LISTENS(ev))					\
			ut_record_##ev(&ev, __VA_ARGS__);		\
	} while (0)

/*
 * Spans are UT_BEGIN(provider, span, arguments...), UT_END(provider, span).
 * UT_SCOPE(provider, span, arguments...) is a declaration, and its end is that
 * of the block.
 */
#define UT_BEGIN(provider, ...)	UT_BEGUN(ut__##provider##__##__VA_ARGS__)
#define UT_BEGUN(...)	\
	UT_CAT(UT_BEGUN_, UT_ONE(__VA_ARGS__))(__VA_ARGS__)
#define UT_BEGUN_ut_1(ev)	UT_FIRE_ut_1(ev##_begin)
#define UT_BEGUN_ut_n(ev, ...)	UT_FIRE_ut_n(ev##_begin, __VA_ARGS__)
#define UT_END(provider, ...)	UT_ENDED(ut__##provider##__##__VA_ARGS__)
#define UT_ENDED(...)	\
	UT_CAT(UT_ENDED_, UT_ONE(__VA_ARGS__))(__VA_ARGS__)
#define UT_ENDED_ut_1(ev)	UT_FIRE_ut_1(ev##_end)
#define UT_ENDED_ut_n(ev, ...)	UT_FIRE_ut_n(ev##_end, __VA_ARGS__)
#define UT_SCOPE(provider, ...)	UT_SCOPED(ut__##provider##__##__VA_ARGS__)
#define UT_SCOPED(...)	\
	UT_CAT(UT_SCOPED_, UT_ONE(__VA_ARGS__))(__VA_ARGS__)
#define UT_SCOPED_ut_1(ev)						\
	UT_SCOPE_VAR(ev, UT_CAT(ut_at_##ev##_, __LINE__),		\
	    UT_LISTENS(ev##_begin) ?					\
	    ut_record_##ev##_begin(&ev##_begin) : (void)0)
#define UT_SCOPED_ut_n(ev, ...)						\
	UT_SCOPE_VAR(ev, UT_CAT(ut_at_##ev##_, __LINE__),		\
	    UT_LISTENS(ev##_begin) ?					\
	    ut_record_##ev##_begin(&ev##_begin, __VA_ARGS__) : (void)0)

/*
 * UT_LOG(level, format, arguments...): the event ut:log, which, alone of
 * all, comes in every level.  UT_VLOG(level, format, va_list) records it for a
 * function that has the arguments from its caller.
 */
#define UT_LOG(level, ...)	UT_LOG_BY(ut_log, level, __VA_ARGS__)
#define UT_VLOG(level, format, ap)	UT_LOG_BY(ut_vlog, level, format, ap)
#define UT_LOG_BY(log, level, ...)					\
	do {								\
		struct ut_event *ut_log_e = ut_log_event(level);	\
		if (UT_LISTENS(*ut_log_e))				\
			log(ut_log_e, __FILE__, __LINE__, UT_FUNC,	\
			    __VA_ARGS__);				\
	} while (0)

#endif /* UT_NO_EVENTS */

/*
 * From here on compilers do not warn, or -Wold-style-cast and its like would
 * complain about every event.  Above they do, of the program's arguments.
 */
#if __INCLUDE_LEVEL__ > 0
#pragma GCC system_header
#endif

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* NetBSD makes __func__ a name with types, in C++ and in C before C99. */
#ifdef __func__
#define UT_FUNC		__FUNCTION__
#else
#define UT_FUNC		__func__
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Functions in here: not all are used, none is to be instrumented. */
#define UT_HELPER	__attribute__((unused, no_instrument_function))

/*
 * Each file has its own events.  With modules of C++, which __cpp_modules tells
 * of, templates and inline functions may be exported, and then used in a file
 * that has none: so these are known outside, and of several that are alike the
 * linker takes one.
 */
#if defined(__cplusplus) && defined(__cpp_modules)
#define UT_OWN		__attribute__((weak))
#define UT_OWN_INLINE	inline
#else
#define UT_OWN		static
#define UT_OWN_INLINE	static __inline__
#endif

/* Version of the structures below: a module built for another is refused. */
#define UT_VERSION	2

/* Log levels, the most severe first. */
#define UT_EMERG		0
#define UT_ALERT		1
#define UT_CRIT			2
#define UT_ERR			3
#define UT_WARNING		4
#define UT_NOTICE		5
#define UT_INFO			6
#define UT_DEBUG_SYSTEM		7
#define UT_DEBUG_PROGRAM	8
#define UT_DEBUG_PROCESS	9
#define UT_DEBUG_MODULE		10
#define UT_DEBUG_UNIT		11
#define UT_DEBUG_FUNCTION	12
#define UT_DEBUG_LINE		13
#define UT_DEBUG		14

/* Regions that a program can be attached to at once. */
#define UT_REGIONS	32

/*
 * One value, or a range of them, of an enumeration.  Both are signed if the
 * field is, else to be read as unsigned.  1 and 0 are UT_AUTO's.
 */
struct ut_value {
	const char	*name;
	int64_t		 low;
	int64_t		 high;
};

struct ut_enum {
	const char		*name;
	const struct ut_value	*values;
	size_t			 nvalues;
};

/* One field of an event, as it stands in the trace. */
struct ut_field {
	const char		*name;		/* NULL ends the list */
	const struct ut_enum	*enumeration;	/* for UT_KIND_ENUM */
	uint32_t		 count;		/* elements, of ARRAY, TEXT */
#define UT_KIND_INT	1
#define UT_KIND_FLOAT	2
#define UT_KIND_STRING	3	/* bytes, then a NUL */
#define UT_KIND_TEXT	4	/* count bytes, padded with NULs */
#define UT_KIND_ARRAY	5	/* count elements */
#define UT_KIND_SEQ	6	/* 32-bit number of elements, elements */
#define UT_KIND_ENUM	7
	uint8_t			 kind;
	uint8_t			 size;		/* bytes of one element */
#define UT_F_SIGNED	0x01
#define UT_F_HEX	0x02
#define UT_F_BE		0x04	/* network byte order */
#define UT_F_FLOAT	0x08	/* the elements of ARRAY, SEQ */
#define UT_F_TEXT	0x10	/* the elements of SEQ are a string's bytes */
	uint8_t			 flags;
	uint8_t			 reserved;
};

/*
 * One event, one of these in every file that traces it.  They lie side by
 * side in the section ut_events, so the alignment is also the stride.
 */
struct ut_event {
	/*
	 * Not 0: a region listens.  All else in it is libut's.  Volatile, or
	 * clang takes it for constant where no code of the file can store to
	 * it.
	 */
	volatile uint32_t	 on;
	int32_t			 level;
	const char		*name;	/* "provider:event" */
	const struct ut_field	*fields;
	struct ut_event		*twin;	/* libut's: next of the same name */
	void			*type;	/* libut's: what the twins share */
	uint16_t		 id[UT_REGIONS]; /* libut's, 0 is none */
	uint32_t		 mask;	/* libut's: who listens, a bit each */
	uint32_t		 caller; /* not 0: calls ut_begin_at */
	void			*filters; /* libut's: of those who have one */
	/*
	 * Records the event for its references, those of its name without
	 * fields, into which libut copies this: see event.c.  UT_SEMAPHORE: the
	 * address of the semaphore.
	 */
	void			(*record)(void);
} __attribute__((aligned(64)));

/* A program or shared library with events of its own. */
struct ut_module {
	uint32_t		 version;
	uint32_t		 size;	/* size of struct ut_event */
	struct ut_event		*begin;
	struct ut_event		*end;
	struct ut_module	*next;	/* libut's */
	uint32_t		 added;	/* libut's */
};

/*
 * An event on its way into the regions that listen.  libut's; programs know
 * its size, which stays.
 */
struct ut_record {
	const struct ut_event	*event;
	void			*level;
	void			*writer;
	uint64_t		 time;
	size_t			 len;
	void			*own;
	uint32_t		 clock;	/* UT_CLOCK_ of time */
	uint32_t		 mask;
	uint32_t		 on;
};

#ifndef UT_NO_EVENTS

/*
 * The functions that events call are bound when the module is loaded, and not
 * in the middle of the first event: that may be in a signal handler with a
 * small stack, of which the run-time linker takes 3,000 bytes and more to save
 * all registers.
 */
#if defined(__has_attribute)
#if __has_attribute(noplt)
#define UT_BOUND	__attribute__((noplt))
#endif
#endif
#ifndef UT_BOUND
#define UT_BOUND
#endif

void		 ut_module_add(struct ut_module *);
void		 ut_module_remove(struct ut_module *);
UT_BOUND
unsigned char	*ut_begin(struct ut_record *, struct ut_event *, size_t);
UT_BOUND
unsigned char	*ut_begin_at(struct ut_record *, void *);
UT_BOUND
unsigned char	*ut_commit(struct ut_record *);
int		 ut_threads(int);
int		 ut_context(const char *, uint64_t (*)(void));
UT_BOUND
void		 ut_log(struct ut_event *, const char *, int, const char *,
		    const char *, ...) __attribute__((format(printf, 5, 6)));
UT_BOUND
void		 ut_vlog(struct ut_event *, const char *, int, const char *,
		    const char *, va_list)
		    __attribute__((format(printf, 5, 0)));

/* For lttng/tracepoint.h, which can do without libut. */
#ifndef UT_LINKED
#define UT_LINKED(function)	1
#endif

#ifndef UT_NO_MODULE		/* libut has no events of its own */

/*
 * Every module finds its own events between two symbols that the linker
 * makes, and hands them to libut before its other constructors run.  All
 * files of a module share one ut_module.
 */
extern struct ut_event __start_ut_events[]
    __attribute__((weak, visibility("hidden")));
extern struct ut_event __stop_ut_events[]
    __attribute__((weak, visibility("hidden")));
extern struct ut_module ut_this_module
    __attribute__((weak, visibility("hidden")));
struct ut_module ut_this_module = {
	UT_VERSION, (uint32_t)sizeof(struct ut_event), NULL, NULL, NULL, 0
};

/* The C library's functions for strings and arrays are bound by a call. */
static void UT_HELPER
ut_bind(void)
{
	static char text[1];
	char *volatile s = text;
	volatile size_t n = 0;

	n = strlen(s);
	memcpy(s, text, n);
	memset(s, 0, n);
}

static void __attribute__((constructor(65000))) UT_HELPER
ut_this_module_add(void)
{
	ut_this_module.begin = __start_ut_events;
	ut_this_module.end = __stop_ut_events;
	if (!ut_this_module.added && ut_this_module.begin != NULL &&
	    UT_LINKED(ut_module_add)) {
		ut_bind();
		ut_module_add(&ut_this_module);
	}
}

static void __attribute__((destructor(65000))) UT_HELPER
ut_this_module_remove(void)
{
	if (ut_this_module.added && UT_LINKED(ut_module_remove))
		ut_module_remove(&ut_this_module);
}

#endif /* UT_NO_MODULE */

#define UT_SECTION	__attribute__((section("ut_events"), unused))
#define UT_LIKELY(c)	__builtin_expect(!!(c), 1)
#define UT_UNLIKELY(c)	__builtin_expect(!!(c), 0)

/*
 * Preprocessor: pasting, and choosing by the number of arguments.
 */
#define UT_CAT(a, b)	UT_CAT_(a, b)
#define UT_CAT_(a, b)	a##b

/*
 * ut_1 for one argument, ut_n for 2 to 33.  A word in a result begins with
 * ut_, for any other may be a macro of the program's.
 */
#define UT_ONE(...)	UT_ONE_(__VA_ARGS__, \
	ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, \
	ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, \
	ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_n, ut_1, 0)
#define UT_ONE_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, \
	a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, \
	a27, a28, a29, a30, a31, a32, a33, n, ...)	n

#define UT_FIRST(...)		UT_FIRST_(__VA_ARGS__, 0)
#define UT_FIRST_(a, ...)	a

/* The fields, from UT_I8 to UT_SEQ, and UT_ENUMERATION. */
#include "ut_field.h"

/*
 * The level: what stands first, or nothing if that is a field, which has
 * commas in parentheses.  UT_LEVEL_VALUE is 0 then.
 */
#define UT_LEVEL(...)	UT_LEVEL_(UT_FIRST(__VA_ARGS__))
#define UT_LEVEL_VALUE(...)	(UT_LEVEL(__VA_ARGS__) + 0)
#define UT_LEVEL_(a)	UT_CAT(UT_LEVEL_, UT_ONE(UT_COMMA a))(a)
#define UT_LEVEL_ut_1(a)	a
#define UT_LEVEL_ut_n(a)
#define UT_COMMA(...)	UT_CAT(UT_COMMA_, UT_ONE(__VA_ARGS__))
#define UT_COMMA_ut_1	0
#define UT_COMMA_ut_n	,

/* An argument, expanded, as a string. */
#define UT_STRING(...)	UT_STRING_(__VA_ARGS__)
#define UT_STRING_(...)	#__VA_ARGS__

/* Where the function that records the event was called. */
#define UT_CALLER() \
	__builtin_extract_return_addr(__builtin_return_address(0))

/* The event says so; those of wrappers say where the program has called. */
#define UT_FROM()	UT_CALLER()

/* ut_event.caller: 2 for an event without a stack, where others have one. */
#define UT_STACKS	1
#define UT_STACKLESS	2
#define UT_SEMAPHORE	4	/* ut_event.record is one, no function */

/*
 * UT_SEMICOLON lets a semicolon follow, as after a declaration, or none: C has
 * no empty declaration, but for one with that word in front.
 */
#ifdef __cplusplus
#define UT_SEMICOLON
#define UT_ASSERT(word, condition, text)	static_assert(condition, text)
#elif !defined _Static_assert
#define UT_SEMICOLON	__extension__
#define UT_ASSERT(word, condition, text)	\
	__extension__ _Static_assert(condition, text)
#else	/* glibc's, in strict C99, which drops the text */
#define UT_SEMICOLON	__extension__
#define UT_ASSERT(word, condition, text)	\
	extern int ut_assert[!!sizeof(struct {				\
		int word : (condition) ? (int)sizeof(int) * 8 : -1; })]
#endif

/*
 * A variable that records the end of a span when its block is left, in
 * whatever way.  The end is recorded at the place that leaves: hence inlined.
 */
#ifdef __cplusplus
extern "C++" {
class ut_scope {
	struct ut_event	*end;
	void		(*record)(struct ut_event *);

	ut_scope(const ut_scope &) = delete;
	ut_scope &operator=(const ut_scope &) = delete;
public:
	__attribute__((always_inline, no_instrument_function))
	ut_scope(struct ut_event *e, void (*r)(struct ut_event *)) :
	    end(e), record(r) {}
	__attribute__((always_inline, no_instrument_function))
	~ut_scope()
	{
		if (UT_LISTENS(*end))
			record(end);
	}
};
}

#define UT_SPAN_LEAVE(ev)
#define UT_SCOPE_VAR(ev, var, begin)				\
	const ut_scope var(((void)(begin), &ev##_end),		\
	    ut_record_##ev##_end)
#else
#define UT_SPAN_LEAVE(ev)						\
	static __inline__ void __attribute__((always_inline)) UT_HELPER	\
	ut_leave_##ev(const char *ut__var)				\
	{								\
		(void)ut__var;						\
		if (UT_LISTENS(ev##_end))				\
			ut_record_##ev##_end(&ev##_end);		\
	}
#define UT_SCOPE_VAR(ev, var, begin)					\
	const char var __attribute__((cleanup(ut_leave_##ev), unused)) = \
	    ((void)(begin), 0)
#endif

/*
 * UT_EVENT(provider, event, level, fields...); at file scope.
 *
 * What is made for an event has the event's name last: whatever comes after it
 * might be another event's.
 */
#define UT_EVENT(provider, event, ...) \
	UT_EVENT_(ut__##provider##__##event, #provider ":" #event, __VA_ARGS__)
#define UT_EVENT_(ev, str, ...)						\
	UT_ASSERT(ut_event_has_no_level,				\
	    sizeof(UT_STRING(UT_LEVEL(__VA_ARGS__))) > 1,		\
	    str " has no level: UT_EVENT(provider, event, level, fields...)"); \
	UT_CLASS(ev, str, __VA_ARGS__)					\
	UT_MEMBER(ev, ev, str, UT_LEVEL_VALUE(__VA_ARGS__));		\
	UT_VIEWS(ev, __VA_ARGS__) UT_SEMICOLON

/* The event of the class: only that lies in the section. */
#define UT_MEMBER(class, ev, str, level)				\
	UT_ASSERT(ut_event_has_a_level_that_does_not_exist,		\
	    (level) >= UT_EMERG && (level) <= UT_DEBUG,			\
	    str " has a level that is not one of UT_EMERG to UT_DEBUG"); \
	UT_OWN struct ut_event ev UT_SECTION = {			\
		0, level, str, ut_fields_##class, NULL, NULL, { 0 }, 0,	\
		UT_STACKS, NULL, NULL					\
	}

/* UT_CLASS: the fields and the function that all its events share. */
#define UT_CLASS(ev, str, ...)						\
	UT_ASSERT(ut_event_has_more_than_16_fields,			\
	    sizeof(UT_STRING(UT_REST(__VA_ARGS__))) <= sizeof("16"),	\
	    str " has more than 16 fields");				\
	static const struct ut_field __attribute__((unused))		\
	ut_fields_##ev[] = {						\
		UT_EACH(UT_DESC, __VA_ARGS__)				\
		{ NULL, NULL, 0, 0, 0, 0, 0 }				\
	};								\
	UT_OWN void __attribute__((noinline)) UT_HELPER			\
	ut_record_##ev(struct ut_event *ut__e				\
	    UT_EACH(UT_PARAM, __VA_ARGS__))				\
	{								\
		struct ut_record ut__r;					\
		unsigned char *ut__p;					\
		UT_EACH(UT_VAR, __VA_ARGS__)				\
		ut__p = ut_begin(&ut__r, ut__e,				\
		    (size_t)0 UT_EACH(UT_LEN, __VA_ARGS__));		\
		if (UT_UNLIKELY(ut__p == NULL))				\
			ut__p = ut_begin_at(&ut__r, UT_FROM());		\
		while (ut__p != NULL) {					\
			UT_EACH(UT_PUT, __VA_ARGS__)			\
			ut__p = ut_commit(&ut__r);			\
		}							\
	}

/*
 * UT_EVENT_CLASS(provider, class, fields...), and UT_EVENT_OF(provider of the
 * class, class, provider, event, level): many events that share one function.
 */
#define UT_EVENT_CLASS(provider, class, ...)				\
	UT_CLASS(ut_class__##provider##__##class,			\
	    #provider ":" #class, 0, __VA_ARGS__) UT_SEMICOLON
#define UT_EVENT_OF(of, class, provider, event, level)			\
	UT_OF(ut_class__##of##__##class, ut__##provider##__##event,	\
	    #provider ":" #event, level)
#define UT_OF(class, ev, str, level)					\
	UT_MEMBER(class, ev, str, level);				\
	static __typeof__(ut_record_##class) *const			\
	    __attribute__((unused)) ut_record_##ev = ut_record_##class;	\
	UT_SEMICOLON

/*
 * UT_SPAN(provider, span, level, fields...): the events span_begin, which has
 * the fields, and span_end, which has none; at file scope.
 */
#define UT_SPAN(provider, span, ...)					\
	UT_EVENT_(ut__##provider##__##span##_begin,			\
	    #provider ":" #span "_begin", __VA_ARGS__)			\
	UT_EVENT_(ut__##provider##__##span##_end,			\
	    #provider ":" #span "_end", UT_LEVEL(__VA_ARGS__))		\
	UT_SPAN_LEAVE(ut__##provider##__##span) UT_SEMICOLON

#define UT_LOG_EVENT(level)	\
	{ 0, level, "ut:log", ut_log_fields, NULL, NULL, { 0 }, 0, 1, NULL, \
	NULL }

static const struct ut_field __attribute__((unused)) ut_log_fields[] = {
	{ "msg", NULL, 0, UT_KIND_STRING, 1, 0, 0 },
	{ "file", NULL, 0, UT_KIND_STRING, 1, 0, 0 },
	{ "line", NULL, 0, UT_KIND_INT, (uint8_t)sizeof(int), UT_F_SIGNED, 0 },
	{ "func", NULL, 0, UT_KIND_STRING, 1, 0, 0 },
	{ NULL, NULL, 0, 0, 0, 0, 0 }
};

UT_OWN struct ut_event ut_log_events[] UT_SECTION = {
	UT_LOG_EVENT(UT_EMERG), UT_LOG_EVENT(UT_ALERT),
	UT_LOG_EVENT(UT_CRIT), UT_LOG_EVENT(UT_ERR),
	UT_LOG_EVENT(UT_WARNING), UT_LOG_EVENT(UT_NOTICE),
	UT_LOG_EVENT(UT_INFO), UT_LOG_EVENT(UT_DEBUG_SYSTEM),
	UT_LOG_EVENT(UT_DEBUG_PROGRAM), UT_LOG_EVENT(UT_DEBUG_PROCESS),
	UT_LOG_EVENT(UT_DEBUG_MODULE), UT_LOG_EVENT(UT_DEBUG_UNIT),
	UT_LOG_EVENT(UT_DEBUG_FUNCTION), UT_LOG_EVENT(UT_DEBUG_LINE),
	UT_LOG_EVENT(UT_DEBUG)
};

UT_OWN_INLINE struct ut_event * UT_HELPER
ut_log_event(int level)
{
	return &ut_log_events[level < UT_EMERG || level > UT_DEBUG ?
	    UT_DEBUG : level];
}

#endif /* UT_NO_EVENTS */

#ifdef __cplusplus
}
#endif

#endif /* UT_H */
