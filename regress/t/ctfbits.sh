# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces of others: integers of any size at any bit, in both byte orders, arrays
# of them, what is aligned to bits, and packets that end inside a byte.

. ./common.sh
. ./shared/ctf.sh

# Each size at each bit of a byte: so many bits, the number, four more bits.
sizes() {
	awk -v from="$1" -v to="$2" -v dir="$T/" 'BEGIN {
	digits = "9f3c07d5e8a1b246"
	split("1 3 7 f", mask, " ")
	for (n = from; n <= to; n++)
	for (at = 0; at < 8; at++) {
		hex = substr(digits, 1 + (n + at) % 16) digits
		hex = substr(hex, 1, int((n + 3) / 4))
		# The first digit has the bits that are left.
		top = n % 4 == 0 ? 4 : n % 4
		d = index("0123456789abcdef", substr(hex, 1, 1)) - 1
		d %= 2 ^ top
		hex = substr("0123456789abcdef", d + 1, 1) substr(hex, 2)
		value = hex
		sub(/^0+/, "", value)
		if (value == "")
			value = "0"
		name = n "_" at
		if (at > 0) {
			fields = fields "integer { size = " at "; align = 1; " \
			    "base = 16; } before_" name "; "
			want = want ", before_" name " = 0x1"
			script = script at " 1\n"
		}
		fields = fields "integer { size = " n "; align = 1; " \
		    "base = 16; } is_" name "; " \
		    "integer { size = 4; align = 1; base = 16; } " \
		    "after_" name "; "
		want = want ", is_" name " = 0x" value \
		    ", after_" name " = 0xa"
		script = script n " 0x" hex "\n4 10\nalign 8\n"
		fields = fields "struct { } align(8) e_" name "; "
		want = want ", e_" name " = { }"
	}
	print fields >(dir "fields")
	print "e:v { " substr(want, 3) " }" >(dir "line")
	printf "%s", script >(dir "script")
	}'
}

for order in le be; do
	for from in 1 9 17 25 33 41 49 57 61; do
		# The text of babeltrace2 has 0x0 for more than 60 bits.
		bt2=
		[ $from -lt 61 ] || bt2=no
		sizes $from $((from + (from < 57 ? 7 : 3)))
		trace $order "$(cat "$T/fields")"
		bits $order <"$T/script"
		says "$order from $from bits" <"$T/line"
	done
done
bt2=

# Numbers with a sign: the least, -1, and the largest.
for order in le be; do
	trace $order "$(int 3) lead; $(int 1 1 'signed = true;') a;
	    $(int 5 1 'signed = true;') b; $(int 5 1 'signed = true;') c;
	    $(int 13 1 'signed = true;') d; $(int 33 1 'signed = true;') e;
	    $(int 63 1 'signed = true;') f; $(int 64 1 'signed = true;') g;
	    $(int 64 1 'signed = true;') h; $(int 64) i; $(int 5) z;"
	bits $order <<-END
	3 5
	1 -1
	5 -16
	5 15
	13 -1
	33 -4294967296
	63 4611686018427387903
	64 -9223372036854775808
	64 -2
	64 0xfffffffffffffffe
	5 0
	END
	says "$order signed" <<-END
	e:v { lead = 5, a = -1, b = -16, c = 15, d = -1, e = -4294967296, \
f = 4611686018427387903, g = -9223372036854775808, h = -2, \
i = 18446744073709551614, z = 0 }
	END
done

# Numbers of the other byte order, which begin at a byte then.
for order in le be; do
	other=be
	[ $order = le ] || other=le
	trace $order "$(int 8) a; $(int 16 8 "byte_order = $other;") b;
	    $(int 24 8 "byte_order = $other;") c; $(int 4) d; $(int 12) e;
	    $(int 40 8 "byte_order = $order;") f;"
	bits $order <<-END
	8 1
	$other
	16 0x1234
	24 0x56789a
	$order
	4 7
	12 0xabc
	40 0x123456789a
	END
	says "$order and $other" <<-END
	e:v { a = 1, b = 4660, c = 5666970, d = 7, e = 2748, f = 78187493530 }
	END
done

# Arrays and sequences of bits, and of structs, from inside a byte on.
for order in le be; do
	trace $order "$(int 3) n; $(int 3) a[5]; $(int 1) b[n];
	    $(int 12 4) c[2]; struct { $(int 3) x; $(int 7) y; } d[n];
	    $(int 5) e[2][3]; $(int 2) after; $(int 8 8) end;"
	bits $order <<-END
	3 5
	3 1
	3 2
	3 3
	3 4
	3 5
	1 1
	1 0
	1 1
	1 1
	1 0
	align 4
	12 0xabc
	12 0x123
	3 1
	7 100
	3 2
	7 101
	3 3
	7 102
	3 4
	7 103
	3 5
	7 127
	5 1
	5 2
	5 3
	5 4
	5 5
	5 31
	2 2
	align 8
	8 200
	END
	says "$order arrays" <<-END
	e:v { n = 5, a = [1, 2, 3, 4, 5], b = [1, 0, 1, 1, 0], \
c = [2748, 291], d = [{ x = 1, y = 100 }, { x = 2, y = 101 }, \
{ x = 3, y = 102 }, { x = 4, y = 103 }, { x = 5, y = 127 }], \
e = [[1, 2, 3], [4, 5, 31]], after = 2, end = 200 }
	END
