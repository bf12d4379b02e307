# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs come faster than a utd that gets little of the processor can serve
# them.  They all wait, but none of them waits for those that come after it.

. ./common.sh

UT_REGISTER_TIMEOUT=60000
export UT_REGISTER_TIMEOUT

start_utd
utctl create -o "$T/s" s >/dev/null &&
    utctl enable-channel -b 4096 -n 1024 c &&
    utctl enable-event -c c 'crowd:*' && utctl start || fail "set-up"
# It has a consumer, which is not to be slow.
./prog/crowd 1000 1 1 >/dev/null || fail "crowd: $?"
# Where there are other schedulers, such a utd gets no processor at all.
hogs=
if [ "$(uname)" = Linux ]; then
	renice -n 19 -p "$UTD_PID" >/dev/null || fail "renice"
	for n in 1 2 3 4; do
		sh -c 'while :; do :; done' &
		hogs="$hogs $!"
	done
	CHILDREN="$CHILDREN $hogs"
fi
began=$(date +%s)
./prog/crowd 0 600 60 >"$T/counted" || fail "crowd: $?"
all=$((($(date +%s) - began) * 1000))
if [ -n "$hogs" ]; then
	kill $hogs
	wait $hogs 2>/dev/null
	CHILDREN=		# the numbers may soon be another's
fi
read -r n slowest <"$T/counted"
echo "$slowest ms of $all"
[ $((slowest * 2)) -lt $((all + 2000)) ] ||
    fail "one waited for $slowest ms of $all"
expect 0 's stopped: 901 events, 0 lost' utctl stop
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"
