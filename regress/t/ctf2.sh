# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces of CTF 2, written by hand: each field class, roles, clocks, and what
# else the metadata may say.  ctf2bad has what they may not.

. ./common.sh
. ./shared/ctf.sh

# babeltrace2 reads CTF 2 since version 2.1, and prints some of it in other ways.
bt2=no
u8='{"type":"fixed-length-unsigned-integer","length":8,"alignment":8,
    "byte-order":"little-endian"}'
uleb='{"type":"variable-length-unsigned-integer"}'

# Of a fixed length, at any bit, in both byte orders and the other bit order.
for order in little big; do
	o=le
	[ $order = little ] || o=be
	trace2 "$(members a "$(fixed bit-array 3)" \
	    b "$(fixed boolean 1)" c "$(fixed unsigned-integer 5)" \
	    d "$(fixed signed-integer 7)" e "$(fixed boolean 3)" \
	    f "$(fixed unsigned-integer 13 '"preferred-display-base":16')" \
	    g "$(fixed unsigned-integer 64 '"preferred-display-base":10')" \
	    h "$(fixed signed-integer 64)" \
	    i "$(fixed floating-point-number 32)" \
	    j "$(fixed floating-point-number 64 '"alignment":16')" \
	    k "$(fixed unsigned-integer 9 '"preferred-display-base":2')" \
	    l "$(fixed unsigned-integer 7 '"preferred-display-base":8')")"
	bits $o <<-END
	3 5
	1 1
	5 21
	7 -3
	3 0
	13 0xabc
	64 -1
	64 -9007199254740993
	f 0.5
	align 16
	d -2.25
	9 5
	7 8
	END
	says "$order fixed" <<-END
	e:v { a = 0x5, b = true, c = 21, d = -3, e = false, f = 0xabc, \
g = 18446744073709551615, h = -9007199254740993, i = 0.5, j = -2.25, \
k = 0b101, l = 010 }
	END
	got=$(utctl view -j "$T_CTF" | sed 's/.*"fields"://')
	[ "$got" = '{"a":5,"b":true,"c":21,"d":-3,"e":false,"f":2748,'"\
\"g\":\"18446744073709551615\",\"h\":\"-9007199254740993\",\"i\":0.5,"'"j":-2.25,"k":5,"l":8}}' ] ||
	    fail "$order JSON: $got"
	# The bits of each byte, the other way round.
	turned=last-to-first
	[ $order = little ] || turned=first-to-last
	b='"alignment":8,"bit-order":"'$turned\"
	trace2 "$(members a "$(fixed unsigned-integer 8 "$b")" \
	    b "$(fixed unsigned-integer 16 "$b")" \
	    c "$(fixed signed-integer 4 "$b")" \
	    d "$(fixed unsigned-integer 4 '"bit-order":"'$turned\")" \
	    e "$(fixed unsigned-integer 24 "$b")")"
	printf '\001\200\100\021\001\002\003' >"$T_CTF/stream"
	b=258 e=8405184
	[ $order = little ] || b=513 e=12599424
	says "$order $turned" <<-END
	e:v { a = 128, b = $b, c = -8, d = 8, e = $e }
	END
done

# Labels, and flags of which some overlap.
for order in little big; do
	o=le
	[ $order = little ] || o=be
	map='"mappings":{"LOW":[[0,3]],"two words":[[4,4],[7,7]],"HIGH":[[6,40]]}'
	sign='"mappings":{"NEG":[[-128,-1]],"ZERO":[[0,0]]}'
	trace2 "$(members a "$(fixed unsigned-integer 8 "$map")" \
	    b "$(fixed signed-integer 8 "$sign")" \
	    c "$(fixed bit-map 8 '"flags":{"A":[[0,0]],"B":[[2,4]],"C":[[4,7]]}')" \
	    d "{\"type\":\"variable-length-unsigned-integer\",$map}" \
	    e "{\"type\":\"variable-length-signed-integer\",$sign}")"
	bits $o <<-END
	8 2
	8 -5
	8 1
	leb 40
	sleb -100
	8 7
	8 0
	8 16
	leb 5
	sleb 1
	8 5
	8 3
	8 2
	leb 300
	sleb 0
	END
	says "$order labels" <<-END
	e:v { a = LOW, b = NEG, c = A, d = HIGH, e = NEG }
	e:v { a = "two words", b = ZERO, c = B|C, d = 5, e = 1 }
	e:v { a = 5, b = 3, c = 0x2, d = 300, e = ZERO }
	END
	got=$(utctl view -j "$T_CTF" | sed -n 's/.*"c":\(.*\),"d".*/\1/p' |
	    tr '\n' ' ')
	[ "$got" = '{"value":1,"labels":["A"]} {"value":16,"labels":["B","C"]} '"\
{\"value\":2,\"labels\":[]} " ] || fail "$order flags: $got"
done

