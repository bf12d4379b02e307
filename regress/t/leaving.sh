# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A signal handler that leaves free(3), malloc(3) or the waiting for a lock by
# siglongjmp, while a wrapper has called the system's function: the thread is
# recorded as before.

. ./common.sh
not_sanitized

# An allocator that raises a signal within its functions when it is told to.
cat >"$T/alloc.c" <<'END'
#include <signal.h>
#include <stddef.h>
#include <string.h>
static char pool[1 << 20] __attribute__((aligned(16)));
static size_t used;
volatile int armed;
void *malloc(size_t);
void *malloc(size_t size) {
	char *p = pool + used;
	if (armed && size == 1111) {
		armed = 0;
		raise(SIGUSR1);
	}
	used += (size + 31) & ~(size_t)15;
	memcpy(p, &size, sizeof(size));
	return used <= sizeof(pool) ? p + 16 : NULL;
}
void free(void *);
void free(void *p) {
	if (armed && p != NULL) {
		armed = 0;
		raise(SIGUSR1);
	}
}
void *calloc(size_t, size_t);
void *calloc(size_t n, size_t size) {
	return malloc(n * size);
}
void *realloc(void *, size_t);
void *realloc(void *old, size_t size) {
	void *p = malloc(size);
	size_t had;
	if (p != NULL && old != NULL) {
		memcpy(&had, (char *)old - 16, sizeof(had));
		memcpy(p, old, had < size ? had : size);
	}
	return p;
}
END
cat >"$T/main.c" <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
extern volatile int armed;
static sigjmp_buf env;
static char text[3333];
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static void handler(int sig) {
	(void)sig;
	siglongjmp(env, 1);
}
/* As deep on the stack as that. */
static int __attribute__((noinline)) work(int deep) {
	volatile char room[200];
	void *volatile p;
	room[0] = (char)deep;
	if (deep > 0)
		return work(deep - 1) + room[0];
	p = malloc(2222);
	free(p);
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	return 0;
}
static void __attribute__((noinline)) copies(int deep) {
	volatile char room[200];
	int i;
	room[0] = (char)deep;
	if (deep > 0)
		copies(deep - 1);
	else
		for (i = 0; i < 100; i++)
			(void)!strdup(text);
	room[0] = 0;
}
static void *thread(void *arg) {
	void *volatile p = malloc(10);
	armed = 1;
	if (sigsetjmp(env, 1) == 0)
		free(p);
	work(0);
	work(10);
	armed = 1;
	if (sigsetjmp(env, 1) == 0)
		p = malloc(1111);
	work(10);
	work(0);
	/* What the C library allocates is not missed for long, either. */
	p = malloc(10);
	armed = 1;
	if (sigsetjmp(env, 1) == 0)
		free(p);
	copies(10);
	if (sigsetjmp(env, 1) == 0) {
		alarm(1);
		pthread_mutex_lock(&held);
	}
	work(10);
	return arg;
}
int main(void) {
	struct sigaction sa = { 0 };
	sa.sa_handler = handler;
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGALRM, &sa, NULL);
	pthread_mutex_lock(&held);
	memset(text, 'x', sizeof(text) - 1);
	thread(NULL);
	return 0;
}
END
$CC $CFLAGS -fno-builtin -fPIC -shared -o "$T/liballoc.so" "$T/alloc.c" &&
    $CC $CFLAGS -fno-builtin -o "$T/main" "$T/main.c" -L"$T" -lalloc \
    -Wl,-rpath,"$T" $LIBS || fail "cannot build"
"$T/main" || fail "status $?"

recorded -w malloc -w pthread -- "$T/main"
[ "$lost" -eq 0 ] || fail "$lost lost"
utctl view -N "$T/trace" >"$T/view.out" || fail "view"
n=$(grep -c 'libc:malloc { size = 2222,' "$T/view.out")
[ "$n" -eq 5 ] || fail "$n of malloc"
for p in $(sed -n 's/.*malloc { size = 2222, ptr = \(0x[0-9a-f]*\),.*/\1/p' \
    "$T/view.out"); do
	grep -q "libc:free { ptr = $p," "$T/view.out" || fail "no free of $p"
done
n=$(grep -c 'libc:malloc { size = 3333,' "$T/view.out")
[ "$n" -ge 60 ] || fail "$n of strdup"
n=$(grep -c 'pthread:mutex_acquired' "$T/view.out")
[ "$n" -ge 6 ] || fail "$n of mutex_acquired"
exit 0
