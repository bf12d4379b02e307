# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs with a filter of seccomp(2) that allows the system calls which ut(3)
# lists, and no others, live on when they record events.

. ./common.sh

not_sanitized
[ "$(uname)" = Linux ] || skip "no seccomp(2) here"
$CC $CFLAGS -std=gnu11 -D_GNU_SOURCE -I"$TOP/libut" -o "$T/filtered" \
    prog/filtered.c $LINK $LIBS || fail "cannot build filtered"
"$T/filtered" >"$T/out" 2>&1
case $? in
0)	;;
77)	skip "no filters here" ;;
*)	fail "not even alone: $(cat "$T/out")" ;;
esac

# count_is_not N: so many events were recorded.
count_is_not() {
	counts s
	[ "$events" -ne "$1" ]
}

# The manual has that list.
"$T/filtered" list >"$T/list" || fail "list"
sed -n '/^The first event that a thread records makes/,/^The library.s threads call/p' \
    ../man/ut.3 >"$T/man"
while read -r call; do
	case $call in
	openat)	word='may open' ;;
	read)	word='open, read and close' ;;
	close)	word='read and close' ;;
	*)	word="^.Xr $call 2" ;;
	esac
	grep -q "$word" "$T/man" || fail "ut(3) does not list $call"
done <"$T/list"
for call in $(sed -n 's/^.Xr \([a-z_]*\) 2.*/\1/p' "$T/man"); do
	case $call in
	get*[ug]id|getcpu|seccomp)	continue ;;	# of contexts
	esac
	grep -q -x "$call" "$T/list" || fail "ut(3) lists $call, which is not tried"
done

# lives EVENTS OPTION... -- COMMAND...
lives() {
	want=$1
	shift
	recorded "$@"
	[ "$lost" -eq 0 ] && [ "$events" -ge "$want" ] ||
	    fail "$*: $(cat "$T/record.err")"
	grep -q survived "$T/record.out" || fail "$*: $(cat "$T/record.err")"
	utctl view -q "$T/trace" >/dev/null || fail "$*: view"
}
lives 3303 -n 1024 -- "$T/filtered"
lives 3302 -n 1024 -- "$T/filtered" jump
# Who waits by the fallback of futex(2) sleeps in poll(2).
case $CFLAGS in
*-DUT_POSIX*)	;;
*)	lives 3303 -m block -b 4k -n 4 -- "$T/filtered" ;;
esac
lives 3303 -n 1024 -w malloc -- "$T/filtered"

# libut's threads, where the filter is of all threads: sessions and utds come and
# go, each event whose call returned is there, and the program lives.
"$T/filtered" threadlist >"$T/list" || exit 0
sed -n "/^The library's threads call/,/^A filter of/p" ../man/ut.3 >"$T/man"
while read -r call; do
	case $call in
	access|faccessat)	call=access ;;
	linkat|unlinkat)	call=${call%at} ;;
	mknodat)		call=mknod ;;
	openat)			call=open ;;
	sendto|recvfrom)	call=$(echo $call | sed 's/to//; s/from//') ;;
	signalfd4)		call=signalfd ;;
	epoll_create1)		call=epoll_create ;;
	esac
	grep -q "^.Xr $call 2" "$T/man" || fail "ut(3) does not list $call"
done <"$T/list"
mkfifo "$T/in" || fail "mkfifo"
"$T/filtered" threads <"$T/in" 2>"$T/err" &
filtered=$!
CHILDREN="$CHILDREN $filtered"
exec 6>"$T/in"
for n in 1 2 3; do
	start_utd
	utctl create -o "$T/s$n" s >/dev/null && utctl enable-channel c &&
	    utctl enable-channel -p -m overwrite own &&
	    utctl start >/dev/null || fail "set-up"
	utctl enable-event -c c 'filtered:*' >/dev/null &&
	    utctl enable-event -c own -f 'n >= 0' 'filtered:*' >/dev/null ||
	    fail "enable-event"
	until_ok count_is_not 0 || {
		exec 6>&-
		wait $filtered
		fail "round $n: status $?: $(cat "$T/err")"
	}
	[ $n -ne 2 ] || utctl disable-event -c own 'filtered:*' >/dev/null
	utctl stop >/dev/null && utctl start >/dev/null &&
	    utctl destroy s >"$T/out" || fail "destroy"
	stop_utd || fail "utd: status $?"
done
exec 6>&-
wait $filtered || fail "threads: status $?: $(cat "$T/err")"
exit 0