done

# Text, floats and enums behind some bits, and text of numbers.
for order in le be; do
	trace $order "$(int 3) a; string s; $(int 1) b;
	    floating_point { exp_dig = 8; mant_dig = 24; align = 1; } f;
	    floating_point { exp_dig = 11; mant_dig = 53; align = 1; } d;
	    enum : $(int 5) { ONE = 1, SOME = 2 ... 9, LAST = 31 } e[4];
	    enum : $(int 3 1 'signed = true;') { LOW = -4, ZERO = 0 } g[2];
	    $(int 8 8 'encoding = UTF8;') t[4];"
	bits $order <<-END
	3 6
	align 8
	s some text
	1 1
	f 1.5
	d -0.25
	5 1
	5 5
	5 31
	5 10
	3 -4
	3 0
	align 8
	8 0x61
	8 0x62
	8 0
	8 0x63
	END
	says "$order text and reals" <<-END
	e:v { a = 6, s = "some text", b = 1, f = 1.5, d = -0.25, \
e = [ONE, SOME, LAST, 10], g = [LOW, ZERO], t = "ab" }
	END
done

# Alignment to some bits in front of what is empty.  babeltrace2 2.0 says the
# same.
after() {
	trace $order "$(int 3) n; $2 $(int 5) after;
	    $(int 8 64) end;"
	bits $order <<-END
	3 0
	align $1
	5 21
	align 64
	8 0
	END
	says "$order: $2" <<-END
	e:v { n = 0, $3after = 21, end = 0 }
	END
}
for order in le be; do
	after 1 "$(int 3) a[0];" 'a = [], '
	after 4 "$(int 3 4) a[0];" 'a = [], '
	after 4 "$(int 3 4) a[n];" 'a = [], '
	after 16 "$(int 3 16) a[n];" 'a = [], '
	after 8 'string a[n];' 'a = [], '
	after 32 "struct { $(int 1 32) x; } a[n];" 'a = [], '
	after 2 "struct { $(int 1 2) x[0]; } a;" 'a = { x = [] }, '
	after 1 'struct { } a;' 'a = { }, '
	after 64 'struct { } align(64) a;' 'a = { }, '
done

# Packets whose content ends inside a byte, with headers of some bits, and whose
# sizes are inside bytes, too.
meta_trace="packet.header := struct { $(int 32 8) magic; $(int 3) stream_id; };"
meta_stream="id = 5; packet.context := struct { $(int 13) content_size;
    $(int 21) packet_size; $(int 7) mine; };
    event.header := struct { $(int 2) id; };"
meta_event='id = 1; stream_id = 5;'
for order in le be; do
	meta_after="event { name = \"e:w\"; id = 2; stream_id = 5;
	    fields := struct { $(int 1) x; }; };"
	trace $order "$(int 7) a; $(int 4) b;"
	bits $order <<-END
	32 0xc1fc1fc1
	3 5
	content 13
	size 21
	7 99
	2 1
	7 100
	4 3
	2 2
	1 1
	2 2
	1 0
	2 1
	7 1
	4 15
	end 32
	32 0xc1fc1fc1
	3 5
	content 13
	size 21
	7 9
	end 20
	32 0xc1fc1fc1
	3 5
	content 13
	size 21
	7 1
	2 2
	1 1
	end
	END
	says "$order packets" <<-END
	e:v { a = 100, b = 3 }
	e:w { x = 1 }
	e:w { x = 0 }
	e:v { a = 1, b = 15 }
	e:w { x = 1 }
	END
	[ "$(utctl view -jq "$T_CTF" | pick events)" = 5 ] ||
	    fail "$order packets: $(utctl view -jq "$T_CTF")"
	[ "$(utctl view -f 'b == 15' "$T_CTF" | from_view)" = \
	    'e:v { a = 1, b = 15 }' ] || fail "$order packets: -f"
done

# Events of four bits, two in a byte.
cat >"$T_CTF/metadata" <<END
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; };
stream { event.header := struct { $(int 1) id; }; };
event { name = "a:x"; id = 0; fields := struct { $(int 3) n; }; };
event { name = "b:y"; id = 1; fields := struct { $(int 3) n; }; };
END
awk 'BEGIN { for (i = 0; i < 200; i++) print "1 " i % 2 "\n3 " i % 8 }' | bits le
[ "$(utctl stat -j "$T_CTF" | grep -o '"events":[0-9]*,"bytes":[0-9]*' |
    tr '\n' ' ')" = '"events":100,"bytes":50 "events":100,"bytes":50 ' ] &&
    utctl stat -j "$T_CTF" | grep -q '^{"events":200,.*,"bytes":100,' ||
    fail "bytes: $(utctl stat -j "$T_CTF")"
utctl report "$T_CTF" >"$T/page.html" 2>"$T/err" &&
    [ "$(grep -o '"events":[0-9]*,"bytes":[0-9]*' "$T/page.html" |
    tr '\n' ' ')" = '"events":100,"bytes":50 "events":100,"bytes":50 ' ] ||
    fail "report: $(cat "$T/err") $(grep -o '"bytes":[0-9]*' "$T/page.html")"
