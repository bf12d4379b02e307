# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A trace can be read while it is written: view sees more each time and no
# damage, and a copy that is cut to its whole packets is a trace for every
# reader, though programs with new events come all the time.  With
# FEWER, less often.

. ./common.sh

# However busy the machine is, programs begin when all is attached.
UT_REGISTER_TIMEOUT=60000
export UT_REGISTER_TIMEOUT

i=0
while [ $i -lt 5 ]; do
	build "$T/kind$i" -DNAME=e$i prog/kind.c
	i=$((i + 1))
done
start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-channel -b 4k -n 256 c &&
    utctl enable-event -c c 'seq:*' && utctl enable-channel new &&
    utctl enable-event -c new 'kind:*' 'many:*' && utctl start ||
    fail "set-up"
background ./prog/seq -p 20 1 2 100000000
seq=$LAST
# Ever new events, each traced at once: by one that has them by and by, and
# by those that come in each round.
background ./prog/many -m 2 -p 20 long 0 20000 </dev/null >/dev/null
many=$LAST
until_ok sh -c 'utctl list s | grep -q seq:tick' || fail "seq does not run"
until_ok sh -c 'utctl list s | grep -q many:long' || fail "many does not run"
sleep 0.1

# Metadata last: it is never behind the streams.
copy() {
	rm -rf "$T/copy"
	mkdir "$T/copy" || exit 1
	cp "$T"/trace/ust/uid/*/*/*_* "$T/copy" || fail "copy"
	cp "$T"/trace/ust/uid/*/*/metadata "$T/copy" || fail "copy"
	./prog/packets -t "$T"/copy/*_* || fail "packets"
}

rounds=15			# five kinds of programs in turn
[ -z "${FEWER:-}" ] || rounds=5
sawn=0 round=0
while [ $round -lt $rounds ]; do
	"$T/kind$((round % 5))" 3 </dev/null >/dev/null &
	kid=$!
	./prog/seq $((round + 2)) 1 30000 &	# writes of many packets
	burst=$!
	./prog/many -m 10 "r$round" 0 50 </dev/null >/dev/null &
	new=$!
	utctl list >/dev/null || fail "list"	# all there is, into the files
	utctl view -q "$T/trace" >"$T/out" 2>"$T/err" ||
	    fail "view, round $round: $(cat "$T/err")"
	grep -v 'events* discarded' "$T/err" && fail "view, round $round"
	read -r n rest <"$T/out"
	[ "$n" -gt "$sawn" ] || fail "round $round: $sawn events, then $n"
	sawn=$n
	copy
	utctl view "$T/copy" >"$T/view.out" 2>"$T/err" ||
	    fail "copy, round $round: $(cat "$T/err")"
	if command -v babeltrace2 >/dev/null 2>&1; then
		babeltrace2 "$T/copy" >"$T/bt2.out" 2>"$T/bt2.err" ||
		    fail "babeltrace2, round $round: $(cat "$T/bt2.err")"
		[ "$(wc -l <"$T/bt2.out")" -eq "$(wc -l <"$T/view.out")" ] ||
		    fail "round $round: babeltrace2 sees another number"
	fi
	wait $kid $burst $new
	round=$((round + 1))
done
kill -9 $seq $many
wait $seq $many 2>/dev/null
expect 0 's destroyed' utctl destroy s
readers_agree "$T/trace"
i=0
while [ $i -lt 5 ]; do
	[ "$(grep -c "kind:e$i" "$T/view.out")" -eq $((rounds / 5 * 3)) ] ||
	    fail "kind:e$i"
	i=$((i + 1))
done
[ "$(grep -c "many:r[0-9]*_" "$T/view.out")" -eq $((rounds * 50)) ] ||
    fail "many"
[ "$(grep "many:" "$T/view.out" | awk '{ sub(/.*_/, "", $4)
    if ($4 != $8) print }' | wc -l)" -eq 0 ] || fail "another event's name"
echo "$sawn events seen while they came"

# alone DIR WHY: while utd is stopped, its consumer goes on, and what it writes
# can be read; else WHY.
alone() {
	halt $UTD_PID
	kill -CONT $kids
	sleep 1.5
	utctl view "$1" >"$T/view.out" 2>"$T/err"
	status=$?
	kill -CONT $UTD_PID
	[ $status -eq 0 ] || fail "$2: $(head -3 "$T/err")"
}

# More new events at a time than a socket holds descriptions of, and a
# consumer that does not read them: the program is held up, so there may be
# metadata without its events, but no event without metadata.
utctl create -o "$T/big" b >/dev/null && utctl enable-event 'many:*' &&
    utctl start || fail "set-up of b"
./prog/many x 0 10 </dev/null >/dev/null || fail "many: $?"
kids=$(consumers)
halt $kids
background ./prog/many -w y 0 5000 </dev/null >"$T/done"
sleep 1
alone "$T/big" "metadata is behind"
until_ok grep -q done "$T/done" || fail "many waits on"
wait $LAST || fail "many: $?"
expect 0 'b destroyed: 5010 events, 0 lost' utctl destroy b
readers_agree "$T/big"

# More programs than the socket holds names of: none records before the
# consumer can know its name.  What fills the socket is a name, or tells of a
# death: one more program that lives on makes it the other.  (The first event
# of a thread has the name with it.)
UT_REGISTER_TIMEOUT=10000
for live in 0 1; do
	utctl create -o "$T/names$live" n >/dev/null &&
	    utctl enable-event 'seq:*' && utctl start >/dev/null ||
	    fail "set-up of n"
	./prog/seq 999 1 1 || fail "seq: $?"
	until_ok has_programs n '.*' 0 || fail "seq 999"
	utctl list >/dev/null || fail "list"	# the consumer has heard of it
	kids=$(consumers)
	halt $kids
	[ $live -eq 0 ] || background ./prog/seq -p 20 998 1 100000000
	i=0
	while [ $((i += 1)) -le 2000 ]; do
		now=$(date +%s)
		./prog/seq $i 1 50 || fail "seq $i: $?"
		# This one has waited for the consumer.
		[ $(($(date +%s) - now)) -lt 2 ] || break
	done
	[ $i -le 2000 ] || fail "the socket is never full"
	alone "$T/names$live" "names are behind"
	[ "$(wc -l <"$T/view.out")" -ge $((50 * (i - 1))) ] ||
	    fail "few events"
	grep -v ' seq\[' "$T/view.out" && fail "events of nobody"
	[ $live -eq 0 ] || kill -9 $LAST
	utctl destroy n >"$T/out" || fail "destroy n"
	readers_agree "$T/names$live"
	grep -v ' seq\[' "$T/view.out" && fail "events of nobody in the end"
	echo "$((i - 1)) programs while the consumer was stopped"
done
stop_utd || fail "utd: status $?"
