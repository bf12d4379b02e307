# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces of others: names of types that are of one block alone, lengths that are
# meant from near and from afar, types that are used twice, two traces of one
# UUID, and metadata that take long to search.

. ./common.sh
. ./shared/ctf.sh

u8="$(int 8 8)"

# A name inside of a block, or of a struct, is gone behind it.
meta_more="typealias $u8 := u;"
meta_stream="event.header := struct { typealias $(int 16 8) := u; u id; };"
meta_event="id = 0;"
trace le "struct { typealias $(int 16 8) := u; u a; } in; u a; u b;"
bits le <<-END
16 0
16 1000
8 1
8 2
END
says 'names in blocks' <<-END
e:v { in = { a = 1000 }, a = 1, b = 2 }
END

# A length in another struct, by two paths.
meta_stream='event.header := struct { u id; };'
trace le 'struct { u n; } s; u a[s.n]; u b[event.fields.s.n];'
bits le <<-END
8 0
8 2
8 1
8 2
8 3
8 4
END
says 'two paths' <<-END
e:v { s = { n = 2 }, a = [1, 2], b = [3, 4] }
END

# Lists of names.
meta_more="$meta_more typedef u one, two[2];"
trace le 'u a, b[2], _c; two d; one e;'
bits le <<-END
8 0
8 1
8 2
8 3
8 4
8 5
8 6
8 7
END
says 'lists of names' <<-END
e:v { a = 1, b = [2, 3], c = 4, d = [5, 6], e = 7 }
END

# One type as context and as payload: each has its own length.
meta_more="typealias $u8 := u; struct S { u n; u a[n]; u b; };"
meta_stream='event.context := struct S;'
cat >"$T_CTF/metadata" <<END
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; };
$meta_more
stream { $meta_stream };
event { name = "e:v"; fields := struct S; };
END
bits le <<-END
8 0
8 9
8 2
8 1
8 2
8 7
END
for f in 'n == 2 && b == 7' '$n == 0 && b == 7' '$b == 9' 'b == 7'; do
	[ "$(utctl view -f "$f" "$T_CTF" | grep -c 'n = 2, a = \[1, 2\], b = 7')" \
	    -eq 1 ] || fail "-f '$f': $(utctl view "$T_CTF")"
done
utctl stat -v b "$T_CTF" | grep -q ' 7 .*e:v$' ||
    fail "stat -v: $(utctl stat -v b "$T_CTF")"

# CTF 2: a length in an option, which means it itself, too.
order=little
len=$(fixed unsigned-integer 8)
in='{"type":"dynamic-length-array","length-field-location":
    {"path":[null,"len"]},"element-field-class":'"$len}"
trace2 "$(members t "$len" v '{"type":"variant","selector-field-location":
    {"path":["t"]},"options":[{"selector-field-ranges":[[0,0]],"field-class":
    '"$(structure 1 len "$len")"'},{"selector-field-ranges":[[1,1]],
    "field-class":'"$(structure 1 len "$len" in "$(structure 1 a "$in")")"'}]}' \
    b '{"type":"dynamic-length-array","length-field-location":
    {"path":["v","len"]},"element-field-class":'"$len}")"
bits le <<-END
8 0
8 2
8 7
8 8
8 1
8 1
8 9
8 5
END
bt2=no
says 'a length in an option' <<-END
e:v { t = 0, v = { len = 2 }, b = [7, 8] }
e:v { t = 1, v = { len = 1, in = { a = [9] } }, b = [5] }
END

# A header's ID and times in other structs: the last ID, and the time's lower
# bits behind the others.
meta_more="clock { name = c; freq = 1000000000; };
    typealias integer { size = 16; align = 8; map = clock.c.value; } := t16;
    typealias integer { size = 8; align = 8; map = clock.c.value; } := t8;"
meta_stream="event.header := struct { $u8 id; t16 high; struct { string s;
    $u8 id; t8 low; } in; };"
