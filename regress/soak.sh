# Copyright (c) 2026 The libut authors.  ISC licence: see ../README.
#
# A day in the life of utd, for as long as one likes: sessions come and go,
# some of them checked to the last event, others treated badly; programs come
# and are killed, fork and load libraries; consumers are killed and now and
# then utd, alone or with them, but not in the second half, where what leaks
# has time to show.  In every round all of it comes to an end, and what utd and
# its consumers then have is what they had in the first ones: a line tells of
# that.  Beside it all threads that hardly trace do that, SOAK_SLOW of them, and
# none of their events is ever lost.
#
# SOAK_MINUTES is how long, a round is one of them; or SOAK_SECONDS is, with
# four rounds.  With SOAK_CHAOS, utd and consumers are killed in all rounds, at
# any moment, and memory is not compared.

. ./inside.sh
. ./common.sh

if [ -n "${SOAK_SECONDS-}" ]; then
	rounds=4 length=$((SOAK_SECONDS / 4)) slow=${SOAK_SLOW:-100}
else
	rounds=${SOAK_MINUTES:-60} length=60 slow=${SOAK_SLOW:-2000}
fi
chaos=${SOAK_CHAOS:-0}
[ "$length" -gt 0 ] && [ "$rounds" -gt 0 ] || fail "not long enough"
UT_REGISTER_TIMEOUT=30000
export UT_REGISTER_TIMEOUT

# What a process has freed it may keep, up to the most that it ever had; where
# there is glibc, a signal has utd and consumers give that back before it is
# looked at how much they have.
trim=
case $CFLAGS in
*-fsanitize*)	;;
*)	cat >"$T/trim.c" <<-'END'
		#include <malloc.h>
		#include <signal.h>
		#ifndef __GLIBC__
		#error
		#endif
		static void
		give_back(int sig)
		{
			(void)sig;
			malloc_trim(0);
		}
		static void __attribute__((constructor))
		begin(void)
		{
			signal(SIGUSR2, give_back);
		}
	END
	! $CC $CFLAGS -fPIC -shared -o "$T/trim.so" "$T/trim.c" 2>/dev/null ||
	    trim=$T/trim.so ;;
esac

soak_utd() {
	if [ -n "$trim" ]; then
		LD_PRELOAD=$trim
		export LD_PRELOAD
	fi
	start_utd
	unset LD_PRELOAD
}

