# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utd and programs in different PID, mount and user namespaces that share
# the run directory.

. ./common.sh

need unshare
# Root needs no user namespace, others need one for the rest.
own="unshare -Ur"
$own true 2>/dev/null || own=
if [ "$(id -u)" -eq 0 ]; then
	new="unshare"
else
	[ -n "$own" ] || skip "no user namespaces for uid $(id -u)"
	new="unshare -Ur"
fi
$new -m -p -f true 2>/dev/null || skip "no namespaces here"

uid=$(id -u)
start() {	# session
	utctl create -o "$T/$1" "$1" >/dev/null && utctl enable-event '*' &&
	    utctl start || fail "set-up of $1"
}
# The program in there is number 1, or the child of that: $inner.  utd sees
# it as $outer, or not at all.
pids() {	# session
	until_ok sh -c "utctl list $1 | grep -q seq:tick" || fail "no program"
	outer=$(member "$1" programs seq pid)
	inner=$(member "$1" programs seq vpid)
}

# The program has recorded something, or it would not be in the trace.
traced() {
	until_ok sh -c "od -An -tu8 -N8 '$T/progress' | grep -q '[1-9]'" ||
	    fail "the program does not trace"
}

# Programs in others than utd: PID, mount and then user namespaces, each with
# a /dev/shm of its own.
start_utd
inside='mount -t tmpfs tmpfs /dev/shm 2>/dev/null; exec ./prog/seq'
for how in "$new -m" "$new -m -p -f" ${own:+"$own -m -p -f"}; do
	start s
	$how sh -c "$inside 1 2 1000" || fail "$how: status $?"
	expect 0 's stopped: 2000 events, 0 lost' utctl stop s
	readers_agree "$T/s"
	[ "$(./prog/seqcheck <"$T/view.out")" = "2000 2 0" ] ||
	    fail "$how: $(./prog/seqcheck <"$T/view.out")"
	[ "$(ls "$T/s/ust/uid")" = "$uid" ] || fail "$how: another uid"
	expect 0 's destroyed' utctl destroy s
	rm -rf "$T/s"
done

# Both numbers are told; the trace has the one that the program knows.
start p
background $new -p -f --kill-child ./prog/seq -p 1000 2 1 1000000 \
    "$T/progress"
pids p
[ "$inner" = 1 ] && [ "$outer" -gt 1 ] || fail "pids: $outer $inner"
expect 0 "^    program seq (pid $outer (1 in its namespace), uid $uid, " \
    utctl list p
expect 0 "^seq (pid $outer (1 in its namespace), uid $uid, " utctl events
expect 0 "\"pid\":$outer,\"vpid\":1," utctl events -j
# Where they are the same, one is enough.
background ./prog/seq -p 1000 3 1 1000000
until_ok sh -c "utctl events | grep -q '^seq (pid $LAST, uid'" ||
    fail "a program without a namespace: $(utctl events)"
traced
kill -9 "$LAST" "$outer"
until_ok has_programs p '.*' 0 ||
    fail "a dead program stays: $(utctl list p)"
expect 0 'p destroyed: [0-9]* events, 0 lost' utctl destroy p
readers_agree "$T/p"
grep -q 'seq\[1:1\]' "$T/view.out" || fail "not what the program knows"
./prog/seqcheck "2:$T/progress" <"$T/view.out" >"$T/got" ||
    fail "$(cat "$T/got")"
stop_utd || fail "utd: status $?"

# utd in another: it has no number for programs outside, who have their own.
$new -m -p -f --kill-child utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
shell=$!
CHILDREN="$CHILDREN $shell"
until_ok utctl list || fail "utd in a namespace: $(cat "$T/utd.log")"
start n
rm -f "$T/progress"
background ./prog/seq -p 1000 4 1 1000000 "$T/progress"
seq=$LAST
pids n
[ "$outer" -eq 0 ] && [ "$inner" -eq $seq ] || fail "pids: $outer $inner"
expect 0 "^    program seq (pid $seq in its namespace, uid " utctl list n
traced
kill -9 $seq
wait $seq 2>/dev/null
./prog/seq 5 1 10 || fail "seq: $?"
# That they are dead not every system lets it see.
! ./prog/life || until_ok has_programs n '.*' 0 ||
    fail "dead programs stay: $(utctl list n)"
expect 0 'n destroyed: [0-9]* events, 0 lost' utctl destroy n
readers_agree "$T/n"
./prog/seqcheck "4:$T/progress" <"$T/view.out" >"$T/got" ||
    fail "$(cat "$T/got")"
grep -q "seq\[$seq:$seq\]" "$T/view.out" || fail "not the program's number"

# The directory of a session is utd's, which may be another than ours.
if $new -m mount -t tmpfs tmpfs "$T/run" 2>/dev/null; then
	mkdir "$T/hidden"
	expect 0 'utd has made .*, but it is not there' $new -m sh -c \
	    "mount -t tmpfs tmpfs $T/hidden && utctl create -o $T/hidden/h h"
	expect 0 'h destroyed' utctl destroy h
fi

# A utd that was killed, or that is not to be seen from here.
kill -9 $shell
wait $shell 2>/dev/null
until_ok sh -c '! utctl list' || fail "utd outlives its namespace"
complains "no utd is running in $T/run: Connection refused: .*killed" \
    utctl list
expect 0 '' ./prog/seq 6 1 10

# The /proc of another namespace has other threads under the numbers of ours.
$new -p -f utctl record -o "$T/other" -- ./prog/seq 7 2 10 2>"$T/err" ||
    fail "record: $(cat "$T/err")"
utctl view -j "$T/other" >"$T/view.out" || fail "view"
[ "$(grep -c seq:tick "$T/view.out")" -eq 20 ] || fail "$(cat "$T/view.out")"
grep '"thread":' "$T/view.out" | grep -v '"thread":"seq' >"$T/got" &&
    fail "another thread's name: $(head -n 1 "$T/got")"

# As process 1 they wait for the processes that the system gives them; without
# that, these stay as zombies.  Signals and the status go through.
first="$new -m -p -f --mount-proc"
cat >"$T/orphan.sh" <<'END'
sh -c "sleep 0.1 & echo \$! >$1"
read -r orphan <"$1"
n=0
while [ -d "/proc/$orphan" ]; do
	n=$((n + 1))
	[ $n -lt 100 ] || exit 9
	sleep 0.1
done
exit 3
END
expect 3 '' $first utctl record -o "$T/first" -- sh "$T/orphan.sh" "$T/orphan"
$first --kill-child sh -c 'sleep 0.1 & exec utd -d -r "$1"' sh "$T/run" \
    2>"$T/utd.log" &
shell=$!
CHILDREN="$CHILDREN $shell"
until_ok utctl list || fail "utd as process 1: $(cat "$T/utd.log")"
children() {
	for f in $(grep -l "^PPid:[^0-9]*$1\$" /proc/[0-9]*/status \
	    2>/dev/null); do
		sed -n 's/^Name:[^a-z]*//p' "$f"
	done 2>/dev/null
}
process=$(grep -l "^PPid:[^0-9]*$shell\$" /proc/[0-9]*/status 2>/dev/null)
process=${process#/proc/} process=${process%/status}
only_utd() {
	[ "$(children "$process")" = utd ]
}
until_ok only_utd || fail "process 1 has $(children "$process")"
kill "$process"
wait $shell || fail "utd as process 1: status $?"
[ ! -S "$T/run/sock" ] || fail "utd did not end as it does"
exit 0
