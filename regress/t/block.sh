# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# enable-channel -m block: a writer without room waits, as long as somebody is
# there to make room, and nothing is lost.  EACH is how many events each of
# eight threads has, which have four small sub-buffers.

. ./shared/block.sh
EACH=${EACH:-250000}

# all_there NAME PROGRESS: all that returned is, with utctl's count of it.
all_there() {
	counts "$1"
	[ "$lost" -eq 0 ] || fail "$1: $lost lost"
	utctl view "$T/$1" 2>"$T/view.err" | ./prog/seqcheck "$2" >"$T/got" ||
	    fail "$1: $(cat "$T/got" "$T/view.err")"
	read -r n writers missing <"$T/got"
	[ "$missing" -eq 0 ] && [ "$n" -eq "$events" ] ||
	    fail "$1: $n events, not $events; gaps of $missing"
}

start_utd

# What there is to say, and to see.
utctl create -o "$T/bad" bad >/dev/null || fail "create"
only='time-out: only in mode block (-m block)$'
complains "$only" utctl enable-channel -t 1s c
complains "$only" utctl enable-channel -t 0 -m discard c
complains "$only" utctl record -t 1s true
complains "mode wait: neither discard nor overwrite nor block$" \
    utctl enable-channel -m wait c
for t in 61m 2h 3600001ms 4294967294ms 4294967295ms; do
	complains "time-out '$t': neither 0 nor forever nor from 1ms to 60m$" \
	    utctl enable-channel -m block -t $t c
done
for t in x -1 1x Forever ''; do
	complains "time-out '$t': not a number, perhaps with ms, s, m or h$" \
	    utctl enable-channel -m block -t "$t" c
done
utctl enable-channel -m block c || fail "-m block"
[ "$(value bad timeout_ms)" = 1000 ] || fail "$(utctl list -j)"
for t in 0 1ms 2s 60m forever; do
	utctl enable-channel -m block -t $t c$t || fail "-t $t"
done
utctl list bad >"$T/listed" || fail "list"
for t in 'for 1s' 'for 0' 'for 1ms' 'for 2s' 'for 60m' forever; do
	grep -q ": block $t, 512 sub-buffers of 16k\$" "$T/listed" ||
	    fail "no 'block $t': $(cat "$T/listed")"
done
utctl save bad | sed 's/\<bad\>/worse/g' >"$T/saved"
utctl load "$T/saved" >/dev/null && utctl save worse >"$T/again" &&
    diff "$T/saved" "$T/again" || fail "save: $(cat "$T/saved")"
utctl destroy bad >/dev/null && utctl destroy worse >/dev/null ||
    fail "destroy"

# As many threads as usual, in a few small sub-buffers.
session few 'seq:*' -n 4 -m block -t forever
./prog/seq 1 8 25000 || fail "seq"
ends few 200000 0
session big 'seq:*' -n 4 -m block -t forever
./prog/seq 1 8 $EACH "$T/big.p" || fail "seq"
expect 0 " $((EACH * 8)) events, 0 lost" utctl stop big
all_there big 1:"$T/big.p"
echo "big: $(value big waits) waits, $(value big longest_us) us at most"
waits big 0 && fail "nobody has waited"
utctl destroy big >/dev/null || fail "destroy"
rm -rf "$T/big"

# While consumers are killed: each had written something.
session killed 'seq:*' -n 4 -m block -t forever
background ./prog/seq 1 8 100000000 "$T/killed.p"
SEQ=$LAST
before=0
further() {
	at=$(returned "$T/killed.p" 2>/dev/null) &&
	    [ "$at" -ge $((before + 100000)) ]
}
kills=0
while [ $kills -lt 20 ] || [ "$at" -lt $((EACH * 8)) ]; do
	until_ok further || fail "killed: at $at after $kills kills"
	before=$at
	[ $kills -ge 20 ] || kill_consumers
	kills=$((kills + 1))
done
kill -9 $SEQ
wait $SEQ 2>/dev/null
CHILDREN=
expect 0 ' 0 lost' utctl stop killed
all_there killed 1:"$T/killed.p"
[ "$events" -ge "$(returned "$T/killed.p")" ] || fail "killed: $events events"
survived 20 "consumers killed" "$(returned "$T/killed.p")" "$events"
utctl destroy killed >/dev/null || fail "destroy"
rm -rf "$T/killed"

# Threads that hardly trace, beside some that do.
session both 'seq:*' -n 4 -m block -t forever
background ./prog/seq -p 20000 2 60 30
./prog/seq 3 2 300000 || fail "seq"
wait $LAST || fail "seq"
CHILDREN=
ends both 601800 0

# What idle threads hold is soon taken from them: three times in a row, which a
# slow machine may need more than three for; within ticks it is mere luck.
idlers() {
	session idle$1 'blocked:*' -n 2 -m block -t forever
	blocked
	pulse idle 2
	pulse fill 1000
	took=$answer
	pulse go
	end_blocked
	ends idle$1 3000 0
	echo "idle: $took ms"
}
try=0 soon=0
while [ $soon -lt 3 ]; do
	try=$((try + 1))
	[ $try -le 15 ] || fail "idle: $took ms"
	idlers $try
	soon=$((soon + 1))
	[ "$took" -lt 500 ] || soon=0
done
