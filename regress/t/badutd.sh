# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Something else in the place of utd: a daemon that says what it should not,
# gives what is no region or none that it should be, floods, or is silent; and
# files and directories that somebody else has put there.  A program goes on,
# not later than UT_REGISTER_TIMEOUT has it, and keeps no descriptor.
# SEEDS="1 2 3" is the long form.

. ./common.sh
UT_REGISTER_TIMEOUT=200
export UT_REGISTER_TIMEOUT

# A child registers, too, and a listener may be just giving up.
goes_on() {
	most=$(UT_DISABLE=1 ./prog/gulled) || fail "gulled"
	# Its socket, and what it sleeps on.
	most=$((most + 2))
	took=$(./prog/ms "$@" ./prog/gulled $most 2>"$T/err") ||
	    fail "$what: $(cat "$T/err")"
	[ "$took" -lt "$limit" ] || fail "$what: $took ms"
}

# Its sleeps alone take long where the clock ticks slowly.
limit=$(UT_DISABLE=1 ./prog/ms ./prog/gulled 1024) || fail "gulled"
limit=$((2800 + 3 * limit))

for seed in ${SEEDS:-1}; do
	rm -rf "$UT_RUNDIR"/*
	background ./prog/badutd "$UT_RUNDIR" $seed >"$T/talks"
	bad=$LAST
	until_ok test -S "$UT_RUNDIR/sock" || fail "badutd"
	n=0 longest=0
	until grep -q end "$T/talks"; do
		n=$((n + 1))
		what=$(tail -n 1 "$T/talks")
		goes_on
		[ $took -le $longest ] || longest=$took
		[ $n -lt 2000 ] || fail "no end: $what"
	done
	echo "$n programs, $(sort -u "$T/talks" | wc -l) talks, $longest ms"
	gone $bad && fail "badutd died"
	kill -9 $bad
	wait $bad 2>/dev/null
done

# One that comes back again and again keeps nothing either.
if [ -r /proc/self/task ]; then
	rm -rf "$UT_RUNDIR"/*
	background ./prog/badutd "$UT_RUNDIR" >"$T/talks"
	bad=$LAST
	until_ok test -S "$UT_RUNDIR/sock" || fail "badutd"
	pulse_start
	pulse hit 1
	sleep 2
	n=$(ls -d /proc/$PULSE/task/*/fd/* | wc -l)
	[ $n -le 40 ] || fail "$n descriptors: $(ls -l /proc/$PULSE/fd)"
	kill -9 $bad $PULSE
	wait $bad $PULSE 2>/dev/null
fi

# planted WHAT DIR: nobody is talked to there, nor waited for.
planted() {
	what=$1
	UT_RUNDIR=$2 goes_on
	[ ! -s "$T/talks" ] || fail "$what: talked to: $(cat "$T/talks")"
}

: >"$T/talks"
for there in 'mkfifo' 'mkdir' 'touch' 'ln -s sock' 'ln -s /dev/null'; do
	for name in sock wake; do
		rm -rf "$T/dir"
		mkdir -m 700 "$T/dir" && (cd "$T/dir" && $there $name) ||
		    fail "$there $name"
		planted "$there $name" "$T/dir"
	done
	rm -rf "$T/dir"
	(cd "$T" && $there dir) || fail "$there dir"
	planted "$there in place of the directory" "$T/dir"
done

# A daemon in a directory where others may write.
rm -rf "$T/dir"
mkdir "$T/dir" && chmod 777 "$T/dir"
background ./prog/badutd "$T/dir" >"$T/talks"
until_ok test -S "$T/dir/sock" || fail "badutd"
planted "a directory for all" "$T/dir"
chmod 770 "$T/dir"
planted "a directory for the group" "$T/dir"

# Another user's directory, link and daemon; our own link is one.
[ "$(id -u)" -eq 0 ] || exit 0
chmod 777 "$T"
other="./prog/asuser 65534"
$other mkdir "$T/theirs" || fail "mkdir"
background $other ./prog/badutd "$T/theirs" >"$T/talks"
until_ok test -S "$T/theirs/sock" || fail "badutd"
planted "another's directory" "$T/theirs"
chown 0 "$T/theirs"
planted "another's daemon" "$T/theirs"
chmod 700 "$T/dir"
ln -s dir "$T/link" || fail "ln"
$other ln -s dir "$T/theirlink" || fail "ln"
planted "another's link" "$T/theirlink"
what="our own link"
UT_RUNDIR=$T/link goes_on
[ -s "$T/talks" ] || fail "not talked to by our own link"
exit 0
