# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program with libut.a opens a library that has libut.so.  Both are of one
# process, and neither has a thread, so neither has a connection by then: utd
# takes neither for what the process was before an exec.

. ./common.sh

not_cross
not_sanitized
cat >"$T/lib.c" <<'END'
#include <ut.h>

UT_EVENT(two, lib, UT_INFO, UT_INT(n))

void	 lib(int);

void
lib(int n)
{
	UT(two, lib, n);
}
END
cat >"$T/main.c" <<'END'
#include <dlfcn.h>
#include <unistd.h>
#include <ut.h>

UT_EVENT(two, main, UT_INFO, UT_INT(n))

/* Become the program once more, with half the number. */
int
main(int argc, char **argv)
{
	void (*lib)(int) = NULL;
	void *h;
	int i;

	(void)argc;
	for (i = 0; i < 3; i++) {
		UT(two, main, i);
		if (lib == NULL && ((h = dlopen(argv[1], RTLD_NOW |
		    RTLD_LOCAL)) == NULL ||
		    (*(void **)&lib = dlsym(h, "lib")) == NULL))
			return 1;
		lib(i);
		usleep(100000);
	}
	if (argv[2] == NULL)
		return 0;
	argv[2] = NULL;
	execv(argv[0], argv);
	return 1;
}
END
$CC $CFLAGS -I../libut -fPIC -shared -o "$T/lib.so" "$T/lib.c" -L../libut \
    -lut $LIBS -Wl,-rpath,"$(cd ../libut && pwd)" &&
    $CC $CFLAGS -I../libut -o "$T/main" "$T/main.c" ../libut/libut.a $LIBS $DL ||
    fail "cannot build"
UT_THREADS=0 utctl record -o "$T/trace" -e 'two:*' -- "$T/main" "$T/lib.so" again \
    >"$T/out" 2>&1 || fail "record: $(cat "$T/out")"
utctl view "$T/trace" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
lines=$(grep -c " main\[[1-9].* two:" "$T/out")
[ "$lines" = 12 ] || fail "$lines events: $(cat "$T/out")"
exit 0
