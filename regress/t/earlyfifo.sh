# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program that is older than anything of utd, without UT_RUNDIR: it is found
# by the user's own utd and by the system's, in either order, and leaves a FIFO
# in /tmp for this one; others may leave there what they like.

. ./shared/early.sh

# The number that a directory has in the names of FIFOs: 64 bits, FNV-1a.
number() {
	h=-3750763034362895579
	for byte in $(printf %s "$1" | od -An -v -tx1); do
		h=$(((h ^ 0x$byte) * 1099511628211))
	done
	printf '%016x\n' $h
}

# What programs of the test have left in /tmp: others have theirs there, too.
home=$(number "$T/home/.utd") xdg=$(number "$T/xdg/utd")
system=$(number "$T/top/sys")
left() {
	find /tmp -maxdepth 1 \( -name ".utd-*-$home" -o \
	    -name ".utd-*-$xdg" -o -name ".utd-*-$system" -o \
	    -name ".utd-*-$mine*" \) 2>/dev/null
}
# What it makes there itself.
mine=$(printf '%08x' $$)

clean() {
	left | while read -r f; do
		rm -f "$f"
	done
	finish
}
trap clean EXIT

# The system's utd is one that has a directory of the test's, which only root
# can make.  A compiler that is elsewhere sees directories that -I names, and no
# others.
unset UT_RUNDIR
mkdir "$T/src" && cp -rp "$TOP/Makefile" "$TOP/libut" "$TOP/utd" \
    "$TOP/utctl" "$T/src" && (cd "$T/src" && rm -f libut/libut.* \
    $(objects_with -e UT_RUNDIR_SYSTEM)) &&
    (cd "$T/src" && ${MAKE:-make} CC="$CC" CFLAGS="$CFLAGS" \
    CPPFLAGS="-Iutd -Iutd/parent -DUT_RUNDIR_SYSTEM='\"$T/top/sys\"'" all) \
    >"$T/make.log" 2>&1 || fail "cannot build: $(tail -3 "$T/make.log")"
chmod -R a+rX "$T/src"
PATH=$T/src/utctl:$T/src/utd:$PATH
$CC $CFLAGS -I"$TOP/libut" -o "$T/pulse" prog/pulse.c \
    "$T/src/libut/libut.a" $LIBS || fail "cannot build pulse"
mkdir -m 555 "$T/top" || exit 1

# The user's own, by either variable.  One thread sleeps for the system's and
# for that; a second one listens.
[ "$(id -u)" -ne 0 ] && uid=$(id -u) || uid=65534
mkdir -m 700 "$T/home" "$T/xdg" "$T/own" && chmod 711 "$T/home" || exit 1
[ "$(id -u)" -ne 0 ] || chown 65534 "$T/home" "$T/xdg" "$T/own" || exit 1
out=$T/own

user_utd() {
	if [ "$(id -u)" -eq 0 ]; then
		./prog/asuser 65534 "$@" utd -d 2>"$T/utd.log" &
	else
		"$@" utd -d 2>"$T/utd.log" &
	fi
	UTD_PID=$!
	# Or utctl would turn to the system's.
	until_ok sh -c "test -S $T/home/.utd/sock || test -S $T/xdg/utd/sock" ||
	    fail "no utd of the user: $(cat "$T/utd.log")"
}

for var in HOME XDG_RUNTIME_DIR; do
	if [ $var = HOME ]; then
		set -- env XDG_RUNTIME_DIR= "HOME=$T/home"
	else
		set -- env "XDG_RUNTIME_DIR=$T/xdg"
	fi
	pulse_start as_user "$@" "$T/pulse"
	pulse pid
	PULSE=$answer
	threads 2 "$var"
	fifos=$(left | grep -c "^/tmp/\.utd-$uid-")
	[ "$fifos" -ge 1 ] || fail "$var: no FIFO in /tmp: $(left)"
	sleep 0.3
	user_utd "$@"
	traced as_user "$@"
	threads 3 "$var, found"
	stop_utd || fail "utd: status $?"
	threads 2 "$var, gone"
	user_utd "$@"
	traced as_user "$@"
	stop_utd
	threads 2 "$var, gone again"
	quit
done
[ -p "$T/home/.utd/wake" ] && [ -p "$T/xdg/utd/wake" ] ||
    fail "no FIFO in the user's directory"

# The system's utd.
[ "$(id -u)" -eq 0 ] || exit 0
system_utd() {
	utd -d 2>"$T/sys.log" &
	SYS=$!
	CHILDREN="$CHILDREN $SYS"
	until_ok utctl list || fail "no system's utd: $(cat "$T/sys.log")"
}

end_system_utd() {
	kill $SYS
	wait $SYS
}

user="env XDG_RUNTIME_DIR= HOME=$T/home"
start() {
	pulse_start as_user "$@" "$T/pulse"
	pulse pid
	PULSE=$answer
	threads 2 "at first"
	sleep 0.3
}

# Names that users may take: more than their share, those of others, and what
# is no FIFO.
n=0
while [ $n -lt 40 ]; do
	n=$((n + 1))
	as_user mkfifo "/tmp/.utd-65534-$mine$(printf '%08x' $n)" ||
	    fail "mkfifo"
