# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The lines of view -j have what ut_json(5) promises, and sqlite3 takes them
# as that page shows; others have what the page lets them have as columns.

. ./common.sh
need python3

recorded -- ./prog/pairs
mv "$T/trace" "$T/web.trace" || exit 1
utctl view -j "$T/web.trace" >"$T/plain" && utctl view -jO "$T/web.trace" \
    >"$T/lines" || fail "view"
python3 - "$T" "$TOP/man/ut_json.5" "$T/web.trace" <<'END' >"$T/got" 2>&1 ||
import glob, json, re, sys
plain, lines = ([json.loads(l) for l in open(sys.argv[1] + "/" + f, "rb")
    .read().decode().split("\n")[:-1]] for f in ("plain", "lines"))
meta = open(glob.glob(sys.argv[3] + "/**/metadata", recursive=True)[0],
    errors="replace").read()
env = dict(re.findall(r'^\t(hostname|trace_name|boot_id|uuid) = "(.*)"', meta,
    re.M))
want = {"host": env["hostname"], "session": env["trace_name"],
    "trace": env["uuid"]}
if "boot_id" in env:
    want["boot_id"] = env["boot_id"]
for p, l in zip(plain, lines, strict=True):
    assert l == {**p, **want}, (p, l, want)
    assert {"ns", "time", "event", "fields"} <= set(l)
# Columns of the tables that the page defines are members.
page = open(sys.argv[2]).read()
rows = set(re.findall(r"\w+", " ".join(re.findall(r"^\.It Va (.*?) Ta",
    page.split(".Ss view -j")[1].split(".Ss top -j")[0], re.M))))
table = re.search(r"CREATE TABLE ut \((.*?)ENGINE", page, re.S).group(1)
names = re.findall(r"`?(\w+)`? (?:LowC|Int64|String|Nullable|UInt64)", table)
duck = re.findall(r"(\w+): '[A-Z]+'", page)
assert len(names) == 19 and len(duck) == 8, (names, duck)
assert set(names) | set(duck) <= rows, set(names + duck) - rows
END
    fail "$(tail -n 1 "$T/got" | cut -c 1-600)"
complains '-O: only the events of -j' utctl view -O "$T/web.trace"
complains '-O: only the events of -j' utctl view -jqO "$T/web.trace"

# A session that is followed has the same lines.
start_utd
utctl create -o "$T/s" s >/dev/null && utctl enable-event 'seq:*' >/dev/null &&
    utctl start >/dev/null || fail "s"
utctl view -F -jO s >"$T/followed" 2>"$T/err" &
CHILDREN="$CHILDREN $!"
./prog/seq 1 3 100 && utctl stop >/dev/null || fail "seq"
wait $! || fail "view -F: $(cat "$T/err")"
utctl view -jO "$T/s" | LC_ALL=C sort >"$T/a"
LC_ALL=C sort "$T/followed" | cmp - "$T/a" && [ -s "$T/a" ] &&
    ! grep -vq '"session":"s","trace":"' "$T/a" || fail "followed"
stop_utd || fail "utd: status $?"

need sqlite3
awk '/^\.Ss sqlite3/ { on = 1 } /^\.Ed/ { on = 0 } on && /^\.Bd/ { on = 2; next }
on != 2 { next }
/^\$ cat/ { code = 1 }
{ gsub(/\\&/, ""); sub(/^\$ /, ""); print }' "$TOP/man/ut_json.5" \
    >"$T/commands" && [ "$(wc -l <"$T/commands")" -gt 15 ] || fail "no block"
sed -i.bak 's/\$\.status/$.id/' "$T/commands"
(cd "$T" && . ./commands) >"$T/out" 2>&1 || fail "$(cat "$T/out")"
grep -q '|req:start|5|50$' "$T/out" || fail "$(cat "$T/out")"
awk -F '|' '{ n += $3 } END { exit n != '"$(wc -l <"$T/lines")"' }' "$T/out" ||
    fail "rows: $(cat "$T/out")"
