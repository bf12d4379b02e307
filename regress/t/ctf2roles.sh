# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces of CTF 2, written by hand: roles, clocks, losses, aliases, names and
# what the metadata may say besides the classes of fields, which ctf2 has.

. ./common.sh
. ./shared/ctf.sh

# babeltrace2 reads CTF 2 since 2.1, and prints some of it in another way.
bt2=no
loc='"length-field-location":{"path":["n"]}'

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
	    v "$(variant2 '{"origin":"packet-header","path":["h","kind"]}')" \
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

# Attributes of babeltrace's are told before LTTng's.
trace2 "$(member a "$u8")"
attr='"babeltrace.org,2020":{"log-level":"error"}'
attr="$attr,"'"lttng.org,2009":{"log-level":"warning","emf-uri":"x:y"}'
sed 's/"name":"e:v",/&"attributes":{'"$attr},/" "$T_CTF/metadata" >"$T/m"
mv "$T/m" "$T_CTF/metadata"
printf '\1' >"$T_CTF/stream"
[ "$(utctl view -j "$T_CTF" | pick level) $(utctl view -j "$T_CTF" |
    grep -c '"emf_uri":"x:y"')" = '3 1' ] ||
    fail "attributes: $(utctl view -j "$T_CTF")"

# Names keep their underscores; white space, escapes, and what is not known.
trace2 "$(members _a "$u8" __b "$u8" 'c \\u0041' "$u8")" \
    '{ "type" : "trace-class",
	"attributes" : { "x" : [ null, true, -1.5e3, "\n" ] },
	"new-in-some-version" : 5 }' '{"type":"data-stream-class"}'
printf '\1\2\3' >"$T_CTF/stream"
says names <<-END
e:v { _a = 1, __b = 2, c A = 3 }
END
