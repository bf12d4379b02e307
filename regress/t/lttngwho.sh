# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What LTTng's own events tell, where it is installed: the heap, locks, calls of
# functions, and names of functions, of a program that knows what it does; and
# what is said where the trace was recorded without some of it.

. ./common.sh
. ./shared/lttng.sh

cat >"$T/app.c" <<'END'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER;
static void * volatile p[10];
static volatile int n;

void NOINLINE inner(void) { n++; }
void NOINLINE outer(void) { inner(); inner(); n++; }
void * NOINLINE keep(size_t size) { void * volatile q = malloc(size); return q; }

static void *
work(void *arg)
{
	int i;

	for (i = 0; i < 500; i++) {
		pthread_mutex_lock(&shared);
		if (i % 50 == 0)
			usleep(100);
		pthread_mutex_unlock(&shared);
		free(keep(100));
	}
	return arg;
}

int
main(void)
{
	pthread_t t[4];
	void *q;
	int i;

	for (i = 0; i < 30; i++)
		outer();
	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	for (i = 0; i < 10; i++)
		p[i] = keep(1000);
	for (i = 0; i < 5; i++)
		free(p[i]);
	p[0] = calloc(7, 11);
	p[1] = realloc(realloc(NULL, 500), 7000);
	if (posix_memalign(&q, 64, 123) != 0)
		return 1;
	p[2] = q;
	pthread_mutex_lock(&kept);
	if (pthread_mutex_trylock(&kept) == 0)
		return 1;
	return 0;
}
END
for how in -pie -no-pie; do
	$CC -g -O1 -fPIE $how -o "$T/app$how" "$T/app.c" $LIBS ||
	    fail "cannot build the program"
	$CC -g -O1 -fPIE $how -finstrument-functions -o "$T/fun$how" \
	    "$T/app.c" $LIBS || fail "cannot build the program"
done
all='vpid vtid procname ip'

# caller NAME: the live bytes and blocks, calls and allocated bytes of it.
caller() {
	awk -v who="$1" '$6 ~ "^" who "(\\+|$)" {
		for (i = 1; i <= 5; i++)
			n[i] += $i
	}
	END { print n[1], n[2], n[4], n[5] }' "$T/out"
}
# heap NAME: with nothing said.
heap() {
	utctl heap "$trace" >"$T/out" 2>"$T/err" || fail "$1: heap"
	grep -v ': addresses without names' "$T/err" &&
	    fail "$1: $(cat "$T/err")"
}

for how in -pie -no-pie; do
	traced "heap$how" "$all" 'lttng_ust_libc:*,lttng_ust_statedump:*'
	with libc-wrapper "$T/app$how"
	ended
	heap "heap$how"
	{
		caller keep
		caller main
		grep -c 'freed twice\|not allocated here\|freed unseen' "$T/out"
	} >"$T/got"
	expected "heap$how: $(cat "$T/out")" <<-END
	5000 5 2010 210000
	7200 3 3 7200
	0
	END
done

# Modules may come behind what is read.
expect 0 '' utctl view -n 1 "$trace"
[ ! -s "$T/err" ] || fail "-n 1: $(cat "$T/err")"

# After execve(2) it is another process, with the same ID.
traced exec "$all" 'lttng_ust_libc:*,lttng_ust_statedump:*'
with libc-wrapper sh -c "exec '$T/app-pie'"
ended
heap exec
sed -n 's/^\(sh\|app-pie\)\[[0-9]*\]: .* live .*/\1/p' "$T/out" | sort >"$T/got"
expected exec <<-END
app-pie
sh
END
[ "$(grep -o '^[a-z-]*\[[0-9]*\]: ' "$T/out" | sed 's/.*\[//' | sort -u |
    wc -l)" -eq 1 ] || fail "exec: several IDs: $(cat "$T/out")"
caller keep >"$T/got"
expected "exec: $(cat "$T/out")" <<-END
5000 5 2010 210000
END

# A process's own buffers need no contexts.
traced pids '' 'lttng_ust_libc:*,lttng_ust_statedump:*' --buffers-pid
with libc-wrapper "$T/app-pie"
ended
heap pids
grep -q '^app-pie\[[0-9]*\]: ' "$T/out" || fail "pids: $(cat "$T/out")"

