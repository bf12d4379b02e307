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
 * Fields by the type of a value, for sys/sdt.h and what `utctl dtrace -h'
 * writes: types that are not known before they are compiled, in C and C++.
 */

#ifndef UT_TYPED_H
#define UT_TYPED_H

#include <ut.h>

/* For compilers, it is no part of the program: see ut.h. */
#pragma GCC system_header

#ifdef __cplusplus
extern "C++" {
template <class T, bool = __is_enum(T)>
struct ut_type {
	static_assert(!__is_class(T) && !__is_union(T) && sizeof(T) <= 8,
	    "an argument of a probe is a number or a pointer");
	enum {
		kind = UT_FLAGS(T) & UT_F_FLOAT ? UT_KIND_FLOAT : UT_KIND_INT,
		flags = UT_FLAGS(T) & UT_F_SIGNED
	};
};
template <class T>
struct ut_type<T, true> : ut_type<__underlying_type(T)> {};
template <class T>
struct ut_type<T *, false> {
	enum { kind = UT_KIND_INT, flags = UT_F_HEX };
};
template <>
struct ut_type<decltype(nullptr), false> : ut_type<void *> {};
}

#define UT_TYPE_KIND(type)	(uint8_t)ut_type<type>::kind
#define UT_TYPE_FLAGS(type)	(uint8_t)ut_type<type>::flags
#else
/* Of classes, gcc and clang have 5 for pointers and 8 for floating point. */
#define UT_TYPE_CLASS(type)	__builtin_classify_type((type)0)
#define UT_TYPE_KIND(type)	\
	(UT_TYPE_CLASS(type) == 8 ? UT_KIND_FLOAT : UT_KIND_INT)
#define UT_TYPE_FLAGS(type)	(UT_TYPE_CLASS(type) == 5 ? UT_F_HEX : \
	(type)-1 < (type)1 ? UT_F_SIGNED : 0)
#endif

/* The fields of an event, and how what a macro gets becomes their arguments. */
#define UT_TYPED(name, str, type)	UT_NUM(name, str, type, type, \
	UT_TYPE_KIND(type), UT_TYPE_FLAGS(type))
#define UT_ADDRESS(name, str)	\
	UT_NUM(name, str, uintptr_t, uintptr_t, UT_KIND_INT, UT_F_HEX)
#define UT_STRING_AT(name, str)	(ut_str, name, str)

/* Text of a length that another argument says: it may have no NUL. */
#define UT_TEXT_OF(name, str, length)	(ut_sized, name, str, length)
#define UT_PARAM_ut_sized(name, str, length)	, const char *name
#define UT_VAR_ut_sized(name, str, length)	\
	const size_t ut_l_##name =		\
	    ut_seqlen(name, (length) > 0 ? (size_t)(length) : 0, 1);
#define UT_LEN_ut_sized(name, str, length)	+ 4 + ut_l_##name
#define UT_PUT_ut_sized(name, str, length)	\
	ut_p = ut_put_seq(ut_p, name, ut_l_##name, 1);
#define UT_DESC_ut_sized(name, str, length)	\
	{ str, NULL, 0, UT_KIND_SEQ, 1, UT_F_TEXT, 0 },
#define UT_IS_STRN_ut_sized

#endif /* UT_TYPED_H */