# Of a variable length: all sizes, and at the limits.
order=little
sleb='{"type":"variable-length-signed-integer","preferred-display-base":10}'
trace2 "$(members a "$uleb" b "$sleb" c "$uleb" d "$sleb" e "$uleb" f "$sleb" \
    g "$uleb" h "$sleb" i "$uleb" j "$sleb" k "$sleb")"
bits le <<-END
leb 0
sleb 0
leb 127
sleb 63
leb 128
sleb -64
leb 16384
sleb -65
leb 18446744073709551615
sleb 9223372036854775807
sleb -9223372036854775808
END
says 'LEB128' <<-END
e:v { a = 0, b = 0, c = 127, d = 63, e = 128, f = -64, g = 16384, h = -65, \
i = 18446744073709551615, j = 9223372036854775807, \
k = -9223372036854775808 }
END
# With more bytes than it needs.
trace2 "$(members a "$uleb" b "$sleb")"
printf '\205\200\200\0\373\377\177' >"$T_CTF/stream"
says 'long LEB128' <<-END
e:v { a = 5, b = -5 }
END

# Text: three kinds in five encodings.  The end of each may have a NUL.
at=$(members n "$u8")
loc='"length-field-location":{"path":["n"]}'
for enc in utf-8 utf-16be utf-16le utf-32be utf-32le; do
	trace2 "$at,$(members a "{\"type\":\"null-terminated-string\",
	    \"encoding\":\"$enc\"}" \
	    b "{\"type\":\"static-length-string\",\"length\":12,
	    \"encoding\":\"$enc\"}" \
	    c "{\"type\":\"dynamic-length-string\",$loc,
	    \"encoding\":\"$enc\"}" d "$u8")"
	case $enc in
	utf-8)	o=le size=8
		text='8=0x68 8=0xc3 8=0xa9 8=0xf0 8=0x9f 8=0x98 8=0x80' ;;
	utf-16*) size=16 text='16=0x68 16=0xe9 16=0xd83d 16=0xde00' ;;
	utf-32*) size=32 text='32=0x68 32=0xe9 32=0x1f600' ;;
	esac
	case $enc in
	*le)	o=le ;;
	*be)	o=be ;;
	esac
	n=0
	for w in $text; do
		n=$((n + size / 8))
	done
	{
		echo "8=$n"
		printf '%s\n' $text $size=0 $text
		i=$n
		while [ $i -lt 12 ]; do
			echo 8=0
			i=$((i + 1))
		done
		printf '%s\n' $text 8=7
	} | tr = ' ' | bits $o
	e=$(printf 'h\303\251\360\237\230\200')
	says "$enc" <<-END
	e:v { n = $n, a = "$e", b = "$e", c = "$e", d = 7 }
	END
done

# Bytes, arrays, and structures, some of them aligned.
for order in little big; do
	o=le
	[ $order = little ] || o=be
	u3=$(fixed unsigned-integer 3)
	u16=$(fixed unsigned-integer 16 '"alignment":16')
	trace2 "$(members n "$(fixed unsigned-integer 4)" \
	    a '{"type":"static-length-blob","length":3}' \
	    b "{\"type\":\"dynamic-length-blob\",$loc,\"media-type\":\"x/y\"}" \
	    c "{\"type\":\"static-length-array\",\"length\":3,
	    \"element-field-class\":$u3}" \
	    d "{\"type\":\"dynamic-length-array\",$loc,
	    \"element-field-class\":$u16}" \
	    e "{\"type\":\"static-length-array\",\"length\":2,
	    \"minimum-alignment\":32,\"element-field-class\":$u3}" \
	    f "$(structure 8 x "$u3" y "$(structure 1 z "$u3")")" \
	    g "{\"type\":\"static-length-array\",\"length\":0,
	    \"minimum-alignment\":64,\"element-field-class\":$u3}" \
	    h '{"type":"structure"}' i "$u8")"
	bits $o <<-END
	4 2
	align 8
	8 0x41
	8 2
	8 255
	8 1
	8 0x62
	3 1
	3 2
	3 7
	align 16
	16 1000
	16 2000
	align 32
	3 5
	3 6
	align 8
	3 3
	3 4
	align 64
	8 9
	END
	says "$order arrays" <<-END
	e:v { n = 2, a = 41 02 ff |A..|, b = 01 62 |.b|, c = [1, 2, 7], \
d = [1000, 2000], e = [5, 6], f = { x = 3, y = { z = 4 } }, g = [], h = { }, \
i = 9 }
	END
