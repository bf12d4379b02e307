# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A utd, a program or a utctl of another version: turned away with a clear
# word, and nobody waits or asks again and again.

. ./common.sh

# utd and older or newer ones.
start_utd
utctl create -o "$T/trace" s >/dev/null || fail "create"
./prog/garbage "$UT_RUNDIR" version >"$T/out" || fail "version"
cat "$T/out"
grep -q '^1: type 16 version 6 $' "$T/out" || fail "a program: $(cat "$T/out")"
grep -q '^32: type 49 .*version 6 .*99$' "$T/out" ||
    fail "a utctl: $(cat "$T/out")"
grep -q 'version 99' "$T/utd.log" || fail "not in the log"
expect 0 'warning: program [0-9]* speaks version 99 of the protocol, not 6' \
    utctl list s
expect 0 '^no programs' utctl events
stop_utd || fail "utd: status $?"

seconds() {
	t0=$(date +%s)
	"$@"
	[ $(($(date +%s) - t0)) -lt 3 ] || fail "$*: held up"
}

# A program, and a utctl, with another utd: one that says so, and one that
# only hangs up.
for version in 99 0; do
	rm -f "$UT_RUNDIR"/*
	background ./prog/fakeutd "$UT_RUNDIR" $version >"$T/asked"
	fake=$LAST
	until_ok test -S "$UT_RUNDIR/sock" || fail "fakeutd"
	seconds ./prog/seq 1 1 10
	if [ $version -eq 99 ]; then
		complains "$UT_RUNDIR speaks version 99 .* version 6$" \
		    utctl list
	else
		complains "$UT_RUNDIR has gone away" utctl list
	fi
	: >"$T/asked"
	seconds pulse_start
	pulse_on ---- || fail "on: $answer"
	sleep 1
	kill -9 $fake $PULSE
	wait $fake $PULSE 2>/dev/null
	n=$(tr -d '\000' <"$T/asked" | grep -c '^1$')
	echo "utd of version $version: asked $n times"
	[ "$n" -ge 1 ] || fail "version $version: never asked"
	if [ $version -eq 99 ]; then
		[ "$n" -eq 1 ] || fail "asked $n times, will not learn"
	fi
	[ "$n" -le 15 ] || fail "asked $n times in a second"
done
exit 0
