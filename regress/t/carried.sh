# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A user stops the consumer that works for that user: root's session is rotated
# and cleared in time all the same, a chunk is complete for everybody else and
# is not written any more, and the user's events are in a later chunk, once,
# whoever is killed meanwhile.

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

consumer_of() {
	ps -A -o pid= -o ppid= -o uid= |
	    awk -v p="$UTD_PID" -v u="$1" '$2 == p && $3 == u { print $1 }'
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

PART='the part of uid 65534 goes with the next chunk: its consumer does not answer'
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

# It is stopped, and nobody knows, when the first session is rotated: what the
# next chunk is to have of it is begun by then.  When the other one is, it is
# known.
theirs 100
others 2 100
./prog/seq 3 1 100 || fail "seq"
for s in $sessions; do
	utctl list $s >/dev/null || fail "list"
done
stop_theirs
theirs 50
rotated_each 30 "; $PART" "stopped" '2 100' '3 100'
for s in $sessions; do
	expect 0 "warning: $PART" timeout 20 utctl list $s
done
others 5 10
rotated_each 20 "; $PART" "stopped still" '5 10'
others 6 10
for s in $sessions; do
	expect 0 "^session $s cleared; $PART" timeout 20 utctl clear $s
done
theirs 50
others 8 10

# What is stopped makes no chunk large.
number() {
	ls "$T/s" | sed -n 's/^chunk-//p' | sort -n | tail -n 1
}
archived() {
	utctl view "$T/s/archives" | grep -q 'writer = 9216,'
}
utctl rotate -z 1 s || fail "rotate -z"
others 9 10
until_ok archived || fail "not rotated by size: $(utctl list s)"
was=$(number)
sleep 2
[ "$(number)" -le $((was + 2)) ] || fail "from $was to $(number)"
utctl rotate -z 0 s || fail "rotate -z"
utctl rotate p >/dev/null || fail "rotate"
echo "by size: fine"

# It goes on, and so do its events.
kill -CONT $stopped
until_ok answers || fail "it does not answer again"
rotated_each 25 '' "goes on" '1 200'

# One is killed after that.
theirs 100
others 11 10
stop_theirs
theirs 50
rotated_each 30 "; $PART" "to be killed" '11 10'
kill -9 $stopped
until_ok answers ||
		    fail "nobody takes over: $(utctl list; cat "$T/utd.log")"
rotated_each 25 '' "killed" '1 150'

# What was carried is cleared, once it is complete.
theirs 10
stop_theirs
others 17 10
theirs 10
rotated_each 30 "; $PART" "to be cleared" '17 10'
kill -CONT $stopped
until_ok answers || fail "it does not answer again"
ntheirs=$((ntheirs - 20))
for s in $sessions; do
	expect 0 "^session $s cleared\$" timeout 20 utctl clear $s
	[ -z "$(find "$T/$s" -name '*-chunk-*' ! -path '*/archives/*')" ] ||
	    fail "left: $(find "$T/$s")"
done

# utd is killed, and nobody takes over before the stopped one has ended.
theirs 100
others 14 10
stop_theirs
theirs 50
rotated_each 30 "; $PART" "another utd to come" '14 10'
kill_utd 0
start_utd
others 16 10
rotated_each 30 "; $PART" "another utd" '16 10'
kill -9 $stopped
until_ok answers ||
		    fail "nobody takes over: $(utctl list; cat "$T/utd.log")"
rotated_each 25 '' "another utd's" '1 150'

# So is utd, or a consumer of root's, while it moves that part.
attached() {
	grep -q attached "$T/strace"
}
moving() {
	rm -f "$T/strace"
	strace -o /dev/null -e trace=renameat,renameat2 \
	    -e inject=renameat,renameat2:"$2":when=1 -p "$1" 2>"$T/strace" &
	CHILDREN="$CHILDREN $!"
	until_ok attached || skip_moving="no strace"
}
killed_moving() {
	kill -9 "$roots"
	[ "$1" = consumer ] || {
		kill_utd 0
		start_utd
	}
}
skip_moving=
command -v strace >/dev/null 2>&1 || skip_moving="no strace"
i=20
for how in delay_enter delay_exit; do
	for victim in consumer utd; do
		[ -z "$skip_moving" ] || break
		theirs 100
		others $i 10
		stop_theirs
		theirs 50
		roots=$(consumer_of 0)
		moving "$roots" $how=3000000
		utctl rotate s >"$T/rotate.out" 2>&1 &
		rotating=$!
		until_ok grep -q "consumer $stopped of.* does not answer" \
		    "$T/utd.log" || fail "it answers"
		sleep 1
		killed_moving $victim
		wait $rotating
		until_ok sh -c "! utctl rotate s 2>&1 | grep 'being rot'" ||
		    fail "$how, $victim: $(utctl rotate s 2>&1)"
		kill -9 $stopped
		until_ok answers ||
		    fail "nobody takes over: $(utctl list; cat "$T/utd.log")"
		utctl rotate s >/dev/null || fail "rotate"
		utctl rotate p >/dev/null || fail "rotate"
		echo "$victim killed, $how: fine"
		i=$((i + 1))
	done
done
[ -z "$skip_moving" ] || echo "not while it moves: $skip_moving"

# Something is mounted on that part, which nobody can move then.
theirs 10
others 40 10
for s in $sessions; do
	utctl rotate $s >/dev/null && utctl list $s >/dev/null || fail "rotate"
done
theirs 10
utctl list s >/dev/null || fail "list"
mounted=$(find "$T"/s/chunk-* -name 65534)
mounts() {
	awk -v d="$T/s/" 'index($2, d) == 1 { print $2 }' /proc/mounts
}
trap 'for m in $(mounts); do umount -l "$m"; done; finish' EXIT
if mount -t tmpfs -o uid=65534,mode=700 tmpfs "$mounted" 2>"$T/err"; then
	others 41 10
	stop_theirs
	expect 0 "rotated: /.*; $PART" timeout 20 utctl rotate s
	expect 0 'the part of uid 65534 stays where it is: ' utctl list s
	kill -CONT $stopped
	until_ok answers || fail "it does not answer again"
	others 42 10
	expect 0 "rotated: [^;]*\$" timeout 20 utctl rotate s
	umount "$(mounts)" || fail "umount $(mounts)"
	echo "mounted: fine"
else
	echo "not mounted: $(cat "$T/err")"
fi

# Nothing was written to a chunk that was complete.
while [ "$nchunks" -gt 0 ]; do
	inventory "$(cat "$T/chunk.$nchunks")" >"$T/inventory" &&
	    cmp -s "$T/inventory" "$T/inventory.$nchunks" ||
	    fail "changed: $(diff "$T/inventory" "$T/inventory.$nchunks")"
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
	sed -n 's/.* pulse:a { n = \([0-9]*\).*/\1/p' "$T/all" | sort -n -u \
	    >"$T/theirs"
	[ "$(grep -c pulse:a "$T/all") $(wc -l <"$T/theirs")" = \
	    "$ntheirs $ntheirs" ] ||
	    fail "$s: of $ntheirs: $(wc -l <"$T/theirs")"
done

# The consumer is given up when the next chunk has that part already.
utctl create -o "$T/g" g >/dev/null && utctl enable-event pulse:a &&
    utctl start >/dev/null || fail "set-up of g"
pulse_on a--- || fail "$answer"
theirs 10
utctl list g >/dev/null || fail "list"
stop_theirs
utctl rotate g >"$T/rotate.out" 2>&1 &
rotating=$!
until_ok [ -d "$T/g/chunk-1/ust/uid/65534" ] || fail "not rotated"
kill_utd 0
wait $rotating
start_utd
given_up() {
	kill -9 $(consumer_of 65534) 2>/dev/null
	grep -q 'consumer of uid 65534 is given up' "$T/utd.log"
}
tries=0
until given_up; do
	tries=$((tries + 1))
	[ $tries -lt 5000 ] || fail "not given up: $(cat "$T/utd.log")"
done
until_ok utctl rotate g ||
    fail "given up: $(utctl rotate g 2>&1; cat "$T/utd.log")"
[ "$(ls "$T/g/archives" | wc -l)" -eq 2 ] || fail "$(find "$T/g")"
kill -9 $stopped
expect 0 '' utctl destroy g
echo "given up: fine"
stop_utd || fail "utd: status $?"
[ -n "$(find "$T/s/archives" -name '65534-chunk-*')" ] || fail "nothing of it"
expect 0 '' utctl record -r -o "$T/s" ./prog/seq 1 1 10
[ ! -e "$T/s/archives" ] || fail "not removed: $(find "$T/s")"
