# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Strings and sequences that another thread changes while UT copies them:
# their values are anything, but each event is whole, however the program was
# compiled.

. ./common.sh

n=100000
for o in 0 1 2 s 3; do
	build "$T/flips" prog/flips.c -O$o
	recorded -m block -- "$T/flips" $n
	[ "$events" -eq $n ] || fail "-O$o: $(cat "$T/record.err")"
	utctl view "$T/trace" >"$T/view.out" 2>"$T/view.err" ||
	    fail "-O$o: $(head -3 "$T/view.err")"
	sed -n 's/.*{ n = \([0-9]*\), .*, check = \([0-9]*\) }$/\1 \2/p' \
	    "$T/view.out" | awk -v n=$n '$1 == NR && $2 == NR * 3 + 1 { good++ }
	    END { exit NR != n || good != n }' ||
	    fail "-O$o: events are not whole"
done
exit 0
