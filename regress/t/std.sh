# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# ut.h compiles without a warning as C99, C11 and C++11 and later, and as C89
# for programs that ask for no more, with every compiler that is here and every
# way to compile and link, and what comes out traces.

. ./common.sh
not_sanitized
not_cross

cat >"$T/want" <<'END'
std:none { }
std:one { n = 0 }
std:one { n = 1 }
std:one { n = 2 }
std:one_record { n = 3 }
std:one_fields { }
std:numbers { i8 = -8, x16 = 0x10, net = 0, u64 = 64, f = 0.25, d = 0.125, p = 0x0, b = 1, c = grey, l = most, s = nine }
std:rest { s = "s", t = "tex", b = 62 |b|, a = [-1, 1], d = [0.5], k = "key" }
std:scope_begin { n = 3, k = "k" }
std:bare_begin { }
std:bare_begin { }
std:bare_end { }
std:bare_end { }
std:scope_end { }
std:scope_begin { n = 4, k = "" }
std:scope_end { }
std:bare_begin { }
std:bare_end { }
std:bare { }
std:bare_end_record { }
std:bare_end_fields { }
std:kind { n = 1, k = "k" }
std:other { n = 2, k = "" }
ut:log { msg = "on 3", file = "prog/std.c", line = 93, func = "main" }
END
warn="-Wall -Wextra -Wpedantic -Werror -I$TOP/libut"
# What programs are compiled with that want to know it all.
most="-pedantic-errors -Wfloat-equal -Wpadded -Wundef -Wsign-conversion \
    -Wredundant-decls -Wunused-macros"
most_cxx="$most -Wold-style-cast -Wzero-as-null-pointer-constant"
# All that clang has, but for standards that the header is not for, and for
# what it says of the program's own lines.
most_of() {
	case $($1 --version 2>/dev/null) in
	*clang*)	echo "-Weverything -Wno-unknown-warning-option" \
			    "-Wno-c++98-compat -Wno-c++98-compat-pedantic" \
			    "-Wno-pre-c11-compat -Wno-pre-c2x-compat" \
			    "-Wno-pre-c23-compat -Wno-unsafe-buffer-usage" \
			    "-Wno-used-but-marked-unused" ;;
	*)		echo "-Wlogical-op -Wduplicated-branches" ;;
	esac
}
n=0

# traces NAME: what was built does.
traces() {
	recorded -- "$T/prog"
	utctl view "$T/trace" 2>&1 | cut -d' ' -f4- >"$T/got"
	diff "$T/want" "$T/got" || fail "$*: traces something else"
	n=$((n + 1))
}

try() {
	"$@" -o "$T/prog" prog/std.c "$TOP/libut/libut.a" $LIBS ||
	    fail "$*: does not compile"
	traces "$@"
}

try_cxx() {
	"$@" -o "$T/prog" -x c++ prog/std.c -x none "$TOP/libut/libut.a" \
	    $LIBS || fail "$*: does not compile"
	traces "$@"
}

# Can it link such a program at all, with what runs before main?
able() {
	cat >"$T/able.c" <<-'END'
	static int begun;
	static void __attribute__((constructor)) begin(void) { begun = 1; }
	int main(void) { return !begun; }
	END
	"$@" -o "$T/able" "$T/able.c" >/dev/null 2>&1 && "$T/able"
}

# $CC too, where it is neither.
others=$CC
for cc in gcc clang; do
	[ "$($cc --version 2>/dev/null | sed '1s/^[^ ]* //;q')" != \
	    "$($CC --version 2>/dev/null | sed '1s/^[^ ]* //;q')" ] || others=
done
for cc in gcc clang $others; do
	able $cc || continue
	for std in c99 c11; do
		try $cc -std=$std $warn -O0 -DN=2 -DNUM=3 -DSTR=4 -DSEQ=5 \
		    -DTEXT=6 -DARRAY=7 -DEACH=8 -DONE=9 -DREST=10 -DFIRST=11
		try $cc -std=$std $warn -O2 -Wshadow -Wcast-qual -Wconversion \
		    -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings
		try $cc -std=$std $warn $most $(most_of $cc)
	done
	for std in -ansi "-std=c89 -U__STRICT_ANSI__" -std=gnu89; do
		try $cc $std -Wall -Wextra -Werror -I"$TOP/libut" -O2
	done
	for opt in -O3 -Os -fvisibility=hidden -fPIE "-fno-pie -no-pie" \
	    -fno-common "-ffunction-sections -fdata-sections -Wl,--gc-sections" \
	    -flto "-O2 -flto -Wl,--gc-sections" -static "-static -flto -O2" \
	    "-fsanitize=address,undefined -static-libasan" -fuse-ld=gold \
	    "-fuse-ld=lld -Wl,--gc-sections"; do
		able $cc $opt || continue
		try $cc $warn $opt
	done
done
# Without semicolons, for clang warns of them in C++.
cat >"$T/bare.cc" <<'END'
#include <ut.h>
UT_ENUMERATION(bare, UT_AUTO("a"))
UT_EVENT(bare, event, UT_INFO, UT_ENUM(bare, e), UT_STRN(s))
UT_EVENT_CLASS(bare, cls, UT_INT(n))
UT_EVENT_OF(bare, cls, bare, of, UT_INFO)
UT_SPAN(bare, span, UT_INFO)
END
for cxx in g++ clang++; do
	able $cxx || continue
	$cxx -std=c++11 $warn -Wextra-semi -fsyntax-only "$T/bare.cc" ||
	    fail "$cxx: -Wextra-semi"
	for std in c++11 c++14 c++17 c++20; do
		able $cxx -std=$std || continue
		try_cxx $cxx -std=$std $warn -O2
		try_cxx $cxx -std=$std $warn $most_cxx $(most_of $cxx)
	done
	try_cxx $cxx -std=c++11 $warn -O0 -Wconversion -Wshadow -Wcast-qual
done
# The header keeps to some of it by itself, if it is not a system's.
for h in ut.h ut_field.h; do
	sed '/GCC system_header/d' "$TOP/libut/$h" >"$T/$h" || exit 1
done
for cc in gcc clang; do
	able $cc || continue
	for std in c99 c11; do
		$cc -std=$std -I"$T" $warn -O2 -Wshadow -Wcast-qual \
		    -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
		    -Wwrite-strings -Wfloat-equal -c -o "$T/std.o" prog/std.c ||
		    fail "$cc -std=$std warns of ut.h itself"
	done
done
# The library from its sources, with a C library that is not the system's.
if able musl-gcc -static; then
	musl-gcc -std=c99 $warn -O2 -c -o "$T/std.o" prog/std.c &&
	    musl-gcc -static -std=c11 -D_GNU_SOURCE -O2 -o "$T/prog" \
	    "$T/std.o" "$TOP"/libut/*.c "$TOP"/libut/common/*.c \
	    "$TOP"/libut/expr/*.c "$TOP"/libut/unwind/*.c ||
	    fail "musl: does not compile"
	traces musl-gcc
fi
echo "$n programs"
