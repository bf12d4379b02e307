# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A consumer that has nothing to do ends, and leaves nothing; as soon as there
# is something again, another does it, and nobody notices.

. ./common.sh

no_consumers() {
	[ -z "$(consumers)" ]
}

some_consumers() {
	! no_consumers
}

# Sessions of several users, one after the other, that leave no more than one.
users=$(id -u)
if [ "$users" -eq 0 ]; then
	users="0 65533 65534"
	chmod 711 "$T" && chmod 755 "$UT_RUNDIR" &&
	    mkdir -m 777 "$T/theirs" || fail "chmod"
else
	mkdir "$T/theirs" || fail "mkdir"
fi
as() {
	if [ "$1" -eq "$(id -u)" ]; then
		shift
		"$@"
	else
		./prog/asuser "$@"
	fi
}

start_utd -v
before=$(fds)
round() {
	for u in $users; do
		as $u utctl create -o "$T/theirs/$u.$1" s$u >/dev/null &&
		    as $u utctl enable-event -s s$u 'seq:*' &&
		    as $u utctl start s$u >/dev/null || fail "set-up of $u"
		as $u ./prog/seq $u 2 100 || fail "seq: $?"
		as $u utctl list s$u >"$T/out" || fail "list"
		some_consumers || fail "no consumer"
		expect 0 "s$u destroyed: [24]00 events, 0 lost" \
		    as $u utctl destroy s$u
	done
}

round 1
until_ok no_consumers || fail "consumers stay: $(consumers)"
[ "$before" -eq 0 ] || until_ok few_fds "$before" ||
    fail "$before descriptors, then $(fds)"
ls "$UT_RUNDIR" | grep '^consumer-' && fail "files of consumers stay"
grep -q 'has nothing to do' "$T/utd.log" || fail "$(cat "$T/utd.log")"
grep 'takes over\| ended$' "$T/utd.log" && fail "as if it had been killed"
# One that its user has stopped is no longer waited for.
round 2
kill -STOP $(consumers) 2>/dev/null
until_ok no_consumers || fail "stopped consumers stay: $(consumers)"
round 3

# A session alone needs none, and is there for the first program all the same;
# so it is with the next utd.
utctl create -o "$T/idle" idle >/dev/null &&
    utctl enable-event -s idle 'seq:*' && utctl start idle >/dev/null ||
    fail "set-up of idle"
until_ok no_consumers || fail "a session keeps consumers: $(consumers)"
./prog/seq 1 1 100
expect 0 '100 events, 0 lost' utctl list idle
# With buffers there is always one.
sleep 3
some_consumers || fail "no consumer for buffers that are there"
kill_utd 0
start_utd -v
./prog/seq 2 1 100
expect 0 'idle destroyed: 200 events, 0 lost' utctl destroy idle
readers_agree "$T/idle"
until_ok no_consumers || fail "consumers stay: $(consumers)"

# At its end, too.
utctl create -o "$T/last" last >/dev/null || fail "last"
until_ok no_consumers || fail "a session keeps consumers: $(consumers)"
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"
