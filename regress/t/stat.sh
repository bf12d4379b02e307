# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl stat: its counts are those of awk, which reads what view prints, and its
# percentiles those of sort, but for the 0.8 percent that it may be wrong.

. ./common.sh

ln prog/filters "$T/other" 2>/dev/null || cp prog/filters "$T/other" || exit 1
start_utd
utctl create -o "$T/a" a >/dev/null && utctl enable-channel -b 4k -n 1024 c &&
    utctl enable-event -c c 'filters:*' >/dev/null && utctl start >/dev/null &&
    ./prog/filters 250 8 50 && "$T/other" 500 || fail "cannot record"
expect 0 '5000 events, 0 lost' utctl destroy
utctl view "$T/a" >"$T/all" || fail "view"

# grouped AWK-KEY OPTION...: the same groups with as many events.
grouped() {
	key=$1
	shift
	awk "{ n[$key]++ } END { for (k in n) print n[k], k }" "$T/all" |
	    LC_ALL=C sort >"$T/want"
	utctl stat "$@" "$T/a" >"$T/out" 2>"$T/err" ||
	    fail "$*: $(cat "$T/err")"
	[ ! -s "$T/err" ] || fail "$*: $(cat "$T/err")"
	awk '/^ *events / { on = 1; next }
	/^$/ { on = 0 }
	on { printf "%s", $1; for (i = 6; i <= NF; i++) printf " %s", $i
	    print "" }' "$T/out" | LC_ALL=C sort >"$T/got"
	cmp -s "$T/got" "$T/want" ||
	    fail "$*: $(diff "$T/got" "$T/want" | sed 9q)"
}
grouped '$4'
grouped '$4' -g event
grouped 'substr($3, 1, index($3, "[") - 1)' -g program
grouped '$3' -g thread
grouped '$4 " " $3' -g event -g thread
grouped '$8 + 0' -g n
sky='(match($0, /sky = [a-z0-9]*/) ? '
sky=$sky'substr($0, RSTART + 6, RLENGTH - 6) : "-")'
grouped "$sky" -g sky
grouped "substr(\$3, 1, index(\$3, \"[\") - 1) \" \" $sky \" \" \$4" \
    -g program -g sky -g event
path='(match($0, /path = "[^"]*/) ? '
path=$path'substr($0, RSTART + 8, RLENGTH - 8) : "-")'
grouped "$path" -g path

# The first line, the whole, and the time from the first to the last.
expect 0 '^5000 events, 0 discarded$' utctl stat "$T/a"
first=$(head -n 1 "$T/all" | cut -d ' ' -f 1,2)
last=$(tail -n 1 "$T/all" | cut -d ' ' -f 1,2)
grep -q "^from $first to $last: [0-9.]* s, [0-9]* bytes\$" "$T/out" ||
    fail "$(head -n 2 "$T/out")"
awk '/ bytes$/ { all = $(NF - 1) } / filters:/ { n += $3 }
    / \+0.000000 .*filters:plain$/ { begins = 1 }
    END { exit all != n || !begins }' "$T/out" || fail "$(cat "$T/out")"
# These times are those of the first event of all, which -b of view counts from.
at=$(utctl stat -e filters:mixed -f 'n == 7' -p other "$T/a" |
    awk '/filters:mixed$/ { print $4 }')
[ "$(utctl view -e filters:mixed -p other -o relative -n 1 -f 'n == 7' \
    "$T/a" | awk '{ printf "%+.6f", $1 }')" = "$at" ] || fail "first: $at"
case $at in
+0.000000)	fail "first: $at is the first selected" ;;
esac
utctl view -e filters:mixed -p other -b "$(echo "$at" |
    awk '{ printf "%+.6f", $1 - .000001 }')" -u "$(echo "$at" |
    awk '{ printf "%+.6f", $1 + .000001 }')" "$T/a" | grep -q ' n = 7,' ||
    fail "-b $at: not the event"
expect 0 '^250 events, 0 discarded$' utctl stat -e '*plain' -f 'n < 100' -n 250 \
    -p filters -p other "$T/a"
expect 0 '^0 events, 0 discarded$' utctl stat -e 'no:*' "$T/a"
expect 0 '^5000 events, ' utctl stat "$T/a" "$T/a"

