# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utd is told to end while there is a lot to end: more channels than a program
# can attach to, triggers, and requests of all kinds under way.  It ends in
# order, and everything is in the files.

. ./common.sh

# set_up SESSIONS TRIGGERS: all of a program that records on.
set_up() {
	rm -rf "$T"/s*
	start_utd
	background ./prog/trickle 0 2 1000000 1
	i=0
	while [ $i -lt "$1" ]; do
		i=$((i + 1)) k=0
		utctl create ${3-} -o "$T/s$i" s$i >/dev/null &&
		    utctl enable-channel -s s$i -b 4k -n 8 c &&
		    utctl enable-event -s s$i -c c 'trickle:*' >/dev/null ||
		    fail "set-up of s$i"
		# It says that the program has no room for it.
		utctl start s$i >/dev/null 2>&1
		while [ $k -lt "$2" ]; do
			k=$((k + 1))
			utctl trigger -e 'trickle:*' -n 1 -a 'exec true' s$i \
			    >/dev/null 2>&1
		done
	done
}

# The end, and what is in the files.
end() {
	stop_utd || fail "$1: status $utd_status: $(tail -5 "$T/utd.log")"
	! grep -e 'not all written' -e 'does not end' -e 'given up' \
	    "$T/utd.log" || fail "$1: it has left something"
	[ ! -e "$UT_RUNDIR/state" ] || fail "$1: left: $(ls "$UT_RUNDIR")"
	rm -rf "$T/s1/snapshots"	# which babeltrace2 reads as well
	readers_agree "$T/s1"
	kill -9 $LAST 2>/dev/null
	wait $LAST 2>/dev/null
}

set_up 34 0
until_ok grep -q 'it has 32 already' "$T/utd.log" || fail "32 are not enough"
end "sessions"
set_up 4 12
until_ok grep -q 'it has 32 already' "$T/utd.log" || fail "32 are not enough"
end "triggers"

# The program is gone, but for what it has left.
set_up 4 12
kill -9 $LAST
end "no program"

# Whatever is under way.
churn() {
	while utctl list >/dev/null 2>&1; do
		for s in s1 s2 s3; do
			utctl $1 $s
			utctl disable-event -s $s -c c 'trickle:*'
			utctl enable-event -s $s -c c 'trickle:*'
		done
		utctl trigger -e 'trickle:*' -n 1 -a "$2" s4
		utctl trigger -r 1 s4
		utctl destroy s5
		utctl create -o "$T/s5-$1" s5
		utctl enable-event -s s5 'trickle:*'
		utctl start s5
	done >/dev/null 2>&1
}
for n in 1 2 3; do
	for keeps in '' -S; do
		set_up 5 2 $keeps
		what="rotate snapshot clear"
		[ -z "$keeps" ] || what="snapshot list"
		churners=
		for w in $what; do
			churn $w ${w%list} &
			churners="$churners $!"
		done
		CHILDREN="$CHILDREN $churners"
		until_ok grep -q 'trickle' "$UT_RUNDIR/state"
		nap 99
		sleep 0.3
		if [ -z "$keeps" ]; then
			end "requests"
		else
			stop_utd || fail "snapshots: status $utd_status:" \
			    "$(tail -5 "$T/utd.log")"
			kill -9 $LAST
		fi
		wait $churners || :
	done
done
exit 0
