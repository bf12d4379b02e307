# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The first line of main is recorded, and what constructors, destructors and
# functions of atexit trace, with the static library and the shared one.

. ./common.sh

try() {
	i=0
	while [ $i -lt 10 ]; do
		recorded -- "$1"
		utctl view "$T/trace" | cut -d' ' -f4- | tr '\n' ' ' >"$T/got"
		[ "$(cat "$T/got")" = "first:constructor { } first:line { }\
 first:atexit { } first:destructor { } " ] || fail "$1: $(cat "$T/got")"
		i=$((i + 1))
	done
}

try ./prog/first
$CC $CFLAGS -I"$TOP/libut" -o "$T/first" prog/first.c -L"$TOP/libut" -lut \
    -Wl,-rpath,"$TOP/libut" $LIBS || fail "cannot build with libut.so"
try "$T/first"
