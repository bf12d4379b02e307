# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Peers that send garbage, or nothing at all: utd goes on, keeps no
# descriptor of theirs, and the session of others is not disturbed.
# SEEDS="1 2 3" is the long form.

. ./common.sh

fds() {
	ls "/proc/$UTD_PID/fd" 2>/dev/null | wc -l
}

back_to() {
	[ "$(fds)" -le "$1" ]
}

start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-event '*' &&
    utctl start || fail "set-up"
./prog/seq 1 1 10
counts s
before=$(fds)
background ./prog/seq -p 500 2 2 100000000 "$T/progress"
seq=$LAST

for seed in ${SEEDS:-1}; do
	for mode in bytes heads program control events; do
		./prog/garbage "$UT_RUNDIR" $mode $seed 2>"$T/garbage.err" ||
		    fail "$mode $seed: $(cat "$T/garbage.err" "$T/utd.log")"
		utctl list s >"$T/list" || fail "$mode $seed: utd is gone:" \
		    "$(tail -5 "$T/utd.log")"
		grep -q 'session s (active)' "$T/list" ||
		    fail "$mode $seed: $(cat "$T/list")"
		gone $seq && fail "$mode $seed: seq is gone"
		# One more: of seq.
		until_ok back_to $((before + 1)) ||
		    fail "$mode $seed: $before descriptors, then $(fds)"
	done
done

# Silent ones are no more than descriptors.
mkfifo "$T/hold" "$T/ready" || fail "mkfifo"
./prog/garbage "$UT_RUNDIR" silent 1000 <"$T/hold" >"$T/ready" &
CHILDREN="$CHILDREN $!"
exec 5>"$T/hold"
read -r n <"$T/ready" || fail "silent"
expect 0 'session s (active)' utctl list
./prog/seq 3 1 10
exec 5>&-
until_ok back_to $((before + 1)) || fail "$n silent: $(fds) descriptors stay"

cp "$T/progress" "$T/snapshot"
expect 0 's stopped: [0-9]* events, 0 lost' utctl stop s
kill -9 $seq
wait $seq 2>/dev/null
stop_utd || fail "utd: status $? $(tail -5 "$T/utd.log")"
grep -i -e sanitizer -e 'runtime error' "$T/utd.log" &&
    fail "$(cat "$T/utd.log")"

# The trace, with what the garbage offered in its metadata.
grep -q 'garbage:e' "$T"/trace/ust/uid/*/*/metadata ||
    fail "no garbage was described"
readers_agree "$T/trace"
./prog/seqcheck -s "2:$T/snapshot" <"$T/view.out" >"$T/got" ||
    fail "$(cat "$T/got")"
read -r events writers missing <"$T/got"
echo "$n silent; $events events, gaps of $missing"
[ "$missing" -eq 0 ] || fail "gaps of $missing"

# With few descriptors: nobody comes in while they are all taken, but the
# session goes on, and later all is well.
ulimit -n 150 2>/dev/null || exit 0
start_utd
utctl create -o "$T/few" s >/dev/null && utctl enable-event '*' &&
    utctl start || fail "set-up"
pulse_start
until_ok pulse_on abco || fail "$answer"
rm -f "$T/hold" "$T/ready"
mkfifo "$T/hold" "$T/ready" || fail "mkfifo"
for i in 1 2; do
	./prog/garbage "$UT_RUNDIR" silent 140 <"$T/hold" >"$T/ready" 5>&- &
	CHILDREN="$CHILDREN $!"
	holder=$!
	if [ $i -eq 1 ]; then
		exec 5>"$T/hold"
	fi
	read -r n <"$T/ready" || fail "silent"
done
pulse hit 100
exec 5>&-
until_ok utctl list || fail "not well when they have gone"
expect 0 's stopped: 400 events, 0 lost' utctl stop
stop_utd || fail "utd: status $? $(tail -5 "$T/utd.log")"
