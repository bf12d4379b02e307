# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl is killed at each system call from the one that starts utd to the one
# that makes it the owner of utd: no utd stays.

. ./common.sh
need strace
not_sanitized
strace -o "$T/calls" true 2>/dev/null || skip "strace cannot trace here"
mkdir -m 1777 "$T/tmp" && chmod 1777 "$T/tmp" && chmod 711 "$T" || exit 1
TMPDIR=$T/tmp
export TMPDIR

no_utd() {
	! ps -A -o args= | grep -v -e grep -e strace | grep -q "utd.*$T/"
}
# A system may have other calls for the same.
calls='clone[3]*\|v*fork\|pipe2*\|close\|read\|socket\|connect\|sendmsg\|recvmsg'
calls="$calls\|poll\|ppoll\|pselect6\|wait4\|rt_sigprocmask\|fcntl\|dup"

# sweep option...: kill record at each of these calls; how many began a utd?
sweep() {
	begun=0
	strace -o "$T/calls" utctl record -o "$T/t0" "$@" >"$T/out" 2>&1 ||
	    fail "record: $(cat "$T/out")"
	rm -rf "$T/t0"
	until_ok no_utd || fail "a utd stays"
	# The first message is the greeting, the second makes it the owner.
	awk '/sendmsg\(|writev\(/ && ++n > 2 { exit } { print }' "$T/calls" |
	    sed -n 's/^\([a-z0-9_]*\)(.*/\1/p' >"$T/upto"
	grep -x -e "$calls" "$T/upto" | sort | uniq -c >"$T/counts"
	while read -r n call; do
		while [ "$n" -gt 0 ]; do
			strace -o "$T/calls" \
			    -e "inject=$call:signal=KILL:when=$n" \
			    utctl record -o "$T/t" "$@" >/dev/null 2>&1
			until_ok no_utd || fail "$call $n: a utd stays"
			# Only utd makes that.
			[ -z "$(find "$UT_RUNDIR" "$TMPDIR" -name wake)" ] ||
			    begun=$((begun + 1))
			rm -rf "$T/t" "$T/tmp"/* "$UT_RUNDIR"/*
			n=$((n - 1))
		done
	done <"$T/counts"
	[ $begun -gt 0 ] || fail "no utd was started: $(cat "$T/counts")"
}
sweep -- true
sweep -T 10ms
# Nor by one who has gone before utd begins.
expect 1 '' utd -e now -r "$UT_RUNDIR"
expect 1 '' utd -f -e then -r "$UT_RUNDIR"
utd -f -e now -r "$UT_RUNDIR" </dev/null >/dev/null 2>&1 &
CHILDREN="$CHILDREN $!"
until_ok no_utd || fail "with no end"
: | utd -f -e last -r "$UT_RUNDIR" >/dev/null || fail "utd: status $?"
no_utd || fail "last: a utd stays"
[ ! -e "$UT_RUNDIR/sock" ] || fail "not ended in order"
exit 0
