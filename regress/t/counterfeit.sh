# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A user makes files in the file system of shared memory that have names like
# ours: nobody is told that buffers of a utd are lost, or left, that never were;
# what is a region there is that user's, in a warning, and no error of root's;
# and nobody waits for what is no file.

. ./common.sh

[ "$(id -u)" -eq 0 ] || skip "only root is several users"
case $(uname)-$CFLAGS in
*UT_POSIX*)	skip "shared memory is not looked for in this build" ;;
Linux-*)	;;
*)		skip "shared memory has other names here" ;;
esac
need timeout
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || fail "chmod"
user() {
	./prog/asuser 65534 "$@"
}
clean() {
	rm -f $planted
	finish
}
planted=
trap clean EXIT

# plant DIGIT: $name becomes a name that utd might have given, like $region's.
plant() {
	name=${region%????}$1$1$1$1
	planted="$planted $name"
}

# A session, and a region of the user that recorded there: $region.
begin() {
	start_utd
	utctl create -o "$T/$1" s >/dev/null &&
	    utctl enable-event 'seq:*' >/dev/null && utctl start >/dev/null &&
	    user ./prog/seq 1 1 10 || fail "set-up"
	region=$(find "$SHM" -name "ut-$(printf %x $UTD_PID)-*" -user 65534 \
	    -size +100k)
	[ -f "$region" ] || fail "no region: $(ls -l "$SHM")"
}

says() {
	utctl list s >"$T/list" || fail "list"
	grep -q "$1" "$T/list"
}

# What utd looks for that takes up after another.
begin a
plant a
user dd if=/dev/zero of="$name" bs=1024 count=100 2>/dev/null &&
    user chmod 600 "$name" || fail "zeros"
plant b
user cp "$region" "$name" && user chmod 644 "$name" || fail "for all"
plant c
user cp "$region" "$name" && user sh -c "echo more >>$name" || fail "too long"
plant d
user mkfifo -m 600 "$name" || fail "mkfifo"
kill_utd 0
start_utd
says 'could not save' && fail "$(cat "$T/list")"
grep 'could not save' "$T/utd.log" && fail "in the log"

plant e
real=${name#"$SHM"}
# Of the next utd's process, whose name is shorter, or longer.
next=$(printf %x $UTD_PID)
was=${region#"$SHM/ut-"}
was=${was%%-*}
[ ${#next} -eq ${#was} ] || skip "process IDs have become longer"
name=$SHM/ut-$next-${name#"$SHM/ut-$was-"}
planted="$planted $name"
real=${name#"$SHM"}
user cp "$region" "$name" || fail "cp"
kill_utd 0
start_utd
says "warning: $real: buffers of uid 65534, .* could not save" ||
    fail "not told: $(cat "$T/list")"
expect 0 "destroyed: 10 events, 0 lost, $BYTES" utctl destroy s
stop_utd || fail "utd: status $?"

# What utctl recover looks for, in the state of a utd that is damaged.
begin b
cp "$UT_RUNDIR/state" "$T/state" || fail "cp"
stop_utd || fail "utd: status $?"
cp "$T/state" "$UT_RUNDIR/state.kept-1" || fail "cp"
name=$region planted="$planted $region"
user dd if=/dev/zero of="$name" bs=1024 count=100 2>/dev/null &&
    user chmod 600 "$name" || fail "zeros"
expect 0 '^0 left' utctl recover
rm "$name"
user mkfifo -m 600 "$name" || fail "mkfifo"
expect 0 '^0 left' timeout 20 utctl recover
