# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A user fills a part of root's trace with files, which root's consumer removes
# when the session is cleared: other sessions are served meanwhile, and it does
# not take for ever.  Each removal is made slow.

. ./common.sh

[ "$(id -u)" -eq 0 ] || skip "only root has sessions of several users"
command -v strace >/dev/null 2>&1 || skip "no strace"
strace -o /dev/null -e inject=unlinkat:delay_enter=1 true 2>/dev/null ||
    skip "strace does not delay calls here"
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
cp prog/seq prog/asuser "$T" || exit 1
user="$T/asuser 65534"

# Delay each removal by root's consumer, by a millisecond.
slowly() {
	until_ok delayed || fail "no consumer to delay"
}
delayed() {
	c=
	for p in $(consumers); do
		[ "$(ps -o ruid= -p "$p" | tr -d ' ')" != 0 ] || c=$p
	done
	[ -n "$c" ] || return 1
	strace -f -q -o /dev/null -e trace=unlinkat \
	    -e inject=unlinkat:delay_enter=1000 -p "$c" &
	tracer=$!
	CHILDREN="$CHILDREN $tracer"
	while kill -0 $tracer; do
		! grep -q "TracerPid:.*[1-9]" "/proc/$c/status" || return 0
		sleep 0.1
	done
	return 1
}

# clutter FILES: such as a trace has, in the user's part.
clutter() {
	utctl create -o "$T/s" s >/dev/null &&
	    utctl enable-event -s s 'seq:*' >/dev/null &&
	    utctl start s >/dev/null || fail "set-up"
	expect 0 '' $user "$T/seq" 1 1 10
	./prog/seq 5 1 1 || fail "seq"	# or root's consumer would end
	until_ok test -s "$T/s/ust/uid/65534/64-bit/channel0_0" -o \
	    -s "$T/s/ust/uid/65534/32-bit/channel0_0" || fail "nothing"
	$user sh -c 'cd "$1"/*-bit && i=0 && while [ $i -lt '$1' ]; do
		: >z_$i; i=$((i + 1))
	    done' sh "$T/s/ust/uid/65534" || fail "files"
}

start_utd
clutter 3000
utctl create -o "$T/o" o >/dev/null &&
    utctl enable-channel -s o -m block -t forever -b 4k -n 4 c &&
    utctl enable-event -s o -c c 'seq:*' >/dev/null &&
    utctl start o >/dev/null || fail "set-up of o"
expect 0 '' ./prog/seq 2 1 1
slowly
utctl clear s >"$T/cleared" 2>&1 &
clear=$!
until_ok sh -c "! test -e $T/s/ust/uid/65534 ||
    test \$(ls $T/s/ust/uid/65534/*-bit | wc -l) -lt 3000" || fail "no removal"
# Through four buffers, many times.
./prog/seq 3 1 4000 || fail "seq: $?"
kill -0 $clear 2>/dev/null || fail "the others waited: $(cat "$T/cleared")"
wait $clear || fail "clear: $(cat "$T/cleared")"
expect 0 'session o stopped: .* 0 lost' utctl stop o
expect 0 destroyed utctl destroy o
expect 0 destroyed utctl destroy s
kill $tracer
wait $tracer
rm -rf "$T/s"

clutter 20000
slowly
many='uid 65534 has too many files there: not removed'
expect 1 "session s: ust stays where it is: $many" utctl clear s
expect 0 "warning: .*$many" utctl list s
kill $tracer
wait $tracer
# What is there does not keep the session from anything.
expect 0 '' $user "$T/seq" 4 1 10
expect 0 rotated utctl rotate s
expect 0 destroyed utctl destroy s
stop_utd || fail "utd: status $?"
