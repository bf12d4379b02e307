# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A trace that goes to a directory of somebody who puts links and other
# directories in its place, at every stage: what they lead to stays as it was.
# SWAP is for how many seconds both are swapped at random, while sessions come
# and go.

. ./common.sh
SWAP=${SWAP:-4}

[ "$(id -u)" -eq 0 ] || skip "only root can be several users"
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir "$T/one" "$T/two" \
    "$T/victim" "$T/victim1" || exit 1
for v in victim victim1; do
	mkdir "$T/$v/t" "$T/$v/full" "$T/$v/empty" && echo "do not touch" \
	    >"$T/$v/full/metadata" && chmod 600 "$T/$v/full/metadata" || exit 1
done
chown 65534 "$T/one" && chown 65533 "$T/two" &&
    chown -R 65534 "$T/victim1" || exit 1
one="./prog/asuser 65534"
two="./prog/asuser 65533"

look() {
	for v in victim victim1; do
		find "$T/$v" -exec ls -ldn --time-style=full-iso {} + | sort
		cat "$T/$v/full/metadata"
	done
}
look >"$T/before" 2>/dev/null || skip "no such ls here"
as_before() {
	look >"$T/after"
	cmp -s "$T/before" "$T/after" ||
	    fail "$*: $(diff "$T/before" "$T/after")"
}

start_utd
us() {	# us UID command...
	user=$1
	shift
	if [ "$user" = 0 ]; then
		"$@"
	else
		./prog/asuser "$user" "$@"
	fi
}

# Before create: links in a directory of two, for root and for one.
for user in 0 65534; do
	v=victim
	[ $user = 0 ] || v=victim1
	$two ln -s "$T/$v" "$T/two/link" && $two ln -s "$T/$v/empty" \
	    "$T/two/last" || exit 1
	for d in link/t link/new link/full/new last; do
		complains "two/$d: Operation not permitted" us $user utctl \
		    create -o "$T/two/$d" s
	done
	$two rm "$T/two/link" "$T/two/last"
	# One's own, or root's, where nobody else can put one, are fine.
	us $user mkdir "$T/here.$user" 2>/dev/null || mkdir "$T/here.$user" &&
	    chown $user "$T/here.$user" && us $user mkdir \
	    "$T/here.$user/dir" && us $user ln -s dir "$T/here.$user/link" ||
	    fail "set-up"
	expect 0 "" us $user utctl create -o "$T/here.$user/link/t" s
	expect 0 "" us $user utctl destroy s
	[ -d "$T/here.$user/dir/t" ] || fail "not there"
done
as_before "before create"

# A session in a directory of two's, that two moves away.
session() {	# user name; where it is: $dir
	dir=$T/two/$2
	$two mkdir -m 777 "$dir" && us $1 utctl create -o "$dir/t" $2 \
	    >/dev/null && us $1 utctl enable-event -s $2 'seq:*' \
	    >/dev/null || fail "set-up of $2"
}
away() {	# victim
	$two mv "$dir" "$dir.away" && $two ln -s "$T/$1" "$dir" ||
	    fail "mv"
}

# Of the utd that was killed, but for the semaphores.
no_buffers() {	# pid
	[ -d $SHM ] || return 0
	found=$(find $SHM -maxdepth 1 -size +16k \
	    -name "*ut-$(printf %x "$1")-*")
	[ -z "$found" ] || fail "buffers are left: $found"
}

for user in 0 65534; do
	v=victim
	[ $user = 0 ] || v=victim1
	# Between create and start.
	session $user a$user
	away $v
	expect 0 '' us $user utctl start a$user
	$one ./prog/seq 1 1 10
	expect 0 'destroyed: 10 events' us $user utctl destroy a$user
	[ "$(count_events "$dir.away/t" seq:tick)" -eq 10 ] ||
	    fail "not in what was moved away"
	as_before "between create and start"

	# Between start and data.
	session $user b$user
	expect 0 '' us $user utctl start b$user
	$one ./prog/seq 1 1 10
	away $v
	$one ./prog/seq 2 1 10
	expect 0 'destroyed: 20 events' us $user utctl destroy b$user
	as_before "between start and data"

	# As another utd takes up, or utctl recover, by a link, and by a
	# directory.
	for with in link dir recover; do
		session $user c$user$with
		expect 0 '' us $user utctl start c$user$with
		$one ./prog/seq 1 1 10
		killed=$UTD_PID
		kill -9 $UTD_PID $(consumers)
		wait $UTD_PID 2>/dev/null
		if [ $with = dir ]; then
			$two mv "$dir" "$dir.away" && $two mkdir "$dir" \
			    "$dir/t" || fail "mv"
		else
			away $v
		fi
		if [ $with = recover ]; then
			expect 0 'destroyed' utctl recover
			as_before "recover"
			until_ok test ! -e "$UT_RUNDIR/sock" || fail "a utd"
			start_utd
			continue
		fi
		start_utd
		until_ok sh -c "utctl list c$user$with |
		    grep -q 'warning: the directory: '" ||
		    fail "$with: $(utctl list c$user$with)"
		$one ./prog/seq 2 1 10
		expect 0 'destroyed' us $user utctl destroy c$user$with
		no_buffers $killed
		[ $with = link ] || [ -z "$(ls "$dir/t")" ] ||
		    fail "it goes on in another directory"
		as_before "restart, $with"
	done