done
as_user mkfifo /tmp/.utd-65533-${mine}00000001 /tmp/.utd-65534-${mine}1 \
    /tmp/.utd-065534-${mine}00000001 /tmp/.utd-65534-${mine}0000000A \
    /tmp/.utd-65534-${mine}00000001x || fail "mkfifo"
as_user sh -c ": >/tmp/.utd-65534-${mine}000000ff"
as_user ln -s /tmp/.utd-65534-${mine}1 /tmp/.utd-65534-${mine}000000fe
system_utd
if [ -d /proc/$SYS/fd ]; then
	holds() {	# a process of utd's own finds them
		held=$(ls -l /proc/$SYS/fd | grep '/tmp/\.utd-' | sed 's/.* //')
		[ "$(echo "$held" | grep -c '^/tmp/\.utd-65534-')" "$@" ]
	}
	until_ok holds -ge 16 || fail "utd holds: $held"
	sleep 0.3
	holds -eq 16 || fail "utd holds more of a user's than 16: $held"
	echo "$held" | grep "$mine" |
	    grep -v "^/tmp/\.utd-65534-${mine}[0-9a-f]\{8\}\$" &&
	    fail "utd holds what it must not"
	echo "$held" | grep -e "${mine}000000f[ef]\$" &&
	    fail "utd holds no FIFO"
fi
end_system_utd
left | while read -r f; do
	rm -f "$f"
done
rm -rf "$T/top/sys"

# More FIFOs than utd has descriptors for, of many users; some of them have
# readers that are no programs.  Who sleeps before and behind them is found.
many() {	# users from, to
	u=$1
	while [ $u -lt "$2" ]; do
		./prog/asuser $u mkfifo $(for i in 0 1 2 3 4 5 6 7 8 9 a b c d \
		    e f; do echo "/tmp/.utd-$u-${mine}0000000$i"; done) ||
		    fail "mkfifo"
		u=$((u + 1))
	done
}
many 70000 70030
start $user
many 70030 70060
many 70060 70065
for f in /tmp/.utd-7006[0-4]-${mine}0000000?; do
	cat "$f" &
	CHILDREN="$CHILDREN $!"
done >/dev/null
sleep 0.3
(ulimit -n 256 && exec utd -d) 2>"$T/sys.log" &
SYS=$!
CHILDREN="$CHILDREN $SYS"
until_ok utctl list || fail "no system's utd: $(cat "$T/sys.log")"
traced as_user env "UT_RUNDIR=$T/top/sys"
end_system_utd
quit
left | while read -r f; do
	rm -f "$f"
done
rm -rf "$T/top/sys"

# Never was any: both come, in either order, and go in either order.
for order in 'system user' 'user system'; do
	rm -rf "$T/top/sys" "$T/home/.utd"
	start $user
	for which in $order; do
		if [ $which = system ]; then
			system_utd
			traced as_user env "UT_RUNDIR=$T/top/sys"
		else
			user_utd $user
			traced as_user $user
		fi
		threads 3 "$order: $which came"
	done
	for which in $order; do
		if [ $which = system ]; then
			end_system_utd
		else
			stop_utd
		fi
		[ "$which" != "${order%% *}" ] ||
		    threads 3 "$order: $which went"
	done
	threads 2 "$order: both gone"
	sleep 0.3
	system_utd
	traced as_user env "UT_RUNDIR=$T/top/sys"
	threads 3 "$order: system again"
	user_utd $user
	traced as_user $user
	threads 3 "$order: both again"
	stop_utd
	end_system_utd
	quit
done

# Without a directory of the user's, and where the FIFO is someone else's.
start env XDG_RUNTIME_DIR= "HOME=$T/nonexistent"
system_utd
traced as_user env "UT_RUNDIR=$T/top/sys"
threads 2 "no home"
end_system_utd
quit
left | while read -r f; do
	rm -f "$f" && : >"$f"
done
rm -rf "$T/top/sys" "$T/top/sys.wake"
pulse_start as_user env XDG_RUNTIME_DIR= "HOME=$T/nonexistent" "$T/pulse"
pulse hit 1
pulse pid
PULSE=$answer
threads 1 "squatted"
quit

# A program that runs for somebody else makes nothing.
case $CFLAGS in
*-fsanitize*)	exit 0 ;;	# it wants more than such a program may
esac
$CC $CFLAGS -I"$TOP/libut" -o "$T/about" prog/about.c \
    "$T/src/libut/libut.a" $LIBS || fail "cannot build about"
mkdir "$T/setid" && chmod 777 "$T/setid" && mkdir -m 755 "$T/top/sys" || exit 1
before=$(left)
for owner in 65534 0; do
	chown $owner "$T/about" && chmod 4755 "$T/about" || exit 1
	out=$(./prog/asuser 65533 env "UT_RUNDIR=$T/setid/run" \
	    "HOME=$T/setid" "XDG_RUNTIME_DIR=$T/setid" "$T/about") ||
	    fail "set-id: status $?"
	case $out in
	*", 0 descriptors, "[01]" threads")	;;
	*)	fail "set-id: $out" ;;
	esac
	[ -z "$(ls "$T/setid" "$T/top/sys" | grep -v :)" ] &&
	    [ "$(left)" = "$before" ] ||
	    fail "set-id: $(ls -la "$T/setid" "$T/top/sys"; left)"
done
