# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program that is older than anything of utd: it makes what it needs to be
# found in the directory that UT_RUNDIR names, and is found, also with many of
# them at a time; and what is not to be had it does not make.

. ./shared/early.sh

mode() {
	ls -ld "$1" | cut -c1-10
}

# No directory at all, an empty one, one with a FIFO.
out=$T
for dir in none empty fifo; do
	UT_RUNDIR=$T/$dir
	[ $dir = none ] || mkdir -m 700 "$UT_RUNDIR"
	[ $dir != fifo ] || mkfifo -m 600 "$UT_RUNDIR/wake"
	pulse_start
	pulse hit 1
	threads 2 "$dir"
	[ -p "$UT_RUNDIR/wake" ] || fail "$dir: no FIFO"
	if [ $dir = none ]; then
		case $(id -u),$(mode "$T/none"),$(mode "$T/none/wake") in
		0,drwxr-xr-x,prw-r--r--|[1-9]*,drwx------,prw-------) ;;
		*)	fail "modes: $(ls -la "$T/none")" ;;
		esac
	fi
	sleep 0.3
	start_utd
	traced env
	threads 2 "$dir, found"
	stop_utd || fail "utd: status $?"
	threads 2 "$dir, gone"
	start_utd
	traced env
	stop_utd
	quit
done

# As it comes, many at a time: none misses a utd that starts meanwhile.
UT_RUNDIR=$T/race
i=0
while [ $i -lt 5 ]; do
	i=$((i + 1))
	pids=
	for j in 1 2 3 4 5 6 7 8 9 10; do
		(exec sleep 20) | ./prog/pulse >/dev/null &
		pids="$pids $!"
		[ $j -ne 5 ] || start_utd
	done
	CHILDREN="$CHILDREN $pids"
	all_known() {
		[ "$(utctl events | grep -c '^pulse (pid')" -eq 10 ]
	}
	until_ok all_known || fail "not all are found: $(utctl events)"
	kill $pids
	stop_utd
	rm -rf "$UT_RUNDIR"
done

# What is not to be had: a directory that is not there, one of everybody, one
# that is reached through one of everybody.
no_thread() {
	pulse_start
	pulse hit 1
	threads 1 "$1"
	quit
}
UT_RUNDIR=$T/not/there
no_thread "no directory above"
mkdir -m 777 "$T/all"
chmod 777 "$T/all"
UT_RUNDIR=$T/all
no_thread "a directory of everybody"
UT_RUNDIR=$T/all/run
no_thread "a directory in one of everybody"
[ ! -e "$T/all/run" ] || fail "made in one of everybody"
mkdir -m 700 "$T/squat"
: >"$T/squat/wake"
UT_RUNDIR=$T/squat
no_thread "a file in place of the FIFO"
(umask 0777 && UT_RUNDIR=$T/umask ./prog/about >/dev/null)
case $(mode "$T/umask"),$(mode "$T/umask/wake") in
drwx*,prw*)	;;
*)	fail "umask: $(ls -la "$T/umask")" ;;
esac
