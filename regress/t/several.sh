# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Several at once: sessions with rules that overlap, three channels in one,
# the system's utd and the user's.  Each event lands in each, once.

. ./common.sh

start_utd
utctl create -o "$T/one" one >/dev/null &&
    utctl enable-channel a && utctl enable-channel b &&
    utctl enable-event -c a 'pulse:*' 'pulse:a' &&
    utctl enable-event -c b '*:a' 'pulse:a' '*' &&
    utctl enable-event '*:a' || fail "set-up of one"
utctl create -o "$T/two" two >/dev/null &&
    utctl enable-event 'pulse:a' 'other:*' &&
    utctl enable-event -l err '*' && utctl start one && utctl start two ||
    fail "set-up of two"
pulse_start
pulse_on abco || fail "$answer"
pulse hit 1000
# One more rule for what is enabled already.
expect 0 'pulse:?: 3 events of 1 program' utctl enable-event -s one \
    -c a 'pulse:?'
pulse hit 1000
expect 0 'one stopped: 18000 events, 0 lost' utctl stop one
expect 0 'two stopped: 6000 events, 0 lost' utctl stop two

# What one channel has: channel SESSION CHANNEL event...
i=0
while [ $i -lt 2000 ]; do
	i=$((i + 1))
	echo $i
done >"$T/numbers"
channel() {
	rm -rf "$T/only"
	mkdir "$T/only" &&
	    cp "$T/$1"/ust/uid/*/*/metadata "$T/$1"/ust/uid/*/*/$2_* "$T/only" ||
	    fail "$1: no channel $2"
	where="$1, $2"
	shift 2
	readers_agree "$T/only"
	for e in "$@"; do
		sed -n "s/.* $e { n = \([0-9]*\).*/\1/p" "$T/view.out" |
		    cmp -s - "$T/numbers" || fail "$where: $e is not there once"
	done
	[ "$(wc -l <"$T/view.out")" -eq $((2000 * $#)) ] ||
	    fail "$where: other events as well"
}
channel one a pulse:a pulse:b pulse:c
channel one b pulse:a pulse:b pulse:c other:a
channel one channel0 pulse:a other:a
channel two channel0 pulse:a pulse:c other:a
stop_utd || fail "utd: status $?"
kill -9 $PULSE

# The system's utd and the user's.
chmod 711 "$T" || exit 1
mkdir "$T/user" || exit 1
[ "$(id -u)" -ne 0 ] || chown 65534 "$T/user" || exit 1
UT_RUNDIR=$T/sys
system_at "$UT_RUNDIR"
build "$T/seq" prog/seq.c
user() {
	UT_RUNDIR=$T/user/utd as_user "$@"
}
both() {
	XDG_RUNTIME_DIR=$T/user as_user env UT_RUNDIR= "$@"
}
start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-event '*' 'seq:*' && utctl start || fail "set-up of s"
user utd || fail "user's utd"
CHILDREN="$CHILDREN $(cat "$T/user/utd/utd.pid")"
user utctl create -o "$T/user/trace" u >/dev/null &&
    user utctl enable-event 'seq:*' '*:tick' && user utctl start ||
    fail "set-up of u"
both "$T/seq" 1 2 1000 || fail "seq: $?"
both "$T/seq" 2 1 1000 &
p=$!
both "$T/seq" 3 1 1000 || fail "seq: $?"
wait $p || fail "seq: $?"
expect 0 's stopped: 4000 events, 0 lost' utctl stop s
expect 0 'u stopped: 4000 events, 0 lost' user utctl stop u
for dir in "$T/trace" "$T/user/trace"; do
	readers_agree "$dir"
	[ "$(./prog/seqcheck <"$T/view.out")" = "4000 4 0" ] ||
	    fail "$dir: $(./prog/seqcheck <"$T/view.out")"
done

# One ends, and comes back; the other has noticed nothing.
expect 0 '' utctl start s
both "$T/seq" -p 100 4 1 100000000 "$T/user/progress" &
shell=$!
until_ok has_programs s seq || fail "no seq"
seq=$(member s programs seq pid)
CHILDREN="$CHILDREN $seq"
kill -9 "$(cat "$T/user/utd/utd.pid")"
sleep 0.3
user utd || fail "user's utd"
CHILDREN="$CHILDREN $(cat "$T/user/utd/utd.pid")"
user utctl create -o "$T/user/again" v >/dev/null &&
    user utctl enable-event '*' && user utctl start || fail "set-up of v"
until_ok sh -c "UT_RUNDIR=$T/user/utd $(command -v utctl) list v |
    grep -q seq:tick" || fail "seq does not come back"
kill -9 $seq
wait $shell 2>/dev/null
expect 0 'v destroyed: [1-9][0-9]* events, 0 lost' user utctl destroy v
expect 0 's destroyed: [0-9]* events, 0 lost' utctl destroy s
readers_agree "$T/trace"
./prog/seqcheck "4:$T/user/progress" <"$T/view.out" >"$T/got" ||
    fail "$(cat "$T/got")"
case $(cat "$T/got") in
*" 0")	;;
*)	fail "missing: $(cat "$T/got")" ;;
esac
kill "$(cat "$T/user/utd/utd.pid")"
stop_utd || fail "utd: status $?"
