# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# snapshot, create -S and record -S: a trace of what the buffers hold, of
# sessions that keep it and of those that write it, of programs that are dead,
# of several users, after consumers and utd were killed; nothing is left of one
# that fails.

. ./common.sh

chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir -m 777 "$T/open" || exit 1
ME=$(id -u)

# A snapshot by utctl; its directory is $shot.
shoot() {
	expect 0 "^session [a-z]*: snapshot of [0-9]* events*: /" \
	    utctl snapshot "$@"
	shot=$(sed 's/.* events*: //' "$T/out")
	told=$(sed 's/.* snapshot of \([0-9]*\) .*/\1/' "$T/out")
	readers_agree "$shot"
	[ "$(wc -l <"$T/view.out")" -eq "$told" ] ||
	    fail "$told events told: $(wc -l <"$T/view.out") there"
}

has_events() {
	[ "$told" -eq "$1" ] || fail "$told events, not $1: $2"
}

# No files but those of snapshots, and none that is half there.
only_shots() {
	find "$1" -type f ! -path "*/snapshots/[!.]*" >"$T/files"
	[ ! -s "$T/files" ] || fail "$2: $(cat "$T/files")"
	hidden=$(find "$1" -name '.utd-*')
	[ -z "$hidden" ] || fail "$2: $hidden"
}

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

# Another user's part is the user's; what another user may not do is refused.
if [ "$ME" -eq 0 ]; then
	utctl create -S -o "$T/all" all >/dev/null &&
	    utctl enable-event 'seq:*' && utctl start >/dev/null || fail "all"
	./prog/seq 1 1 30 && as_user ./prog/seq 1025 1 40 || fail "seq"
	shoot all
	has_events 70 "of two users"
	[ -n "$(find "$shot" -user 65534 -name 'channel0*' -size +0)" ] &&
	    [ -n "$(find "$shot" -user 0 -name 'channel0*' -size +0)" ] ||
	    fail "whose files: $(ls -lR "$shot")"
	complains 'session all does not exist' as_user utctl snapshot all
	# Another utd waits until all consumers have taken over; so does the
	# first that asks it for anything.
	for i in 1 2 3; do
		kill_utd 1
		utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
		UTD_PID=$!
		until_ok [ -S "$UT_RUNDIR/sock" ]
		until_ok utctl snapshot -n taken$i all
		readers_agree "$T/all/snapshots/taken$i"
		[ "$(wc -l <"$T/view.out")" -eq 70 ] ||
		    fail "$(wc -l <"$T/view.out") after utd was killed"
		victims=$(consumers)
		kill_consumers
		for p in $victims; do
			until_ok gone "$p"
		done
		shoot all
		has_events 70 "of two users, after consumers were killed"
	done
	utctl destroy all >/dev/null || fail "destroy"
	mkdir -m 700 "$T/closed" || exit 1
	as_user utctl create -S -o "$T/open/u" u >/dev/null &&
	    as_user utctl enable-event 'seq:*' &&
	    as_user utctl start >/dev/null &&
	    as_user ./prog/seq 1 1 30 || fail "u"
	complains 'ermission denied' as_user utctl snapshot -o "$T/closed/x"
	complains 'ermission denied' as_user utctl snapshot -o "$T/x"
	[ ! -e "$T/x" ] && [ -z "$(ls -A "$T/closed")" ] || fail "written"
	expect 0 'snapshot of 30 events' as_user utctl snapshot
	# It is the owner who writes.
	complains "$T/root: Permission denied" \
	    utctl snapshot -o "$T/root" 65534/u
	expect 0 'snapshot of 30 events' utctl snapshot -o "$T/open/r" 65534/u
	as_user utctl destroy u >/dev/null || fail "destroy"
fi

