# Copyright (c) 2026 The libut authors.  ISC licence: see ../README.
#
# What every test script begins with:  . ./common.sh
#
# A test runs in regress/, has a directory $T of its own, and a run directory
# $T/run that UT_RUNDIR names.  It ends with status 0, with `fail why', or
# with `skip why'.

set -u
# The build tree, wherever the tests are run from.
unset CDPATH
TOP=$(cd .. && pwd)
PATH=$TOP/utctl:$TOP/utd:$PATH
CC=${CC:-cc}
CFLAGS=${CFLAGS:--O2}
LIBS=${LIBS:--pthread}
LIBUT=$TOP/libut/libut.a
# A library that needs libut.so finds it by itself: not every system looks
# where the program does.
LINK="-L$TOP/libut -lut -Wl,-rpath,$TOP/libut"
DL=
# What is linked with $NOW forks while it loads libraries: see libut/PORTING.
NOW=
# Where shared memory has names, if it is files.
SHM=/dev/shm
# How many threads a user may have, if the shell knows.
MOST_THREADS=$(ulimit -u 2>/dev/null) || MOST_THREADS=unlimited
case $(uname) in
Linux)	DL=-ldl ;;
NetBSD)	SHM=/var/shm NOW=-Wl,-z,now
	# A user has 160 threads there, and more for the asking.
	MOST_THREADS=$(sysctl -n proc.$$.rlimit.maxlwp.hard)
	sysctl -w proc.$$.rlimit.maxlwp.soft=$MOST_THREADS >/dev/null 2>&1
	[ "$(id -u)" -ne 0 ] || MOST_THREADS=unlimited ;;
esac
# How many descriptors a program has that waits for a utd: those of threads that
# have descriptors of their own are not among them.
waiting_fds=1
case "$(uname) $CFLAGS" in
*-DUT_POSIX*)	;;
Linux*)	waiting_fds=0 ;;
esac
LC_ALL=C
UT_PAGER=
export PATH LC_ALL UT_PAGER

# What the tests must not have from whoever runs them: other libraries and
# headers than those of the tree, what changes what programs do and print, and
# who may read what is created.  They need 1024 descriptors.
unset COLUMNS UT_DISABLE UT_REGISTER_TIMEOUT LD_LIBRARY_PATH LD_PRELOAD \
    LD_BIND_NOW \
    CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH LD_RUN_PATH \
    PKG_CONFIG_PATH PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR DESTDIR PREFIX \
    XDG_RUNTIME_DIR LANGUAGE POSIXLY_CORRECT GREP_OPTIONS GREP_COLORS \
    MAKEFILES VALGRIND_OPTS TZ
umask 022
[ "$(ulimit -S -n)" = unlimited ] || [ "$(ulimit -S -n)" -ge 1024 ] ||
    ulimit -S -n 1024 2>/dev/null || ulimit -S -n "$(ulimit -H -n)"

# Names of sockets are short, and names of files are not quoted everywhere.
case ${TMPDIR:-/tmp} in
*[!A-Za-z0-9/._+-]*|[!/]*|????????????????????????????????*)	TMPDIR=/tmp ;;
esac
T=$(mktemp -d "${TMPDIR:-/tmp}/ut-test-XXXXXX") || exit 1
mkdir -m 700 "$T/run" || exit 1
UT_RUNDIR=$T/run
export UT_RUNDIR
UTD_PID=
CHILDREN=

# Of these processes, those that are still the test's: it may have waited for
# one, and another process have its number by now.
still_ours() {
	ps -A -o pid= -o ppid= -o pgid= -o args= |
	    awk -v me=$$ -v list=" $* " -v dir="$T" '
	$1 == me { group = $3 }
	index(list, " " $1 " ") {
		pgid[$1] = $3
		sure[$1] = $2 == me || index($0, dir)
	}
	END {
		for (p in pgid)
			if (sure[p] || pgid[p] == group)
				print p
	}'
}

finish() {
	[ -z "$CHILDREN" ] || kill -9 $(still_ours $CHILDREN) 2>/dev/null
	stop_utd
	# What is in memory of a utd that was killed.
	limit=
	! command -v timeout >/dev/null 2>&1 || limit="timeout 30"
	for state in "$T"/state "$T"/*/state "$T"/*/*/state; do
		[ ! -f "$state" ] || UT_RUNDIR=${state%/state} \
		    $limit utctl recover
	done >/dev/null 2>&1
	rm -rf "$T"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

fail() {
	echo "FAIL: $*"
	exit 1
}

skip() {
	echo "SKIP: $*"
	exit 77
}

# What calls compilers by name and links with the library as it was built.
not_cross() {
	case $CC in
	*-m32*)	skip "not with $CC" ;;
	esac
}

