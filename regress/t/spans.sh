# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# UT_SPAN, UT_BEGIN, UT_END and UT_SCOPE: the end is recorded in whatever way
# the block is left, in C and in C++; stat finds all pairs; nothing is evaluated
# that no session wants; the end of a span that began before the session did is
# recorded, too.

. ./common.sh

cat >"$T/want.c" <<'END' || exit 1
way_begin { how = "return" }
way_end { }
way_begin { how = "return" }
bare_begin { }
bare_end { }
way_end { }
way_begin { how = "return" }
bare_begin { }
bare_end { }
log not yet
way_end { }
job_begin { n = 0, key = "loop" }
job_end { }
job_begin { n = 1, key = "loop" }
job_end { }
job_begin { n = 2, key = "loop" }
job_end { }
way_begin { how = "goto" }
way_end { }
way_begin { how = "goto" }
way_end { }
way_begin { how = "goto" }
way_end { }
log out
job_begin { n = 1, key = "outer" }
bare_begin { }
job_begin { n = 2, key = "inner" }
bare_begin { }
bare_end { }
job_end { }
bare_end { }
job_end { }
job_begin { n = 2, key = "" }
job_begin { n = 1, key = "" }
job_begin { n = 0, key = "" }
job_end { }
job_end { }
job_end { }
way_begin { how = "case" }
way_end { }
bare_begin { }
request_begin { begin_n = 7 }
request_end { }
bare_end { }
on_begin { n = 1 }
on_end { }
send_begin { n = 5 }
send_end { status = 404, again = 1 }
on_begin { n = 2 }
on_begin { n = 3 }
on_end { }
on_end { }
END
cat >"$T/more" <<'END' || exit 1
way_begin { how = "exception" }
way_begin { how = "constructor" }
way_end { }
way_begin { how = "member" }
way_end { }
inner_begin { name = "template" }
inner_end { }
inner_begin { name = "template" }
inner_end { }
way_begin { how = "destructor" }
way_end { }
way_end { }
END
{
	cat "$T/want.c" "$T/more" "$T/more"
	# The third throws in the first call of the template.
	sed 8,9d "$T/more"
	echo 'on_begin { n = 109 }'
	echo 'on_end { }'
} >"$T/want.cc" || exit 1

# traced PROGRAM LANGUAGE: records all of it, and nothing else.
traced() {
	recorded -- "$1"
	[ "$(cat "$T/record.out")" = 3 ] ||
	    fail "$how: not 3 arguments evaluated: $(cat "$T/record.out")"
	readers_agree "$T/trace"
	sed 's/^.* spans:/spans:/; s/^spans://
	    s/^.* ut:log { msg = "\([^"]*\)".*/log \1/' "$T/view.out" >"$T/got"
	diff "$T/want.$2" "$T/got" || fail "$how: other spans"
	# Every begin has its end; stat finds them by their names.
	utctl stat -d "$T/trace" >"$T/stat" || fail "$how: stat -d"
	grep -q 'begun\|not ended' "$T/stat" && fail "$how: $(cat "$T/stat")"
	sed -n 's/_begin .*//p' "$T/want.$2" | sort | uniq -c |
	    awk '{ print $1, "spans:" $2 }' >"$T/want.pairs"
	awk '/^ *calls / { on = 1; next } on && NF == 0 { exit }
	    on { print $1, $NF }' "$T/stat" | sort -k 2 >"$T/pairs"
	diff "$T/want.pairs" "$T/pairs" || fail "$how: other pairs"
	# No session, no argument.
	[ "$("$1")" = 0 ] || fail "$how: arguments are evaluated for nobody"
	n=$((n + 1))
}

# What ends a scope is part of the function that has the scope: its address is
# what the context caller shows.
inlined() {
	nm "$1" >"$T/symbols" || fail "$how: nm"
	grep -q 'ut_record_.*way_end' "$T/symbols" || fail "$how: no symbols"
	grep -e 'ut_leave_ut__spans' -e 'ut_scope' "$T/symbols" &&
	    fail "$how: a call more"
}

try() {
	how=$*
	lang=c
	case $1 in
	*++)	lang=cc
		set -- "$@" -x c++ ;;
	esac
	"$@" -Wall -Wextra -Werror -Wshadow -I"$TOP/libut" -o "$T/prog" \
	    prog/spans.c -x none "$LIBUT" $LIBS || fail "$how: does not compile"
	inlined "$T/prog"
	traced "$T/prog" $lang
}

how=make n=0
traced ./prog/spans c

# Spans that are under way when the session begins: their ends are recorded.
start_utd
mkfifo "$T/there" || exit 1
./prog/spans middle >"$T/there" &
pid=$!
CHILDREN="$CHILDREN $pid"
read -r line <"$T/there"
[ "$line" = there ] || fail "spans middle: $line"
utctl create -o "$T/middle" middle >/dev/null &&
    utctl enable-event 'spans:*' >/dev/null && utctl start >/dev/null ||
    fail "middle"
wait $pid || fail "spans middle: status $?"
expect 0 'session middle destroyed: 1 events, 0 lost' utctl destroy middle
utctl view "$T/middle" | grep -q ' spans:middle_end { }$' ||
    fail "the end of a span under way is not recorded"
utctl stat -d "$T/middle" >"$T/stat" || fail "stat"
grep -q '^1 .*ended and not begun$' "$T/stat" || fail "stat: $(cat "$T/stat")"

case "$CFLAGS $CC" in
*-fsanitize*|*-m32*)	echo "$n programs"; exit 0 ;;
esac
for cc in gcc clang; do
	command -v $cc >/dev/null 2>&1 || continue
	try $cc -ansi -O2
	try $cc -std=c99 -pedantic -O0
	try $cc -std=c11 -pedantic -Wconversion -O2
	try $cc -std=gnu2x -Os -fexceptions
done
for cxx in g++ clang++; do
	command -v $cxx >/dev/null 2>&1 || continue
	try $cxx -std=c++11 -pedantic -O0
	try $cxx -std=c++17 -pedantic -Wconversion -Wold-style-cast -O2
	try $cxx -std=c++20 -O2 -flto
done
echo "$n programs"
