# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Calls of -finstrument-functions are chosen at odd moments: a library comes
# where another one was, children of a process run while it loads one, a handler
# has a small stack, a call was open when nobody listened, and a file took the
# place of what was loaded.

. ./common.sh
not_sanitized
not_cross
case "$CFLAGS" in
*-DUT_POSIX*)	skip "no names without the events of modules" ;;
esac

# A library that comes where another one was.
for n in a b; do
	echo "int ${n}_work(int n) { return n + 1; }
	int run(int n) { return ${n}_work(n); }" >"$T/$n.c"
	$CC $CFLAGS -O0 -fPIC -shared -finstrument-functions -o "$T/$n.so" \
	    "$T/$n.c" || fail "$n.so"
done
cat >"$T/load.c" <<'END'
#include <dlfcn.h>
#include <string.h>
int main(int argc, char **argv) {
	int (*f)(int), i, n = 0;
	void *l, *p;
	for (i = 0; i < 200 && argc == 3; i++) {
		if ((l = dlopen(argv[1 + i % 2], RTLD_NOW)) == NULL ||
		    (p = dlsym(l, "run")) == NULL)
			return 1;
		memcpy(&f, &p, sizeof(f));
		n += f(i);
		dlclose(l);
	}
	return n == 0;
}
END
$CC $CFLAGS -finstrument-functions -o "$T/load" "$T/load.c" $DL $LIBS ||
    fail "load.c"
recorded -w func -c 'a_*' -e 'func:*' -- "$T/load" "$T/a.so" "$T/b.so"
utctl view -N -o event "$T/trace" | grep -c func:entry >"$T/n"
[ "$(cat "$T/n")" -eq 100 ] || fail "two libraries: not 100: $(cat "$T/n")"
# Children of a process that loads a library meanwhile, a small stack, handlers
# within hooks, a call that was open when nobody listened, and a file that took
# the place of what was loaded.
cat >"$T/odd.c" <<'END'
#include <sys/wait.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#define QUIET __attribute__((no_instrument_function))
#define LOUD __attribute__((noinline))
static char *lib;
static pthread_t first;
static unsigned char stack[65536];
LOUD int work(int n) { volatile int v = n; return v; }
LOUD int twice(int n) { return work(n) + work(n + 1); }
LOUD static void handler(int sig) { work(sig); }
LOUD static void nap(void) {
	struct timespec ts = { 0, 100000000 };
	nanosleep(&ts, NULL);
}
static void * QUIET load(void *arg) {
	for (;; pthread_testcancel())
		dlclose(dlopen(lib, RTLD_NOW));
	return arg;
}
static void * QUIET kick(void *arg) {
	for (;; pthread_testcancel())
		pthread_kill(first, SIGUSR1);
	return arg;
}
static void QUIET forks(void) {
	int i, status = 0;
	for (i = 0; i < 300 && status == 0; i++) {
		if (fork() == 0) {
			alarm(5);
			_exit(work(i) == -1);
		}
		wait(&status);
	}
	printf("%d\n", status == 0 ? i : -1);
}
static void QUIET handle(int flags) {
	struct sigaction sa;
	stack_t ss;
	memset(&ss, 0, sizeof(ss));
	memset(&sa, 0, sizeof(sa));
	ss.ss_sp = stack;
	ss.ss_size = sizeof(stack);
	sigaltstack(&ss, NULL);
	sa.sa_handler = handler;
	sa.sa_flags = flags;
	sigaction(SIGUSR1, &sa, NULL);
}
static void QUIET with(void *(*f)(void *), int i) {
	pthread_t t;
	pthread_create(&t, NULL, f, NULL);
	if (i == 0)
		forks();
	while (i-- > 0)
		twice(i);
	pthread_cancel(t);
	pthread_join(t, NULL);
}
int QUIET main(int argc, char **argv) {
	int i, how = argv[1][0];
	union { void *p; int (*f)(int); } run;
	lib = argv[argc > 2 ? 2 : 1], first = pthread_self();
	handle(how == 's' ? SA_ONSTACK : 0);
	if (how == 'f')
		with(load, 0);
	else if (how == 'h')
		with(kick, 100000);
	for (i = 0; how == 'n' && i < 50; i++)
		nap();
	if (how == 's') {
		raise(SIGUSR1);
		for (i = 0; i < 65536 && stack[i] == 0; i++)
			;
		printf("%d\n", 65536 - i);
	} else if (how == 'r') {
		run.p = dlsym(dlopen(lib, RTLD_NOW), "run");
		rename(argv[3], lib);
		return run.f(1) == 0;
	}
	return 0;
}
END
$CC $CFLAGS -O1 -finstrument-functions -o "$T/odd" "$T/odd.c" -pthread $DL \
    $LIBS || fail "odd.c"
"$T/odd" s >"$T/bare"
utctl record -w func -c work -r -o "$T/trace" "$T/odd" s >"$T/used" \
    2>"$T/err" || fail "a small stack: $(cat "$T/err")"
[ $(($(cat "$T/used") - $(cat "$T/bare"))) -le 5000 ] ||
    fail "a handler's stack: $(cat "$T/bare" "$T/used")"
