# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Which events view shows: each option against awk on all of them, times also
# against babeltrace2; and of which traces.  (Filters: see filters.sh.)

. ./common.sh

ln prog/filters "$T/other" 2>/dev/null || cp prog/filters "$T/other" || exit 1
start_utd
utctl create -o "$T/a" a >/dev/null && utctl enable-channel -b 4k c &&
    utctl enable-event -c c 'filters:*' >/dev/null && utctl start >/dev/null &&
    ./prog/filters 150 2 && "$T/other" 100 && ./prog/filters 100 ||
    fail "cannot record"
expect 0 '1000 events, 0 lost' utctl stop
readers_agree "$T/a"
cp "$T/view.out" "$T/all" && cp "$T/bt2.out" "$T/all.bt2" 2>/dev/null
[ "$(wc -l <"$T/all")" -eq 1000 ] || fail "not 1000 events"

# chosen CONDITION [option ...]: these are shown, and nothing is said.
chosen() {
	condition=$1
	shift
	awk "$condition" "$T/all" >"$T/want"
	utctl view "$@" "$T/a" >"$T/got" 2>"$T/err" ||
	    fail "$*: $(cat "$T/err")"
	[ ! -s "$T/err" ] || fail "$*: $(cat "$T/err")"
	cmp -s "$T/got" "$T/want" ||
	    fail "$*: $(diff "$T/got" "$T/want" | sed 5q)"
	expect 0 "^$(($(wc -l <"$T/want"))) events*, 0 discarded\$" \
	    utctl view -q "$@" "$T/a"
}

# never [option ...]: none is of that time.
never() {
	expect 0 '^utctl: -b or -u: no selected event is of that time$' \
	    utctl view "$@" "$T/a"
	[ ! -s "$T/out" ] || fail "$*: $(cat "$T/out")"
}

chosen 1
chosen '$4 == "filters:plain"' -e '*:plain'
chosen '$4 == "filters:plain"' -x filters:mixed
chosen '$4 == "filters:mixed"' -e 'filters:*' -x '*:[a-p]l*'
chosen 1 -e filters:mixed -e filters:plain
chosen 0 -e filters:plain -x '*plain'
chosen '$4 == "filters:plain"' -l info
chosen '$4 == "filters:plain"' -L UT_INFO
chosen '$4 == "filters:mixed"' -L 14
chosen 1 -l debug
expect 0 '^utctl: -l err: no event of the trace has this level or a more severe one$' \
    utctl view -l err "$T/a"
expect 0 '^utctl: -L err: no event of the trace has this level$' \
    utctl view -q -L err "$T/a"

