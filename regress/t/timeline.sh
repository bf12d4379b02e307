# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl export -F chrome and -F perfetto of traces by hand: arrows from thread to
# thread, counters, losses and pairs that stay open, and names of all bytes.

. ./shared/gone.sh
. ./shared/export.sh

# told TRACE OPTION...: what both formats have, for a look.
told() {
	dir=$1
	shift
	for format in chrome perfetto; do
		utctl export -F $format "$@" "$dir" >"$T/$format" 2>"$T/err" ||
		    fail "export -F $format: $(cat "$T/err")"
	done
	python3 - "$T" >"$T/got" 2>"$T/err" <<-'END' || fail "$*: $(cat "$T/err")"
	import sys, timeline
	t, u = (getattr(timeline, f)(open(sys.argv[1] + "/" + f, "rb").read())
	    for f in ("chrome", "perfetto"))
	timeline.agree(t, u)
	def s(ns):
	    return "-" if ns is None else ns // 10**9
	for b in sorted(t.bars + t.keyed, key=lambda b: b[0]):
	    print(*map(s, b[:2]), b[3], b[4].replace("\n", " "), *(["unended"] if b[6] is True
	        else [b[6]] if b[6] else []))
	for a in sorted(t.arrows):
	    print(a[6], "from", a[2], s(a[0]), "to", a[5], s(a[3]))
	for c in sorted(t.counters):
	    print(s(c[0]), c[2], "=", c[3])
	for l in sorted(t.losses):
	    print(*map(s, l[:2]), *l[2:])
	END
}

# Thread 2 asks for the lock of thread 1, which releases it; then 1 asks again,
# in vain.  A pair with a key goes from thread to thread, another one does not.
trace arrows <<-END
	c_0 0 10 40 0 0 6 10 1 7 11 1 8 20 1 6 25 1 7 33 1 8 34 1
	c_1 1 12 31 0 0 6 12 2 7 21 2 8 30 2
	c_2 2 13 24 0 0 2 13 327681 3 14 327681 2 15 393217
	c_3 3 16 24 0 0 3 24 393218
END
told "$T/arrows" -D q:open,q:close,k
expected arrows <<'END'
10 11 1 mutex
12 21 2 mutex
13 14 1 q:open,q:close,k
15 24 1 q:open,q:close,k
25 33 1 mutex
q:open,q:close,k from 1 15 to 2 24
lock from 1 20 to 2 21
lock from 2 30 to 1 33
END
# The same, by stat.
utctl stat -d -j -D pthread:mutex_request,pthread:mutex_acquired \
    "$T/arrows" >"$T/out" || fail "stat"
grep -q '"calls":3,"total_ns":"18000000000"' "$T/out" ||
    fail "stat: $(cat "$T/out")"

# What one event begins ends in any order, whatever -D names first.
all=pthread:mutex_request,pthread:mutex_release
got=pthread:mutex_request,pthread:mutex_acquired
for order in "-D $all -D $got" "-D $got -D $all"; do
	told "$T/arrows" $order
	grep pthread "$T/got" | sort >"$T/bars"
	cat <<-END | sort | diff - "$T/bars" >"$T/diff" ||
	10 11 1 $got
	10 20 1 $all
	12 21 2 $got
	12 30 2 $all
	25 33 1 $got
	25 34 1 $all
	END
	    fail "$order: $(cat "$T/diff")"
done

# A release that is not told is nobody's.
trace unseen <<-END
	c_0 0 10 20 0 0 6 10 1 7 11 1 8 20 1
	c_1 1 12 40 0 0 6 12 2 7 21 2
	c_2 2 13 40 0 0 6 13 3 7 31 3
END
told "$T/unseen"
expected unseen <<'END'
10 11 1 mutex
12 21 2 mutex
13 31 3 mutex
lock from 1 20 to 2 21
END

# What is open at a loss is cut there; what is open at the end stays open.
trace losses <<-END
	c_0 0 10 20 0 0 0 10 1 0 12 2 0 14 3 1 16 3
	c_0 0 30 40 1 5 0 31 7 0 33 4 1 36 5 0 38 6
	c_0 0 45 60 2 5 0 46 7 0 47 4 1 50 4
	c_1 1 15 60 0 0 0 17 65537 1 55 65538
END
told "$T/losses" -v k
grep -v ' k = ' "$T/got" >"$T/some" && mv "$T/some" "$T/got"
expected losses <<'END'
10 20 1 p:x unended
12 20 2 p:x unended
14 16 3 p:x
17 20 1 p:x unended
46 - 7 p:x
47 50 4 p:x
20 40 events discarded 5
END
told "$T/losses" -e p:x_end -v k
expected counters <<'END'
16 p:x_end k = 0.0
36 p:x_end k = 0.0
50 p:x_end k = 0.0
55 p:x_end k = 1.0
20 40 events discarded 5
END
utctl export -v none "$T/losses" >"$T/out" 2>"$T/err"
grep -qx 'utctl: -v none: no field of any event' "$T/err" ||
    fail "-v: $(cat "$T/err")"
