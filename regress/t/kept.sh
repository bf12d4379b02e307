# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A state file that is torn, damaged, of an older or of a newer utd: what can
# be taken up goes on, nothing is written over, and utctl recover finds what
# is left in memory, and removes it when told to.

. ./inside.sh
. ./common.sh

# Where the bell is a semaphore, it is not among what is named, but goes, too.
case $CFLAGS-$(uname) in
*UT_POSIX*)	bells=0 ;;
*-Linux)	bells=1 ;;
*)		bells=0 ;;
esac
state=$UT_RUNDIR/state

# Killed, with a program whose events nobody has written.
begin() {	# perhaps a command for chunks
	rm -rf "$T/s"
	start_utd
	utctl create -o "$T/s" s >/dev/null &&
	    utctl enable-channel -b 4k -n 64 c &&
	    utctl enable-event -c c 'seq:*' >/dev/null &&
	    utctl start || fail "set-up"
	./prog/seq 1 1 10 || fail "seq"
	[ $# -eq 0 ] || utctl rotate -c "$1" s || fail "rotate -c $1"
	halt $(consumers)
	kill -9 $UTD_PID $(consumers)
	wait $UTD_PID 2>/dev/null
	UTD_PID=
}

empty() {
	[ -z "${UT_TEST_INSIDE-}" ] || [ -z "$(ls /dev/shm)" ] ||
	    fail "$1: left in memory: $(ls /dev/shm)"
	[ "$(ls "$UT_RUNDIR" | grep -v -e wake -e consumer-)" = "" ] ||
	    fail "$1: left: $(ls "$UT_RUNDIR")"
	echo "$1: fine"
}

poke() {	# file, offset, byte
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# How the header begins: length, type, descriptors, version, 0.
version() {
	od -An -t u4 -j 8 -N 4 "$state" | awk '{ print $1 + 0 }'
}
first_byte=$(printf '\1\0\0\0' | od -An -t u4 | awk '{ print $1 + 0 }')
case $first_byte in
1)	low=8 ;;
*)	low=11 ;;
esac

# Torn: killed as it wrote.  Nothing is missing.
begin
printf '\050\0\0\0\012\0' >>"$state"
cp "$state" "$T/torn"
expect 0 's destroyed: 10 events, 0 lost' utctl recover
! grep left "$T/out" || fail "torn: $(cat "$T/out")"
empty torn

# Damaged at the end: what is before goes on.
begin
printf '\377\377\377\377\0\0\0\0\0\0\0\0\0\0\0\0' >>"$state"
cp "$state" "$T/was"
start_utd
grep -q "state: damaged: .*kept as $state.kept-1: see utctl recover" \
    "$T/utd.log" || fail "damaged: $(cat "$T/utd.log")"
cmp "$T/was" "$state.kept-1" || fail "damaged: not kept"
expect 0 '^0 left' utctl recover
utctl list s >/dev/null || fail "damaged: no session"
expect 0 's destroyed: 10 events, 0 lost' utctl destroy s
stop_utd || fail "damaged: utd: status $?"
expect 0 '' utctl recover -d
empty damaged

# Damaged from the start, and again: both are kept, what is in memory is
# named, and goes when that is asked for.
for i in 1 2; do
	begin
	poke "$state" 4 '\377'
	poke "$state" 5 '\377'
	start_utd
	grep -q "state: damaged: kept as " "$T/utd.log" ||
	    fail "bad: $(cat "$T/utd.log")"
	./prog/seq 1 1 10 || fail "seq"
	stop_utd || fail "bad: utd: status $?"
	[ -e "$state.kept-$i" ] || fail "not kept: $(ls "$UT_RUNDIR")"
done
expect 0 'shared memory of [0-9]* bytes, uid' utctl recover
[ "$(grep -c 'shared memory' "$T/out")" -eq $((2 + 2 * bells)) ] ||
    fail "bad: not two buffers and their bells: $(cat "$T/out")"
expect 0 "$((2 + 2 * bells)) left: \"utctl recover -d\" removes them" utctl recover
expect 0 'removed' utctl recover -d
empty bad
complains 'state: No such file' utctl recover

# What a user has had written into the state is no name, even if it is one: of
# memory that another utd has left.
if [ -d "$SHM" ]; then
	mkdir -m 700 "$T/run2" && mv "$UT_RUNDIR" "$T/run1" &&
	    mv "$T/run2" "$UT_RUNDIR" || exit 1
	begin
	mv "$UT_RUNDIR" "$T/run2" && mv "$T/run1" "$UT_RUNDIR" || exit 1
	name=/$(ls -A "$SHM" | sed -n 's/^.*\(ut-[0-9a-f]*-.*\)/\1/p' | head -n 1)
	begin "$name"
	poke "$state" 4 '\377'
	mv "$state" "$state.kept-1"
	expect 0 "^$((1 + bells)) left" utctl recover
	! grep -e "$name" "$T/out" || fail "believed: $name"
	expect 0 'removed' utctl recover -d
	UT_RUNDIR=$T/run2 expect 0 's destroyed: 10 events, 0 lost' utctl recover
	rm -r "$T/run2"
fi

# Of a utd that runs nothing is removed.
begin
poke "$state" 4 '\377'
start_utd
utctl create -o "$T/t" t >/dev/null && utctl enable-event 'seq:*' &&
    utctl start || fail "set-up of t"