# No room: nothing is left, and the next one is whole.
small=
if [ "$ME" -eq 0 ] && mkdir "$T/small" &&
    mount -t tmpfs -o size=256k,mode=755 tmpfs "$T/small" 2>/dev/null; then
	small=yes
	trap 'umount "$T/small" 2>/dev/null || umount -l "$T/small"; finish' \
	    EXIT
	utctl create -S -o "$T/small/f" f >/dev/null &&
	    utctl enable-event 'seq:*' && utctl start >/dev/null || fail "f"
	./prog/seq 1 1 20000 || fail "seq: $?"
	complains 'session f: snapshot: .*No space left on device' \
	    utctl snapshot
	[ -z "$(ls -A "$T/small/f/snapshots")" ] ||
	    fail "left: $(find "$T/small")"
	shoot -o "$T/roomy" f
	has_events 20000 "where there is room"
	utctl destroy f >/dev/null || fail "destroy"
	umount "$T/small"
	trap finish EXIT
fi

# Names of all lengths, and one that several want at once.  Nothing else stays.
utctl create -S -o "$T/y" y >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null && ./prog/seq 1 1 20 || fail "y"
mkdir "$T/names" || exit 1
for n in 1 239 240 255; do
	name=$(printf "%0${n}d" 1)
	expect 0 'snapshot of 20 events: ' utctl snapshot -o "$T/names/$name"
	rm -r "$T/names/$name" || fail "$n bytes"
done
complains 'File name too long' \
    utctl snapshot -o "$T/names/$(printf %0256d 1)"
pids=
for i in 1 2 3 4 5 6 7 8; do
	utctl snapshot -o "$T/names/same" >"$T/out.$i" 2>&1 &
	pids="$pids $!"
done
good=0
for p in $pids; do
	! wait $p || good=$((good + 1))
done
[ $good -eq 1 ] || fail "$good are called the same: $(cat "$T"/out.?)"
[ "$(grep -c 'same: there is one of that name' "$T"/out.? |
    grep -c ':1$')" -eq 7 ] || fail "$(cat "$T"/out.?)"
[ "$(ls -A "$T/names")" = same ] || fail "left: $(ls -A "$T/names")"
has_same() {
	readers_agree "$T/names/same"
	[ "$(wc -l <"$T/view.out")" -eq 20 ] || fail "not 20 events"
}
has_same

# Commands of a session run one after the other.
for i in 1 2 3 4; do
	utctl snapshot -c "echo b >>'$T/order'; sleep 0.8; echo e >>'$T/order'" \
	    >/dev/null || fail "snapshot -c"
done
until_ok sh -c "[ \"\$(grep -c e '$T/order')\" -eq 4 ]" || fail "4 commands"
[ "$(tr -d '\n' <"$T/order")" = bebebebe ] || fail "$(cat "$T/order")"

# A consumer that does not answer delays the command for ten seconds, and what
# it writes when it goes on is removed.
halt $(consumers)
expect 1 'snapshot: the consumer of uid [0-9]* does not answer' \
    timeout 30 utctl snapshot -o "$T/names/hung" y
kill -CONT $(consumers)
until_ok utctl snapshot -o "$T/names/then" y || fail "it goes on"
until_ok sh -c "[ \"\$(ls -A '$T/names' | tr '\n' ' ')\" = 'same then ' ]" ||
    fail "left: $(ls -A "$T/names")"
utctl destroy y >/dev/null || fail "destroy"
has_same

# That of another user delays it once, and spoils nothing but that user's part:
# it comes without, also when utd has to wait for the part, and later ones, too.
# What the consumer has to do for it is not done when it goes on.
lacking='events without uid 65534 (the consumer does not answer): /'
consumer_of() {
	ps -A -o pid= -o ppid= -o uid= |
	    awk -v p="$UTD_PID" -v u="$1" '$2 == p && $3 == u { print $1 }'
}

