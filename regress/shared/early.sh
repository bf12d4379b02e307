# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the tests have in common of programs that are older than any utd.

. ./common.sh

chmod 711 "$T" || exit 1

known() {
	"$@" utctl events 2>/dev/null | grep -q "pid $PULSE,"
}

quit() {
	exec 3>&- 4<&-
	wait $PULSE
}

# Found and traced, by the utd that utctl as $* talks to.
traced() {
	until_ok known "$@" || fail "not found"
	"$@" utctl create -o "$out/trace" s >/dev/null &&
	    "$@" utctl enable-event 'pulse:a' && "$@" utctl start ||
	    fail "set-up"
	until_ok pulse_on a--- || fail "on: $answer"
	pulse hit 10
	expect 0 ': 10 events, 0 lost' "$@" utctl destroy
	rm -rf "$out/trace"
}
