# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl record -F prints what it records meanwhile, each event once; -r replaces
# a trace and nothing else; -l, -L and -x select as in enable-event.

. ./common.sh

# -F: on stderr, while the command runs, with the totals after the last event.
rm -f "$T/go"
utctl record -F -o "$T/f" -- sh -c './prog/seq 1 2 20; echo to stdout
    until [ -e "$1" ]; do sleep 0.1; done; ./prog/seq 3 2 20; exit 3' \
    sh "$T/go" >"$T/out" 2>"$T/err" &
RECORD=$!
CHILDREN="$CHILDREN $RECORD"
has() {
	[ "$(grep -c ' seq:tick { ' "$T/err")" -ge "$1" ]
}
until_ok has 40 || fail "not printed while it runs: $(cat "$T/err")"
: >"$T/go"
wait $RECORD
[ $? -eq 3 ] || fail "status"
[ "$(cat "$T/out")" = "to stdout" ] || fail "stdout: $(cat "$T/out")"
tail -n 1 "$T/err" | grep -q '^utctl: 80 events, 0 lost, ' ||
    fail "last: $(tail -n 1 "$T/err")"
sed '$d' "$T/err" | LC_ALL=C sort >"$T/a"
utctl view "$T/f" | LC_ALL=C sort >"$T/b"
cmp -s "$T/a" "$T/b" || fail "printed: $(diff "$T/a" "$T/b" | head -3)"

# One that is killed, or whose reader goes away, leaves nothing.
utctl record -F -o "$T/k" -- ./prog/clocks 60 2>"$T/err" &
RECORD=$!
CHILDREN="$CHILDREN $RECORD"
until_ok grep -q clocks:now "$T/err" || fail "nothing printed"
kill -TERM $RECORD
wait $RECORD
[ $? -eq 143 ] || fail "TERM: $(tail -n 2 "$T/err")"
tail -n 1 "$T/err" | grep -q '^utctl: [0-9]* events, 0 lost, ' ||
    fail "TERM: $(tail -n 1 "$T/err")"
printing() {
	ps -A -o args= | grep -v grep | grep -q "record -F -o $T"
}
until_ok eval '! printing' || fail "still there"
{
	utctl record -F -o "$T/p" -- ./prog/seq 1 4 20000
	echo $? >"$T/status"
} 2>&1 | head -n 3 >/dev/null
until_ok test -s "$T/status" && [ "$(cat "$T/status")" -eq 0 ] ||
    fail "nobody reads: $(cat "$T/status")"
expect 0 '^80000 events' utctl view -q "$T/p"
# One whose output nobody reads ends when it is told to, with a whole trace.
mkfifo "$T/full" && exec 5<>"$T/full" || exit 1
for sig in INT TERM; do
	./prog/asuser - utctl record -F -T 60m -o "$T/f$sig" \
	    2>"$T/full" 5>&- &
	RECORD=$!
	CHILDREN="$CHILDREN $RECORD"
	until_ok eval 'utctl list | grep -q "(active)"' || fail "no session"
	./prog/seq 1 1 20000 5>&-
	kill -$sig $RECORD
	until_ok gone $RECORD || fail "$sig: goes on"
	wait $RECORD || fail "$sig: status $?"
	until_ok eval '! printing' || fail "$sig: prints on"
	expect 0 '^20000 events' utctl view -q "$T/f$sig"
done
# Nor does what prints outlive utctl, if that is killed, or go on if it is told
# to end itself.
printer() {
	PRINTER=$(ps -A -o pid= -o ppid= -o args= | awk -v p="$1" \
	    '$2 == p && /record -F/ { print $1 }')
	[ -n "$PRINTER" ]
}
for whom in utctl printer; do
	utctl record -F -o "$T/f$whom" -- ./prog/clocks 5 2>"$T/full" 5>&- &
	RECORD=$!
	CHILDREN="$CHILDREN $RECORD"
	until_ok printer $RECORD || fail "$whom: nothing prints"
	until_ok eval 'test -s "$T/f$whom"/ust/uid/*/*/channel0_0' ||
	    fail "$whom: no events"
	if [ $whom = utctl ]; then
		kill -KILL $RECORD
	else
		kill -TERM $PRINTER
		until_ok gone $PRINTER || fail "TERM: it prints on"
		kill -KILL $RECORD
	fi
	until_ok eval '! printing' || fail "$whom: it prints on"
done
exec 5>&-
complains '-S and -F' utctl record -S -F -o "$T/no" true

