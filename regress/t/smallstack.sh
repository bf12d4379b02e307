# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# An event in a signal handler on a small stack takes no more of that than ut(3)
# says, also if it is the first one and the program is linked lazily.

. ./common.sh

not_sanitized
for o in 0 2; do
	$CC $CFLAGS -O$o -D_GNU_SOURCE -I"$TOP/libut" -Wl,-z,lazy \
	    -o "$T/smallstack" prog/smallstack.c $LINK $LIBS ||
	    fail "cannot build smallstack"
	for options in "" "-m block -b 4k -n 2" "-m overwrite -b 4k -n 4" \
	    -g "-G 16"; do
		case $options in
		-[gG]*)	most=4096 ;;
		*)	most=2048 ;;
		esac
		recorded $options -- "$T/smallstack" 3000
		[ "$events" -gt 0 ] || fail "$(cat "$T/record.err")"
		n=$(cat "$T/record.out")
		echo "-O$o $options: $n bytes"
		[ "$n" -gt 0 ] && [ "$n" -le $most ] ||
		    fail "-O$o $options: an event takes $n bytes of stack"
	done
done
exit 0
