# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the tests have in common in which a user stops the consumer that works
# for that user, and root's sessions s and p go on.

. ./common.sh

[ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null ||
    skip "only root records other users"
need timeout
chmod 755 "$T" "$UT_RUNDIR"

sessions="s p"
start_utd
for s in $sessions; do
	utctl create -o "$T/$s" $s >/dev/null || fail "create $s"
done
utctl enable-channel -s p -p c &&
    utctl enable-event -s p -c c 'seq:tick' pulse:a >/dev/null &&
    utctl enable-event -s s 'seq:tick' pulse:a && utctl start s >/dev/null &&
    utctl start p >/dev/null || fail "set-up"

# theirs EVENTS, of a program of user 65534; others WRITER EVENTS, of programs
# of user 65533.
pulse_start ./prog/asuser 65534 ./prog/pulse
pulse_on a--- || fail "$answer"
ntheirs=0
theirs() {
	pulse hit "$1"
	ntheirs=$((ntheirs + $1))
}
others() {
	./prog/asuser 65533 ./prog/seq "$1" 1 "$2" || fail "seq $1"
}

has_consumer() {
	[ -n "$(consumer_of 65534)" ]
}

stop_theirs() {
	until_ok has_consumer || fail "no consumer of 65534"
	stopped=$(consumer_of 65534)
	halt $stopped
}

late() {
	utctl list $1 | grep -q 'a consumer does not answer'
}

# has DIR WHAT "WRITER EVENTS"...: these events, once, and no others.  Writer 1
# is theirs.
has() {
	dir=$1 what=$2
	shift 2
	: >"$T/want"
	for each in "$@"; do
		echo "$each"
	done | sort >"$T/want"
	: >"$T/view.out"
	if [ -n "$(find "$dir" -name metadata)" ]; then
		readers_agree "$dir"
	fi
	sed -n -e 's/.* writer = \([0-9]*\), n = \([0-9]*\),.*/\1 \2/p' \
	    -e 's/.* pulse:a { n = \([0-9]*\).*/1024 \1/p' \
	    "$T/view.out" | sort -u | awk '{ n[$1 / 1024]++ }
	    END { for (w in n) print w, n[w] }' | sort >"$T/got"
	expected "$what: $dir" <"$T/want"
	[ "$(wc -l <"$T/view.out")" -eq \
	    "$(awk '{ n += $2 } END { print n + 0 }' "$T/want")" ] ||
	    fail "$what: more than once in $dir"
}

# What is there of a chunk: to be the same when all is over.
nchunks=0
keep() {
	nchunks=$((nchunks + 1))
	echo "$1" >"$T/chunk.$nchunks"
	inventory "$1" >"$T/inventory.$nchunks"
}
inventory() {
	find "$1" -exec ls -lnid {} + && find "$1" -type f -exec cksum {} +
}

PART='the part of uid 65534 goes with the next chunk'
PART="$PART: its consumer does not answer"
# rotated SESSION SECONDS PATTERN: $chunk.
rotated() {
	expect 0 "session $1 rotated: /.*$3\$" timeout "$2" utctl rotate $1
	chunk=$(sed 's/^.* rotated: \([^;]*\).*/\1/' "$T/out")
}

# rotated_each SECONDS PATTERN WHAT "WRITER EVENTS"...: what the chunk has.
rotated_each() {
	seconds=$1 part=$2 told=$3
	shift 3
	for s in $sessions; do
		rotated $s "$seconds" "$part"
		has "$chunk" "$told" "$@"
		keep "$chunk"
	done
	echo "$told: fine"
}

answers() {
	for each in $sessions; do
		! late $each || return 1
	done
}

# ended: nothing was written to a chunk that was complete, and all events are in
# each of the sessions, once.
ended() {
	while [ "$nchunks" -gt 0 ]; do
		inventory "$(cat "$T/chunk.$nchunks")" >"$T/inventory" &&
		    cmp -s "$T/inventory" "$T/inventory.$nchunks" ||
		    fail "changed: $(diff "$T/inventory" \
		    "$T/inventory.$nchunks")"
		nchunks=$((nchunks - 1))
	done

	for s in $sessions; do
		expect 0 ' 0 lost' utctl destroy $s
		[ -z "$(ls -d "$T/$s"/chunk-* 2>/dev/null)" ] ||
		    fail "$(find "$T/$s" ! -path '*/archives/*')"
		utctl view "$T/$s" >"$T/all" || fail "view"
		./prog/seqcheck <"$T/all" >"$T/got" || fail "$(cat "$T/got")"
		echo "$s: $(cat "$T/got")"
		case $(cat "$T/got") in
		*" 0")	;;
		*)	fail "missing: $(cat "$T/got")" ;;
		esac
		sed -n 's/.* pulse:a { n = \([0-9]*\).*/\1/p' "$T/all" |
		    sort -n -u >"$T/theirs"
		[ "$(grep -c pulse:a "$T/all") $(wc -l <"$T/theirs")" = \
		    "$ntheirs $ntheirs" ] ||
		    fail "$s: of $ntheirs: $(wc -l <"$T/theirs")"
	done
}