# Programs and threads.
chosen '$3 ~ /^other/' -p other
chosen '$3 ~ /^filters/' -p '[f]*s'
chosen 1 -p other -p 'f*'
who=$(awk '$3 ~ /^other/ { print $3; exit }' "$T/all")
pid=${who#*[} pid=${pid%:*} tid=${who##*:} tid=${tid%]}
chosen '$3 ~ /^other/' -p "$pid"
chosen 1 -p "$pid" -p filters
who=$(awk '$3 ~ /^filters/ { print $3; exit }' "$T/all")
tid=${who##*:} tid=${tid%]}
chosen "\$3 ~ /:$tid\\]/ && \$4 == \"filters:mixed\"" -t "$tid" -e '*mixed'
chosen "\$3 ~ /^filters.*:$tid\\]/ && \$4 == \"filters:mixed\" && \$8 + 0 < 40" \
    -t "$tid" -p filters -l debug -x '*plain' -f 'n < 40'
if utctl view -j "$T/a" | grep -q '"thread":"other"'; then
	chosen '$3 ~ /^other/' -t 'oth*'
fi

# The first ones and the last ones.
chosen 'NR <= 7' -n 7
chosen 'NR > 993' -n -7
chosen 0 -n 0
chosen 0 -n -0
chosen 1 -n 1000
chosen 1 -n -1001
chosen '$4 == "filters:mixed" && ++n <= 5' -n 5 -e '*mixed'
chosen '$4 == "filters:mixed" && ++n > 495' -e "*mixed" -f "n < 1000" -n -5

# Times, from here and to there: of lines 400 and 700.
at() {
	sed -n "$1p" "$T/all" | cut -d ' ' -f "$2"
}
t400=$(at 400 1,2) t700=$(at 700 1,2)
later="(\$1 \" \" \$2 >= \"$t400\")" earlier="(\$1 \" \" \$2 <= \"$t700\")"
chosen "$later" -b "$t400"
chosen "$earlier" -u "$t700"
chosen "$later && $earlier" -b "$t400" -u "$t700"
chosen "$later && $earlier" -b "$(echo "$t400" | tr ' ' T)" -u "$t700" -n 999
chosen "$later" -b "$(at 400 2)" -u '9999-12-31'
chosen 1 -b "$(at 1 1)"
never -u "$(at 1 1)"
never -b '2100-01-01 00:00'
chosen "$later && $earlier && \$4 ~ /plain/ && ++n > 0" -b "$t400" -u "$t700" \
    -e '*plain' -n -1000
utctl view -j "$T/a" | sed 's/^{"ns":"\([0-9]*\)",.*/\1/' >"$T/ns"
ns() {
	sed -n "$1p" "$T/ns"
}
s=$(ns 400)
chosen "$later" -b "@${s%?????????}.${s#"${s%?????????}"}"
chosen "$later" -b "+$(($(ns 400) - $(ns 1)))ns"
chosen "$earlier" -u "+$(($(ns 700) - $(ns 1)))ns"
chosen "$later" -b "-$(($(ns 1000) - $(ns 400)))ns"
chosen "$later && $earlier" -b "-$(($(ns 1000) - $(ns 400)))ns" \
    -u "+$(($(ns 700) - $(ns 1)))ns"
chosen 1 -b +0 -u -0s
chosen 1 -b -100h -u +1h
never -b +1000m

# The same moment as others write it.
(
	TZ=UTC0
	export TZ
	utctl view -n 1 -b "@${s%?????????}.${s#"${s%?????????}"}" "$T/a" |
	    cut -d ' ' -f 1,2 | tr ' ' T >"$T/utc"
)
utc=$(cat "$T/utc")
chosen "$later" -b "${utc}Z"
chosen "$later" -b "${utc}+00:00"
east=$(TZ=XXX-5:30 utctl view -n 1 -b "${utc}Z" "$T/a" | cut -d ' ' -f 1,2)
chosen "$later" -b "$east+05:30"
chosen "$later" -b "$east+0530"
n=$(TZ=XXX-5:30 utctl view -b "$east" "$T/a" | wc -l)
[ "$n" -eq "$(awk "$later" "$T/all" | wc -l)" ] || fail "east: $n"

# babeltrace2 looks at times, too.
if [ -s "$T/all.bt2" ]; then
	babeltrace2 --begin="$t400" --end="$t700" "$T/a" >"$T/bt2" 2>"$T/err" ||
	    fail "babeltrace2: $(cat "$T/err")"
	utctl view -b "$t400" -u "$t700" "$T/a" >"$T/got" || fail "view"
	./prog/samelines "$T/got" "$T/bt2" || fail "babeltrace2 differs"
fi

# Several traces are one, and one that is named twice, too.
utctl create -o "$T/b" b >/dev/null && utctl enable-event filters:plain \
    >/dev/null && utctl start >/dev/null && "$T/other" 200 && utctl start a &&
    "$T/other" 20 >/dev/null && utctl stop a >/dev/null &&
    utctl stop b >/dev/null || fail "cannot record b"
utctl view "$T/a" >"$T/all" && utctl view "$T/b" >"$T/got" || fail "view"
[ "$(wc -l <"$T/all")" -eq 1040 ] && [ "$(wc -l <"$T/got")" -eq 220 ] ||
    fail "a: $(wc -l <"$T/all"), b: $(wc -l <"$T/got")"
cat "$T/got" >>"$T/all"
utctl view "$T/a" "$T/b" >"$T/both" || fail "view of both"
cut -d ' ' -f 1,2 "$T/both" | sort -c || fail "not in order"
sort "$T/all" >"$T/want"
sort "$T/both" | cmp -s - "$T/want" || fail "both: $(wc -l <"$T/both")"
expect 0 '^1260 events, ' utctl view -q "$T/b" "$T/a" "$T/b"
expect 0 '^1260 events, ' utctl view -q "$T"
ln -s a "$T/link"
expect 0 '^1040 events, ' utctl view -q "$T/a" "$T/link"
expect 0 '^5 events, ' utctl view -q -n 5 "$T/b" "$T/a"
expect 0 '^5 events, ' utctl view -q -n -5 "$T/b" "$T/a"
expect 0 '^\([^ ]* \)\{2\}other' utctl view -n -1 "$T/b" "$T/a"

# By the names of sessions; and the newest, by what is written last.
expect 0 '^1040 events, ' utctl view -q a
expect 0 '^1260 events, ' utctl view -q b "$T/a"
expect 1 'c: No such file or directory' utctl view -q a c
expect 1 './a: No such file or directory' utctl view -q ./a
# A directory hides the session of its name, and a message says how to name it.
expect 0 '^1040 events, ' utctl view -q "$(id -u)/a"
(
	mkdir "$T/cwd" "$T/cwd/a" "$T/cwd/c" && cd "$T/cwd" || exit 1
	expect 1 '^utctl: a: no trace here$' "$TOP/utctl/utctl" view -q a
	grep -q -x "utctl: a: the directory here was read, not the session of \
that name: name the session as $(id -u)/a" "$T/err" ||
	    fail "a: says not how: $(cat "$T/err")"
	expect 0 '^1040 events, ' "$TOP/utctl/utctl" view -q "$(id -u)/a"
	for path in ./a c; do
		expect 1 "$path: no trace here" "$TOP/utctl/utctl" view -q $path
		! grep 'the session' "$T/err" || fail "$path: a session"
	done
) || exit 1
rm -r "$T/cwd" || exit 1
touch -t 203801010000 "$T/a/ust"
expect 0 "newest trace is $T/a\$" utctl view -q
expect 0 '^1040 events, ' utctl view -q
touch -t 203801010001 "$T/b/ust"
expect 0 "newest trace is $T/b\$" utctl view -q
utctl destroy b >/dev/null && utctl destroy a >/dev/null || fail "destroy"
stop_utd || fail "utd: $?"
mkdir "$T/home" "$T/home/ut-traces" "$T/empty" || exit 1
mv "$T/a" "$T/home/ut-traces/x" && mv "$T/b" "$T/empty/ut-b-1" || exit 1
HOME=$T/home
export HOME
(
	cd "$T/empty" && UTCTL=$(cd "$OLDPWD" && cd .. && pwd)/utctl/utctl
	"$UTCTL" view -q 2>&1 | grep -q "newest trace is ./ut-b-1\$" ||
	    fail "not the newest here: $("$UTCTL" view -q 2>&1)"
	touch -t 203801010002 "$T/home/ut-traces/x/ust"
	"$UTCTL" view -q 2>&1 | grep -q "newest .* is $T/home/ut-traces/x\$" ||
	    fail "not the newest at home: $("$UTCTL" view -q 2>&1)"
) || exit 1
HOME=$T/empty
expect 1 'there is no trace here, nor in' utctl view

# What others have put there is not the user's.
if [ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null; then
	(
		chmod 711 "$T" && mkdir "$T/many" && cd "$T/many" || exit 1
		"$TOP/utctl/utctl" record -o ut-mine "$TOP/regress/prog/seq" 1 1 5 \
		    2>/dev/null || fail "record"
		cp -R ut-mine ut-theirs && cp -R ut-mine ut-ust &&
		    chown -R 65534 ut-theirs && chown 65534 ut-ust/ust ||
		    exit 1
		touch -t 203801010001 ut-theirs/ust ut-ust/ust
		"$TOP/utctl/utctl" view -q 2>&1 | grep -q 'newest .* is ./ut-mine$' ||
		    fail "another user's: $("$TOP/utctl/utctl" view -q 2>&1)"
		rm -rf ut-mine
		expect 1 'no trace of yours here, nor in ~/ut-traces, but some' \
		    "$TOP/utctl/utctl" view
	) || exit 1
fi

# What was lost is told where it may belong.
HOME=$T
start_utd
utctl create -o "$T/lossy" l >/dev/null && utctl enable-channel -b 4k -n 2 c &&
    utctl enable-event -c c 'filters:*' >/dev/null && utctl start >/dev/null &&
    "$T/other" 1 || fail "cannot record"
utctl clear >/dev/null || fail "clear"
halt $(consumers)
./prog/filters 2000 || fail "filters"
kill -CONT $(consumers)
utctl stop >/dev/null || fail "stop"
"$T/other" 1 && utctl start >/dev/null && "$T/other" 1 &&
    utctl destroy >/dev/null || fail "cannot record"
told() {
	want=$1
	shift
	utctl view "$@" "$T/lossy" >"$T/got" 2>"$T/err" || fail "$*"
	[ "$(grep -c 'events* discarded between' "$T/err")" -eq "$want" ] ||
	    fail "$*: $(cat "$T/err")"
}
told 1
told 1 -p filters
told 1 -p other -e '*plain'
told 0 -u 2000-01-01
told 1 -u 2100-01-01
expect 0 '^2 events, [1-9][0-9]* discarded$' utctl view -q -p other "$T/lossy"
expect 0 '^0 events, 0 discarded$' utctl view -q -u 2000-01-01 "$T/lossy"

# What matches nothing is said, and what is nonsense refused.
L=$T/lossy
said() {
	expect 0 "$@" "$L"
}
said "^utctl: -e 'no:[*]': no event of the trace has such a name\$" \
    utctl view -e 'no:*'
said "^utctl: -x 'no:[*]': no event of the trace" utctl view -x 'no:*'
said "^utctl: -p 'nobody': no selected event is of a program of that name" \
    utctl view -p nobody
said "^utctl: -t 1234567890: no selected event is of a thread of that ID" \
    utctl view -n 5 -t 1234567890
said "^utctl: filter 'nix > 3': no field nix in any event" \
    utctl view -n 5 -f 'nix > 3'
said "^utctl: filter 'n > 99999999': no selected event passes it\$" \
    utctl view -n -5 -f 'n > 99999999'
for o in -b '-n 5 -b'; do
	said '^utctl: -b or -u: no selected event is of that time$' \
	    utctl view $o 2130-01-01
done
utctl view -n 0 -p nobody -f 'n > 99999999' -b 2130-01-01 "$L" 2>"$T/err" ||
    fail "-n 0"
[ ! -s "$T/err" ] || fail "-n 0: $(cat "$T/err")"
said "^utctl: filter '\$cpu == 0': no context cpu in any event" \
    utctl view -f '$cpu == 0'
# What one event lacks is not the reason if another has it.
utctl record -o "$T/pairs" -- ./prog/pairs 2>"$T/err" ||
    fail "pairs: $(cat "$T/err")"
L=$T/pairs
said "filter 'key == 1': in all events, key is text, and compared with a number\$" \
    utctl view -f 'key == 1'
said "filter 'id == nix': no field nix in any event" utctl view -f 'id == nix'
said "filter 'id == 1 && n == 1': no event has all of its fields" \
    utctl view -f 'id == 1 && n == 1'
L=$T/lossy
bad() {
	expect 1 "$@" "$L"
}
bad "time 'noon'" utctl view -b noon
bad "time '+'" utctl view -b +
# Days that there are, and a second that mktime(3) calls -1.
for day in 2026-02-29 2024-02-30 1900-02-29T00:00Z '2026-04-31 10:00'; do
	bad "time '$day'" utctl view -b "$day"
done
for day in 2024-02-29 2000-02-29T00:00Z 2025-12-31 '1969-12-31 23:59:59'; do
	TZ=UTC0 utctl view -n 1 -b "$day" "$L" >"$T/got" 2>"$T/err" &&
	    [ -s "$T/got" ] || fail "-b $day: $(cat "$T/err")"
done
bad "time '+1.x'" utctl view -u +1.x
bad "time '+1w'" utctl view -u +1w
bad "time '2026-13-01'" utctl view -u 2026-13-01
bad "time '2026-11-24 10:00:00+25:00'" utctl view -u '2026-11-24 10:00:00+25:00'
bad "time '10:00:00Z'" utctl view -u 10:00:00Z
bad "time '@'" utctl view -u @
# The number that -o epoch prints is taken with an @, as the message says.
at=$(utctl view -o epoch -n 1 "$L" 2>/dev/null | sed 's/ .*//')
expect 1 "time '$at': .* or @[0-9.]*$" utctl view -b "$at" "$L"
[ "$(utctl view -b "@$at" -u "@$at" -o epoch "$L" 2>/dev/null |
    sed 's/ .*//;q')" = "$at" ] || fail "@$at"
bad 'b is a time after that of -u' utctl view -b 2026-01-02 -u 2026-01-01
bad "count 'x'" utctl view -n x
bad "count '-'" utctl view -n -
bad "count '99999999999999999999'" utctl view -n 99999999999999999999
bad "filter 'n ==': column" utctl view -f 'n =='
bad 'f is given twice' utctl view -f n -f n
bad 'one level' utctl view -l info -L info
bad "level 'loud'" utctl view -l loud
bad "process '99999999999999999999': too large" \
    utctl view -p 99999999999999999999
bad 'a pattern is empty' utctl view -e ''
bad 'unknown option -y' utctl view -y
