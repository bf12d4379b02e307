# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# libut-malloc.so: who called operator new of C++ is the caller of what that
# allocates, in whatever form and by whichever C++ library; but for operators of
# the program's own, which are not called before the program runs.

. ./common.sh
not_sanitized

# built option...: $T/news, for which the system may have no library.
built() {
	how=$*
	$CC $CFLAGS -x c++ -std=c++17 -Wall -Wextra -o "$T/news" prog/news.cc \
	    "$@" >"$T/built" 2>&1 && "$T/news" >"$T/alone"
}

# The calls whose caller is where the program says, of all of those.
traced() {
	recorded -w malloc -- "$T/news"
	[ "$lost" -eq 0 ] || fail "$how: $lost lost"
	cut -d ' ' -f 1 "$T/record.out" >"$T/sizes"
	cut -d ' ' -f 1 "$T/alone" | cmp - "$T/sizes" ||
	    fail "$how: $(cat "$T/record.out")"
	utctl view -N -e 'libc:*alloc*' -e libc:posix_memalign \
	    -e libc:memalign "$T/trace" >"$T/view.out" || fail "view"
	! grep 'caller = 0x0 ' "$T/view.out" || fail "$how: no caller"
	right=0
	while read -r size from to; do
		caller=$(sed -n "s/.* size = $size,.* caller = \(0x[0-9a-f]*\) }/\1/p" \
		    "$T/view.out")
		[ -n "$caller" ] || continue
		[ $((caller)) -le $((from)) ] || [ $((caller)) -gt $((to)) ] ||
		    right=$((right + 1))
	done <"$T/record.out"
}

tried=0
for o in -O0 -O2; do
	for libs in -l:libstdc++.so.6 '-l:libc++.so.1 -l:libc++abi.so.1'; do
		built $o $libs || continue
		tried=1
		traced
		[ "$right" -eq 9 ] || fail "$how: $right of 9: $(cat \
		    "$T/record.out" "$T/view.out")"
	done
done
[ $tried -eq 1 ] || skip "no C++ library here: $(cat "$T/built")"

# Its own operator has the only calls of malloc(3) but for those with an
# alignment.  Operators of a library inside the program are such, too.
if built -DOWN -l:libstdc++.so.6; then
	traced
	[ "$right" -eq 1 ] || fail "$how: $right"
	# Whatever the names of directories are.
	mkdir "$T/libc++x" && cp "$T/news" "$T/libc++x" || exit 1
	recorded -w malloc -- "$T/libc++x/news"
fi
! built -l:libstdc++.a || traced
if built -DOWN_MALLOC -l:libstdc++.so.6; then
	traced
	[ "$right" -eq 0 ] || fail "$how: $right"
fi
exit 0