# What a sanitizer's run time changes, and this test looks at.
not_sanitized() {
	case $CFLAGS in
	*-fsanitize*)	skip "not with sanitizers" ;;
	esac
}

need() {
	command -v "$1" >/dev/null 2>&1 || skip "no $1 here"
}

# The bytes of all streams below a directory; some wc(1) pad them.
stream_bytes() {
	echo $(find "$1" -type f ! -name metadata ! -name clock -exec cat {} + | wc -c)
}

# A background command that the end of the test kills.
background() {
	"$@" &
	LAST=$!
	CHILDREN="$CHILDREN $LAST"
}

start_utd() {
	utd -d -r "$UT_RUNDIR" "$@" 2>"$T/utd.log" &
	UTD_PID=$!
	until_ok utctl list || fail "utd does not answer: $(cat "$T/utd.log")"
}

stop_utd() {
	[ -n "$UTD_PID" ] || return 0
	kill "$UTD_PID" 2>/dev/null
	kill -CONT "$UTD_PID" 2>/dev/null	# if the test has failed
	wait "$UTD_PID"
	utd_status=$?
	UTD_PID=
	return $utd_status
}

# expect STATUS PATTERN command...: exit status, and text on stderr or stdout,
# or any.
expect() {
	want=$1 pattern=$2
	shift 2
	"$@" >"$T/out" 2>"$T/err" </dev/null
	got=$?
	[ $got -eq "$want" ] ||
	    fail "$*: status $got, not $want: $(cat "$T/out" "$T/err")"
	[ -z "$pattern" ] || cat "$T/out" "$T/err" | grep -q -e "$pattern" ||
	    fail "$*: no '$pattern' in: $(cat "$T/out" "$T/err")"
}

# How a line ends that stop or destroy prints when nothing went wrong.
BYTES='[0-9]* bytes\( in [^;]*\)\{0,1\}\(; [0-9]* warnings*\(: .*\)\{0,1\}\)\{0,1\}$'

# A complaint: one line on stderr, nothing on stdout, status 1.
complains() {
	pattern=$1
	shift
	expect 1 "$pattern" "$@"
	[ "$(wc -l <"$T/err")" -eq 1 ] ||
	    fail "$*: not one line: $(cat "$T/err")"
	[ ! -s "$T/out" ] || fail "$*: on stdout: $(cat "$T/out")"
}

# expected WHAT: $T/got is the same as the standard input.
expected() {
	diff - "$T/got" >"$T/diff" || fail "$1: $(cat "$T/diff")"
}

# Compile and link with libut: build OUTPUT SOURCE...
build() {
	out=$1
	shift
	$CC $CFLAGS -I"$TOP/libut" -o "$out" "$@" "$LIBUT" $LIBS ||
	    fail "cannot build $out"
}

# A library with nothing in it, for what each has from compiler and linker.
empty_so() {
	: >"$T/empty.c"
	$CC $CFLAGS -fPIC -shared -o "$T/empty.so" "$T/empty.c" ||
	    fail "cannot build empty.so"
}

# Programs that are built from now on look for the system's utd there.
system_at() {
	cp "$LIBUT" "$T/libut.a" || fail "cannot copy $LIBUT"
	for f in find common/rundir; do
		$CC -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
		    -D_TIME_BITS=64 -fvisibility=hidden $CFLAGS -I"$TOP/libut" \
		    -DUT_RUNDIR_SYSTEM="\"$1\"" -c \
		    -o "$T/${f#*/}.o" "$TOP/libut/$f.c" &&
		    ar r "$T/libut.a" "$T/${f#*/}.o" ||
		    fail "cannot build libut"
	done
	LIBUT=$T/libut.a
}

# Record a command into $T/trace: $events and $lost, from what record says.  On a
# machine with much else to do utd may be slow, and programs wait for it.
recorded() {
	rm -rf "$T/trace"
	UT_REGISTER_TIMEOUT=${UT_REGISTER_TIMEOUT:-60000} utctl record \
	    -o "$T/trace" "$@" >"$T/record.out" 2>"$T/record.err" ||
	    fail "record $*: status $?: $(cat "$T/record.err")"
	read -r events lost <<-END
	$(sed -n 's/^utctl: \([0-9]*\) events, \([0-9]*\) lost, .*/\1 \2/p' \
	    "$T/record.err")
	END
}

