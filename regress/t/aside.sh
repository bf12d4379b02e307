# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A user stops the consumer that works for that user: triggers of root act on
# what the consumers of others tell, before it is known that this one does not
# answer.

. ./common.sh

[ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null ||
    skip "only root records other users"
need timeout
chmod 755 "$T" "$UT_RUNDIR"
start_utd -v

# ABOUT ACTION TEST: a trigger, at the first event of a program of root's.
acts() {
	utctl create -o "$T/s" s >/dev/null && utctl enable-event 'seq:*' &&
	    utctl trigger -e seq:tick -f 'writer == 204800' -a "$2" &&
	    utctl start >/dev/null || fail "$1: set-up"
	background ./prog/asuser 65534 ./prog/seq -p 100000 1 1 9000
	theirs=$LAST
	until_ok has_programs s seq 1 || fail "$1: no program"
	stopped=$(consumer_of 65534)
	halt "$stopped"
	./prog/seq 200 1 1 || fail "$1: seq"
	shift 2
	until_ok "$@" || fail "$*: $(cat "$T/utd.log")"
	! grep -q 'does not answer' "$T/utd.log" ||
	    fail "$*: only then: $(cat "$T/utd.log")"
	kill -CONT "$stopped"
	kill $theirs
	expect 0 'session s destroyed: .* 0 lost' timeout 30 utctl destroy s
	rm -rf "$T/s"
}

acts stop stop grep -q 'session s: trigger 1 stops it' "$T/utd.log"
acts exec "exec touch $T/done" test -e "$T/done"
acts rotate rotate test -d "$T/s/chunk-1"
# The copy of what root's programs have recorded is written.
acts snapshot snapshot sh -c "[ -s $T/s/snapshots/.utd-*/ust/uid/0/*/metadata ]"
stop_utd || fail "utd: status $?"
