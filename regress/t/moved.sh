# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What a user moves and links into their part of a trace: when root clears,
# rotates, takes snapshots and ends, nothing is removed, changed, given away or
# waited for but what consumers have made there.  So also in one's own trace.

. ./common.sh

start_utd
# session DIRECTORY NAME [option]: with buffers of each user, or program.
session() {
	utctl create -o "$1" "$2" >/dev/null &&
	    utctl enable-channel -s "$2" ${3-} c &&
	    utctl enable-event -s "$2" -c c 'seq:*' >/dev/null &&
	    utctl start "$2" >/dev/null || fail "set-up of $2"
}

# Whoever has the session: what is not of the trace stays, and is told of.
session "$T/own" own
./prog/seq 1 1 10 || fail "seq"
d=$(echo "$T"/own/ust/uid/*/*-bit)
mkdir "$d/notes" && echo mine >"$d/notes/c_0" && echo mine >"$d/metadata.old" &&
    mkfifo "$d/c_7" && ln -s "$T/own" "$d/c_8" || exit 1
complains 'session own: ust stays where it is: .*not of the trace: not removed' \
    utctl clear own
[ "$(ls "$d" | tr '\n' ' ')" = 'c_7 c_8 metadata.old notes ' ] &&
    [ -s "$d/notes/c_0" ] || fail "own: $(ls -l "$d")"
expect 0 'session own cleared' utctl clear own
expect 0 'own destroyed' utctl destroy own
[ "$(id -u)" -eq 0 ] || { stop_utd && exit 0; }

one="./prog/asuser 65534"
two="./prog/asuser 65533"
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir -m 777 "$T/share" &&
    chmod 777 "$T/share" || exit 1

# What somebody else has, and others may rename; and what root has, by which
# it is known here: its group.
victims() {
	rm -rf "$T/share"/*
	for who in two root; do
		as=
		[ $who = root ] || as=$two
		$as sh -c "umask 0 && cd $T/share && mkdir $who $who/closed \
		    $who.empty && chmod 700 $who/closed &&
		    for f in $who/metadata $who/c_0 $who/text \
		    $who/closed/metadata $who.file
		    do echo x >\$f; done" || exit 1
	done
	chgrp -R 65532 "$T/share"/root* || exit 1
}
# All of both that is there, wherever it is now: what, whose, and its mode.
theirs() {
	find "$T" \( -user 65533 -o -group 65532 \) ! -type l ! -type p \
	    -exec ls -ldin {} + | awk '{ print $1, $2, $4, $5 }' | sort -u
}
# plant HOW: as one, in the own part of the trace.
plant() {
	case $1 in
	into)	$one mv "$T/share/two" "$T/share/root" "$d" ;;
	above)	$one mv "$T/share/two" "$T/share/root" "$d/.." ;;
	name)	$one mv "$T/share/two" "$d/c_77" &&
		    $one mv "$T/share/root" "$d/c_78" ;;
	two|root)
		$one mv "$d" "$T/share/away" &&
		    $one mv "$T/share/$1" "$d" ;;
	empty)	rm -f "$d"/*_* "$d/metadata" "$d/clock"
		$one rmdir "$d" && $one mv "$T/share/two.empty" "$d" ;;
	link)	$one ln -s "$T/share/two" "$d/c_79" &&
		    $one ln -s "$T/share/two.file" "$d/c_80" ;;
	linked)	$one mv "$d" "$T/share/away" &&
		    $one ln -s "$T/share/two" "$d" ;;
	hard)	ln "$T/share/two.file" "$d/c_81" &&
		    ln "$T/share/root.file" "$d/c_82" ;;
	fifo)	$one mkfifo "$d/c_83" ;;
	fifos)	$one mv "$d" "$T/share/away" && $one mkfifo "$d" ;;
	esac || fail "plant $1"
}
same() {
	theirs >"$T/after"
	! grep -v -x -F -f "$T/after" "$T/before" >"$T/diff" ||
	    fail "$1: gone or changed: $(cat "$T/diff")"
}
# Nobody waits for whatever it is.
soon() {
	took=$(./prog/ms sh -c "$* >$T/out 2>&1 || :")
	[ "$took" -lt 9000 ] || fail "$*: $took ms"
}
is_part() {
	for d in "$1"/ust/uid/65534/*-bit "$1"/ust/pid/seq-*; do
		[ ! -d "$d" ] || return 0
	done
	return 1
}

n=0
for buffers in '' -p; do
	for what in clear destroy; do
		for how in into above name two root empty link linked hard fifo \
		    fifos; do
			# In ust/pid only root has names.
			case $buffers$how in
			-pabove|-ptwo|-proot|-pempty|-plinked|-pfifos)
				continue ;;
			esac
			n=$((n + 1))
			victims
			session "$T/t$n" s $buffers
			[ $what = clear ] ||
			    utctl rotate -t 1h s >/dev/null || fail "rotate"
			$one ./prog/seq 1 1 10 || fail "seq"
			utctl stop s >/dev/null || fail "stop"
			is_part "$T/t$n" || fail "no part of one"
			theirs >"$T/before"
			plant $how
			soon utctl $what s
			same "$what $buffers $how"
			[ $what != clear ] ||
			    utctl destroy s >/dev/null || fail "destroy"
			same "destroyed, $what $buffers $how"
		done
	done
done

# In root's directory that others can write to: in the place of what consumers
# make there.  What root cannot do then is told.
m=0
for name in ust chunk-1 archives snapshots; do
	for how in two root link file hard fifo; do
		m=$((m + 1))
		victims
		dir=$T/o$m
		mkdir "$dir" && chmod 777 "$dir" || exit 1
		session "$dir" s
		./prog/seq 1 1 10 || fail "seq"
		[ ! -e "$dir/$name" ] || mv "$dir/$name" "$dir/was" || exit 1
		theirs >"$T/before"
		case $how in
		two|root)
			$two mv "$T/share/$how" "$dir/$name" ;;
		link)	$two ln -s "$T/share/root" "$dir/$name" ;;
		file)	$two ln -s "$T/share/root.file" "$dir/$name" ;;
		hard)	ln "$T/share/root.file" "$dir/$name" ;;
		fifo)	$two mkfifo "$dir/$name" ;;
		esac || fail "$how $name"
		for what in rotate clear snapshot destroy; do
			soon utctl $what s
			same "$what, $how as $name"
		done
	done
done

# A snapshot that fails: its consumer dies, and what others have of it goes.
hidden_part() {
	is_part "$T/k/snapshots"/.utd-*  ||
	    { d=$(echo "$T"/k/snapshots/.utd-*/ust/uid/65534) && [ -d "$d" ]; }
}
victims
utctl create -S -o "$T/k" k >/dev/null && utctl enable-event 'seq:*' >/dev/null &&
    utctl start >/dev/null || fail "set-up of k"
