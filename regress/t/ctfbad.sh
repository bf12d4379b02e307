# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces of others that are wrong: each ends with one line that says where, and
# status 1; what comes before the fault in a stream is printed.  ctf2bad has the
# metadata of CTF 2.

. ./common.sh
. ./shared/ctf.sh

u8=$(int 8 8)
tag="enum : $u8 { A, B }"

# meta WHERE METADATA: a fault of TSDL, behind a block that has none.
meta() {
	printf '%s\n' '/* CTF 1.8 */' \
	    'trace { major = 1; minor = 8; byte_order = le; };' "$2" \
	    'stream { };' "event { name = \"e:v\"; fields := struct { $u8 a; };
	    };" >"$T_CTF/metadata"
	printf '\1' >"$T_CTF/stream"
	complains "t/metadata: $1" utctl view "$T_CTF"
}
field() {
	meta "${2-line [34]: }" "struct s { $1 };"
}

# Integers and floats.
field 'integer { size = 0; } a;'
field 'integer { size = 65; } a;'
field 'integer { size = -1; } a;'
field 'integer { size = 99999999999999999999; } a;'
field 'integer { size = 8; align = 3; } a;'
field 'integer { size = 8; align = 0; } a;'
field 'integer { align = 8; } a;'
field 'integer { size = 8; byte_order = middle; } a;'
field 'integer { size = 8; base = 7; } a;'
field 'integer { size = 8; size } a;'
field 'floating_point { exp_dig = 5; mant_dig = 11; } a;'
field 'floating_point { exp_dig = 8; } a;'
field 'no_such_type a;'
field 'integer { size = 8 a;'
# Structs, arrays and enums.
field "$u8 a[-1];"
field "$u8 a[0xffffffffffffffff][0xffffffffffffffff];"
field "struct no_such a;"
field "struct { $u8 x; } align(5) a;"
field "enum no_such a;"
field "enum : string { A } a;"
field "enum : $u8 { A, } a; $u8" ''
field "enum : $u8 { A = , B } a;"
field "enum : $u8 { A = 5 ... 2 } a;" 'line [34]: a range ends before it'
field "enum : $u8 { } a;"
field "$u8 a[n];"
field "$u8 a[stream.no.such];"
field "string n; $u8 a[n];"
field "$u8 a[a];"
# A byte with bits of both byte orders, and names that are there twice.
le=$(int 4 1 'byte_order = le;') be=$(int 4 1 'byte_order = be;')
why='line [34]: a byte is shared by'
field "$le a; $be b;" "$why"
field "$be a; $le b;" "$why"
field "$le a; $u8 b; $be c; $le d;" "$why"
field "string s; $le a[3]; $be b;" "$why"
field "$le a; integer { size = 4; align = 2; byte_order = be; } b;" "$why"
field "$u8 a; $u8 b; $u8 a;" 'line [34]: two fields of one name'
field "$tag t; variant <t> { $u8 A; string A; } v;"
trace le "$le a[2]; $be b, c; $le d; $u8 e, f;"
bits le <<-END
8 0x21
8 0x34
8 5
8 6
8 7
END
says 'orders of bytes' <<-END
e:v { a = [1, 2], b = 3, c = 4, d = 5, e = 6, f = 7 }
END
# Variants.
field "variant <t> { $u8 A; } v;"
field "$u8 t; variant <t> { $u8 A; } v;"
field "$tag t; variant no_such <t> v;"
# What is there once only.
field "typealias $u8 := u; typealias $u8 := u; u a;" 'line [34]: a second type'
meta "line 3: a second type 'struct s'" 'struct s { }; struct s { };'
meta "line 3: a second 'id'" 'stream { id = 0; id = 1; };'
meta "line 3: a second 'size'" \
    'typealias integer { size = 8; size = 9; } := u;'
# Deeper than anything needs, and what grows.
field "$(awk 'BEGIN { for (i = 0; i < 100; i++) printf "struct { " }')$u8 x;
    $(awk 'BEGIN { for (i = 0; i < 100; i++) printf "} a; " }')"
meta 'line [0-9]*: ' "$(i=0; echo "struct s0 { $u8 x; };"
while [ $i -lt 40 ]; do
	echo "struct s$((i + 1)) { struct s$i a; struct s$i b; };"
	i=$((i + 1))
done)"
# Blocks.
meta 'line 3: ' 'trace { major = 1; minor = 8; byte_order = le; };'
meta 'line 3: ' 'nonsense { };'
meta '' 'stream { id = x; };'
meta 'line 3: ' 'clock { name = c; freq = 0; };'
meta 'line 3: ' 'typealias integer { size = 8; map = clock.no.value; } := t;'
meta 'line 3: ' 'env { a = ; };'
meta 'line 3: ' 'event { name = "e:w'
meta 'line 3: ' '"\xzz";'
meta 'line 3: ' "event { name = \"e:w\"; stream_id = 5; fields := struct { }; };
    stream { id = 4; };"
