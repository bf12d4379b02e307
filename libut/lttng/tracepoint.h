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
 * LTTng-UST's macros for programs that are instrumented with them: they make
 * events of libut.  See ut_lttng(3).
 *
 * A file that calls tracepoint() has a reference to the event, a struct
 * ut_event without fields.  The provider, which may be in another module, has
 * the event and the function that records it.  Of the two, libut makes one when
 * both are there: see libut/event.c.
 */

#ifndef LTTNG_UST_TRACEPOINT_H
#define LTTNG_UST_TRACEPOINT_H

/* Programs rely on what the original's header includes. */
#include <sys/types.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * A module that has only references can be linked without libut, which then
 * comes with the provider, or is loaded for one that is loaded later.
 */
#ifndef UT_H
#pragma weak ut_module_add
#pragma weak ut_module_remove
#define UT_LINKED(function)	((function) != NULL)
#endif

#include "../ut.h"

/* For compilers, it is no part of the program: see ut.h. */
#pragma GCC system_header

static void UT_HELPER
ut_lttng_module(const char *function)
{
	void *lib = dlopen("libut.so.1", RTLD_LAZY | RTLD_GLOBAL);
	void *f = lib != NULL ? dlsym(lib, function) : NULL;

	if (f != NULL)
		(__extension__ (void (*)(struct ut_module *))f)(
		    &ut_this_module);
}

static void __attribute__((constructor(65001))) UT_HELPER
ut_lttng_module_add(void)
{
	if (!UT_LINKED(ut_module_add) && ut_this_module.begin != NULL &&
	    !ut_this_module.added)
		ut_lttng_module("ut_module_add");
}

static void __attribute__((destructor(65001))) UT_HELPER
ut_lttng_module_remove(void)
{
	if (!UT_LINKED(ut_module_remove) && ut_this_module.added)
		ut_lttng_module("ut_module_remove");
}

#ifdef __cplusplus
#define UT_LTTNG_EXTERN		extern "C"
#else
#define UT_LTTNG_EXTERN		extern
#endif
#define UT_LTTNG_SHARED		__attribute__((visibility("default")))

/*
 * TP_ARGS and TP_FIELDS stay in parentheses: arguments as a list, fields as a
 * sequence of lists without commas, each in parentheses of its own.
 */
#define LTTNG_UST_TP_ARGS(...)		(__VA_ARGS__)
#define LTTNG_UST_TP_FIELDS(...)	(__VA_ARGS__)
#define LTTNG_UST_TP_ENUM_VALUES(...)	__VA_ARGS__

/* m(type, name) for every argument; none for () and (void). */
#define UT_LTTNG_ARGS(m, ...)	\
	UT_CAT(UT_LTTNG_ARGS_, UT_LTTNG_PAIRS(__VA_ARGS__))(m, __VA_ARGS__)
#define UT_LTTNG_PAIRS(...)	UT_LTTNG_PAIRS_(__VA_ARGS__, \
	10, 10, 9, 9, 8, 8, 7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 0, 0)
#define UT_LTTNG_PAIRS_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, \
	a13, a14, a15, a16, a17, a18, a19, a20, n, ...)	n
#define UT_LTTNG_ARGS_0(m, ...)
#define UT_LTTNG_ARGS_1(m, t, a)	m(t, a)
#define UT_LTTNG_ARGS_2(m, t, a, ...)	m(t, a) UT_LTTNG_ARGS_1(m, __VA_ARGS__)
#define UT_LTTNG_ARGS_3(m, t, a, ...)	m(t, a) UT_LTTNG_ARGS_2(m, __VA_ARGS__)
#define UT_LTTNG_ARGS_4(m, t, a, ...)	m(t, a) UT_LTTNG_ARGS_3(m, __VA_ARGS__)
#define UT_LTTNG_ARGS_5(m, t, a, ...)	m(t, a) UT_LTTNG_ARGS_4(m, __VA_ARGS__)
#define UT_LTTNG_ARGS_6(m, t, a, ...)	m(t, a) UT_LTTNG_ARGS_5(m, __VA_ARGS__)
#define UT_LTTNG_ARGS_7(m, t, a, ...)	m(t, a) UT_LTTNG_ARGS_6(m, __VA_ARGS__)
#define UT_LTTNG_ARGS_8(m, t, a, ...)	m(t, a) UT_LTTNG_ARGS_7(m, __VA_ARGS__)
#define UT_LTTNG_ARGS_9(m, t, a, ...)	m(t, a) UT_LTTNG_ARGS_8(m, __VA_ARGS__)
#define UT_LTTNG_ARGS_10(m, t, a, ...)	m(t, a) UT_LTTNG_ARGS_9(m, __VA_ARGS__)

