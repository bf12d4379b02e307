# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces of others: filters know flags, options of a variant, what is not there,
# and booleans of CTF 2 by their values.

. ./common.sh
. ./shared/ctf.sh

order=little
len=$(fixed unsigned-integer 8)
bt2=no

# Flags of several ranges have one name, and are no values of a filter.
trace2 "$(member f "$(fixed bit-map 8 \
    '"flags":{"F":[[0,0],[2,3]],"G":[[4,7]]}')")"
bits le <<-END
8 5
8 0x12
END
says 'flags' <<-END
e:v { f = F }
e:v { f = G }
END
expect 0 'compared with text' utctl view -f 'f == "F"' "$T_CTF"

# Filters take the option of a variant that is there, if all are numbers, or all
# are text; other fields are told as what they are.
variant() {	# CLASS CLASS
	echo "{\"type\":\"variant\",
	    \"selector-field-location\":{\"path\":[\"t\"]},
	    \"options\":[{\"selector-field-ranges\":[[0,0]],\"field-class\":$1},
	    {\"selector-field-ranges\":[[1,9]],\"field-class\":$2}]}"
}
text='{"type":"null-terminated-string"}'
trace2 "$(members t "$len" v "$(variant "$len" \
    "$(fixed floating-point-number 32)")" w "$(variant "$len" \
    "$(fixed signed-integer 16)")" x "$(variant "$text" "$text")" \
    y "$(variant "$text" "$len")" z "$(structure 1 a "$len")" b "$len")"
bits le <<-END
8 0
8 250
8 251
s one
s two
8 1
8 10
8 1
32 0x3fc00000
16 -2
s three
8 4
8 1
8 20
END
for f in 'v > 1.2 && v < 2 && b == 20' 'w == -2' 'w < 0 && x == "th*"' \
    'x != "one"'; do
	[ "$(utctl view -f "$f" "$T_CTF" |
	    grep -c 'v = 1.5, w = -2, .*b = 20')" -eq 1 ] ||
	    fail "-f '$f': $(utctl view -f "$f" "$T_CTF")"
	[ "$(utctl view -f "$f" "$T_CTF" | wc -l)" -eq 1 ] || fail "-f '$f'"
done
for f in 'v == 250 && w > 250 && b == 10' 'x == "one"'; do
	[ "$(utctl view -f "$f" "$T_CTF" |
	    grep -c 'v = 250, w = 251, .*b = 10')" -eq 1 ] ||
	    fail "-f '$f': $(utctl view -f "$f" "$T_CTF")"
done
for f in y z; do
	expect 0 "$f is neither a number nor text" \
	    utctl view -f "$f == 4" "$T_CTF"
done
# What is not there is not of any value.
trace2 "$(members t "$(fixed boolean 8)" v "{\"type\":\"optional\",
    \"selector-field-location\":{\"path\":[\"t\"]},\"field-class\":$len}")"
bits le <<-END
8 0
8 1
8 7
END
[ "$(utctl view -f '!(v == 3)' "$T_CTF" | from_view)" = \
    'e:v { t = true, v = 7 }' ] || fail "optional: $(utctl view "$T_CTF")"

# A boolean is true or false, whatever bits it has.
trace2 "$(member b "$(fixed boolean 8)")"
bits le <<-END
8 255
8 4
8 0
END
[ "$(utctl stat -g b "$T_CTF" | awk '/ (true|false)$/ { print $1, $NF }')" = \
    '2 true
1 false' ] || fail "stat -g: $(utctl stat -g b "$T_CTF")"
[ "$(utctl view -f 'b == 1' "$T_CTF" | wc -l)" -eq 2 ] || fail 'b == 1'
