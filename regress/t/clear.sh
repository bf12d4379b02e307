# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# clear: what was recorded is gone, and programs write on; what comes then is
# there.  Chunks that have their place stay.  With buffers of each user and of
# each program, for users who are not root too; and again and again while
# programs write.

. ./common.sh

chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
start_utd
for i in s p; do
	[ $i = s ] && with= || with=-p
	utctl create -o "$T/$i" $i >/dev/null &&
	    utctl enable-channel $with c &&
	    utctl enable-event -c c 'seq:tick' && utctl start || fail "set-up"
done
both() {
	./prog/seq $1 1 $2 || fail "seq: $?"
	[ "$(id -u)" -ne 0 ] ||
	    ./prog/asuser 65534 ./prog/seq $(($1 + 1)) 1 $2 || fail "seq: $?"
}
# Events of one writer in that directory.
has() {
	[ "$(utctl view "$1" 2>/dev/null | grep -c "writer = $(($2 * 1024)),")" \
	    -eq "$3" ] || fail "$1: not $3 events of $2"
}

both 10 100
for i in s p; do
	expect 0 "session $i cleared" utctl clear $i
	expect 0 'no events were recorded' utctl view "$T/$i"
	[ -z "$(find "$T/$i" -type f)" ] || fail "$(find "$T/$i")"
	expect 0 ' events, 0 lost, 0 bytes' utctl list $i
done
both 20 50
for i in s p; do
	expect 0 "session $i rotated" utctl rotate $i
done
both 30 30
for i in s p; do
	expect 0 "session $i cleared" utctl clear $i
done
both 40 20
for i in s p; do
	expect 0 "session $i stopped" utctl stop $i
	readers_agree "$T/$i"
	has "$T/$i" 10 0
	has "$T/$i" 20 50
	has "$T/$i" 30 0
	has "$T/$i" 40 20
	n=$(stream_bytes "$T/$i")
	expect 0 " lost, $n bytes" utctl list $i
	utctl start $i >/dev/null || fail "start $i"
done

# What is not of the trace stays where it is, and that is told.
utctl create -o "$T/o" o >/dev/null && utctl enable-event -s o 'seq:tick' &&
    utctl start o && ./prog/seq 50 1 10 || fail "set-up of o"
uid=$T/o/ust/uid/$(id -u)
(cd "$uid"/*-bit && touch c_ _1 c_x c_1x x_y note) &&
    mkdir "$uid/other" "${uid}x" "$uid-chunk-" "$uid-chunk-x" "$uid-other" \
    "$T/o/ust/uid/x" "$T/o/ust/other" || fail "set-up of others"
others() {
	find "$T/o" ! -name channel0_0 ! -name metadata ! -name clock | sort
}
others >"$T/got"
complains 'stays where it is: .*: not of the trace: not removed' \
    utctl clear o
find "$T/o" | sort | expected "what is not of the trace" || exit 1
utctl destroy o >/dev/null 2>&1 || fail "destroy o"

# A program ends while the files of another user's are still to be removed: what
# it wrote by then stays, and is counted.
runs_alone() {
	member_is "$LAST" p programs seq pid
}
if [ "$(id -u)" -eq 0 ]; then
	background ./prog/asuser 65534 ./prog/seq -p 1000 60 1 90000000
	until_ok sh -c "ls -d $T/p/*/ust/pid/seq-$LAST-*" ||
	    fail "nothing is written"
	at=$(consumer_of 65534)
	old=$(echo "$T"/p/*/ust/pid/seq-$LAST-*)
	old=${old%/ust/pid/*}
	halt $at
	utctl clear p >"$T/clear.out" 2>&1 &
	clearing=$!
	until_ok sh -c "[ \$(ls -d $T/p/*/ust/pid/seq-$LAST-* | wc -l) -gt 1 ]" ||
	    fail "not cleared"
	./prog/seq 61 1 500 || fail "seq: $?"
	until_ok runs_alone || fail "it does not end"
	kill -CONT $at
	wait $clearing || fail "clear: $(cat "$T/clear.out")"
	until_ok [ ! -d "$old" ] || fail "not cleared in the end"
	kill -9 $LAST
	expect 0 "session p stopped" utctl stop p
	n=$(stream_bytes "$T/p")
	expect 0 " lost, $n bytes" utctl list p
	utctl start p >/dev/null || fail "start p"
fi

# What another user puts there keeps nobody from the next chunk.
if [ "$(id -u)" -eq 0 ]; then
	./prog/asuser 65534 ./prog/seq 70 1 10 || fail "seq: $?"
	has_uid() {
		d=$(echo "$T"/s/chunk-*/ust/uid/65534/*-bit) && [ -d "$d" ]
	}
	until_ok has_uid || fail "nothing of another user"
	./prog/asuser 65534 mkdir -p "$d/a/b/c/d/e/f/g/h/i/j/k" ||
	    fail "mkdir -p $d/a"
	complains 'session s: [a-z0-9-]* stays where it is: a: not of the trace' utctl clear s
	expect 0 'session s cleared' utctl clear s
	d=${d%/*-bit}
	rm -rf "${d%/*/65534}"
fi

# While programs write, and consumers are killed.
background ./prog/seq -p 50 50 3 90000000
n=0
while [ $n -lt 20 ]; do
	n=$((n + 1))
	[ $((n % 7)) -ne 3 ] || kill_consumers
	for i in s p; do
		expect 0 "session $i cleared" utctl clear $i
	done
done
kill -9 $LAST
for i in s p; do
	expect 0 "destroyed: [0-9]* events, 0 lost" utctl destroy $i
	readers_agree "$T/$i"
	./prog/seqcheck <"$T/view.out" >"$T/got" || fail "$i: $(cat "$T/got")"
	has "$T/$i" 20 50
	[ "$(ls "$T/$i/archives" | wc -l)" -eq 2 ] || fail "$(ls "$T/$i"/*)"
done
stop_utd || fail "utd: status $?"

# Nobody waits for a program that somebody has stopped.
case "$(uname) $CFLAGS" in
*-DUT_POSIX*)	exit 0 ;;
Linux*)		;;
*)		exit 0 ;;
esac
start_utd
rm -rf "$T/stopped"
utctl create -o "$T/stopped" stopped >/dev/null &&
    utctl enable-event 'seq:*' 'ut:*' >/dev/null && utctl start >/dev/null ||
    fail "set-up"
background ./prog/seq -p 1000 1 1 100000000
until_ok has_programs stopped seq || fail "no seq"
halt $LAST
begun=$(date +%s)
expect 0 'cleared; 1 program does not answer' utctl clear stopped
expect 0 '; 1 program does not answer' utctl enable-event 'other:*'
expect 0 '' utctl list stopped
[ $(($(date +%s) - begun)) -le 3 ] || fail "a stopped program was waited for"
kill -CONT $LAST
until_ok sh -c "utctl clear stopped | grep 'cleared\$'" || fail "no answer"
kill -9 $LAST
wait $LAST 2>/dev/null
stop_utd || fail "utd: status $?"
