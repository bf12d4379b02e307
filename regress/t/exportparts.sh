# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl export -F ctf of packets that cannot stay as they are when events are
# left out: their parts tell when they begin, in the bits that there are, and
# the last one tells what was discarded.

. ./common.sh
. ./shared/ctf.sh

# cut SELECTION...: what view prints of the cut and of the whole is the same.
cut() {
	rm -rf "$T/cut"
	utctl export -F ctf -o "$T/cut" "$@" "$T_CTF" >"$T/out" 2>&1 ||
	    fail "export $*: $(cat "$T/out")"
	utctl view "$@" "$T_CTF" >"$T/want" 2>"$T/want.err" ||
	    fail "view $*: $(cat "$T/want.err")"
	utctl view "$T/cut" >"$T/got" 2>"$T/got.err" ||
	    fail "$*: $(cat "$T/got.err")"
	expected "$*" <"$T/want"
	[ -s "$T/want" ] || fail "$*: nothing"
	! command -v babeltrace2 >/dev/null 2>&1 || [ "${bt2-}" = no ] || {
		babeltrace2 --clock-seconds "$T/cut" 2>"$T/bt2.err" |
		    sed 's/^\[\([0-9.]*\)\].*/\1/' >"$T/got"
		utctl view -o epoch "$@" "$T_CTF" 2>/dev/null >"$T/want"
		expected "$*: babeltrace2: $(head -c 600 "$T/bt2.err")" <"$T/want"
	}
	utctl export -F ctf -o "$T/again" "$T/cut" >"$T/out" 2>&1 ||
	    fail "$*, again: $(cat "$T/out")"
	diff -r "$T/cut" "$T/again" >"$T/diff" ||
	    fail "$*, again: $(head -n 3 "$T/diff")"
	rm -rf "$T/again"
}
# packets BEGINBITS: each line on stdin is begin, end, what is discarded so far,
# and events as time:k; the time has 12 bits.
packets() {
	while read -r begin end discarded events; do
		printf '%s %d\n' "$1" "$begin" 64 "$end" content 32 size 32 \
		    16 "$discarded"
		for e in $events; do
			printf '16 %d\n8 %d\n' $((${e%:*} % 65536)) "${e#*:}"
		done
		echo end
	done | bits le
}

# What is lost behind the last event of a packet is lost behind its last part.
meta_more="clock { name = c; freq = 1; };
    typealias integer { size = 16; align = 8; map = clock.c.value; } := t16;
    typealias integer { size = 64; align = 8; map = clock.c.value; } := t64;"
context() {
	meta_stream="packet.context := struct { $1 timestamp_begin;
	    t64 timestamp_end; $(int 32 8) content_size;
	    $(int 32 8) packet_size; $(int 16 8) events_discarded; };
	    event.header := struct { t16 timestamp; };"
	trace le "$(int 8 8) k;"
}
context t64
lost='1000 2000 0 1500:1
2000 250000 5 2100:1 60000:0 120000:0 180000:0 200000:1
250000 260000 7 250001:1'
echo "$lost" | packets 64
cut -f 'k == 1'
utctl view -j "$T/cut" 2>&1 | sed -n \
    's/0*",".*//; s/.*discarded":\([0-9]*\),"from":"\([0-9]*\)0\{9\}","to":"\([0-9]*\)0\{9\}.*/\1 \2 \3/p' \
    >"$T/got"
utctl view -j "$T/cut" | sed -n \
    's/.*discarded":\([0-9]*\),"from":"\([0-9]*\)0\{9\}","to":"\([0-9]*\)0\{9\}.*/\1 \2 \3/p' \
    >"$T/got"
expected 'lost' <<-END
	5 2100 250000
	2 250000 260000
END
for d in "$T_CTF" "$T/cut"; do
	expect 0 ' 7 discarded' utctl stat "$d"
done

# Packets of no events carry the time on where it begins with 16 bits, of which
# babeltrace2 takes each for the whole time.
bt2=no
context t16
far='1000 2000 0 1500:1
2000 40000 0 2100:1 40000:0
60000 61000 0 60001:0
120000 130000 0 120001:0
180000 190000 2 180001:0
240000 250000 2 240001:0
300000 350000 2 300001:1 340000:0 350000:1'
echo "$far" | packets 16
cut -f 'k == 1'
cut -f 'k == 0'
cut -b @300001
cut

# Neither begin nor end: what is to be done is said.
bt2=
meta_stream="event.header := struct { t16 timestamp; };"
trace le "$(int 8 8) k;"
bits le <<-END
16 100
8 1
16 40000
8 0
16 39999
8 1
END
expect 1 'do not tell when they begin.*: select by -u alone' \
    utctl export -F ctf -o "$T/none" -f 'k == 1' "$T_CTF"
[ ! -e "$T/none" ] || fail "left $(ls -R "$T/none")"
cut -u @40000

# CTF 2: times of LEB128 get as many bytes as they need.
order=little
bt2=no
leb() {
	echo "{\"type\":\"variable-length-unsigned-integer\",
	    \"roles\":[\"$1\"]}"
}
role() {
	echo "$(fixed unsigned-integer "$1" "\"alignment\":8,\"roles\":[\"$2\"]")"
}
for align in 8 16 64; do
	content='0xa8 1'
	[ $align -lt 64 ] || content='0xc8 3'
	trace2 "$(member k "{\"type\":\"fixed-length-unsigned-integer\",
	    \"length\":8,\"alignment\":$align,
	    \"byte-order\":\"little-endian\"}")" \
	    '{"type":"clock-class","id":"c","frequency":1,"origin":
	    "unix-epoch"}' "{\"type\":\"data-stream-class\",
	    \"default-clock-class-id\":\"c\",
	    \"packet-context-field-class\":$(structure 8 \
		b "$(leb default-clock-timestamp)" \
		e "$(leb packet-end-default-clock-timestamp)" \
		c "$(leb packet-content-length)" \
		p "$(role 16 packet-total-length)"),
	    \"event-record-header-field-class\":$(structure 8 \
		t "$(role 8 default-clock-timestamp)")}"
	{
		# Begins at 100, ends at 600; then what is 8 bits of time.
		printf '8 %d\n' 100 0xd8 0x04 $content; echo 'size 16'
		for e in 110:1 250:0 104:0 200:0 50:1 60:0 70:1; do
			printf '%s\n' "8 ${e%:*}" "align $align" "8 ${e#*:}"
		done
		echo end
	} | bits le
	cut -f 'k == 1'
	utctl view -o epoch "$T/cut" >"$T/got"
	printf '%d.000000000\n' 110 562 582 | expected "LEB128, $align" || exit 1
	cut -f 'k == 0'
	cut -n 3
	cut
done
