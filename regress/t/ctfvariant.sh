# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces of others: variants, with tags beside them, outside of their struct and
# in other scopes, as the headers of events, and lengths in other scopes.

. ./common.sh
. ./shared/ctf.sh

tag="enum : $(int 8 8) { NUM, TEXT, PAIR = 7, RANGE = 10 ... 19 }"
options="$(int 16 8) NUM; string TEXT;
    struct { $(int 8 8) x; $(int 8 8) y; } PAIR; $(int 8 8) RANGE[2];"

# Beside, in an array of structs, and in a sequence of them.
for order in le be; do
	trace $order "$tag tag; variant <tag> { $options } v; $(int 8 8) after;"
	bits $order <<-END
	8 0
	16 0x1234
	8 1
	8 1
	s hello
	8 2
	8 7
	8 8
	8 9
	8 3
	8 15
	8 10
	8 11
	8 4
	END
	says "$order beside" <<-END
	e:v { tag = NUM, v = 4660, after = 1 }
	e:v { tag = TEXT, v = "hello", after = 2 }
	e:v { tag = PAIR, v = { x = 8, y = 9 }, after = 3 }
	e:v { tag = RANGE, v = [10, 11], after = 4 }
	END
	[ "$(utctl view -f 'after == 3' "$T_CTF" | from_view)" = \
	    'e:v { tag = PAIR, v = { x = 8, y = 9 }, after = 3 }' ] ||
	    fail "$order beside: -f"
	utctl stat -v after "$T_CTF" | grep -q ' 1  *2.*4  *e:v$' ||
	    fail "$order: stat -v: $(utctl stat -v after "$T_CTF")"

	trace $order "$(int 8 8) n;
	    struct { $tag tag; variant <tag> { $options } v; } a[2];
	    struct { $tag tag; variant <tag> { $options } v; } s[n];
	    $(int 8 8) after;"
	bits $order <<-END
	8 3
	8 0
	16 1995
	8 1
	s hello there!
	8 7
	8 1
	8 2
	8 1
	s x
	8 0
	16 3
	8 77
	END
	says "$order in arrays" <<-END
	e:v { n = 3, a = [{ tag = NUM, v = 1995 }, \
{ tag = TEXT, v = "hello there!" }], s = [{ tag = PAIR, \
v = { x = 1, y = 2 } }, { tag = TEXT, v = "x" }, \
{ tag = NUM, v = 3 }], after = 77 }
	END
	[ "$(utctl view -jf 'after == 77' "$T_CTF" |
	    pick 'fields a tag label' | tr '\n' ' ')" = 'NUM TEXT ' ] ||
	    fail "$order in arrays: $(utctl view -j "$T_CTF")"
done

# Of some bits, one after the other, with a tag that has a sign.
for order in le be; do
	trace $order "enum : $(int 3 1 'signed = true;') { LOW = -4 ... -1,
	    ZERO = 0, HIGH = 1 ... 3 } t;
	    variant <t> { $(int 5) LOW; struct { } ZERO; $(int 13) HIGH; } v;
	    variant <t> { $(int 5) LOW; $(int 5) ZERO; $(int 5) HIGH; } w;
	    struct { } align(8) end;"
	bits $order <<-END
	3 -3
	5 21
	5 1
	align 8
	3 0
	5 2
	align 8
	3 3
	13 5000
	5 3
	align 8
	END
	says "$order bits" <<-END
	e:v { t = LOW, v = 21, w = 1, end = { } }
	e:v { t = ZERO, v = { }, w = 2, end = { } }
	e:v { t = HIGH, v = 5000, w = 3, end = { } }
	END
done

# Declared elsewhere by name; a tag in an outer struct, and in one that is over.
# babeltrace2 knows no such path of a tag, but one of a length.
bt2=no
for order in le be; do
	meta_more="variant named { $options };
	    variant pick { $(int 8 8) NUM; $(int 16 8) TEXT; };
	    typealias $tag := tag_t;"
	trace $order "struct { tag_t tag; $(int 8 8) n; } head;
	    struct { struct { tag_t tag; variant named <tag> v; } in;
		variant pick <head.tag> w; $(int 8 8) a[head.n]; } body;
	    variant named <head.tag> x;"
	bits $order <<-END
	8 0
	8 2
	8 1
	s inner
	8 3
	8 4
	8 5
	16 0x102
	8 1
	8 0
	8 7
	8 8
	8 9
	16 0x304
	s end
	END
	# The first one's tag is NUM, so w has one byte.
	says "$order outer" <<-END
	e:v { head = { tag = NUM, n = 2 }, body = { in = { tag = TEXT, \
v = "inner" }, w = 3, a = [4, 5] }, x = 258 }
	e:v { head = { tag = TEXT, n = 0 }, body = { in = { tag = PAIR, \
v = { x = 8, y = 9 } }, w = 772, a = [] }, x = "end" }
	END
done
meta_more=

