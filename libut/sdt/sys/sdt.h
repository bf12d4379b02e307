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
 * The probes of DTrace and SystemTap, as events of libut.  See ut_sdt(3).
 *
 * A probe's event is the probe's own, at each place, and so is the description
 * of its arguments, of which only the place knows the types.
 */

#ifndef _SYS_SDT_H
#define _SYS_SDT_H

#include <ut.h>

/* For compilers, it is no part of the program: see ut.h. */
#pragma GCC system_header

#define STAP_PROBEV(provider, ...)					\
	UT_SDT(UT_STRING(provider) ":" UT_STRING(UT_FIRST(__VA_ARGS__)), \
	    UT_SDT_SEMAPHORE(provider, UT_FIRST(__VA_ARGS__)), __VA_ARGS__)

#define STAP_PROBE	STAP_PROBEV
#define STAP_PROBE0	STAP_PROBEV
#define STAP_PROBE1	STAP_PROBEV
#define STAP_PROBE2	STAP_PROBEV
#define STAP_PROBE3	STAP_PROBEV
#define STAP_PROBE4	STAP_PROBEV
#define STAP_PROBE5	STAP_PROBEV
#define STAP_PROBE6	STAP_PROBEV
#define STAP_PROBE7	STAP_PROBEV
#define STAP_PROBE8	STAP_PROBEV
#define STAP_PROBE9	STAP_PROBEV
#define STAP_PROBE10	STAP_PROBEV
#define STAP_PROBE11	STAP_PROBEV
#define STAP_PROBE12	STAP_PROBEV

#define DTRACE_PROBE	STAP_PROBEV
#define DTRACE_PROBE0	STAP_PROBEV
#define DTRACE_PROBE1	STAP_PROBEV
#define DTRACE_PROBE2	STAP_PROBEV
#define DTRACE_PROBE3	STAP_PROBEV
#define DTRACE_PROBE4	STAP_PROBEV
#define DTRACE_PROBE5	STAP_PROBEV
#define DTRACE_PROBE6	STAP_PROBEV
#define DTRACE_PROBE7	STAP_PROBEV
#define DTRACE_PROBE8	STAP_PROBEV
#define DTRACE_PROBE9	STAP_PROBEV
#define DTRACE_PROBE10	STAP_PROBEV
#define DTRACE_PROBE11	STAP_PROBEV
#define DTRACE_PROBE12	STAP_PROBEV

/* The program defines the semaphore, and says so before it includes this. */
#ifdef _SDT_HAS_SEMAPHORES
#define UT_SDT_CALLER	(UT_STACKS | UT_SEMAPHORE)
#define UT_SDT_SEMAPHORE(provider, name)	\
	UT_SDT_SEMAPHORE_(provider, name)
#define UT_SDT_SEMAPHORE_(provider, name)	\
	((void (*)(void))(void *)&provider##_##name##_semaphore)
#else
#define UT_SDT_CALLER	UT_STACKS
#define UT_SDT_SEMAPHORE(provider, name)	NULL
#endif

/*
 * Fields by their types, which are not known before they are compiled.  The
 * headers that `utctl dtrace -h' writes have such fields, too.
 */
#define UT_SDT_KINDS	"an argument of a probe is a number or a pointer"
#ifdef __cplusplus
extern "C++" {
template <class ut_t>
struct ut_type {
	static_assert(!__is_class(ut_t) && !__is_union(ut_t) &&
	    sizeof(ut_t) <= 8, UT_SDT_KINDS);
	enum {
		all = UT_FLAGS(ut_t), flags = all & UT_F_SIGNED,
		kind = all & UT_F_FLOAT ? UT_KIND_FLOAT : UT_KIND_INT
	};
};
template <class ut_t>
struct ut_type<ut_t *> {
	enum { kind = UT_KIND_INT, flags = UT_F_HEX };
};
template <>
struct ut_type<decltype(nullptr)> : ut_type<void *> {};
}

#define UT_TYPE_KIND(type)	(uint8_t)ut_type<type>::kind
#define UT_TYPE_FLAGS(type)	(uint8_t)ut_type<type>::flags
#else
/* The class is 5 for pointers and 8 for floating point, by gcc and clang. */
#define UT_TYPE_CLASS(type)	__builtin_classify_type((type)0)
#define UT_TYPE_KIND(type)	\
	(UT_TYPE_CLASS(type) == 8 ? UT_KIND_FLOAT : UT_KIND_INT)
#define UT_TYPE_FLAGS(type)	(UT_TYPE_CLASS(type) == 5 ? UT_F_HEX : \
	UT_TYPE_OF(type, -1) < UT_TYPE_OF(type, 1) ? UT_F_SIGNED : 0)
#define UT_TYPE_OF(type, n)	\
	__builtin_choose_expr(UT_TYPE_CLASS(type) == 5, 0, (type)n)
