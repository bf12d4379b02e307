# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# -finstrument-functions, with libut-func.o in the program, and with
# libut-func.so before it: every function that is entered is left, in order, and
# those that called are there.

. ./common.sh
not_sanitized
not_cross

try() {
	"$@" -finstrument-functions -o "$T/funcs" prog/funcs.c \
	    "$TOP/libut/libut-func.o" "$TOP/libut/libut.a" $LIBS ||
	    fail "$*: does not compile"
	balanced "$*" -e 'func:*' -- "$T/funcs"
}

# Where the C library has hooks, which are empty, a program need not have any.
hooks=
preloaded() {
	case $1,$CC in
	*musl*,*musl*)	;;
	*,*musl*)	return 0 ;;	# of another C library
	esac
	"$@" -finstrument-functions -o "$T/funcs" prog/funcs.c $LIBS \
	    2>"$T/link.err" || return 0
	hooks=1
	"$T/funcs" >/dev/null || fail "$*: alone: $?"
	balanced "$* preloaded" -w func -e 'func:*' -- "$T/funcs"
}

balanced() {
	how=$1
	shift
	recorded -b 64k -n 512 "$@"
	set -- "$how"
	calls=$(cat "$T/record.out")
	[ "$events $lost" = "$((2 * calls)) 0" ] ||
	    fail "$*: $events events for $calls calls, $lost lost"
	utctl view -N -e 'func:*' "$T/trace" | sed 's/.*\[[0-9]*:\([0-9]*\)\] func:\([a-z]*\) { addr = \([^,]*\), call_site = \([^ ]*\) }/\1 \2 \3 \4/' >"$T/calls"
	awk '$2 == "entry" { stack[$1, depth[$1]++] = $3 " " $4; next }
	    $2 == "exit" && depth[$1] > 0 {
		# The site of the return may be told otherwise.
		split(stack[$1, --depth[$1]], s)
		if (s[1] == $3)
			next
	    }
	    { print "unbalanced: " $0; bad = 1; exit 1 }
	    END { for (t in depth)
		if (depth[t] != 0 && !bad) { print "still in: " t; exit 1 } }
	' "$T/calls" || fail "$*"
	[ "$(cut -d' ' -f1 "$T/calls" | sort -u | wc -l)" -eq 4 ] ||
	    fail "$*: not 4 threads"
	[ "$(cut -d' ' -f3 "$T/calls" | sort -u | wc -l)" -eq 5 ] ||
	    fail "$*: not 5 functions"
	grep -q ' 0x0' "$T/calls" && fail "$*: from nowhere"
	return 0
}

for cc in gcc clang "$CC"; do
	command -v $cc >/dev/null 2>&1 || continue
	try $cc -O0
	try $cc -O2 -fno-optimize-sibling-calls
	preloaded $cc -O0
	preloaded $cc -O2 -fno-optimize-sibling-calls
done
# A program that traces itself too: libut's own functions are not traced.
$CC -O0 -finstrument-functions -I"$TOP/libut" -o "$T/about" prog/first.c \
    "$TOP/libut/libut-func.o" "$TOP/libut/libut.a" $LIBS || fail "first"
recorded -- "$T/about"
utctl view -N "$T/trace" >"$T/view.out" || fail "view"
[ "$(grep -c first: "$T/view.out")" -eq 4 ] || fail "first: not 4 events"
[ "$(grep -c func: "$T/view.out")" -eq 8 ] ||
    fail "first: not 4 functions: $(cat "$T/view.out")"

[ -n "$hooks" ] || skip "no hooks in the C library: libut-func.so was not tried"
# Also of libraries: their constructors, when nothing can be recorded yet, and
# what is loaded later; and of a signal handler, which interrupts these.  Each
# tells us its address, and -finstrument-functions was not for what does that.
cat >"$T/lib.c" <<'END'
int work(int n) { return n + 1; }
__attribute__((constructor)) void set_up(void) { work(1); }
END
cat >"$T/main.c" <<'END'
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define QUIET __attribute__((no_instrument_function))
static void QUIET say(const char *what, const void *p) {
	printf("%s %p\n", what, p);
}
static volatile int n;
static void handler(int sig) { n += sig; }
static int QUIET none(int i) { return i; }
int main(int argc, char *argv[]) {
	int (*f)(int) = none;
	void *l, *p;
	int i;
	signal(SIGUSR1, handler);
	for (i = 0; i < 100; i++)
		raise(SIGUSR1);
	say("handler", (void *)handler);
	for (i = 0; i < 3; i++) {
		if (argc < 2 || (l = dlopen(argv[1], RTLD_NOW)) == NULL ||
		    (p = dlsym(l, "work")) == NULL)
			return 1;
		memcpy(&f, &p, sizeof(f));
		errno = 4711;
		if (f(i) != i + 1 || errno != 4711)
			return 2;
		say("work", p);
		dlclose(l);
	}
	return 0;
}
END
$CC $CFLAGS -O0 -finstrument-functions -fPIC -shared -o "$T/lib.so" \
    "$T/lib.c" && $CC $CFLAGS -O0 -finstrument-functions -o "$T/main" \
    "$T/main.c" $DL $LIBS || fail "cannot build main"
recorded -w func -e 'func:*' -- "$T/main" "$T/lib.so"
utctl view -N "$T/trace" >"$T/view.out" || fail "view"
for f in handler:100 work:6; do
	for e in entry exit; do
		sed -n "s/^${f%:*} //p" "$T/record.out" | sort -u |
		    while read -r a; do
			grep "func:$e { addr = $a," "$T/view.out"
		done | wc -l
	done >"$T/got"
	[ "$(echo $(cat "$T/got"))" = "${f#*:} ${f#*:}" ] ||
	    fail "main: $f: $(cat "$T/got")"
done
# Each time that the library is there, the trace says where, and when no more,
# once, however many wrappers there are.
case $CFLAGS in
*-DUT_POSIX*)	exit 0 ;;	# no such events in this build
esac
for w in func pthread,func,malloc; do
	recorded -w $w -e 'func:*' -- "$T/main" "$T/lib.so"
	utctl view -N -e 'ut:*' "$T/trace" >"$T/view.out" || fail "view"
	grep "ut:module .*$T/lib.so\"" "$T/view.out" |
	    sed 's/.*base = \(0x[0-9a-f]*\),.*/\1/' >"$T/came"
	sed -n 's/.*ut:unload { base = \(0x[0-9a-f]*\),.*/\1/p' \
	    "$T/view.out" >"$T/went"
	[ "$(wc -l <"$T/came")" -eq 3 ] && cmp "$T/came" "$T/went" ||
	    fail "-w $w: lib.so: $(cat "$T/view.out")"
done
exit 0
