# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Traces of others: clocks, traces that lack what others have, packets of no
# size, directories of indices, and counts of few bits.

. ./common.sh
. ./shared/ctf.sh

# at_times WANT: of all events, in ns.
at_times() {
	got=$(utctl view -j "$T_CTF" | pick ns | tr '\n' ' ')
	[ "$got" = "$1 " ] || fail "times $got, not $1"
}

# No stream block, neither headers nor contexts, and no trace of anything.
cat >"$T_CTF/metadata" <<-END
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; };
event { name = "e:v"; fields := struct { $(int 8 8) a; }; };
END
printf '\1\2' >"$T_CTF/stream"
says 'no stream block' <<-END
e:v { a = 1 }
e:v { a = 2 }
END

# Clocks: each has its own frequency and beginning.
cat >"$T_CTF/metadata" <<-END
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le;
    packet.header := struct { $(int 8 8) stream_id; }; };
clock { name = slow; uuid = "2a6422d0-6cee-11e0-8c08-cb07d7b3a564";
    description = "A \"slow\" one"; freq = 1000; offset_s = 100; offset = 500;
    precision = 10; absolute = TRUE; };
clock { name = fast; freq = 3000000000; offset_s = -1; absolute = FALSE; };
clock { name = usual; offset = 99000000000; };
clock { name = "odd"; freq = 3; offset = 298; };
$(for c in slow fast usual odd; do
	echo "typealias integer { size = 64; align = 8; map = clock.$c.value; }
	    := $c;"
done
n=0
for c in slow fast usual odd; do
	echo "stream { id = $n; event.header := struct { $c timestamp; }; };
	    event { name = \"e:$c\"; stream_id = $n;
	    fields := struct { $(int 8 8) x; }; };"
	n=$((n + 1))
done)
END
rm "$T_CTF/stream"
n=0
for v in 250 7500000001 500000001 4; do
	printf '%s\n' "8 $n" "64 $v" '8 7' | ./prog/bits le >"$T_CTF/s$n" ||
	    fail bits
	n=$((n + 1))
done
# babeltrace2 2.0 divides by zero.
bt2=no
says 'clocks' <<-END
e:fast { x = 7 }
e:usual { x = 7 }
e:odd { x = 7 }
e:slow { x = 7 }
END
at_times '1500000000 99500000001 100666666666 100750000000'
rm "$T_CTF"/s?

# Packets of no size, and without content, as tracers that crash leave them.
cat >"$T_CTF/metadata" <<-END
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le;
    packet.header := struct { $(int 32 8) magic; }; };
stream { packet.context := struct { $(int 32 8) content_size;
    $(int 32 8) packet_size; }; };
event { name = "e:v"; fields := struct { $(int 8 8) a; $(int 8 8) b; }; };
END
packet() {
	printf '%s\n' '32 0xc1fc1fc1' "32 $1" "32 $2"
	shift 2
	for v in "$@"; do
		echo "8 $v"
	done
}
{
	packet 96 128; echo end 16
	packet 112 128 1 2; echo end 16
	packet 96 96; echo end
	packet 112 112 3 4
} | bits le
bt2=
says 'empty packets' <<-END
e:v { a = 1, b = 2 }
e:v { a = 3, b = 4 }
END
# What comes before zeros, or a packet of no size, is there.
for rest in '8=0 end=4' '8=0 end=12' '8=0 end=500' \
    '32=0xc1fc1fc1 32=0 32=0' '32=0xc1fc1fc1 32=0 32=128 end=16' \
    '32=0xc1fc1fc1 32=128 32=0 end=16'; do
	{
		packet 112 128 1 2; echo end 16
		for line in $rest; do
			echo "$line" | tr = ' '
		done
	} | bits le
	expect 1 'stream: ' utctl view "$T_CTF"
	[ "$(wc -l <"$T/err")" -eq 1 ] || fail "zeros: $(cat "$T/err")"
	from_view <"$T/out" >"$T/got"
	echo 'e:v { a = 1, b = 2 }' | expected "zeros: $rest" || exit 1
done

# Indices and hidden files are no streams, and empty files have no events.
mkdir "$T_CTF/index" || exit 1
{ packet 112 128 3 4; echo end 16; } | bits le
echo 'not a packet' >"$T_CTF/index/stream.idx"
echo 'not a packet' >"$T_CTF/.hidden"
: >"$T_CTF/empty"
says 'indices' <<-END
e:v { a = 3, b = 4 }
END
warns 0 .
rm -r "$T_CTF/index" "$T_CTF/.hidden" "$T_CTF/empty" || exit 1

# Counts of few bits begin anew at 0: what was lost between two packets of each
# width, as awk counts it, and the same in a cut.  A wide count that becomes
# less was set back.
meta_more="clock { name = c; freq = 1; }; typealias
    integer { size = 8; align = 8; map = clock.c.value; } := t;"
counts() {	# BITS, "DISCARDED SEQ" ...
	meta_stream="packet.context := struct { t timestamp_begin;
	    t timestamp_end; $(int 8 8) content_size;
	    $(int $1 8 "$sign") events_discarded; $(int $1 8) packet_seq_num; };
	    event.header := struct { t timestamp; };"
	trace $order "$(int 8 8) a;"
	width=$1
	shift
	printf '%s\n' "$@" >"$T/counts"
	awk -v w=$width '{ printf "8 %d\n8 %d\n8 %d\n%d %s\n%d %s\n8 %d\n8 1\n",
	    10 * NR, 10 * NR + 9, 40 + 2 * w, w, $1, w, $2, 10 * NR + 5
	    }' "$T/counts" | bits $order
	awk -v w=$width 'function grew(now, was) {
		return now >= was ? now - was : w < 32 ? now - was + 2 ^ w : 0
	}
	NR > 1 { d += grew($1, was); s = grew($2, seq); p += s > 0 ? s - 1 : 0 }
	{ was = $1; seq = $2 }
	END { printf "{\"events\":%d,\"discarded\":%d,\"lost_packets\":%d}\n",
	    NR, d, p }' "$T/counts" >"$T/want"
	utctl view -jq "$T_CTF" >"$T/got" 2>"$T/err" ||
	    fail "counts of $width bits: $(cat "$T/err")"
	expected "counts of $width bits" <"$T/want"
	rm -rf "$T/cut"
	utctl export -F ctf -o "$T/cut" "$T_CTF" &&
	    utctl view -jq "$T/cut" >"$T/got" || fail "cut of $width bits"
	expected "a cut, counts of $width bits" <"$T/want"
}
for order in le be; do
	for sign in '' 'signed = true;'; do
		counts 8 '0 250' '120 251' '200 254' '2 255' '2 0' '7 3' '6 5'
		counts 16 '0 65530' '65535 65535' '3 1' '3 0'
		counts 32 '0 7' '1000 9' '20 3' '25 4'
		counts 64 '0 7' '1000 9' '20 3' '25 4'
	done
done
# A wide one begins anew, too.
sign=
for w in 32 64; do
	counts $w "0 -3" "0 -2"
	printf '%s\n' '8 10' '8 19' "8 $((40 + 2 * w))" "$w -2" "$w -2" '8 15' \
	    '8 1' '8 20' '8 29' "8 $((40 + 2 * w))" "$w 3" "$w 2" '8 25' '8 1' |
	    bits $order
	[ "$(utctl view -jq "$T_CTF")" = \
	    '{"events":2,"discarded":5,"lost_packets":3}' ] ||
	    fail "$w bits begin anew: $(utctl view -jq "$T_CTF")"
done