lacks() {	# how many are there
	shot=$(sed 's/.* answer): //' "$T/out")
	readers_agree "$shot"
	[ "$(wc -l <"$T/view.out")" -eq "$1" ] ||
	    fail "not $1: $(wc -l <"$T/view.out")"
	! grep -q 'writer = 1025,' "$T/view.out" || fail "a part: $(cat "$T/view.out")"
}
if [ "$ME" -eq 0 ]; then
	utctl create -S -o "$T/z" z >/dev/null && utctl enable-event 'seq:*' &&
	    utctl start >/dev/null && as_user ./prog/seq 1025 1 40 &&
	    ./prog/asuser 65533 ./prog/seq 2 1 30 && ./prog/seq 1 1 20 ||
	    fail "z"
	shoot z
	has_events 90 "of three users"
	theirs=$(consumer_of 65534)
	halt $theirs
	for i in 1 2; do
		expect 0 "snapshot of 50 $lacking" timeout 30 \
		    utctl snapshot -c "echo \$1 >>'$T/lacks'" z
		lacks 50
		cp "$T/view.out" "$T/lacks$i"
	done
	until_ok sh -c "[ \"\$(wc -l <'$T/lacks')\" -eq 2 ]" || fail "commands"
	expect 0 'warning: snapshot without uid 65534' utctl list z
	kill -CONT $theirs
	until_ok sh -c "utctl snapshot z | grep -q ' of 90 events: '" ||
	    fail "it goes on"
	for i in 1 2; do
		readers_agree "$(sed -n ${i}p "$T/lacks")"
		cmp "$T/view.out" "$T/lacks$i" || fail "a part came later"
	done
	only_shots "$T/z" "it goes on"
	expect 0 ' 90 events, 0 lost' utctl stop z
	utctl destroy z >/dev/null || fail "destroy"
fi

# With snapshots beside it a trace is read once; without one, the newest is
# read.
utctl create -o "$T/w" w >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null && ./prog/seq 1 1 20 || fail "w"
utctl snapshot w >/dev/null && utctl snapshot -n two w >/dev/null || fail "w"
utctl destroy w >/dev/null || fail "destroy"
expect 0 '^20 events, ' utctl view -q "$T/w"
expect 0 "^utctl: $T/w/snapshots: snapshots are left out" utctl view -q "$T/w"
utctl create -S -o "$T/v" v >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null || fail "v"
for i in 1 2 3; do
	./prog/seq $i 1 10 && utctl snapshot -n "v$i" v >/dev/null || fail "v"
done
touch -t 203801010000 "$T/v/snapshots/v2"
expect 0 '^20 events, ' utctl view -q "$T/v"
expect 0 "^utctl: $T/v/snapshots/v2 is the newest of 3" utctl view -q "$T/v"
expect 0 '^30 events, ' utctl view -q "$T/v/snapshots/v3"
expect 0 '^50 events, ' utctl view -q "$T/w" "$T/v/snapshots/v3"

# When utd ends, what is kept is written; what nothing was recorded into, not.
rm -r "$T/v/snapshots"
utctl create -S -o "$T/last" last >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null && utctl create -S -o "$T/none" none >/dev/null &&
    utctl enable-event 'none:*' && utctl start >/dev/null &&
    ./prog/seq 1 1 70 && utctl stop v >/dev/null || fail "last"
if [ "$ME" -eq 0 ]; then
	as_user ./prog/seq 1025 1 40 || fail "seq"
fi
stop_utd || fail "utd: status $?"
readers_agree "$T/v/snapshots"
[ "$(wc -l <"$T/view.out")" -eq 100 ] || fail "v: $(wc -l <"$T/view.out")"
readers_agree "$T/last/snapshots"
[ "$(wc -l <"$T/view.out")" -eq $((ME == 0 ? 110 : 70)) ] ||
    fail "last: $(wc -l <"$T/view.out")"
[ ! -e "$T/none/snapshots" ] || fail "$(find "$T/none")"

# Also if one consumer does not answer then.
if [ "$ME" -eq 0 ]; then
	start_utd
	utctl create -S -o "$T/end" end >/dev/null &&
	    utctl enable-event 'seq:*' && utctl start >/dev/null &&
	    as_user ./prog/seq 1025 1 40 && ./prog/seq 1 1 20 || fail "end"
	halt $(consumer_of 65534)
	kill $UTD_PID
	until_ok gone $UTD_PID || fail "utd does not end"
	UTD_PID=
	grep -q "end: snapshot without uid 65534 (" "$T/utd.log" ||
	    fail "$(cat "$T/utd.log")"
	readers_agree "$T/end/snapshots"
	[ "$(wc -l <"$T/view.out")" -eq 20 ] || fail "end: not 20"
	only_shots "$T/end" "end"
fi
echo "disk full: ${small:-not tried}"
