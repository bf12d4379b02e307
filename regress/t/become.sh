# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl record of a command that becomes another user: all is recorded, to
# whom it belongs.  Where nothing could be, that is said.

. ./common.sh

chmod 711 "$T" && mkdir "$T/tmp" && chmod 1777 "$T/tmp" || exit 1
TMPDIR=$T/tmp
export TMPDIR
unset UT_RUNDIR
# Others need not be able to get to this directory.
cp prog/seq prog/changes prog/asuser "$T" || exit 1

# Nothing came: no program of ours, none with that event, none that looks
# here; and something that was not hit is no reason to say so.
why='no program came that'
n=0
nothing() {
	n=$((n + 1))
	nothing_why=$1
	shift
	expect 0 "$nothing_why" utctl record -o "$T/none$n" "$@"
	grep -q '^utctl: 0 events, 0 lost, 0 bytes in' "$T/err" ||
	    fail "$*: $(cat "$T/err")"
}
nothing "$why uses ut(3); -w malloc .*\$" -- true
nothing "$why has an event none:\*\$" -e 'none:*' -- "$T/seq" 1 1 10
nothing "$why uses" -- env UT_RUNDIR="$T/nowhere" "$T/seq" 1 1 10
nothing "$why uses" -- env UT_DISABLE=1 "$T/seq" 1 1 10
# One of two patterns.
expect 0 "$why has an event sqe:\*\$" utctl record -o "$T/two" -e 'sqe:*' \
    -e 'seq:*' -- "$T/seq" 1 1 10
[ "$(grep -c "$why" "$T/err")" -eq 1 ] || fail "two: $(cat "$T/err")"
for command in "$T/seq 1 1 10" "$T/seq 1 1 0"; do
	n=$((n + 1))
	expect 0 ' events, 0 lost' utctl record -o "$T/none$n" -- $command
	grep "$why" "$T/err" && fail "said of $command"
done

# Nobody else gets to the utd of one who is not root.
mkdir "$T/users" && chmod 777 "$T/users" || exit 1
expect 0 '' as_user utctl record -o "$T/users/t" -- \
    sh -c 'ls -ld "${UT_RUNDIR%/run}"'
[ "$(id -u)" -ne 0 ] && [ "$(id -u)" -ne 65534 ] ||
    grep -q '^drwx------' "$T/out" || fail "open: $(cat "$T/out")"
[ "$(id -u)" -eq 0 ] || exit 0

left() {
	[ -z "$(ls -A "$T/tmp")" ] || fail "left: $(ls -A "$T/tmp")"
}

one="$T/asuser 65534 $T" two="$T/asuser 65533 $T"
expect 0 '^utctl: 10 events, 0 lost' utctl record -o "$T/one" -- \
    $one/seq 1 1 10
[ "$(wc -l <"$T/err")" -eq 1 ] || fail "more said: $(cat "$T/err")"
expect 0 '^utctl: 100 events, 0 lost' utctl record -o "$T/all" -- \
    sh -c "$one/seq 1 1 10; $T/seq 2 1 20; $two/seq 3 1 30 & $one/seq 4 1 40
    wait"
readers_agree "$T/all"
for what in "0 20 2048" "65533 30 3072" "65534 50 [14][0-9]*"; do
	set -- $what
	dir=$T/all/ust/uid/$1
	[ "$(count_events "$dir" "seq:tick { writer = $3,")" -eq "$2" ] ||
	    fail "$1: $(utctl view "$dir")"
	[ -z "$(find "$dir" ! -user "$1")" ] || fail "$(ls -lR "$dir")"
	[ -z "$(find "$dir" -type d ! -perm 700)" ] || fail "$(ls -lR "$dir")"
done
[ -z "$(find "$T/all" "$T/all/ust" "$T/all/ust/uid" -prune ! -user 0)" ] ||
    fail "$(ls -lR "$T/all")"
expect 0 '^utctl: 40 events, 0 lost' utctl record -o "$T/became" -- \
    "$T/changes" 65534 10
[ "$(count_events "$T/became/ust/uid/65534" 'changes:child')" -eq 10 ] ||
    fail "changes: $(utctl view "$T/became")"
left

# Others may reach it, and do no more there than with the system's.
expect 0 'refused' utctl record -o "$T/own" -- sh -c "
    $two/asuser - $PWD/prog/intruder own \"\$UT_RUNDIR\""
expect 0 'there is no session of yours' utctl record -o "$T/other" -- \
    sh -c "$two/asuser - $TOP/utctl/utctl stop; :"
expect 0 'session record does not exist' utctl record -o "$T/third" -- \
    sh -c "$two/asuser - $TOP/utctl/utctl destroy record; :"
left

# A TMPDIR that others cannot get to is not for them.
mkdir -m 700 "$T/tmp/closed" && mkdir -m 755 "$T/tmp/closed/tmp" || exit 1
for dir in "$T/tmp/closed" "$T/tmp/closed/tmp" "$T/tmp/closed/tmp/"; do
	rm -rf "$T/closed"
	expect 0 '^utctl: 10 events, 0 lost' env TMPDIR="$dir" \
	    utctl record -o "$T/closed" -- $one/seq 1 1 10
	expect 0 "^UT_RUNDIR=/tmp/ut-" env TMPDIR="$dir" \
	    utctl record -o "$T/closed/env" -- env
done
rm -r "$T/tmp/closed"
left
