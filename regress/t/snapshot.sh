# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# snapshot, create -S and record -S: a trace of what the buffers hold, of
# sessions that keep it and of those that write it, of programs that are dead,
# after consumers and utd were killed.

. ./shared/snapshot.sh

start_utd
# Nothing of this needs a session.
for args in '-o a -n b' 'a b' '-x' '-o' '-n'; do
	expect 1 '' utctl snapshot $args
	[ ! -s "$T/out" ] || fail "snapshot $args: $(cat "$T/out")"
done
complains "snapshot name '.x': " utctl snapshot -n .x
complains "snapshot name 'a/b': " utctl snapshot -n a/b
complains 'command: longer than 4095 bytes' \
    utctl snapshot -c "$(printf %4096s x)"
complains 'there is no session of yours' utctl snapshot
complains 'S and -m block: nobody would make room' \
    utctl record -S -m block -- true
complains 'session k does not exist' utctl snapshot k
expect 1 'usage: utctl create' utctl create -S -N x
expect 1 'usage: utctl create' utctl create -N -S -o "$T/x" x

# A session that keeps.
expect 0 "^session k: $T/k, for snapshots\$" utctl create -S -o "$T/k" k
complains 'session k was never started' utctl snapshot
complains 'session k keeps what it records: its channels are in overwrite mode' \
    utctl enable-channel -m block -t 1s c
complains 'session k keeps what it records: its channels are in overwrite mode' \
    utctl enable-channel -p c
utctl enable-channel -b 4k -n 16 c && utctl add-context -c c uid &&
    utctl enable-event -c c 'pulse:a' 'pulse:c' >/dev/null &&
    utctl start k >/dev/null || fail "set-up of k"
complains 'session k has no buffers yet: no program came that records' \
    utctl snapshot
complains 'session k keeps what it records: see snapshot' utctl rotate
complains 'session k keeps what it records: see snapshot' utctl rotate -t 1s
complains 'session k keeps what it records: see snapshot' utctl clear
pulse_start
pulse hit 10
pulse pid
pid=$answer
shoot
has_events 20 "of 10 hits"
case ${shot##*/} in
20[0-9][0-9][01][0-9][0-3][0-9]T[0-9]*-1) ;;
*)	fail "called $shot" ;;
esac
grep -q "pulse\[$pid:[0-9]*\] pulse:c { uid = $ME }, { n = 10, text = \"a text\" }" \
    "$T/view.out" || fail "$(tail -n 1 "$T/view.out")"
only_shots "$T/k" "after one snapshot"
# What it has stays, and there is more.
pulse hit 5
shoot -n second k
has_events 30 "of 15 hits"
[ "$shot" = "$T/k/snapshots/second" ] || fail "at $shot"
shoot -o "$T/elsewhere"
has_events 30 "elsewhere"
[ "$shot" = "$T/elsewhere" ] || fail "at $shot"
expect 0 '^    30 events, 0 lost' utctl list k
expect 0 '^    keeps what it records, 3 snapshots$' utctl list k
expect 0 '"keeps":1,"snapshots":3,' utctl list -j k
expect 0 '"keeps":1,"snapshots":3}' utctl status -j
# It is as it was if it cannot be.
complains 'there is one of that name' utctl snapshot -n second
complains "$T/elsewhere: there is one of that name" \
    utctl snapshot -o "$T/elsewhere"
: >"$T/file"
complains "$T/file: there is one of that name" utctl snapshot -o "$T/file"
complains "$T/file/x: .*[Nn]ot a directory" utctl snapshot -o "$T/file/x"
[ "$(ls -A "$T/k/snapshots" | wc -l)" -eq 2 ] ||
    fail "$(ls -A "$T/k/snapshots")"
