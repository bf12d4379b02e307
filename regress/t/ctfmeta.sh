# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces of others: metadata in packets, what TSDL has besides types, and what
# nobody knows, which is a warning.

. ./common.sh
. ./shared/ctf.sh

# packets ORDER LINES BYTES CHECKSUM: the metadata in packets of so many lines.
packets() {
	awk -v lines="$2" -v bytes="$3" -v sum="$4" '
	(NR - 1) % lines == 0 {
		if (NR > 1)
			print "end " bytes
		print "32 0x75d11d57"
		for (i = 0; i < 16; i++)
			print "8 " i * 7
		print "32 " sum "\ncontent 32\nsize 32"
		print "8 0\n8 0\n8 0\n8 1\n8 8"
	}
	{ print "t " $0 }
	END { print "end " bytes }' "$T_CTF/metadata" |
	    ./prog/bits "$1" >"$T/m" || fail "bits"
	mv "$T/m" "$T_CTF/metadata"
}

meta_more="$(i=0; while [ $i -lt 40 ]; do
	i=$((i + 1)); echo "typealias $(int 8 8) := t$i;"; done)"
for order in le be; do
	for meta in le be; do
		for packet in '1000 0' '1000 8192' '10 4096' '1 128'; do
			# babeltrace2 wants both orders to be the same, and no
			# checksum.
			bt2=no sum=1234
			[ $order != $meta ] || bt2='' sum=0
			trace $order 't7 a; t40 b;'
			packets $meta $packet $sum
			printf '\1\2\3\4' >"$T_CTF/stream"
			says "$order, metadata $meta $packet" <<-END
			e:v { a = 1, b = 2 }
			e:v { a = 3, b = 4 }
			END
			warns 0 .
		done
	done
done
bt2=
# One that is compressed, of another version, or not whole.
trace le 't1 a;'
packets le 1000 8192 0
cp "$T_CTF/metadata" "$T/m"
for at in 32 33 35 36; do
	cp "$T/m" "$T_CTF/metadata"
	printf '\3' | dd of="$T_CTF/metadata" bs=1 seek=$at conv=notrunc \
	    2>/dev/null
	complains "metadata: byte 0: " utctl view "$T_CTF"
done
for n in 20 37 300; do
	head -c $n "$T/m" >"$T_CTF/metadata"
	complains 'metadata' utctl view "$T_CTF"
done
trace le 't1 a;'
packets le 10 4096 0
head -c 4200 "$T_CTF/metadata" >"$T/m"
cp "$T/m" "$T_CTF/metadata"
utctl view "$T_CTF" >"$T/out" 2>"$T/err"
grep -q 'metadata: byte 4096: a packet of metadata that is cut' "$T/err" ||
    fail "cut: $(cat "$T/err")"
printf '\037\213\010\0\0\0\0\0\0\3\0\0' >"$T_CTF/metadata"
complains 'metadata: compressed: unpack it' utctl view "$T_CTF"
meta_more=

# Numbers, strings, comments, and other words for what there is.
cat >"$T_CTF/metadata" <<'END'
/* CTF 1.8 */
// Octal, hexadecimal, signs, and characters.
typealias integer { size = 010; align = 0x8; signed = TRUE; base = x; } := x8;
typealias integer { size = +8; align = 8; base = hexadecimal; }
    := unsigned char;
typealias integer { size = 32U; align = 8; signed = 1; base = decimal; } := int;
typealias integer { size = 16; align = 8; base = octal; encoding = none; } :=
    unsigned short int;
typedef unsigned char uchar_t;
struct pair { uchar_t first; unsigned short int second; } align(8);
enum chars : uchar_t { A = 0x61, NL = +10, Q = 39, NEXT, "two words" = 0x50,
    R = 0160 ... 0172 };
/* A block of several
 * lines */
