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
 * The end of every provider's header, which is read once more if the file
 * creates the provider, TRACEPOINT_CREATE_PROBES.
 */

#include <lttng/tracepoint.h>

#ifndef LTTNG_UST_TRACEPOINT_EVENT_H
#define LTTNG_UST_TRACEPOINT_EVENT_H

/* For compilers, it is no part of the program: see ut.h. */
#pragma GCC system_header

/*
 * A field is a list: the declaration of a variable v for its value, then shape,
 * name and so on for UT_VAR, UT_LEN, UT_PUT and UT_DESC of ut_field.h.  The
 * field's name may be a macro, such as errno: expanded nowhere.
 */
#define UT_LTTNG_NUM(t, v, str, s, kind, flags, e)			\
	(const __typeof__(t) v = (__typeof__(t))(s);, ut_num, v, str,	\
	__typeof__(t), __typeof__(t), kind, flags, e)
#define UT_LTTNG_INT(t, v, str, s, flags)	\
	UT_LTTNG_NUM(t, v, str, s, UT_KIND_INT, UT_LTTNG_SIGNED(t) | flags, \
	NULL)
#define UT_LTTNG_POINTER(t, v, s)	\
	const __typeof__(t) *v = (const __typeof__(t) *)(s);
#define UT_LTTNG_ARRAY(t, v, str, s, n, flags)				\
	(UT_LTTNG_POINTER(t, v, s), ut_array, v, str,			\
	__typeof__(t), n, UT_LTTNG_SIGNED(t) | flags)
#define UT_LTTNG_COUNTED(t, v, s, lt, n)	\
	UT_LTTNG_POINTER(t, v, s) const size_t ut__n_##v = (size_t)(lt)(n);
#define UT_LTTNG_SEQ(t, v, str, s, lt, n, flags)			\
	(UT_LTTNG_COUNTED(t, v, s, lt, n), ut_seq, v, str,		\
	__typeof__(t), __typeof__(t), UT_LTTNG_SIGNED(t) | flags)

/* Is the type signed?  Pointers, which some give as integers, are not. */
#ifdef __cplusplus
extern "C++" {
template <class t> struct ut_lttng_signed {
	enum { is = (t)-1 < (t)1 };
};
template <class t> struct ut_lttng_signed<t *> {
	enum { is = 0 };
};
}
#define UT_LTTNG_SIGNED(t)	\
	(ut_lttng_signed<__typeof__(t)>::is ? UT_F_SIGNED : 0)
#else
#define UT_LTTNG_SIGNED(t)	((t)-1 < (t)1 ? UT_F_SIGNED : 0)
#endif

/* A shape that ut_field.h has not: nothing at all. */
#define UT_VAR_ut_lttng_none(...)
#define UT_LEN_ut_lttng_none(...)
#define UT_PUT_ut_lttng_none(...)
#define UT_DESC_ut_lttng_none(...)