#endif

#define UT_TYPED(name, str, type)	UT_NUM(name, str, type, type, \
	UT_TYPE_KIND(type), UT_TYPE_FLAGS(type))

/* Text of a length that another argument says: it may have no NUL. */
#define UT_PARAM_ut_sized(name, str, length)	, const char *name
#define UT_VAR_ut_sized(name, str, length)	\
	const size_t ut__l_##name =		\
	    ut_seqlen(name, (length) > 0 ? (size_t)(length) : 0, 1);
#define UT_LEN_ut_sized(name, str, length)	+ 4 + ut__l_##name
#define UT_PUT_ut_sized(name, str, length)	\
	ut__p = ut_put_seq(ut__p, name, ut__l_##name, 1);
#define UT_DESC_ut_sized(name, str, length)	\
	{ str, NULL, 0, UT_KIND_SEQ, 1, UT_F_TEXT, 0 },
#define UT_IS_STRN_ut_sized

/* The names of arguments, as SystemTap has them. */
static const char __attribute__((unused)) ut_sdt_names[] =
    "arg1\0 arg2\0 arg3\0 arg4\0 arg5\0 arg6\0 "
    "arg7\0 arg8\0 arg9\0 arg10\0arg11\0arg12";
#define UT_SDT_NAME(i)	&ut_sdt_names[6 * (i)]

#ifdef __cplusplus
extern "C++" {

/* Has one event, alone: functions of C++ cannot share a section. */
struct ut_sdt_module : ut_module {
	ut_sdt_module(struct ut_event *event, struct ut_field *fields,
	    size_t n, void (*semaphore)(void)) : ut_module()
	{
		while (n-- > 0)
			fields[n].name = UT_SDT_NAME(n);
		event->record = semaphore;
		version = UT_VERSION;
		size = (uint32_t)sizeof(*event);
		begin = event;
		end = event + 1;
		ut_module_add(this);
	}
	~ut_sdt_module() { ut_module_remove(this); }
};

/*
 * Each library has its own, hidden: it could not be unloaded otherwise.  The
 * module is added when the program begins, even if no probe is ever reached.
 */
template <class ut__p, class... ut_a>
struct __attribute__((visibility("hidden"))) ut_sdt {
	static struct ut_field	fields[sizeof...(ut_a) + 1];
	static struct ut_event	event;
	static ut_sdt_module	module;

	static void __attribute__((noinline, no_instrument_function))
	record(ut_a... a)
	{
		struct ut_record r;
		unsigned char *p;
		size_t n = 0;
		const bool sized[] = { true, ((n += sizeof(a)) > 0)... };

		(void)&module;
		(void)sized;
		p = ut_begin(&r, &event, n);
		if (UT_UNLIKELY(p == NULL))
			p = ut_begin_at(&r, UT_CALLER());
		while (p != NULL) {
			const bool put[] = { true,
			    (p = ut_put(p, &a, sizeof(a))) != NULL... };

			(void)put;
			p = ut_commit(&r);
		}
	}
};
template <class ut__p, class... ut_a>
struct ut_field ut_sdt<ut__p, ut_a...>::fields[sizeof...(ut_a) + 1] = {
	{ NULL, NULL, 0, UT_TYPE_KIND(ut_a), (uint8_t)sizeof(ut_a),
	    UT_TYPE_FLAGS(ut_a), 0 }...,
	{ NULL, NULL, 0, 0, 0, 0, 0 }
};
template <class ut__p, class... ut_a>
struct ut_event ut_sdt<ut__p, ut_a...>::event = {
	0, UT_INFO, ut__p::name(), fields, NULL, NULL, { 0 }, 0, UT_SDT_CALLER,
	NULL, NULL
};
template <class ut__p, class... ut_a>
ut_sdt_module ut_sdt<ut__p, ut_a...>::module(&event, fields, sizeof...(ut_a),
    ut__p::semaphore());

template <class ut__p, class... ut_a>
ut_sdt<ut__p, ut_a...> ut_sdt_of(ut_a...);
}

#define UT_SDT(str, sem, ...)						\
	do {								\
		struct ut__p {						\
			static constexpr const char *name() { return str; } \
			static void (*semaphore())(void) { return sem; } \
		};							\
		typedef decltype(::ut_sdt_of<ut__p>(			\
		    UT_SDT_ARGS(__VA_ARGS__))) ut__s;			\
		if (UT_LISTENS(ut__s::event))				\
			ut__s::record(UT_SDT_ARGS(__VA_ARGS__));	\
	} while (0)
#define UT_SDT_ARGS(...)	\
	UT_CAT(UT_SDT_ARGS_, UT_ONE(__VA_ARGS__))(__VA_ARGS__)
#define UT_SDT_ARGS_ut_1(name)
#define UT_SDT_ARGS_ut_n(name, ...)	__VA_ARGS__

#else /* __cplusplus */

/* The place of the probe called this, and not what it calls. */
static __inline__ unsigned char * __attribute__((noinline)) UT_HELPER
ut_sdt_begin_at(struct ut_record *r)
{
	unsigned char *p = ut_begin_at(r, UT_CALLER());

	__asm__ volatile("" : : : "memory");
	return p;
}

#define UT_SDT(str, sem, ...)						\
	do {								\
		static const struct ut_field ut__f[] = {		\
			UT_SDT_EACH(UT_SDT_DESC, __VA_ARGS__)		\
			{ NULL, NULL, 0, 0, 0, 0, 0 }			\
		};							\
		static struct ut_event ut__e UT_SECTION = {		\
			0, UT_INFO, str, ut__f, NULL, NULL, { 0 }, 0,	\
			UT_SDT_CALLER, NULL, sem			\
		};							\
		if (UT_LISTENS(ut__e)) {				\
			struct ut_record ut__r;				\
			unsigned char *ut__p;				\
			UT_SDT_EACH(UT_SDT_VAR, __VA_ARGS__)		\
			ut__p = ut_begin(&ut__r, &ut__e, (size_t)0	\
			    UT_SDT_EACH(UT_SDT_LEN, __VA_ARGS__));	\
			if (UT_UNLIKELY(ut__p == NULL))			\
				ut__p = ut_sdt_begin_at(&ut__r);	\
			while (ut__p != NULL) {				\
				UT_SDT_EACH(UT_SDT_PUT, __VA_ARGS__)	\
				ut__p = ut_commit(&ut__r);		\
			}						\
		}							\
	} while (0)

/* An argument's type: that of an array is a pointer. */
#define UT_SDT_TYPE(a)		__typeof__(((void)0, (a)))
#define UT_SDT_DESC(n, k, a)	{ UT_SDT_NAME(n - k), NULL, 0,	\
	UT_TYPE_KIND(UT_SDT_TYPE(a)), (uint8_t)sizeof(UT_SDT_TYPE(a)),	\
	UT_TYPE_FLAGS(UT_SDT_TYPE(a)), 0 },
