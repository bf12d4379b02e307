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
 * The fields of events, for ut.h: what each of them is as a parameter, in the
 * trace, and in the description of its event.
 */

#ifndef UT_FIELD_H
#define UT_FIELD_H

/* For compilers, it is no part of the program: see ut.h. */
#pragma GCC system_header

/* The number of arguments after the first: 0 to 16, or ut_many up to 32. */
#define UT_REST(...)	UT_REST_(__VA_ARGS__, \
	ut_many, ut_many, ut_many, ut_many, ut_many, ut_many, ut_many, \
	ut_many, ut_many, ut_many, ut_many, ut_many, ut_many, ut_many, \
	ut_many, ut_many, \
	16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0)
#define UT_REST_(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, \
	a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, \
	a26, a27, a28, a29, a30, a31, a32, n, ...)	n

/* The macro m for every argument after the first. */
#define UT_EACH(m, ...) \
	UT_CAT(UT_EACH_, UT_REST(__VA_ARGS__))(m, __VA_ARGS__)
#define UT_EACH_0(m, l)
#define UT_EACH_1(m, l, a)		m a
#define UT_EACH_2(m, l, a, b)		m a m b
#define UT_EACH_3(m, l, a, b, c)	m a m b m c
#define UT_EACH_4(m, l, a, b, c, d)	m a m b m c m d
#define UT_EACH_5(m, l, a, b, c, d, e)	m a m b m c m d m e
#define UT_EACH_6(m, l, a, b, c, d, e, f)	\
	UT_EACH_5(m, l, a, b, c, d, e) m f
#define UT_EACH_7(m, l, a, b, c, d, e, f, g)	\
	UT_EACH_5(m, l, a, b, c, d, e) m f m g
#define UT_EACH_8(m, l, a, b, c, d, e, f, g, h)	\
	UT_EACH_5(m, l, a, b, c, d, e) m f m g m h
#define UT_EACH_9(m, l, a, b, c, d, e, ...)	\
	UT_EACH_5(m, l, a, b, c, d, e) UT_EACH_4(m, l, __VA_ARGS__)
#define UT_EACH_10(m, l, a, b, c, d, e, ...)	\
	UT_EACH_5(m, l, a, b, c, d, e) UT_EACH_5(m, l, __VA_ARGS__)
#define UT_EACH_11(m, l, a, b, c, d, e, ...)	\
	UT_EACH_5(m, l, a, b, c, d, e) UT_EACH_6(m, l, __VA_ARGS__)
#define UT_EACH_12(m, l, a, b, c, d, e, ...)	\
	UT_EACH_5(m, l, a, b, c, d, e) UT_EACH_7(m, l, __VA_ARGS__)
#define UT_EACH_13(m, l, a, b, c, d, e, ...)	\
	UT_EACH_5(m, l, a, b, c, d, e) UT_EACH_8(m, l, __VA_ARGS__)
#define UT_EACH_14(m, l, a, b, c, d, e, ...)	\
	UT_EACH_5(m, l, a, b, c, d, e) UT_EACH_9(m, l, __VA_ARGS__)
#define UT_EACH_15(m, l, a, b, c, d, e, ...)	\
	UT_EACH_5(m, l, a, b, c, d, e) UT_EACH_10(m, l, __VA_ARGS__)
#define UT_EACH_16(m, l, a, b, c, d, e, ...)	\
	UT_EACH_5(m, l, a, b, c, d, e) UT_EACH_11(m, l, __VA_ARGS__)
#define UT_EACH_ut_many(...)

/*
 * Fields: a shape, then what the macros of that shape need.
 */
#define UT_NUM(name, str, arg, wire, kind, flags) \
	(ut_num, name, str, arg, wire, kind, flags, NULL)
#define UT_SINT(name, str, type)	\
	UT_NUM(name, str, type, type, UT_KIND_INT, UT_F_SIGNED)
