# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A utd that does not answer, or the consumer of one, delays a script of many
# commands once, not at each of them; when it answers again, every program is
# traced from its beginning.

. ./common.sh

mark=$(./prog/intruder fifo "$(id -u)" "$UT_RUNDIR").late
# Whatever happens: a utd that is stopped does not end.
trap 'kill -CONT $(consumers) ${UTD_PID:-} 2>/dev/null; rm -f "$mark"; finish' \
    EXIT

# So many programs take that many milliseconds, at least and at most.
takes() {	# n least most what
	took=$(./prog/ms sh -c "i=0; while [ \$i -lt $1 ]; do
	    ./prog/seq 0 1 1 || exit 1; i=\$((i + 1)); done") || fail "$4"
	[ "$took" -ge "$2" ] && [ "$took" -le "$3" ] ||
	    fail "$4: $took ms, not $2 to $3"
}

recorded_now() {
	member s written
}

grows() {
	was=$(recorded_now)
	./prog/seq 0 1 1
	sleep 0.3
	now=$(recorded_now)
	[ "$now" -gt "$was" ]
}

# All of them, once it answers; who got an answer has removed the mark.
back() {
	until_ok grows || fail "$1: not traced when it answers again"
	[ ! -e "$mark" ] || fail "$1: the mark stays: $(ls -l "$mark")"
	utctl stop s >/dev/null || fail "$1: stop"
	was=$(recorded_now)
	utctl start s >/dev/null || fail "$1: start"
	UT_REGISTER_TIMEOUT=30000
	takes 10 0 30000 "$1: when it answers again"
	UT_REGISTER_TIMEOUT=1000
	utctl stop s >/dev/null || fail "$1: stop"
	[ "$(recorded_now)" -eq $((was + 10)) ] ||
	    fail "$1: $(($(recorded_now) - was)) of 10 events"
	utctl start s >/dev/null || fail "$1: start"
}

start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-event 'seq:*' &&
    utctl start || fail "set-up"
UT_REGISTER_TIMEOUT=1000
export UT_REGISTER_TIMEOUT
takes 1 0 30000 "utd runs"
[ ! -e "$mark" ] || fail "a mark, and utd runs"
halt "$UTD_PID"
takes 30 1000 10000 "utd is stopped"
[ -f "$mark" ] || fail "no mark: $mark"

# Who is more patient waits, once; who is less need not.
UT_REGISTER_TIMEOUT=2000
takes 10 2000 10000 "more patience"
UT_REGISTER_TIMEOUT=1000
takes 10 0 5000 "less patience"
UT_REGISTER_TIMEOUT=-1
background ./prog/about >"$T/about"
UT_REGISTER_TIMEOUT=0
takes 10 0 5000 "no patience"
UT_REGISTER_TIMEOUT=1000
sleep 1
gone "$LAST" && fail "does not wait for ever: $(cat "$T/about")"

# A mark that is old, or not ours, is none.
touch -t 202001010000 "$mark" || fail "touch"
takes 10 1000 8000 "an old mark"
echo 99999 >"$T/mark" && rm "$mark" && ln -s "$T/mark" "$mark" || fail "ln"
takes 10 1000 8000 "a link"
[ ! -h "$mark" ] && [ "$(cat "$T/mark")" = 99999 ] || fail "a link is followed"
rm "$mark" && mkdir "$mark" || fail "mkdir"
takes 1 1000 8000 "a directory"
rmdir "$mark" || fail "rmdir"
if [ "$(id -u)" -eq 0 ]; then
	cp "$T/mark" "$mark" && chown 65533 "$mark" || fail "chown"
	takes 1 1000 8000 "somebody else's"
fi
kill -CONT "$UTD_PID"
until_ok gone "$LAST" || fail "waits for ever"
back "utd"

# The consumer has to make the buffers first.
utctl create -o "$T/other" other >/dev/null &&
    utctl enable-event -s other 'seq:*' && utctl start other ||
    fail "set-up of other"
halt $(consumers)
takes 30 1000 10000 "the consumer is stopped"
kill -CONT $(consumers)
back "the consumer"
utctl destroy other >/dev/null || fail "destroy"
stop_utd || fail "utd: status $?"