done

# Below a directory of root's that two can write to: the next user's part.
for what in ust ust/uid ust/uid/65534; do
	name=$(echo $what | tr / .)
	dir=$T/two/$name
	mkdir "$dir" && chmod 777 "$dir" || exit 1
	expect 0 '' utctl create -o "$dir" $name
	expect 0 '' utctl enable-event -s $name 'seq:*'
	expect 0 '' utctl start $name
	./prog/seq 1 1 10
	case $what in
	ust)	$two mv "$dir/ust" "$dir/away" && $two ln -s "$T/victim1" \
		    "$dir/ust" ;;
	ust/*)	$two mv "$dir/ust" "$dir/away" && $two mkdir "$dir/ust" &&
		    if [ $what = ust/uid ]; then
			$two ln -s "$T/victim1" "$dir/ust/uid"
		    else
			$two mkdir "$dir/ust/uid" && $two mkdir -m 777 \
			    "$dir/ust/uid/65534" && $two ln -s \
			    "$T/victim1/full/metadata" \
			    "$dir/ust/uid/65534/64-bit"
		    fi ;;
	esac || fail "mv"
	$one ./prog/seq 2 1 10
	expect 0 'channel channel0 for uid 65534: ' utctl list $name
	expect 0 'destroyed: 10 events' utctl destroy $name
	[ "$(find "$dir" -user 65534)" = "" ] || fail "$what: given away"
	as_before "$what"
done

# What a user puts into the own part of root's session keeps nobody waiting.
expect 0 '' utctl create -o "$T/root" r
for c in a b c; do
	expect 0 '' utctl enable-channel $c
	expect 0 '' utctl enable-event -c $c 'seq:*'
done
expect 0 '' utctl disable-channel b
expect 0 '' utctl disable-channel c
expect 0 '' utctl start
$one ./prog/seq 1 1 10
d=$T/root/ust/uid/65534/64-bit
[ -d "$d" ] || d=$T/root/ust/uid/65534/32-bit
$one mkfifo "$d/b_0" && $one ln -s "$T/victim/full/metadata" "$d/c_0" ||
    fail "set-up"
expect 0 '' utctl enable-channel b
expect 0 '' utctl enable-channel c
$one ./prog/seq 2 1 10
expect 0 'stopped: 20 events, 20 lost' utctl stop
expect 0 'destroyed' utctl destroy
as_before "what is in a user's part"

# At random, for some seconds.
$two mkdir -p "$T/two/x/real/d" && $two ln -s "$T/victim" "$T/two/x/real/l0" &&
    $two ln -s "$T/victim1" "$T/two/x/real/l1" && chmod -R 777 "$T/two/x" ||
    exit 1
cd "$T/two/x/real" && mkdir m && chown 65533 m && chmod 777 m || exit 1
cd - >/dev/null || exit 1
background ./prog/asuser 65533 ./prog/intruder swap "$T/two/x/real/d" \
    "$T/two/x/real/l0"
background ./prog/asuser 65533 ./prog/intruder swap "$T/two/x/real/m" \
    "$T/two/x/real/l1"
now() {
	date +%s
}
n=0 ok=0 end=$(($(now) + SWAP))
while [ "$(now)" -lt $end ]; do
	for user in 0 65534; do
		for where in d m; do
			n=$((n + 1))
			us $user utctl create -o \
			    "$T/two/x/real/$where/t$n/u" r$n >/dev/null 2>&1 ||
			    continue
			ok=$((ok + 1))
			us $user utctl enable-event -s r$n 'seq:*' >/dev/null
			us $user utctl start r$n >/dev/null
			$one ./prog/seq $((n % 1000)) 1 10
			us $user utctl destroy r$n >/dev/null ||
			    fail "destroy r$n"
			# What it has made, and no more, is removed again.
			us $user utctl record -o "$T/two/x/real/$where/empty" \
			    -- /nonexistent >/dev/null 2>&1
		done
	done
done
echo "$ok of $n sessions"
[ $ok -gt 0 ] || fail "no session at all"
as_before "at random"
stop_utd || fail "utd: status $?"
