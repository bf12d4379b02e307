# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# fork in a signal handler that interrupted an event, by a timer, and where
# the processor can do that, after every instruction of an event: the parent's
# events are as without, the child is a program of its own in the handler and
# behind it.  The event that was interrupted is the parent's alone, unless it
# had not begun: then it is one of the child's, too.

. ./common.sh

# Parent's and children's, from what readers_agree left.
split() {
	read -r pid forks <"$T/record.out"
	grep -F "[$pid:" "$T/view.out" >"$T/parent"
	grep -v -F "[$pid:" "$T/view.out" >"$T/others"
	grep -v 'writer = 0,' "$T/others" >"$T/children"
	for f in parent children; do
		./prog/seqcheck <"$T/$f" >"$T/$f.got" || fail "$1: $f"
	done
	grep 'writer = [^0]' "$T/parent" && fail "$1: in the parent's name"
	# Each writer is one process, each process one writer, and at most one
	# of the parent's events is its own, behind its first.  Where many
	# processes come and go a later one may have the number again.
	sed 's/.*\[\(.*\)\].* writer = \([0-9]*\),.*/\1 \2/' "$T/others" |
	    awk '
	$2 == 0 { if (parents[$1 " " is[$1]]++) print "two at once:", $1; next }
	$2 < is[$1] { print "not one writer:", $0 }
	!($2 in pid) { pid[$2] = $1 }
	pid[$2] != $1 { print "not one process:", $0 }
	{ is[$1] = $2 }' | grep . && fail "$1: who is who"
}

# All of it is there.
exactly() {
	[ "$lost" -eq 0 ] || fail "$1: $lost lost"
	readers_agree "$T/trace"
	split "$1"
	[ "$(cat "$T/children.got")" = "$((forks * 10)) $forks 0" ] ||
	    fail "$1: $forks children: $(cat "$T/children.got")"
	read -r events writers missing <"$T/parent.got"
	[ "$missing" -eq 0 ] && [ "$events" -ge "$2" ] ||
	    fail "$1: parent: $(cat "$T/parent.got")"
}

recorded -b 64k -n 512 -- ./prog/forksig 20000 60
exactly "by a timer" 20000
[ "$forks" -eq 60 ] || fail "$forks forks"

case $CFLAGS in
*-fsanitize*)	exit 0 ;;
esac
utctl record -o "$T/able" ./prog/forksig -s 1 >/dev/null 2>&1 || exit 0
n=2				# events; with FEWER one
[ -z "${FEWER:-}" ] || n=1
recorded -b 4k -n 4096 -- ./prog/forksig -s $n
echo "$(cat "$T/record.out"), $lost lost"
exactly "by instruction" $((8 * n))
# A bell that is rung for every sub-buffer; there are too few.
recorded -b 4k -n 8 -- ./prog/forksig -s $((2 * n))
echo "$(cat "$T/record.out"), $lost lost"
readers_agree "$T/trace"
split "few sub-buffers"
exit 0