# Without any contexts, it is taken for one process, and callers are not known.
traced bare '' 'lttng_ust_libc:*'
with libc-wrapper "$T/app-pie"
ended
utctl heap "$trace" >"$T/out" 2>"$T/err" || fail "bare: heap"
caller lttng_ust_libc:malloc | cut -d ' ' -f 2 >"$T/got"
grep -o 'all are taken for one.*add-context -u -t vpid' "$T/err" |
    cut -c 1-21 >>"$T/got"
utctl locks "$trace" 2>&1 >/dev/null | grep -o 'lttng_ust_pthread:.*' >>"$T/got"
utctl view "$T/home/exec" 2>&1 >/dev/null |
    grep -c -v ': addresses without names' >>"$T/got"
expected bare <<-END
$(caller lttng_ust_libc:malloc | cut -d ' ' -f 2)
all are taken for one
lttng_ust_pthread:*', of a program with LD_PRELOAD=liblttng-ust-pthread-wrapper.so?
0
END

# Locks: by which names, how often, and what is held at the end.
for how in -pie -no-pie; do
	traced "locks$how" "$all" 'lttng_ust_pthread:*,lttng_ust_statedump:*'
	with pthread-wrapper "$T/app$how"
	ended
	utctl locks "$trace" >"$T/out" 2>"$T/err" || fail "locks"
	grep -v 'no waits for conditions\|: addresses without names' "$T/err" &&
	    fail "locks: $(cat "$T/err")"
	awk -v app="(app$how)" '
	$4 == "not" && $5 == "released" && $3 == app { print "held", $2 }
	$NF == app && $1 ~ /^[0-9]+$/ && $(NF - 2) ~ /^0x/ && $2 ~ /^[0-9]+$/ {
		print $(NF - 1), $1, $3
	}' "$T/out" | sort >"$T/got"
	expected "locks: $(cat "$T/out")" <<-END
	held kept
	kept 1 1
	shared 2000 0
	END
done
traced nobody 'vpid' 'lttng_ust_pthread:*'
with pthread-wrapper "$T/app-pie"
ended
utctl locks -j "$trace" 2>&1 >"$T/out" | grep -q 'add-context -u -t vtid' ||
    fail "locks without threads"
grep -q '"processes":\[\]' "$T/out" || fail "locks: $(cat "$T/out")"

# Functions, with both libraries; the second tells of no function at its end.
for lib in cyg-profile cyg-profile-fast; do
	for how in -pie -no-pie; do
		traced "$lib$how" "$all" \
		    'lttng_ust_cyg_profile*,lttng_ust_statedump:*'
		with $lib "$T/fun$how"
		ended
		utctl stat -d "$trace" >"$T/out" 2>"$T/err" || fail "stat -d"
		[ ! -s "$T/err" ] || fail "$lib: $(cat "$T/err")"
		awk -v fun="(fun$how)" '$NF == fun && $(NF - 2) == "func" &&
		    $1 ~ /^[0-9]+$/ { print $1, $(NF - 1) }' "$T/out" |
		    sort -k 2 >"$T/got"
		expected "$lib$how: $(cat "$T/out")" <<-END
		60 inner
		2010 keep
		1 main
		30 outer
		4 work
		END
		utctl view "$trace" | grep func_entry |
		    grep -v 'ip = \([a-z]* (fun[a-z-]*)[^}]*\) }, { addr = \1[ ,]' \
		    >"$T/got" && fail "ip: $(head -3 "$T/got")"
		utctl view -i "$trace" 2>"$T/err" | sed -n \
		    's/.*:\([0-9]*\)\] \( *\)lttng_ust_cyg.*func_entry.* addr = \([a-z]*\) .*/\2\3/p' |
		    sed 5q >"$T/got"
		expected "$lib$how: indented: $(cat "$T/err")" <<-END
		main
		  outer
		    inner
		    inner
		  outer
		END
	done
done
utctl export -F folded "$trace" 2>/dev/null |
    sed -n 's/_(fun-no-pie)//g; s/ [0-9]*$//p' | grep -v work | sort >"$T/got"
expected folded <<-END
fun-no-pie;main
fun-no-pie;main;keep
fun-no-pie;main;outer
fun-no-pie;main;outer;inner
END
traced threadless 'vpid' 'lttng_ust_cyg_profile*'
with cyg-profile "$T/fun-pie"
ended
utctl stat -d "$trace" 2>&1 >"$T/out" | grep -q 'add-context -u -t vtid' ||
    fail "functions without threads"
! grep -q func "$T/out" || fail "functions without threads: $(cat "$T/out")"
kill $SESSIOND
wait $SESSIOND