# Tags and lengths in all other scopes, said from the root.
for order in le be; do
	meta_trace="packet.header := struct { $(int 8 8) hn; $tag ht; };"
	meta_stream="packet.context := struct { $(int 8 8) pn; $tag pt; };
	    event.header := struct { $(int 8 8) en; $tag et; };
	    event.context := struct { $(int 8 8) cn; $tag ct; };"
	meta_event="context := struct { $(int 8 8) sn; $tag st; };"
	trace $order "$(int 8 8) fn;
	    $(int 8 8) a[trace.packet.header.hn];
	    $(int 8 8) b[stream.packet.context.pn];
	    $(int 8 8) c[stream.event.header.en];
	    $(int 8 8) d[stream.event.context.cn];
	    $(int 8 8) e[event.context.sn];
	    struct { $(int 8 8) g[event.fields.fn]; } f;
	    variant <trace.packet.header.ht> { $options } u;
	    variant <stream.packet.context.pt> { $options } v;
	    variant <stream.event.header.et> { $options } w;
	    variant <stream.event.context.ct> { $options } x;
	    variant <event.context.st> { $options } y;"
	bits $order <<-END
	8 1
	8 0
	8 2
	8 7
	8 0
	8 1
	8 3
	8 11
	8 1
	8 0
	8 2
	8 1
	8 2
	8 3
	8 4
	8 5
	8 6
	8 7
	8 8
	8 9
	16 400
	8 1
	8 2
	s header
	8 3
	8 4
	16 500
	END
	says "$order scopes" <<-END
	e:v { cn = 3, ct = RANGE }, { sn = 1, st = NUM }, { fn = 2, a = [1], \
b = [2, 3], c = [], d = [4, 5, 6], e = [7], f = { g = [8, 9] }, u = 400, \
v = { x = 1, y = 2 }, w = "header", x = [3, 4], y = 500 }
	END
done
meta_trace='' meta_stream='' meta_event=''
bt2=

# As headers: LTTng's two, and one of its own kind.
lttng_header() {
	meta_more="clock { name = c; freq = 1000000000; };
	    typealias integer { size = $2; align = $4; map = clock.c.value; }
	    := short_t; typealias integer { size = 64; align = 8;
	    map = clock.c.value; } := long_t;"
	meta_stream="event.header := struct {
	    enum : $(int $1 $4) { compact = 0 ... $(($3 - 1)), extended = $3 } id;
	    variant <id> { struct { short_t timestamp; } compact;
		struct { $(int 32 8) id; long_t timestamp; } extended; } v;
	    } align(8);"
	meta_event='id = 1;'
	meta_after="event { name = \"e:w\"; id = 70000;
	    fields := struct { $(int 8 8) x; }; };"
	trace $order "$(int 8 8) x;"
	bits $order <<-END
	$1 1
	$2 100
	8 1
	$1 $3
	align 8
	32 70000
	64 $5
	8 2
	$1 1
	$2 17
	8 3
	$1 $3
	align 8
	32 1
	64 $(($5 * 2))
	8 4
	END
	says "$order header of $1 bits" <<-END
	e:v { x = 1 }
	e:w { x = 2 }
	e:v { x = 3 }
	e:v { x = 4 }
	END
	# The third one's time has gone round: it has the second's upper bits.
	[ "$(utctl view -j "$T_CTF" | pick ns | tr '\n' ' ')" = \
	    "100 $5 $(($5 / (1 << $2) * (1 << $2) + (1 << $2) + 17)) $(($5 * 2)) " ] ||
	    fail "$order header of $1 bits: $(utctl view -j "$T_CTF" |
		pick ns)"
}
for order in le be; do
	lttng_header 5 27 31 1 5000000000
	lttng_header 16 32 65535 8 50000000000
	lttng_header 3 13 7 1 100000
	lttng_header 9 7 511 1 1000
done
meta_more='' meta_stream='' meta_event='' meta_after=''

# A tag that no option has: one line.
trace le "$tag tag; variant <tag> { $options } v;"
bits le <<-END
8 1
s good
8 5
8 0
END
expect 1 'stream: event at byte 6' utctl view "$T_CTF"
[ "$(wc -l <"$T/err") $(from_view <"$T/out")" = \
    '1 e:v { tag = TEXT, v = "good" }' ] ||
    fail "no option: $(cat "$T/out" "$T/err")"
# Options without a value, and a value without an option.
bad() {
	trace le "$1"
	complains "metadata: line [0-9]*: $2" utctl view "$T_CTF"
}
bad "$(int 8 8) tag; variant <tag> { $options } v;" "'tag' is no enum"
bad "variant <tag> { $options } v; $tag tag;" ''
bad "$tag tag; variant <stream.event.context.tag> { $options } v;" ''
bad "struct { $tag tag; } s; variant <s> { $options } v;" ''
bad "struct { $tag tag; } s[2]; variant <s.tag> { $options } v;" ''
bad "$(int 8 8 'signed = true;') n; $(int 8 8) a[n];" ''