# narrow FILE WORD N: of the table that begins with the word, none of so many
# columns is wider than what is in it.
narrow() {
	awk -v word="$2" -v n="$3" '
	$1 == word { on = 1; gsub(/ us/, "_us") }
	on && $1 !~ /^([0-9.]+|-)$/ && $1 != word { exit }
	on {
		rest = $0
		for (i = 1; i <= n; i++) {
			match(rest, /^ */)
			if (!(i in gap) || RLENGTH < gap[i])
				gap[i] = RLENGTH
			match(rest, /^ *[^ ]+/)
			rest = substr(rest, RLENGTH + 1)
		}
	}
	END {
		for (i = 1; i <= n; i++)
			if (gap[i] != (i == 1 ? 0 : 2))
				exit 1
	}' "$1" || fail "wide: $(cat "$1")"
}

# Both readers agree on DIR, event by event; -e '*' prints definitions of call
# stacks, too.  Where there is no babeltrace2, one is enough.
readers_agree() {
	utctl view -e '*' "$1" >"$T/view.out" 2>"$T/view.err" ||
	    fail "view $1: $(head -5 "$T/view.err")"
	command -v babeltrace2 >/dev/null 2>&1 || return 0
	babeltrace2 "$1" >"$T/bt2.out" 2>"$T/bt2.err" ||
	    fail "babeltrace2 $1: $(head -5 "$T/bt2.err")"
	if grep -v -i 'discarded' "$T/bt2.err" | grep -q .; then
		fail "babeltrace2 warns: $(head -5 "$T/bt2.err")"
	fi
	./prog/samelines "$T/view.out" "$T/bt2.out" ||
	    fail "babeltrace2 reads $1 differently"
}

# Events that both readers count as discarded in the output of readers_agree.
discarded() {
	awk '/events* discarded/ { n += $2 } END { print n + 0 }' "$T/view.err"
}

# The objects of the sources below here in which grep finds something.
objects_with() {
	find . -name '*.c' -exec grep -l "$@" {} + | sed 's/c$/o/'
}

# Wait until the command succeeds, as long as a slow machine may need.
until_ok() {
	tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 600 ] || return 1
		sleep 0.1
	done
}

# SEED, for what draws random numbers, is new unless it is in the environment:
# then the same numbers come again.
seeded() {
	# Some od(1) pad with zeros, which would make it octal.
	SEED=${SEED:-$(od -An -N4 -tu4 /dev/urandom |
	    awk '{ printf "%.0f\n", $1 }')}
	export SEED
	echo "SEED=$SEED"
}

# $r: a random number below that, which is at most 32768.
draw() {
	[ -n "${random-}" ] || {
		seeded
		random=$((SEED % 2147483648))
	}
	random=$(((random * 1103515245 + 12345) % 2147483648))
	r=$((random / 65536 % $1))
}

# Up to that many milliseconds, less than 100.
nap() {
	draw "$1"
	sleep "0.0$((r / 10))$((r % 10))1"
}

# No process, or only a zombie that nobody waits for.
gone() {
	case $(ps -o stat= -p "$1" 2>/dev/null) in
	''|Z*)	return 0 ;;
	esac
	return 1
}

# Stop processes, and wait until they have: a signal is only sent by kill, and
# threads run on until the system gets round to it.
halt() {
	kill -STOP "$@" || fail "kill -STOP $*"
	for p in "$@"; do
		until_ok halted "$p" || fail "$p does not stop"
	done
}

halted() {
	case $(ps -o stat= -p "$1") in
	T*)	return 0 ;;
	esac
	return 1
}

# The children of utd.
consumers() {
	ps -A -o pid= -o ppid= | awk -v p="$UTD_PID" '$2 == p { print $1 }'
}

# The one that works for that user.
consumer_of() {
	ps -A -o pid= -o ppid= -o uid= |
	    awk -v p="$UTD_PID" -v u="$1" '$2 == p && $3 == u { print $1 }'
}

# Kill that user's consumers until utd starts no more.
give_up() {
	tries=0
	while
		kill -9 $(consumer_of "$1") 2>/dev/null
		! grep -q "consumer of uid $1 is given up" "$T/utd.log"
	do
		tries=$((tries + 1))
		[ $tries -lt 5000 ] || fail "not given up: $(cat "$T/utd.log")"
	done
}

