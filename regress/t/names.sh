# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Fields may be called anything, whatever the metadata's own words are and
# whatever else is in the event: every reader reads the trace.

. ./common.sh

try() {
	build "$T/prog" "-DFIELDS=$1" "-DVALUES=$2" prog/kind.c
	rm -rf "$T/trace"
	utctl record -o "$T/trace" -- "$T/prog" 3 </dev/null >/dev/null \
	    2>"$T/err" || fail "$1: $(cat "$T/err")"
	(readers_agree "$T/trace") || { echo "... $1"; bad=1; return; }
	utctl view "$T/trace" | grep -q -e "{ $3 }\$" ||
	    fail "$1: $(utctl view "$T/trace")"
}

refused() {
	build "$T/prog" "-DFIELDS=$1" "-DVALUES=$2" prog/kind.c
	rm -rf "$T/trace"
	expect 0 'event kind:one of prog .*not valid: .*not recorded' \
	    utctl record -o "$T/trace" -- "$T/prog" 3
}

bad=0
try 'UT_INT(x), UT_INT(_x), UT_INT(__x)' i,i,i 'x = 2, _x = 2, __x = 2'
try 'UT_INT(string), UT_INT(id), UT_INT(event), UT_INT(align), UT_INT(env)' \
    i,i,i,i,i 'string = 2, id = 2, event = 2, align = 2, env = 2'
try 'UT_INT(timestamp), UT_INT(magic), UT_INT(clock), UT_INT(vpid)' i,i,i,i \
    'timestamp = 2, magic = 2, clock = 2, vpid = 2'
# A sequence has its length in a field of its own.
try 'UT_BYTES(x), UT_INT(x_length)' '"abc",3,i' \
    'x = .*, x_length = 2'
try 'UT_INT(x_length), UT_BYTES(x)' 'i,"abc",3' \
    'x_length = 2, x = .*'
try 'UT_BYTES(x), UT_INT(_x_length)' '"abc",3,i' \
    'x = .*, _x_length = 2'
# babeltrace2 2.0 takes these two for one: refused, and said so.
refused 'UT_BYTES(_x), UT_INT(x)' '"abc",3,i'
refused 'UT_BYTES(x), UT_BYTES(_x)' '"abc",3,"d",1'
[ $bad -eq 0 ] || fail "not readable by all"
