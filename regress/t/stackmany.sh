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
	$CC $CFLAGS -g -I"$TOP/libut" -o "$T/a" "$T/within.c" \
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
exit 0
