# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Thousands of programs at once that record an event or two and end, many of
# them killed: each event is in the trace, none waits for the others, and then
# utd and its consumer have what they had before.  CROWD=10000 is the long
# form; AT_ONCE is how many stand in main together.

. ./common.sh

count=${CROWD:-2000} at_once=${AT_ONCE:-1000}
case $CFLAGS-$(uname) in
*-fsanitize*)	count=${CROWD:-300} at_once=${AT_ONCE:-150} ;;
*-NetBSD)	count=${CROWD:-800} at_once=${AT_ONCE:-400} ;;
esac
# utd has a descriptor for each.
most=$(ulimit -H -n)
[ "$most" = unlimited ] || [ "$most" -gt $((at_once + 100)) ] ||
    at_once=$((most - 100))

has() {
	echo "fd $(ls "/proc/$1/fd" | wc -l)"
	echo "threads $(ls "/proc/$1/task" | wc -l)"
	ls /dev/shm | grep "ut-$(printf %x "$1")-" | sed 's/^/shm /'
	ls -l "/proc/$1/fd" | sed -n 's/.*-> //p' | grep -v socket: | sort
}

both_have() {
	[ -d /proc/self/task ] || return 0
	has "$UTD_PID"
	has "$CONSUMER"
}

# Resident, kB.
memory() {
	case $CFLAGS in
	*-fsanitize*)	set -- ;;
	esac
	n=$(cat /dev/null $(printf '/proc/%s/status ' "$@") 2>/dev/null |
	    awk '/^RssAnon/ { n += $2 } END { print n + 0 }')
}

# All of them have gone, and utd knows.
settled() {
	both_have >"$T/after"
	cmp -s "$T/before" "$T/after"
}

first=0 events=0
crowd() {
	./prog/crowd $gate $first "$1" "$2" >"$T/counted" || fail "crowd $*"
	first=$((first + $1))
	read -r n ms <"$T/counted"
	events=$((events + n))
	echo "$gate $*: $n events, the slowest start took $ms ms"
	[ "$ms" -lt 30000 ] || fail "$ms ms from birth to main"
}

# However slow the machine, none begins before it is attached; what waits for
# something that never comes waits for a minute.
UT_REGISTER_TIMEOUT=60000
export UT_REGISTER_TIMEOUT

# Each of those that stand in main together has a sub-buffer of its own.
session() {
	utctl create -o "$T/$1" s >/dev/null &&
	    utctl enable-channel -b 4096 -n $((2 * at_once + 2)) c &&
	    utctl enable-event -c c 'crowd:*' && utctl start || fail "set-up"
}

session_end() {
	expect 0 ": $events events, 0 lost" utctl stop
	utctl list s | grep warning && fail "a warning"
	expect 0 '' utctl destroy
}

start_utd
session first
gate=-g
crowd $at_once $at_once
session_end
CONSUMER=$(consumers)
both_have >"$T/before"
memory "$UTD_PID" "$CONSUMER"
before=$n

session trace
events=0 first=0
while [ $first -lt "$count" ]; do
	gate=-g
	crowd $((at_once < count ? at_once : count)) $at_once
	gate=
	crowd $((count / 2)) 100
done
session_end
until_ok settled || fail "not as before: $(diff "$T/before" "$T/after")"
memory "$UTD_PID" "$CONSUMER"
echo "$before kB before, $n after"
[ "$n" -le $((before + 512)) ] || fail "$before kB before, $n after"
[ "$(consumers)" = "$CONSUMER" ] || fail "another consumer"

readers_agree "$T/trace"
sed -n 's/.*crowd:event { \(.*\) }.*/\1/p' "$T/view.out" | sort -u >"$T/got"
[ "$(wc -l <"$T/got")" -eq "$events" ] ||
    fail "$(wc -l <"$T/got") of $events events, $(wc -l <"$T/view.out") lines"
[ "$(wc -l <"$T/view.out")" -eq "$events" ] || fail "some twice"
echo "$first programs, $events events, $(ls "$T"/trace/ust/uid/*/*/c_* |
    wc -l) streams"
stop_utd || fail "utd: status $?"
