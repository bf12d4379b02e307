# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Allocators in programs, and libraries that find the C library's functions
# first: of calls that are not seen it is said whose they are.  The functions of
# C23 are seen, and no child waits for the linker's lock.

. ./shared/allocators.sh

# The functions of C23, also where the C library has none.
cat >"$T/sized.c" <<'END'
#include <stdlib.h>
void free_sized(void *, size_t) __attribute__((weak));
void free_aligned_sized(void *, size_t, size_t) __attribute__((weak));
int main(void) {
	void *volatile p = malloc(1234), *volatile q = malloc(4321);
	if (free_sized == NULL || free_aligned_sized == NULL)
		return 1;
	free_sized(p, 1234);
	free_aligned_sized(q, 16, 4321);
	return 0;
}
END
$CC $CFLAGS -fno-builtin -o "$T/sized" "$T/sized.c" || fail "cannot build sized"
recorded -w malloc -- "$T/sized"
utctl heap "$T/trace" >"$T/heap" || fail "sized: heap"
awk '/live at the end/ { all = 1 } $1 == 1234 && $2 == 1 { bad = 1 }
    $1 == 4321 && $2 == 1 { bad = 1 } END { exit !all || bad }' "$T/heap" ||
    fail "sized: $(cat "$T/heap")"

# A program that has an allocator linked into it.
cat >"$T/own.c" <<'END'
#include <stddef.h>
#include <string.h>
static char pool[1 << 20] __attribute__((aligned(16)));
static size_t used;
void *malloc(size_t);
void *malloc(size_t size) {
	char *p = pool + used;
	used += (size + 15) & ~(size_t)15;
	return used <= sizeof(pool) ? p : NULL;
}
void free(void *);
void free(void *p) {
	(void)p;
}
void *calloc(size_t, size_t);
void *calloc(size_t n, size_t size) {
	return malloc(n * size);
}
void *realloc(void *, size_t);
void *realloc(void *old, size_t size) {
	char *p = malloc(size);
	if (p != NULL && old != NULL)
		memmove(p, old, size);
	return p;
}
int main(void) {
	void *volatile p = malloc(100);
	free(p);
	return 0;
}
END
$CC $CFLAGS -fno-builtin -o "$T/own" "$T/own.c" || fail "cannot build own"
recorded -w malloc -- "$T/own"
grep -q 'an allocator that -w malloc does not see' "$T/record.err" ||
    fail "own: $(cat "$T/record.err")"
expect 0 "own calls an allocator that -w malloc does not see" \
    utctl heap "$T/trace"

# A child that ends while a thread that it does not have has the linker's lock.
cat >"$T/held.c" <<'END'
#define _GNU_SOURCE 1
#include <sys/wait.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int holding = 1;
static int slowly(struct dl_phdr_info *info, size_t size, void *arg) {
	(void)info, (void)size, (void)arg;
	usleep(1000);
	return 1;
}
static void *hold(void *arg) {
	while (holding)
		dl_iterate_phdr(slowly, NULL);
	return arg;
}
int main(void) {
	pthread_t t;
	pid_t pid;
	int i, n, status = 0, bad = 0;
	if (pthread_create(&t, NULL, hold, NULL) != 0)
		return 1;
	for (i = 0; i < 10; i++) {
		if ((pid = fork()) == 0)
			exit(0);
		for (n = 0; waitpid(pid, &status, WNOHANG) == 0; n++) {
			if (n == 10000)
				kill(pid, SIGKILL);
			usleep(1000);
		}
		bad |= status;
	}
	holding = 0;
	pthread_join(t, NULL);
	return bad != 0;
}
END
$CC $CFLAGS -o "$T/held" "$T/held.c" $LIBS || fail "cannot build held"
"$T/held" || fail "held"
recorded -w malloc -- "$T/held"

# A library that finds the C library's functions before ours.
grep -q DEEPBIND /usr/include/dlfcn.h /usr/include/*/dlfcn.h \
    /usr/include/bits/dlfcn.h /usr/include/*/bits/dlfcn.h 2>/dev/null || exit 0
cat >"$T/deep.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
void (*releases)(void *) = free;	/* where programs may set another */
int run(void *);
int run(void *p) {
	free(p);
	p = malloc(6000);
	releases(p);
	releases = (void (*)(void *))perror;
	return 0;
}
END
$CC $CFLAGS -fno-builtin -fPIC -shared -o "$T/deep.so" "$T/deep.c" ||
    fail "cannot build deep"
recorded -w malloc -- "$T/opens" "$T/deep.so"
expect 0 '' utctl heap "$T/trace"
grep 'does not see' "$T/record.err" "$T/err" && fail "all was seen"
for close in '' close; do
	recorded -w malloc -- "$T/opens" "$T/deep.so" deep $close
	utctl view -N -e 'libc:*' "$T/trace" >"$T/view.out" || fail "view"
	! grep -q 'size = 6000,' "$T/view.out" || break	# not so deep
	grep -q 'an allocator that -w malloc does not see' "$T/record.err" ||
	    fail "deep $close: $(cat "$T/record.err")"
	expect 0 "deep.so calls an allocator that -w malloc does not see" \
	    utctl heap "$T/trace"
done
exit 0