./prog/seq 1 1 10 || fail "seq"
cat "$state" >>"$state.kept-1"
expect 0 "^$((1 + bells)) left" utctl recover
expect 0 'removed' utctl recover -d
complains 'utd runs in .*taken up' utctl recover
./prog/seq 2 1 10 || fail "seq"
expect 0 't destroyed: 20 events, 0 lost' utctl destroy t
stop_utd || fail "running: utd: status $?"
empty running

# Others can have written it, or so many are kept that there is no name left.
# (Root in a user namespace may have no other user to give the file to.)
for how in 'chmod 666' 'chown 65534'; do
	: >"$T/given" && $how "$T/given" 2>/dev/null || continue
	rm -f "$T/given"
	begin
	$how "$state" || fail "$how"
	start_utd
	grep -q "state: not ours: kept as $state.kept-1: see" "$T/utd.log" ||
	    fail "$how: $(cat "$T/utd.log")"
	complains 'session s does not exist' utctl list s
	stop_utd || fail "$how: utd: status $?"
	expect 0 '' utctl recover -d
	grep -q 'state.kept-1: not ours' "$T/err" || fail "$how: $(cat "$T/err")"
	chmod 600 "$state.kept-1" && chown "$(id -u)" "$state.kept-1" || exit 1
	expect 0 "^$((1 + bells)) left" utctl recover
	expect 0 'removed' utctl recover -d
	empty "$how"
done
begin
poke "$state" 4 '\377'
touch $(awk 'BEGIN { while (++i < 1000) print "'"$state"'.kept-" i }')
expect 1 'state: damaged, and cannot be kept' utd -d -r "$UT_RUNDIR"
rm "$state".kept-* "$UT_RUNDIR"/sock "$UT_RUNDIR"/utd.pid \
    "$UT_RUNDIR"/programs
mv "$state" "$state.kept-1"
expect 0 'removed' utctl recover -d
empty full

# Of an older utd.
begin
new=$(version)
poke "$state" $low "\\$(printf %o $((new - 1)))"
[ "$(version)" -eq $((new - 1)) ] || fail "version $(version)"
start_utd
grep -q "state: of an older utd: kept as $state.kept-1" "$T/utd.log" ||
    fail "older: $(cat "$T/utd.log")"
expect 0 "^$((1 + bells)) left" utctl recover
stop_utd || fail "older: utd: status $?"
# What cannot be removed is not said to be, and its name is kept.  With POSIX
# alone the semaphore of a bell goes first.
case $CFLAGS in
*-DUT_POSIX*)	n=2 ;;
*)		n=1 ;;
esac
refuse="inject=?unlink,unlinkat:error=EBUSY:when=$n"
if [ -d "$SHM" ] && strace -o "$T/calls" -e "$refuse" true 2>/dev/null; then
	expect 1 '/ut-[^:]*: shared memory of .*: stays: .* busy' strace \
	    -o "$T/calls" -e "$refuse" "$TOP/utctl/utctl" recover -d
	[ "$(grep -c ': removed$' "$T/out")" -eq $bells ] ||
	    fail "not removed: $(cat "$T/out")"
	expect 0 "^1 left" utctl recover
fi
expect 0 'removed' utctl recover -d
empty older

# Of a newer one: that is told, and all stays as it is.
begin
poke "$state" $low "\\$(printf %o $((new + 1)))"
cp "$state" "$T/was"
expect 1 "state: of a newer utd.*version $((new + 1)), not $new" \
    utd -d -r "$UT_RUNDIR"
expect 1 'of a newer utd' utctl recover
cmp "$T/was" "$state" || fail "newer: written over"
ls "$UT_RUNDIR" | grep kept && fail "newer: kept"
poke "$state" $low "\\$(printf %o "$new")"
expect 0 's destroyed: 10 events, 0 lost' utctl recover
empty newer

# Memory of another utd, which runs: somebody has had its name written into
# this state, or it has the number of a utd that was killed here.
there() {
	utctl recover | sed -n 's/^\(.*\): shared memory.*/\1/p' | sort -u
}
mine=$UT_RUNDIR
UT_RUNDIR=$T/other
mkdir -m 700 "$T/other" || exit 1
start_utd
utctl create -o "$T/o" o >/dev/null && utctl enable-event 'seq:*' &&
    utctl start || fail "set-up of o"
./prog/seq 1 1 10 || fail "seq"
other=$UTD_PID
CHILDREN="$CHILDREN $other"
UT_RUNDIR=$mine
cp "$T/other/state" "$mine/state.kept-1" || exit 1
there >"$T/there"
[ "$(wc -l <"$T/there")" -eq $((1 + bells)) ] || fail "$(cat "$T/there")"
for d in "" -d; do
	expect 0 "stays: it may be that of process $other, which runs" \
	    utctl recover $d
	! grep -e removed -e ' left: ' "$T/out" || fail "other's"
done
there | cmp - "$T/there" || fail "other's: removed"
echo $other >"$mine/utd.pid"
start_utd
stop_utd || fail "utd: status $?"
there | cmp - "$T/there" || fail "other's: removed by utd"
UT_RUNDIR=$T/other
expect 0 'o destroyed: 10 events, 0 lost' utctl destroy o
UTD_PID=$other
stop_utd || fail "other: utd: status $?"
UT_RUNDIR=$mine
expect 0 '^0 left' utctl recover
expect 0 '' utctl recover -d
empty other
