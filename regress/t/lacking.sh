# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A user takes descriptors or file sizes from the consumer that works for that
# user: root's snapshots lack the part of that user, say so, and have
# everybody else's events; and whoever ends utd is told what is not saved.

. ./common.sh

[ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null ||
    skip "only root records other users"
need prlimit
need timeout
chmod 755 "$T" "$UT_RUNDIR"

has_consumer() {
	[ -n "$(consumer_of 65534)" ]
}

# events DIR "USER EVENTS"...: these are in there, and no others.
events() {
	dir=$1
	shift
	for each in "$@"; do
		echo "$each"
	done >"$T/want"
	readers_agree "$dir"
	sed -n 's/.* writer = \([0-9]*\),.*/\1/p' "$T/view.out" |
	    awk '{ n[$1 / 1024]++ } END { for (w in n) print w, n[w] }' |
	    sort >"$T/got"
	expected "$dir" <"$T/want"
}

# A session that keeps what it records, with 200 events of each of two users.
begin() {
	start_utd
	rm -rf "$T/k"
	utctl create -S -o "$T/k" k >/dev/null &&
	    utctl enable-event 'seq:tick' && utctl start >/dev/null ||
	    fail "set-up"
	./prog/asuser 65534 ./prog/seq 1 1 200 || fail "seq"
	./prog/seq 2 1 200 || fail "seq"
	until_ok has_consumer || fail "no consumer of 65534"
}

# limit WHAT REASON: the first snapshot lacks that part for this reason.
limit() {
	begin
	expect 0 'snapshot of 400 events: ' utctl snapshot -n all
	./prog/asuser 65534 prlimit --pid "$(consumer_of 65534)" --"$1" ||
	    skip "users cannot lower limits here"
	expect 0 "snapshot of 200 events without uid 65534 ($2): /" \
	    timeout 20 utctl snapshot -n some
	expect 0 "warning: snapshot without uid 65534 ($2)" utctl list k
	events "$T/k/snapshots/all" '1 200' '2 200'
	events "$T/k/snapshots/some" '2 200'
	[ -z "$(find "$T/k/snapshots/some/ust/uid/65534" -type f)" ] ||
	    fail "$1: $(find "$T/k/snapshots/some")"
	echo "$1: fine"
}

# The part cannot be opened, or be begun, or its metadata fit and no events.
for what in fsize=0:0 nofile=3:3 fsize=4096:4096; do
	case $what in
	fsize*)	why='.*File too large' ;;
	*)	why='.*Too many open files.*' ;;
	esac
	limit $what "$why"
	if [ $what = fsize=0:0 ]; then
		complains "^utctl: utd (pid $UTD_PID) has ended, but not all \
that was in memory is saved: session k: snapshot without uid 65534 ($why)" \
		    timeout 60 utctl shutdown
		UTD_PID=
		# It names the last one itself.
		events "$(ls -d "$T"/k/snapshots/2*)" '2 200'
	fi
	stop_utd
done

# Nobody starts consumers for that user any more.
begin
give_up 65534
expect 0 'of 200 events without uid 65534 (the consumer has ended too often)' \
    timeout 20 utctl snapshot -n some
events "$T/k/snapshots/some" '2 200'
stop_utd
echo "given up: fine"

# The owner's own part fails the snapshot, as it should.
begin
prlimit --pid "$(consumer_of 0)" --fsize=0:0
complains 'session k: snapshot: .*File too large' utctl snapshot k
complains 'not all that was in memory is saved: session k: snapshot: .*File' \
    timeout 60 utctl shutdown
UTD_PID=
echo "the owner's: fine"
