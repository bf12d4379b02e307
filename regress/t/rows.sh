# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What readers make of the counts in packets: those of a stream go on from file
# to file, those of the first packet may be of packets that are not there, and
# what is lost between two packets is lost after the first of them.  babeltrace2
# is asked, too.

. ./common.sh
. ./shared/rows.sh

# Both readers tell what is on the standard input: number, from, to.
told() {
	cat >"$T/want"
	utctl view -j "$T/$name" >"$T/out" 2>"$T/err" ||
	    fail "$name: $(cat "$T/err")"
	sed -n 's/{"discarded":\([a-z0-9]*\),"from":"\([0-9]*\)0\{9\}","to":"\([0-9]*\)0\{9\}".*/\1 \2 \3/p' \
	    "$T/out" | diff "$T/want" - >"$T/diff" ||
	    fail "$name: $(cat "$T/diff")"
	command -v babeltrace2 >/dev/null 2>&1 || return 0
	babeltrace2 --clock-seconds "$T/$name" 2>&1 >/dev/null | sed -n \
	    -e 's/.*discarded \([0-9]*\) events* between \[\([0-9]*\)\.0*\] and \[\([0-9]*\)\.0*\].*/\1 \2 \3/p' \
	    -e 's/.*may have discarded events between \[\([0-9]*\)\.0*\] and \[\([0-9]*\)\.0*\].*/null \1 \2/p' |
	    diff "$T/want" - >"$T/diff" ||
	    fail "$name: babeltrace2: $(cat "$T/diff")"
}

# Three files of a stream, in no order of names, and another stream.
trace row <<-END
	c_0_9 0 10 11 0 0 0 10 1
	c_0_9 0 12 13 1 5 1 12 1
	c_0_10 0 14 15 2 7 0 14 1
	c_0_10 0 16 17 3 7 1 16 1
	c_0_8 0 18 19 4 9 0 18 1
	c_1_0 1 10 11 0 0 0 10 2
	c_1_0 1 20 21 1 4 1 20 2
END
told <<-END
	5 11 13
	4 11 21
	2 13 15
	2 17 19
END
expect 0 '^7 events, 13 discarded$' utctl view -q "$T/row"

# The first files were removed.
trace removed <<-END
	c_0_4 0 10 11 7 100 0 10 1
	c_0_4 0 12 13 8 105 1 12 1
	c_0_5 0 14 15 9 107 0 14 1
END
told <<-END
	null 10 11
	5 11 13
	2 13 15
END
expect 0 '^3 events, 7 discarded$' utctl view -q "$T/removed"
expect 0 'events may have been discarded between .* and .* in .*c_0_4$' \
    utctl view "$T/removed"

# In no time, nothing is lost: what utd puts before the first events.
trace mark <<-END
	c_0_4 0 10 10 7 100
	c_0_4 0 11 12 8 100 0 11 1
	c_0_4 0 13 14 9 103 1 13 1
END
grep -q '"discarded"' "$T/out" && expect 0 '^2 events, 3 discarded$' \
    utctl view -q "$T/mark"
utctl view "$T/mark" 2>&1 | grep may && fail "mark: may have been discarded"

# What ends in another stream while packets are missing may have been ended by
# one of theirs: the loss begins before that.
trace packets <<-END
	c_0 0 10 11 0 0 0 10 1
	c_0 0 20 21 4 0
	c_1 1 12 30 0 0 1 12 1 0 25 2 1 26 2
END
expect 0 '1 left out: events were lost' utctl stat \
    -D p:begin,p:end,k "$T/packets"

# Sums of durations stop at the most that there is: two pairs of 190 years.
trace years <<-END
	c_0 0 0 6000000000 0 0 0 0 1 0 0 2 1 6000000000 1 1 6000000000 2
END
utctl stat -j -D p:begin,p:end,k "$T/years" >"$T/out" || fail "years"
grep -q '"total_ns":"9223372036854775807","self_ns":"9223372036854775807"' \
    "$T/out" || fail "years: $(cat "$T/out")"
utctl stat -j -D p:begin,p:end "$T/years" >"$T/out" || fail "years"
grep -q '"total_ns":"6000000000000000000","self_ns":"6000000000000000000"' \
    "$T/out" || fail "years: $(cat "$T/out")"
trace open <<-END
	c_0 0 0 6000000000 0 0 0 0 1 0 0 2 0 6000000000 3
END
utctl stat -j -D p:begin,p:end,k "$T/open" >"$T/out" || fail "open"
grep -q '"total_ns":"9223372036854775807","self_ns":"9223372036854775807"' \
    "$T/out" || fail "open: $(cat "$T/out")"
