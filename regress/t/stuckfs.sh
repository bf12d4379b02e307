# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A user's traces are to go into a file system that the user runs, and that
# does not answer: that user's commands are refused in time, nobody else waits,
# utd never asks such a file system itself, it ends, and nothing is lost.

. ./common.sh

[ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null ||
    skip "only root can mount"
need timeout
me="./prog/asuser 65534" other="./prog/asuser 65533"
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir "$T/fs" "$T/other" &&
    chown 65534 "$T/fs" && chown 65533 "$T/other" || exit 1

# fs options: on descriptors 7 and 8.
fs_start() {
	rm -f "$T/tell" "$T/told"
	mkfifo "$T/tell" "$T/told" || exit 1
	./prog/stuckfs "$T/fs" 65534 "$@" <"$T/tell" >"$T/told" 2>"$T/err" &
	FS=$!
	CHILDREN="$CHILDREN $FS"
	exec 7>"$T/tell" 8<"$T/told"
	read -r answer <&8 || skip "$(cat "$T/err")"
}

fs() {
	echo "$*" >&7 && read -r answer <&8 || fail "the file system is gone"
}

fs_end() {
	exec 7>&- 8<&-
	wait $FS
}

# begin DIR: a session, some events, and more that are not written.
begin() {
	expect 0 '' timeout 20 $me utctl create -o "$1" s
	expect 0 '' $me utctl enable-event 'seq:*'
	expect 0 '' $me utctl start s
	$me ./prog/seq 1 1 1000 || fail "seq"
	expect 0 ' 1000 events, 0 lost' $me utctl list s
	consumer=$(consumers)
}

# All that others ask for is answered.
nobody_waits() {
	for c in "create -o $T/other/$1 o" 'enable-event -s o seq:*' \
	    'start o' 'list o' 'stop o' 'start o'; do
		expect 0 '' timeout 5 $other utctl $c
	done
	UT_REGISTER_TIMEOUT=-1 timeout 5 $other ./prog/seq 2 1 100 ||
	    fail "$1: another's program: $?"
	expect 0 'destroyed: 100 events, 0 lost' timeout 5 $other utctl \
	    destroy o
}

asleep() {
	case $(ps -o stat= -p "$consumer") in
	D*)	return 0 ;;
	esac
	return 1
}

# utd itself may not even look.
fs_start
start_utd
begin "$T/fs/s"
expect 0 ' 1000 events, 0 lost' $me utctl destroy s
stop_utd || fail "utd: $? $(cat "$T/utd.log")"
fs_end

# It could, here, but it would have no answer.
fs_start allow_other
start_utd
fs not "$UTD_PID"
begin "$T/fs/s"
kill_utd 0
until_ok gone "$consumer" || fail "the consumer of no utd stays"
utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
UTD_PID=$!
fs not "$UTD_PID"
until_ok $me utctl list s || fail "the next utd: $(cat "$T/utd.log")"
consumer=$(consumers)

# The consumer sleeps over what it has to write.
fs stuck
$me ./prog/seq 2 1 1000 || fail "seq"
expect 1 'stopped: the consumer of uid 65534 does not answer' timeout 30 \
    $me utctl stop s
asleep || fail "$(ps -o pid,stat,args -p "$consumer")"
nobody_waits stuck
expect 1 'not destroyed: the consumer of uid 65534 does not answer' \
    timeout 5 $me utctl destroy s
expect 1 'fs/t: the consumer of uid 65534 does not answer' \
    timeout 5 $me utctl create -o "$T/fs/t" t
expect 0 '' timeout 5 utctl list

# Its user kills it in vain.
$me kill -9 "$consumer"
nobody_waits killed
kill "$UTD_PID"
n=0
until gone "$UTD_PID"; do
	n=$((n + 1))
	[ $n -lt 300 ] || fail "utd does not end: $(cat "$T/utd.log")"
	sleep 0.1
done
wait "$UTD_PID"
[ $? -eq 1 ] || fail "utd says that all is written"
UTD_PID=
grep -q 'session s: the buffers of uid 65534 are not all written' \
    "$T/utd.log" || fail "$(cat "$T/utd.log")"
asleep || fail "it has ended: $(ps -o pid,stat,args -p "$consumer")"

# And when it answers, all is there.
fs go
until_ok gone "$consumer" || fail "the consumer stays"
expect 0 ' 2000 events, 0 lost' timeout 60 utctl recover
expect 0 '' $me utctl view -q "$T/fs/s"
read -r got rest <"$T/out"
[ "$got" -eq 2000 ] || fail "$got events, not 2000"
fs_end

# Where programs of users wait for a utd there may be such a file system, too.
cat >"$T/tmp.sh" <<'EOF2'
dir=/tmp/.utd-65534-0123456789abcdef
mount -t tmpfs tmpfs /tmp && mount -t tmpfs tmpfs /run && mkdir /run/utd &&
    [ -d /var/run/utd ] || exit 77
unset UT_RUNDIR
mkdir $dir && mkfifo /tmp/tell /tmp/told || exit 1
./prog/stuckfs $dir 65534 allow_other </tmp/tell >/tmp/told &
exec 7>/tmp/tell 8</tmp/told
read answer <&8 && echo stuck >&7 && read answer <&8 || exit 1
utd -d 2>/tmp/log &
pid=$!
n=0
until timeout 5 utctl list >/dev/null; do
	n=$((n + 1))
	[ $n -lt 50 ] || break
	sleep 0.1
done
kill $pid
while kill -0 $pid 2>/dev/null && [ $n -lt 100 ]; do
	n=$((n + 1))
	sleep 0.1
done
echo go >&7
cat /tmp/log
[ $n -lt 50 ] && wait $pid
EOF2
unshare -m sh "$T/tmp.sh" >"$T/out" 2>&1
case $? in
0)	;;
77)	echo "no /tmp of its own: $(cat "$T/out")" ;;
*)	fail "in /tmp: $(cat "$T/out")" ;;
esac
