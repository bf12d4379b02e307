# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# An event larger than a sub-buffer is discarded, counted once, and said; the
# others of its thread are as if it had not been.

. ./common.sh

start_utd
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-channel -b 4k -n 16 channel0 &&
    utctl enable-event '*' && utctl start || fail "set-up"
./prog/toobig || fail "status $?"
expect 0 'stopped: 10 events, 9 lost' utctl stop
utctl list s >"$T/list" || fail "list"
n=$(grep -c 'warning:.*does not fit' "$T/list")
# Once, or again when a longer one has come.
[ "$n" -ge 1 ] && [ "$n" -le 3 ] || fail "$n warnings: $(cat "$T/list")"
readers_agree "$T/trace" >/dev/null
[ "$(discarded)" -eq 9 ] || fail "view: $(cat "$T/view.err")"
sed 's/.*toobig:\([a-z]* { n = [0-9]*\).*/\1/' "$T/view.out" | tr '\n' ' ' \
    >"$T/got"
[ "$(cat "$T/got")" = "small { n = 0 small { n = 1 small { n = 2 small { n = 3\
 small { n = 4 small { n = 5 small { n = 6 bytes { n = 7 bytes { n = 10\
 small { n = 11 " ] || fail "$(cat "$T/got")"