#define UT_UNSI(name, str, type, flags)	\
	UT_NUM(name, str, type, type, UT_KIND_INT, flags)

#define UT_I8(name)	UT_SINT(name, #name, int8_t)
#define UT_I16(name)	UT_SINT(name, #name, int16_t)
#define UT_I32(name)	UT_SINT(name, #name, int32_t)
#define UT_I64(name)	UT_SINT(name, #name, int64_t)
#define UT_INT(name)	UT_SINT(name, #name, int)
#define UT_LONG(name)	UT_SINT(name, #name, long)
#define UT_U8(name)	UT_UNSI(name, #name, uint8_t, 0)
#define UT_U16(name)	UT_UNSI(name, #name, uint16_t, 0)
#define UT_U32(name)	UT_UNSI(name, #name, uint32_t, 0)
#define UT_U64(name)	UT_UNSI(name, #name, uint64_t, 0)
#define UT_UINT(name)	UT_UNSI(name, #name, unsigned int, 0)
#define UT_ULONG(name)	UT_UNSI(name, #name, unsigned long, 0)
#define UT_SIZE(name)	UT_UNSI(name, #name, size_t, 0)
#define UT_X8(name)	UT_UNSI(name, #name, uint8_t, UT_F_HEX)
#define UT_X16(name)	UT_UNSI(name, #name, uint16_t, UT_F_HEX)
#define UT_X32(name)	UT_UNSI(name, #name, uint32_t, UT_F_HEX)
#define UT_X64(name)	UT_UNSI(name, #name, uint64_t, UT_F_HEX)
#define UT_NET16(name)	UT_UNSI(name, #name, uint16_t, UT_F_BE)
#define UT_NET32(name)	UT_UNSI(name, #name, uint32_t, UT_F_BE)
#define UT_NET64(name)	UT_UNSI(name, #name, uint64_t, UT_F_BE)
#define UT_PTR(name)	UT_NUM(name, #name, const volatile void *, \
	uintptr_t, UT_KIND_INT, UT_F_HEX)
#define UT_BOOL(name)	UT_NUM(name, #name, int, bool, UT_KIND_INT, 0)
#define UT_F32(name)	UT_NUM(name, #name, float, float, UT_KIND_FLOAT, \
	UT_F_SIGNED)
#define UT_F64(name)	UT_NUM(name, #name, double, double, UT_KIND_FLOAT, \
	UT_F_SIGNED)