/* For a parameter list and an argument list that have something in front. */
#define UT_LTTNG_PARAMS(...)	UT_LTTNG_ARGS(UT_LTTNG_PARAM, __VA_ARGS__)
#define UT_LTTNG_PARAM(t, a)	, t a __attribute__((unused))
#define UT_LTTNG_TYPES(...)	UT_LTTNG_ARGS(UT_LTTNG_TYPE, __VA_ARGS__)
#define UT_LTTNG_TYPE(t, a)	, t
#define UT_LTTNG_NAMES(...)	UT_LTTNG_ARGS(UT_LTTNG_NAME, __VA_ARGS__)
#define UT_LTTNG_NAME(t, a)	, a

/*
 * Where tracepoints are.  A provider or an event that is itself a macro is
 * expanded once, as by the original.
 */
#define lttng_ust_tracepoint_enabled(p, n)	UT_LTTNG_ON(p, n)
#define UT_LTTNG_ON(p, n)	UT_LISTENS(ut_lttng_ref_##p##___##n)
#define lttng_ust_do_tracepoint(p, ...)		UT_LTTNG_DO(p, __VA_ARGS__)
#define UT_LTTNG_DO(p, n, ...)	\
	ut_lttng_call_##p##___##n(&ut_lttng_ref_##p##___##n, ##__VA_ARGS__)