# -r: what was there becomes .old, the one before goes when another is recorded.
rec() {
	utctl record -r -o "$T/r" "$@" 2>"$T/err"
}
events() {
	utctl view -q "$1" 2>/dev/null | sed 's/ .*//'
}
for n in 1 2 3; do
	rec -- ./prog/seq 1 1 $n || fail "-r: $(cat "$T/err")"
	[ "$(events "$T/r")" -eq $n ] || fail "$n: $(events "$T/r")"
	[ $n -eq 1 ] || [ "$(events "$T/r.old")" -eq $((n - 1)) ] ||
	    fail "$n, old: $(events "$T/r.old")"
done
# A command that cannot be run replaces nothing.
rec -- "$T/none" && fail "none was run"
[ "$(events "$T/r")" -eq 3 ] && [ "$(events "$T/r.old")" -eq 2 ] ||
    fail "replaced by nothing: $(ls "$T")"
[ "$(find "$T" -maxdepth 1 -name 'r.*' | wc -l)" -eq 1 ] ||
    fail "left: $(ls "$T")"
# With -S the trace is there only if the command fails.
rec -S -- ./prog/seq 1 1 7 || fail "-S: $(cat "$T/err")"
[ "$(events "$T/r")" -eq 3 ] && [ "$(events "$T/r.old")" -eq 2 ] ||
    fail "replaced, and not written: $(ls "$T")"
rec -S -- sh -c './prog/seq 1 1 7; exit 1' && fail "status"
[ "$(events "$T/r")" -eq 7 ] && [ "$(events "$T/r.old")" -eq 3 ] ||
    fail "-S: $(events "$T/r") $(events "$T/r.old")"
# What is no trace stays.
kept() {
	complains "$1: not a trace: it is not replaced" utctl record -r \
	    -o "$2" -- ./prog/seq 1 1 1
}
mkdir "$T/home" && : >"$T/home/letter" || exit 1
kept "$T/home" "$T/home"
mkdir -p "$T/r.old/extra" || exit 1
kept "$T/r.old" "$T/r"
[ "$(events "$T/r")" -eq 7 ] && [ -d "$T/r.old/extra" ] || fail "gone"
rmdir "$T/r.old/extra"
# Nor is it replaced at the end, if it has come meanwhile; and what cannot be
# replaced then is told at the beginning.
rec -S -- sh -c './prog/seq 1 1 7; rm -rf "$1"; mkdir -p "$1/mine"; exit 1' - \
    "$T/r.old" && fail "status"
grep -q "$T/r.old: not a trace: it is not replaced" "$T/err" &&
    [ "$(events "$T/r")" -eq 7 ] && [ -d "$T/r.old/mine" ] ||
    fail "replaced: $(cat "$T/err") $(ls "$T" "$T/r.old")"
rm -rf "$T/r.old"
if [ "$(id -u)" -ne 0 ]; then
	mkdir "$T/closed" && mv "$T/r" "$T/closed" && chmod 500 "$T/closed"
	complains "$T/closed/r.*: Permission denied" utctl record -S -r \
	    -o "$T/closed/r" -- touch "$T/ran"
	[ ! -e "$T/ran" ] || fail "it ran"
	chmod 700 "$T/closed" && mv "$T/closed/r" "$T/r" || exit 1
fi
ln -s home "$T/link" || exit 1
kept "$T/link" "$T/link"
: >"$T/file"
kept "$T/file" "$T/file"
[ -f "$T/home/letter" ] && [ -L "$T/link" ] && [ -f "$T/file" ] || fail "gone"
complains '-r: name the trace' utctl record -r true

# Rules.
records() {
	want=$1
	shift
	utctl record -r -o "$T/l" "$@" -- ./prog/levels >/dev/null \
	    2>"$T/err" || fail "record $*: $(cat "$T/err")"
	[ "$(events "$T/l")" -eq "$want" ] ||
	    fail "record $*: $(events "$T/l"), not $want"
}
utctl record -o "$T/all" ./prog/levels >/dev/null 2>&1 || fail "levels"
utctl view -j "$T/all" >"$T/json"
n=$(grep -c '"level":[0-3],' "$T/json")
[ "$n" -gt 0 ] || fail "no events of level err"
records "$n" -l err
n=$(grep -c '"level":14,' "$T/json")
records "$n" -L debug
n=$(grep -c -v '"event":"[^"]*:l1' "$T/json")
records "$n" -x '*:l1*'
complains 'one level can be given' utctl record -l err -L err true
complains "level 'loud': none of" utctl record -l loud true
