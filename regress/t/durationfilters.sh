# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl stat -d and -D: pairs are grouped by what -g says, also from thread to
# thread, and those are shown that a filter selects; bad input.

. ./shared/durations.sh

recorded -- ./prog/pairs
check

# By what -g says, of the beginning; selection comes first.
count() {
	"$@" 2>/dev/null | awk '/^ *calls / { on = 1; next }
	    on && NF == 0 { on = 0 }
	    on { n += $1; rows++ } END { print rows + 0, n + 0 }'
}
is() {
	want=$1
	shift
	got=$(count utctl stat "$@" "$T/trace")
	[ "$got" = "$want" ] || fail "stat $*: $got, not $want"
}
all=$(awk '$1 != "none" && NF > 2 { n += $1 } END { print n }' "$T/got")
is "3 94" -d -e 'work:outer*' -g kind
is "3 94" -d -e 'work:outer*' -g thread
is "1 94" -d -e 'work:outer*' -g program
is "2 100" -d -e 'call:*'
is "4 $all" -d
# Requests, from thread to thread, by a number or a text.
is "1 4" -D req:start,req:done,id
is "1 4" -D req:start,req:done,key
is "1 4" -D req:start,req:done,key -D req:done,req:start,id
is "0 0" -D req:start,req:done
is "0 0" -D req:start,req:done,none
is "1 47" -D work:outer_begin,work:alone_begin
is "5 $((all + 4))" -d -D req:start,req:done,id

# A filter selects pairs, by a field of the beginning or of the end alone.
rest() {
	utctl stat "$@" "$T/trace" >"$T/out" 2>"$T/err" || fail "$*: status $?"
	sed -n '/^ *calls /q;/^ *not ended /q;2,$s/^\([0-9]*\) /\1 /p' "$T/out"
}
rest_is() {
	want=$1
	shift
	got=$(rest "$@" | tr '\n' ' ')
	[ "$got" = "$want" ] || fail "stat $*: $got, not $want"
}
outer='work:outer*'
is "1 47" -d -e "$outer" -f 'kind == "nested"'
rest_is "" -d -e "$outer" -f 'kind == "nested"'
is "1 47" -d -e "$outer" -f 'kind == "a" || kind == "b"'
rest_is "" -d -e "$outer" -f 'kind == "a" || kind == "b"'
awk '/^ *calls / { getline; exit $2 <= 0 || $2 != $3 }' "$T/out" ||
    fail "what is nested and refused counts: $(cat "$T/out")"
is "0 0" -d -e "$outer" -f 'n < 0'
rest_is "1 begun and not ended " -d -e "$outer" -f 'n < 0'
is "1 2" -d -e "$outer" -f 'n == 19 && kind == "nested"'
again=work:outer_end,work:outer_begin
is "1 44" -D $again -f 'kind == "nested"'
rest_is "3 ended and not begun " -D $again -f 'kind == "nested"'
is "1 1" -D req:start,req:done,id -f 'key == "c"'
rest_is "" -D req:start,req:done,id -f 'key == "c"'
rest_is "1 begun and not ended " -D req:start,req:done,id -f 'key == "lost"'
is "0 0" -D req:start,work:outer_end -f 'nothing == 1'
utctl stat -d -f 'kind == "nested"' -n 10 "$T/trace" >"$T/out" ||
    fail "-n: status $?"
grep -q '^10 events, ' "$T/out" || fail "-n counts others: $(cat "$T/out")"

# What cannot be.
complains "pair 'a:b': not an event, an event" utctl stat -D a:b "$T/trace"
complains "pair 'a:b,': not an event" utctl stat -D a:b, "$T/trace"
complains "pair 'a:b,c:d,': not an event" utctl stat -D a:b,c:d, "$T/trace"
complains "pair 'a:b,c:d,e,f': not" utctl stat -D a:b,c:d,e,f "$T/trace"
complains "pair 'a:b,a:b': an event cannot be its own end" \
    utctl stat -D a:b,a:b "$T/trace"
complains '-v and -d: the values' utctl stat -d -v n "$T/trace"
utctl stat -S 3 "$T/trace" >"$T/out" && utctl stat -d -S 3 "$T/trace" |
    cmp - "$T/out" || fail "-S without -d"
for n in 0 1001 -1 x '' 1k; do
	complains "^utctl: -S $n: not a number from 1 to 1000$" \
	    utctl stat -d -S "$n" "$T/trace"
done
expect 0 'no pairs of events: see -D in utctl-stat(1)$' \
    utctl stat -d -e 'req:*' "$T/trace"
expect 0 "-D 'start': no event of the trace has such a name" \
    utctl stat -D start,req:done,id "$T/trace"
expect 0 '-D req:done: the event has no field none' \
    utctl stat -D req:start,req:done,none "$T/trace"

# Pairs that share events are what each is alone, whatever comes first: twice
# 1 begins two, 3 and 2 begin others that 4 ends.
. ./shared/rows.sh
mkdir "$T/shared" || exit 1
{
	rows_metadata
	for i in 1 2 3 4 5; do
		echo "event { name = \"e:n$i\"; id = $i; stream_id = 0;
		    fields := struct { u32 k; }; };"
	done
} >"$T/shared/metadata"
rows shared <<-END
	c_0 0 10 40 0 0 1 10 1 2 11 1 3 13 2 4 17 1 3 20 1 1 21 2 2 23 3 4 28 2 5 40 1
END
# Calls, total and max of each, and what has no end or no beginning.
sums() {
	utctl stat "$@" "$T/shared" >"$T/out" || fail "stat $*"
	awk '/^[0-9]+ (begun|ended) and/
	/^ *calls / { on = 1; next }
	NF == 0 { on = 0 }
	on { print $1, $2, $9, $NF }' "$T/out" | sort
}
a=e:n1,e:n2 b=e:n1,e:n4 c=e:n3,e:n4 d=e:n2,e:n4 e=e:n1,e:n5
for both in "$a $b" "$b $c" "$c $d" "$d $b" "$a $e" "$d $d,k"; do
	one=${both% *} two=${both#* }
	{
		sums -D "$one"
		sums -D "$two"
	} | sort >"$T/want"
	for order in "-D $one -D $two" "-D $two -D $one"; do
		sums $order >"$T/got"
		diff "$T/want" "$T/got" >"$T/diff" ||
		    fail "$order: $(cat "$T/diff" "$T/out")"
	done
done
