# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The library's thread: one, with a name, a small stack, and all signals
# blocked, whether utd is there or not; and in nobody's way.

. ./common.sh

[ -r /proc/self/task/self ] || [ -d /proc/self/task ] || skip "no /proc here"

check() {
	threads 2 "$1"
	for task in /proc/$PULSE/task/*; do
		tid=${task##*/}
		[ "$tid" -ne $PULSE ] || continue
		until_ok grep -q '^libut$' $task/comm ||
		    fail "$1: the thread is called $(cat $task/comm)"
		blocked=$(awk '/^SigBlk:/ { print $2 }' $task/status)
		# All but KILL and STOP, and those that libc keeps to itself.
		case $blocked in
		fffffff?7ffbfeff)	;;
		*)	fail "$1: blocked signals are $blocked" ;;
		esac
		stack_of $task "$1"
	done
}

# The piece of memory that the stack pointer is in.
stack_of() {
	read -r line <$1/syscall 2>/dev/null || return 0
	set -- "$2" $line
	[ $# -eq 10 ] || return 0
	what=$1 sp=$(($9))
	while read -r range rest; do
		low=0x${range%-*} high=0x${range#*-}
		# The last pages of memory are more than a shell can count to.
		[ ${#high} -lt 18 ] || continue
		if [ $((low)) -le $sp ] && [ $sp -lt $((high)) ]; then
			size=$((high - low))
			[ $size -le 262144 ] ||
			    fail "$what: a stack of $size bytes"
			return
		fi
	done </proc/$PULSE/maps
	fail "$what: no stack at $sp"
}

pulse_start
check "no utd"
start_utd
until_ok sh -c "utctl events | grep -q 'pid $PULSE,'" || fail "not found"
check "utd came"
exec 3>&- 4<&-
wait $PULSE
pulse_start
check "utd is there"
stop_utd
check "utd is gone"

# Threads whose local storage is larger than a small stack.
build "$T/tls" -DTLS=1000000 prog/about.c
out=$("$T/tls") || fail "much local storage: status $?"
[ "$out" = "off, $waiting_fds descriptors, 2 threads" ] ||
    fail "local storage: $out"

# While it sleeps every number of a descriptor can be had.
case $CFLAGS in
*-DUT_POSIX*)	exit 0 ;;
esac
build "$T/late" prog/late.c $DL
exec 3>&- 4<&-
pulse_start "$T/late"
threads 2 "late"
sleep 0.5
for n in 3 4 5 6 7 8 9 400 401; do
	pulse dup $n
	[ "$answer" = 0 ] || fail "dup2 to $n: errno $answer"
done
