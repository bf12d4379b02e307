# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A user whose programs cause one warning after the other in a session of root's
# does not keep warnings about others, and about the session, from being shown,
# nor do programs that write nonsense into their buffers; the next utd has the
# same ones.

. ./common.sh

[ "$(id -u)" -eq 0 ] || skip "only root is several users"
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || fail "chmod"

# many UID N: so many programs of another version, each with a warning.
many() {
	i=0
	while [ $i -lt "$2" ]; do
		i=$((i + 1))
		./prog/asuser "$1" ./prog/garbage "$UT_RUNDIR" version \
		    >"$T/out" || fail "version of $1: $(cat "$T/out")"
	done
}

# shown PATTERN N: so many warnings are like that.
shown() {
	utctl list s >"$T/list" || fail "list"
	n=$(grep -c "warning: $1" "$T/list")
	[ "$n" -eq "$2" ] || fail "$n warnings like '$1', not $2"
}

all_shown() {
	shown 'program [0-9]* speaks version 99' 52
	shown 'uid 65534: more warnings are not shown' 1
	shown "$T/trace was moved to $T/moved" 1
}

start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-event 'seq:*' &&
    utctl start >/dev/null || fail "set-up"
many 65534 110
shown 'program [0-9]* speaks version 99' 19
many 65533 3
many 0 30
mv "$T/trace" "$T/moved" || fail "mv"
utctl stop >/dev/null && utctl start >/dev/null || fail "stop"
all_shown
kill_utd 0
start_utd
all_shown

# What is in the buffers of one makes ten lines, or less.
utctl create -N t >/dev/null && utctl enable-channel -i 1ms -s t c &&
    utctl enable-event -s t -c c 'hostile:*' >/dev/null && utctl start t >/dev/null ||
    fail "set-up of t"
hold ./prog/asuser 65534 ./prog/scribble "$UT_RUNDIR" unheard 1000
until_ok sh -c "utctl list t | grep 'a child of .* cannot connect'" ||
    fail "not shown: $(utctl list t)"
release
utctl stop t >/dev/null || fail "stop"
n=$(grep -c 'session t: a child of .* cannot connect' "$T/utd.log")
[ "$n" -gt 0 ] && [ "$n" -le 10 ] || fail "$n lines in the log"
stop_utd || fail "utd: status $?: $(tail -3 "$T/utd.log")"
