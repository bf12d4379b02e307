# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# enable-event -f: what is recorded is what awk finds among all events, with one
# region and with many, in sub-buffers of one thread and in shared ones, nested,
# after a pause, with rules that change, and after utd was killed.

. ./common.sh

# set_up NAME CHANNEL-OPTIONS FILTER GLOB: a session, which is started.
set_up() {
	utctl create -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel -s "$1" $2 channel0 &&
	    utctl enable-event -s "$1" ${3:+-f "$3"} "$4" >"$T/out" &&
	    utctl start "$1" >/dev/null || fail "$1: $(cat "$T/out")"
}

# numbers NAME: the events of a session, which and its number n, in that file.
numbers() {
	readers_agree "$T/$1"
	sed -n 's/.* filters:\([a-z]*\) { n = \([0-9]*\).*/\1 \2/p' \
	    "$T/view.out" >"$T/$1.numbers"
}

# are NAME LIST: its events, each with a comma.
are() {
	numbers "$1"
	[ "$(tr '\n' , <"$T/$1.numbers")" = "$2" ] ||
	    fail "$1: $(cat "$T/$1.numbers")"
}

# ended NAME: it is destroyed, and nothing was lost.
ended() {
	expect 0 "^session $1 destroyed: [0-9]* events, 0 lost, $BYTES" \
	    utctl destroy "$1"
}

# same NAME CONDITION: of all events, its own are those with such a number.
same() {
	numbers "$1"
	awk "$2 { print }" "$T/all.numbers" >"$T/want"
	cmp -s "$T/$1.numbers" "$T/want" ||
	    fail "$1: $2: $(diff "$T/$1.numbers" "$T/want" | sed 5q)"
	echo "$1: $(wc -l <"$T/want") of $(wc -l <"$T/all.numbers"): $2"
}

# Filters, and what awk says instead: $1 is the event, $2 the number.
cat >"$T/filters" <<'END'
n == 7				$2 == 7
7 != n				$2 != 7
n < 10				$2 < 10
n >= 990			$2 >= 990
n > 5 && n <= 20		$2 > 5 && $2 <= 20
!(n & 1)			$2 % 2 == 0
n % 3 == 1 || n > 995		$2 % 3 == 1 || $2 > 995
n / 10 * 10 == n		$2 % 10 == 0
-n < -500			$2 > 500
n >> 4 == 3			int($2 / 16) == 3
$pid != 0 && $tid != 0		1
$program == "filt*"		1
$program == "other"		0
path == "/api/*"		$1 == "mixed" && $2 % 2 == 1
path == "*9"			$1 == "mixed" && $2 % 10 == 9
path != "/st*" && n < 100	$1 == "mixed" && $2 % 2 == 1 && $2 < 100
big > 18446744073709551600	$1 == "mixed" && $2 < 15
big < -1			0
port == 0x102			$1 == "mixed" && $2 == 258
small == -1			$1 == "mixed" && $2 % 256 == 127
real >= 100.25 && half < 250	$1 == "mixed" && $2 >= 401 && $2 < 500
text == "t1*5"			$1 == "mixed" && $2 ~ /^1.*5$/
sky == "rain*"			$1 == "mixed" && $2 % 6 == 1
sky == "storm" && flag		$1 == "mixed" && $2 % 6 == 3
sky != "sun" && sky < 3		$1 == "mixed" && ($2 % 6 == 1 || $2 % 6 == 2)
last - 1 < 0 && small < 0	$1 == "mixed" && $2 == 0
$vpid == $pid && $ctx.vtid != 0 && $procname == "filt*"	1
row[4] == 5 || n < 6		$1 == "mixed" && $2 % 6 == 5
!(row[2] == 9) && bytes[6] == 7	$1 == "mixed" && $2 % 6 > 2 && $2 % 8 == 7
last == n && n ^ 5 == 0		$1 == "mixed" && $2 != 0
last == n && (n ^ 5) == 0	$1 == "mixed" && $2 == 5
END

# viewed NAME FILTER: view selects the same of all events.
viewed() {
	utctl view -f "$2" "$T/all" >"$T/viewed" 2>"$T/err" ||
	    fail "view -f '$2': $(cat "$T/err")"
	[ -s "$T/$1.numbers" ] || grep -q 'no selected event passes it$' \
	    "$T/err" || fail "view -f '$2': $(cat "$T/err")"
	[ ! -s "$T/$1.numbers" ] || [ ! -s "$T/err" ] ||
	    fail "view -f '$2': $(cat "$T/err")"
	sed -n 's/.* filters:\([a-z]*\) { n = \([0-9]*\).*/\1 \2/p' \
	    "$T/viewed" | cmp -s - "$T/$1.numbers" ||
	    fail "view -f '$2': $(wc -l <"$T/viewed")"
}

