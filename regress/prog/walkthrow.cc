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
 * Stacks in the middle of exceptions, for prog/walk.c: destructors that run
 * while one flies, virtual calls, and handlers that throw again.
 */

extern "C" {
#include "walk.h"
}

struct guard {
	~guard()
	{
		walk_check();
	}
};

struct shape {
	virtual ~shape()
	{
	}
	virtual int call(int) = 0;
};

static shape *some[3];

struct thrower : shape {
	int
	call(int n)
	{
		guard g;

		walk_check();
		if (n == 0)
			throw 7;
		return some[n % 3]->call(n - 1) + 1;
	}
};

struct catcher : shape {
	int
	call(int n)
	{
		guard g;

		try {
			return some[n % 3]->call(n > 0 ? n - 1 : 0) + 2;
		} catch (long) {
			return 3;
		}
	}
};

struct rethrower : shape {
	int
	call(int n)
	{
		try {
			return some[n % 3]->call(n > 0 ? n - 1 : 0) + 3;
		} catch (int) {
			walk_check();
			throw;
		}
	}
};

extern "C" void
walk_throw(void)
{
	thrower a;
	catcher b;
	rethrower c;
	int i, s = 0;

	some[0] = &a;
	some[1] = &b;
	some[2] = &c;
	for (i = 0; i < 100; i++) {
		try {
			s += some[0]->call(i % 13);
		} catch (int x) {
			s += x;
			walk_check();
		}
	}
}
