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
 * Spans that end in every way in which a block can be left, in C (as old as
 * C89) and in C++.  `spans middle' waits in a span until its end is listened
 * to, and says when it is there.
 */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <ut.h>

#ifdef __cplusplus
#include <stdexcept>
#include <string>
#endif

UT_SPAN(spans, way, UT_INFO, UT_STR(how));
UT_SPAN(spans, job, UT_NOTICE, UT_INT(n), UT_STRN(key))
UT_SPAN(spans, bare, UT_DEBUG);
UT_SPAN(spans, middle, UT_INFO);
UT_SPAN(spans, on, UT_INFO, UT_INT(n));

/* What a program may have as names of its own. */
#define request	1
#define begin	2
#define end	3
#define record	4
UT_SPAN(spans, request, UT_INFO, UT_INT(begin_n));

/* An event whose name is that of a span and a word more. */
UT_EVENT(spans, way_leave, UT_INFO);

/* A pair whose end has fields, too. */
UT_EVENT(spans, send_begin, UT_INFO, UT_INT(n));
UT_EVENT(spans, send_end, UT_INFO, UT_INT(status), UT_BOOL(again));

static int evaluated;

static int
count(int n)
{
	evaluated++;
	return n;
}

static int
returns(int n)
{
	UT_SCOPE(spans, way, "return");

	if (n == 0)
		return n;
	{
		UT_SCOPE(spans, bare);
		if (n == 1)
			return n;
	}
	UT_LOG(UT_INFO, "not yet");
	return n;
}

static void
loops(void)
{
	int i;

	for (i = 0; i < 4; i++) {
		UT_SCOPE(spans, job, i, "loop", 4);

		if (i == 1)
			continue;
		if (i == 2)
			break;
	}
}

static void
jumps(void)
{
	int n = 0;

again:
	{
		UT_SCOPE(spans, way, "goto");

		if (n++ < 2)
			goto again;
		goto out;
	}
out:
	UT_LOG(UT_INFO, "out");
}

/* Two in a block end in reverse; each of the inner ones before both. */
static void
nested(void)
{
	UT_SCOPE(spans, job, 1, "outer", 5);
	UT_SCOPE(spans, bare);
	{
		UT_SCOPE(spans, job, 2, "inner", 5);
		UT_SCOPE(spans, bare);
	}
}

static __inline__ int
recursive(int n)
{
	UT_SCOPE(spans, job, n, NULL, 0);

	return n == 0 ? 0 : 1 + recursive(n - 1);
}

static int
switches(int n)
{
	switch (n) {
	case 0: {
		UT_SCOPE(spans, way, "case");
		break;
	}
	default:
		return -1;
	}
	return 0;
}

#ifdef __cplusplus

namespace {

UT_SPAN(spans, inner, UT_INFO, UT_STRN(name));

template <typename T> T
in_template(T n)
{
	UT_SCOPE(spans, inner, std::string("template"));

	if (n > 2)
		throw std::runtime_error("thrown");
	return n;
}

struct object {
	object() { UT_SCOPE(spans, way, "constructor"); }
	~object() { UT_SCOPE(spans, way, "destructor"); }
	int member() const { UT_SCOPE(spans, way, "member"); return 1; }
};

}

static int
only_in_cxx()
{
	int sum = 0;

	for (int i = 1; i < 4; i++) {
		try {
			UT_SCOPE(spans, way, "exception");
			object o;
			sum += o.member() + in_template(i);
			sum += static_cast<int>(in_template(2L));
		} catch (const std::exception &) {
			sum += 100;
		}
	}
	auto f = [](int n) { UT_SCOPE(spans, on, n); return n; };
	return f(sum);
}

#else

static int
only_in_cxx(void)
{
	return 0;
}

#endif

static void
in_the_middle(void)
{
	struct timespec ts = { 0, 1000000 };
	UT_SCOPE(spans, middle);

	puts("there");
	fflush(stdout);
	while (!UT_ON(spans, middle_end))
		nanosleep(&ts, NULL);
}

int
main(int argc, char *argv[])
{
	int i;

	if (argc > 1 && strcmp(argv[1], "middle") == 0) {
		in_the_middle();
		return 0;
	}
	for (i = 0; i < 3; i++)
		returns(i);
	loops();
	jumps();
	nested();
	recursive(2);
	switches(0);
	UT_BEGIN(spans, bare);
	UT_BEGIN(spans, request, 7);
	UT_END(spans, request);
	UT_END(spans, bare);
	if (UT_ON(spans, on_begin))
		UT(spans, on_begin, count(1));
	UT(spans, on_end);
	UT_BEGIN(spans, send, 5);
	UT_END(spans, send, 404, 1);
	{
		UT_SCOPE(spans, on, count(2));
		UT_BEGIN(spans, on, count(3));
		UT_END(spans, on);
	}
	only_in_cxx();
	printf("%d\n", evaluated);
	return 0;
}
