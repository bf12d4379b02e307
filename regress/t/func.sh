# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# -finstrument-functions with libut-func.o: every function that is entered is
# left, in order, and those that called are there.

. ./common.sh
not_sanitized
not_cross

try() {
	"$@" -finstrument-functions -o "$T/funcs" prog/funcs.c \
	    "$TOP/libut/libut-func.o" "$TOP/libut/libut.a" $LIBS ||
	    fail "$*: does not compile"
	recorded -b 64k -n 512 -- "$T/funcs"
	calls=$(cat "$T/record.out")
	[ "$events $lost" = "$((2 * calls)) 0" ] ||
	    fail "$*: $events events for $calls calls, $lost lost"
	utctl view "$T/trace" | sed 's/.*\[[0-9]*:\([0-9]*\)\] func:\([a-z]*\) { addr = \([^,]*\), call_site = \([^ ]*\) }/\1 \2 \3 \4/' >"$T/calls"
	awk '$2 == "entry" { stack[$1, depth[$1]++] = $3 " " $4; next }
	    $2 == "exit" && depth[$1] > 0 {
		# The site of the return may be told otherwise.
		split(stack[$1, --depth[$1]], s)
		if (s[1] == $3)
			next
	    }
	    { print "unbalanced: " $0; bad = 1; exit 1 }
	    END { for (t in depth)
		if (depth[t] != 0 && !bad) { print "still in: " t; exit 1 } }
	' "$T/calls" || fail "$*"
	[ "$(cut -d' ' -f1 "$T/calls" | sort -u | wc -l)" -eq 4 ] ||
	    fail "$*: not 4 threads"
	[ "$(cut -d' ' -f3 "$T/calls" | sort -u | wc -l)" -eq 5 ] ||
	    fail "$*: not 5 functions"
	grep -q ' 0x0' "$T/calls" && fail "$*: from nowhere"
	return 0
}

for cc in gcc clang "$CC"; do
	command -v $cc >/dev/null 2>&1 || continue
	try $cc -O0
	try $cc -O2 -fno-optimize-sibling-calls
done
# A program that traces itself too: libut's own functions are not traced.
$CC -O0 -finstrument-functions -I"$TOP/libut" -o "$T/about" prog/first.c \
    "$TOP/libut/libut-func.o" "$TOP/libut/libut.a" $LIBS || fail "first"
recorded -- "$T/about"
utctl view "$T/trace" >"$T/view.out" || fail "view"
[ "$(grep -c first: "$T/view.out")" -eq 4 ] || fail "first: not 4 events"
[ "$(grep -c func: "$T/view.out")" -eq 8 ] ||
    fail "first: not 4 functions: $(cat "$T/view.out")"