complains '-v: only -F chrome and -F perfetto' utctl export -F folded -v k \
    "$T/losses"

# Names of events, fields, programs and modules that would end a string, or are
# long; and a string of a field.
mkdir "$T/hostile" || exit 1
for kind in tsdl ctf2; do
	python3 - "$T/hostile" $kind <<-'END' || fail "hostile"
	import json, struct, sys
	name = '"\\\n\t\x01\x7f\x9b\u202e</script>\U0001f600,}{][:'
	name += "x" * (900 if sys.argv[2] == "tsdl" else 4000)
	raw = name.encode() + (b"\xff\xc3(" if sys.argv[2] == "tsdl" else b"")
	field = "f" * 4000 if sys.argv[2] == "tsdl" else name
	types = (("u8", 8), ("u32", 32), ("u64", 64))
	if sys.argv[2] == "tsdl":
	    c = b"".join(b"\\%03o" % b for b in raw)
	    meta = b"/* CTF 1.8 */ trace{major=1;minor=8;byte_order=le;};"
	    for t, n in types:
	        meta += b"typealias integer{size=%d;align=8;}:=%s;" % (n,
	            t.encode())
	    meta += b"clock{name=c;freq=1000000000;};stream{event.header:="
	    meta += b"struct{u8 id;integer{size=64;align=8;map=clock.c.value;}"
	    meta += b" timestamp;};event.context:=struct{u32 vpid;u32 vtid;"
	    meta += b"string procname;};};"
	    for i, e in enumerate((b"_begin", b"_end", b"")):
	        meta += b'event{name="%s%s";id=%d;fields:=struct{string %s;' \
	            b"u32 n;};};" % (c, e, i, field.encode())
	else:
	    def integer(bits, **more):
	        return dict(type="fixed-length-unsigned-integer", length=bits,
	            alignment=8, **{"byte-order": "little-endian"}, **more)
	    def record(**members):
	        return {"type": "structure", "member-classes": [{"name": n,
	            "field-class": c} for n, c in members.items()]}
	    text = {"type": "null-terminated-string"}
	    parts = [dict(type="preamble", version=2), dict(type="trace-class"),
	        {"type": "clock-class", "id": "c", "frequency": 10**9,
	        "origin": "unix-epoch"}, {"type": "data-stream-class",
	        "default-clock-class-id": "c",
	        "event-record-header-field-class": record(id=integer(8,
	        roles=["event-record-class-id"]), timestamp=integer(64,
	        roles=["default-clock-timestamp"])),
	        "event-record-common-context-field-class": record(
	        vpid=integer(32), vtid=integer(32), procname=text)}]
	    for i, e in enumerate(("_begin", "_end", "")):
	        parts.append({"type": "event-record-class", "id": i,
	            "name": name + e, "payload-field-class": record(
	            **{field: text, "n": integer(32)})})
	    meta = b"".join(b"\x1e" + json.dumps(p).encode() + b"\n"
	        for p in parts)
	open(sys.argv[1] + "/metadata", "wb").write(meta)
	data, long = b"", b"y" * 300000
	for t, i in (1, 0), (2, 2), (3, 1), (4, 0), (5, 2):
	    data += struct.pack("<BQII", i, t * 10**9, 7, 7) + raw[:12] + \
	        b"\0" + raw + long + b"\0" + struct.pack("<I", t)
	open(sys.argv[1] + "/stream", "wb").write(data)
	good = raw.decode(errors="replace")
	json.dump([good, field, raw[:12].decode(errors="replace")],
	    open(sys.argv[1] + "/../want.json", "w"))
	END
	for format in chrome perfetto; do
		utctl export -F $format -v n "$T/hostile" >"$T/out" \
		    2>"$T/err" || fail "hostile: $kind: $(cat "$T/err")"
		python3 - $format "$T" 2>"$T/err" <<-'END' ||
		import json, sys, timeline
		t = getattr(timeline, sys.argv[1])(open(sys.argv[2] + "/out",
		    "rb").read())
		name, field, prog = json.load(open(sys.argv[2] + "/want.json"))
		s, text = 10**9, name + "y" * 300000
		assert [b[:2] + b[4:] for b in t.bars] == [
		    (s, 3 * s, name, {field: text, "n": 1}, {"n": 3}),
		    (4 * s, None, name, {field: text, "n": 4}, {})]
		assert [i[3:] for i in t.instants] == [
		    (name, {field: text, "n": 2}), (name, {field: text, "n": 5})]
		assert sorted({c[2] for c in t.counters}) == sorted(name + e
		    for e in (" n", "_begin n", "_end n"))
		assert {n[-1] for n in t.names.values()} == {prog}, t.names
		END
		    fail "hostile: $format: $kind: $(tail -n 1 "$T/err" |
			cut -c 1-300)"
	done
