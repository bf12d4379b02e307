# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl export -F otlp and otlp-logs: what OpenTelemetry reads is what view says
# of the same events, also of several hosts, hostile traces and the killed.

. ./shared/export.sh

# otlp SPANS UNENDED RECORDS OPTION...: so many, whatever is *.
otlp() {
	want="$1 $2 $3"
	shift 3
	python3 "$TOP/regress/shared/otlp.py" "$T/trace" "$@" >"$T/counts" \
	    2>"$T/err" || fail "$*: $(tail -n 3 "$T/err")"
	case $(cat "$T/counts") in
	$want" "*)	;;
	*)		fail "$*: $want: $(cat "$T/counts")" ;;
	esac
}

recorded -- ./prog/pairs
[ "$lost" -eq 0 ] || fail "$lost lost"
otlp 356 21 57
otlp 356 21 57 -N
otlp 361 22 47 -D req:start,req:done,id
otlp 0 0 142 -e 'work:*_begin'
# A pair of -D is not written once more by its names.
for each in '' '-D work:outer_begin,work:outer_end'; do
	utctl export -F otlp $each "$T/trace" |
	    grep -o '"name":"work:outer[_a-z:,]*' | sort | uniq -c
done >"$T/names"
[ "$(wc -l <"$T/names")" -eq 2 ] || fail "$(cat "$T/names")"
for format in otlp otlp-logs; do
	for n in 1 2; do
		utctl export -F $format -D req:start,req:done,id "$T/trace" \
		    >"$T/$n" || fail "export -F $format"
	done
	cmp "$T/1" "$T/2" || fail "-F $format: twice, and not the same"
done
complains '-v: only -F chrome and -F perfetto' utctl export -F otlp -v n \
    "$T/trace"

# Spans of two hosts that have the same key are one trace, from whatever hosts
# are read together.
mkdir "$T/both" && mv "$T/trace" "$T/both/a" || exit 1
recorded -- ./prog/pairs
mv "$T/trace" "$T/both/b" || exit 1
meta=$(find "$T/both/b" -name metadata)
sed 's/hostname = ".*"/hostname = "other"/' "$meta" >"$T/meta" &&
    cp "$T/meta" "$meta" || fail "hostname"
python3 - "$T/both" >"$T/got" 2>&1 <<'END' || fail "hosts: $(tail -n 3 "$T/got")"
import sys, otlp
key = "-D", "req:start,req:done,id"
spans = otlp.exported(sys.argv[1], *key)[0]
ids = lambda l: {(s["traceId"], s["spanId"], s.get("parentSpanId")) for s in l}
assert len({s["spanId"] for s in spans}) == len(spans) == 722
assert ids(spans) == ids(otlp.exported(sys.argv[1] + "/a", *key)[0] +
    otlp.exported(sys.argv[1] + "/b", *key)[0])
traces = {}
for s in spans:
    if "key" in s["own"]:
        traces.setdefault(s["traceId"], []).append((s["own"]["id"],
            s["resource"]["host.name"]))
assert len(traces) == 5, traces
assert all(len(set(l)) == len(l) == 2 and l[0][0] == l[1][0]
    for l in traces.values()), traces
END

# Lines are no longer than readers take.
recorded -m block -- ./prog/pairs 12000
otlp '*' '*' '*'
[ "$(utctl export -F otlp "$T/trace" | wc -l)" -gt 3 ] || fail "one line"

# A program that is killed has spans that have not ended.  It has read the lines
# that count when more has been written than a pipe takes.
printf 'entry %d 1\n' 1 2 3 >"$T/lines" && mkfifo "$T/fifo" || exit 1
recorded -m block -e 'func:*' -- sh -c './prog/named <"$1/fifo" &
    exec 3>"$1/fifo"; cat "$1/lines" >&3; echo exit 3 1 >&3
    yes "say so" | head -n 20000 >&3
    kill -9 $!' sh "$T"
otlp 3 2 0 -e 'func:*'

