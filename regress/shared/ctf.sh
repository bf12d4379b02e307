# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces of others, written by hand.

T_CTF=$T/t
mkdir "$T_CTF" || exit 1

# trace ORDER FIELDS: metadata with one event, e:v, and nothing in front of it.
# $meta_trace, $meta_stream and $meta_event are in these blocks, too, $meta_more
# is in front of the stream's, and $meta_after behind all.
trace() {
	cat >"$T_CTF/metadata" <<-END
	/* CTF 1.8 */
	trace { major = 1; minor = 8; byte_order = $1; ${meta_trace-} };
	${meta_more-}
	stream { ${meta_stream-} };
	event { name = "e:v"; ${meta_event-} fields := struct { $2 }; };
	${meta_after-}
	END
}

# int BITS [ALIGN] [more]: an integer, aligned to a bit unless that is said.
int() {
	echo "integer { size = $1; align = ${2:-1}; ${3-} }"
}

# bits ORDER: the stream, from the script on stdin; see prog/bits.c.
bits() {
	./prog/bits "$1" >"$T_CTF/stream" || fail "bits"
}

# from_view, from_bt2: only the names and fields of events, as view prints them.
from_view() {
	sed -e 's/^[^ ]* [^ ]* \(.*:[^ ]* {\)/\1/' -e 's/^[^ ]*\[[0-9:]*\] //'
}

from_bt2() {
	sed -e 's/^\[[^]]*\] ([^)]*) \([^ ]* \)\{0,1\}\(e:\)/\2/' \
	    -e 's/^\(e:[a-z0-9]*\): /\1 /' -e 's/_[a-z0-9]*_length = [0-9]*, //g' \
	    -e 's/\[[0-9]*\] = //g' -e 's/\[ /[/g' -e 's/ \]/]/g' \
	    -e 's/( "\([^"]*\)"[^)]* : container = [-0-9a-fA-Fx]* )/\1/g' \
	    -e 's/( <unknown> : container = \([-0-9a-fA-Fx]*\) )/\1/g' \
	    -e :a -e 's/{ \([^{}=]*[^{}= ]\) }/\1/' -e ta \
	    -e :b -e 's/{ \({[^{}]*}\) }/\1/' -e tb \
	    -e 's/0X/0x/g' |
	    awk '{ while (match($0, /0x[0-9A-F]+/)) {
		printf "%s%s", substr($0, 1, RSTART - 1),
		    tolower(substr($0, RSTART, RLENGTH))
		$0 = substr($0, RSTART + RLENGTH) } print }'
}

# says WHAT: view prints the events on stdin, as does babeltrace2, if there is
# one and $bt2 is not no, but for the contexts of packets in front.
says() {
	cat >"$T/want"
	utctl view "$T_CTF" >"$T/out" 2>"$T/err" ||
	    fail "$1: status $?: $(cat "$T/err")"
	from_view <"$T/out" >"$T/got"
	expected "$1" <"$T/want"
	[ "${bt2-}" != no ] && command -v babeltrace2 >/dev/null 2>&1 ||
	    return 0
	babeltrace2 "$T_CTF" >"$T/bt2.out" 2>"$T/bt2.err" ||
	    fail "$1: babeltrace2: $(head -5 "$T/bt2.err")"
	from_bt2 <"$T/bt2.out" | awk '
	NR == FNR { want[++n] = $0; next }
	{
		rest = want[++m]
		sub(/^[^ ]* /, "", rest)
		at = length($0) - length(rest) + 1
		if (at < 1 || substr($0, at) != rest) {
			print "not as babeltrace2 has it: " $0
			exit 1
		}
	}
	END { if (m != n) exit 1 }' "$T/want" - >"$T/diff" ||
	    fail "$1: $(cat "$T/diff" "$T/want")"
}

# Of CTF 2: a fixed-length field class of that many bits, in $order, with more
# attributes; a member of a structure; and a structure, aligned to so many bits.
fixed() {
	echo "{\"type\":\"fixed-length-$1\",\"length\":$2,
	    \"byte-order\":\"$order-endian\"${3:+,$3}}"
}
member() {
	echo "{\"name\":\"$1\",\"field-class\":$2}"
}
structure() {
	align=$1
	shift
	echo "{\"type\":\"structure\",\"minimum-alignment\":$align,
	    \"member-classes\":[$(members "$@")]}"
}
# members NAME CLASS ...: as JSON has them.
members() {
	comma=
	while [ $# -ge 2 ]; do
		printf '%s' "$comma$(member "$1" "$2")"
		comma=,
		shift 2
	done
}

u8='{"type":"fixed-length-unsigned-integer","length":8,"alignment":8,
    "byte-order":"little-endian"}'

# trace2 MEMBERS [FRAGMENT...]: metadata of CTF 2, with one event, e:v, behind
# these fragments or, if there are none, behind a data stream class.
trace2() {
	payload=$1
	shift
	[ $# -gt 0 ] || set -- '{"type":"data-stream-class"}'
	for f in '{"type":"preamble","version":2}' "$@" \
	    "{\"type\":\"event-record-class\",\"name\":\"e:v\",
	    \"payload-field-class\":{\"type\":\"structure\",
	    \"member-classes\":[$payload]}}"; do
		printf '\036%s\n' "$f"
	done >"$T_CTF/metadata"
}

# variant2 SELECTOR: 0 and 5 to 9 have a byte, 1 and 2 a pair, 10 to 255 text.
variant2() {
	echo "{\"type\":\"variant\",\"selector-field-location\":$1,\"options\":[
	    {\"field-class\":$u8,\"selector-field-ranges\":[[0,0],[5,9]]},
	    {\"name\":\"text\",\"selector-field-ranges\":[[10,255]],
	    \"field-class\":{\"type\":\"null-terminated-string\"}},
	    {\"selector-field-ranges\":[[1,2]],\"field-class\":
	    $(structure 8 x "$u8" y "$u8")}]}"
}

# warns N PATTERN: so many lines on stderr of the last says, like that.
warns() {
	[ "$(grep -c "$2" "$T/err")" -eq "$1" ] &&
	    [ "$(wc -l <"$T/err")" -eq "$1" ] ||
	    fail "not $1 warnings '$2': $(cat "$T/err")"
}
