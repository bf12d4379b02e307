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
 * Filters: code from an enemy, and text from a user.  The first byte says
 * which.  Of code, two bytes say how long it is; text ends with a NUL.  What
 * follows are the fields of an event.
 */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../libut/expr/compile.h"
#define UT_NO_EVENTS
#include "../../libut/ut.h"
#include "fuzz.h"

static const struct ut_value values[] = {
	{ "run", 0, 0 }, { "runs", 1, 3 }, { "stop", 2, 7 }, { "", -5, -1 }
};

static const struct expr_field fields[] = {
	{ "a", UT_KIND_INT, 4, UT_F_SIGNED, 0, NULL, 0 },
	{ "b", UT_KIND_INT, 8, 0, 0, NULL, 0 },
	{ "n", UT_KIND_INT, 2, UT_F_BE, 0, NULL, 0 },
	{ "e", UT_KIND_ENUM, 4, UT_F_SIGNED, 0, values, 4 },
	{ "t", UT_KIND_TEXT, 1, 0, 5, NULL, 0 },
	{ "s", UT_KIND_STRING, 1, 0, 0, NULL, 0 },
	{ "d", UT_KIND_FLOAT, 8, UT_F_SIGNED, 0, NULL, 0 },
	{ "q", UT_KIND_SEQ, 4, 0, 0, NULL, 0 },
	{ "f", UT_KIND_FLOAT, 4, UT_F_SIGNED, 0, NULL, 0 },
	{ "u", UT_KIND_STRING, 1, 0, 0, NULL, 0 },
	{ "c", UT_KIND_INT, 1, 0, 0, NULL, 0 },
	{ "r", UT_KIND_ARRAY, 8, 0, 3, NULL, 0 },
	{ "k", UT_KIND_SEQ, 1, UT_F_TEXT, 0, NULL, 0 },
	{ "l", UT_KIND_SEQ, 1, UT_F_TEXT, 0, NULL, 0 },
	{ "w", UT_KIND_ENUM, 8, 0, 0, values, 4 },
};

static uint32_t
cpu(void)
{
	return 1;
}

/* So that not a byte more than there are can be read. */
static unsigned char *
copy(const void *from, size_t n)
{
	unsigned char *p = malloc(n > 0 ? n : 1);

	if (p == NULL)
		abort();
	if (n > 0)
		memcpy(p, from, n);
	return p;
}

/* Valid code; if it is a range, it says the same as that. */
static void
run(const unsigned char *code, size_t len, const struct input *in)
{
	static const struct filter_env env = { "program", 1, 2, cpu };
	unsigned char *event = copy(in->p, in->n);
	const bool pass = filter_run(code, len, event, in->n, &env);
	struct filter_range r;

	if (filter_is_range(code, len, &r) &&
	    filter_in_range(&r, event, in->n) != pass)
		fuzz_die("the range is not what the code is");
	free(event);
}

/* The code as it is, or the program in it. */
static void
run_code(struct input *in, bool program)
{
	const size_t most = input_u16(in);
	const uint8_t *p;
	const size_t n = input_some(in, most, &p);
	const uint32_t len = (uint32_t)n;
	const size_t head = program ? sizeof(len) : 0;
	unsigned char *code = copy(p, n);

	if (program) {
		free(code);
		if ((code = malloc(n + head)) == NULL)
			abort();
		memcpy(code, &len, sizeof(len));
		if (n > 0)
			memcpy(code + head, p, n);
	}
	if (filter_valid(code, n + head))
		run(code, n + head, in);
	free(code);
}

/* Twice in a row. */
static void
run_text(struct input *in)
{
	const uint8_t *nul = in->n == 0 ? NULL : memchr(in->p, '\0', in->n);
	const size_t n = nul == NULL ? in->n : (size_t)(nul - in->p);
	static struct filter_code code;
	char *text = calloc(1, n + 1), why[128] = "";
	struct expr_why reason = { NULL, "" };
	struct expr *e;
	unsigned char *exact;

	if (text == NULL)
		abort();
	if (n > 0)
		memcpy(text, in->p, n);
	in->p += nul == NULL ? n : n + 1;
	in->n -= nul == NULL ? n : n + 1;
	code.len = 0;
	e = expr_parse(text, why, sizeof(why));
	free(text);
	if (e != NULL && expr_compile(e, fields,
	    sizeof(fields) / sizeof(fields[0]), &code, &reason) &&
	    expr_compile(e, fields, sizeof(fields) / sizeof(fields[0]), &code,
	    &reason)) {
		if (!filter_valid(code.b, code.len))
			fuzz_die("compiled code is not valid");
		exact = copy(code.b, code.len);
		run(exact, code.len, in);
		free(exact);
	} else if (why[0] == '\0' && reason.text[0] == '\0')
		fuzz_die("nobody says why");
	expr_free(e);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	const uint8_t how = input_u8(&in);

	if (how % 2 == 0)
		run_text(&in);
	else
		run_code(&in, how % 4 == 1);
	return 0;
}