#define lttng_ust_tracepoint(p, ...)		UT_LTTNG_FIRE(p, __VA_ARGS__)
#define UT_LTTNG_FIRE(p, n, ...)					\
	do {								\
		if (UT_LTTNG_ON(p, n))					\
			UT_LTTNG_DO(p, n, ##__VA_ARGS__);		\
	} while (0)

/*
 * A provider's header is read twice by the file that creates the provider:
 * UT_LTTNG_PASS is ut_declare, then ut_create in tracepoint-event.h.
 */
#define UT_LTTNG_PASS	ut_declare
#define LTTNG_UST_TRACEPOINT_EVENT(p, n, args, fields)	\
	UT_CAT(UT_LTTNG_EVENT_, UT_LTTNG_PASS)(p, n, args, fields)
#define LTTNG_UST_TRACEPOINT_EVENT_CLASS(p, n, args, fields)	\
	UT_CAT(UT_LTTNG_CLASS_, UT_LTTNG_PASS)(p, n, args, fields)
#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(cp, c, p, n, args)	\
	UT_CAT(UT_LTTNG_INSTANCE_, UT_LTTNG_PASS)(cp, c, p, n, args)
#define LTTNG_UST_TRACEPOINT_LOGLEVEL(p, n, level)	\
	UT_CAT(UT_LTTNG_LEVEL_, UT_LTTNG_PASS)(p, n, level)
#define LTTNG_UST_TRACEPOINT_ENUM(p, n, ...)	\
	UT_CAT(UT_LTTNG_ENUM_, UT_LTTNG_PASS)(p, n, __VA_ARGS__)
#define LTTNG_UST_TRACEPOINT_MODEL_EMF_URI(p, n, uri)

#define UT_LTTNG_EVENT_ut_declare(p, n, args, fields)	\
	UT_LTTNG_INSTANCE_ut_declare(p, n, p, n, args)
#define UT_LTTNG_CLASS_ut_declare(p, n, args, fields)
#define UT_LTTNG_LEVEL_ut_declare(p, n, level)
#define UT_LTTNG_ENUM_ut_declare(p, n, ...)

/*
 * The reference, and the call through what libut has stored in it: NULL as long
 * as there is no provider.  The linker has to find the file that has
 * TRACEPOINT_DEFINE, perhaps in an archive: hence the address in asm.
 */
#define UT_LTTNG_INSTANCE_ut_declare(cp, c, p, n, args)			\
	UT_LTTNG_EXTERN void *ut_lttng_define_##p##___##n UT_LTTNG_SHARED; \
	UT_CAT(UT_LTTNG_DEFINE_, UT_LTTNG_DEFINES)(p, n)		\
	static struct ut_event ut_lttng_ref_##p##___##n UT_SECTION = {	\
		0, UT_DEBUG_LINE, #p ":" #n, NULL, NULL, NULL, { 0 },	\
		0, UT_STACKS, NULL, NULL				\
	};								\
	static __inline__ void __attribute__((always_inline)) UT_HELPER	\
	ut_lttng_call_##p##___##n(struct ut_event *ut__e		\
	    UT_LTTNG_PARAMS args)					\
	{								\
		void (*const ut__f)(void) =				\
		    __atomic_load_n(&ut__e->record, __ATOMIC_RELAXED);	\
									\
		__asm__ ("" : : "r" (&ut_lttng_define_##p##___##n));	\
		if (UT_LIKELY(ut__f != NULL))				\
			((void (*)(struct ut_event *			\
			    UT_LTTNG_TYPES args))ut__f)(ut__e		\
			    UT_LTTNG_NAMES args);			\
	}

/* TRACEPOINT_DEFINE: the provider is linked, too, if that can be found now. */
#define UT_LTTNG_DEFINE_ut_nothing(p, n)
#define UT_LTTNG_DEFINE_ut_dynamic(p, n)	\
	void *ut_lttng_define_##p##___##n = NULL;
#define UT_LTTNG_DEFINE_ut_linked(p, n)					\
	UT_LTTNG_EXTERN int ut_lttng_provider_##p UT_LTTNG_SHARED;	\
	void *ut_lttng_define_##p##___##n = &ut_lttng_provider_##p;

/* m(prefix, level) for every level. */
#define UT_LTTNG_LEVELS(m, p)						\
	m(p, EMERG) m(p, ALERT) m(p, CRIT) m(p, ERR) m(p, WARNING)	\
	m(p, NOTICE) m(p, INFO) m(p, DEBUG_SYSTEM) m(p, DEBUG_PROGRAM)	\
	m(p, DEBUG_PROCESS) m(p, DEBUG_MODULE) m(p, DEBUG_UNIT)		\
	m(p, DEBUG_FUNCTION) m(p, DEBUG_LINE) m(p, DEBUG)
#define UT_LTTNG_LEVEL(prefix, level)	prefix##level = UT_##level,
enum { UT_LTTNG_LEVELS(UT_LTTNG_LEVEL, LTTNG_UST_TRACEPOINT_LOGLEVEL_) };

/* The names of LTTng-UST before 2.13. */
#if !defined(LTTNG_UST_COMPAT_API_VERSION) || LTTNG_UST_COMPAT_API_VERSION < 1
#define UT_LTTNG_API_0
#endif
#ifdef UT_LTTNG_API_0
#define TP_ARGS			LTTNG_UST_TP_ARGS
#define TP_FIELDS		LTTNG_UST_TP_FIELDS
#define TP_ENUM_VALUES		LTTNG_UST_TP_ENUM_VALUES
#define tracepoint		lttng_ust_tracepoint
#define do_tracepoint		lttng_ust_do_tracepoint
#define tracepoint_enabled	lttng_ust_tracepoint_enabled
#define TRACEPOINT_EVENT	LTTNG_UST_TRACEPOINT_EVENT
#define TRACEPOINT_EVENT_CLASS	LTTNG_UST_TRACEPOINT_EVENT_CLASS
#define _TRACEPOINT_EVENT_INSTANCE	LTTNG_UST_TRACEPOINT_EVENT_INSTANCE
#define TRACEPOINT_LOGLEVEL	LTTNG_UST_TRACEPOINT_LOGLEVEL
#define TRACEPOINT_ENUM		LTTNG_UST_TRACEPOINT_ENUM
#define TRACEPOINT_MODEL_EMF_URI	LTTNG_UST_TRACEPOINT_MODEL_EMF_URI

/* Four arguments, or five with the provider of the class in front. */
#define TRACEPOINT_EVENT_INSTANCE(...)	\
	UT_CAT(UT_LTTNG_INSTANCE_, UT_LTTNG_FOUR(__VA_ARGS__, 5, 4, 3, 2, 1)) \
	    (__VA_ARGS__)
#define UT_LTTNG_FOUR(a1, a2, a3, a4, a5, n, ...)	n
#define UT_LTTNG_INSTANCE_4(p, c, n, args)	\
	LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(p, c, p, n, args)
#define UT_LTTNG_INSTANCE_5(cp, c, p, n, args)	\
	LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(cp, c, p, n, args)

enum { UT_LTTNG_LEVELS(UT_LTTNG_LEVEL, TRACE_) };
#endif

#endif /* LTTNG_UST_TRACEPOINT_H */

/*
 * Every provider's header looks at what the file has defined, for that may have
 * been after the first of them was read.
 */
#undef UT_LTTNG_DEFINES
#if !defined(LTTNG_UST_TRACEPOINT_DEFINE) && \
    !(defined(UT_LTTNG_API_0) && defined(TRACEPOINT_DEFINE))
#define UT_LTTNG_DEFINES	ut_nothing
#elif defined(LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE) || \
    (defined(UT_LTTNG_API_0) && defined(TRACEPOINT_PROBE_DYNAMIC_LINKAGE))
#define UT_LTTNG_DEFINES	ut_dynamic
#else
#define UT_LTTNG_DEFINES	ut_linked
#endif
