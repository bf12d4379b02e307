# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# valgrind has nothing to say of a program that traces: no error, and no leak,
# be it only a possible one.  Without a utd, with one, with one that comes
# later, in the children too.

. ./common.sh
not_sanitized
not_cross
need valgrind
case $CFLAGS in
*-DUT_POSIX*)	skip "what valgrind has to be told no standard knows" ;;
esac

# Does it find its way at all in what $CC makes?
cat >"$T/plain.c" <<'END'
#include <stdlib.h>

int
main(void)
{
	char *volatile p = malloc(7);

	p = NULL;
	return p != NULL;
}
END
$CC $CFLAGS -o "$T/plain" "$T/plain.c" || fail "cannot build"
valgrind --leak-check=full "$T/plain" >"$T/out" 2>&1
grep -q 'definitely lost: 7 bytes' "$T/out" ||
    skip "valgrind does not see the memory of programs here"

# quiet N command...: in N processes or more.
quiet() {
	want=$1
	shift
	"$@" >"$T/out" 2>"$T/err" </dev/null ||
	    fail "$*: status $?: $(cat "$T/err")"
	[ "$(grep -c "ERROR SUMMARY" "$T/err")" -ge "$want" ] &&
	    ! grep 'ERROR SUMMARY: [1-9]' "$T/err" &&
	    ! grep 'lost: [1-9]' "$T/err" ||
	    fail "$*: $(cat "$T/err")"
}

check="valgrind --leak-check=full"
quiet 1 $check ./prog/seq 1 1 3
quiet 1 $check ./prog/seq 1 4 100
quiet 1 utctl record -o "$T/t1" -- $check ./prog/seq 1 4 100
cat >"$T/fork.c" <<'END'
#include <sys/wait.h>
#include <unistd.h>
#include <ut.h>

UT_EVENT(forks, here, UT_INFO, UT_INT(n));

int
main(void)
{
	int n = 0;

	do
		UT(forks, here, n);
	while (n++ < 2 && fork() == 0);
	while (wait(NULL) != -1)
		continue;
	return 0;
}
END
build "$T/fork" "$T/fork.c"
quiet 3 utctl record -o "$T/t2" -- $check "$T/fork"

# Threads for the user's utd, and for the system's that is not there.
unset UT_RUNDIR
quiet 1 env "HOME=$T" XDG_RUNTIME_DIR= $check ./prog/seq 1 1 3

# Found later.
UT_RUNDIR=$T/run
export UT_RUNDIR
pulse_start valgrind --leak-check=full --log-file="$T/later" ./prog/pulse
pulse hit 1
start_utd
utctl create -o "$T/t3" s >/dev/null && utctl enable-event 'pulse:*' &&
    utctl start || fail "set-up"
until_ok has_programs s '.*' || fail "not found"
exec 3>&- 4<&-
wait $PULSE
cat "$T/later"
grep -q 'ERROR SUMMARY: 0 ' "$T/later" && ! grep 'lost: [1-9]' "$T/later" ||
    fail "with a utd that comes later"

# A race of the program's own, and a program with the shared library.
cat >"$T/race.c" <<'END'
#include <pthread.h>
#include <ut.h>

UT_EVENT(race, here, UT_INFO, UT_INT(n));
static int shared;

static void *
run(void *arg)
{
	shared++;
	UT(race, here, 1);
	return arg;
}

int
main(void)
{
	pthread_t t[2];

	if (pthread_create(&t[0], NULL, run, NULL) != 0 ||
	    pthread_create(&t[1], NULL, run, NULL) != 0)
		return 1;
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
END
build "$T/race" "$T/race.c"
$CC $CFLAGS -D_GNU_SOURCE -I"$TOP/libut" -o "$T/seq.so" prog/seq.c $LINK \
    $LIBS || fail "cannot build seq.so"

# The thread checkers are told of libut, and of nothing else.
for tool in helgrind drd; do
	check="valgrind --tool=$tool --suppressions=$TOP/libut/valgrind.supp"
	quiet 1 utctl record -o "$T/$tool" -- $check ./prog/seq 1 4 300
	quiet 1 utctl record -o "$T/$tool.so" -- $check "$T/seq.so" 1 4 300
	$check "$T/race" >"$T/out" 2>"$T/err"
	grep -q 'ERROR SUMMARY: [1-9]' "$T/err" || fail "$tool: no race is seen"
done

# memcheck is told of what the wrapper of malloc frees in a program in C++.
command -v g++ >/dev/null 2>&1 || exit 0
echo 'int main() { int *p = new int(1), n = *p; delete p; return n - 1; }' \
    >"$T/new.cc"
case $CC in
*-m32*)	exit 0 ;;
*gcc*|*cc)	g++ $CFLAGS -O0 -o "$T/new" "$T/new.cc" || fail "new.cc" ;;
*)	exit 0 ;;
esac
check="valgrind -q --error-exitcode=9"
utctl record -w malloc -o "$T/memcheck" -- $check \
    --suppressions="$TOP/libut/valgrind.supp" "$T/new" 2>"$T/err" ||
    fail "memcheck: $(cat "$T/err")"
