# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Nobody is let in: not into the shared memory, the trace, the run directory, a
# user's utd or a session of somebody else, nor can one user's doing keep the
# system's utd from anything.

. ./common.sh

[ -d $SHM ] || skip "shared memory has no names here"

# Those of that user that this utd has named.
objects() {
	find $SHM -maxdepth 1 -type f -user "$1" \
	    -name "*ut-$(printf %x $UTD_PID)-*"
}
# A bell and a region; NetBSD's bells are elsewhere.  A program is listed before
# its user's consumer has made the region that it writes to.
least=2
[ "$(uname)" != NetBSD ] || least=1
has_objects() {
	[ "$(objects "$1" | wc -l)" -ge $least ]
}
refused() {
	"$@" >/dev/null 2>&1 && fail "$*"
	return 0
}

# What an ordinary user can find out.
if [ "$(id -u)" -ne 0 ]; then
	start_utd
	utctl create -o "$T/t" s >/dev/null && utctl enable-event '*' &&
	    utctl start || fail "set-up"
	background ./prog/seq -p 1000 1 1 1000000
	until_ok sh -c "utctl list s | grep -q seq:tick" || fail "no seq"
	until_ok has_objects "$(id -u)" || fail "no shared memory"
	[ "$(ls -ld "$T/t" | cut -c1-10)" = drwx------ ] ||
	    fail "$(ls -ld "$T/t")"
	find $(objects "$(id -u)") "$T"/t/ust/uid/* "$UT_RUNDIR" -perm /077 |
	    grep . && fail "not only its user's"
	[ "$(./prog/intruder own "$UT_RUNDIR")" = ok ] || fail "not its user's"
	until_ok gone $UTD_PID || fail "utd stays"
	exit 0
fi

chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir "$T/one" "$T/two" &&
    chown 65534 "$T/one" && chown 65533 "$T/two" || exit 1
one="./prog/asuser 65534"
two="./prog/asuser 65533"
start_utd
utctl create -o "$T/root" r >/dev/null && utctl enable-event '*' &&
    utctl start && $one utctl create -o "$T/one/t" s >/dev/null &&
    $one utctl enable-event '*' && $one utctl start || fail "set-up"
for uid in 65534 65533; do
	background ./prog/asuser $uid ./prog/seq -p 1000 1 1 1000000
done
background ./prog/seq -p 1000 1 1 1000000
until_ok sh -c "[ \$(utctl list r | grep -c seq:tick) -eq 3 ]" ||
    fail "no programs: $(utctl list r)"

# Shared memory: a bell and a region or two, of who writes there.
for uid in 65534 0; do
	until_ok has_objects $uid || fail "objects of $uid: $(ls -lA $SHM)"
	for f in $(objects $uid); do
		case $(ls -l "$f") in
		-rw-------*)	;;
		*)	fail "$(ls -l "$f")" ;;
		esac
		refused $two cat "$f"
		refused $two dd if=/dev/null of="$f" conv=notrunc
		refused $two rm -f "$f"
		refused $two mv "$f" "$f.x"
		refused $two chmod 666 "$f"
		cp "$f" "$T/copy" || fail "$f is gone"
	done
done

# The trace: that of one user, and each user's part of root's.
refused $two ls "$T/one/t"
refused $two cat "$T"/one/t/ust/uid/65534/64-bit/metadata
for uid in 65534 0; do
	refused $two ls "$T/root/ust/uid/$uid"
done
refused $one ls "$T/root/ust/uid/65533"
refused $two touch "$T/root/x" "$T/root/ust/x" "$T/root/ust/uid/x"
refused $two mv "$T/root/ust/uid/65533" "$T/root/ust/uid/x"
$two ls "$T/root/ust/uid/65533/" >/dev/null || fail "nor who may"

# The run directory: what is to be seen is the socket and the FIFO.
for f in "$UT_RUNDIR"/*; do
	case $f in
	*/sock)	continue ;;
	*/wake)	refused $two sh -c ": >$f" ;;
	*)	refused $two cat "$f" ;;
	esac
	refused $two rm -f "$f"
