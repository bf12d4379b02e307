# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A child of clone(2) or _Fork(3), which ran no atfork handler, traces nothing
# and disturbs nobody: not its parent beside it, and not the programs that get
# what the parent had.  What it executes is a program of its own.  A child of
# vfork(2) writes as its parent, or not at all.

. ./common.sh

no_programs() {
	has_programs s '.*' 0
}

# How many events of which writers there are.
by_writer() {
	sed -n 's/.* writer = \([0-9]*\),.*/\1/p' "$T/view.out" | sort |
	    uniq -c | awk '{ printf "%s:%s ", $2, $1 }'
}

begin() {
	start_utd
	utctl create -o "$T/trace" s >/dev/null &&
	    utctl enable-channel -s s -b 64k -n 256 channel0 &&
	    utctl enable-event -s s 'seq:tick' && utctl start s ||
	    fail "set-up"
}

# end HOW WRITERS [or WRITERS]: what there is, whole and in order, and nothing
# lost.
end() {
	utctl stop s >"$T/stop" || fail "stop"
	grep -q ', 0 lost' "$T/stop" || fail "$1: $(cat "$T/stop")"
	utctl list s | grep warning && fail "$1: a warning"
	readers_agree "$T/trace"
	./prog/seqcheck <"$T/view.out" >"$T/got" || fail "$1: seqcheck"
	[ "$(by_writer)" = "$2" ] || [ "$(by_writer)" = "${3:-$2}" ] ||
	    fail "$1: $(by_writer), not $2"
	stop_utd || fail "utd: status $?"
	rm -rf "$T/trace"
}

try() {
	begin
	./prog/clones $1 5000 >"$T/pid"
	case $? in
	0)	;;
	77)	stop_utd; rm -rf "$T/trace"; return 1 ;;
	*)	fail "clones $1" ;;
	esac
	child=$(cat "$T/pid")
	CHILDREN="$CHILDREN $child"
	# The parent is dead and its slots are free; the child goes on.
	until_ok no_programs || fail "$1: not dead: $(utctl list s)"
	./prog/seq 2 8 20000
	gone "$child" && fail "$1: the child died"
	kill -USR1 "$child"
	until_ok gone "$child" || fail "$1: the child does not execute"
	end "$1" "0:15000 $(for i in 0 1 2 3 4 5 6 7; do
	    printf '%s:20000 ' $((2048 + i)); done)3:5000 "
	grep 'writer = 3,' "$T/view.out" | grep -v -F "clones[$child:" &&
	    fail "$1: executed as another than $child"
	return 0
}

begin
./prog/clones vfork 5000 >"$T/pid" || fail "vfork"
read -r pid five seven <"$T/pid"
end vfork "0:20000 5:5000 7:5000 8:5000 " "0:20000 5:5000 7:5000 "
grep -v -F "clones[$pid:" "$T/view.out" && fail "vfork: who is that"
# A thread is itself, whatever its child has been.
for who in "5 $five" "[78] $seven"; do
	[ "${who#* }" != 0 ] || continue
	grep "writer = ${who% *}," "$T/view.out" |
	    grep -v -F "clones[$pid:${who#* }]" |
	    head -3 | grep . &&
	    fail "vfork: writer ${who% *} is no thread ${who#* }"
done

# Without the system's help the child has what its parent has.
try clone || skip "no system call, or no memory that a child finds wiped"
try _Fork
exit 0
