# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl export: python3 parses what it writes, and compares it with what view
# and stat say of the same events.

. ./shared/export.sh

recorded -- ./prog/pairs
[ "$lost" -eq 0 ] || fail "$lost lost"
check all
[ $nview -eq "$events" ] && [ $nB -eq 356 ] && [ $nE -eq 355 ] &&
    [ $nfolded -ge 4 ] || fail "counts: $(cat "$T/counts")"
check all -N
check all -t '*' -e 'work:*' -e 'call:*'
check all -e 'call:*' -x 'call:none'
# Ends that are not selected: the beginnings are instants.
check all -e 'work:*_begin'
[ $nB -eq 0 ] || fail "B without E: $(cat "$T/counts")"
check all -D req:start,req:done,id
[ "$nb $ne" = "5 4" ] || fail "by a key: $(cat "$T/counts")"
check all -D req:start,req:done,key -e 'req:*'
[ "$nB $nb $ne" = "0 5 4" ] || fail "only by a key: $(cat "$T/counts")"

# An end without the field: there are no bars, and that is said as stat says it.
field=req:start,work:outer_end,id
for c in 'export' 'export -F folded' 'stat' 'view -i'; do
	utctl $c -D $field "$T/trace" >"$T/out" 2>"$T/err" || fail "$c: -D"
	grep -qx 'utctl: -D work:outer_end: the event has no field id' \
	    "$T/err" || fail "$c: $(cat "$T/err")"
done
utctl export -D $field -D req:start,work:none,id "$T/trace" 2>"$T/err" |
    grep -q '"ph":"[be]"' && fail "bars of what never ends"
grep -qx "utctl: -D 'work:none': no event of the trace has such a name" \
    "$T/err" || fail "no such event: $(cat "$T/err")"
utctl export -D req:start,req:done,id -e req:start "$T/trace" |
    grep -q '"ph":"[be]"' && fail "bars whose ends are not selected"

# A filter of the beginning brings the end, too.
nested() {
	utctl export -e 'work:outer*' -f "$1" "$T/trace" | python3 -c '
import sys, timeline
t = timeline.chrome(sys.stdin.read())
print(len(t.bars), len([b for b in t.bars if b[1] is None]))'
}
[ "$(nested 'kind == "nested"')" = "47 0" ] || fail "-f: $(nested \
    'kind == "nested"')"
[ "$(nested 'n < 0')" = "1 1" ] || fail "-f: $(nested 'n < 0')"
# So do stacks, as stat counts them.
utctl export -F folded -e 'work:outer*' -f 'kind == "nested"' "$T/trace" |
    awk '{ n += $2 } END { printf "%d\n", n }' >"$T/got"
utctl stat -d -j -e 'work:outer*' -f 'kind == "nested"' "$T/trace" |
    sed 's/"slowest".*//; s/.*"self_ns":"\([0-9]*\)".*/\1/' >"$T/want"
cmp -s "$T/got" "$T/want" || fail "folded -f: $(cat "$T/got" "$T/want")"

# Strings and names of all bytes; a name of a program and of a pair that would
# end the string, or the stack.
cp -R "$T/trace" "$T/odd"
chmod -R u+w "$T/odd"
meta=$(find "$T/odd" -name metadata)
sed 's/"work:outer_/"work;o \\"ut\\\\er\\n_/; s/"call:/"\\377\\302\\233:/
s/"req:start"/"\\t\\001[31m"/' "$meta" >"$T/meta" && cp "$T/meta" "$meta"
odd() {
	utctl export -F "$1" "$T/odd" >"$T/out" || fail "odd: status $?"
	python3 -c '
import sys, timeline
t = getattr(timeline, sys.argv[1])(open(sys.argv[2], "rb").read())
names = {b[4] for b in t.bars}
assert "work;o \"ut\\er\n" in names, names
names = {i[3] for i in t.instants}
assert "\t\x01[31m" in names, names
' "$1" "$T/out" 2>"$T/err" || fail "odd $1: $(cat "$T/err")"
}
odd chrome
odd perfetto
utctl export -F folded "$T/odd" >"$T/out" || fail "odd: status $?"
LC_ALL=C grep -q '[^ -~]' "$T/out" && fail "odd: raw: $(cat "$T/out")"
grep -v '^[^ ;][^ ]* [0-9][0-9]*$' "$T/out" && fail "odd: $(cat "$T/out")"
grep -q '^pairs;work:o_"ut' "$T/out" || fail "odd: $(cat "$T/out")"
cp prog/quote "$T/q\"\\;u
" || fail "cp"
bytes=$(awk 'BEGIN { for (i = 1; i < 256; i++) printf "%c", i }')
recorded -- "$T/q\"\\;u
" "$bytes" "$(printf '\303(\355\240\200')"
check all
[ $nview -eq 4 ] || fail "$nview strings"

