# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the tests of other allocators than the C library's have in common.

. ./common.sh
not_sanitized

# A program that opens a library, and runs what is in it with a piece of memory.
cat >"$T/opens.c" <<'END'
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND	0
#endif
int main(int argc, char *argv[]) {
	void *library = dlopen(argv[1], RTLD_NOW | (argc > 2 ?
	    RTLD_DEEPBIND : 0)), *symbol;
	int (*run)(void *);
	if (library == NULL || (symbol = dlsym(library, "run")) == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&run = symbol;
	printf("%d calls\n", run(malloc(5000)));
	return argc > 3 ? dlclose(library) : 0;
}
END
$CC $CFLAGS -o "$T/opens" "$T/opens.c" $DL || fail "cannot build opens"