# Some programs are another user's.
other=
if [ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null; then
	other="./prog/asuser 65534"
	chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || fail "chmod"
fi
mkdir "$T/progress" "$T/checked" && chmod 1777 "$T/progress" || fail "mkdir"

sed "s/only/only0/" prog/load.c >"$T/load.c"
loads=
if $CC $CFLAGS -fPIC -shared -I"$TOP/libut" -o "$T/load0.so" "$T/load.c" \
    $LINK 2>/dev/null && $CC $CFLAGS -D_GNU_SOURCE -I"$TOP/libut" \
    -o "$T/loads" prog/loads.c $LINK $NOW $LIBS $DL 2>/dev/null; then
	loads="$T/loads 20 1000 $T/load0.so"
fi

seconds() {
	date +%s
}

# Programs: $live are `writer:pid', and each writes its progress.
writer=0 live= nlive=0 programs=0

progress_of() {
	echo "$T/progress/$1"
}

# A session that is checked is told of each program that comes.
comes() {
	for s in $checked; do
		echo "$1" >>"$T/checked/$s"
	done
	programs=$((programs + 1))
}

program_start() {
	[ $nlive -lt 6 ] || return 0
	writer=$((writer + 1))
	as=
	[ $((writer % 3)) -ne 0 ] || as=$other
	comes $writer
	$as ./prog/seq -p 1000 $writer 2 1000000000 "$(progress_of $writer)" &
	live="$live $writer:$!" CHILDREN="$CHILDREN $!"
	nlive=$((nlive + 1))
}

program_kill() {
	[ $nlive -gt 0 ] || return 0
	draw $nlive
	kept=
	for p in $live; do
		if [ $r -eq 0 ]; then
			kill -9 ${p#*:} 2>/dev/null
			wait ${p#*:} 2>/dev/null
		else
			kept="$kept $p"
		fi
		r=$((r - 1))
	done
	live=$kept
	nlive=$((nlive - 1))
}

# One with children that outlive it, while nothing else happens.
program_forks() {
	writer=$((writer + 1))
	comes $writer
	cat "$T/alive" >/dev/null &
	cat=$!
	exec 8>"$T/alive"
	./prog/seq -p 100 -f 3 $writer 2 400 "$(progress_of $writer)" ||
	    fail "seq: $?"
	exec 8>&-
	wait $cat
}

# Once in a round: its writers' numbers are always the same.
program_loads() {
	[ -n "$loads" ] && [ -z "$loaded" ] || return 0
	loaded=1
	$loads >"$T/loads.out" 2>"$T/loads.err" ||
	    fail "loads: $?: $(cat "$T/loads.err")"
}

# Sessions that are checked: $checked are their names.
checked= nchecked=0 name=0 nsessions=0 nevents=0 nslow=0

# Of one kind: 0 is per-UID, 1 per-PID, 2 both.
session_start() {
	[ $nchecked -lt 3 ] || return 0
	name=$((name + 1))
	s=s$name
	draw 3
	kind=${1-$r}
	utctl create -o "$T/$s" $s >"$T/out" 2>&1 || fail "$(cat "$T/out")"
	if [ $kind -ne 1 ]; then
		utctl enable-channel -s $s -n 1024 uid &&
		    utctl enable-event -s $s -c uid 'seq:*' >/dev/null ||
		    fail "channel of $s"
	fi
	if [ $kind -ne 0 ]; then
		utctl enable-channel -s $s -p -n 128 pid &&
		    utctl enable-event -s $s -c pid 'seq:tick' >/dev/null ||
		    fail "channel of $s"
	fi
	utctl start $s >"$T/out" 2>&1 || fail "start $s: $(cat "$T/out")"
	for p in $live; do
		w=${p%%:*}
		cp "$(progress_of $w)" "$T/checked/$s.$w.before" 2>/dev/null ||
		    : >"$T/checked/$s.$w.before"
		echo $w
	done >"$T/checked/$s"
	checked="$checked $s"
	nchecked=$((nchecked + 1))
}

# What does not agree is kept for who wants to look at it.
bad_trace() {
	echo "$s: $(cat "$T/out")"
	tail -n 20 "$T/utd.log"
	[ -z "${SOAK_KEEP-}" ] || cp -r "$T" "$SOAK_KEEP"
	fail "$*"
}

# chunks DIRECTORY uid | pid: its traces of that kind, also rotated ones.
chunks() {
	ls -d "$1/ust/$2" "$1"/chunk-*/ust/$2 "$1"/archives/*/ust/$2 2>/dev/null
}

check_dirs() {
	utctl view "$@" 2>"$T/view.err" |
	    ./prog/seqcheck -s $args >"$T/got" 2>"$T/bad" ||
	    bad_trace "$*: $(head -n 3 "$T/view.err" "$T/bad")"
	[ ! -s "$T/view.err" ] || bad_trace "$*: $(head -n 3 "$T/view.err")"
	read -r got writers missing <"$T/got"
	[ "$missing" -eq 0 ] || bad_trace "$*: $missing missing"
	nevents=$((nevents + got))
}

session_end() {
	[ $nchecked -gt 0 ] || return 0
	draw $nchecked
	kept=
	for s in $checked; do
		[ $r -ne 0 ] || which=$s
		[ $r -eq 0 ] || kept="$kept $s"
		r=$((r - 1))
	done
	checked=$kept s=$which
	nchecked=$((nchecked - 1))
	for p in $live; do
		w=${p%%:*}
		cp "$(progress_of $w)" "$T/checked/$s.$w.after" 2>/dev/null ||
		    : >"$T/checked/$s.$w.after"
	done
	draw 2
	[ $r -eq 0 ] || utctl list $s >/dev/null || fail "list $s"
	utctl destroy $s >"$T/out" 2>&1 || fail "destroy $s: $(cat "$T/out")"
	grep -q ' events, 0 lost' "$T/out" || bad_trace "$(cat "$T/out")"
	args=
	while read -r w; do
		after=$T/checked/$s.$w.after
		[ -f "$after" ] || after=$(progress_of $w)
		before=$T/checked/$s.$w.before
		[ -f "$before" ] || before=
		args="$args $w:$after${before:+:$before}"
	done <"$T/checked/$s"
	for d in uid pid; do
		set -- $(chunks "$T/$s" $d)
		[ $# -eq 0 ] || check_dirs "$@"
	done
	rm -rf "$T/$s" "$T/checked/$s" "$T/checked/$s".*
	nsessions=$((nsessions + 1))
}

# One of them goes on in another directory.
session_rotate() {
	[ $nchecked -gt 0 ] || return 0
	set -- $checked
	utctl rotate $1 >"$T/out" 2>&1 || fail "rotate $1: $(cat "$T/out")"
}

# And one that is not, session bad: whatever it comes to, utd answers.  Events
# may be missing, but none is torn, twice or out of order, and both readers see
# the same.
bad=
bad_create() {
	nbad=$((nbad + 1))
	draw 3
	keeps=
	[ $r -ne 0 ] || keeps=-S
	! utctl create $keeps -o "$T/bad.$nbad" bad || bad=$T/bad.$nbad
}

bad_check() {
	for d in "$1" "$1"/snapshots/*; do
		for kind in uid pid; do
			for part in $(chunks "$d" $kind); do
				find "$part" -name metadata | grep -q . ||
				    continue
				readers_agree "$part"
				grep seq:tick "$T/view.out" |
				    ./prog/seqcheck >"$T/got" 2>"$T/torn" ||
				    bad_trace "$part: $(cat "$T/torn")"
			done
		done
	done
	rm -rf "$1"
}

bad_end() {
	utctl destroy bad || return
	[ -z "$bad" ] || s=bad bad_check "$bad" >&7 2>&7
	bad=
}

session_badly() {
	for n in 1 2 3 4 5 6; do
		draw $((chaos == 1 ? 24 : 12))
		case $r in
		0|1)	bad_create ;;
		2|3)	utctl enable-event -s bad 'seq:*' ;;
		4)	utctl enable-event -s bad -l warning -x 'a*' '*' ;;
		5)	utctl disable-event -s bad 'seq:*' ;;
		6|7)	utctl start bad ;;
		8)	utctl stop bad ;;
		9)	utctl enable-channel -s bad -p -b 4k -n 4 other
			utctl enable-event -s bad -c other 'seq:tick' ;;
		10)	utctl remove-channel -s bad other ;;
		11)	bad_end ;;
		12|13)	utctl rotate bad ;;
		14|15)	utctl clear bad ;;
		16|17)	utctl snapshot bad ;;
		18)	utctl track -s bad -n 'seq*' -p $$ ;;
		19)	utctl untrack -s bad -a ;;
		20)	utctl trigger -e seq:tick -n 1 -a rotate bad ;;
		21)	utctl trigger -e seq:tick -n 100 -a 'exec true' bad ;;
		22)	utctl rotate -t 200ms bad ;;
		23)	utctl rotate -t 0 bad
			utctl enable-channel -s bad -p -m overwrite -b 4k -n 8 \
			    other
			utctl enable-event -s bad -c other 'seq:tick' ;;
		esac >/dev/null 2>"$T/err" || ! grep -q 'no utd' "$T/err" ||
		    fail "$(cat "$T/err")"
	done
}

# Ten events a second each, for as long as the round.
slow_start() {
	utctl create -o "$T/slow" slow >/dev/null &&
	    utctl enable-event -s slow 'trickle:*' >/dev/null &&
	    utctl start slow >/dev/null || fail "session slow"
	./prog/trickle 3000 "$slow" $((length * 10)) 100 &
	slow_pid=$!
}

slow_end() {
	wait $slow_pid || fail "trickle: $?"
	utctl destroy slow >"$T/out" 2>&1 || fail "slow: $(cat "$T/out")"
	grep -q ' events, 0 lost' "$T/out" || fail "slow: $(cat "$T/out")"
	utctl view "$T/slow" 2>"$T/view.err" | ./prog/seqcheck >"$T/got" ||
	    fail "slow: $(head -n 3 "$T/view.err")"
	[ "$(cat "$T/got")" = "$((slow * length * 10)) $slow 0" ] ||
	    fail "slow: $(cat "$T/got")"
	nslow=$((nslow + slow * length * 10))
	rm -rf "$T/slow"
}

consumers_die() {
	kill_consumers
	kills=$((kills + 1))
	sleep 0.6
}

# One that has not recorded yet waits for utd, but for no other one.
known() {
	for p in $live; do
		od -An -tx1 -N8 "$(progress_of ${p%%:*})" 2>/dev/null |
		    grep -q '[1-9a-f]' || return 1
	done
	[ "$(utctl events 2>/dev/null | grep -c '^seq (pid')" -eq $nlive ]
}

# The next one takes up what it had, when all programs are there again.  One
# that is only about to come would find none, and begin without.
utd_dies() {
	until_ok known || fail "programs do not come"
	draw 3
	kill_utd $r
	kills=$((kills + 1))
	nap 90
	soak_utd
	until_ok known || until_ok known || fail "programs do not come again"
}

program_record() {
	[ -z "$recorded" ] || return 0
	recorded=1
	recorded ./prog/seq 1 2 1000
	[ "$events $lost" = "2000 0" ] || fail "record: $events, $lost"
}

act() {
	draw 20
	case $r in
	0|1|2|3) program_start ;;
	4|5)	program_kill ;;
	6|7|8)	session_start ;;
	9|10)	session_end ;;
	11|12|13) session_badly ;;
	14)	program_forks ;;
	15)	program_loads ;;
	16)	program_record ;;
	17)	utctl list >/dev/null || fail "list" ;;
	18)	[ $((round % 3)) -ne 0 ] || calm || consumers_die
		[ $chaos -eq 0 ] || utd_dies ;;
	19)	if [ $chaos -eq 1 ]; then
			consumers_die
			session_rotate
		else
			sleep 1
		fi ;;
	esac
	nap 90
}

# What there is when all is over.
settled() {
	utctl list >"$T/list" && utctl events >>"$T/list" &&
	    [ "$(cat "$T/list")" = "no sessions
no programs know of the utd in $UT_RUNDIR" ]
}

kb() {
	if [ -n "$trim" ]; then
		kill -USR2 "$@"
		sleep 0.2
	fi
	if [ -r "/proc/$UTD_PID/status" ]; then
		cat /dev/null $(printf '/proc/%s/status ' "$@") |
		    awk '/^RssAnon/ { n += $2 } END { print n + 0 }'
	else
		for p in "$@"; do
			ps -o rss= -p $p
		done | awk '{ n += $1 } END { print n + 0 }'
	fi
}

# Descriptors and threads, where that can be seen, and memory.
has() {
	[ -d "/proc/$UTD_PID/task" ] || { echo "- - $(kb "$@")"; return; }
	fds=0 threads=0
	for p in "$@"; do
		fds=$((fds + $(ls "/proc/$p/fd" | wc -l)))
		threads=$((threads + $(ls "/proc/$p/task" | wc -l)))
	done
	echo "$fds $threads $(kb "$@")"
}

measure() {
	set -- $(consumers)
	nconsumers=$#
	read -r ufds uthreads ukb <<-END
	$(has "$UTD_PID")
	END
	read -r cfds cthreads ckb <<-END
	$([ $# -eq 0 ] && echo 0 0 0 || has "$@")
	END
	shms=-
	if [ -n "${UT_TEST_INSIDE-}" ]; then
		shms="$(ls /dev/shm | grep -c '^ut-') $(ls /dev/shm |
		    grep -c '^sem\.')"
	fi
	files="$(find "$UT_RUNDIR" -type p | wc -l) $(ls "$UT_RUNDIR" | wc -l)"
	held="$nconsumers: $ufds $uthreads $cfds $cthreads $shms $files"
}

# As it was before, though it may take utd a moment to see it.  Consumers that
# have nothing to do end, on a busy machine before they were counted.
as_before() {
	measure
	[ $nconsumers -gt 0 ] || { warm_up && measure; }
	[ -z "$first" ] || [ "$held" = "$first" ]
}

# Memory is compared of rounds that each had a full house.  Sanitizers keep
# what is freed, and what utd keeps for the next program is little.
flat() {
	case $CFLAGS in
	*-fsanitize*)	return 0 ;;
	esac
	[ "$ukb" -le $((first_ukb + slack)) ] &&
	    [ "$ckb" -le $((first_ckb + slack * nconsumers)) ]
}

# As much at once as there ever is: what memory it takes is not a leak later.
full_house() {
	for n in 1 2 3 4 5 6; do
		[ $n -gt 3 ] || session_start 2
		program_start
	done
	until_ok known || until_ok known || fail "programs do not come"
	{ utctl create -o "$T/bad.0" bad && bad=$T/bad.0 &&
	    utctl enable-event -s bad 'seq:*' &&
	    utctl enable-channel -s bad -p -b 4k -n 4 other &&
	    utctl enable-event -s bad -c other 'seq:tick' &&
	    utctl start bad; } >/dev/null || fail "session bad"
	program_forks
	program_loads
	program_record
}

# A consumer has its bell from its first region on.
warm_up() {
	utctl create -o "$T/warm" warm >/dev/null &&
	    utctl enable-event -s warm 'seq:*' >/dev/null &&
	    utctl start warm >/dev/null || fail "session warm"
	./prog/seq 1 1 10 && $other ./prog/seq 2 1 10 || fail "seq: $?"
	utctl destroy warm >"$T/out" &&
	    grep -q ": 20 events, 0 lost" "$T/out" || fail "$(cat "$T/out")"
	rm -rf "$T/warm"
}

round_end() {
	slow_end
	while [ $nchecked -gt 0 ]; do
		session_end
	done
	bad_end >/dev/null 2>&1
	while [ $nlive -gt 0 ]; do
		program_kill
	done
	rm -rf "$T"/bad.* "$T"/progress/*
	writer=0
	warm_up
	until_ok settled || fail "not all is over: $(cat "$T/list")"
	until_ok as_before || fail "not flat: first $first, now $held"
	echo "round $round: utd $ufds fds, $uthreads threads, $ukb kB;" \
	    "$nconsumers consumers $cfds fds, $cthreads threads, $ckb kB;" \
	    "shm and semaphores $shms, FIFOs and files $files;" \
	    "$programs programs, $nsessions sessions, $nevents events," \
	    "$nslow of slow threads, $kills kills"
	# The first rounds are to warm up.
	[ $round -ne $warm ] || first=$held
	[ $round -ne $base ] || first_ukb=$ukb first_ckb=$ckb
}

# Nobody but programs is killed.
calm() {
	[ $round -gt $half ]
}

first= kills=0 round=1 nbad=0
half=$((rounds / 2)) warm=$((rounds > 10 ? 3 : 1))
base=$((half + warm))
# Kilobytes.  In a few rounds one may well have twice the events of another.
slack=$((rounds > 10 ? 512 : 8192))
mkfifo "$T/alive" || fail "mkfifo"
exec 7>&1
soak_utd
while [ $round -le $rounds ]; do
	loaded= recorded=
	[ $round -ne $base ] && [ $round -ne $rounds ] || full_house
	end=$(($(seconds) + length))
	slow_start
	# Each has a consumer of each user.
	program_start
	session_start
	program_start
	program_start
	while [ "$(seconds)" -lt $end ]; do
		act
	done
	if ! calm; then
		[ $((round % 4)) -ne 0 ] && [ $round -ne $half ] || utd_dies
		[ $((round % 5)) -ne 2 ] || consumers_die
	fi
	round_end
	round=$((round + 1))
done
[ $chaos -eq 1 ] || flat || fail "more memory: $first_ukb and $first_ckb kB," \
    "now $ukb and $ckb"
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"
[ "$(ls "$UT_RUNDIR")" = wake ] || fail "left: $(ls "$UT_RUNDIR")"
if [ -n "${UT_TEST_INSIDE-}" ]; then
	[ -z "$(ls /dev/shm)" ] || fail "left: $(ls /dev/shm)"
fi
echo "$programs programs, $nsessions sessions, $nevents events," \
    "$nslow of slow threads, $kills kills"
