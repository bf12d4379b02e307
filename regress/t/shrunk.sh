# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Somebody cuts, empties or removes files of a trace while their consumer
# writes there: what is gone is counted as lost, and told, and what remains and
# comes then can be read.  What is the owner's to append is not written to.

. ./common.sh

start_utd
session() {	# name [option ...]
	name=$1
	shift
	utctl create -o "$T/$name" $name >/dev/null &&
	    utctl enable-channel "$@" -b 4k -n 64 c &&
	    utctl enable-event -c c 'seq:tick' >/dev/null &&
	    utctl start >/dev/null || fail "set-up of $name"
}
# So many events, and they are in the file.
hit() {
	./prog/seq 1 1 $1 || fail "seq"
	written=$((written + $1))
	until_ok all_written || fail "$events of $written events"
	f=$(echo "$T/$name"/ust/uid/*/*-bit/c_0*)
}
all_written() {
	counts $name
	[ $((events + lost)) -eq $written ]
}
# told COUNT: how many are lost, what is in the trace, and that it was said.
told() {
	expect 0 "$name stopped: $((written - $1)) events, $1 lost.*c_0[_0-9]* was cut or removed" \
	    utctl stop $name
	readers_agree "$T/$name"
	[ "$(wc -l <"$T/view.out")" -eq $((written - $1)) ] ||
	    fail "$name: $(wc -l <"$T/view.out") in the trace, of $written"
	[ "$(discarded)" -eq "$1" ] || fail "$name: view: $(cat "$T/view.err")"
	expect 0 "$name destroyed: $((written - $1)) events, $1 lost" \
	    utctl destroy $name
}

# Nothing comes after it, or something does.
for how in empty remove emptied removed; do
	session $how
	written=0
	hit 50
	case $how in
	remove*)	rm "$f" ;;
	*)		: >"$f" ;;
	esac
	case $how in
	*ed)	hit 30 ;;
	esac
	told 50
done

# The same of files that are cut by ourselves.
session row -C 64k
written=0
hit 50
: >"$f"
hit 30
told 50

# In the middle: of what is left, whole packets stay.
session cut
written=0
hit 50
size=$(wc -c <"$f")
hit 40
dd if=/dev/null of="$f" bs=1 seek=$((size + 7)) 2>/dev/null
hit 30
told 40

# Also of many packets that a program writes on and on.
session much -m block
written=0
hit 100000
n=$(($(wc -c <"$f") / 2))
dd if=/dev/null of="$f" bs=1 seek=$n 2>/dev/null
hit 1000
counts much
[ "$lost" -ge 40000 ] && [ "$lost" -lt 60000 ] || fail "$lost lost of half"
told $lost

# Again: what told of it before is gone, too.
session twice
written=0
for n in 50 30 20; do
	hit $n
	: >"$f"
done
hit 10
expect 0 'twice stopped: 10 events, 100 lost' utctl stop twice
readers_agree "$T/twice"
expect 0 '' utctl destroy twice

# The metadata: nothing can be read then.
session meta
written=0
hit 50
: >"${f%/*}/metadata"
expect 0 'meta stopped: 50 events, 0 lost.*the metadata were cut' \
    utctl stop meta
expect 0 'the metadata were cut' utctl destroy meta

# For a consumer that took over, it is at least so much.
session over
written=0
hit 50
kill_consumers
until_ok sh -c "utctl list over | grep -q 'took over'" || fail "no consumer"
hit 30
: >"$f"
expect 0 "over stopped: 50 events, 30 lost.*at least 30 events" utctl stop over
expect 0 '' utctl destroy over

# All of a row is gone, and what has nearly such a name is none of it.
session none -C 64k
written=0
hit 50
rm "$f" && : >"${f%_0_0}_99999999999999999999_0" || fail "rm"
kill_consumers
until_ok sh -c "utctl list none | grep -q 'took over'" || fail "no consumer"
./prog/seq 1 1 30 || fail "seq"
expect 0 "none stopped: [0-9]* events, [0-9]* lost, $BYTES" utctl stop none
[ "$(count_events "$T/none" seq:tick)" -eq 30 ] ||
    fail "not 30 events: $(utctl list none)"
expect 0 '' utctl destroy none

# What somebody has appended is not ours to write behind.
session more
written=0
hit 50
echo more >>"$f"
./prog/seq 1 1 20
expect 0 "more stopped: 50 events, 20 lost.*c_0: somebody else has written" \
    utctl stop more
expect 0 '' utctl destroy more
stop_utd || fail "utd: status $?"

# What utd itself has left there when a call failed is not somebody else's.
[ "$(uname -s)" = Linux ] && command -v prlimit >/dev/null 2>&1 &&
    strace -o "$T/calls" true 2>/dev/null || exit 0
start_utd
# tampered OPTION...: calls of the consumer are tampered with until it is over.
tampered() {
	strace -qq -o "$T/calls" "$@" -p "$(consumers)" 2>"$T/strace.err" &
	TRACER=$!
	CHILDREN="$CHILDREN $TRACER"
	sleep 0.5
	! gone $TRACER || fail "strace: $(cat "$T/strace.err")"
}
untampered() {
	kill $TRACER
	wait $TRACER 2>/dev/null
	grep -q INJECTED "$T/calls" || fail "no call has failed"
}
# told_all: what is not lost is in the trace.
told_all() {
	counts $name
	readers_agree "$T/$name"
	[ "$(wc -l <"$T/view.out")" -eq $events ] &&
	    [ $((events + lost)) -eq $written ] ||
	    fail "$name: $(wc -l <"$T/view.out") in the trace: $(utctl list $name)"
	[ "$(discarded)" -eq $lost ] || fail "$name: $(cat "$T/view.err")"
	expect 0 "$name destroyed" utctl destroy $name
}

# Half a packet, and half of what describes an event.
session torn
written=0
hit 50
tampered -e trace=ftruncate -e inject=ftruncate:error=EIO:when=1
prlimit --pid "$(consumers)" --fsize=$(($(wc -c <"$f") + 100)): ||
    fail "prlimit"
hit 40
counts torn
[ $lost -eq 40 ] || fail "$lost lost: $(utctl list torn)"
prlimit --pid "$(consumers)" --fsize=unlimited: || fail "prlimit"
hit 30
untampered
tampered -e trace=ftruncate -e inject=ftruncate:error=EIO:when=1
meta=${f%/*}/metadata
prlimit --pid "$(consumers)" --fsize=$(($(wc -c <"$meta") + 10)): ||
    fail "prlimit"
utctl enable-event -c c 'pulse:a' >/dev/null || fail "enable-event"
echo hit 1 | ./prog/pulse >/dev/null || fail "pulse"
until_ok grep -q INJECTED "$T/calls" || fail "the metadata are written"
prlimit --pid "$(consumers)" --fsize=unlimited: || fail "prlimit"
written=$((written + 1))
hit 20
untampered
expect 0 "torn stopped: 101 events, 40 lost" utctl stop torn
told_all

# The next file of a row is made, and cannot be looked at, once or again.
for when in 1 2; do
	session next$when -C 64k
	written=0
	hit 100
	tampered -P "${f%_0}_1" -e "inject=%%stat:error=EIO:when=$when"
	n=0 lost=0
	while [ $lost -eq 0 ]; do
		n=$((n + 1))
		[ $n -lt 60 ] || fail "no next file: $(ls -l "${f%/*}")"
		hit 100
	done
	untampered
	hit 100
	expect 0 "next$when stopped: .*events, 100 lost.*Input/output error" \
	    utctl stop next$when
	told_all
done
stop_utd || fail "utd: status $?"