# Beside each other: all of them are one program's regions.
start_utd
set_up all "" "" 'filters:*'
i=0
while read -r line; do
	i=$((i + 1))
	set_up "s$i" "" "$(echo "$line" | sed 's/		*.*//')" 'filters:*'
done <"$T/filters"
./prog/filters 1000 || fail "filters: $?"
ended all
numbers all
[ "$(wc -l <"$T/all.numbers")" -eq 2000 ] || fail "not 2000 events"
i=0
while read -r line; do
	i=$((i + 1))
	ended "s$i"
	same "s$i" "$(echo "$line" | sed 's/.*		*//')"
	viewed "s$i" "$(echo "$line" | sed 's/		*.*//')"
done <"$T/filters"

# One alone; with few sub-buffers, and faster than these can be emptied: what
# does not pass takes no room.
set_up alone "-b 4k -n 2" 'n % 50000 == 999' 'filters:plain'
./prog/filters 200000 || fail "filters"
ended alone
are alone 'plain 999,plain 50999,plain 100999,plain 150999,'

# Timed in cycles, where the machine can.
if utctl create -o "$T/cycles" cycles >/dev/null &&
    utctl enable-channel -k cycles channel0 2>/dev/null; then
	utctl enable-event -f 'n == 999 || n < 2' 'filters:plain' >/dev/null &&
	    utctl start >/dev/null || fail "cycles"
	./prog/filters 1000 || fail "filters"
	ended cycles
	# babeltrace2 rounds these times in another way.
	utctl view "$T/cycles" >"$T/view.out" || fail "view"
	[ "$(sed 's/.* n = //; s/ .*/,/' "$T/view.out" | tr -d '\n')" = \
	    0,1,999, ] || fail "cycles: $(cat "$T/view.out")"
else
	utctl destroy cycles >/dev/null
fi

# In a signal handler, over an event that was interrupted: every event that
# passes, in both.
set_up nested "-n 4096" 'n % 100 == 0' 'filters:*'
set_up nestall "-n 4096" '' 'filters:*'
./prog/filters -p 20000 || fail "filters: $?"
ended nested
ended nestall
numbers nestall
numbers nested
sort "$T/nested.numbers" >"$T/got"
awk '$2 % 100 == 0' "$T/nestall.numbers" | sort >"$T/want"
cmp -s "$T/got" "$T/want" || fail "nested: $(diff "$T/got" "$T/want" | sed 5q)"
grep -q ' 1......$' "$T/got" || fail "no handler ran"

# Slow threads, that share sub-buffers.
set_up slow "-b 4k -n 4" 'n == 3 || n == 5' 'filters:plain'
./prog/filters 8 100 50000 || fail "filters: $?"
ended slow
numbers slow
sort "$T/slow.numbers" | uniq -c | awk '{ print $1, $3 }' >"$T/got"
[ "$(tr '\n' , <"$T/got")" = '100 3,100 5,' ] || fail "slow: $(cat "$T/got")"

# After a pause that the time in an event cannot tell.
set_up pause "" 'n != 9' 'filters:plain'
./prog/filters 3 1 4600000 || fail "filters: $?"
ended pause
are pause 'plain 0,plain 1,plain 2,'
utctl view -j "$T/pause" | sed 's/.*"ns":"\([0-9]*\)[0-9]\{9\}",.*/\1/' >"$T/s"
[ "$(tail -1 "$T/s")" -ge $(($(head -1 "$T/s") + 9)) ] ||
    fail "pause: times $(cat "$T/s")"

# Rules of an event are an OR, and they come and go while the program runs.
utctl create -o "$T/rules" rules >/dev/null && utctl start >/dev/null ||
    fail "rules"
expect 0 '^seq:tick: 0 events of 0 programs$' \
    utctl enable-event -f 'n < 0' 'seq:tick'
./prog/seq -p 1000 1 2 100000000 "$T/p.1" &
SEQ=$!
CHILDREN="$CHILDREN $SEQ"
none_for() {
	counts rules
	had=$events
	sleep 1
	counts rules
	[ "$events" -eq "$had" ] || fail "$1: $((events - had)) events"
}
some() {
	counts rules
	had=$events
	until_ok more_than "$had" || fail "$1: no events"
}
more_than() {
	counts rules
	[ "$events" -gt "$1" ]
}
until_ok has_programs rules seq || fail "no program"
none_for "n < 0"
expect 0 '^seq:tick: 1 event of 1 program$' \
    utctl enable-event -f 'n >= 0' 'seq:tick'