# Names and strings that are no JSON, values of all kinds, and headers of W3C.
mkdir "$T/hostile" || exit 1
python3 - "$T/hostile" <<'END' || fail "hostile"
import struct, sys
raw = b'"\\\n\t\x01\x7f\xff\xc3(\xe2\x80\xae}]' + b"x" * 900
meta = b"/* CTF 1.8 */ trace{major=1;minor=8;byte_order=le;};" \
    b'env{hostname="h%s";trace_name="%s";boot_id="%s";};' % (3 * (b"".join(
    b"\\%03o" % b for b in raw[:13]),))
for n in 8, 32, 64:
    meta += b"typealias integer{size=%d;align=8;}:=u%d;" % (n, n)
meta += b"clock{name=c;freq=1000000000;};stream{event.header:=struct{u8 id;" \
    b"integer{size=64;align=8;map=clock.c.value;}timestamp;};" \
    b"event.context:=struct{u32 vpid;u32 vtid;string procname;};};"
for i, e in enumerate((b"_begin", b"_end", b"")):
    meta += b'event{name="%s%s";id=%d;loglevel=4;fields:=struct{' % (b"".join(
        b"\\%03o" % b for b in raw), e, i)
    meta += b"string traceparent;string s;u64 u;integer{size=64;align=8;" \
        b"signed=true;}i;floating_point{exp_dig=11;mant_dig=53;align=8;}" \
        b"d[3];struct{u8 x;}in;enum:u8{A=1}e[2];};};"
open(sys.argv[1] + "/metadata", "wb").write(meta)
open(sys.argv[1] + "/stream", "wb").write(b"".join(struct.pack("<BQII", i,
    t * 10**9, 7, 7) + raw[:12] + b"\0" + w + b"\0" + raw + b"y" * 300000 +
    struct.pack("<xQqdddBBB", 2**64 - 1 - t, -2**63 + t, 1, 1e300, float("nan"), 5,
    1, 2) for t, (i, w) in enumerate((
    (0, b"00-" + b"ab" * 16 + b"-" + b"0" * 15 + b"1-01"),
    (2, b""), (0, b"00-" + b"ab" * 16 + b"-" + b"0" * 16 + b"-01"), (1, b""),
    (1, b""), (2, b"cc-" + b"0" * 31 + b"1-" + b"cd" * 8 + b"-00-more"),
    (2, b"00-" + b"AB" * 16 + b"-" + b"cd" * 8 + b"-01"),
    (2, b"00-" + b"0" * 32 + b"-" + b"cd" * 8 + b"-01")))))
END
python3 - "$T/hostile" >"$T/got" 2>&1 <<'END' ||
import sys, otlp
spans, logs = otlp.exported(sys.argv[1])
assert [l.get("traceId", "")[-4:] for l in logs] == ["abab", "0001", "", ""]
assert [l.get("spanId", "")[-4:] for l in logs][1:] == ["cdcd", "", ""]
assert [s["traceId"] for s in spans] == ["ab" * 16] * 2
assert spans[0]["parentSpanId"] == spans[1]["spanId"] == logs[0]["spanId"]
assert spans[1]["parentSpanId"] == "0" * 15 + "1"
name = '"\\\n\t\x01\x7f\ufffd\ufffd(\u202e}]' + "x" * 900
a = spans[1]["own"]
assert spans[1]["name"] == name == logs[0]["body"]["stringValue"]
assert a["s"] == name + "y" * 300000
assert a["u"] == str(2**64 - 1) and a["i"] == -2**63 and a["in"] == {"x": 5}
assert a["d"] == [1.0, 1e300, None] and isinstance(a["d"][0], float)
assert a["e"] == [{"value": 1, "label": "A"}, {"value": 2, "label": None}]
assert spans[1]["resource"]["host.name"] == "h" + name[:11]
assert logs[0]["severityNumber"] == 13 and logs[0]["severityText"] == "warning"
END
    fail "hostile: $(tail -n 1 "$T/got" | cut -c 1-300)"
