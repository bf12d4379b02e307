# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces of CTF 2, written by hand: each field class.  ctf2roles has the rest,
# and ctf2bad what there may not be.

. ./common.sh
. ./shared/ctf.sh

# babeltrace2 reads CTF 2 since 2.1, and prints some of it in another way.
bt2=no
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
	utctl view -j "$T_CTF" | sed 's/.*"fields"://' >"$T/got"
	expected "$order JSON" <<-END
	{"a":5,"b":true,"c":21,"d":-3,"e":false,"f":2748,\
"g":"18446744073709551615","h":"-9007199254740993","i":0.5,\
"j":-2.25,"k":5,"l":8}}
	END
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
optional() {
	echo "{\"type\":\"optional\",\"selector-field-location\":$1,
	    \"field-class\":$2${3:+,\"selector-field-ranges\":$3}}"
}
for order in little big; do
	o=le
	[ $order = little ] || o=be
	s8=$(fixed signed-integer 8)
	trace2 "$(members flag "$(fixed boolean 8)" kind "$u8" sign "$s8" \
	    in "$(structure 8 kind "$uleb" v "$(variant2 '{"path":["kind"]}')" \
		w "$(variant2 '{"path":[null,"kind"]}')")" \
	    a "$(optional '{"path":["flag"]}' "$u8")" \
	    b "$(optional '{"path":["kind"]}' "$uleb" '[[3,5],[7,7]]')" \
	    c "$(optional '{"path":["sign"]}' "$u8" '[[-4,-2]]')" \
	    d "$(variant2 '{"path":["in","kind"]}')" \
	    e "$(variant2 '{"origin":"event-record-payload","path":["kind"]}')" \
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
