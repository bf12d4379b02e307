# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# One user's programs write nonsense into the counts of their buffers, and take
# it back: a trigger of root's goes on counting what the programs of another
# user record, exactly, also in the next utd.

. ./common.sh

[ "$(id -u)" -eq 0 ] || skip "only root is several users"
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || fail "chmod"
GOT=$T/got

# Matches of the trigger of s: $m.
matches() {
	m=$(member s triggers 1 matches)
}

counted() {
	matches
	[ "${m:-x}" = "$1" ]
}

# What one user's programs claim is looked at when others' events are counted.
claims() {	# what
	hold ./prog/asuser 65534 ./prog/scribble "$UT_RUNDIR" "$1" 0
	release
}

# The others' events are all counted, and the command is run each time.
others() {	# matches, runs
	./prog/asuser 65533 ./prog/seq 1 1 150 || fail "seq: $?"
	until_ok counted "$1" || fail "$m matches, not $1"
	until_ok test -s "$GOT" || fail "blind: $(utctl list s)"
	[ "$(tail -n 1 "$GOT")" -le "$1" ] || fail "told of $(cat "$GOT")"
	: >"$GOT"
}

start_utd
utctl create -N s >/dev/null && utctl start >/dev/null &&
    utctl trigger -e '*:*' -n 100 -a "exec echo \$4 >>$GOT" >/dev/null ||
    fail "set-up"
others 150
claims claim
others 300
claims recant
others 450
claims claim
kill_utd 0
start_utd
others 600
claims recant
others 750
# So they do after a new start.
utctl stop >/dev/null && utctl start >/dev/null || fail "start"
others 150
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"
