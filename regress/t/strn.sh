# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# UT_STRN: what both readers and JSON show, C++'s own strings, filters in
# programs and in readers; fields that say they are text and cannot be.

. ./common.sh

x=$(awk 'BEGIN { for (i = 0; i < 1000; i++) printf "x" }')
sed "s/THOUSAND/$x/" >"$T/want.c" <<'END' || exit 1
one { key = "user:17" }
one { key = "user" }
one { key = "end" }
one { key = "" }
one { key = "" }
one { key = "" }
one { key = "" }
one { key = "a" }
one { key = "\"q\" \\ \n\t[m" }
one { key = "grün" }
one { key = "{ a = 1 }, [ b ]" }
one { key = "THOUSAND" }
many { a = -1, key = "ke", s = "s", value = "val", b = 62 |b|, t = "text", v = [-1, 1], w = [1, 2, 3], n = 9 }
END
cat - >"$T/more" <<'END' || exit 1
one { key = "a std::string" }
one { key = "a s" }
one { key = "that goes away" }
one { key = "a std" }
one { key = "" }
one { key = "brace" }
many { a = 1, key = "a std::string", s = "a std::string", value = "val", b = 61 |a|, t = "t", v = [2, 3], w = [], n = 10 }
one { key = "std" }
END
cat "$T/want.c" "$T/more" >"$T/want.cc" || exit 1

# traced PROGRAM LANGUAGE
traced() {
	recorded -- "$1"
	[ "$lost" -eq 1 ] || fail "$how: $lost lost, not the longest"
	readers_agree "$T/trace"
	sed 's/^.* strn://' "$T/view.out" | diff "$T/want.$2" - ||
	    fail "$how: other texts"
	n=$((n + 1))
}

how=make n=0
traced ./prog/strn c
# JSON: a string, and what is not text is escaped.
if command -v python3 >/dev/null 2>&1; then
	utctl view -j "$T/trace" | python3 -c '
import json, sys
keys = [event["fields"]["key"] for event in map(json.loads, sys.stdin)
    if "fields" in event]		# not how many were discarded
assert keys == ["user:17", "user", "end", "", "", "", "", "a",
    "\"q\" \\ \n\t[m", "gr\u00fcn", "{ a = 1 }, [ b ]", "x" * 1000,
    "ke"], keys' || fail "JSON"
fi
# All bytes are in the trace, those behind a NUL, too.
cat "$T"/trace/ust/uid/*/*/channel0_* | tr '\0' '@' | grep -q 'a@b' ||
    fail "a NUL cuts the field in the trace"

# What the type is called.
start_utd
mkfifo "$T/in" || exit 1
./prog/strn wait <"$T/in" &
exec 5>"$T/in"
until_ok sh -c 'utctl events | grep strn:many' || fail "not in events"
utctl events -j >"$T/events" || fail "events"
grep -q '"strn:one","level":6,"fields":\[{"name":"key","type":"text\[\]"}' \
    "$T/events" || fail "events -j: $(cat "$T/events")"
exec 5>&-
wait $!
stop_utd

# What utd refuses.
for bad in integer string text array wide is_signed hex real; do
	echo "strnbad:$bad"
done | sort >"$T/want"
rm -rf "$T/trace"
utctl record -e 'strnbad:*' -o "$T/trace" -- ./prog/strn bad >"$T/out" \
    2>"$T/err" || fail "strn bad: status $?: $(cat "$T/err")"
[ "$(cat "$T/out")" = 1 ] || fail "a good one is refused"
sed -n 's/.*event \(strnbad:[a-z_]*\) of .*not valid: .*not recorded.*/\1/p' \
    "$T/err" | sort | diff "$T/want" - || fail "refused: $(cat "$T/err")"

# Filters, and what awk says instead: key, same and t as they are printed, n.
cat >"$T/filters" <<'END'
key == "user:*"			key ~ /^user:/
key != "user:*"			key !~ /^user:/
key == "user3"			key == "user3"
key == "user"			0
key == "*7"			key ~ /7$/
key == "3"			key == "3"
key == "*r*:*1"			key ~ /r.*:.*1$/
key == same			key == same
key != same && n > 100		key != same && n > 100
same == key || n < 5		key == same || n < 5
same == "order*" && n >= 8	same ~ /^order/ && n >= 8
n == 7				n == 7
t == "*rest" && key != "user*"	t ~ /rest$/ && key !~ /^user/
key == t			key == t
$program == key			0
"order:5" == key		key == "order:5"
END
recorded -- ./prog/strn 400
readers_agree "$T/trace"
cp -R "$T/trace" "$T/all" || exit 1
sed 's/.* key = "\([^"]*\)", same = "\([^"]*\)", n = \([0-9]*\), t = /\1,\2,\3,/
    s/"\([^"]*\)" }$/\1/' "$T/view.out" >"$T/all.csv"
[ "$(wc -l <"$T/all.csv")" -eq 400 ] || fail "not 400 events"
numbers() {
	sed 's/.*, n = \([0-9]*\),.*/\1/'
}
while read -r line; do
	filter=$(echo "$line" | sed 's/		*.*//')
	awk -F, '{ key = $1 ""; same = $2 ""; n = $3 + 0; t = $4 "" }
	    '"$(echo "$line" | sed 's/.*		*//')"' { print n }' \
	    "$T/all.csv" >"$T/want"
	recorded -f "$filter" -e 'strn:number' -- ./prog/strn 400
	utctl view "$T/trace" | numbers | cmp -s - "$T/want" ||
	    fail "record -f '$filter': $events events"
	utctl view -f "$filter" "$T/all" | numbers | cmp -s - "$T/want" ||
	    fail "view -f '$filter'"
	echo "$(wc -l <"$T/want") of 400: $filter"
done <"$T/filters"
# What is behind a NUL is not compared.
recorded -f 'key == "a"' -e strn:one -- ./prog/strn
[ "$events $lost" = "1 1" ] || fail "a NUL: $events events, $lost lost"
[ "$(utctl view -f 'key == "a"' "$T/trace" | wc -l)" -eq 1 ] ||
    fail "a NUL: view"
expect 0 'key is text, and compared with a number' \
    utctl view -f 'key == 1' "$T/all"

case "$CFLAGS $CC" in
*-fsanitize*|*-m32*|*--target=*)	exit 0 ;;
esac
try() {
	how=$*
	lang=c
	case $1 in
	*++)	lang=cc
		set -- "$@" -x c++ ;;
	esac
	"$@" -Wall -Wextra -Werror -Wshadow -I"$TOP/libut" -o "$T/prog" \
	    prog/strn.c -x none "$LIBUT" $LIBS || fail "$how: does not compile"
	# In C++ there is one more function for each event, always inlined: the
	# address of the call is that of UT.
	case $how in
	*-O0)	calls=$(nm "$T/prog" | grep -c 'ut_record_.*strn__')
		[ "$calls" -eq 3 ] || fail "$how: $calls functions" ;;
	esac
	traced "$T/prog" $lang
}
for cc in gcc clang; do
	command -v $cc >/dev/null 2>&1 || continue
	try $cc -std=gnu89 -O2
	try $cc -std=gnu99 -pedantic -O0
	try $cc -std=gnu11 -pedantic -Wconversion -O2
done
for cxx in g++ clang++; do
	command -v $cxx >/dev/null 2>&1 || continue
	try $cxx -std=c++11 -pedantic -O0
	try $cxx -std=c++14 -pedantic -Wconversion -O2
	try $cxx -std=c++17 -O2 -flto
	try $cxx -std=c++20 -O2
done
echo "$n programs"