[ -z "$(find "$T" -name '.utd-*')" ] || fail "$(find "$T" -name '.utd-*')"
# A command is run, and its failure told.
utctl snapshot -n third -c 'echo "$1" >'"$T/ran" >/dev/null || fail "-c"
until_ok grep -q "^$T/k/snapshots/third\$" "$T/ran" || fail "$(cat "$T/ran")"
utctl snapshot -n fourth -c 'exit 9' >/dev/null || fail "-c"
until_ok sh -c "utctl list k | grep 'warning: command for a snapshot: exit status 9'" ||
    fail "$(utctl list k)"

# Several at once.
for i in 1 2 3 4 5 6; do
	utctl snapshot -n many$i >"$T/many.$i" 2>&1 &
	eval "many$i=$!"
done
for i in 1 2 3 4 5 6; do
	eval "wait \$many$i" || fail "at once: $(cat "$T/many.$i")"
	readers_agree "$T/k/snapshots/many$i"
	[ "$(wc -l <"$T/view.out")" -eq 30 ] || fail "at once: not 30 events"
done

# More than there is room for: the newest.  A sub-buffer that the consumer
# looked at when its turn came stays for another round, and one that threads
# share stays until it has been idle for a second or two, so it may take
# several.
in_a_row() {
	first=$(sed -n '1s/.* n = \([0-9]*\).*/\1/p' "$T/view.out")
	[ "$told" -eq $(((hits - first) * 2 + 2)) ] ||
	    [ "$told" -eq $(((hits - first) * 2 + 1)) ]
}
hits=15 tries=0
until pulse hit 2000; hits=$((hits + 2000)); shoot; in_a_row; do
	tries=$((tries + 1))
	[ $tries -lt 10 ] || fail "$told events from $first to $hits"
	sleep 0.5
done
[ "$told" -gt 300 ] && [ "$told" -lt 4000 ] || fail "$told events are kept"
tail -n 1 "$T/view.out" | grep -q "pulse:c .* n = $hits, " ||
    fail "not the newest: $(tail -n 1 "$T/view.out")"
[ ! -s "$T/view.err" ] || fail "$(cat "$T/view.err")"

