# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A thousand programs connected at once, as far as utd can tell, and some real
# ones among them, which are served; then utd has what it had before.
# CONNECTS=10000 is the long form.

. ./common.sh

count=${CONNECTS:-1000}
most=$(ulimit -H -n)
if [ "$most" != unlimited ] && [ "$most" -le $((count + 200)) ]; then
	count=$(((most - 200) / 100 * 100))
	[ $count -ge 100 ] || skip "only $most descriptors"
	echo "only $count"
fi

memory() {
	ps -o rss= -p "$UTD_PID" | tr -d ' '
}

descriptors() {
	ls "/proc/$UTD_PID/fd" 2>/dev/null | wc -l
}

fds=
as_before() {
	[ "$(descriptors)" -le "$fds" ]
}

mkfifo "$T/hold" || exit 1
connect() {
	rm -f "$T/connected"
	./prog/connects "$UT_RUNDIR/sock" $((count / 100)) 100 <"$T/hold" \
	    >"$T/connected" 2>"$T/err" &
	connects=$!
	exec 5>"$T/hold"
	tries=0
	until [ -s "$T/connected" ]; do
		gone $connects && fail "connects: $(cat "$T/err")"
		tries=$((tries + 1))
		[ $tries -lt 600 ] || fail "not all are connected in a minute"
		sleep 0.1
	done
}

disconnect() {
	exec 5>&-
	wait $connects || fail "connects: $?"
	[ -z "$fds" ] || until_ok as_before || until_ok as_before ||
	    fail "$fds descriptors before, now $(descriptors)"
	until_ok sh -c 'utctl events | grep -q "^no programs"' ||
	    fail "still there: $(utctl events | wc -l)"
}

# A machine that is too busy for programs to say something before long.
start_utd
./prog/connects -p 6 "$UT_RUNDIR/sock" 2 1 </dev/null >"$T/connected" ||
    fail "slow programs are not welcome"
utctl create -o "$T/s" s >/dev/null && utctl enable-event '*' >/dev/null &&
    utctl start || fail "set-up"
# The first time it gets the memory that it keeps.
./prog/seq 1 1 100 5>&- || fail "seq: $?"
connect
disconnect
fds=$(descriptors) kb=$(memory)

connect
# In good time, though not so good where utd is slow with a sanitizer.
UT_REGISTER_TIMEOUT=20000
export UT_REGISTER_TIMEOUT
i=2
while [ $i -lt 12 ]; do
	./prog/seq $i 1 100 5>&- || fail "seq: $?"
	i=$((i + 1))
done
all_there() {
	member_is 1100 s written && member_is 0 s lost && has_programs s '.*' $count
}
until_ok all_there || fail "$(utctl list)"
expect 0 '' utctl enable-event 'another:*'
expect 0 's stopped: 1100 events, 0 lost' utctl stop
with=$(memory)
disconnect
echo "$count programs: $fds descriptors, $kb kB before, $with kB with them," \
    "$(memory) after"
# Sanitizers keep what is freed.
case $CFLAGS in
*-fsanitize*)	kb=$((kb * 2)) ;;
esac
[ "$(memory)" -le $((kb + 512 + count / 10)) ] ||
    fail "$kb kB before, now $(memory)"
readers_agree "$T/s"
expect 0 '' utctl destroy
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"
