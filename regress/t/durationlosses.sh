# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl stat -d: where events are lost, what was open then is left out.  Nobody
# makes room.

. ./common.sh

start_utd
utctl create -o "$T/loss" s >/dev/null && utctl enable-channel -b 4k -n 4 c &&
    utctl enable-event -c c 'work:*' >/dev/null && utctl start >/dev/null ||
    fail "loss"
./prog/pairs 0 || fail "pairs: $?"
stuck=$(consumers)
kill -STOP $stuck
./prog/pairs 2000 || fail "pairs: $?"
kill -CONT $stuck
utctl stop >/dev/null || fail "stop"
utctl stat -d "$T/loss" >"$T/out" 2>"$T/err" || fail "loss: $(cat "$T/err")"
lost=$(sed -n '1s/.* \([0-9]*\) discarded$/\1/p' "$T/out")
[ "$lost" -gt 10000 ] || fail "nothing lost: $(cat "$T/out")"
grep -q '^utctl: pairs were left out, as .*: record -m block' "$T/err" ||
    fail "no hint: $(cat "$T/err")"
grep -q '^[1-9][0-9]* left out: events were lost meanwhile$' "$T/out" ||
    fail "left out: $(cat "$T/out")"
utctl destroy >/dev/null || fail "destroy"

# The outer one is left out, and those nested in it that began after the loss are
# not: the total is theirs.  Below the outer one, of which it is not known
# whether it has ended, there is no stack.
mkfifo "$T/in"
utctl create -o "$T/outer" s >/dev/null && utctl enable-channel -b 4k -n 4 c &&
    utctl enable-event -c c 'func:*' >/dev/null &&
    utctl enable-event -c c app:call >/dev/null && utctl start >/dev/null ||
    fail "outer"
./prog/named <"$T/in" >"$T/said" &
CHILDREN="$CHILDREN $!"
exec 5>"$T/in"
# say WORD: once all before that is recorded.
say() {
	echo "say $1" >&5
	until_ok grep -qx "$1" "$T/said" || fail "no $1"
}
echo 'entry 1 1' >&5
say begun
stuck=$(consumers)
kill -STOP $stuck
awk 'BEGIN { for (i = 0; i < 5000; i++) print "caller 1" }' >&5
say lost
kill -CONT $stuck
again() {
	utctl stop >/dev/null && utctl start >/dev/null || fail "again"
}
again
echo 'caller 1' >&5
say told
again
awk 'BEGIN { for (i = 0; i < 20; i++) print "entry 1 1\nexit 1 1" }' >&5
echo 'exit 1 1' >&5
say ended
exec 5>&-
utctl destroy >/dev/null || fail "destroy"
utctl stat -N -d "$T/outer" >"$T/out" 2>"$T/err" || fail "outer: $(cat "$T/err")"
awk '/^1 left out/ { left = 1 }
/^ *calls / { getline; exit !left || $1 != 20 || $2 != $3 || $2 <= 0 }' \
    "$T/out" || fail "outer: $(cat "$T/out")"
utctl export -N -F folded "$T/outer" >"$T/folded" 2>/dev/null ||
    fail "outer: export"
grep -q '^named;0x1 [1-9][0-9]*$' "$T/folded" &&
    [ "$(wc -l <"$T/folded")" -eq 1 ] || fail "outer: $(cat "$T/folded")"
stop_utd || fail "utd: status $?"
# So is what began before the last loss and did not end.
if command -v python3 >/dev/null 2>&1; then
	utctl view -j "$T/loss" 2>/dev/null | grep '^{"discarded"' >"$T/lost"
	utctl stat -d -j -g thread "$T/loss" >"$T/json" || fail "loss: JSON"
	python3 -c '
import json, sys
last = max(int(json.loads(l)["to"]) for l in open(sys.argv[1]))
for p in json.load(open(sys.argv[2]))["not_ended"]:
    assert not p["open"] or int(p["began"]) > last, p
' "$T/lost" "$T/json" >"$T/err" 2>&1 || fail "loss: $(cat "$T/err")"
fi