background $one ./prog/seq -p 1000 1 1 9000000
SEQ=$LAST
until_ok utctl snapshot -n first k || fail "no snapshot"
c=$(consumer_of 65534)
halt $c
utctl snapshot -n lacks k >"$T/lacks" 2>&1 &
shot=$!
CHILDREN="$CHILDREN $shot"
until_ok hidden_part || fail "no snapshot begins"
theirs >"$T/before"
$one mv "$T/share/two" "$d/two" && $one mv "$T/share/root" "$d/root" ||
    fail "mv to $d"
kill -9 $c
wait $shot && grep -q 'without uid 65534' "$T/lacks" ||
    fail "the snapshot: $(cat "$T/lacks")"
same "snapshot"
d=$T/k/snapshots/lacks/ust/uid/65534
[ -d "$d/two/closed" ] && [ -d "$d/root" ] || fail "moved on: $(ls "$d")"

# And what a utd that was killed has left of one.
left=$T/k/snapshots/.utd-0
mkdir -p "$left/ust/uid/65534" && chown 65534 "$left/ust/uid/65534" || exit 1
$one mv "$d/two" "$left/ust/uid/65534/64-bit" &&
    $one mv "$d/root" "$left/ust/uid/65534/32-bit" || exit 1
mkdir -p "$T/k/snapshots/.utd-1/ust/uid/65534" &&
    chown 65534 "$T/k/snapshots/.utd-1/ust/uid/65534" || exit 1
kill_utd 2
start_utd
until_ok [ ! -d "$T/k/snapshots/.utd-1" ] || fail "not swept"
same "swept"
kill -9 $SEQ
expect 0 'k destroyed' utctl destroy k
same "destroyed"
stop_utd || fail "utd: status $?"
