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
 * Texts with a length: keys that have no NUL behind them, up to the very end of
 * the memory that is there.  In C, and in C++ with its strings, too.  `strn N'
 * records N numbered events, for filters; `strn bad' has events that say of
 * fields that they are text which cannot be; `strn wait' waits for the end of
 * its input.
 */

#include <sys/mman.h>

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ut.h>

#ifdef __cplusplus
#include <string>
#include <vector>
#if __cplusplus >= 201703L
#include <string_view>
#endif
#endif

UT_EVENT(strn, one, UT_INFO, UT_STRN(key));
UT_EVENT(strn, many, UT_INFO, UT_I8(a), UT_STRN(key), UT_STR(s),
    UT_STRN(value), UT_BYTES(b), UT_TEXT(t, 4), UT_ARRAY(int16_t, v, 2),
    UT_SEQ(int, w), UT_U16(n));
UT_EVENT(strn, number, UT_INFO, UT_STRN(key), UT_STRN(same), UT_INT(n),
    UT_TEXT(t, 8));

/* Text up to the last byte of a page, behind which there is nothing. */
static const char *
at_the_end(const char *s, size_t n)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = (char *)mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANON, -1, 0);

	if ((void *)p == MAP_FAILED || mprotect(p + page, page, PROT_NONE))
		err(1, "mmap");
	memcpy(p + page - n, s, n);
	return p + page - n;
}

static void
texts(void)
{
	static const int16_t v[2] = { -1, 1 };
	static const int w[3] = { 1, 2, 3 };
	static char x[1000];

	UT(strn, one, "user:17", 7);
	UT(strn, one, "user:17", 4);
	UT(strn, one, at_the_end("end", 3), 3);
	UT(strn, one, at_the_end("", 0), 0);
	UT(strn, one, "", 0);
	UT(strn, one, NULL, 0);
	UT(strn, one, NULL, 9);
	UT(strn, one, "a\0b", 3);
	UT(strn, one, "\"q\" \\ \n\t[m", 10);
	UT(strn, one, "gr\303\274n", 6);
	UT(strn, one, "{ a = 1 }, [ b ]", 16);
	memset(x, 'x', sizeof(x));
	UT(strn, one, x, sizeof(x));
	UT(strn, many, -1, "key", 2, "s", "value", 3, "b", 1, "text", v, w, 3,
	    9);
	/* More than any sub-buffer holds: counted, and not read. */
	UT(strn, one, x, (size_t)-1);
}

#ifdef __cplusplus

static void
only_in_cxx()
{
	static const int16_t v[2] = { 2, 3 };
	const std::string s("a std::string");
	const std::vector<char> c(s.begin(), s.begin() + 5);

	UT(strn, one, s);
	UT(strn, one, s.data(), 3);
	UT(strn, one, std::string("that ") + "goes away");
	UT(strn, one, c);
	UT(strn, one, std::string());
	UT(strn, one, { "braces", 5 });
	UT(strn, many, 1, s, s.c_str(), { "val", 3 }, s.data(), 1, "t", v,
	    nullptr, 0, 10);
#if __cplusplus >= 201703L
	UT(strn, one, std::string_view(s).substr(2, 3));
#else
	UT(strn, one, s.substr(2, 3));
#endif
}

#else

static void
only_in_cxx(void)
{
}

#endif

/* What UT_EVENT makes, but for what it cannot make. */
#define BAD(name, count, kind, size, flags)				\
	static const struct ut_field name##_fields[] = {		\
		{ "x", NULL, count, kind, size, flags, 0 },		\
		{ NULL, NULL, 0, 0, 0, 0, 0 }				\
	};								\
	static struct ut_event name UT_SECTION = {			\
		0, UT_INFO, "strnbad:" #name, name##_fields, NULL, NULL, \
		{ 0 }, 0, 1, NULL, NULL					\
	}

BAD(integer, 0, UT_KIND_INT, 1, UT_F_TEXT);
BAD(string, 0, UT_KIND_STRING, 1, UT_F_TEXT);
BAD(text, 3, UT_KIND_TEXT, 1, UT_F_TEXT);
BAD(array, 3, UT_KIND_ARRAY, 1, UT_F_TEXT);
BAD(wide, 0, UT_KIND_SEQ, 2, UT_F_TEXT);
BAD(is_signed, 0, UT_KIND_SEQ, 1, UT_F_TEXT | UT_F_SIGNED);
BAD(hex, 0, UT_KIND_SEQ, 1, UT_F_TEXT | UT_F_HEX);
BAD(real, 0, UT_KIND_SEQ, 4, UT_F_TEXT | UT_F_FLOAT);
BAD(good, 0, UT_KIND_SEQ, 1, UT_F_TEXT);

static void
numbers(int n)
{
	static const char *const kinds[] = { "user", "user:", "order:", "" };
	char key[32], same[64];
	int i, len;

	for (i = 0; i < n; i++) {
		len = snprintf(key, sizeof(key), "%s%d", kinds[i % 4],
		    i / 4 % 10);
		snprintf(same, sizeof(same), "%s%d", key, i);
		/* The rest of the key is not part of it. */
		strcat(key, "rest");
		UT(strn, number, key, (size_t)len, same,
		    (size_t)(i % 3 ? len : len + 1), i, key);
	}
}

int
main(int argc, char *argv[])
{
	if (argc > 1 && strcmp(argv[1], "bad") == 0) {
		printf("%d\n", UT_LISTENS(good) != 0);
		return UT_LISTENS(integer) || UT_LISTENS(string) ||
		    UT_LISTENS(text) || UT_LISTENS(array) ||
		    UT_LISTENS(wide) || UT_LISTENS(is_signed) ||
		    UT_LISTENS(hex) || UT_LISTENS(real);
	}
	if (argc > 1 && strcmp(argv[1], "wait") == 0)
		return getchar() != EOF;
	if (argc > 1) {
		numbers(atoi(argv[1]));
		return 0;
	}
	texts();
	only_in_cxx();
	return 0;
}
