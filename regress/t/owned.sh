# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Whose the directories and files of a trace are: what somebody else owns, has
# put there, or has linked there is neither used nor changed, when a session is
# created, when a program comes, and when another consumer takes over.

. ./common.sh

me=$(id -u)
start_utd
bits() {
	echo "$1"/ust/uid/$me/*-bit
}
session() {	# directory name
	utctl create -o "$1" "$2" >/dev/null &&
	    utctl enable-event -s "$2" 'seq:*' >/dev/null &&
	    utctl start "$2" >/dev/null || fail "set-up of $2"
}

# One directory, one session.
session "$T/one" one
complains "$T/one: another session uses it" utctl create -o "$T/one" two
expect 0 'one destroyed' utctl destroy one
expect 0 '' utctl create -o "$T/one" two
expect 0 '' utctl destroy two

# A symbolic link that another could have put there: in a directory that others
# can write to, or with a second name where only the sticky bit protects it.
mkdir "$T/real" "$T/group" "$T/sticky" && chmod 775 "$T/group" &&
    chmod 1777 "$T/sticky" && ln -s "$T/real" "$T/link" &&
    ln -s "$T/real" "$T/group/link" && ln -s "$T/real" "$T/sticky/link" ||
    exit 1
expect 0 '' utctl create -o "$T/link/a" a
expect 0 '' utctl create -o "$T/sticky/link/b" b
complains "group/link/c: Operation not permitted: a symbolic link" \
    utctl create -o "$T/group/link/c" c
if ln -P "$T/link" "$T/sticky/twice" 2>/dev/null &&
    [ -L "$T/sticky/twice" ]; then
	complains "sticky/twice/c: Operation not permitted: a symbolic link" \
	    utctl create -o "$T/sticky/twice/c" c
fi
[ "$(echo "$T"/real/*)" = "$T/real/a $T/real/b" ] ||
    fail "$(ls "$T/real")"
expect 0 '' utctl destroy a
expect 0 '' utctl destroy b

# A file in place of one of ours, before that is made.
echo "not ours" >"$T/mine" && cp "$T/mine" "$T/before" || exit 1
session "$T/file" s
./prog/seq 1 1 10
utctl enable-channel b && utctl enable-event -c b 'seq:*' >/dev/null ||
    fail "channel b"
d=$(bits "$T/file")
ln "$T/mine" "$d/b_0" || exit 1
./prog/seq 2 1 10
expect 0 'stopped: 20 events, 10 lost.*64-bit/b_0: File exists\|stopped: 20 events, 10 lost.*32-bit/b_0: File exists' \
    utctl stop
expect 0 'destroyed' utctl destroy
cmp -s "$T/mine" "$T/before" || fail "a file in place of a stream is changed"

# The same as another consumer takes over: whose it was is not known by its
# name, and nothing is cut off.
for how in 'ln' 'cp' 'ln -s' mkfifo; do
	for what in metadata channel0_0; do
		dir=$T/$(echo "$how$what" | tr -d ' ')
		session "$dir" s
		background ./prog/seq -p 1000 1 1 9000000
		until_ok sh -c "test -s \"$dir\"/ust/uid/$me/*-bit/channel0_0" ||
		    fail "no trace in $dir"
		d=$(bits "$dir")
		halt $(consumers)
		mv "$d/$what" "$d/away" || exit 1
		case $how in
		mkfifo)	mkfifo "$d/$what" ;;
		*)	$how "$T/mine" "$d/$what" ;;
		esac || exit 1
		cp "$d/away" "$T/away" || exit 1
		kill -9 $(consumers)
		until_ok sh -c "utctl list s | grep -q 'error: .*$what: \|\
error: .*-bit: the metadata are not'" ||
		    fail "$how $what: $(utctl list s)"
		kill -9 $LAST
		expect 0 'destroyed' utctl destroy s
		cmp -s "$T/mine" "$T/before" || fail "$how $what: changed"
		cmp -s "$d/away" "$T/away" || fail "$how $what: it goes on"
		[ "$how" != cp ] || cmp -s "$d/$what" "$T/before" ||
		    fail "$how $what: cut, or written to"
	done
done

[ "$me" -eq 0 ] || exit 0
two="./prog/asuser 65533"
one="./prog/asuser 65534"
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir "$T/two" &&
    chown 65533 "$T/two" || exit 1

# A directory of somebody else.
$two mkdir -m 777 "$T/two/d" && mkdir "$T/roots" && chmod 777 "$T/roots" ||
    exit 1
complains "two/d: belongs to uid 65533, not to uid 0$" \
    utctl create -o "$T/two/d" s
complains "two/d: belongs to uid 65533, not to uid 0$" \
    utctl record -o "$T/two/d" -- ./prog/seq 1 1 10
complains "two/d: belongs to uid 65533, not to uid 65534 or root$" \
    $one utctl create -o "$T/two/d" s
[ -z "$(ls "$T/two/d")" ] || fail "used: $(ls "$T/two/d")"
expect 0 '' $one utctl create -o "$T/roots" s
expect 0 '' $one utctl destroy s
complains "roots: ust: belongs to uid 65534, not to uid 0$" \
    utctl create -o "$T/roots" s

# Root's session in a directory that others can write to, in one of theirs.
for what in ust ust/uid ust/uid/0 ust/uid/0/64-bit; do
	dir=$T/two/$(echo $what | tr / .)
	mkdir "$dir" && chmod 777 "$dir" || exit 1
	session "$dir" s
	# Root does what two could with fs.protected_hardlinks=0.
	mv "$dir/ust" "$dir/away" && mkdir -p "$dir/ust/uid/0/64-bit" \
	    "$dir/ust/uid/0/32-bit" && chmod 777 "$dir/$what" &&
	    chown -R 65533 "$dir/$what" || exit 1
	[ $what != ust/uid/0/64-bit ] || chown 65533 "$dir/ust/uid/0/32-bit" ||
	    exit 1
	for b in 32 64; do
		ln "$T/mine" "$dir/ust/uid/0/$b-bit/channel0_0" || exit 1
	done
	./prog/seq 1 1 10
	case $what in
	*-bit)	found='ust/uid/0/[36][24]-bit' ;;
	*)	found=$what ;;
	esac
	expect 0 "error: channel channel0 for uid 0: $found: belongs to" \
	    utctl list s
	[ "$(grep -c error: "$T/out")" -eq 1 ] || fail "$(cat "$T/out")"
	expect 0 's destroyed: 0 events' utctl destroy s
	cmp -s "$T/mine" "$T/before" || fail "$what: changed"
	[ ! -e "$dir/ust/uid/0/64-bit/metadata" ] || fail "$what: used"
done

# What is given to a user is new, and empty.
mkdir "$T/give" || exit 1
session "$T/give" s
mkdir -p "$T/give/ust/uid/65534/sub" || exit 1
$one ./prog/seq 1 1 10
expect 0 'uid 65534: ust/uid/65534: Directory not empty' utctl list s
[ "$(ls -nd "$T/give/ust/uid/65534" | awk '{ print $3 }')" = 0 ] ||
    fail "given away"
rmdir "$T/give/ust/uid/65534/sub"
$one ./prog/seq 2 1 10
expect 0 "s destroyed: 10 events, 0 lost, $BYTES" utctl destroy s

# A directory for temporary files in which somebody else can rename ours.
chmod 777 "$T/two"
expect 0 '' env TMPDIR="$T/two" utctl record -o "$T/tmp" -- \
    sh -c 'ls -d "$TMPDIR"/ut-* >/dev/null 2>&1 && exit 1; exit 0'
stop_utd || fail "utd: status $?"