done

# To control: who asks for the end of utd, or has a session of that name, or
# a newer one, does not get at root's.
[ "$($two ./prog/intruder own "$UT_RUNDIR")" = refused ] || fail "utd is owned"
expect 0 '' $two utctl create -o "$T/two/r" r
expect 0 '' $two utctl create -o "$T/two/n" newer
expect 0 'session r stopped: ' utctl stop
expect 0 '' utctl start r
expect 0 "session r (stopped): $T/two/r" $two utctl list r
expect 0 "session r (active): $T/root" utctl list r
expect 0 'newer destroyed' utctl destroy newer
expect 0 '' utctl create -o "$T/mine" s
expect 0 "session s (stopped): $T/mine" utctl list s
expect 0 's destroyed' utctl destroy s
expect 0 "session 65534/s (active): $T/one/t" utctl list s

# A user's utd, whatever the modes.
mkdir "$T/one/run" && chown 65534 "$T/one/run" || exit 1
$one utd -r "$T/one/run" || fail "utd of one"
pid=$(cat "$T/one/run/utd.pid")
CHILDREN="$CHILDREN $pid"
chmod 711 "$T/one"
refused $two ./prog/intruder own "$T/one/run"
chmod 666 "$T/one/run/sock"
[ "$($two ./prog/intruder own "$T/one/run")" = closed ] ||
    fail "two talks to one's utd"
gone $pid && fail "one's utd ended"
expect 0 'no sessions' env UT_RUNDIR="$T/one/run" utctl list
[ "$($one ./prog/intruder own "$T/one/run")" = ok ] || fail "not one's own"
until_ok gone $pid || fail "one's utd stays"

# Who is told what by another user's utd is not believed.
mkdir "$T/two/run" && chown 65533 "$T/two/run" && chmod 711 "$T/two" || exit 1
$two utd -r "$T/two/run" || fail "utd of two"
pid=$(cat "$T/two/run/utd.pid")
CHILDREN="$CHILDREN $pid"
chmod 666 "$T/two/run/sock"
complains 'Operation not permitted' $one env UT_RUNDIR="$T/two/run" utctl list
expect 0 'no sessions' env UT_RUNDIR="$T/two/run" utctl list
kill $pid

# Objects that somebody else puts in the place of those that are gone, as the
# next utd looks for them: they are not used, nor removed.  Whose a semaphore
# with a name is POSIX does not tell; but nobody else can remove it.
names=$(objects 65534 | grep -v /sem)
kill -9 $(consumers) $UTD_PID
wait $UTD_PID 2>/dev/null
for f in $names; do
	rm "$f" && cp "$T/copy" "$f" && chown 65533 "$f" && chmod 666 "$f" ||
	    exit 1
	echo "$f" >>"$T/planted"
done
for f in $(cat "$T/planted"); do
	cksum "$f"
done >"$T/before"
start_utd
until_ok sh -c "$one utctl list s | grep -q 'error: .*not permitted'" ||
    fail "no error: $($one utctl list s)"
expect 0 '' $one utctl destroy s
expect 0 '' $one utctl create -o "$T/one/u" u
expect 0 '' $one utctl enable-event '*'
expect 0 '' $one utctl start
$one ./prog/seq 7 1 100
expect 0 'u destroyed: [1-9][0-9]* events' $one utctl destroy u
for f in $(cat "$T/planted"); do
	cksum "$f"
done | cmp -s - "$T/before" || fail "they are not as they were"
rm -f $(cat "$T/planted")

# A consumer that its user stops keeps utd from nothing, not even from ending.
victim=$(consumers | while read -r p; do
	[ $(ps -o uid= -p $p) -ne 65533 ] || echo $p
done)
[ -n "$victim" ] || fail "no consumer of two"
$two kill -STOP $victim || fail "kill"
expect 0 "session r (active)" utctl list r
$one ./prog/seq 8 1 100 || fail "seq"
kill $UTD_PID
until_ok gone $UTD_PID || fail "utd does not end"
gone $victim || fail "a consumer is left"
stop_utd || fail "utd: status $?"