trace { major = 01; minor = +8; byte_order = be; };
env { string = "a \"quoted\" \\ one\n"; number = -5; hex = 0xff; };
callsite { name = "e:v"; func = "main"; file = "x.c"; line = 12; ip = 0x40; };
stream { };
event {
	name = "e:v";
	loglevel = +6;
	model.emf.uri = "http://example.com/?a=b";
	fields := struct {
		x8 a; uchar_t b; int c; unsigned short int d;
		struct pair e; enum chars f; enum chars g; enum chars h;
		enum chars i; uchar_t _j; unsigned short int k[2]; uchar_t __l;
		struct pair m[1];
	};
};
END
bits be <<-END
8 -1
8 255
32 -2
16 8
8 1
16 64
8 0x61
8 10
8 40
8 0x70
8 1
16 2
16 3
8 4
8 5
16 6
END
says 'words of TSDL' <<-END
e:v { a = 0xff, b = 0xff, c = -2, d = 010, e = { first = 0x1, \
second = 0100 }, f = A, g = NL, h = NEXT, i = R, j = 0x1, k = [02, 03], \
_l = 0x4, m = [{ first = 0x5, second = 06 }] }
END
warns 0 .
[ "$(utctl view -j "$T_CTF" | pick level)" = 6 ] || fail "no level"
mv "$T/want" "$T/words"
sed "s/\$/$(printf '\r')/" "$T_CTF/metadata" >"$T/m"
mv "$T/m" "$T_CTF/metadata"
says 'CR and LF' <"$T/words"
# babeltrace2 knows no characters as values.
sed -e "s/= 0x61/= 'a'/" -e "s/= +10/= '\\\\n'/" -e "s/= 39/= '\\\\''/" \
    -e "s/0160 ... 0172/'p' ... '\\\\172'/" "$T_CTF/metadata" >"$T/m"
mv "$T/m" "$T_CTF/metadata"
bt2=no
says 'characters' <"$T/words"
bt2=

# Several names for a type, and names that end with a block.
meta_more="typealias $(int 8 8) := u8; typedef u8 one_t, two_t[2];"
trace le 'u8 a, b[2], _c; two_t d; one_t e;'
printf '\1\2\3\4\5\6\7' >"$T_CTF/stream"
says 'lists of names' <<-END
e:v { a = 1, b = [2, 3], c = 4, d = [5, 6], e = 7 }
END
meta_more="typealias $(int 16 8) := n_t;"
meta_stream="typealias $(int 24 8) := n_t;"
trace le "n_t a; struct { typealias $(int 8 8) := n_t; n_t b; } c; n_t d;"
printf '\1\2\3\4\5' >"$T_CTF/stream"
says scopes <<-END
e:v { a = 513, c = { b = 3 }, d = 1284 }
END
meta_more='' meta_stream=

# A length may be a number of env, or an enum.
meta_more="env { n = 2; };"
trace le "$(int 8 8) a[env.n]; enum : $(int 8 8) { A, B, C } t;
    $(int 8 8) b[t];"
printf '\1\2\1\3\4\5\0' >"$T_CTF/stream"
says 'lengths' <<-END
e:v { a = [1, 2], t = B, b = [3] }
e:v { a = [4, 5], t = A, b = [] }
END
meta_more=

# What nobody knows is a warning.
trace le "$(int 8 8 'foo = bar; color = "red"; depth = -1;') a;
    string { speed = 5; } b;"
bits le <<-END
8 1
s text
END
says 'unknown attributes' <<-END
e:v { a = 1, b = "text" }
END
[ -s "$T/err" ] || fail "no warnings"
meta_trace='shape = "round"; size = 5;'
meta_stream='weight = 7;'
meta_event="place := struct { $(int 8 8) x; }; taste = sweet;"
trace le "$(int 8 8) a;"
printf '\1' >"$T_CTF/stream"
says 'unknown attributes of blocks' <<-END
e:v { a = 1 }
END
meta_trace='' meta_stream='' meta_event=''

# The UUID of another trace is a warning, for each file.
meta_trace="uuid = \"2a6422d0-6cee-11e0-8c08-cb07d7b3a564\";
    packet.header := struct { $(int 8 8) uuid[16]; };"
trace le "$(int 8 8) a; $(int 8 8) b[15];"
head -c 32 /dev/zero | tr '\0' '\1' >"$T_CTF/stream"
bt2=no
says 'another UUID' <<-END
e:v { a = 1, b = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] }
END
warns 1 'UUID'
bt2='' meta_trace=
