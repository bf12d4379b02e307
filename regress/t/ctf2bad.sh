# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Metadata of CTF 2 that are wrong, a fragment at a time: one line says which
# and why, nothing is printed, and the status is 1.  What ends anywhere is read
# up to the last fragment that is whole.

. ./common.sh

t=$T/trace
mkdir "$t" || fail "mkdir"
printf '\1\2\3\4\5\6\7\10' >"$t/stream"
rs=$(printf '\036')

# Field classes, for what follows.
u8='{"type":"fixed-length-unsigned-integer","length":8,"alignment":8,
    "byte-order":"little-endian"}'
s8='{"type":"fixed-length-signed-integer","length":8,"alignment":8,
    "byte-order":"little-endian"}'
stream='{"type":"data-stream-class"}'

# member NAME CLASS: of a structure.  event MEMBERS: a fragment.
member() {
	echo "{\"name\":\"$1\",\"field-class\":$2}"
}
event() {
	echo "{\"type\":\"event-record-class\",\"name\":\"e\",
	    \"payload-field-class\":{\"type\":\"structure\",
	    \"member-classes\":[$1]}}"
}

# metadata FRAGMENT...: behind a preamble.
metadata() {
	printf '\036{"type":"preamble","version":2}\n' >"$t/metadata"
	for fragment; do
		printf '\036%s\n' "$fragment" >>"$t/metadata"
	done
}

# refused WHERE-AND-WHY: as the metadata are.
refused() {
	utctl view "$t" >"$T/out" 2>"$T/err"
	[ $? -eq 1 ] || fail "$1: not refused: $(cat "$T/err" "$T/out")"
	[ ! -s "$T/out" ] || fail "$1: $(cat "$T/out")"
	[ "$(wc -l <"$T/err")" -eq 1 ] || fail "$1: $(cat "$T/err")"
	grep -q "/metadata: $1" "$T/err" || fail "$1: $(cat "$T/err")"
	n=$((n + 1))
}

# bad WHY FRAGMENT...: the last one is bad.  field WHY CLASS [MEMBER]: in the
# payload of an event, behind the member.
bad() {
	why=$1
	shift
	metadata "$@" "$stream"
	refused "fragment $(($# + 1)) (byte [0-9]*): $why\$"
}
field() {
	bad "$1" "$stream" "$(event "${3:+$3,}$(member f "$2")")"
}
# with KIND MEMBERS: a field class of one byte.
with() {
	echo "{\"type\":\"$1\",\"length\":8,\"byte-order\":\"big-endian\",$2}"
}

n=0
# The text.
bad "'type' is there twice" '{"type":"trace-class","type":"trace-class"}'
bad "'a' is there twice" '{"type":"trace-class","x":{"a":1,"b":2,"a":3}}'
bad 'no UTF-8' "$(printf '{"type":"\300\200"}')"
bad 'no UTF-8' "$(printf '{"type":"a\355\240\200"}')"
bad 'no UTF-8' "$(printf '{"type":"\377"}')"
bad 'no escape of JSON, or a NUL' '{"type":"a\q"}'
bad 'no escape of JSON, or a NUL' '{"type":"\u0000"}'
bad 'no escape of JSON, or a NUL' '{"type":"\ud800x"}'
bad 'no escape of JSON, or a NUL' '{"type":"\u12g4"}'
bad 'a string without end' "$(printf '{"type":"a\nb"}')"
bad 'a string without end' '{"type":"trace-class'
bad 'too large a number' '{"type":"trace-class","x":18446744073709551616}'
bad 'too large a number' '{"type":"trace-class","x":-9223372036854775809}'
bad 'a digit expected' '{"type":"trace-class","x":-}'
bad 'a digit expected' '{"type":"trace-class","x":1.}'
bad "',' or '}' expected" '{"type":"trace-class","x":01}'
bad "',' or '}' expected" '{"type":"trace-class","x":1 "y":2}'
bad "',' or '\]' expected" '{"type":"trace-class","x":[1 2]}'
bad "':' expected" '{"type" "trace-class"}'
bad 'a name expected' '{"type":"trace-class",}'
bad 'a name expected' '{1:2}'
bad 'no value of JSON' '{"type":trace}'
bad 'no value of JSON' '{"type":nul}'
bad 'an object expected' '["type"]'
bad 'more than an object' '{"type":"trace-class"} {}'
bad 'too deep' "{\"type\":\"trace-class\",\"x\":$(awk 'BEGIN {
	for (i = 0; i < 100000; i++) printf "["
}')"

# The fragments.
bad "no 'type'" '{}'
bad "'type' is not a string" '{"type":2}'
bad "no fragment 'stream'" '{"type":"stream"}'
bad 'the preamble must come first' '{"type":"preamble","version":2}'
bad "the extension 'b' of 'a' is not known here" \
    '{"type":"trace-class","extensions":{"a":{"b":{}}}}'
bad 'a second trace class' '{"type":"trace-class"}' '{"type":"trace-class"}'
bad 'neither a string nor an integer' \
    '{"type":"trace-class","environment":{"a":1.5}}'