some "OR"
expect 0 '' utctl disable-event -f 'n >= 0' 'seq:tick'
none_for "taken back"
expect 0 '' utctl enable-event 'seq:tick'
some "without a filter"
expect 0 '' utctl enable-event -f 'n == 0' 'seq:tick'
some "without a filter beside filters"
complains 'seq:tick is not enabled .* with this filter' \
    utctl disable-event -f 'n > 0' 'seq:tick'
expect 0 '' utctl disable-event -f 'n == 0' 'seq:tick'
# All with the pattern.
expect 0 '' utctl enable-event -f 'n < -5' 'seq:tick'
expect 0 '' utctl disable-event 'seq:tick'
none_for "disabled"
complains 'seq:tick is not enabled' utctl disable-event 'seq:tick'

# What does not fit an event is said, once, and the event is not recorded.
expect 0 "^seq:\*: 0 events of 0 programs; seq:[a-z]* of seq never passes " \
    utctl enable-event -f 'missing == 1' 'seq:*'
long=$(printf 'n == %080d' 1)
expect 0 "filter 'n == 0*\\.\\.\\.': .*" utctl enable-event \
    -f "$long && missing == 1" 'seq:*'
utctl disable-event 'seq:*' >/dev/null
expect 0 '' utctl enable-event -f 'missing == 1' 'seq:*'
utctl list rules >"$T/out"
[ "$(grep -c "of seq never passes filter 'missing == 1': no field missing" \
    "$T/out")" -eq 1 ] || fail "not said: $(cat "$T/out")"
grep -q "enabled: seq:\* (level all; if missing == 1)" "$T/out" ||
    fail "not listed: $(cat "$T/out")"
utctl list -j | grep -q '"level":"all","filter":"missing == 1"' ||
    fail "not in JSON: $(utctl list -j)"
none_for "unknown field"

# The next utd has them too.
expect 0 '' utctl enable-event -f 'n < -7' 'seq:tick'
kill -9 "$UTD_PID"
wait "$UTD_PID" 2>/dev/null
start_utd
until_ok has_programs rules seq || fail "no program"
utctl list rules >"$T/out"
grep -q "if n < -7" "$T/out" || fail "forgotten: $(cat "$T/out")"
none_for "after utd was killed"
expect 0 '' utctl enable-event -f 'n > 5' 'seq:tick'
some "after utd was killed"
kill -9 $SEQ
wait $SEQ 2>/dev/null
CHILDREN=
expect 0 '' utctl destroy rules

# More code than is queued for a program at once: it reads that first.
utctl create -o "$T/long" long >/dev/null || fail "create"
for k in 1 2 3 4; do
	f=n==$k i=$k
	while [ ${#f} -lt 1000 ]; do
		echo "$i"
		i=$((i + 4)) f="$f||n==$i"
	done >>"$T/numbers"
	echo "$i" >>"$T/numbers"
	expect 0 '' utctl enable-event -f "$f" 'many:*'
done
expect 0 '' utctl start
UT_REGISTER_TIMEOUT=60000 ./prog/many a 0 2000 </dev/null >"$T/out" ||
    fail "many: $?"
ended long
readers_agree "$T/long"
sed -n 's/.* many:a_\([0-9]*\) { n = \([0-9]*\) }/\1 \2/p' "$T/view.out" |
    sort -n >"$T/got"
sort -n "$T/numbers" | sed 's/.*/& &/' >"$T/want"
cmp -s "$T/got" "$T/want" || fail "long: $(diff "$T/got" "$T/want" | sed 5q)"

# What is wrong is said with its place, and changes nothing.
utctl create -o "$T/bad" bad >/dev/null || fail "create"
bad() {
	complains "^utctl: filter '.*': column $1: " \
	    utctl enable-event -f "$2" 'seq:*'
}
bad 6 'n == '
bad 5 'n =='
bad 3 'n $x'
bad 1 '$what == 1'
bad 7 '(n < 3'
bad 1 ''
bad 6 'n == "open'
bad 1 '"text"'
bad 3 'n = 3'
bad 6 'n == 99999999999999999999'
complains '-f is given twice' utctl enable-event -f 'n' -f 'n' 'seq:*'
utctl list bad | grep -q enabled && fail "enabled: $(utctl list bad)"
expect 0 '' utctl destroy bad

# In one command.
expect 0 '4 events, 0 lost' utctl record -o "$T/record" -f 'n % 500 == 7' -- \
    ./prog/filters 1000
are record 'plain 7,mixed 7,plain 507,mixed 507,'
complains "^utctl: filter 'n =': column 3: " \
    utctl record -o "$T/not" -f 'n =' -- ./prog/filters 1
[ ! -d "$T/not" ] || fail "a directory is left"
