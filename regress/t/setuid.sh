# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Set-id programs ignore the environment and the user's utd.  A program that
# changes its UID stays where it began; its children are the new UID's.

. ./common.sh

# Which cannot look for leaks in a set-user-ID program.
not_sanitized
[ "$(id -u)" -eq 0 ] || skip "only root can be several users"
chmod 711 "$T" || exit 1
cp "$(command -v id)" "$T/id" && chown 65534 "$T/id" && chmod 4755 "$T/id" ||
    fail "id"
[ "$(./prog/asuser 65533 "$T/id" -u)" = 65534 ] ||
    skip "no set-user-ID programs in $T"

# The system's utd, and the user's own.
UT_RUNDIR=$T/sys
mkdir "$T/user" "$T/two" && chown 65533 "$T/user" && chown 65534 "$T/two" ||
    exit 1
system_at "$T/sys"
build "$T/seq" prog/seq.c
build "$T/changes" prog/changes.c
start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-event '*' &&
    utctl start || fail "set-up"
user() {
	env UT_RUNDIR="$T/user/utd" ./prog/asuser 65533 "$@"
}
user utd || fail "user's utd"
CHILDREN=$(cat "$T/user/utd/utd.pid")
user utctl create -o "$T/user/trace" u >/dev/null &&
    user utctl enable-event '*' && user utctl start || fail "user's set-up"

# writer in the system's trace, writer in the user's trace: that many.
writer=0
traces() {	# system user UID command...
	wants=$1 wantu=$2 dir=$T/trace/ust/uid/$3
	shift 3
	writer=$((writer + 1))
	env UT_RUNDIR= XDG_RUNTIME_DIR="$T/user" "$@" $writer 1 10 ||
	    fail "$*: status $?"
	utctl list >/dev/null && user utctl list >/dev/null || fail "list"
	sees() {
		[ "$(count_events "$1" "writer = $((writer * 1024)),")" -eq $2 ]
	}
	sees "$dir" $wants || fail "$*: not $wants in the system's trace"
	sees "$T/user/trace" $wantu ||
	    fail "$*: not $wantu in the user's trace"
}

copy() {	# owner:group mode
	cp "$T/seq" "$T/suid" && chown $1 "$T/suid" && chmod $2 "$T/suid" ||
	    fail "chown"
}
run="./prog/asuser 65533"
traces 10 10 65533 $run "$T/seq"
traces 0 10 65533 env UT_RUNDIR="$T/user/utd" $run "$T/seq"
traces 0 0 65533 env UT_DISABLE=1 $run "$T/seq"
for what in "65534:65534 4755 65534" "0:0 4755 0" "65533:65534 2755 65533"; do
	set -- $what
	copy $1 $2
	uid=$3
	traces 10 0 $uid $run "$T/suid"
	traces 10 0 $uid env UT_RUNDIR="$T/user/utd" $run "$T/suid"
	traces 10 0 $uid env UT_RUNDIR="$T/nowhere" $run "$T/suid"
	traces 10 0 $uid env UT_DISABLE=1 $run "$T/suid"
	traces 10 0 $uid env UT_REGISTER_TIMEOUT=0 $run "$T/suid"
done

# What was root's is in root's part, and no other user's session sees it.
two="./prog/asuser 65534 utctl"
expect 0 '' $two create -o "$T/two/t" two
expect 0 '' $two enable-event '*'
expect 0 '' $two start
env UT_RUNDIR= "$T/changes" 65534 10 || fail "changes: status $?"
expect 0 'session two stopped: 10 events, 0 lost' $two stop
expect 0 'session s stopped: [0-9]* events, 0 lost' utctl stop s
n() {
	[ "$(count_events "$1" "changes:$2")" -eq $3 ] ||
	    fail "$1: $(count_events "$1" "changes:$2") $2"
}
n "$T/trace/ust/uid/0" before 10
n "$T/trace/ust/uid/0" after 20
n "$T/trace/ust/uid/0" child 0
n "$T/trace/ust/uid/65534" '' 10
n "$T/trace/ust/uid/65534" child 10
n "$T/two/t" child 10
readers_agree "$T/trace"
stop_utd || fail "utd: status $?"
kill $CHILDREN
until_ok gone $CHILDREN || fail "the user's utd does not end"
CHILDREN=