#define UT_SDT_VAR(n, k, a)						\
	const UT_SDT_TYPE(a) ut__a##k = (a);				\
	UT_ASSERT(ut_sdt, sizeof(ut__a##k) <= 8, UT_SDT_KINDS);
#define UT_SDT_LEN(n, k, a)	+ sizeof(ut__a##k)
#define UT_SDT_PUT(n, k, a)	\
	ut__p = ut_put(ut__p, &ut__a##k, sizeof(ut__a##k));

/* m(n, k, argument) for all n arguments behind the name, k from n down to 1. */
#define UT_SDT_EACH(m, ...)	UT_SDT_N(m, UT_REST(__VA_ARGS__), __VA_ARGS__)
#define UT_SDT_N(m, n, ...)	UT_CAT(UT_SDT_, n)(m, n, __VA_ARGS__, 0)
#define UT_SDT_0(m, n, ...)
#define UT_SDT_1(m, n, e, a, ...) m(n, 1, a) UT_SDT_0(m, n, e, __VA_ARGS__)
#define UT_SDT_2(m, n, e, a, ...) m(n, 2, a) UT_SDT_1(m, n, e, __VA_ARGS__)
#define UT_SDT_3(m, n, e, a, ...) m(n, 3, a) UT_SDT_2(m, n, e, __VA_ARGS__)
#define UT_SDT_4(m, n, e, a, ...) m(n, 4, a) UT_SDT_3(m, n, e, __VA_ARGS__)
#define UT_SDT_5(m, n, e, a, ...) m(n, 5, a) UT_SDT_4(m, n, e, __VA_ARGS__)
#define UT_SDT_6(m, n, e, a, ...) m(n, 6, a) UT_SDT_5(m, n, e, __VA_ARGS__)
#define UT_SDT_7(m, n, e, a, ...) m(n, 7, a) UT_SDT_6(m, n, e, __VA_ARGS__)
#define UT_SDT_8(m, n, e, a, ...) m(n, 8, a) UT_SDT_7(m, n, e, __VA_ARGS__)
#define UT_SDT_9(m, n, e, a, ...) m(n, 9, a) UT_SDT_8(m, n, e, __VA_ARGS__)
#define UT_SDT_10(m, n, e, a, ...) m(n, 10, a) UT_SDT_9(m, n, e, __VA_ARGS__)
#define UT_SDT_11(m, n, e, a, ...) m(n, 11, a) UT_SDT_10(m, n, e, __VA_ARGS__)
#define UT_SDT_12(m, n, e, a, ...) m(n, 12, a) UT_SDT_11(m, n, e, __VA_ARGS__)

#endif /* __cplusplus */

#endif /* _SYS_SDT_H */