done

# Options and variants: by booleans, numbers and signed numbers, whose locations
# are relative or from the root; one of them is in a structure before.
variant() {
	echo "{\"type\":\"variant\",\"selector-field-location\":$1,\"options\":[
	    {\"field-class\":$u8,\"selector-field-ranges\":[[0,0],[5,9]]},
	    {\"name\":\"text\",\"selector-field-ranges\":[[10,255]],
	    \"field-class\":{\"type\":\"null-terminated-string\"}},
	    {\"selector-field-ranges\":[[1,2]],\"field-class\":
	    $(structure 8 x "$u8" y "$u8")}]}"
}
optional() {
	echo "{\"type\":\"optional\",\"selector-field-location\":$1,
	    \"field-class\":$2${3:+,\"selector-field-ranges\":$3}}"
}
for order in little big; do
	o=le
	[ $order = little ] || o=be
	s8=$(fixed signed-integer 8)
	trace2 "$(members flag "$(fixed boolean 8)" kind "$u8" sign "$s8" \
	    in "$(structure 8 kind "$uleb" v "$(variant '{"path":["kind"]}')" \
		w "$(variant '{"path":[null,"kind"]}')")" \
	    a "$(optional '{"path":["flag"]}' "$u8")" \
	    b "$(optional '{"path":["kind"]}' "$uleb" '[[3,5],[7,7]]')" \
	    c "$(optional '{"path":["sign"]}' "$u8" '[[-4,-2]]')" \
	    d "$(variant '{"path":["in","kind"]}')" \
	    e "$(variant '{"origin":"event-record-payload","path":["kind"]}')" \
	    end "$u8")"
	bits $o <<-END
	8 1
	8 5
	8 -3
	leb 10
	s text
	8 2
	8 3
	leb 400
	8 5
	s in
	8 6
	8 100
	8 0
	8 1
	8 0
	leb 0
	8 7
	8 3
	8 4
	8 9
	8 1
	8 2
	8 101
	END
	says "$order options" <<-END
	e:v { flag = true, kind = 5, sign = -3, in = { kind = 10, \
v = "text", w = 2 }, a = 3, b = 400, c = 5, d = "in", e = 6, end = 100 }
	e:v { flag = false, kind = 1, sign = 0, in = { kind = 0, v = 7, \
w = { x = 3, y = 4 } }, a = none, b = none, c = none, d = 9, \
e = { x = 1, y = 2 }, end = 101 }
	END
done

