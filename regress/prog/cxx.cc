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
 * Events where only C++ has places for them: constructors of static objects,
 * namespaces, templates, members in the class, lambdas, destructors that an
 * exception runs.  With -DLIBRARY it is the library that the program, given
 * its path, loads.
 */

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <ut.h>

enum class place : unsigned char { IN_PROGRAM = 200, IN_LIBRARY };

UT_ENUMERATION(where, UT_VALUE("program", place::IN_PROGRAM),
    UT_VALUE("library", place::IN_LIBRARY));
UT_EVENT(cxx, call, UT_INFO, UT_STR(what), UT_INT(n),
    UT_ENUM_OF(place, where, where))

#ifdef LIBRARY
#define WHERE	place::IN_LIBRARY
#else
#define WHERE	place::IN_PROGRAM
#endif

namespace inner {
UT_EVENT(cxx, inner, UT_DEBUG, UT_F64(d), UT_SEQ(int, v))

template <typename T> static void
each(const std::vector<T> &v)
{
	UT(cxx, inner, 0.5, v.data(), v.size());
}
}

struct scope {
	const char *name;

	explicit scope(const char *s) : name(s)
	{
		UT(cxx, call, name, 1, WHERE);
	}
	~scope()
	{
		UT(cxx, call, name, -1, WHERE);
	}
};

static scope global("static");

static int
all_of_it()
{
	std::string s("lambda");
	auto f = [&s](int n) { UT(cxx, call, s.c_str(), n, WHERE); };

	f(2);
	inner::each(std::vector<int>{ 1, 2, 3 });
	inner::each(std::vector<int>());
	try {
		scope here("exception");
		throw std::runtime_error("caught");
	} catch (const std::exception &e) {
		UT(cxx, call, e.what(), 0, WHERE);
	}
	UT_LOG(UT_INFO, "%s", s.c_str());
	return 7;
}

#ifdef LIBRARY

extern "C" __attribute__((visibility("default"))) int
library_call()
{
	return all_of_it();
}

#else

int
main(int argc, char *argv[])
{
	int (*call)(void);
	void *lib, *sym;

	if (all_of_it() != 7)
		return 1;
	if (argc < 2)
		return 0;
	if ((lib = dlopen(argv[1], RTLD_NOW)) == NULL ||
	    (sym = dlsym(lib, "library_call")) == NULL) {
		std::fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	std::memcpy(&call, &sym, sizeof(call));
	return call() != 7 || dlclose(lib) != 0;
}

#endif
