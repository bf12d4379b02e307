# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the tests of enable-channel -m block have in common.

. ./common.sh

# session NAME GLOB OPTION...
session() {
	name=$1 glob=$2
	shift 2
	utctl create -o "$T/$name" "$name" >/dev/null &&
	    utctl enable-channel -s "$name" -b 4k "$@" c &&
	    { [ "$glob" != 'blocked:*' ] ||
	    utctl add-context -s "$name" -c c app_hold; } &&
	    utctl enable-event -s "$name" -c c "$glob" >/dev/null &&
	    utctl start "$name" >/dev/null || fail "$name: set-up"
}

# value NAME MEMBER: what list -j says of the session's channel.
value() {
	member "$1" channels c "$2"
}
waits() {
	[ "$(value "$1" waits)" -eq "$2" ]
}

# ends NAME EVENTS LOST: the session.
ends() {
	expect 0 " $2 events, $3 lost" utctl stop "$1"
	utctl destroy "$1" >/dev/null || fail "destroy $1"
	readers_agree "$T/$1"
	[ "$(wc -l <"$T/view.out")" -eq "$2" ] ||
	    fail "$1: $(wc -l <"$T/view.out") events, not $2"
}

blocked() {
	pulse_start ./prog/blocked
	until_ok pulse_on 1 || fail "blocked: $answer"
}
end_blocked() {
	exec 3>&- 4<&-
	wait $PULSE || fail "blocked: status $?"
	CHILDREN=
}
