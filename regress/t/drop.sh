# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A consumer is its user and nothing more, cannot become anything else, has
# nothing of others, and nobody but root looks into it.

. ./common.sh

[ -r /proc/self/status ] || skip "no /proc here"
me=$(id -u)

status() {	# pid field
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status" | tr -s '\t ' ' ' |
	    sed 's/ $//'
}
of_uid() {
	for p in $(consumers); do
		[ "$(status $p Uid | cut -d' ' -f1)" != "$1" ] || echo $p
	done
}

# All that it has open: the log, a socket, what it waits in, and what is its
# user's, the memory of utd not among it.
fds() {	# pid uid
	sockets=0
	for f in /proc/$1/fd/*; do
		to=$(readlink "$f")
		case ${f##*/},$to in
		[012],*)	continue ;;
		*,socket:*)	sockets=$((sockets + 1)) ;;
		*,"$UT_RUNDIR/consumer-$2") ;;
		*,"$UT_RUNDIR"*)	fail "consumer of $2 has $to" ;;
		*,/*)	[ "$(stat -L -c %u "$f")" -eq $2 ] ||
			    fail "consumer of $2 has $to" ;;
		*)	fail "consumer of $2 has $to" ;;
		esac
	done
	[ $sockets -eq 1 ] || fail "consumer of $2: $sockets sockets"
}

confined() {	# pid
	[ "$(status $1 NoNewPrivs)" = 1 ] || fail "$1 may gain rights"
	grep -q '^Max processes  *0  *0 ' /proc/$1/limits ||
	    fail "$1 may fork: $(cat /proc/$1/limits)"
}

if [ "$me" -ne 0 ]; then
	start_utd
	utctl create -o "$T/t" s >/dev/null && utctl enable-event '*' &&
	    utctl start || fail "set-up"
	./prog/seq 1 1 10
	p=$(of_uid "$me")
	[ -n "$p" ] || fail "no consumer"
	confined "$p"
	fds "$p" "$me"
	stop_utd || fail "utd: status $?"
	exit 0
fi

# A program that is in a group its user is not in; it is the first of all.
chmod 711 "$T" || exit 1
mkdir "$T/one" "$T/two" && chown 65534 "$T/one" && chown 65533 "$T/two" ||
    exit 1
UT_RUNDIR=$T/sys
system_at "$UT_RUNDIR"
build "$T/setgid" prog/seq.c
chgrp 64321 "$T/setgid" && chmod 2755 "$T/setgid" || exit 1
start_utd -v
utctl create -o "$T/root" r >/dev/null && utctl enable-event '*' &&
    utctl start || fail "set-up"
nobody=$(id -g nobody 2>/dev/null) && [ "$(id -u nobody)" -eq 65534 ] ||
    nobody=
strange=64321
case $CFLAGS in
*-fsanitize*)
	strange=65534		# it wants more than such a program may
	./prog/asuser 65534 ./prog/seq 1 1 10 ;;
*)	./prog/asuser 65534 env UT_RUNDIR= "$T/setgid" 1 1 10 ;;
esac || fail "seq"
./prog/asuser 65533 ./prog/seq 2 1 10 || fail "seq"
./prog/seq 3 1 10 || fail "seq"
for uid in 65534 65533; do
	./prog/asuser $uid utctl create \
	    -o "$T/$([ $uid = 65534 ] && echo one || echo two)/t" s \
	    >/dev/null || fail "create of $uid"
done
counts r
[ $events -eq 30 ] || fail "$events events, not 30"

for uid in 65534 65533; do
	p=$(of_uid $uid)
	[ -n "$p" ] || fail "no consumer of $uid"
	[ "$(status $p Uid)" = "$uid $uid $uid $uid" ] ||
	    fail "$uid: $(status $p Uid)"
	gid=$uid
	[ $uid -ne 65534 ] || gid=${nobody:-$strange}
	[ "$(status $p Gid)" = "$gid $gid $gid $gid" ] ||
	    fail "$uid: groups $(status $p Gid), not $gid"
	[ "$(status $p Groups)" = $gid ] || fail "$uid: $(status $p Groups)"
	for caps in CapInh CapPrm CapEff CapAmb; do
		case $(status $p $caps) in
		*[1-9a-f]*)	fail "$uid: $caps $(status $p $caps)" ;;
		esac
	done
	confined $p
	grep -q '^Max core file size  *0  *0 ' /proc/$p/limits ||
	    fail "$uid leaves a core"
	./prog/asuser $uid ./prog/intruder trace $p &&
	    fail "$uid looks into its consumer"
	./prog/intruder trace $p || fail "root does not"
	fds $p $uid
	find "$T/root/ust/uid/$uid" ! -group $gid | grep . &&
	    fail "$uid: not of its group"
done
p=$(of_uid 0)
confined "$p"
stop_utd || fail "utd: status $?"
