# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl report: 3 million events make a page of at most 4 MB, with at most 64 MB
# of memory, however many names, threads and locks they have; what the page
# tells of them is what the other commands do.

. ./common.sh
need python3

EVENTS=3000000 MB=64
case $CFLAGS in
*-fsanitize*)	EVENTS=300000 MB=10000 ;;	# it keeps what was freed
esac

# page LENGTH FILL THREADS LOCKS: the page of a trace with 1020 such names.
page() {
	rm -rf "$T/trace"
	mkdir "$T/trace" || fail "mkdir"
	./prog/wide "$T/trace" $EVENTS 1020 "$@" || fail "wide"
	python3 - "$T/trace" >"$T/page.html" 2>"$T/kb" <<-'END' ||
	import resource, subprocess, sys
	subprocess.check_call(["utctl", "report", sys.argv[1]])
	r = resource.getrusage(resource.RUSAGE_CHILDREN)
	print(r.ru_maxrss, r.ru_utime, file=sys.stderr)
	END
	    fail "report: $(cat "$T/kb")"
	utctl stat -j "$T/trace" >"$T/stat" &&
	    utctl stat -d -j "$T/trace" >"$T/pairs" || fail "stat"
	size=$(wc -c <"$T/page.html")
	read -r kb cpu <"$T/kb"
	echo "SURVIVED: $*: $size bytes, $kb KB, $cpu s"
	[ "$size" -le 4000000 ] || fail "$*: $size bytes"
	[ "$kb" -le $((MB * 1024)) ] || fail "$*: $kb KB"
}

page 187 x 8 0
python3 shared/page.py "$T/page.html" stat="$T/stat" pairs="$T/pairs" \
    >"$T/out" 2>&1 || fail "$(tail -n 1 "$T/out" | cut -c 1-200)"
page 40 x 128 128
utctl locks -j "$T/trace" >"$T/locks" || fail "locks"
python3 shared/page.py "$T/page.html" stat="$T/stat" pairs="$T/pairs" \
    locks="$T/locks" >"$T/out" 2>&1 || fail "$(tail -n 1 "$T/out" | cut -c 1-200)"

# Names are cut where all would be too long, and nothing else is.
page 199 '<' 128 1000
sed -n 's/.*id="data">//p' "$T/page.html" | sed 's,</script>$,,' |
    python3 -c '
import json, sys
j, stat = json.load(sys.stdin), json.load(open(sys.argv[1]))
assert j["short"]
assert sorted((e["events"], e["bytes"]) for e in j["by_event"]) == \
    sorted((g["events"], g["bytes"]) for g in stat["groups"])
assert 47 in {len(e["name"]) for e in j["by_event"]}
assert j["nbars"] == sum(p["calls"] for p in j["pairs"]) > j["nkept"]
' "$T/stat" 2>"$T/err" || fail "$(tail -n 1 "$T/err" | cut -c 1-200)"
