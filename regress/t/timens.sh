# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program in a time namespace, or a utd, or both in one: events have the
# times that utd's clock tells, whoever records them.

. ./common.sh

need unshare
case $CFLAGS in
*-DUT_POSIX*)	skip "plain POSIX does not know of time namespaces" ;;
esac
other="-T --monotonic 100000 -f --kill-child"
[ "$(id -u)" -eq 0 ] || other="-Ur $other"
other="unshare $other"
$other true 2>/dev/null || skip "no time namespaces here"
[ -r /proc/self/timens_offsets ] || skip "no /proc/self/timens_offsets"

# Who records when: in the order of their times.
check() {
	expect 0 "$1 destroyed: 40 events, 0 lost" utctl destroy "$1"
	readers_agree "$T/$1"
	grep -o 'writer = [0-9]*' "$T/view.out" |
	    awk '{ print int($3 / 1024) }' | uniq | tr '\n' ' ' >"$T/order"
	[ "$(cat "$T/order")" = "1 2 3 4 " ] ||
	    fail "$1: out of order: $(cat "$T/order")"
	rm -rf "${T:?}/$1"
}

session() {
	utctl create -o "$T/$1" "$1" >/dev/null && utctl enable-event 'seq:*' &&
	    utctl start || fail "set-up of $1"
}

start_utd
session program
for who in 1 '2 other' 3 '4 other'; do
	set -- $who
	${2:+$other} ./prog/seq "$1" 1 10 || fail "seq $who: status $?"
done
check program
# The child of a fork is in its parent's, or in what that has made for it.
session child
./prog/seq 1 1 10 && $other sh -c './prog/seq 2 1 10; ./prog/seq 3 1 10' &&
    ./prog/seq 4 1 10 || fail "child"
check child
stop_utd || fail "utd: status $?"

# The daemon in one; it has a child that is it.
$other utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
CHILDREN="$CHILDREN $!"
until_ok utctl list || fail "no utd: $(cat "$T/utd.log")"
session daemon
for who in 1 '2 other' 3 '4 other'; do
	set -- $who
	${2:+$other} ./prog/seq "$1" 1 10 || fail "seq $who: status $?"
done
check daemon
pid=$(cat "$UT_RUNDIR/utd.pid")
kill "$pid" 2>/dev/null
until_ok gone "$pid" || fail "utd stays"