# Roles, of members with any name and depth; selectors in other scopes; clocks;
# losses.
uuid='[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]'
role() {
	echo "$(fixed unsigned-integer "$1" "\"alignment\":8,\"roles\":[\"$2\"]")"
}
for order in little big; do
	o=le
	[ $order = little ] || o=be
	trace2 "$(members x "$u8" \
	    v "$(variant '{"origin":"packet-header","path":["h","kind"]}')" \
	    w "{\"type\":\"dynamic-length-array\",\"element-field-class\":$u8,
	    \"length-field-location\":{\"origin\":
	    \"event-record-common-context\",\"path\":[\"cn\"]}}")" \
	    "{\"type\":\"trace-class\",\"namespace\":\"org.example\",
	    \"name\":\"t\",\"uid\":\"x-1\",\"environment\":{\"hostname\":
	    \"here\",\"number\":-5},\"packet-header-field-class\":$(structure \
		8 p "$(role 32 packet-magic-number)" \
		q '{"type":"static-length-blob","length":16,
		"roles":["metadata-stream-uuid"]}' \
		h "$(structure 8 kind "$u8" \
		    class "$(role 8 data-stream-class-id)")" \
		s "$(role 16 data-stream-id)")}" \
	    '{"type":"clock-class","id":"c","namespace":"n","name":"my clock",
	    "uid":"u","frequency":1000,"offset-from-origin":{"seconds":-3,
	    "cycles":500},"origin":"unix-epoch","precision":5,"accuracy":9}' \
	    '{"type":"clock-class","id":"other","frequency":1000000000,
	    "origin":{"name":"power on","uid":"z"}}' \
	    "{\"type\":\"data-stream-class\",\"id\":7,
	    \"default-clock-class-id\":\"c\",
	    \"packet-context-field-class\":$(structure 8 \
		a "$(role 32 packet-content-length)" \
		b "$(role 16 packet-total-length)" \
		c "$(role 32 default-clock-timestamp)" \
		d "$(role 64 packet-end-default-clock-timestamp)" \
		e "$(role 16 discarded-event-record-counter-snapshot)" \
		f "$(role 8 packet-sequence-number)"),
	    \"event-record-header-field-class\":$(structure 8 \
		g "$(structure 8 h "$(role 8 event-record-class-id)")" \
		i "$(role 8 default-clock-timestamp)"),
	    \"event-record-common-context-field-class\":$(structure 8 \
		cn "$u8" vpid "$u8")}" \
	    "{\"type\":\"event-record-class\",\"data-stream-class-id\":7,
	    \"id\":3,\"name\":\"e:w\",\"namespace\":\"m\",
	    \"specific-context-field-class\":$(structure 8 t "$u8"),
	    \"attributes\":{\"lttng.org,2009\":{\"log-level\":4},\"z\":[1,{}]}}"
	# The one that trace2 writes has neither.
	sed 's/"name":"e:v",/&"data-stream-class-id":7,/' "$T_CTF/metadata" \
	    >"$T/m"
	mv "$T/m" "$T_CTF/metadata"
	sed 's/"version":2/&,"uuid":'"$uuid/" "$T_CTF/metadata" >"$T/m"
	mv "$T/m" "$T_CTF/metadata"
	packet() {
		echo "32 0xc1fc1fc1"
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
			echo "8 $i"
		done
		printf '%s\n' "8 $1" '8 7' '16 44' 'content 32' 'size 16' \
		    "32 $2" "64 $3" "16 $4" "8 $5"
	}
	{
		packet 0 1000 1700 5 0
		printf '%s\n' '8 0' '8 250' '8 2' '8 99' '8 1' '8 77' '8 3' \
		    '8 4'
		# The time of 8 bits goes round.
		printf '%s\n' '8 3' '8 10' '8 0' '8 98' '8 66' 'end 100'
		packet 1 2000 2100 8 1
		printf '%s\n' '8 0' '8 208' '8 0' '8 1' '8 55' '8 1' '8 2' end
		packet 10 3000 3000 8 4
		printf '%s\n' '8 0' '8 184' '8 0' '8 1' '8 33' 's hi' end
	} | bits $o
	cat >"$T/want" <<-END
	e:v { cn = 2 }, { x = 1, v = 77, w = [3, 4] }
	e:w { cn = 0 }, { t = 66 }, { }
	e:v { cn = 0 }, { x = 55, v = { x = 1, y = 2 }, w = [] }
	e:v { cn = 0 }, { x = 33, v = "hi", w = [] }
	END
	utctl view "$T_CTF" >"$T/out" 2>"$T/err" ||
	    fail "$order roles: $(cat "$T/err")"
	from_view <"$T/out" >"$T/got"
	expected "$order roles" <"$T/want"
	utctl view -jq "$T_CTF" >"$T/got"
	expected "$order losses" <<-END
	{"events":4,"discarded":3,"lost_packets":2}
	END
	[ "$(utctl view -j "$T_CTF" | pick ns | tr '\n' ' ')" = \
	    '-1482000000 -1466000000 -500000000 500000000 ' ] ||
	    fail "$order roles: times $(utctl view -j "$T_CTF" | pick ns)"
	[ "$(utctl view -j -e e:w "$T_CTF" | pick level)" = 4 ] ||
	    fail "$order: no level"
	[ "$(utctl view -p 99 "$T_CTF" | from_view)" = "$(head -1 "$T/want")" ] ||
	    fail "$order: -p 99"
done

# An alias, and one of it.
order=little
trace2 "$(members a '"byte"' b '"pair"' c '"byte"')" \
    "{\"type\":\"field-class-alias\",\"name\":\"byte\",\"field-class\":$u8}" \
    "{\"type\":\"field-class-alias\",\"name\":\"pair\",\"field-class\":
    $(structure 8 x '"byte"' n '"byte"' y "{\"type\":\"dynamic-length-array\",
    \"element-field-class\":\"byte\",$loc}")}" '{"type":"data-stream-class"}'
printf '\1\2\2\3\4\5' >"$T_CTF/stream"
says alias <<-END
e:v { a = 1, b = { x = 2, n = 2, y = [3, 4] }, c = 5 }
END

# Names keep their underscores; white space, escapes, and what is not known.
trace2 "$(members _a "$u8" __b "$u8" 'c \\u0041' "$u8")" \
    '{ "type" : "trace-class",
	"attributes" : { "x" : [ null, true, -1.5e3, "\n" ] },
	"new-in-some-version" : 5 }' '{"type":"data-stream-class"}'
printf '\1\2\3' >"$T_CTF/stream"
says names <<-END
e:v { _a = 1, __b = 2, c A = 3 }
END
