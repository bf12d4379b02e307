# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Call stacks of programs that are linked in all ways: they are whole where there
# are tables that say how, and cut where there are none, but never wrong.

. ./common.sh
not_sanitized
not_cross

LIBUT_C="$TOP/libut/unwind/*.c $TOP/libut/common/readable.c"
n=0

# linked WANT COMPILER...: with the unwinder's sources, by that compiler.
linked() {
	want=$1
	shift
	how=$*
	command -v "$1" >/dev/null 2>&1 || return 0
	"$@" -std=c11 -D_GNU_SOURCE $with -w -I"$TOP/libut" -o "$T/walk" \
	    prog/walk.c $LIBUT_C -pthread >"$T/log" 2>&1 || {
		echo "cannot link: $how"
		return 0
	}
	"$T/walk" deep callback aligned >"$T/out" 2>"$T/err"
	case $? in
	0)	;;
	77)	skip "no unwinder in libut for this processor or system" ;;
	*)	fail "$how: $(cat "$T/out" "$T/err")" ;;
	esac
	awk -v want="$want" '
	$5 + $9 > 0 { exit 1 }
	want == "same" && $3 + $4 + $7 + $8 > 0 { exit 1 }
	want == "longer" && ($2 + $3 > 0 || $4 == 0) { exit 1 }
	want == "known" && $1 == "deep" && ($2 + $3 > 0 || $4 == 0) { exit 1 }
	' "$T/out" || fail "$how: not $want: $(cat "$T/out" "$T/err")"
	n=$((n + 1))
}

with=-DORACLE
linked same gcc -O2 -static-pie
linked same gcc -O2 -static -Wl,--eh-frame-hdr
linked same gcc -O2 -no-pie -Wl,-z,lazy
linked same gcc -O2 -s
linked same gcc -O2 -flto
linked same gcc -O2 -fuse-ld=gold
linked same gcc -O2 -fuse-ld=lld
linked same gcc -O2 -fcf-protection=full -Wl,-z,ibtplt
linked same clang -O2
linked same clang -O2 -fuse-ld=lld -static -Wl,--eh-frame-hdr
# Debian's links no table of the tables into such a program.
linked cut gcc -O2 -static
# The caller is found by the frame pointer, or is not.
linked cut gcc -O2 -fno-asynchronous-unwind-tables -fno-omit-frame-pointer
linked cut gcc -O2 -fno-asynchronous-unwind-tables
with=
linked cut musl-gcc -O2
linked known musl-gcc -O2 -Wl,--eh-frame-hdr
linked known musl-gcc -O2 -static -Wl,--eh-frame-hdr
echo "$n ways"
[ "$n" -gt 0 ] || skip "no compiler that is known here"
