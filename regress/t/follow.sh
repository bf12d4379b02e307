# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl view -F: what a session records is printed while it records, and in the
# end all of it, each event once: of programs that come later, in directories
# that are renamed meanwhile, and behind what is cut short.

. ./common.sh

start_utd

# follow SESSION [OPTION ...]: view -F in the background.
follow() {
	session=$1
	shift
	(
		status=0
		utctl view -F "$@" "$session" >"$T/follow.out" \
		    2>"$T/follow.err" || status=$?
		echo $status >"$T/follow.status"
	) &
	FOLLOW=$!
	CHILDREN="$CHILDREN $!"
}
# followed STATUS: it has ended by itself, with nothing on stderr.
followed() {
	wait $FOLLOW
	[ "$(cat "$T/follow.status")" -eq "$1" ] ||
	    fail "status $(cat "$T/follow.status"): $(cat "$T/follow.err")"
	[ ! -s "$T/follow.err" ] || fail "$(cat "$T/follow.err")"
}
printed() {
	[ "$(grep -c "$1" "$T/follow.out")" -ge "$2" ]
}
# all_of DIRECTORY: what was printed is what the trace has.
all_of() {
	utctl view "$1" >"$T/view.out" 2>"$T/view.err" ||
	    fail "view: $(cat "$T/view.err")"
	LC_ALL=C sort "$T/view.out" >"$T/a"
	LC_ALL=C sort "$T/follow.out" >"$T/b"
	cmp -s "$T/a" "$T/b" || fail "$(wc -l <"$T/b") of $(wc -l <"$T/a"):" \
	    "$(diff "$T/a" "$T/b" | head -3)"
}

# It waits for the start, prints before the end, and ends with the session.
utctl create -o "$T/s" s >/dev/null && utctl enable-event 'clocks:*' \
    'seq:*' >/dev/null || fail "s"
follow s
sleep 1.5
[ ! -e "$T/follow.status" ] || fail "ended before the start"
utctl start >/dev/null || fail "start"
background ./prog/clocks 20
CLOCKS=$LAST
until_ok printed 'clocks:now' 10 || fail "nothing printed"
# A program that comes later has events of its own.
./prog/seq 1 3 100 || fail "seq"
until_ok printed 'seq:tick' 300 || fail "nothing of another program"
kill -9 "$CLOCKS"
utctl stop >/dev/null || fail "stop"
followed 0
all_of "$T/s"

# In the order of time: a quiet thread's events come late into the files, a busy
# one's at once.  A consumer in a busy machine may be late.
in_order() {
	utctl start >/dev/null || fail "start"
	: >"$T/follow.out"
	rm -f "$T/follow.status"
	follow s "$@"
	background ./prog/clocks 3
	./prog/seq 1 2 20000 && sleep 0.3 && ./prog/seq 4 2 20000 ||
	    fail "seq"
	wait "$LAST"
	utctl stop >/dev/null || fail "stop"
	followed 0
	awk '{ t = $1 $2; if (t < last) exit 1; last = t }' "$T/follow.out"
}
n=1
until in_order; do
	n=$((n + 1))
	[ $n -le 20 ] || fail "never in order"
done
all_of "$T/s"

# What is selected, and only so many.
follow s -e seq:tick -n 5
until_ok [ -s "$T/follow.status" ] || fail "-n 5 goes on"
followed 0
[ "$(wc -l <"$T/follow.out")" -eq 5 ] && printed seq:tick 5 || fail "-n 5"
utctl start >/dev/null || fail "start"
follow s -j -f 'n == 7' -x 'clocks:*'
./prog/seq 9 1 20 || fail "seq"
utctl stop >/dev/null || fail "stop"
followed 0
utctl view -j -f 'n == 7' -x 'clocks:*' s >"$T/a" || fail "view"
cmp -s "$T/a" "$T/follow.out" || fail "selected: $(cat "$T/follow.out")"
expect 0 '' utctl destroy s

# Chunks are renamed as they are read, programs have directories of their own,
# and each has metadata that grow.
utctl create -o "$T/r" r >/dev/null && utctl enable-channel a &&
    utctl enable-channel -p -b 4k -n 8 b &&
    utctl enable-event -c a 'seq:*' && utctl enable-event -c b '*:*' &&
    utctl start >/dev/null || fail "r"
follow r
i=0
while [ $i -lt 12 ]; do
	i=$((i + 1))
	./prog/seq $i 2 40 || fail "seq"
	[ $((i % 3)) -ne 0 ] || ./prog/types >/dev/null || fail "types"
	utctl rotate >/dev/null || fail "rotate"
	sleep 0.2
