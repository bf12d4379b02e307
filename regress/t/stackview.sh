# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl view -o stack: stacks are put together of what definitions keep, each
# packet by itself, and where one is wrong or missing none is shown.

. ./common.sh
. ./shared/stacks.sh

# seen: the events with their stacks, in short.
seen() {
	utctl view -N -o event,fields,stack "$@" "$ST" 2>"$T/err" |
	    sed 's/{ stack = [^}]*}, //; s/^    and callers/+/; s/^    //' |
	    awk '/^e:v/ { printf "%s%s", sep, $5; sep = "\n"; next }
	    { sub(/^#[0-9]* /, ""); printf " %s", $0 } END { print "" }'
}

stacks <<'END'
packet 7 7
def 1 0 0 0xa1 0xb1 0xc1
v 1 1
def 2 2 1 0xa2
v 2 2
v 1 3
def 3 1 2 0xa3 0xb3
v 3 4
def 4 3 0
v 4 5
v 0 6
packet 7 8
def 5 0 0 0xa5
v 5 7
v 2 8
shared
who 7 9
def 6 0 0 0xa6
v 6 9
who 8 8
def 6 0 0 0xa7
v 6 10
END
seen >"$T/got"
expected stacks <<'END'
1 0xa1 0xb1 0xc1
2 0xa2 0xb1 0xc1 + beyond the depth that was recorded
3 0xa1 0xb1 0xc1
4 0xa3 0xb3 0xc1 + that could not be found
5 0xa3 0xb3 0xc1
6
7 0xa5
8 0xa2 0xb1 0xc1 + beyond the depth that was recorded
9 0xa6
10 0xa7
END
[ ! -s "$T/err" ] || fail "stacks: $(cat "$T/err")"

# A part of the events has the same stacks.
for n in 1 3 5 9; do
	seen -n "-$n" >"$T/part"
	tail -n "$n" "$T/got" | diff - "$T/part" || fail "-n -$n"
done
seen -f 'n == 4 || n == 2' >"$T/part"
sed -n '2p;4p' "$T/got" | diff - "$T/part" || fail "-f"
utctl view "$ST" >"$T/out"
at=$(awk '/ n = 5 / { print $2 }' "$T/out")
seen -b "$at" >"$T/part"
sed -n '5,$p' "$T/got" | diff - "$T/part" || fail "-b"
seen -u "$at" >"$T/part"
sed -n '1,5p' "$T/got" | diff - "$T/part" || fail "-u"

# Definitions are no events, unless they are asked for.
[ "$(utctl view -q "$ST")" = "10 events, 0 discarded" ] || fail "view -q"
[ "$(grep -c . "$T/out")" -eq 10 ] || fail "view"
utctl stat "$ST" >"$T/out"
sed -n 1p "$T/out" | grep -q '^10 events,' || fail "stat: $(cat "$T/out")"
grep -q ut:stack "$T/out" && fail "stat: ut:stack"
[ "$(utctl view -q -e 'ut:*' "$ST")" = "7 events, 0 discarded" ] ||
    fail "view -q -e"

# JSON.
utctl view -N -j -o stack -n 2 "$ST" | sed -n 2p >"$T/out"
grep -q '"stack":\[{"address":"0xa2"},{"address":"0xb1"},'\
'{"address":"0xc1"}\],"stack_end":"depth"}$' "$T/out" ||
    fail "view -j: $(cat "$T/out")"

# None of these is known, and those behind them neither; but others are.
stacks <<'END'
packet 7 7
v 9 1
def 1 1 0 0xa1
v 1 2
def 2 1 0 0xa2
v 2 3
def 3 0 3 0xa3
v 3 4
def 4 0 0 0xa4 0xb4
v 4 5
def 5 3 0 0xa5
v 5 6
def 6 0 0
v 6 7
def 4 200 0 0xa4
v 4 8
END
(
	echo packet 7 7
	awk 'BEGIN { printf "def 7 0 0"
	    for (i = 1; i <= 129; i++) printf " %d", i
	    printf "\nv 7 9\ndef 8 0 1"
	    for (i = 1; i <= 128; i++) printf " %d", i
	    printf "\nv 8 10\ndef 9 128 1 1\nv 9 11\n" }'
) >"$T/long"
seen >"$T/got"
expected "wrong definitions" <<'END'
1
2
3
4
5 0xa4 0xb4
6
7
8
END
[ "$(grep -c 'call stack is not known' "$T/err")" -eq 1 ] ||
    fail "wrong definitions: $(cat "$T/err")"
stacks <"$T/long"
seen | awk '{ print $1, NF, $NF }' >"$T/got"
expected "long stacks" <<'END'
9 1 9
10 136 recorded
11 1 11
END
exit 0
