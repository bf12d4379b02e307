# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl heap with call stacks names the function that leaks, not the layers
# between it and malloc, with debugging information as without it.

. ./common.sh
not_sanitized
not_cross
case $CFLAGS in
*-DUT_POSIX*)	skip "no names without the events of modules" ;;
esac
need strip

cat >"$T/leak.c" <<'END'
#include <stdlib.h>
#include <string.h>

#define APART	__attribute__((noinline))

void *keep[8];

static inline void *
try_inner(size_t n)
{
	return malloc(n);
}

APART void *
xmalloc(size_t n)
{
	void *p = try_inner(n);

	if (p == NULL)
		abort();
	return p;
}

APART char *
xstrdup(const char *s)
{
	return strcpy(xmalloc(strlen(s) + 1), s);
}

/* No allocator by its name, but three call it. */
APART char **
text_new(void)
{
	char **p = xmalloc(24);

	*p = NULL;
	return p;
}

APART void first(void) { keep[0] = text_new(); }
APART void second(void) { keep[1] = text_new(); }
APART void third(void) { keep[2] = text_new(); }
APART void handle(int i) { keep[i & 7] = xstrdup("request"); }

int
main(void)
{
	int i;

	keep[3] = xmalloc(500);
	for (i = 0; i < 100; i++)
		handle(i);
	first();
	second();
	third();
	return 0;
}
END
cat >"$T/leak.cc" <<'END'
#include <map>
#include <memory>
#include <string>
#include <vector>
#include <stdlib.h>
#include <unistd.h>

struct session {
	std::string name;
	std::vector<char> buf;
};

static std::map<int, std::shared_ptr<session>> all;

__attribute__((noinline)) void
open_session(int i)
{
	auto s = std::make_shared<session>();

	s->name = "longer than what fits into the object itself";
	s->buf.resize(256);
	all[i] = s;
}

int
main()
{
	for (int i = 0; i < 80; i++)
		open_session(i);
	_exit(0);
}
END

rows() {	# program
	recorded -g -w malloc -- "$1"
	[ "$lost" -eq 0 ] || fail "$1: $lost lost"
	utctl heap "$T/trace" >"$T/heap" 2>"$T/err" || fail "heap: $(cat "$T/err")"
	awk '/ caller$/ { on = 1; next } on && NF == 0 { exit }
	    on && $6 !~ /[.]so/ { print $6 }' "$T/heap" | sort -u
}

both() {	# program, functions
	rows "$T/$1" >"$T/got"
	printf '%s\n' $2 | diff - "$T/got" >&2 || fail "$1: $(cat "$T/heap")"
	strip -g "$T/$1" || fail "strip"
	rows "$T/$1" | diff "$T/got" - >&2 || fail "without -g: $(cat "$T/heap")"
}

$CC $CFLAGS -g -O2 -o "$T/leak" "$T/leak.c" || fail "cannot build"
both leak "first handle main second third"

# A compiler of C++ that makes programs as $CC does.
case "$CC $CFLAGS" in
*musl*|*-m32*)	exit 0 ;;
esac
command -v g++ >/dev/null || exit 0
g++ -g -O2 -std=c++11 -o "$T/cxx" "$T/leak.cc" 2>/dev/null || exit 0
both cxx "open_session(int)"

# Functions of the C++ library whose type of result has parentheses, such as
# std::variant has.
cat >"$T/result.cc" <<'END'
#include <unistd.h>

#define APART	__attribute__((noinline))

static void *volatile keep[2];

template <class T> APART T *made(T t) { return new T[250]{t}; }

namespace std {
template <class T> APART decltype(auto) do_visit(T t) { return new T[500]{t}; }
template <class T> APART auto do_invoke(T t) -> decltype(made((t, t)))
{ return new T[500]{t}; }
}

APART void copies() { keep[0] = std::do_visit(1); }
APART void invokes() { keep[1] = std::do_invoke(1); }

int
main()
{
	copies();
	invokes();
	_exit(0);
}
END
g++ -g -O2 -std=c++14 -o "$T/result" "$T/result.cc" 2>/dev/null || exit 0
both result "copies() invokes()"
exit 0