done
utctl stop >/dev/null || fail "stop"
followed 0
[ "$(find "$T/r/archives" -name metadata | wc -l)" -gt 12 ] || fail "chunks"
all_of "$T/r"
utctl destroy r >/dev/null || fail "destroy"

# What clear removes may be missing, but is no damage: inodes are used again.
utctl create -o "$T/c" c >/dev/null && utctl enable-event 'seq:*' >/dev/null &&
    utctl start >/dev/null || fail "c"
follow c
for i in 1 2 3 4 5 6; do
	./prog/seq $i 1 50 || fail "seq"
	sleep 0.3
	utctl clear >/dev/null || fail "clear"
done
./prog/seq 7 1 50 || fail "seq"
until_ok printed ' writer = 7168, ' 50 || fail "nothing after clear"
utctl stop >/dev/null || fail "stop"
wait $FOLLOW
[ "$(cat "$T/follow.status")" -eq 0 ] || fail "clear: $(cat "$T/follow.err")"
grep -v ': removed before all of it was read$' "$T/follow.err" &&
    fail "clear: $(cat "$T/follow.err")"
[ -z "$(LC_ALL=C sort "$T/follow.out" | uniq -d)" ] || fail "an event twice"
utctl destroy c >/dev/null || fail "destroy"

# A file that was removed leaves its inode to another one, which is read from its
# beginning: here of a new name, and of the same.
for name in new same; do
	utctl create -o "$T/w" w >/dev/null &&
	    utctl enable-channel -b 4k -n 64 -C 8k c &&
	    utctl enable-event -c c 'seq:*' >/dev/null &&
	    utctl start >/dev/null || fail "w"
	follow w
	./prog/seq 1 1 100 || fail "seq"
	until_ok printed ' writer = 1024, ' 100 || fail "nothing of w"
	view=$(ps -A -o pid= -o ppid= | awk -v p=$FOLLOW '$2 == p { print $1 }')
	kill -STOP $view || fail "no view -F"
	./prog/seq 2 1 2000 || fail "seq"
	dir=$(echo "$T"/w/ust/uid/*/*-bit)
	until_ok sh -c "ls '$dir'/c_*_2" || fail "no third file"
	from=$(cd "$dir" && ls c_*_2 | sed -n '1s/2$/1/p')
	cp "$dir/$from" "$T/bytes" && cat "$T/bytes" >"$dir/c_0_0" &&
	    rm "$dir/$from" &&
	    { [ $name = same ] || mv "$dir/c_0_0" "$dir/$from"; } ||
	    fail "w: $(ls "$dir")"
	kill -CONT $view
	utctl stop >/dev/null || fail "stop"
	followed 0
	utctl view w >"$T/view.out" || fail "view"
	LC_ALL=C sort "$T/view.out" >"$T/a"
	LC_ALL=C sort "$T/follow.out" >"$T/b"
	[ "$(wc -l <"$T/a")" -gt 1000 ] && [ -z "$(uniq -d "$T/b")" ] &&
	    [ -z "$(comm -23 "$T/a" "$T/b")" ] ||
	    fail "w: $(wc -l <"$T/b") printed, $(wc -l <"$T/a") there"
	utctl destroy w >/dev/null && rm -r "$T/w" || fail "destroy"
done

# A trace that is removed or renamed is not followed any more.
for how in 'mv v moved' 'rm -r v'; do
	rm -f "$T/follow.status"
	utctl create -o "$T/v" v >/dev/null && utctl enable-event 'seq:*' \
	    >/dev/null && utctl start >/dev/null || fail "v"
	follow v
	./prog/seq 1 1 100 || fail "seq"
	until_ok printed ' writer = 1024, ' 100 || fail "nothing of v"
	(cd "$T" && $how) || fail "$how"
	until_ok [ -s "$T/follow.status" ] || fail "$how: it goes on"
	[ "$(cat "$T/follow.status")" -eq 1 ] && grep -q \
	    "^utctl: $T/v: removed or renamed meanwhile: what came later" \
	    "$T/follow.err" ||
	    fail "$how: $(cat "$T/follow.status" "$T/follow.err")"
	utctl destroy v >/dev/null 2>&1
done

# Metadata that are spoilt are told of in the end, as view does: before the first
# look at them, and after it.
for when in before after; do
	utctl create -o "$T/m" m >/dev/null && utctl enable-event 'seq:*' \
	    >/dev/null || fail "m"
	follow m
	until_ok sh -c "ps -A -o ppid= | grep -qw $FOLLOW" || fail "no view -F"
	view=$(ps -A -o pid= -o ppid= | awk -v p=$FOLLOW '$2 == p { print $1 }')
	[ $when = after ] || kill -STOP $view || fail "no view -F"
	utctl start >/dev/null && ./prog/seq 1 1 100 || fail "seq"
	[ $when = before ] || until_ok printed ' writer = 1024, ' 100 ||
	    fail "nothing of m"
	until_ok grep -q seq:tick "$T"/m/ust/uid/*/*-bit/metadata ||
	    fail "no metadata"
	echo '};;}' >>"$(echo "$T"/m/ust/uid/*/*-bit/metadata)"
	kill -CONT $view
	utctl stop >/dev/null || fail "stop"
	wait $FOLLOW
	utctl view m >/dev/null 2>"$T/view.err" && fail "view of m"
	[ "$(cat "$T/follow.status")" -eq 1 ] && grep -q 'metadata: line' \
	    "$T/view.err" && cmp -s "$T/view.err" "$T/follow.err" ||
	    fail "m: $(cat "$T/follow.status" "$T/follow.err")"
	utctl destroy m >/dev/null && rm -r "$T/m" || fail "destroy"
done

# What is lost is told where it is lost.
utctl create -o "$T/d" d >/dev/null && utctl enable-channel -b 4k -n 2 c &&
    utctl enable-event -c c 'seq:*' && utctl start >/dev/null || fail "d"
follow d
./prog/seq 1 4 20000 || fail "seq"
utctl stop >/dev/null || fail "stop"
wait $FOLLOW
utctl view d >"$T/a" 2>"$T/view.err" || fail "view"
[ "$(wc -l <"$T/a")" -eq "$(wc -l <"$T/follow.out")" ] || fail "events"
[ "$(grep -c 'events* discarded between' "$T/view.err")" -eq \
    "$(grep -c 'events* discarded between' "$T/follow.err")" ] ||
    fail "losses: $(tail -n 3 "$T/follow.err")"
# In JSON they are objects, and so is what is lost as a packet.
utctl view -j d >"$T/b" 2>"$T/err" || fail "view -j"
[ ! -s "$T/err" ] || fail "view -j: $(cat "$T/err")"
sed -n 's/^{"discarded":\([0-9]*\),"from":"[0-9]*","to":"[0-9]*","file":".*"}$/\1/p
    /^{"ns":"/s/.*/event/p' "$T/b" | sort | uniq -c |
    awk '$2 == "event" { events = $1; next } { lost += $1 * $2 }
    END { print events, lost }' >"$T/sum"
utctl view -q d | sed 's/ events, / /; s/ discarded//' | cmp -s - "$T/sum" ||
    fail "view -j: $(cat "$T/sum")"
utctl destroy d >/dev/null || fail "destroy"

# What cannot be followed.
utctl create -o "$T/e" e >/dev/null || fail "e"
complains "-F follows one session" \
    utctl view -F e "$T/s"
complains '-F and -q' utctl view -F -q e
complains '-F and -n -3' utctl view -F -n -3 e
complains '-F: -b and -u must be times of a clock' utctl view -F -u +1s e
complains "$T/s: no session writes it now, by what utd in $UT_RUNDIR says" \
    utctl view -F "$T/s"
utctl create -S -o "$T/k" k >/dev/null || fail "k"
complains 'session k keeps its events in memory' utctl view -F k
utctl enable-event -s e 'clocks:*' >/dev/null && utctl start e >/dev/null ||
    fail "start"
rm -f "$T/follow.status"
follow e
./prog/clocks 1 || fail "clocks"
until_ok printed clocks:now 100
kill_utd 0
wait $FOLLOW
[ "$(cat "$T/follow.status")" -eq 1 ] &&
    grep -q 'utd is gone' "$T/follow.err" ||
    fail "without utd: $(cat "$T/follow.status" "$T/follow.err")"

# A recording whose utd is its own, which ends with it.
background utctl record -o "$T/own" -- sh -c './prog/pairs; sleep 2; ./prog/pairs' \
    >"$T/record" 2>&1
until_ok [ -d "$T/own/ust" ] || fail "no recording: $(cat "$T/record")"
rm -f "$T/follow.status"
follow "$T/own"
until_ok printed work:outer_begin 50 || fail "record: $(cat "$T/follow.err")"
grep -q . "$T/follow.status" 2>/dev/null &&
    fail "ended before the recording: $(cat "$T/follow.err")"
followed 0
# Without -F the dates are known better.
utctl view "$T/own" | cut -d ' ' -f 3- | sort >"$T/a"
cut -d ' ' -f 3- "$T/follow.out" | sort | cmp - "$T/a" || fail "record"