done

# Fields that are too long to be kept until bars end.
python3 -c '
import struct, sys
data = b""
for t in range(40):
    data += struct.pack("<BQII", t // 20, t * 10**9, 7, 7) + b"p\0" + \
        b"y" * (1 << 20 >> t // 20 * 20) + b"\0" + struct.pack("<I", t)
open(sys.argv[1], "wb").write(data)' "$T/hostile/stream"
told "$T/hostile"
[ "$(sed 's/ 7 .*//' "$T/got" | tr '\n' ' ' | head -c 14)" = "0 39 1 38 2 37" ] &&
    [ "$(wc -l <"$T/got")" -eq 20 ] || fail "long: $(cut -c 1-60 "$T/got")"
n=$(grep -c '"ph":"E"' "$T/chrome")
[ "$n" -gt 2 ] && [ "$n" -lt 8 ] || fail "long: $n are not kept"

# It is protobuf for others, too.
! command -v protoc >/dev/null 2>&1 ||
    protoc --decode_raw <"$T/perfetto" >/dev/null || fail "protoc"

# Names are forgotten from time to time.
awk 'BEGIN { for (i = 1; i < 25000; i++) printf "entry %d 1\nexit %d 1\n",
    i, i }' >"$T/many"
recorded -m block -e 'func:*' -- sh -c './prog/named <"$1"' sh "$T/many"
told "$T/trace"
[ "$(wc -l <"$T/got")" -eq 24999 ] || fail "many: $(tail -n 1 "$T/got")"

# The example of the README: each event takes few bytes, and each wait for the
# lock that another thread ended has an arrow.  A wrapper with a sanitizer in it
# cannot be preloaded.
case $CFLAGS in
*-fsanitize*)	exit 0 ;;
esac
[ -f ../libut/libut-pthread.so ] || exit 0
sed -n '/\$ cat work.c$/,/\$ cc /p' ../README | sed '1d;$d;s/^	//' \
    >"$T/work.c" && $CC $CFLAGS -I../libut -o "$T/work" "$T/work.c" \
    -L../libut -lut $LIBS -Wl,-rpath,"$TOP/libut" || fail "cannot build work"
recorded -w pthread -- "$T/work"
[ "$lost" -eq 0 ] || fail "$lost lost"
check all
utctl export "$T/trace" >"$T/out" || fail "work: status $?"
python3 - "$T/out" "$(utctl view "$T/trace" | wc -l)" >"$T/got" \
    2>&1 <<-'END' || fail "work: $(tail -n 1 "$T/got")"
	import re, sys, timeline
	text = open(sys.argv[1]).read()
	t = timeline.chrome(text)
	waits = [b for b in t.bars if b[4] == "mutex"]
	late = [b for b in waits if b[1] - b[0] > 300000]
	ends = {a[3:6] for a in t.arrows}
	assert len(waits) >= 200 and len(t.arrows) < len(waits)
	assert all(b[1:4] in ends for b in late), (len(late), len(ends))
	# IDs of five digits.
	text = re.sub(r'("[pt]id":\d{1,5})\d*', r"\1", text)
	mean = (len(text) - 190 * len(t.arrows) / 2) / int(sys.argv[2])
	assert mean < 90, (mean, len(text), sys.argv[2], len(t.arrows))
END

# As speedscope has it, if its package is in that directory.  To speedscope, bars
# of which one begins when the other ends, to the nanosecond, may be one.
[ -d "${SPEEDSCOPE:-}" ] && command -v node >/dev/null 2>&1 || exit 0
node shared/speedscope.js "$SPEEDSCOPE" "$T/out" >"$T/got" 2>"$T/err" ||
    fail "speedscope: $(cat "$T/err")"
utctl stat -d -j "$T/trace" | python3 -c '
import json, sys
for p in json.load(sys.stdin)["pairs"]:
    print(p["by"]["pair"], "%.3f" % (int(p["total_ns"]) / 1000))
print("warnings 0")' >"$T/want"
sed '/^mutex /d; s/ [0-9]* \([0-9]*[.]\)/ \1/' "$T/got" >"$T/some" &&
    mv "$T/some" "$T/got"
expected speedscope <"$T/want"
