# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Call stacks where one place is within many inlined functions, and where one
# function's name is in many programs.

. ./common.sh
not_cross

# within N: a place is within so many functions that are inlined.
within() {
	{
		cat <<-END
		#include <ut.h>
		UT_EVENT(deep, here, UT_INFO, UT_INT(n))
		static inline __attribute__((always_inline)) void in_0(int n)
		{
			UT(deep, here, n);
		}
		END
		awk -v n="$1" 'BEGIN {
			for (i = 1; i < n; i++)
				printf "static inline " \
				    "__attribute__((always_inline)) void " \
				    "in_%d(int n)\n{\n\tin_%d(n);\n}\n",
				    i, i - 1
			printf "void around(int n);\n" \
			    "void __attribute__((noinline)) around(int n)\n" \
			    "{\n\tin_%d(n);\n\t__asm__ volatile (\"\");\n}\n" \
			    "int main(void)\n{\n\taround(1);\n\treturn 0;\n}\n",
			    n - 1
		}'
	} >"$T/within.c"
	$CC $CFLAGS -g -Wl,--build-id -I"$TOP/libut" -o "$T/a" "$T/within.c" \
	    "$TOP/libut/libut.a" $LIBS || fail "cannot build $1"
}

# Of more than can be told, the innermost and the outermost are.
for n in 20 63 64 100; do
	within $n
	utctl record -g -o "$T/trace" -e 'deep:*' -- "$T/a" 2>"$T/err" ||
	    fail "$n: $(cat "$T/err")"
	utctl stat -g function "$T/trace" | awk '$NF == "(a)" { print $5 }' |
	    sort >"$T/got"
	awk -v n=$n 'BEGIN {
		print "around\nmain\n_start"
		for (i = 0; i < n && i < 63; i++)
			print "in_" i
	}' | sort >"$T/want"
	diff "$T/want" "$T/got" >"$T/diff" || fail "$n: $(cat "$T/diff")"
	rm -rf "$T/trace"
done

# The programs are one file of many names, and have nothing in common.
names='a b c d e f g h i j k l'
for p in $names; do
	[ $p = a ] || cp "$T/a" "$T/$p" || fail "cp"
done
utctl record -g -o "$T/trace" -e 'deep:*' -- sh -c "
    for p in $names; do '$T/'\$p; done" 2>"$T/err" || fail "$(cat "$T/err")"
utctl stat -g stack "$T/trace" >"$T/out" || fail "stat"
sed '1,/ function$/d' "$T/out" | awk '
	$5 == "around" { n++ }
	$1 != 1 { bad = 1 }
	END { exit bad || n != 12 }' || fail "programs: $(cat "$T/out")"

# A line that the compiler does not tell is none.
if command -v clang >/dev/null 2>&1; then
	printf '%s\n' '#include <ut.h>' \
	    'UT_EVENT(deep, zero, UT_INFO, UT_INT(n))' 'int main(void) {' \
	    '# 0 "zero.c"' 'UT(deep, zero, 1); return 0; }' >"$T/zero_main.c"
	clang -O1 -g -I"$TOP/libut" -o "$T/zero" "$T/zero_main.c" \
	    "$TOP/libut/libut.a" $LIBS || fail "cannot build zero"
	rm -rf "$T/trace"
	utctl record -g -o "$T/trace" -e 'deep:*' -- "$T/zero" 2>"$T/err" ||
	    fail "zero: $(cat "$T/err")"
	utctl view -o stack "$T/trace" >"$T/out" || fail "view"
	grep -q '^    #0 main zero.c:? (zero)$' "$T/out" ||
	    fail "zero: $(cat "$T/out")"
	utctl view -jo stack "$T/trace" | grep -q \
	    '"name":"main","file":"[^"]*zero.c","module":"zero"}' ||
	    fail "zero: $(utctl view -jo stack "$T/trace")"
fi

# Parts of a function of C++ are the function, also without a linkage name.
if command -v g++ >/dev/null 2>&1; then
	cat >"$T/cold.cc" <<-'END'
	#include <ut.h>
	UT_EVENT(deep, cold, UT_INFO, UT_INT(n))
	static void __attribute__((noinline, cold))
	tell(int n)
	{
		UT(deep, cold, n);
		__asm__ volatile ("");
	}
	static int __attribute__((noinline))
	work(int n)
	{
		UT(deep, cold, n);
		if (n > 5) {
			tell(-n);
			__asm__ volatile ("");
		}
		return n;
	}
	int
	main(int argc, char **argv)
	{
		(void)argv;
		return work(argc) + work(argc + 1) == 0 ? 1 : work(argc + 5);
	}
	END
	g++ -O2 -g -I"$TOP/libut" -o "$T/cold" "$T/cold.cc" \
	    "$TOP/libut/libut.a" $LIBS || fail "cannot build cold"
	rm -rf "$T/trace"
	utctl record -g -o "$T/trace" -e 'deep:*' -- "$T/cold" 2>"$T/err"
	utctl stat -g function "$T/trace" >"$T/out" || fail "cold: stat"
	[ "$(grep -c 'work(' "$T/out")" -eq 1 ] &&
	    grep -q '^ *3 .* 4  100.0  work(int) (cold)$' "$T/out" ||
	    fail "cold: $(cat "$T/out")"
fi

# A dot in the name that the linker knows may be of the name, as in Go.
cat >"$T/dot.c" <<'END'
#include <ut.h>
UT_EVENT(deep, dot, UT_INFO, UT_INT(n))
void work(int n) __asm__ ("main.work");
void __attribute__((noinline))
work(int n)
{
	UT(deep, dot, n);
	__asm__ volatile ("");
}
int
main(void)
{
	work(1);
	return 0;
}
END
$CC $CFLAGS -g -I"$TOP/libut" -o "$T/dot" "$T/dot.c" "$TOP/libut/libut.a" \
    $LIBS || fail "cannot build dot"
rm -rf "$T/trace"
utctl record -g -o "$T/trace" -e 'deep:*' -- "$T/dot" 2>"$T/err" ||
    fail "dot: $(cat "$T/err")"
utctl stat -g function "$T/trace" >"$T/out" || fail "dot: stat"
grep -q '^ *1 .*  main\.work (dot)$' "$T/out" || fail "dot: $(cat "$T/out")"

# A file that was replaced since is told of; one that is gone has but numbers.
within 3
rm -rf "$T/trace"
utctl record -g -o "$T/trace" -e 'deep:*' -- "$T/a" 2>"$T/err" ||
    fail "replaced: $(cat "$T/err")"
within 4
for what in 'view -o stack' 'stat -g function'; do
	utctl $what "$T/trace" >"$T/out" 2>"$T/err" || fail "$what"
	grep -q '^utctl: a: addresses without names: the file is of another bu' \
	    "$T/err" && grep -q ' a+0x[0-9a-f]*' "$T/out" ||
	    fail "$what: $(cat "$T/err" "$T/out")"
done
rm "$T/a"
utctl view -o stack "$T/trace" >"$T/out" 2>"$T/err" || fail "gone"
grep -q 'utctl: a: ' "$T/err" && fail "gone: $(cat "$T/err")"
exit 0