#define UT_ENUM(enumeration, name)	\
	(ut_num, name, #name, int, int32_t, UT_KIND_ENUM, UT_F_SIGNED, \
	&ut_enum__##enumeration)
#define UT_ENUM_OF(type, enumeration, name)	\
	(ut_num, name, #name, type, type, UT_KIND_ENUM, UT_FLAGS(type), \
	&ut_enum__##enumeration)
#define UT_STR(name)	(ut_str, name, #name)
#define UT_TEXT(name, n)	(ut_text, name, #name, n)
#define UT_STRN(name)	(ut_strn, name, #name)
#define UT_BYTES(name)	(ut_seq, name, #name, void, uint8_t, UT_F_HEX)
#define UT_ARRAY(type, name, n)	\
	(ut_array, name, #name, type, n, UT_FLAGS(type))
#define UT_XARRAY(type, name, n)   (ut_array, name, #name, type, n, UT_F_HEX)
#define UT_NETARRAY(type, name, n) (ut_array, name, #name, type, n, UT_F_BE)
#define UT_SEQ(type, name)	\
	(ut_seq, name, #name, type, type, UT_FLAGS(type))
#define UT_XSEQ(type, name)	(ut_seq, name, #name, type, type, UT_F_HEX)
#define UT_NETSEQ(type, name)	(ut_seq, name, #name, type, type, UT_F_BE)

/*
 * Flags of an arithmetic type: is it signed, does it keep a fraction?  C
 * compares enumerators as the integer that the compiler has chosen for them,
 * and C++ as the int that they become.
 */
#define UT_FLAGS_OF(type)	(((type)-1 < (type)1 ? UT_F_SIGNED : 0) | \
	((type)0.5 > (type)0 && (type)2 > (type)1 ? UT_F_FLOAT : 0))
#ifdef __cplusplus
extern "C++" {
template <class ut_t, bool = __is_enum(ut_t)>
struct ut_flags {
	enum { all = UT_FLAGS_OF(ut_t) };
};
template <class ut_t>
struct ut_flags<ut_t, true> : ut_flags<__underlying_type(ut_t)> {};
}
#define UT_FLAGS(type)	(uint8_t)ut_flags<type>::all
#else
#define UT_FLAGS(type)	UT_FLAGS_OF(type)
#endif

/* UT_PARAM: the parameters of the function that records the event. */
#define UT_PARAM(shape, ...)	UT_PARAM_##shape(__VA_ARGS__)
#define UT_PARAM_ut_num(name, str, arg, ...)	, arg name
#define UT_PARAM_ut_str(name, str)		, const char *name
#define UT_PARAM_ut_strn(name, str)	\
	, const char *name, size_t ut__n_##name
#define UT_PARAM_ut_text(name, str, n)		, const char *name
#define UT_PARAM_ut_array(name, str, type, ...)	, const type *name
#define UT_PARAM_ut_seq(name, str, arg, ...)	\
	, const arg *name, size_t ut__n_##name

/* UT_VAR: what has to be measured before room can be asked for. */
#define UT_VAR(shape, ...)	UT_VAR_##shape(__VA_ARGS__)
#define UT_VAR_ut_num(...)
#define UT_VAR_ut_str(name, str)	\
	const size_t ut__n_##name = ut_strlen(&name);
#define UT_VAR_ut_strn(name, str)	\
	const size_t ut__l_##name = ut_seqlen(name, ut__n_##name, 1);
#define UT_VAR_ut_text(...)
#define UT_VAR_ut_array(...)
#define UT_VAR_ut_seq(name, str, arg, type, flags)	\
	const size_t ut__l_##name = ut_seqlen(name, ut__n_##name, sizeof(type));

/* UT_LEN: bytes in the trace. */
#define UT_LEN(shape, ...)	UT_LEN_##shape(__VA_ARGS__)
#define UT_LEN_ut_num(name, str, arg, type, ...)	+ sizeof(type)
#define UT_LEN_ut_str(name, str)		+ ut__n_##name + 1
#define UT_LEN_ut_strn(name, str)		+ 4 + ut__l_##name
#define UT_LEN_ut_text(name, str, n)		+ (size_t)(n)
#define UT_LEN_ut_array(name, str, type, n, flags)	\
	+ (size_t)(n) * sizeof(type)
#define UT_LEN_ut_seq(name, ...)		+ 4 + ut__l_##name

/* UT_PUT: the field itself. */
#define UT_PUT(shape, ...)	UT_PUT_##shape(__VA_ARGS__)
#define UT_PUT_ut_num(name, str, arg, type, ...)	{	\
		const type ut__v = (type)(name);		\
		ut__p = ut_put(ut__p, &ut__v, sizeof(ut__v));	\
	}
#define UT_PUT_ut_str(name, str) \
	ut__p = ut_put_str(ut__p, name, ut__n_##name);
#define UT_PUT_ut_strn(name, str)	\
	ut__p = ut_put_seq(ut__p, name, ut__l_##name, 1);
#define UT_PUT_ut_text(name, str, n)	ut__p = ut_put_text(ut__p, name, n);
#define UT_PUT_ut_array(name, str, type, n, flags)	\
	ut__p = ut_put_array(ut__p, name, (size_t)(n) * sizeof(type));
#define UT_PUT_ut_seq(name, str, arg, type, flags)	\
	ut__p = ut_put_seq(ut__p, name, ut__l_##name, sizeof(type));

/* UT_DESC: its description. */
#define UT_DESC(shape, ...)	UT_DESC_##shape(__VA_ARGS__)
#define UT_DESC_ut_num(name, str, arg, type, kind, flags, e)	\
	{ str, e, 0, kind, (uint8_t)sizeof(type), flags, 0 },
#define UT_DESC_ut_str(name, str)	\
	{ str, NULL, 0, UT_KIND_STRING, 1, 0, 0 },
#define UT_DESC_ut_strn(name, str)	\
	{ str, NULL, 0, UT_KIND_SEQ, 1, UT_F_TEXT, 0 },
#define UT_DESC_ut_text(name, str, n)	\
	{ str, NULL, n, UT_KIND_TEXT, 1, 0, 0 },
#define UT_DESC_ut_array(name, str, type, n, flags)	\
	{ str, NULL, n, UT_KIND_ARRAY, (uint8_t)sizeof(type), flags, 0 },
#define UT_DESC_ut_seq(name, str, arg, type, flags)	\
	{ str, NULL, 0, UT_KIND_SEQ, (uint8_t)sizeof(type), flags, 0 },

/*
 * No field takes more than 16 MB: the sum of the 128 that utd accepts cannot
 * wrap a size_t.  A field that is cut to this is too large for all sub-buffers,
 * so the event is discarded.
 */
#define UT_FIELD_MAX	((size_t)1 << 24)

static __inline__ size_t UT_HELPER
ut_strlen(const char **s)
{
	size_t n;

	if (*s == NULL)
		*s = "(null)";
	n = strlen(*s);
	return n > UT_FIELD_MAX ? UT_FIELD_MAX : n;
}

static __inline__ size_t UT_HELPER
ut_seqlen(const void *p, size_t n, size_t size)
{
	if (p == NULL)
		return 0;
	return (n > UT_FIELD_MAX / size ? UT_FIELD_MAX / size : n) * size;
}

static __inline__ unsigned char * UT_HELPER
ut_put(unsigned char *p, const void *v, size_t n)
{
	memcpy(p, v, n);
	return p + n;
}

/*
 * A string that another thread changes meanwhile must not end early.  Each byte
 * is read once, hence volatile: compilers read a byte twice that is tested and
 * then stored, if they do not optimize.  Eight bytes at a time, as long as none
 * of them is NUL: strings are short.
 */
static __inline__ unsigned char * UT_HELPER
ut_put_str(unsigned char *p, const char *s, size_t n)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t v;
	char c;

	for (; n >= sizeof(v); n -= sizeof(v)) {
		memcpy(&v, s, sizeof(v));
		if (((v - ones) & ~v & ones << 7) != 0)
			break;
		p = ut_put(p, &v, sizeof(v));
		s += sizeof(v);
	}
	for (; n > 0; n--, s++) {
		c = *(const volatile char *)s;
		*p++ = c != '\0' ? (unsigned char)c : '?';
	}
	*p++ = '\0';
	return p;
}

static __inline__ unsigned char * UT_HELPER
ut_put_text(unsigned char *p, const char *s, size_t n)
{
	size_t len = 0;

	if (s == NULL)
		s = "(null)";
	while (len < n && s[len] != '\0')
		len++;
	memcpy(p, s, len);
	memset(p + len, 0, n - len);
	return p + n;
}

static __inline__ unsigned char * UT_HELPER
ut_put_array(unsigned char *p, const void *v, size_t n)
{
	if (v == NULL)
		memset(p, 0, n);
	else
		memcpy(p, v, n);
	return p + n;
}

static __inline__ unsigned char * UT_HELPER
ut_put_seq(unsigned char *p, const void *v, size_t n, size_t size)
{
	const uint32_t count = (uint32_t)(n / size);

	p = ut_put(p, &count, sizeof(count));
	return n == 0 ? p : ut_put(p, v, n);
}

/*
 * In C++ a UT_STRN may also be one argument: a std::string, a
 * std::string_view or another class with data() and size(), or { pointer,
 * length }.  A pointer alone is none: a length may have been forgotten, and the
 * text need not end in a NUL.  An event with UT_STRN has a second function for
 * that.  This function is always inlined, so the context caller is still the
 * place where UT stands.
 */
#ifdef __cplusplus
extern "C++" {
struct ut_view {
	const char	*ut_p;
	size_t		 ut_n;

	ut_view(const char *p, size_t n) : ut_p(p), ut_n(n) {}
	template <class ut_t, class = decltype(((ut_t *)nullptr)->data())>
	ut_view(const ut_t &s) : ut_p(s.data()), ut_n(s.size()) {}
};
}

#define UT_VIEWS(ev, ...)						\
	UT_CAT(UT_VIEWS_, UT_ONE(0 UT_EACH(UT_IS_STRN, __VA_ARGS__)))	\
	    (ev, __VA_ARGS__)
#define UT_VIEWS_ut_1(ev, ...)
#define UT_VIEWS_ut_n(ev, ...)						\
	extern "C++" {							\
	UT_OWN_INLINE void __attribute__((always_inline)) UT_HELPER	\
	ut_record_##ev(struct ut_event *ut__e				\
	    UT_EACH(UT_VIEW, __VA_ARGS__))				\
	{								\
		ut_record_##ev(ut__e UT_EACH(UT_ARG, __VA_ARGS__));	\
	}								\
	}
#else
#define UT_VIEWS(ev, ...)
#endif

/* UT_IS_STRN: a comma for each field that a ut_view can be. */
#define UT_IS_STRN(shape, ...)	UT_IS_STRN_##shape
#define UT_IS_STRN_ut_num
#define UT_IS_STRN_ut_str
#define UT_IS_STRN_ut_strn	, 0
#define UT_IS_STRN_ut_text
#define UT_IS_STRN_ut_array
#define UT_IS_STRN_ut_seq

/* UT_VIEW: the parameters, with a ut_view for each such field. */
#define UT_VIEW(shape, ...)	UT_VIEW_##shape(__VA_ARGS__)
#define UT_VIEW_ut_num		UT_PARAM_ut_num
#define UT_VIEW_ut_str		UT_PARAM_ut_str
#define UT_VIEW_ut_strn(name, str)		, const ut_view &name
#define UT_VIEW_ut_text		UT_PARAM_ut_text
#define UT_VIEW_ut_array	UT_PARAM_ut_array
#define UT_VIEW_ut_seq		UT_PARAM_ut_seq

/* UT_ARG: the arguments that these become. */
#define UT_ARG(shape, ...)	UT_ARG_##shape(__VA_ARGS__)
#define UT_ARG_ut_num(name, ...)		, name
#define UT_ARG_ut_str(name, str)		, name
#define UT_ARG_ut_strn(name, str)		, name.ut_p, name.ut_n
#define UT_ARG_ut_text(name, ...)		, name
#define UT_ARG_ut_array(name, ...)		, name
#define UT_ARG_ut_seq(name, ...)		, name, ut__n_##name

/*
 * UT_ENUMERATION(name, UT_VALUE("red", 0), ...); at file scope.
 */
#define UT_ENUMERATION(name, ...)					\
	static const struct ut_value ut_values__##name[] = { __VA_ARGS__ }; \
	static const struct ut_enum __attribute__((unused))		\
	ut_enum__##name = { #name, ut_values__##name,			\
		sizeof(ut_values__##name) / sizeof(ut_values__##name[0]) }; \
	UT_SEMICOLON
#define UT_VALUE(str, value)	{ str, (int64_t)(value), (int64_t)(value) }
#define UT_RANGE(str, low, high)	{ str, (int64_t)(low), (int64_t)(high) }
#define UT_AUTO(str)		{ str, 1, 0 }

#endif /* UT_FIELD_H */
