# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Buffers per process: a directory and a registry for each, which go with the
# process, and leave nothing behind but the trace.

. ./common.sh

start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-channel -p own &&
    utctl enable-event -c own 'seq:*' 'kind:*' 'pulse:*' &&
    utctl enable-channel shared && utctl enable-event -c shared 'pulse:c' &&
    utctl start || fail "set-up"
expect 0 'channel own: discard, 32 sub-buffers of 16k per process$' utctl list

# Where it is, and what it says of itself.
cp prog/seq "$T/a b:c" || fail "cp"
closed() {
	utctl list s >"$T/list" && ! grep -q "$1" "$T/list"
}
"$T/a b:c" 1 2 10 || fail "seq: $?"
until_ok closed '(pid' || fail "still listed: $(cat "$T/list")"
set -- "$T"/trace/ust/pid/*
[ $# -eq 1 ] || fail "$# directories"
case ${1##*/} in
a_b_c-[0-9]*-[12][0-9][0-9][0-9][01][0-9][0-3][0-9]-[0-9][0-9][0-9][0-9][0-9][0-9]) ;;
*)	fail "called ${1##*/}" ;;
esac
pid=${1##*/a_b_c-}
pid=${pid%%-*}
for line in 'tracer_buffering_scheme = "pid"' "tracer_buffering_id = $pid" \
    "vpid = $pid" 'procname = "a b:c"' 'domain = "ust"'; do
	grep -q "	$line;" "$1/metadata" || fail "no $line in the metadata"
done
[ "$(count_events "$1" "\[$pid:[0-9]*\] seq:tick")" -eq 20 ] || fail "events"
readers_agree "$1"
[ "$(ls -ld "$1" | cut -c 1-10)" = drwx------ ] || fail "others may read it"

# The name of a program may begin with a dot.
cp prog/seq "$T/.dot" && "$T/.dot" 2 1 7 || fail ".dot: $?"
until_ok closed '(pid' || fail "still listed: $(cat "$T/list")"
[ "$(count_events "$T/trace" '\.dot\[.*\] seq:tick')" -eq 7 ] ||
    fail "a name with a dot: $(ls -A "$T/trace/ust/pid")"

# A program without an event has none.
./prog/seq -p 1000 1 1 0 || fail "seq: $?"
until_ok closed '(pid' || fail "still listed: $(cat "$T/list")"
set -- "$T"/trace/ust/pid/*
[ $# -eq 1 ] || fail "a directory of no events: $*"

# A registry each: events that differ only from process to process are no
# conflict, and the first has ID 1 in all.
build "$T/level" -DLEVEL=UT_WARNING prog/kind.c
build "$T/fields" '-DFIELDS=UT_U64(n)' -DVALUES='(uint64_t)i' prog/kind.c
for p in level fields; do
	"$T/$p" 5 </dev/null >/dev/null || fail "$p"
	until_ok closed '(pid' || fail "still listed: $(cat "$T/list")"
	set -- "$T"/trace/ust/pid/$p-*
	grep -A 1 'name = "kind:one"' "$1/metadata" | grep -q 'id = 1;' ||
	    fail "$p: not ID 1"
	[ "$(count_events "$1" kind:one)" -eq 5 ] || fail "$p: events"
done
expect 0 '' utctl list s
grep warning "$T/out" && fail "a conflict"

# One that runs is listed, and what it has can be read; it may use a shared
# channel, too.
pulse_start
until_ok pulse_on abc- || fail "on: $answer"
pulse hit 5
expect 0 "        pulse (pid $PULSE), uid [0-9]*, [36][24]-bit: 15 events" \
    utctl list s
set -- "$T"/trace/ust/pid/pulse-$PULSE-*
[ "$(count_events "$1" 'pulse:')" -eq 15 ] || fail "not readable yet"
set -- "$T"/trace/ust/uid/*/*
[ "$(count_events "$1" 'pulse:c')" -eq 5 ] || fail "the shared channel"

# Killed, it loses nothing.
pulse hit 100
kill -9 $PULSE
wait $PULSE 2>/dev/null
until_ok closed "(pid $PULSE)" || fail "still listed: $(cat "$T/list")"
set -- "$T"/trace/ust/pid/pulse-$PULSE-*
[ "$(count_events "$1" 'pulse:')" -eq 315 ] || fail "killed: events are gone"

# A child, and what it becomes, are other processes, or the same another time.
./prog/forks 20 >"$T/forks.out" || fail "forks: $?"
until_ok closed '(pid' || fail "still listed: $(cat "$T/list")"
sort -u "$T/forks.out" | while read -r writer p; do
	n=0
	for d in "$T"/trace/ust/pid/forks-$p-*; do
		n=$((n + $(count_events "$d" "writer = $writer,")))
	done
	[ "$writer" -lt 3 ] || [ $n -eq 20 ] ||
	    echo "writer $writer, pid $p: $n events"
done >"$T/wrong"
[ ! -s "$T/wrong" ] || fail "$(cat "$T/wrong")"

# Many short ones leave nothing in utd.
nothing_left() {
	utctl list s >"$T/list" && ! grep -q '(pid' "$T/list" &&
	    [ "$(held)" = "$before" ]
}
held() {
	for p in $UTD_PID $(consumers); do
		ls /proc/$p/fd | wc -l
		grep -c -e '/ut-' -e '/dev/shm' /proc/$p/maps
		ls /dev/shm 2>/dev/null | grep -c "ut-$(printf %x "$p")-"
	done | tr '\n' ' '
}
until_ok closed '(pid' || fail "still listed: $(cat "$T/list")"
before=$(held)
i=0
# However busy the machine is, they begin when their region is attached.
UT_REGISTER_TIMEOUT=60000
export UT_REGISTER_TIMEOUT
while [ $i -lt 200 ]; do
	./prog/seq 7 1 3 &
	i=$((i + 1))
	[ $((i % 20)) -ne 0 ] || wait $!
done
until_ok nothing_left || fail "$before, then $(held): $(cat "$T/list")"
counts s
events_of_seq=$(utctl view "$T/trace" | grep -c 'writer = 7168,')
[ "$events_of_seq" -eq 600 ] || fail "$events_of_seq events of 200 programs"
expect 0 's stopped: [0-9]* events, 0 lost' utctl stop
total=$(sed -n 's/.*: \([0-9]*\) events.*/\1/p' "$T/out")
readers_agree "$T/trace"
[ "$(wc -l <"$T/view.out")" -eq "$total" ] ||
    fail "$total events, $(wc -l <"$T/view.out") in the trace"
expect 0 '' utctl destroy
stop_utd || fail "utd: status $?"