# What the dead have recorded is there, with their names, also for another
# consumer and another utd; and then what comes.
exec 3>&- 4<&-
wait $PULSE
was=$told
until_ok has_programs k pulse 0 || fail "not dead"
shoot
has_events "$was" "of the dead"
[ "$(grep -c "pulse\[$pid:" "$T/view.out")" -eq "$was" ] ||
    fail "whose: $(tail -n 1 "$T/view.out")"
kill_consumers
until_ok sh -c "utctl list k | grep -q 'took over'" || fail "no other consumer"
shoot
has_events "$was" "after a consumer was killed"
kill_utd 1
d=$T/k/snapshots/.utd-1-2/ust/uid/$(id -u)/64-bit
mkdir -p "$d" && : >"$d/metadata" && : >"$d/c_0" || exit 1
start_utd
shoot -n again k
has_events "$was" "after utd was killed"
[ "$(grep -c "pulse\[$pid:" "$T/view.out")" -eq "$was" ] ||
    fail "whose, later: $(tail -n 1 "$T/view.out")"
until_ok [ ! -e "$T/k/snapshots/.utd-1-2" ] || fail "what was left stays"
expect 0 'session k stopped: [0-9]* events, 0 lost, .* overwritten, [12][0-9] snapshots;' \
    utctl stop k
shoot -n stopped k
has_events "$was" "of a stopped session"
utctl start k >/dev/null || fail "start"
pulse_start
pulse hit 1
shoot -n both k
tail -n 2 "$T/view.out" | grep -v -q "\[$pid:" || fail "$(tail "$T/view.out")"

# It is saved as what it is.
utctl save k >"$T/saved" || fail "save"
grep -q "^create -S -o $T/k k\$" "$T/saved" || fail "$(cat "$T/saved")"
only_shots "$T/k" "at the end"
expect 0 'session k destroyed: [0-9]* events, .* [12][0-9] snapshots in .*/k;' \
    utctl destroy k
[ "$(ls "$T/k/snapshots" | wc -l)" -ge 12 ] || fail "snapshots are gone"
sed -i.bak "s,$T/k ,$T/k2 ," "$T/saved"
expect 0 '' utctl load "$T/saved"
utctl save k | diff "$T/saved" - >"$T/diff" || fail "$(cat "$T/diff")"
utctl destroy k >/dev/null || fail "destroy"

# Beside sessions that write all: nothing is taken from them.
utctl create -o "$T/d" d >/dev/null && utctl enable-channel -i 0 c &&
    utctl enable-event -c c 'pulse:*' && utctl create -N n >/dev/null &&
    utctl enable-event 'pulse:*' && utctl create -o "$T/p" p >/dev/null &&
    utctl enable-channel -p c && utctl enable-event -c c 'pulse:a' &&
    utctl start d >/dev/null && utctl start n >/dev/null &&
    utctl start p >/dev/null || fail "set-up"
until_ok pulse_on abc- || fail "$answer"
complains 'session n has no directory: name one (-o)' utctl snapshot n
i=0
while [ $i -lt 20 ]; do
	i=$((i + 1))
	pulse hit 100
	shoot -n x$i d
	[ "$told" -le $((i * 300)) ] || fail "$told events of $((i * 300))"
	shoot -o "$T/n.$i" n
	shoot -n x$i p
done
# What is in the trace is not in the buffers any more.
pulse hit 1
utctl list d >/dev/null || fail "list"
expect 0 'snapshot of 0 events: ' utctl snapshot -n written d
readers_agree "$T/d/snapshots/written"
for s in d:6003 n:6003 p:2001; do
	expect 0 "session ${s%:*} stopped: ${s#*:} events, 0 lost" \
	    utctl stop ${s%:*}
	utctl destroy ${s%:*} >/dev/null || fail "destroy ${s%:*}"
done
exec 3>&- 4<&-
wait $PULSE
for s in d:6003 p:2001; do
	readers_agree "$T/${s%:*}/ust"
	[ "$(wc -l <"$T/view.out")" -eq ${s#*:} ] || fail "$s"
done

# record -S writes if the command fails.
record() {
	want=$1
	shift
	UT_RUNDIR= utctl record -S -o "$T/rec" "$@" >"$T/out" 2>"$T/err"
	got=$?
	[ $got -eq "$want" ] || fail "record $*: $got: $(cat "$T/err")"
}
record 0 ./prog/seq 1 2 100
grep -q 'utctl: 200 events, 0 lost, not written: the command did not fail' \
    "$T/err" || fail "$(cat "$T/err")"
[ ! -e "$T/rec" ] || fail "written: $(find "$T/rec")"
record 3 sh -c './prog/seq 1 2 100; exit 3'
grep -q "utctl: snapshot of 200 events: $T/rec\$" "$T/err" ||
    fail "$(cat "$T/err")"
readers_agree "$T/rec"
[ "$(wc -l <"$T/view.out")" -eq 200 ] || fail "not 200 events"
mv "$T/rec" "$T/rec.1"
record 139 sh -c './prog/seq 1 2 100; kill -SEGV $$'
readers_agree "$T/rec"
[ "$(wc -l <"$T/view.out")" -eq 200 ] || fail "not 200 events"
# There is nothing to write.
mv "$T/rec" "$T/rec.2"
record 3 sh -c 'exit 3'
grep -q 'utctl: 0 events, 0 lost, not written$' "$T/err" &&
    grep -q 'utctl: no program came that uses ut' "$T/err" &&
    [ "$(wc -l <"$T/err")" -eq 2 ] || fail "$(cat "$T/err")"
[ ! -e "$T/rec" ] || fail "written: $(find "$T/rec")"
mv "$T/rec.2" "$T/rec"
record 1 ./prog/seq 1 2 100
grep -q "$T/rec: has a trace: replace it with -r" "$T/err" || fail "$(cat "$T/err")"
stop_utd || fail "utd: status $?"
