# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Read a session with a size (create -M) while its chunks are moved and removed:
# view, view -F, stat, export and report go on with what is there, and fail for
# nothing that is gone; all but -F say which chunks are.

. ./common.sh

seconds=${BOUND_SECONDS:-4}

lost='events discarded between 2'	# where the consumer is slow

# Nothing is said but that parts were removed or moved, or that nothing is there.
reads() {
	"$@" >"$T/read.out" 2>"$T/read.err" || fail "$*: status $?: $(cat "$T/read.err")"
	! grep -v -e ': chunks before number [0-9]*, which begins at ' \
	    -e 'removed or moved while it was read: the rest is left out$' \
	    -e ': files were moved or removed while they were looked for' \
	    -e ': an empty trace: ' -e "$lost" "$T/read.err" || fail "$*"
	n=$((n + 1))
	rm -rf "$T/copy"
}

start_utd
utctl create -M 16m -o "$T/u" u >/dev/null &&
    utctl enable-channel -s u -b 64k c &&
    utctl enable-event -s u -c c 'seq:tick' >/dev/null &&
    utctl start u >/dev/null || fail "set-up"
utctl view -F u >"$T/follow.out" 2>"$T/follow.err" &
FOLLOW=$!
CHILDREN="$CHILDREN $FOLLOW"
./prog/seq -p 20 1 16 90000000 &
SEQ=$!
CHILDREN="$CHILDREN $SEQ"
# The number of the first chunk that is there.
first_chunk() {
	ls "$T/u/archives" 2>/dev/null | sed 's/.*-//' | sort -n | head -n 1
}
some_removed() {
	[ "$(first_chunk)" -gt 1 ]
}

until_ok some_removed || fail "no chunk was removed: $(ls "$T/u/archives")"
n=0
end=$(($(date +%s) + seconds))
while [ "$(date +%s)" -lt $end ]; do
	reads utctl view "$T/u"
	reads utctl stat "$T/u"
	reads utctl export -F ctf -o "$T/copy" "$T/u"
	reads utctl report "$T/u"
	# Without descriptors to keep files open.
	reads sh -c 'ulimit -n 120; exec utctl view -J 1 "$1"' sh "$T/u"
done
kill -9 $SEQ
wait $SEQ 2>/dev/null
expect 0 'destroyed' utctl destroy u
wait $FOLLOW || fail "view -F: status $?: $(cat "$T/follow.err")"
[ -s "$T/follow.out" ] || fail "view -F: nothing"
! grep -v -e 'removed before all of it was read$' -e "$lost" \
    "$T/follow.err" || fail "view -F"
# Which chunks are there is said by the number of the first of them.
first=$(first_chunk)
for c in view stat; do
	expect 0 "u: chunks before number $first, which begins at 2" \
	    utctl $c "$T/u"
done
echo "$n times read, $first chunks"
stop_utd || fail "utd: status $?"
