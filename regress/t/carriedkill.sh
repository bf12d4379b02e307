# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A user stops the consumer that works for that user, and what it has is carried
# to a later chunk, once: also when utd is killed, or a consumer of root's while
# that part is moved, and when it cannot be moved, or is there already.

. ./shared/carried.sh

# utd is killed, and nobody takes over before the stopped one has ended.
theirs 100
others 14 10
for s in $sessions; do
	utctl list $s >/dev/null || fail "list"
done
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

ended

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
give_up 65534
until_ok utctl rotate g ||
    fail "given up: $(utctl rotate g 2>&1; cat "$T/utd.log")"
[ "$(ls "$T/g/archives" | wc -l)" -eq 2 ] || fail "$(find "$T/g")"
kill -9 $stopped
expect 0 '' utctl destroy g
echo "given up: fine"
stop_utd || fail "utd: status $?"
