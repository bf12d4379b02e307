# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl skew, and offsets behind the names of directories: messages between two
# traces whose clocks are apart by a known time.  awk(1) finds the bounds, too.

. ./common.sh
. ./shared/rows.sh

# host NAME OFFSET: a trace of the packets on the standard input, whose clock
# began so many ns after 1970; event IDs are sent, received, answered, got.
host() {
	mkdir "$T/$1" || exit 1
	{
		rows_metadata | sed "s/freq = /offset = $2; &/"
		for e in '"m:sent"; id = 0' '"m:received"; id = 1' \
		    '"m:answered"; id = 2' '"m:got"; id = 3'; do
			echo "event { name = $e; stream_id = 0;" \
			    "fields := struct { u32 k; }; };"
		done
	} >"$T/$1/metadata"
	rows "$1"
}
# skew ARGUMENT...: in $T.
skew() {
	(cd "$T" && utctl skew -D m:sent,m:received,k -D m:answered,m:got,k \
	    "$@")
}
view() {
	(cd "$T" && utctl view "$@")
}

# Requests 1 to 3 take 2, 1 and 3 s, and their answers 1, 3 and 2 s; b's clock is
# 1000 s less 0.25 s ahead of a's.  Request 4 is not received, 5 is not sent, and
# 6 comes twice.
host a 1000000000000 <<-END
	c 0 10 99 0 0 0 10 1 3 15 1 0 20 2 3 27 2 0 30 3 3 36 3 0 40 4 0 50 6 0 60 6
END
host b 1999750000000 <<-END
	c 0 12 99 0 0 1 12 1 2 14 1 1 21 2 2 24 2 1 33 3 2 34 3 1 45 5 1 52 6 1 62 6
END
expect 0 '^a to b: 3 messages: offset at least -1000\.750000000 s, by m:sent,m:received 2 of ' \
    skew a b
expect 0 '^b to a: 3 messages: offset at most -998\.750000000 s, by m:answered,m:got 1 of ' \
    skew a b
expect 0 '^offset -999\.750000000 s, off by at most 1\.000000000 s$' skew a b
expect 0 '^b@-999750000000ns$' skew a b
expect 0 '^2 in one trace only: left out$' skew a b
expect 0 '^1 with a key that comes again: left out$' skew a b
[ "$(skew -q a b)" = b@-999750000000ns ] || fail "-q: $(skew -q a b)"
[ "$(skew -q b a)" = a@+999750000000ns ] || fail "the other way"
# Offsets that are given count.
[ "$(skew -q a b@-999s)" = b@-999750000000ns ] || fail "b was moved"
[ "$(skew -q a@+9s b)" = b@-990750000000ns ] || fail "a was moved"
expect 0 '^{"from":"a","to":"b","forward":{"messages":3,"least_ns":"-1000750000000","pair":"m:sent,m:received","key":"2","sent":"1020000000000","received":"2020750000000"},"back":{"messages":3,"most_ns":"-998750000000",.*},"alone":2,"again":1,"offset_ns":"-999750000000","error_ns":"1000000000"}$' \
    skew -j a b

# Whatever reads traces has the moved times: cause comes before effect.
for k in 1 2 3; do
	view -f "k == $k" a "$(skew -q a b)" | grep -o 'm:[a-z]*' | tr '\n' ' '
done >"$T/got"
[ "$(cat "$T/got")" = "m:sent m:received m:answered m:got m:sent \
m:received m:answered m:got m:sent m:received m:answered m:got " ] ||
    fail "order: $(cat "$T/got")"

# What is shown of a trace with an offset is what is shown of a trace whose clock
# says that: to the ns, with losses, of a clock of ns and another one.
moved() {
	for name in one two; do
		mkdir -p "$T/$name" && cp -R "$T/b" "$T/$name/b" &&
		    sed "s/offset = [0-9]*; freq = [0-9]*;/$1/" \
		    "$T/b/metadata" >"$T/$name/b/metadata" || fail "cp"
		shift
	done
	offset=$1
	for command in view 'view -j' 'view -q -j' 'stat -j' stat 'stat -j -i 3s' \
	    'stat -j -D m:received,m:answered,k' 'view -b +10s -u -9s' \
	    "view -u @$UNTIL.5" export 'export -F otlp' 'export -F perfetto'; do
		(cd "$T/two" && utctl $command b) >"$T/want" 2>"$T/err" ||
		    fail "$command: $(cat "$T/err")"
		(cd "$T/one" && utctl $command "b@$offset") >"$T/got" \
		    2>"$T/err" || fail "$command: $(cat "$T/err")"
		cmp "$T/want" "$T/got" || fail "$command, moved by $offset"
	done
	! cmp -s "$T/one/b/metadata" "$T/two/b/metadata" || fail "the same"
	rm -r "$T/one" "$T/two"
}
UNTIL=2025 moved 'offset = 1999750000000;' 'offset = 2000000000001;' \
    +250.000001ms
UNTIL=0 moved 'offset = 19000000000;' 'offset = -2000000000000;' -2019s
UNTIL=99999 moved 'freq = 7000000; offset_s = 100000; offset = 6;' \
    'freq = 7000000; offset_s = 94000; offset = 6;' -100m
