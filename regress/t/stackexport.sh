# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl export -F folded -w and -F pprof: stacks weigh what heap and stat say.

. ./common.sh
. ./shared/stacks.sh

stacks <<'END'
packet 7 7
def 1 0 0 0xa1 0xb1 0xc1
malloc 1 100 0x1000
malloc 1 200 0x1100
def 2 2 0 0xa2
malloc 2 1000 0x2000
free 2 0x2000
sample 2
sample 0
begin 1 1
at 100000
end 2 1
begin 2 2
at 150000
end 1 2
END

# weighs WEIGHT: the lines of -F folded.
weighs() {
	utctl export -N -F folded -w "$1" "$ST" | sort >"$T/got" ||
	    fail "export -w $1"
	expected "$1"
}

weighs events <<'END'
-;0xc1;0xb1;0xa1 4
-;0xc1;0xb1;0xa2 5
END
weighs bytes <<'END'
-;0xc1;0xb1;0xa1 300
END
weighs blocks <<'END'
-;0xc1;0xb1;0xa1 2
END
weighs time <<'END'
-;0xc1;0xb1;0xa1 91000
-;0xc1;0xb1;0xa2 49000
END
utctl export -F folded -w nothing "$ST" 2>/dev/null && fail "-w nothing"
utctl export -w events "$ST" 2>/dev/null && fail "-F chrome -w"

need python3
# pprof WEIGHT: what is in -F pprof.
pprof() {
	utctl export -N -F pprof ${1:+-w "$1"} "$ST" >"$T/pprof" ||
	    fail "export -F pprof -w $1"
	python3 shared/pprof.py "$T/pprof" >"$T/got" || fail "pprof of $1"
	expected "pprof, $1"
}

pprof '' <<'END'
events/count
-;0xc1;0xb1;0xa1 4
-;0xc1;0xb1;0xa2 5
END
pprof bytes <<'END'
inuse_objects/count inuse_space/bytes alloc_objects/count alloc_space/bytes
-;0xc1;0xb1;0xa1 2 300 2 300
-;0xc1;0xb1;0xa2 0 0 1 1000
END
pprof time <<'END'
contentions/count delay/nanoseconds
-;0xc1;0xb1;0xa1 1 91000
-;0xc1;0xb1;0xa2 1 49000
END
# Modules have build IDs where these are known, and any bytes in their names.
odd=$(printf '/no/"\303(\033;x\377')
stacks <<END
packet 7 7
module 0x1000 0x100 $odd 1 171 255
module 0x2000 0x100 /no/id
def 1 0 0 0x1010 0x2010 0x9000
v 1 1
END
utctl export -F pprof "$ST" >"$T/pprof" 2>/dev/null || fail "export -F pprof"
python3 shared/pprof.py "$T/pprof" | sed -n "/^module/s/ *$//p" >"$T/got" ||
    fail "pprof of modules"
expected modules <<'END'
module '/no/"\ufffd(\x1b;x\ufffd' 01abff
module '/no/id'
END
# The samples of -F chrome, as the profiles of V8 that Perfetto reads.
stacks <<'END'
packet 7 7
def 1 0 0 0xa1 0xb1
sample 1
at 50000
sample 1
packet 7 8
def 2 0 0 0xa2 0xb1
def 3 1 0 0xa3
sample 3
sample 2
v 2 2
END
utctl export -N "$ST" >"$T/chrome" || fail "export -F chrome"
python3 - "$T/chrome" >"$T/got" <<'END' || fail "chrome"
import json, sys
nodes, at = {}, {}
for e in json.load(open(sys.argv[1]))["traceEvents"]:
    if e["ph"] != "P":
        continue
    d, who = e["args"]["data"], (e["tid"], e["id"])
    if e["name"] == "Profile":
        at[who] = d["startTime"]
        continue
    for n in d["cpuProfile"]["nodes"]:
        up = nodes.get((who, n.get("parent")), ())
        nodes[who, n["id"]] = up + (n["callFrame"]["functionName"],)
    at[who] += d["timeDeltas"][0]
    assert abs(at[who] - e["ts"]) <= 1
    print(e["tid"], *nodes[who, d["cpuProfile"]["samples"][0]])
END
expected chrome <<'END'
7 0xb1 0xa1
7 0xb1 0xa1
8 0xb1 0xa3
8 0xb1 0xa2
END
command -v protoc >/dev/null 2>&1 || exit 0
protoc --decode_raw <"$T/pprof" >/dev/null || fail "protoc"
exit 0
