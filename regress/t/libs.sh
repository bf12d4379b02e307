# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs and their libraries, compiled and linked in every way that throws
# things away or hides them, or in C++: the events of all are there, each is
# one event, and those of a library that is loaded from its first call on.

. ./common.sh
not_sanitized
not_cross

LINK="$LINK $LIBS $DL"
n=0

# Can it make such programs and libraries?
able() {
	echo 'int main(void) { return 0; }' >"$T/able.c"
	"$@" -fPIC -shared -o "$T/able.so" "$T/able.c" >/dev/null 2>&1 &&
	    "$@" -o "$T/able" "$T/able.c" >/dev/null 2>&1 && "$T/able"
}

units_want() {
	echo 'units:call { unit = "main", n = 0, where = program }'
	echo 'units:call { unit = "a", n = 1, where = program }'
	echo 'units:call { unit = "b", n = 2, where = program }'
	echo 'units:call { unit = "lib1", n = 3, where = library }'
	echo 'units:call { unit = "lib2", n = 4, where = library }'
	for i in 0 1 2; do
		echo "units:extra { n = $i }"
		echo "units:call { unit = \"lib3\", n = $i, where = library }"
	done
	echo 'units:call { unit = "a", n = -1, where = program }'
}

# traces PROVIDER COMMAND...: what $T/want says, of two events.
traces() {
	provider=$1
	shift
	recorded -- "$@" </dev/null
	readers_agree "$T/trace"
	cut -d' ' -f4- "$T/view.out" | diff "$T/want" - ||
	    fail "$how: traces something else"
	c=$(cat "$T"/trace/ust/uid/*/*-bit/metadata | described "$provider:")
	[ "$c" -eq 2 ] || fail "$how: $c events in the metadata"
	n=$((n + 1))
}

# units_so NAME LIBS compiler...
units_so() {
	lib=$1 with=$2
	shift 2
	"$@" -fPIC -shared -I"$TOP/libut" -DUNIT=$lib -o "$T/$lib.so" \
	    prog/unit.c $with || fail "$*: cannot build $lib.so"
}

units_o() {
	for unit in a b; do
		"$@" -I"$TOP/libut" -DUNIT=$unit -c -o "$T/$unit.o" \
		    prog/unit.c || fail "$*: cannot build $unit.o"
	done
}

try() {
	how=$*
	able "$@" || return 0
	units_want >"$T/want"
	units_so lib1 "$LINK" "$@"
	units_so lib2 "$LINK" "$@"
	units_so lib3 "$LINK" "$@" -DEXTRA
	units_o "$@"
	"$@" -D_GNU_SOURCE -I"$TOP/libut" -o "$T/units" prog/units.c \
	    "$T/a.o" "$T/b.o" "$T/lib1.so" "$T/lib2.so" $LINK \
	    -Wl,-rpath,"$T" || fail "$how: cannot build units"
	traces units "$T/units" "$T/lib3.so" 3
}

# The one libut is in the program, and its libraries find it there.
try_plugin() {
	how="plug-in $*"
	able "$@" -rdynamic || return 0
	units_want >"$T/want"
	units_so lib1 "" "$@"
	units_so lib2 "" "$@"
	units_so lib3 "" "$@" -DEXTRA
	units_o "$@"
	"$@" -rdynamic -D_GNU_SOURCE -I"$TOP/libut" -o "$T/units" \
	    prog/units.c "$T/a.o" "$T/b.o" "$T/lib1.so" "$T/lib2.so" \
	    "$TOP/libut/libut.a" $LIBS $DL -Wl,-rpath,"$T" ||
	    fail "$how: cannot build units"
	traces units "$T/units" "$T/lib3.so" 3
}

cxx_want() {
	line=$(grep -n 'UT_LOG(UT_INFO' prog/cxx.cc | cut -d: -f1)
	for where in program library; do
		end=", where = $where }"
		echo "cxx:call { what = \"static\", n = 1$end"
		echo "cxx:call { what = \"lambda\", n = 2$end"
		echo "cxx:inner { d = 0.5, v = [1, 2, 3] }"
		echo "cxx:inner { d = 0.5, v = [] }"
		echo "cxx:call { what = \"exception\", n = 1$end"
		echo "cxx:call { what = \"exception\", n = -1$end"
		echo "cxx:call { what = \"caught\", n = 0$end"
		echo "ut:log { msg = \"lambda\", file = \"prog/cxx.cc\"," \
		    "line = $line, func = \"all_of_it\" }"
	done
	echo 'cxx:call { what = "static", n = -1, where = library }'
	echo 'cxx:call { what = "static", n = -1, where = program }'
}

try_cxx() {
	how=$*
	able "$@" -x c++ || return 0
	cxx_want >"$T/want"
	"$@" -fPIC -shared -DLIBRARY -I"$TOP/libut" -o "$T/cxx.so" \
	    prog/cxx.cc $LINK || fail "$how: cannot build cxx.so"
	"$@" -I"$TOP/libut" -o "$T/cxx" prog/cxx.cc $LINK ||
	    fail "$how: cannot build cxx"
	traces cxx "$T/cxx" "$T/cxx.so"
}

GC="-ffunction-sections -fdata-sections -Wl,--gc-sections"
try gcc -O2 -fvisibility=hidden
try gcc -O2 $GC
try gcc -O2 -flto
try gcc -O2 -flto -fvisibility=hidden $GC
try gcc -O2 $GC -fuse-ld=gold
try gcc -O0 -Wl,-Bsymbolic -Wl,-z,now
try clang -O2 -fvisibility=hidden $GC
try clang -O2 -flto -fvisibility=hidden $GC -fuse-ld=lld
for cc in gcc clang; do
	try_plugin $cc -O2 -fvisibility=hidden $GC
done
warn="-Wall -Wextra -Wpedantic -Werror"
for cxx in g++ clang++; do
	try_cxx $cxx -std=c++11 $warn -O0
	try_cxx $cxx -std=c++17 $warn -O2 -fvisibility=hidden \
	    -fvisibility-inlines-hidden $GC
	try_cxx $cxx -std=c++20 -O2 -flto
done
echo "$n programs"
[ "$n" -gt 0 ] || skip "no compiler that is known here"