recorded -w func -M 1ns -n 2048 -- "$T/odd" h
[ "$lost" -eq 0 ] || fail "handlers: $lost lost"
utctl view -N "$T/trace" | sed -n \
    's/.*addr = \([^,]*\),.* took = \([0-9]*\).*/\1 \2/p' | awk '$2 > 60e9 {
    far = 1 } { n[$1]++ } END { for (f in n) print f, n[f]; exit far }' \
    >"$T/n" || fail "handlers: a call took an hour"
grep -q ' 100000$' "$T/n" || fail "handlers: $(cat "$T/n")"
# Calls within 4096 others are lost, and no other one.
cat >"$T/deep.c" <<'END'
#include <time.h>
static int __attribute__((noinline))
down(int n)
{
	struct timespec ts = { 0, 200000000 };
	volatile int sum = n;

	if (n > 0)
		sum += down(n - 1);
	if (n == 5000)
		nanosleep(&ts, NULL);
	return sum;
}
int
main(void)
{
	return down(5000) == 0;
}
END
$CC $CFLAGS -O1 -finstrument-functions -o "$T/deep" "$T/deep.c" $LIBS ||
    fail "deep.c"
recorded -w func -M 50ms -n 2048 -- "$T/deep"
utctl view -N -e func:call "$T/trace" |
    sed -n 's/.* took = \([0-9]*\), self = \([0-9]*\), .*/\1 \2/p' >"$T/n"
awk '$1 < 2e8 || ($2 > 1e8) != (NR == 1) { exit bad = 1 }
    END { exit bad || NR != 2 }' "$T/n" || fail "deep: $(cat "$T/n")"

# Functions that are inlined into themselves, and calls that longjmp() leaves and
# the same place makes again.
cat >"$T/inline.c" <<'END'
#include <setjmp.h>
#include <stdio.h>
static jmp_buf back;
static long n __attribute__((used));
static volatile int ten = 10;
static inline int
fib(int k)
{
	n++;
	return k < 2 ? k : fib(k - 1) + fib(k - 2);
}
static void __attribute__((noinline))
leave(void)
{
	longjmp(back, 1);
}
int
main(void)
{
	volatile int i;
	int sum = fib(ten);

	for (i = 0; i < 5000; i++)
		if (setjmp(back) == 0)
			leave();
	printf("%ld\n", n);
	return sum != 55;
}
END
for opt in -O0 -O2 -O3; do
	$CC $CFLAGS $opt -finstrument-functions -o "$T/inline" "$T/inline.c" \
	    $LIBS || fail "inline.c"
	recorded -w func -M 1ns -n 2048 -- "$T/inline"
	[ "$lost" -eq 0 ] || fail "inline $opt: $lost lost"
	utctl view -N -e func:call "$T/trace" | sed 's/.* nested = //' |
	    sort | uniq -c | tr -d ' \n' >"$T/n"
	# One of fib() is the outermost, as is that of main().
	[ "$(cat "$T/n")" = "20}$(($(cat "$T/record.out") - 1))1}" ] ||
	    fail "inline $opt: nested $(cat "$T/n")"
done
case $(uname -m) in
x86_64|i?86)
	recorded -w func -D 2 -n 2048 -- "$T/inline"
	utctl view -N -e func:entry "$T/trace" | wc -l >"$T/n"
	[ "$(cat "$T/n")" -eq 5002 ] || fail "longjmp: $(cat "$T/n")" ;;
esac
case $(getconf GNU_LIBC_VERSION 2>/dev/null) in
"glibc 2."[12]?|"glibc 2.3"[0-4])	;;	# has but a lock that we need
*)	utctl record -w func -c work -r -o "$T/trace" "$T/odd" f "$T/a.so" \
	    >"$T/n" 2>"$T/err"
	[ "$(cat "$T/n")" -eq 300 ] || fail "a child hung: $(cat "$T/err")" ;;
esac
{ cat "$T/b.c" && echo 'int more(int n) { return run(n); }'; } >"$T/c.c"
$CC $CFLAGS -O0 -fPIC -shared -finstrument-functions -o "$T/c.so" "$T/c.c" ||
    fail "c.so"
recorded -w func -c '?_work' -- "$T/odd" r "$T/b.so" "$T/c.so"
utctl view -N "$T/trace" >"$T/view"
grep -q 'unnamed.*b\.so.*not what was loaded' "$T/view" ||
    fail "replaced: $(cat "$T/view")"
LD_PRELOAD=$TOP/libut/libut-func.so UT_FUNC_LEAST=1 LD_LIBRARY_PATH=$TOP/libut \
    "$T/odd" n &
pid=$!
for n in 1 2; do
	sleep 0.35
	utctl record -p $pid -T 0.35 -r -o "$T/trace" 2>"$T/err" ||
	    fail "-p: $(cat "$T/err")"
	utctl view -N -e func:call "$T/trace" >"$T/view"
	sed -n 's/.* took = \([0-9]*\).*/\1/p' "$T/view" | awk '$1 > 250e6 {
	    bad = 1 } END { exit bad || NR == 0 }' ||
	    fail "open when nobody listened: $(cat "$T/view" "$T/err")"
done
kill $pid
exit 0
