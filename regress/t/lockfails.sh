# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl locks of a program whose calls fail: another thread's unlock, a wait
# with a time that is none, one without the mutex.  The mutex is held all the
# time, and then free.

. ./shared/locks.sh

cat >"$T/eperm.c" <<'END'
#define _GNU_SOURCE 1
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *
other(void *arg)
{
	(void)arg;
	if (pthread_mutex_unlock(&lock) != EPERM)
		return &lock;
	return pthread_cond_wait(&cond, &lock) == EPERM ? NULL : &lock;
}

int
main(void)
{
	const struct timespec nap = { 0, 50000000 }, never = { 0, -1 };
	pthread_mutexattr_t a;
	pthread_t t;
	void *failed;

	if (pthread_mutexattr_init(&a) != 0 ||
	    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK) != 0 ||
	    pthread_mutex_init(&lock, &a) != 0 || pthread_mutex_lock(&lock))
		return 1;
	nanosleep(&nap, NULL);
	if (pthread_create(&t, NULL, other, NULL) != 0 ||
	    pthread_join(t, &failed) != 0)
		return 1;
	if (failed != NULL ||
	    pthread_cond_timedwait(&cond, &lock, &never) != EINVAL)
		return 77;
	nanosleep(&nap, NULL);
	if (pthread_mutex_unlock(&lock) != 0)
		return 1;
	return pthread_mutex_unlock(&lock) == EPERM ? 0 : 77;
}
END
$CC $CFLAGS -o "$T/eperm" "$T/eperm.c" $LIBS || fail "cannot build eperm"
status=0
"$T/eperm" || status=$?
case $status,$CFLAGS in
*-fsanitize*|77,*)	;;	# not preloaded, or the system does not say EPERM
0,*)	recorded -w pthread -e 'pthread:*' -- "$T/eperm"
	[ "$lost" -eq 0 ] || fail "eperm: $lost lost"
	utctl view -N -e 'pthread:*_kept' "$T/trace" >"$T/view.out" || fail "view"
	[ "$(wc -l <"$T/view.out")" -eq 4 ] || fail "kept: $(cat "$T/view.out")"
	utctl locks -N "$T/trace" >"$T/out" || fail "eperm: locks"
	grep 'released' "$T/out" && fail "eperm: $(cat "$T/out")"
	awk '/ lock, its name or/ { getline; exit $1 != 1 || $8 < 100000 ||
	    $8 != $11 }' "$T/out" || fail "eperm: $(cat "$T/out")"
	! command -v python3 >/dev/null 2>&1 || compared ;;
*)	fail "eperm: status $status" ;;
esac