meta '' 'event { name = "e:w"; id = 0; fields := struct { }; };'

# Metadata that are none, none of 1.8, or none at all.
printf '\1' >"$T_CTF/stream"
for text in '/* CTF 1.9 */ trace { };' 'hello' '/* CTF 1.8 */' \
    '/* CTF 1.8 */ trace { major = 2; minor = 0; byte_order = le; };' \
    '/* CTF 1.8 */ trace { major = 1; minor = 8; };' \
    '/* CTF 1.8 */ stream { };'; do
	echo "$text" >"$T_CTF/metadata"
	complains 't/' utctl view "$T_CTF"
done
head -c 100000 /dev/zero >"$T_CTF/metadata"
complains 't/metadata' utctl view "$T_CTF"

# stream WHERE FIELDS: the script on stdin has one good event, e:v { a = 1,
# and a fault behind it.
stream() {
	trace le "$u8 a; $2"
	bits le
	utctl view "$T_CTF" >"$T/out" 2>"$T/err"
	[ $? -eq 1 ] || fail "$2: status not 1: $(cat "$T/out" "$T/err")"
	[ "$(wc -l <"$T/err")" -eq 1 ] && grep -q "t/stream: $1" "$T/err" ||
	    fail "$2: $(cat "$T/err")"
	[ "$(wc -l <"$T/out")" -eq 1 ] && grep -q 'e:v { a = 1, ' "$T/out" ||
	    fail "$2: $(cat "$T/out")"
}
stream 'event at byte 3' "$(int 16 8) b;" <<-END
8 1
16 2
8 1
8 2
END
stream 'event at byte 4' 'string s;' <<-END
8 1
s ab
8 1
8 65
END
stream 'event at byte 4' "$u8 n; $(int 16 8) s[n];" <<-END
8 1
8 1
16 1
8 1
8 200
16 1
END
stream 'event at byte 10' "$(int 64 8) n; $(int 1) s[n];
    struct { } align(8) end;" <<-END
8 1
64 1
1 1
align 8
8 1
64 -1
8 0
END
stream 'event at byte 10' "$(int 64 8) n; struct { } s[n]; $u8 end;" <<-END
8 1
64 5
8 0
8 1
64 -1
8 0
END
stream 'event at byte 4' "$tag t; variant <t> { $u8 A; string B; } v;
    $u8 end;" <<-END
8 1
8 0
8 1
8 2
8 1
8 7
8 1
8 1
END

# Packets: a magic number, an ID, sizes.
meta_trace="packet.header := struct { $(int 32 8) magic; $u8 stream_id; };"
meta_stream="packet.context := struct { $(int 32 8) content_size;
    $(int 32 8) packet_size; }; event.header := struct { $u8 id; };"
good="32=0xc1fc1fc1 8=0 content=32 size=32 8=0 8=1 8=2 end"
for bad in '32=0xc1fc1fc2 8=0 content=32 size=32 end' \
    '32=0xc11ffcc1 8=0 content=32 size=32 end' \
    '32=0xc1fc1fc1 8=9 content=32 size=32 end' \
    '32=0xc1fc1fc1 8=0 32=800 32=400 end=50' \
    '32=0xc1fc1fc1 8=0 32=8 32=400 end=50' \
    '32=0xc1fc1fc1 8=0 32=400 32=8000 end=50' \
    '32=0xc1fc1fc1 8=0 32=400 32=401 end=50' \
    '32=0xc1fc1fc1 8=0 content=32 size=32 8=5 8=1 8=2 end' \
    '32=0xc1fc1fc1 8=0 content=32 size=32 8=0 8=1 end' \
    '32=0xc1fc1fc1 8=0 32=-1 32=-1 end' '32=0xc1fc1fc1 8=0 end'; do
	printf '%s\n' $good $bad | tr = ' ' >"$T/script"
	stream '[ -~]*byte [0-9]*' "$u8 b;" <"$T/script"
done