# Fields that have the names of members: all values are there.
mkdir "$T/names" || fail "mkdir"
python3 - "$T/names" <<'END' || fail "names"
import json, struct, sys
def number(**more):
    return {"type": "fixed-length-unsigned-integer", "length": 32,
        "alignment": 8, "byte-order": "little-endian", **more}
def structure(**members):
    return {"type": "structure", "member-classes": [{"name": k,
        "field-class": v} for k, v in members.items()]}
fields = structure(**{k: number() for k in ("n", "end", "end_", "unended",
    "$context")})
with open(sys.argv[1] + "/metadata", "w") as f:
    for fragment in (
        {"type": "preamble", "version": 2},
        {"type": "clock-class", "id": "c", "frequency": 10 ** 9},
        {"type": "data-stream-class", "default-clock-class-id": "c",
        "event-record-header-field-class": structure(
            id=number(roles=["event-record-class-id"]),
            t=number(roles=["default-clock-timestamp"])),
        "event-record-common-context-field-class": structure(c=number())},
        *({"type": "event-record-class", "id": i, "name": name,
        "payload-field-class": fields} for i, name in
            enumerate(("a:x_begin", "a:x_end", "a:y_begin", "a:y_end")))):
        f.write("\x1e" + json.dumps(fragment) + "\n")
with open(sys.argv[1] + "/stream", "wb") as f:
    # The pair a:y ends and has no end.
    for i, event in enumerate((0, 1, 2, 0, 1, 2, 2, 3, 0, 2, 1)):
        f.write(struct.pack("<8I", event, 100 + i, 7, i, 20, 30, 40, 50))
END
utctl export "$T/names" >"$T/out" || fail "names: status $?"
python3 - "$T/out" <<'END' || fail "names: $(cat "$T/out")"
import json, sys, timeline
j = json.load(open(sys.argv[1]), object_pairs_hook=timeline.unique)
n = [0, 0]
for e in j["traceEvents"]:
    if e["ph"] in "XB":
        args = e["args"]
        assert [args[k] for k in ("end", "end_", "unended", "$context")] == \
            [20, 30, 40, 50] and args["$context_"] == {"c": 7}, args
        n[0] += args.get("end__") == {"n": args["n"] + 1}
        n[1] += args.get("unended_") is True
assert n == [3, 1], n
END
utctl export -F perfetto "$T/names" >"$T/out" || fail "names: status $?"
python3 - "$T/out" <<'END' || fail "names: perfetto"
import sys, timeline
notes = {}
for _, p in timeline.fields(open(sys.argv[1], "rb").read()):
    p = timeline.message(p)
    for i in map(timeline.message, p.get(12, [])):
        for n in map(timeline.message, i.get(3, [])):
            notes[n[1][0]] = n[2][0].decode()
    e = timeline.message(p[11][0]) if 11 in p else {}
    got = timeline.annotations(e.get(4, []), notes)
    if e.get(9) == [1]:
        assert set(got) == {"n", "end", "end_", "unended", "$context",
            "$context_"}, got
    elif e.get(9) == [2]:
        assert set(got) in ({"end__"}, {"unended_"}), got
END

# What is damaged, or not read to its end.
recorded -- ./prog/pairs 200
for f in $(find "$T/trace" -name '*_*' -type f); do
	size=$(wc -c <"$f")
	dd if="$f" of="$T/cut" bs=1 count=$((size * 2 / 3)) 2>/dev/null
	cp "$T/cut" "$f"
done
utctl export "$T/trace" >"$T/out" 2>"$T/err" && fail "damage: status 0"
grep -q . "$T/err" || fail "damage is not told"
python3 -c 'import json, sys
json.load(open(sys.argv[1]))' "$T/out" 2>"$T/err" ||
    fail "damage: $(tail -n 1 "$T/err")"
: >"$(find "$T/trace" -name metadata)"
utctl export "$T/trace" >"$T/out" 2>/dev/null && fail "no metadata: status 0"
python3 -m json.tool "$T/out" >/dev/null 2>&1 || fail "no metadata: no JSON"

# Names of functions.
case $CC,$CFLAGS in
*-m32*|*-fsanitize*)	;;
*)	$CC -finstrument-functions -o "$T/funcs" prog/funcs.c \
	    "$TOP/libut/libut-func.o" "$TOP/libut/libut.a" $LIBS ||
	    fail "cannot build funcs"
	recorded -b 64k -n 512 -e 'func:*' -e ut:module -- "$T/funcs"
	[ "$lost" -eq 0 ] || fail "$lost lost"
	check all
	utctl export -F folded "$T/trace" >"$T/out"
	if grep -q '"addr_sym"' <<-END
	$(utctl view -j -n 20 "$T/trace")
	END
	then
		grep -q '^funcs;.*(funcs);.*(funcs) [0-9]*$' "$T/out" ||
		    fail "no names: $(head -n 3 "$T/out")"
		utctl export -N "$T/trace" | grep -q '_sym' && fail "-N"
		check all -N
	fi ;;
esac
