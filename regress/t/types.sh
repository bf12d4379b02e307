# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Every kind of field, with values at the edges: what utctl view prints of
# them, and babeltrace2 reads the same; however the program was compiled.

. ./common.sh

cat >"$T/want" <<'END'
types:none { }
types:small { i8 = -128, u8 = 0, x8 = 0x0, i16 = -32768, u16 = 0, x16 = 0x0 }
types:small { i8 = 127, u8 = 255, x8 = 0xff, i16 = 32767, u16 = 65535, x16 = 0xffff }
types:big { i32 = -2147483648, u32 = 0, x32 = 0x0, i64 = -9223372036854775808, u64 = 0, x64 = 0x0 }
types:big { i32 = 2147483647, u32 = 4294967295, x32 = 0xffffffff, i64 = 9223372036854775807, u64 = 18446744073709551615, x64 = 0xffffffffffffffff }
types:native { i = -2147483648, u = 0, l = -1, ul = 0, z = 0, p = 0x0, b = 0 }
types:native { i = 2147483647, u = 4294967295, l = 1, ul = 1, z = 1, p = 0xabc, b = 1 }
types:native { i = -1, u = 1, l = 0, ul = 0, z = 0, p = 0x0, b = 1 }
types:net { n16 = 80, n32 = 16909060, n64 = 0 }
types:net { n16 = 65535, n32 = 1, n64 = 18446744073709551615 }
types:real { f = 0, d = 0 }
types:real { f = -0, d = -0 }
types:real { f = 1.5, d = 0.1 }
types:real { f = 0.1, d = 1e+300 }
types:real { f = 1.401298e-45, d = 4.94065645841247e-324 }
types:real { f = 3.4028235e+38, d = 1.7976931348623157e+308 }
types:real { f = inf, d = -inf }
types:real { f = nan, d = nan }
types:colours { c = red }
types:colours { c = "dark green, 2" }
types:colours { c = grey }
types:colours { c = grey }
types:colours { c = 21 }
types:colours { c = -1 }
types:colours { c = lowest }
types:colours { c = highest }
types:labels { w = least, u = nought, b = lowest, h = nought, e = slow }
types:labels { w = most, u = few, b = highest, h = highest, e = fast }
types:labels { w = nought, u = five, b = 0, h = 1, e = 1 }
types:labels { w = one, u = half, b = 0, h = 1, e = 1 }
types:labels { w = below, u = top, b = 0, h = 1, e = 1 }
types:labels { w = -10, u = 18446744073709551613, b = 0, h = 1, e = 1 }
types:str { s = "", t = "" }
types:str { s = "(null)", t = "(nul" }
types:str { s = "a", t = "abc" }
types:str { s = "two\nlines\ttab \"quoted\" back\\slash", t = "abcd" }
types:str { s = "grün", t = "abcd" }
types:str { s = "{ a = 1 }, [ b ]", t = "x}" }
types:bytes { b = 00 01 7f 80 ff |.....| }
types:bytes { b = || }
types:bytes { b = || }
types:bytes { b = || }
types:bytes { b = 3d 20 34 31 20 7c 22 2c 7d |= 41 |",}| }
types:array { u8 = [0, 255], i16 = [-32768, 32767], d = [-0.5, 1e+100], u64 = [18446744073709551615] }
types:array { u8 = [0, 0], i16 = [0, 0], d = [0, 0], u64 = [0] }
types:seqs { i8 = [-128, 0, 127], u32 = [4294967295], f = [0.25, -2], i64 = [-9223372036854775808] }
types:seqs { i8 = [], u32 = [], f = [], i64 = [-9223372036854775808] }
types:rows { xa = [0x0, 0xdeadbeef], na = [258, 65535], xs = [0xffffffffffffffff, 0x10], ns = [16909060], b = 00 ff |..| }
types:rows { xa = [0x0, 0x0], na = [0, 0], xs = [], ns = [], b = 00 00 |..| }
types:pair { a = 1, b = "one" }
types:other { a = 2, b = "(null)" }
types:names { string = 1, id = 2, event = 3, timestamp = 4, vpid = 5, _x = 6, align = 7 }
types:all16 { a = 1, b = "two", c = 3, d = "", e = -5, f = 73 69 78 |six|, g = 7, h = 8.5, i = 9, j = "ten", k = 11, l = [10, 11], m = 13, n = "fourteen", o = 15, p = 16.5 }
types:none { }
END

# What compilers make of ut.h is another thing at each level.
for o in 0 1 s 3; do
	build "$T/types$o" prog/types.c -O$o
done
for types in ./prog/types "$T"/types?; do
	recorded -- "$types"
	[ "$lost" -eq 0 ] || fail "$types: $lost lost"
	readers_agree "$T/trace"
	cut -d' ' -f4- "$T/view.out" >"$T/got"
	diff "$T/want" "$T/got" || fail "$types: utctl view prints something else"
done

# In JSON, integers that a double does not hold exactly are strings.
utctl view -j "$T/trace" >"$T/json" || fail "view -j"
sed 's/^{"ns":"[0-9]*","time":"[^"]*",//' "$T/json" | tr ',{}[]' '\n\n\n\n\n' |
    awk -F: '{ v = $NF; text = gsub(/"/, "", v)
	if (v !~ /^-?[0-9]+$/) next
	d = v; sub(/^-/, "", d)
	large = length(d) > 16 || (length(d) == 16 && ("x" d) > "x9007199254740992")
	if (large != (text > 0)) { print; bad++ }
	n += large }
    END { if (n != 14) print n; exit bad > 0 || n != 14 }' >"$T/got" || fail "$(cat "$T/got")"
