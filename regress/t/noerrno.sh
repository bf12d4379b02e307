# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program says that it cannot attach to a channel, and gives a number that is
# no error of this system: the warning has the number.

. ./common.sh

start_utd
utctl create -o "$T/s" s >/dev/null && utctl enable-event 'hostile:*' &&
    utctl start >/dev/null || fail "set-up"

# warned PATTERN: the program that is held has such a warning.
warned() {
	utctl list s | grep -q "($HOLDER) cannot attach to channel channel0: $1"
}

# failed NUMBER TEXT
failed() {
	hold ./prog/scribble "$UT_RUNDIR" fail 0 "$1"
	until_ok warned . || fail "$1: no warning: $(utctl list s)"
	warned "$2\$" || fail "$1: not '$2': $(utctl list s)"
	release
}
failed 13 'Permission denied'
failed 0 'error 0'
failed 4294967295 'error -1'
failed 4000 'error 4000'
stop_utd || fail "utd: status $?"