# near GOT WANT: the same, but for 0.8 percent.
near() {
	awk -v a="$1" -v b="$2" 'BEGIN {
		d = a > b ? a - b : b - a
		m = b < 0 ? -b : b
		exit !(d <= 0.008 * m + 0.000001) }'
}
# valued FIELD SED-PATTERN OPTION...: of all that have it, in one group.
valued() {
	field=$1 pattern=$2
	shift 2
	sed -n "s/.*[ {]$pattern.*/\\1/p" "$T/all" | sort -n >"$T/values"
	n=$(wc -l <"$T/values")
	utctl stat -v "$field" -e filters:mixed "$@" "$T/a" >"$T/out" 2>"$T/err" &&
	    [ ! -s "$T/err" ] || fail "-v $field: $(cat "$T/err")"
	set -- $(awk -v f="$field" '$1 == f { getline; print; exit }' "$T/out")
	[ "$1" -eq "$n" ] || fail "$field: $1 values, not $((n))"
	[ "$9" = filters:mixed ] || fail "$field: $*"
	awk -v got="$2 $8" 'NR == 1 { min = $1 } { max = $1 } END {
	    exit got != sprintf("%.6g %.6g", min, max) }' "$T/values" ||
	    fail "$field: from $2 to $8"
	near "$3" "$(awk '{ s += $1 } END { printf "%.10g", s / NR }' \
	    "$T/values")" || fail "$field: mean $3"
	for q in "500 $4" "900 $5" "990 $6" "999 $7"; do
		want=$(sed -n "$(((n * ${q% *} + 999) / 1000))p" "$T/values")
		near "${q#* }" "$want" ||
		    fail "$field: ${q% *} of 1000: ${q#* }, not $want"
	done
	bars=$(awk '/\|/ { n += $4 } END { print n + 0 }' "$T/out")
	[ "$bars" -eq "$n" ] || fail "$field: bars of $bars: $(cat "$T/out")"
}
valued n '{ n = \([0-9]*\),'
valued real 'real = \([-0-9.e]*\),'
valued half 'half = \([-0-9.e]*\),'
valued small 'small = \([-0-9]*\),'
valued port 'port = \([0-9]*\),'
valued flag 'flag = \([01]\),'
near "$(utctl stat -v big -e filters:mixed "$T/a" |
    awk '$1 == "big" { getline; print $4; exit }')" 18446744073709551000 ||
    fail "big"

# Integers are whole.
echo '1 malloc 1974096 0x1000 0xa1' | utctl record -o "$T/large" \
    -e libc:malloc -- ./prog/calls 2>"$T/err" || fail "record: $(cat "$T/err")"
expect 0 '^ *1 *1974096 *1974096 .* 1974096 .*libc:malloc$' \
    utctl stat -v size "$T/large"
expect 0 '^ *1048576 to *2097152 *1 |' utctl stat -v size "$T/large"

# By group, and as JSON, which others can read.
utctl stat -g program -v n "$T/a" >"$T/out" || fail "-g program -v n"
awk '$1 == "n" { on = 1; next } /^$/ { on = 0 }
    on { print $1, $2, $8, $9 }' "$T/out" >"$T/got"
[ "$(tr '\n' , <"$T/got")" = '4000 0 249 filters,1000 0 499 other,' ] ||
    fail "$(cat "$T/got")"
utctl stat -j -g event -g program -v real "$T/a" >"$T/json" || fail "-j"
[ "$(wc -l <"$T/json")" -eq 1 ] || fail "lines of JSON"
if command -v python3 >/dev/null 2>&1; then
	python3 - "$T/json" <<'END' >"$T/got" 2>"$T/err" ||
import json, sys
j = json.load(open(sys.argv[1]))
g = {(r["by"]["event"], r["by"]["program"]): r for r in j["groups"]}
print(j["events"], len(g), sum(r["events"] for r in g.values()),
    sum(r["bytes"] for r in g.values()) == j["bytes"],
    min(int(r["first"]) for r in g.values()) == int(j["first"]),
    max(int(r["last"]) for r in g.values()) == int(j["last"]),
    g["filters:mixed", "other"]["values"], g["filters:mixed", "other"]["max"],
    "max" in g["filters:plain", "other"])
END
	    fail "JSON: $(cat "$T/err" "$T/json")"
	[ "$(cat "$T/got")" = '5000 4 5000 True True True 500 124.75 False' ] ||
	    fail "JSON: $(cat "$T/got")"
fi

# What is not there, or nonsense.
expect 0 '^utctl: -v nix: no field of any event$' utctl stat -v nix "$T/a"
utctl stat -v path "$T/a" >"$T/out" 2>"$T/err" || fail "-v path"
[ "$(cat "$T/err")" = "utctl: -v path: no number in any event" ] &&
    ! grep -q '^ *path ' "$T/out" || fail "-v path: $(cat "$T/err" "$T/out")"
expect 0 '^utctl: -g nix: no field of any event$' utctl stat -g nix "$T/a"
expect 0 '^utctl: -v \$cpu: no field of any event$' utctl stat -v '$cpu' "$T/a"
expect 1 '-v is given twice' utctl stat -v n -v n "$T/a"
expect 1 '-g: at most 8 times' utctl stat -g a -g b -g c -g d -g e -g f -g g \
    -g h -g i "$T/a"
expect 1 '-g: a name is empty' utctl stat -g '' "$T/a"
expect 1 'no/such: No such file or directory' utctl stat no/such
[ ! -s "$T/out" ] || fail "$(cat "$T/out")"
stop_utd || fail "utd: $?"