#define lttng_ust_field_integer(t, i, s)	\
	UT_LTTNG_INT(t, utv_##i, #i, s, 0)
#define lttng_ust_field_integer_hex(t, i, s)	\
	UT_LTTNG_INT(t, utv_##i, #i, s, UT_F_HEX)
#define lttng_ust_field_integer_network(t, i, s)	\
	UT_LTTNG_INT(t, utv_##i, #i, s, UT_F_BE)
#define lttng_ust_field_integer_network_hex(t, i, s)	\
	UT_LTTNG_INT(t, utv_##i, #i, s, UT_F_BE | UT_F_HEX)
#define lttng_ust_field_float(t, i, s)	\
	UT_LTTNG_NUM(t, utv_##i, #i, s, UT_KIND_FLOAT, UT_F_SIGNED, NULL)
#define lttng_ust_field_enum(p, e, t, i, s)	\
	UT_LTTNG_NUM(t, utv_##i, #i, s, UT_KIND_ENUM, UT_LTTNG_SIGNED(t), \
	&ut_lttng_enum_##p##___##e)
#define lttng_ust_field_string(i, s)	\
	(const char *utv_##i = (const char *)(s);, ut_str, utv_##i, #i)
#define lttng_ust_field_array(t, i, s, n)	\
	UT_LTTNG_ARRAY(t, utv_##i, #i, s, n, 0)
#define lttng_ust_field_array_hex(t, i, s, n)	\
	UT_LTTNG_ARRAY(t, utv_##i, #i, s, n, UT_F_HEX)
#define lttng_ust_field_array_network(t, i, s, n)	\
	UT_LTTNG_ARRAY(t, utv_##i, #i, s, n, UT_F_BE)
#define lttng_ust_field_array_network_hex(t, i, s, n)	\
	UT_LTTNG_ARRAY(t, utv_##i, #i, s, n, UT_F_BE | UT_F_HEX)
#define lttng_ust_field_array_text(t, i, s, n)	\
	(UT_LTTNG_POINTER(char, utv_##i, s), ut_text, utv_##i, #i, n)
#define lttng_ust_field_sequence(t, i, s, lt, n)	\
	UT_LTTNG_SEQ(t, utv_##i, #i, s, lt, n, 0)
#define lttng_ust_field_sequence_hex(t, i, s, lt, n)	\
	UT_LTTNG_SEQ(t, utv_##i, #i, s, lt, n, UT_F_HEX)
#define lttng_ust_field_sequence_network(t, i, s, lt, n)	\
	UT_LTTNG_SEQ(t, utv_##i, #i, s, lt, n, UT_F_BE)
#define lttng_ust_field_sequence_network_hex(t, i, s, lt, n)	\
	UT_LTTNG_SEQ(t, utv_##i, #i, s, lt, n, UT_F_BE | UT_F_HEX)
#define lttng_ust_field_sequence_text(t, i, s, lt, n)	\
	(UT_LTTNG_COUNTED(char, utv_##i, s, lt, n), ut_strn, utv_##i, #i)

#define lttng_ust_field_fixed_length_blob(i, s, n, media)	\
	UT_LTTNG_ARRAY(uint8_t, utv_##i, #i, s, n, UT_F_HEX)
#define lttng_ust_field_variable_length_blob(i, s, lt, n, media)	\
	UT_LTTNG_SEQ(uint8_t, utv_##i, #i, s, lt, n, UT_F_HEX)

/* Not written, nor evaluated: only the original's filters see these. */
#define UT_LTTNG_UNUSED(s)		(if (0) { (void)(s); }, ut_lttng_none)
#define UT_LTTNG_UNUSED3(t, i, s, ...)	UT_LTTNG_UNUSED(s)
#define lttng_ust_field_unused(s)			UT_LTTNG_UNUSED(s)
#define lttng_ust_field_unused_nowrite(s)		UT_LTTNG_UNUSED(s)
#define lttng_ust_field_string_nowrite(i, s, ...)	UT_LTTNG_UNUSED(s)
#define lttng_ust_field_fixed_length_blob_nowrite	\
	lttng_ust_field_string_nowrite
#define lttng_ust_field_variable_length_blob_nowrite	\
	lttng_ust_field_string_nowrite
#define lttng_ust_field_enum_nowrite(p, e, t, i, s)	UT_LTTNG_UNUSED(s)
#define lttng_ust_field_integer_nowrite			UT_LTTNG_UNUSED3
#define lttng_ust_field_float_nowrite			UT_LTTNG_UNUSED3
#define lttng_ust_field_array_nowrite			UT_LTTNG_UNUSED3
#define lttng_ust_field_array_nowrite_hex		UT_LTTNG_UNUSED3
#define lttng_ust_field_array_network_nowrite		UT_LTTNG_UNUSED3
#define lttng_ust_field_array_network_nowrite_hex	UT_LTTNG_UNUSED3
#define lttng_ust_field_array_text_nowrite		UT_LTTNG_UNUSED3
#define lttng_ust_field_sequence_nowrite		UT_LTTNG_UNUSED3
#define lttng_ust_field_sequence_nowrite_hex		UT_LTTNG_UNUSED3
#define lttng_ust_field_sequence_network_nowrite	UT_LTTNG_UNUSED3
#define lttng_ust_field_sequence_network_nowrite_hex	UT_LTTNG_UNUSED3
#define lttng_ust_field_sequence_text_nowrite		UT_LTTNG_UNUSED3

#define lttng_ust_field_enum_value(label, value)	\
	{ label, (int64_t)(value), (int64_t)(value) },
#define lttng_ust_field_enum_range(label, low, high)	\
	{ label, (int64_t)(low), (int64_t)(high) },
#define lttng_ust_field_enum_auto(label)	{ label, 1, 0 },

#ifdef UT_LTTNG_API_0
#define ctf_integer			lttng_ust_field_integer
#define ctf_integer_hex			lttng_ust_field_integer_hex
#define ctf_integer_network		lttng_ust_field_integer_network
#define ctf_integer_network_hex		lttng_ust_field_integer_network_hex
#define ctf_integer_nowrite		lttng_ust_field_integer_nowrite
#define ctf_float			lttng_ust_field_float
#define ctf_float_nowrite		lttng_ust_field_float_nowrite
#define ctf_enum			lttng_ust_field_enum
#define ctf_enum_nowrite		lttng_ust_field_enum_nowrite
#define ctf_enum_value			lttng_ust_field_enum_value
#define ctf_enum_range			lttng_ust_field_enum_range
#define ctf_enum_auto			lttng_ust_field_enum_auto
#define ctf_string			lttng_ust_field_string
#define ctf_string_nowrite		lttng_ust_field_string_nowrite
#define ctf_array			lttng_ust_field_array
#define ctf_array_hex			lttng_ust_field_array_hex
#define ctf_array_network		lttng_ust_field_array_network
#define ctf_array_network_hex		lttng_ust_field_array_network_hex
#define ctf_array_nowrite		lttng_ust_field_array_nowrite
#define ctf_array_nowrite_hex		lttng_ust_field_array_nowrite_hex
#define ctf_array_network_nowrite	lttng_ust_field_array_network_nowrite
#define ctf_array_network_nowrite_hex	UT_LTTNG_UNUSED3
#define ctf_array_text			lttng_ust_field_array_text
#define ctf_array_text_nowrite		lttng_ust_field_array_text_nowrite
#define ctf_sequence			lttng_ust_field_sequence
#define ctf_sequence_hex		lttng_ust_field_sequence_hex
#define ctf_sequence_network		lttng_ust_field_sequence_network
#define ctf_sequence_network_hex	lttng_ust_field_sequence_network_hex
#define ctf_sequence_nowrite		lttng_ust_field_sequence_nowrite
#define ctf_sequence_nowrite_hex	lttng_ust_field_sequence_nowrite_hex
#define ctf_sequence_network_nowrite	UT_LTTNG_UNUSED3
#define ctf_sequence_network_nowrite_hex	UT_LTTNG_UNUSED3
#define ctf_sequence_text		lttng_ust_field_sequence_text
#define ctf_sequence_text_nowrite	lttng_ust_field_sequence_text_nowrite
#define ctf_unused			lttng_ust_field_unused
#define ctf_unused_nowrite		lttng_ust_field_unused_nowrite
#endif

/*
 * UT_LTTNG_EACH(m, fields): two macros that name each other take one field
 * after the other, as many as there are; the last name gets an _END.
 */
#define UT_LTTNG_EACH(m, fields)	UT_LTTNG_EACH_(m, UT_LTTNG_LIST fields)
#define UT_LTTNG_EACH_(m, ...)	UT_LTTNG_LAST(UT_LTTNG_##m##_A __VA_ARGS__)
#define UT_LTTNG_LIST(...)	__VA_ARGS__
#define UT_LTTNG_LAST(...)	UT_LTTNG_LAST_(__VA_ARGS__)
#define UT_LTTNG_LAST_(...)	__VA_ARGS__##_END
#define UT_LTTNG_VAR(var, shape, ...)	var UT_VAR_##shape(__VA_ARGS__)	\
	ut__len = ut__len UT_LEN_##shape(__VA_ARGS__);
#define UT_LTTNG_VAR_A(...)	UT_LTTNG_VAR(__VA_ARGS__) UT_LTTNG_VAR_B
#define UT_LTTNG_VAR_B(...)	UT_LTTNG_VAR(__VA_ARGS__) UT_LTTNG_VAR_A
#define UT_LTTNG_VAR_A_END
#define UT_LTTNG_VAR_B_END
#define UT_LTTNG_PUT(var, shape, ...)	UT_PUT_##shape(__VA_ARGS__)
#define UT_LTTNG_PUT_A(...)	UT_LTTNG_PUT(__VA_ARGS__) UT_LTTNG_PUT_B
#define UT_LTTNG_PUT_B(...)	UT_LTTNG_PUT(__VA_ARGS__) UT_LTTNG_PUT_A
#define UT_LTTNG_PUT_A_END
#define UT_LTTNG_PUT_B_END
#define UT_LTTNG_DESC(var, shape, ...)	UT_DESC_##shape(__VA_ARGS__)
#define UT_LTTNG_DESC_A(...)	UT_LTTNG_DESC(__VA_ARGS__) UT_LTTNG_DESC_B
#define UT_LTTNG_DESC_B(...)	UT_LTTNG_DESC(__VA_ARGS__) UT_LTTNG_DESC_A
#define UT_LTTNG_DESC_A_END
#define UT_LTTNG_DESC_B_END

/*
 * A class has the fields and the function that records its events; an event is
 * a class with one instance.
 */
#define UT_LTTNG_CLASS_ut_create(p, c, args, fields)			\
	static const struct ut_field __attribute__((unused))		\
	ut_lttng_fields_##p##___##c[] = {				\
		UT_LTTNG_EACH(DESC, fields)				\
		{ NULL, NULL, 0, 0, 0, 0, 0 }				\
	};								\
	static void __attribute__((noinline)) UT_HELPER			\
	ut_lttng_record_##p##___##c(struct ut_event *ut__e		\
	    UT_LTTNG_PARAMS args)					\
	{								\
		struct ut_record ut__r;					\
		unsigned char *ut__p;					\
		size_t ut__len = 0;					\
									\
		UT_LTTNG_EACH(VAR, fields)				\
		ut__p = ut_begin(&ut__r, ut__e, ut__len);		\
		if (UT_UNLIKELY(ut__p == NULL))				\
			ut__p = ut_begin_at(&ut__r, UT_FROM());		\
		while (ut__p != NULL) {					\
			UT_LTTNG_EACH(PUT, fields)			\
			ut__p = ut_commit(&ut__r);			\
		}							\
	}
#define UT_LTTNG_INSTANCE_ut_create(cp, c, p, n, args)			\
	UT_LTTNG_EXTERN struct ut_event ut_lttng_event_##p##___##n	\
	    __attribute__((visibility("hidden")));			\
	struct ut_event ut_lttng_event_##p##___##n			\
	    UT_SECTION __attribute__((used)) = {			\
		0, UT_DEBUG_LINE, #p ":" #n,				\
		ut_lttng_fields_##cp##___##c, NULL, NULL, { 0 }, 0,	\
		UT_STACKS, NULL,					\
		(void (*)(void))ut_lttng_record_##cp##___##c		\
	};
#define UT_LTTNG_EVENT_ut_create(p, n, args, fields)	\
	UT_LTTNG_CLASS_ut_create(p, n, args, fields)	\
	UT_LTTNG_INSTANCE_ut_create(p, n, p, n, args)

/*
 * The level comes after its event, if there is such an event: stored before
 * libut is told of the event.
 */
#define UT_LTTNG_LEVEL_ut_create(p, n, value)				\
	static struct ut_event ut_lttng_level_of_##p##___##n		\
	    __attribute__((weakref("ut_lttng_event_" #p "___" #n)));	\
	static void __attribute__((constructor(64000))) UT_HELPER	\
	ut_lttng_level_##p##___##n(void)				\
	{								\
		if (&ut_lttng_level_of_##p##___##n != NULL)		\
			ut_lttng_level_of_##p##___##n.level = (value);	\
	}

#define UT_LTTNG_ENUM_ut_create(p, e, ...)				\
	static const struct ut_value ut_lttng_values_##p##___##e[] = {	\
		__VA_ARGS__						\
	};								\
	static const struct ut_enum __attribute__((unused))		\
	ut_lttng_enum_##p##___##e = {					\
		#e, ut_lttng_values_##p##___##e,			\
		sizeof(ut_lttng_values_##p##___##e) /			\
		    sizeof(ut_lttng_values_##p##___##e[0])		\
	};

/*
 * TRACEPOINT_DEFINE refers to the first, so that the provider is linked.  The
 * other brings ut_module_add, to which is no strong reference, from libut.a.
 */
#define UT_LTTNG_PROVIDER(p)						\
	UT_LTTNG_EXTERN int UT_CAT(ut_lttng_provider_, p) UT_LTTNG_SHARED; \
	int UT_CAT(ut_lttng_provider_, p) = 0;				\
	static int (*const UT_CAT(ut_lttng_libut_, p))			\
	    (const char *, uint64_t (*)(void))				\
	    __attribute__((used)) = ut_context;

#endif /* LTTNG_UST_TRACEPOINT_EVENT_H */

#if defined(LTTNG_UST_TRACEPOINT_CREATE_PROBES) || \
    (defined(UT_LTTNG_API_0) && defined(TRACEPOINT_CREATE_PROBES))

/* None of the names below is defined by the header while it is read again. */
#ifdef LTTNG_UST_TRACEPOINT_CREATE_PROBES
#undef LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define UT_LTTNG_CREATE_1
#endif
#ifdef TRACEPOINT_CREATE_PROBES
#undef TRACEPOINT_CREATE_PROBES
#define UT_LTTNG_CREATE_0
#endif
#define LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ
#define TRACEPOINT_HEADER_MULTI_READ
#undef UT_LTTNG_PASS
#define UT_LTTNG_PASS	ut_create

#ifdef LTTNG_UST_TRACEPOINT_INCLUDE
#include LTTNG_UST_TRACEPOINT_INCLUDE
#else
#include TRACEPOINT_INCLUDE
#endif

#ifdef LTTNG_UST_TRACEPOINT_PROVIDER
UT_LTTNG_PROVIDER(LTTNG_UST_TRACEPOINT_PROVIDER)
#else
UT_LTTNG_PROVIDER(TRACEPOINT_PROVIDER)
#endif

#undef UT_LTTNG_PASS
#define UT_LTTNG_PASS	ut_declare
#undef LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ
#undef TRACEPOINT_HEADER_MULTI_READ
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#undef TRACEPOINT_INCLUDE
#ifdef UT_LTTNG_CREATE_1
#undef UT_LTTNG_CREATE_1
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#endif
#ifdef UT_LTTNG_CREATE_0
#undef UT_LTTNG_CREATE_0
#define TRACEPOINT_CREATE_PROBES
#endif

#endif