bad 'a structure expected' \
    "{\"type\":\"trace-class\",\"packet-header-field-class\":$u8}"
bad 'a second data stream class 0' "$stream" "$stream"
bad "no clock 'c' before this" \
    '{"type":"data-stream-class","default-clock-class-id":"c"}'
bad 'a time without a clock' '{"type":"data-stream-class",
    "event-record-header-field-class":{"type":"structure","member-classes":[
    {"name":"t","field-class":{"type":"variable-length-unsigned-integer",
    "roles":["default-clock-timestamp"]}}]}}'
bad "no data stream class 3 before this" \
    '{"type":"event-record-class","data-stream-class-id":3}'
bad "'id' is out of range" '{"type":"data-stream-class","id":-1}'
bad "no 'id'" '{"type":"clock-class","frequency":1}'
bad "no 'frequency'" '{"type":"clock-class","id":"c"}'
bad 'no frequency of a clock' '{"type":"clock-class","id":"c","frequency":0}'
bad 'cycles of a second or more' '{"type":"clock-class","id":"c",
    "frequency":1,"offset-from-origin":{"cycles":1}}'
bad "a second clock 'c'" '{"type":"clock-class","id":"c","frequency":1}' \
    '{"type":"clock-class","id":"c","frequency":1}'
metadata "$stream" "$(event "")" "$(event "")"
refused 'fragment [34]: a second event 0 of one stream'
metadata '{"type":"trace-class"}'
refused 'no data stream class'
for v in '"version":1' '"version":2,"uuid":[1,2]' \
    '"version":2,"extensions":{"x":{"y":1}}' '"x":2'; do
	echo "$rs{\"type\":\"preamble\",$v}" >"$t/metadata"
	echo "$rs$stream" >>"$t/metadata"
	refused 'fragment 1 (byte [0-9]*): '
done
echo "$rs$stream" >"$t/metadata"
refused 'fragment 1 (byte 1): the preamble must come first'

# Aliases.
alias='"type":"field-class-alias"'
bad "no 'field-class'" "{$alias,\"name\":\"a\"}"
bad "no alias 'a' before this" "{$alias,\"name\":\"a\",
    \"field-class\":\"a\"}" "$stream" "$(event "$(member f '"a"')")"
bad "no alias 'b' before this" "{$alias,\"name\":\"a\",\"field-class\":
    {\"type\":\"structure\",\"member-classes\":[$(member b '"b"')]}}" \
    "{$alias,\"name\":\"b\",\"field-class\":\"a\"}" "$stream" \
    "$(event "$(member f '"b"')")"
# Each has the one before ten times.
set -- "{$alias,\"name\":\"a0\",\"field-class\":$u8}"
for i in 1 2 3 4 5 6 7 8; do
	m=$(for k in 0 1 2 3 4 5 6 7 8 9; do
		member m$k "\"a$((i - 1))\""
	done | paste -s -d , -)
	set -- "$@" "{$alias,\"name\":\"a$i\",\"field-class\":
	    {\"type\":\"structure\",\"member-classes\":[$m]}}"
done
bad 'too many fields' "$@" "$stream" "$(event "$(member f '"a8"')")"

# Field classes.
field "no field class 'integer'" '{"type":"integer"}'
field "two fields of one name" "$u8" "$(member f "$u8")"
field "no 'length'" '{"type":"static-length-blob"}'
field 'an object expected' 3
field 'a number has 1 to 64 bits' \
    "$(echo "$u8" | sed 's/"length":8/"length":0/')"
field 'a number has 1 to 64 bits' \
    "$(echo "$u8" | sed 's/"length":8/"length":65/')"
field "'alignment' is no power of 2" \
    "$(echo "$u8" | sed 's/"alignment":8/"alignment":12/')"
field "'alignment' is no power of 2" \
    "$(echo "$u8" | sed 's/"alignment":8/"alignment":0/')"
field "no byte-order 'little'" "$(echo "$u8" | sed 's/little-endian/little/')"
field "no bit-order 'x'" "$(with fixed-length-boolean '"bit-order":"x"')"
for i in 16 128; do
	field "floating-point numbers of $i bits are not read here" \
	    "$(with fixed-length-floating-point-number '"x":0' |
	    sed "s/\"length\":8/\"length\":$i/")"
done
uint=fixed-length-unsigned-integer
field 'no display base' "$(with $uint '"preferred-display-base":7')"
field 'no ranges' "$(with $uint '"mappings":{"a":[]}')"
field 'no range' "$(with $uint '"mappings":{"a":[[1]]}')"
field 'no bound of a range' "$(with $uint '"mappings":{"a":[[-1,1]]}')"
field 'a range ends before it begins' \
    "$(with $uint '"mappings":{"a":[[2,1]]}')"
field 'a flag of no bit' "$(with fixed-length-bit-map '"flags":{"a":[[8,8]]}')"
field "no 'flags'" "$(with fixed-length-bit-map '"x":0')"
field 'no role that may be here' \
    "$(with $uint '"roles":["event-record-class-id"]')"
field "no encoding 'latin'" '{"type":"null-terminated-string","encoding":"latin"}'
field "no 'element-field-class'" '{"type":"static-length-array","length":2}'
bad 'a second alias .x.' \
    "{\"type\":\"field-class-alias\",\"name\":\"x\",\"field-class\":$u8}" \
    "{\"type\":\"field-class-alias\",\"name\":\"x\",\"field-class\":$s8}"
field 'too large an array' "{\"type\":\"static-length-array\",
    \"length\":1000000000000000000,\"element-field-class\":$u8}"
deep=$u8
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do
	deep="{\"type\":\"static-length-array\",\"length\":1,
	    \"element-field-class\":$deep}"
done
field 'too deep, or too many fields' "$deep"

# Field locations.  at KEY PATH [ORIGIN]
at() {
	echo "\"$1\":{\"path\":$2${3:+,\"origin\":\"$3\"}}"
}
blob() {
	echo "{\"type\":\"dynamic-length-blob\",
	    $(at length-field-location "$@")}"
}
field "no 'length-field-location'" '{"type":"dynamic-length-blob"}'
field 'no path of names' "$(blob '[1]')"
field "'length-field-location' finds no number" "$(blob '[]')"
field "'length-field-location' finds no number" "$(blob '["n"]')"
field "'length-field-location' finds no number" "$(blob '["f"]')"
field "'length-field-location' finds no number" "$(blob '[null,"n"]')" \
    "$(member n "$u8")"
