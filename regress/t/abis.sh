# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Programs of 32 and of 64 bits in one session: a directory for each.  The one
# that utd is not of is emptied, too: without a bell, where that is a semaphore.

. ./common.sh

# The other one, for which there may be no compiler or no library.
ours=64 theirs=32 other="$CC -m32"
case $CC in
*-m32*)
	ours=32 theirs=64
	other=$(echo "$CC" | sed 's/-m32//') ;;
esac
flags="-std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 \
    -fvisibility=hidden"
echo 'int main(void) { return 0; }' >"$T/try.c"
$other $CFLAGS -o "$T/try" "$T/try.c" $LIBS && "$T/try" ||
    skip "$other does not work here"
cp prog/seq "$T/ours" && cp prog/types "$T/types" || exit 1
for f in "$TOP"/libut/*.c "$TOP"/libut/common/*.c \
    "$TOP"/libut/expr/*.c "$TOP"/libut/unwind/*.c; do
	# Files of two rooms may have one name.
	o=$(echo "${f#"$TOP"/libut/}" | tr / -)
	$other $flags $CFLAGS -I"$TOP/libut" -c -o "$T/${o%.c}.o" "$f" ||
	    fail "cannot build $f with $other"
done
ar rc "$T/libother.a" "$T"/*.o || fail "ar"
LIBUT=$T/libother.a CC=$other
build "$T/theirs" prog/seq.c
build "$T/theirtypes" prog/types.c
build "$T/theirpulse" prog/pulse.c

start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-event '*' &&
    utctl start || fail "set-up"
"$T/ours" 1 2 30000 &
p1=$!
"$T/theirs" 2 2 30000 &
p2=$!
wait $p1 || fail "ours: $?"
wait $p2 || fail "theirs: $?"
"$T/types" >/dev/null || fail "types: $?"
"$T/theirtypes" >/dev/null || fail "types: $?"

# One that goes on is written by and by, even if it cannot ring.
background "$T/theirs" -p 1000 3 1 1000000 "$T/progress"
pid=$LAST
until_ok member_is $theirs s programs theirs bits ||
    fail "not $theirs-bit: $(utctl list s)"
if [ -r /proc/$pid/maps ]; then
	n=$(grep -c /dev/shm/ /proc/$pid/maps)
	want=1
	case $(uname)$CFLAGS in
	*-DUT_POSIX*)	;;
	Linux*)		want=2 ;;
	esac
	[ "$n" -eq $want ] || fail "shares $n things, not $want"
fi
until_ok sh -c "utctl view '$T/trace' 2>/dev/null |
    grep -q 'writer = 3072, n = 100,'" || fail "is not written"
kill -9 $pid
wait $pid 2>/dev/null
# Nobody has traced for some seconds; then the other one does.
pulse_start "$T/theirpulse"
until_ok pulse_on abco || fail "$answer"
sleep 8
pulse hit 1
until_ok sh -c "utctl view '$T/trace' 2>/dev/null | grep -q 'pulse:a'" ||
    fail "nobody was woken"
exec 3>&- 4<&-
wait $PULSE
expect 0 's stopped: [0-9]* events, 0 lost' utctl stop s

readers_agree "$T/trace"
./prog/seqcheck "3:$T/progress" <"$T/view.out" >"$T/got" ||
    fail "$(cat "$T/got")"
set -- $(cat "$T/got")
[ "$2 $3" = "5 0" ] || fail "seqcheck: $*"
for bits in $ours $theirs; do
	set -- "$T"/trace/ust/uid/*/$bits-bit
	[ -d "$1" ] || fail "no $bits-bit"
	grep -q "^	stream_id = " "$1/metadata" || fail "no stream in $bits-bit"
	readers_agree "$1"
	cp "$T/view.out" "$T/view$bits"
done
grep -e 'writer = 1024,' "$T/view$ours" | wc -l | grep -qx ' *30000' ||
    fail "ours are not in $ours-bit"
grep -e 'writer = 2048,' "$T/view$theirs" | wc -l | grep -qx ' *30000' ||
    fail "theirs are not in $theirs-bit"
grep -q -e 'writer = [23]...,' "$T/view$ours" && fail "theirs in $ours-bit"
grep -q -e 'writer = 10..,' "$T/view$theirs" && fail "ours in $theirs-bit"
n=$(grep -c 'types:' "$T/view$ours")
[ "$n" -gt 0 ] && [ "$(grep -c 'types:' "$T/view$theirs")" -eq "$n" ] ||
    fail "types: not $n events in both"
stop_utd || fail "utd: status $?"
