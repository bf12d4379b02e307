# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The first line of main is recorded, and what constructors, destructors and
# functions of atexit trace, with the static library and the shared one, and
# constructors of other libraries that run after ours.

. ./common.sh

library=
try() {
	i=0
	while [ $i -lt 10 ]; do
		recorded -- "$1"
		utctl view "$T/trace" | cut -d' ' -f4- | tr '\n' ' ' >"$T/got"
		[ "$(cat "$T/got")" = "${library}first:constructor { } first:line { }\
 first:atexit { } first:destructor { } " ] || fail "$1: $(cat "$T/got")"
		i=$((i + 1))
	done
}

try ./prog/first
$CC $CFLAGS -I"$TOP/libut" -o "$T/first" prog/first.c -L"$TOP/libut" -lut \
    -Wl,-rpath,"$TOP/libut" $LIBS || fail "cannot build with libut.so"
try "$T/first"

so() {
	lib=$1
	shift
	$CC $CFLAGS -fPIC -shared -I"$TOP/libut" -o "$T/lib$lib.so" \
	    "$@" -L"$TOP/libut" -lut -Wl,-rpath,"$TOP/libut" ||
	    fail "cannot build lib$lib.so"
}
so events prog/firstlib.c
so constructor -DCONSTRUCTOR prog/firstlib.c -L"$T" -levents \
    -Wl,-rpath,"$T"
$CC $CFLAGS -I"$TOP/libut" -o "$T/first" prog/first.c -Wl,--no-as-needed \
    -L"$T" -lconstructor -levents -L"$TOP/libut" -lut -Wl,-rpath,"$T" \
    -Wl,-rpath,"$TOP/libut" $LIBS || fail "cannot build with libraries"
library="first:library { } "
try "$T/first"