field "'length-field-location' finds no number" "$(blob '["n"]' packet-header)"
field "'length-field-location' finds no number" "$(blob '["n"]' elsewhere)"
field "'length-field-location' finds no number" "$(blob '["n","n"]')" \
    "$(member n "$u8")"
field 'a length must be unsigned' "$(blob '["n"]')" "$(member n "$s8")"
bad "'length-field-location' finds no number" \
    "{\"type\":\"data-stream-class\",\"packet-context-field-class\":
    {\"type\":\"structure\",\"member-classes\":[
    $(member f "$(blob '["n"]' event-record-header)")]}}"
optional() {
	echo "{\"type\":\"optional\",$(at selector-field-location '["n"]')
	    ${1:-},\"field-class\":$u8}"
}
option() {
	echo "{\"selector-field-ranges\":[[$1,$2]],\"field-class\":$u8}"
}
variant() {
	echo "{\"type\":\"variant\",$(at selector-field-location '["n"]'),
	    \"options\":[${1:-}]}"
}
field 'a boolean selector has no ranges, and any other has some' \
    "$(optional)" "$(member n "$u8")"
field 'a boolean selector has no ranges, and any other has some' \
    "$(variant "$(option 0 1)")" "$(member n "$(with fixed-length-boolean \
    '"alignment":8')")"
field 'no bound of a range' "$(variant "$(option -1 1)")" "$(member n "$u8")"
field 'no options, or too many ranges' "$(variant)" "$(member n "$u8")"
field 'a range ends before it begins' "$(variant "$(option 1 -1)")" \
    "$(member n "$s8")"

# As far as it was written: no more than a line, of a packet that is too short
# or of classes that are not there yet.
metadata '{"type":"trace-class","environment":{"a":"\u00e9\ud83d\ude00"}}' \
    "{$alias,\"name\":\"b\",\"field-class\":$u8}" "$stream" \
    "$(event "$(member f '"b"')")"
utctl view "$t" >"$T/out" 2>"$T/err" || fail "whole: $(cat "$T/err")"
[ "$(grep -c ' e { f = [1-8] }$' "$T/out")" -eq 8 ] || fail "$(cat "$T/out")"
cp "$t/metadata" "$T/whole"
size=$(wc -c <"$T/whole")
i=1
while [ $i -lt $size ]; do
	dd if="$T/whole" of="$t/metadata" bs=$i count=1 2>/dev/null
	utctl view "$t" >"$T/out" 2>"$T/err"
	case $? in
	0)	[ ! -s "$T/err" ] ;;
	1)	[ "$(wc -l <"$T/err")" -eq 1 ] &&
		    ! grep -q 'fragment [0-9]* (byte' "$T/err" ;;
	*)	false ;;
	esac || fail "$i bytes: $(cat "$T/err")"
	i=$((i + 3))
done
echo "$n wrong, and cut everywhere"

# An alias that is kept takes not much more memory than its text.
not_sanitized
awk -v class="$(echo $u8)" 'BEGIN {
	printf "\036{\"type\":\"preamble\",\"version\":2}\n"
	for (i = 0; i < 10000; i++)
		printf "\036{\"type\":\"field-class-alias\",\"name\":" \
		    "\"%d\",\"field-class\":%s}\n", i, class
	print "\036{\"type\":\"data-stream-class\"}"
}' >"$t/metadata"
event "$(member f '"9999"')" | { printf '\036'; cat; } >>"$t/metadata"
(ulimit -v 100000 && exec utctl view "$t") >"$T/out" 2>"$T/err" ||
    fail "aliases: $(cat "$T/err")"
[ "$(grep -c ' e { f = [1-8] }$' "$T/out")" -eq 8 ] || fail "$(cat "$T/out")"
