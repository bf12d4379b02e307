# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A wrong argument, one too many or too few, a wrong declaration: the
# compiler says so.

. ./common.sh

compile() {
	"$@" -Wall -Wextra -Wconversion -Werror -I"$TOP/libut" -c -o "$T/wrong.o" \
	    prog/wrongtype.c 2>"$T/cc.err"
}

try() {
	compile "$@" -DCASE=0 ||
	    fail "$*: without a mistake: $(cat "$T/cc.err")"
	i=1
	while [ $i -le 41 ]; do
		compile "$@" -DCASE=$i && fail "$*: mistake $i goes unnoticed"
		# In strict C99 a C library may leave of it only one word.
		case $i in
		24)		why='has.more.than.16.fields' ;;
		27|28|29|40)	why='has.no.level' ;;
		30|31)		why='has.a.level.that' ;;
		*)		why=wrongtype.c ;;
		esac
		grep -q -e "$why" "$T/cc.err" ||
		    fail "$*: mistake $i: $(cat "$T/cc.err")"
		i=$((i + 1))
	done
}

for cc in gcc clang "$CC"; do
	command -v $cc >/dev/null 2>&1 && try $cc -std=c11 &&
	    try $cc -std=c99
done
for cxx in g++ clang++; do
	command -v $cxx >/dev/null 2>&1 && try $cxx -std=c++11 -x c++
done
exit 0
