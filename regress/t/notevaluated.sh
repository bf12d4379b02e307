# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Arguments are evaluated once, however many sessions listen, and not at all
# when none does.

. ./common.sh

says() {
	./prog/lazy | tr '\n' ' ' >"$T/said"
	[ "$(cat "$T/said")" = "$1 " ] || fail "$2: $(cat "$T/said")"
}

nothing="on 0 off 0 info 0 debug 0"
says "$nothing" "without utd"
start_utd
says "$nothing" "without a session"
utctl create -o "$T/a" a >/dev/null && utctl enable-event -l info 'lazy:on' \
    'ut:log' && utctl start || fail "set-up"
some="on 1 once off 0 info 1 debug 0 listening to on"
says "$some" "one session"
utctl create -o "$T/b" b >/dev/null && utctl enable-event 'lazy:on' &&
    utctl start || fail "set-up"
says "$some" "two sessions"
utctl destroy a >/dev/null && utctl destroy b >/dev/null || fail "destroy"
says "$nothing" "no session any more"
[ "$(count_events "$T/a" lazy:on)" -eq 2 ] || fail "a: not 2 events"
[ "$(count_events "$T/b" lazy:on)" -eq 1 ] || fail "b: not 1 event"