# What ./prog/region says of all regions of utd, each line like that; they are
# found by their names where there is no /proc.
regions() {
	if [ -r /proc/self/fd/0 ]; then
		set -- "$1" /proc/$(consumers)/fd/*
	else
		set -- "$1" $SHM/.*ut-$(printf %x $UTD_PID)-*
	fi
	like=$1
	shift
	./prog/region "$@" >"$T/regions" || return 1
	[ -s "$T/regions" ] && ! grep -q -v -x -e "$like" "$T/regions"
}

# Calls that returned, all together, from files of progress (seq's).
returned() {
	cat "$@" | od -An -v -t u8 |
	    awk '{ for (i = 1; i <= NF; i++) n += $i }
	    END { printf "%.0f\n", n }'
}

# survived FAULTS WHAT RETURNED READ: run.sh says so of the test.
survived() {
	echo "SURVIVED: $1 $2, $3 calls returned, $4 events read back"
}

# The command as a user who is not root.
as_user() {
	if [ "$(id -u)" -eq 0 ]; then
		./prog/asuser 65534 "$@"
	else
		"$@"
	fi
}

# pick PATH: what JSON on stdin has there; see pick.awk.
pick() {
	awk -v want="$1" -f "$TOP/regress/pick.awk"
}

# member SESSION NAME...: what list -j says of it: member s lost, member s
# channels c waits.
member() {
	utctl list -j "$1" | pick "sessions $*"
}

# member_is VALUE SESSION NAME...
member_is() {
	[ "$(shift && member "$@")" = "$1" ]
}

# has_programs SESSION NAME [N]: it lists some of this name, or N of them.
has_programs() {
	[ "$(member "$1" programs | grep -c -x "$2")" ${3:+-eq} ${3:--ne 0} ]
}

# has_sessions N: utd has so many.
has_sessions() {
	[ "$(utctl list -j | pick sessions | wc -l)" -eq "$1" ]
}

# What utd counts of a session: $events, $lost, $bytes.
counts() {
	utctl list -j "$1" >"$T/counts" || fail "list $1"
	events=$(pick "sessions $1 written" <"$T/counts")
	lost=$(pick "sessions $1 lost" <"$T/counts")
	bytes=$(pick "sessions $1 bytes" <"$T/counts")
}

# Events whose names begin so that metadata on stdin or in a file describe, once
# for each of the two classes of streams that a channel has.
described() {
	text=$1
	shift
	echo $(($(grep -c "^	name = \"$text" "$@") / 2))
}

# Sub-buffers of so many that no thread has for itself: ut_subs_reserved.
reserved() {
	if [ "$1" -lt 4 ]; then
		echo 0
	elif [ "$1" -lt 32 ]; then
		echo 1
	elif [ "$1" -lt 512 ]; then
		echo $(($1 / 16))
	else
		echo 32
	fi
}

# Events in what view prints of a directory, with that in them.
count_events() {
	utctl view "$1" 2>"$T/view.err" | grep -c -e "$2"
}

# pulse_start starts prog/pulse, or another command that obeys in the same way;
# pulse tells it something: $answer.
pulse_start() {
	[ $# -gt 0 ] || set -- ./prog/pulse
	trap '' PIPE
	rm -f "$T/to" "$T/from"
	mkfifo "$T/to" "$T/from" || fail "mkfifo"
	"$@" <"$T/to" >"$T/from" &
	PULSE=$!
	CHILDREN="$CHILDREN $PULSE"
	exec 3>"$T/to" 4<"$T/from"
}

pulse() {
	echo "$*" >&3 && read -r answer <&4 || fail "pulse is gone"
}

pulse_on() {
	pulse on
	[ "$answer" = "$1" ]
}

# Wait until the program that pulse_start started has so many threads, where
# that can be seen.
threads() {
	[ -r /proc/$PULSE/task ] || return 0
	until_ok test_threads "$1" ||
	    fail "$2: $(ls /proc/$PULSE/task | wc -l) threads, not $1"
}

test_threads() {
	[ "$(ls /proc/$PULSE/task | wc -l)" -eq "$1" ]
}

# Kill utd alone (0), after its consumers (1), or before them (2).
kill_utd() {
	case $1 in
	0)	victims=$UTD_PID ;;
	1)	victims="$(consumers) $UTD_PID" ;;
	2)	victims="$UTD_PID $(consumers)" ;;
	esac
	for p in $victims; do
		kill -9 "$p" 2>/dev/null
	done
	wait "$UTD_PID" 2>/dev/null
	UTD_PID=
	# A consumer that was just started has the socket for a moment.
	until_ok nobody_listens || fail "a socket without utd"
}

nobody_listens() {
	! utctl list >/dev/null 2>&1
}

kill_consumers() {
	for p in $(consumers); do
		kill -9 "$p" 2>/dev/null
	done
}

# What utd and its consumers have: descriptors, and 0 where that cannot be
# seen; memory; and the ticks, 100 in a second, that they have run.
fds() {
	n=0
	for p in $UTD_PID $(consumers); do
		n=$((n + $(ls "/proc/$p/fd" 2>/dev/null | wc -l)))
	done
	echo $n
}

few_fds() {
	[ "$(fds)" -le "$1" ]
}

# What utd and its consumers have in memory; without files, and the buffers,
# which become more as they are used, where that can be seen.
kilobytes() {
	ps -A -o pid= -o ppid= -o rss= | awk -v p="$UTD_PID" '
	    $1 == p || $2 == p { print $1, $3 }' |
	while read -r pid rss; do
		shared=$(awk '/^Rss(File|Shmem):/ { n += $2 } END { print n }' \
		    "/proc/$pid/status" 2>/dev/null)
		echo $((rss - ${shared:-0}))
	done | awk '{ n += $1 } END { print n + 0 }'
}

ticks() {
	cat $(for p in $UTD_PID $(consumers); do echo "/proc/$p/stat"; done) \
	    2>/dev/null | awk '{ n += $14 + $15 } END { print n + 0 }'
}

# So much memory, and so much after: a sanitizer's run time has its own ways.
not_piled_up() {
	case $CFLAGS in
	*-fsanitize*)	;;
	*)		[ $(($2 - $1)) -lt 20000 ] || fail "$1 kB, then $2" ;;
	esac
}

# They have nothing to do: half a second of one is generous.
idle() {
	before=$(ticks)
	sleep 1
	n=$(($(ticks) - before))
	[ $n -lt 50 ] || fail "$1: $n ticks in a second"
}

# hold command...: in the background until release; $said is the first line
# that it prints.
hold() {
	rm -f "$T/hold" "$T/ready"
	mkfifo "$T/hold" "$T/ready" || fail "mkfifo"
	"$@" <"$T/hold" >"$T/ready" &
	HOLDER=$!
	CHILDREN="$CHILDREN $HOLDER"
	exec 5>"$T/hold"
	read -r said <"$T/ready" || fail "$*"
}

release() {
	exec 5>&-
	wait $HOLDER
}

# good_start starts a session, "good", and a program in it for which nothing
# may change whatever others do, and for root also one of another user.
good_start() {
	utctl create -o "$T/good" good >/dev/null &&
	    utctl enable-event -s good 'seq:*' &&
	    utctl start good >/dev/null || fail "set-up"
	background ./prog/seq -p 1000 1 2 9000000 "$T/progress"
	GOOD=$LAST
	n=1
	if [ "$(id -u)" -eq 0 ]; then
		background ./prog/asuser 65533 ./prog/seq -p 1000 2 1 9000000
		GOOD="$GOOD $LAST"
		n=2
	fi
	until_ok has_programs good seq $n || fail "no programs"
	sleep 0.2
	THEIRS=$(consumers | tr '\n' ' ')
}

# They are there, and nobody had to take over: a consumer that has died does
# not come back, but utd has other children for moments (hangup.c).
theirs() {
	[ "$(consumers | tr '\n' ' ')" = "$THEIRS" ]
}

good_goes_on() {
	until_ok theirs ||
	    fail "$1: other consumers: $(tail -5 "$T/utd.log")"
	for p in $GOOD; do
		gone "$p" && fail "$1: a good program is gone"
	done
	return 0
}

# All that they recorded is there, once; utd ends.
good_end() {
	cp "$T/progress" "$T/snapshot"
	expect 0 "stopped: [0-9]* events, 0 lost, $BYTES" \
	    utctl stop good
	total=$(sed -n 's/.*: \([0-9]*\) events.*/\1/p' "$T/out")
	kill -9 $GOOD
	stop_utd || fail "utd: status $? $(tail -5 "$T/utd.log")"
	grep -i -e sanitizer -e 'runtime error' "$T/utd.log" &&
	    fail "$(cat "$T/utd.log")"
	readers_agree "$T/good"
	./prog/seqcheck -s 1:"$T/snapshot" <"$T/view.out" >"$T/got" ||
	    fail "$(cat "$T/got")"
	read -r events writers missing <"$T/got"
	echo "$events events, gaps of $missing"
	[ "$missing" -eq 0 ] || fail "gaps of $missing"
	[ "$events" -eq "$total" ] || fail "$events events, not $total"
}
