# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What a line of utctl view has: -o, -i, -D and colours.  What the columns
# should hold is taken from JSON; what -i should print is computed by awk.

. ./common.sh

# Times of the day are exact in awk; no midnight comes meanwhile.
hour=$(date -u +%H)
zone=X$((${hour#0} - 12))
recorded -- ./prog/pairs
[ "$lost" -eq 0 ] || fail "$lost lost"
TZ=UTC0 utctl view "$T/trace" >"$T/text" || fail "view"
TZ=UTC0 utctl view -j "$T/trace" >"$T/json" || fail "view -j"
[ "$(wc -l <"$T/text")" -eq "$events" ] || fail "$(wc -l <"$T/text") lines"

# column NAME: that alone.
column() {
	TZ=UTC0 utctl view -o "$1" "$T/trace" || fail "-o $1"
}
# is COLUMN: the lines of $T/want.
is() {
	column "$1" | cmp - "$T/want" >"$T/diff" 2>&1 ||
	    fail "-o $1: $(column "$1" | head -n 3): $(cat "$T/diff")"
}
# member NAME: of each object; what is in quotes comes without them.
member() {
	sed 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/' "$T/json"
}

cp "$T/text" "$T/want" && is time,who,event,fields
sed 's/ [^ ]* [^ ]* {.*//' "$T/text" >"$T/want" && is time
sed 's/^[^ ]* [^ ]* \([^ ]*\).*/\1/' "$T/text" >"$T/want" && is who
sed 's/^[^{]*{/{/' "$T/text" >"$T/want" && is fields
member time | sed 's/+00:00$/Z/' >"$T/want" && is utc
member ns | sed 's/.........$/.&/' >"$T/want" && is epoch
member event >"$T/want" && is event
member procname >"$T/want" && is program
member vpid >"$T/want" && is pid
member vtid >"$T/want" && is tid
# Not all systems know names of threads.
sed '/"thread":/!s/.*/"thread":"-"}/' "$T/json" |
    sed 's/.*"thread":"\([^"]*\)".*/\1/' >"$T/want" && is thread
sed 's/.*/info/' "$T/text" >"$T/want" && is level
sed 's/.*/-/' "$T/text" >"$T/want" && is cpu
host=$(sed -n 's/.*hostname = "\(.*\)";/\1/p' \
    "$(find "$T/trace" -name metadata)")
[ -n "$host" ] || fail "no hostname"
member event | sed "s/\$/ $host $host/" >"$T/want" && is event,host,host

# Since the first event, and since the line before.
column epoch | awk -F . '
function ns(s) { return sprintf("+%d.%09d", int(s / 1e9), s % 1e9) }
{
	if (NR == 1)
		zero = $1
	t = ($1 - zero) * 1e9 + $2
	if (NR == 1)
		first = last = t
	print ns(t - first), ns(t - last)
	last = t
}' >"$T/want" && is relative,delta
# The same time as -b counts, of an event that is the first one then.
column relative | awk 'NR >= 400 && $0 != last { print NR, $0; exit }
    { last = $0 }' >"$T/want"
read -r line at <"$T/want"
utctl view -o relative,delta,fields -b "$at" -n 1 "$T/trace" >"$T/out" ||
    fail "-b $at"
[ "$(cat "$T/out")" = "$at +0.000000000 $(sed -n "${line}s/^[^{]*{/{/p" \
    "$T/text")" ] || fail "-b $at: $(cat "$T/out")"

# How deep, and how long: after losses anew.
cat >"$T/oracle" <<'END'
function ns(s, t) {
	split(s, t, /[:.]/)
	return ((t[1] * 60 + t[2]) * 60 + t[3]) * 1e9 + t[4]
}
/ events* discarded between / {
	n = ns($10)
	if (n > lossy)
		lossy = n
	next
}
{
	now = ns($2)
	who = $3
	pair = id = end = ""
	if ($4 ~ /^work:(outer_(begin|end)|inner_(entry|exit))$/) {
		pair = $4
		sub(/_(begin|end|entry|exit)$/, "", pair)
	} else if ($4 ~ /^call:/) {
		match($0, /addr = 0x[0-9a-f]+/)
		pair = "call " substr($0, RSTART + 7, RLENGTH - 7)
	}
	d = depth[who]
	if (pair != "" && $4 ~ /(_end|_exit|:exit)$/) {
		while (d > 0 && name[who, d] != pair)
			d--
		if (d > 0) {
			if (began[who, d] > lossy)
				end = sprintf(" %.3f us",
				    (now - began[who, d]) / 1000)
			depth[who] = d - 1
		}
	}
	blanks = ""
	for (d = depth[who]; d > 0 && began[who, d] > lossy; d--)
		if (length(blanks) < 64)
			blanks = blanks "  "
	at = index($0, $3) + length($3)
	print substr($0, 1, at) blanks substr($0, at + 1) end
	if (pair != "" && $4 ~ /(_begin|_entry|:entry)$/) {
		d = ++depth[who]
		name[who, d] = pair
		began[who, d] = now
	}
}
END
# nests DIR: -i prints what the oracle does.
nests() {
	TZ=$zone utctl view "$1" 2>&1 | awk -f "$T/oracle" >"$T/want"
	TZ=$zone utctl view -i "$1" >"$T/got" 2>"$T/err" || fail "-i"
	diff "$T/want" "$T/got" >"$T/diff" || fail "-i $1: $(head "$T/diff")"
}
nests "$T/trace"
grep -q '}.* us$' "$T/got" || fail "no ends: $(cat "$T/got")"
grep -q ']         *call:' "$T/got" || fail "not deep: $(cat "$T/got")"
# Nothing can end: what is selected has no end, or the trace.
for e in '-e work:inner_entry' '-x work:*_exit -x work:*_end -e work:*' \
    '-D work:inner_exit,work:none -e work:inner_exit'; do
	set -f
	utctl view -io event $e "$T/trace" >"$T/out" || fail "$e"
	set +f
	[ -s "$T/out" ] && ! grep '^ ' "$T/out" || fail "$e is indented"
done
# Nothing does end: 32 levels, and no more.
utctl view -io event -D work:inner_entry,req:start -e work:inner_entry \
    -e req:start "$T/trace" |
    awk '{ n = length($0) - length("work:inner_entry") }
	n > most { most = n } END { exit most != 64 }' || fail "not 32 levels"
# JSON, and columns.
utctl view -i "$T/trace" >"$T/indented" || fail "-i"
utctl view -ij "$T/trace" >"$T/out" || fail "-ij"
sed 's/,"depth":[0-9]*}$/}/;s/,"depth":[0-9]*,"took_ns":"[0-9]*"}$/}/' \
    "$T/out" | cut -d , -f 3- >"$T/plain"
cut -d , -f 3- "$T/json" | cmp - "$T/plain" || fail "-ij: $(head "$T/out")"
sed -n 's/.*"depth":\([0-9]*\).*/\1/p' "$T/out" >"$T/depths"
sed 's/^[^]]*] \( *\).*/\1/' "$T/indented" | awk '{ print length($0) / 2 }' |
    cmp - "$T/depths" || fail "depth: $(head "$T/depths")"
sed -n 's/.*"took_ns":"\([0-9]*\)"}$/\1/p' "$T/out" |
    awk '{ printf "%.3f\n", $1 / 1000 }' >"$T/tooks"
sed -n 's/.* \([0-9.]*\) us$/\1/p' "$T/indented" | cmp - "$T/tooks" ||
    fail "took_ns: $(head "$T/tooks")"
sed 's/^[^]]*] \( *[^ ]*\) {.*}/\1/' "$T/indented" >"$T/want"
utctl view -io event "$T/trace" | cmp - "$T/want" || fail "-io event"
# Requests, from thread to thread.
utctl view -o event,fields -D req:start,req:done,id -e 'req:*' "$T/trace" \
    >"$T/out" || fail "-D"
[ "$(grep -c '^req:done .* us$' "$T/out")" -eq 4 ] || fail "$(cat "$T/out")"
grep -q '^req:start .* us$\|^ ' "$T/out" && fail "-D: $(cat "$T/out")"
# What is not printed encloses nothing.
utctl view -io event -e call:exit "$T/trace" | grep -q '^ \| us$' &&
    fail "-e call:exit"

# Nobody makes room: what was open when events were lost is not known.
start_utd
utctl create -o "$T/loss" s >/dev/null && utctl enable-channel -b 4k -n 4 c &&
    utctl add-context -c c cpu >/dev/null &&
    utctl enable-event -c c 'work:*' >/dev/null && utctl start >/dev/null ||
    fail "loss"
./prog/pairs 0 || fail "pairs: $?"
stuck=$(consumers)
kill -STOP $stuck
./prog/pairs 2000 || fail "pairs: $?"
kill -CONT $stuck
i=0
while [ $i -lt 3 ]; do
	./prog/pairs 0 || fail "pairs: $?"
	i=$((i + 1))
done
utctl stop >/dev/null || fail "stop"
utctl view -q "$T/loss" | grep -q ' [1-9][0-9]* discarded$' || fail "no loss"
nests "$T/loss"
utctl view -j "$T/loss" | sed -n 's/.*"context":{"cpu":\(-*[0-9]*\)}.*/\1/p' \
    >"$T/want"
[ -s "$T/want" ] || fail "no cpu"
utctl view -o cpu "$T/loss" 2>/dev/null | cmp - "$T/want" || fail "-o cpu"
stop_utd || fail "utd: status $?"

# Levels.
recorded -- ./prog/levels
utctl view -o event,level -e 'levels:*' "$T/trace" >"$T/out" || fail "levels"
i=0
for l in emerg alert crit err warning notice info debug_system debug_program \
    debug_process debug_module debug_unit debug_function debug_line debug; do
	[ "$(sed -n "s/^levels:l$i //p" "$T/out")" = $l ] ||
	    fail "level $i: $(cat "$T/out")"
	i=$((i + 1))
done

# What cannot be.
t=$T/trace
complains "-o: column 'tme': none of time, utc, epoch, " utctl view -o tme "$t"
complains "-o: column '': none of" utctl view -o '' "$t"
complains "-o: column '': none of" utctl view -o time, "$t"
complains "-o: column '': none of" utctl view -o time,,event "$t"
eight=pid,pid,pid,pid,pid,pid,pid,pid
complains '-o: more than 32 columns' \
    utctl view -o $eight,$eight,$eight,$eight,time "$t"
expect 0 ' levels:l0$' \
    utctl view -o $eight,$eight,$eight,${eight#pid,},event "$t"
complains '-i needs the column event' utctl view -io time "$t"
complains '-o and -j: ' utctl view -jo time "$t"
complains '-o and -q: ' utctl view -qo time "$t"
complains '-i and -q: ' utctl view -qi "$t"
complains "pair 'a:b': not an event, an event" utctl view -D a:b "$t"

# Colours on a terminal.
esc=$(printf '\033')
utctl view "$t" >"$T/text" || fail "view"
grep -q "$esc" "$T/text" && fail "colours in a file"
# terminal [VARIABLE=VALUE] COMMAND: its output is a terminal.
terminal() {
	env TERM=vt100 NO_COLOR= "$@" >"$T/out" 2>"$T/err"
	status=$?
	[ $status -ne 3 ] || skip "no terminals here: $(cat "$T/err")"
	[ $status -eq 0 ] || fail "$*: status $status: $(cat "$T/err")"
}
terminal ./prog/pty utctl view "$t"
sed "s/$esc\[[0-9;]*m//g" "$T/out" | cmp - "$T/text" || fail "$(cat "$T/out")"
for e in 'l3 1;31' 'l4 1;33' 'l5 1'; do
	grep -q " $esc\[${e#* }mlevels:${e% *}$esc\[0m " "$T/out" ||
	    fail "$e: $(cat "$T/out")"
done
grep -q " $esc\[32mlevels\[[0-9]*:[0-9]*\]$esc\[0m " "$T/out" ||
    fail "who: $(cat "$T/out")"
for none in NO_COLOR=1 TERM=dumb TERM=; do
	terminal "$none" ./prog/pty utctl view "$t"
	cmp "$T/out" "$T/text" || fail "$none: $(cat "$T/out")"
done
(unset TERM; ./prog/pty utctl view "$t") >"$T/out" || fail "no TERM: $?"
cmp "$T/out" "$T/text" || fail "no TERM: $(cat "$T/out")"
terminal ./prog/pty utctl view -j "$t"
grep -q "$esc" "$T/out" && fail "-j: $(cat "$T/out")"
exit 0
