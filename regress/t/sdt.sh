# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The probes of SystemTap, in C and C++: types, values, semaphores; in functions
# that two files share, and in a library that is loaded and unloaded.  Arguments
# that have no place in an event do not compile.

. ./common.sh
not_sanitized
not_cross

warn="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Werror"
use="-I$TOP/libut -I$TOP/libut/sdt"
# Macros that programs have.
names="-DA=1 -DB=2 -DN=3 -DP=4 -DT=5"

cat >"$T/c" <<'END'
p:none { }
p:numbers { arg1 = -8, arg2 = 200, arg3 = -16, arg4 = 65535, arg5 = -32, arg6 = 32, arg7 = -64, arg8 = 18446744073709551615, arg9 = 1.5, arg10 = -2.5, arg11 = 1, arg12 = 120 }
p:all { arg1 = 7, arg2 = 0, arg3 = -1, arg4 = 5, arg5 = -3, arg6 = 1 }
p:addresses { arg1 = 0x10, arg2 = 0x20, arg3 = 0x30, arg4 = 0x0 }
p:inside { arg1 = 1, arg2 = 255 }
END
cat "$T/c" - >"$T/cxx" <<'END'
p:tpl { arg1 = 1 }
p:lambda { arg1 = 3, arg2 = 1 }
p:tpl { arg1 = 2 }
p:inside { arg1 = 2, arg2 = 255 }
END

# traces LANGUAGE: what was built does, with each argument evaluated once; and
# not at all if nobody listens.
traces() {
	[ "$("$T/prog")" = "0$off" ] || fail "$how: not traced: $("$T/prog")"
	recorded -- "$T/prog"
	[ "$(cat "$T/record.out")" = "1$on" ] ||
	    fail "$how: $(cat "$T/record.out")"
	[ "$lost" = 0 ] || fail "$how: $(cat "$T/record.err")"
	readers_agree "$T/trace"
	cut -d' ' -f4- "$T/view.out" >"$T/got"
	diff "$T/$1" "$T/got" || fail "$how: traces something else"
	n=$((n + 1))
}

n=0
for sem in '' -DSEMAPHORES; do
	on=${sem:+ 1 1} off=${sem:+ 0 0}
	for cc in 'gcc -std=c99 -O2' 'gcc -std=c11' 'clang -std=c99 -O2' \
	    'clang -std=gnu11' 'gcc -O2 -flto -fPIE -pie' \
	    'gcc -no-pie -fno-pie -Os'; do
		command -v ${cc%% *} >/dev/null 2>&1 || continue
		how="$cc $sem"
		$cc $warn $sem $use $names -o "$T/prog" prog/sdt.c "$LIBUT" $LIBS ||
		    fail "$how: does not compile"
		traces c
	done
	for cc in 'g++ -std=c++11 -O2' 'g++ -std=c++20' 'clang++ -std=c++11' \
	    'clang++ -std=c++17 -O2'; do
		command -v ${cc%% *} >/dev/null 2>&1 || continue
		how="$cc $sem"
		for part in MAIN OTHER; do
			$cc $warn $sem $use $names -D$part -x c++ -c -o "$T/$part.o" \
			    prog/sdt.c || fail "$how: does not compile"
		done
		$cc -o "$T/prog" "$T/MAIN.o" "$T/OTHER.o" "$LIBUT" $LIBS ||
		    fail "$how: does not link"
		traces cxx
	done
done
[ $n -gt 0 ] || skip "no compiler"

# A semaphore that is not there is left alone.
cat >"$T/weak.c" <<'END'
#define _SDT_HAS_SEMAPHORES
extern unsigned short p_q_semaphore __attribute__((weak));
#include <sys/sdt.h>
int main(void) { DTRACE_PROBE(p, q); return 0; }
END
$CC $warn $use -o "$T/weak" "$T/weak.c" "$LIBUT" $LIBS || fail "weak"
recorded -- "$T/weak"
[ "$events $lost" = "1 0" ] || fail "weak: $(cat "$T/record.err")"

# A library that is loaded and unloaded: its probes come and go with it.
cat >"$T/lib.cc" <<'END'
#include <sys/sdt.h>
template <class T> inline void in(T t) { DTRACE_PROBE1(lib, in, t); }
extern "C" void go(void);
extern "C" void go(void) { in(1L); }
END
cat >"$T/load.c" <<'END'
#include <sys/wait.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
int
main(int argc, char **argv)
{
	void *lib, *go;
	int i, status = 1;

	for (i = 0; i < 3; i++) {
		if ((lib = dlopen(argv[argc - 1], RTLD_NOW)) == NULL ||
		    (go = dlsym(lib, "go")) == NULL)
			abort();
		(*(void (**)(void))&go)();
		if (dlclose(lib) != 0 ||
		    dlopen(argv[argc - 1], RTLD_NOW | RTLD_NOLOAD) != NULL)
			abort();
	}
	/* The child writes to all events that there are. */
	if (fork() == 0)
		_exit(0);
	wait(&status);
	return status != 0;
}
END
$CC -o "$T/load" "$T/load.c" $DL $LIBS || fail "load"
for cxx in g++ clang++; do
	command -v $cxx >/dev/null 2>&1 || continue
	$cxx $warn $use -fPIC -shared -o "$T/lib.so" "$T/lib.cc" $LINK ||
	    fail "$cxx: lib"
	recorded -- "$T/load" "$T/lib.so"
	[ "$events $lost" = "3 0" ] || fail "$cxx: $(cat "$T/record.err")"
done

# takes COMPILER ARGUMENT
takes() {
	cat >"$T/bad.c" <<-END
	#include <sys/sdt.h>
	struct { int a; } s;
	long double d;
	void f(void);
	void f(void) { DTRACE_PROBE1(p, bad, $2); }
	END
	$1 $use -c -o "$T/bad.o" "$T/bad.c" 2>"$T/err"
}
for cc in gcc clang 'g++ -x c++' 'clang++ -x c++'; do
	command -v ${cc%% *} >/dev/null 2>&1 || continue
	takes "$cc" s.a || fail "$cc: $(cat "$T/err")"
	takes "$cc" s && fail "$cc takes a structure"
	takes "$cc" d && fail "$cc takes a long double"
done

# Without the library, the linker says what is missing.
$CC $use -o "$T/prog" prog/sdt.c >"$T/out" 2>&1 && fail "links without libut"
grep -q 'undefined reference to .ut_begin' "$T/out" || fail "$(cat "$T/out")"
echo "$n programs"