meta_event='id = 7;'
trace le "$u8 a;"
bits le <<-END
8 1
16 0x1000
s one
8 7
8 5
8 1
8 2
16 0x1012
s two
8 7
8 3
8 2
END
says 'a header with a struct' <<-END
e:v { a = 1 }
e:v { a = 2 }
END
[ "$(utctl view -j "$T_CTF" | pick ns | tr '\n' ' ')" = '4101 4355 ' ] ||
    fail "a header with a struct: $(utctl view -j "$T_CTF")"

# Two traces of one UUID that say nothing of their session are two.
meta_trace='uuid = "2a6422d0-6cee-11e0-8c08-cb07d7b3a564";'
meta_more= meta_stream= meta_event=
trace le "$u8 b;"
mkdir "$T/two" "$T/two/a" "$T/two/b" || fail "mkdir"
for i in a b; do
	cp "$T_CTF/metadata" "$T/two/$i" || fail "cp"
done
printf '\1\2' >"$T/two/a/stream"
printf '\3\4' >"$T/two/b/stream"
[ "$(utctl view "$T/two" | wc -l)" -eq 4 ] ||
    fail "two traces: $(utctl view "$T/two")"

# Very many labels of tags, and of lengths, take no time.
many() {
	awk -v n="$1" -v s="$2" 'BEGIN { for (i = 0; i < n; i++)
		printf "%s%d%s", s, i, substr(s, 1, 1) == "," ? "" : "; " }'
}
meta_trace=
{
	cat <<-END
	/* CTF 1.8 */
	trace { major = 1; minor = 8; byte_order = le; };
	enum E : $(int 16 8) { x$(many 2600 ', a') };
	variant V { $(many 2600 "$u8 a") };
	END
	awk 'BEGIN { for (i = 0; i < 600; i++)
		print "event { id = " i "; name = \"e\"; fields := struct " \
		    "{ enum E t; variant V <t> v; }; };" }'
} >"$T_CTF/metadata"
expect 1 'metadata: line [0-9]*: too many labels of tags' \
    utctl view -q "$T_CTF"

# A struct with a length in it that is there twice: each place has its own one.
meta_more="typealias $u8 := u; struct S { struct { u n; } c; u a[c.n]; };"
trace le 'struct S x, y; u v[x.c.n], w[event.fields.y.c.n], z[x.c.n];'
bits le <<-END
8 1
8 11
8 2
8 21
8 22
8 3
8 4
8 5
8 6
END
says 'a struct twice' <<-END
e:v { x = { c = { n = 1 }, a = [11] }, y = { c = { n = 2 }, a = [21, 22] }, \
v = [3], w = [4, 5], z = [6] }
END

# A length by its absolute path, in the struct that is being read.
trace le 'struct { struct { u n; } c;
    struct { u a[event.fields.s.c.n]; } i; } s;'
bits le <<-END
8 2
8 1
8 2
8 0
END
says 'a path into what is read' <<-END
e:v { s = { c = { n = 2 }, i = { a = [1, 2] } } }
e:v { s = { c = { n = 0 }, i = { a = [] } } }
END
trace le 'struct { u a[event.fields.s.n]; u n; } s;'
expect 1 "'event.fields.s.n' is no field before this" utctl view "$T_CTF"

# Elements of no bits end.
trace le "$u8 b; struct { } a[65535];"
dd if=/dev/zero of="$T_CTF/stream" bs=1000 count=60 2>/dev/null
expect 1 "beyond the packet's content" utctl view -q "$T_CTF"

# An end of fewer bits than time needs: packets are found by it nevertheless.
meta_more="clock { name = c; freq = 1; };
    typealias integer { size = 8; align = 8; map = clock.c.value; } := t;"
meta_stream="packet.context := struct { t timestamp_begin; t timestamp_end;
    $u8 content_size; }; event.header := struct { t timestamp; };"
trace le "$u8 b;"
bits le <<-END
8 200
8 210
8 40
8 205
8 1
8 250
8 10
8 40
8 5
8 2
END
[ "$(utctl view -b @255 "$T_CTF" | from_view)" = 'e:v { b = 2 }' ] ||
    fail "-b: $(utctl view "$T_CTF")"
