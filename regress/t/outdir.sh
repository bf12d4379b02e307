# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Where a session's trace may go, and where not.

. ./common.sh

start_utd
mkdir "$T/full" "$T/empty" "$T/cwd"
: >"$T/full/x"
: >"$T/file"

complains "$T/full: not empty" utctl create -o "$T/full" s
complains "$T/file: Not a directory" utctl create -o "$T/file" s
complains "$T/file/a: Not a directory" utctl create -o "$T/file/a" s
expect 0 '^no sessions$' utctl list
[ "$(ls -A "$T/full")" = x ] || fail "full was touched"

expect 0 "^session s: $T/empty$" utctl create -o "$T/empty" s
expect 0 '' utctl destroy
expect 0 "^session s: $T/a/b/c/d$" utctl create -o "$T/a/b/c/d" s
[ -d "$T/a/b/c/d" ] || fail "no $T/a/b/c/d"
expect 0 '' utctl destroy
expect 0 '' utctl create -o "$T/slash//e/" s
[ -d "$T/slash/e" ] || fail "no $T/slash/e"
expect 0 '' utctl destroy

# Relative: to where utctl is, not utd.
(cd "$T/cwd" && utctl create -o rel/x s >/dev/null) || fail "relative"
[ -d "$T/cwd/rel/x" ] || fail "no $T/cwd/rel/x"
expect 0 '' utctl enable-event 'seq:*'
expect 0 '' utctl start
./prog/seq 1 1 10
expect 0 '10 events, 0 lost' utctl destroy
[ "$(count_events "$T/cwd/rel/x" seq:tick)" -eq 10 ] || fail "no trace there"
complains "rel/x: not empty" utctl create -o "$T/cwd/rel/x" s

# What is in the way there is said, and once it is gone all goes well.
expect 0 '' utctl create -o "$T/way" s
expect 0 '' utctl enable-event 'seq:*'
expect 0 '' utctl start
d=$T/way/ust/uid/$(id -u)
mkdir -p "$d" && : >"$d/64-bit" && : >"$d/32-bit" || fail "mkdir"
./prog/seq 1 1 10
expect 0 "error: channel channel0 for uid [0-9]*: ust/uid/.*-bit: Not a dir" utctl list s
rm "$d/64-bit" "$d/32-bit"
./prog/seq 2 1 10
expect 0 ': 10 events, 0 lost' utctl destroy
readers_agree "$T/way"
[ "$(wc -l <"$T/view.out")" -eq 10 ] || fail "not 10 events"
stop_utd || fail "utd: status $?"

# No permission: somebody who is not root.
mkdir "$T/closed" "$T/readonly" "$T/user"
[ "$(id -u)" -ne 0 ] || { chown 65534 "$T/closed" "$T/readonly" "$T/user" &&
    chmod 711 "$T"; } || fail "chown"
chmod 000 "$T/closed"
chmod 555 "$T/readonly"
UT_RUNDIR=$T/user/run
as_user utd || fail "no utd of a user"
pid=$(cat "$T/user/run/utd.pid")
CHILDREN="$CHILDREN $pid"
complains "$T/closed/t: Permission denied" as_user utctl create \
    -o "$T/closed/t" s
complains "$T/readonly/t: Permission denied" as_user utctl create \
    -o "$T/readonly/t" s
complains "$T/readonly: Permission denied" as_user utctl create \
    -o "$T/readonly" s
expect 0 '' as_user utctl create -o "$T/user/t" s
expect 0 "session s (stopped): $T/user/t" as_user utctl list
kill "$pid"
until_ok gone "$pid" || fail "utd stays"
chmod 700 "$T/closed"
