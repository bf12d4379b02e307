# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What every bench script begins with:  . bench/common.sh
#
# It runs in regress/, as an ordinary user, and prints rows that bench.sh
# makes a table of; see row.  All that it makes is in $T, on a tmpfs where
# there is one, or BENCHDIR.

TMPDIR=${BENCHDIR:-/dev/shm}
[ -d "$TMPDIR" ] && [ -w "$TMPDIR" ] || TMPDIR=/tmp
export TMPDIR
. ./common.sh
. bench/lttng.sh
trap bench_finish EXIT
chmod 700 "$T"
HOME=$T
export HOME
QUICK=${QUICK:-}
if [ -n "$QUICK" ]; then
	ROUNDS=3 BURSTS=6 SHORT=1000
else
	ROUNDS=5 BURSTS=25 SHORT=2000
fi
# Some have names without the first character.
processors() {
	getconf "_NPROCESSORS_$1" 2>/dev/null ||
	    getconf "NPROCESSORS_$1" 2>/dev/null || echo 1
}
NCPU=$(processors ONLN)
SESSIOND_PID= LT_FORMAT=
LTTNG_ABSENT=
# Where traces go, and a directory elsewhere that is taken away at the end.
WHERE=$T DISK=
# Both tracers have as much memory for sub-buffers: libut's default, for each
# user.  LTTng-UST's is for each processor: its default size, or less where
# that leaves less than four.
POOL=$((8 * 1024 * 1024))
pool_ncpu=$(processors CONF)
LT_SIZE=$((512 * 1024)) LT_NUM=16
while [ $((LT_SIZE * LT_NUM * pool_ncpu)) -gt $POOL ]; do
	if [ $LT_NUM -gt 4 ]; then
		LT_NUM=$((LT_NUM / 2))
	else
		LT_SIZE=$((LT_SIZE / 2))
	fi
done
LT_POOL="--subbuf-size=$LT_SIZE --num-subbuf=$LT_NUM"

bench_finish() {
	trap '' HUP INT TERM
	exec 3>&- 4>&- 5>&-
	lt_down
	finish
	[ -z "$DISK" ] || rm -rf "$DISK"
}

# LTTng's headers come before ours of the same names.
compile() {
	out=$1
	shift
	$CC -std=gnu11 -D_GNU_SOURCE $CFLAGS -Ibench \
	    -idirafter "$TOP/libut" -o "$T/$out" "$@" $LIBS
}

# The programs: load.ut, load.lt where there is LTTng-UST, load.fl.
programs() {
	compile load.ut bench/load.c "$LIBUT" &&
	    compile load.fl -DPLAIN bench/load.c &&
	    compile timed bench/timed.c || fail "cannot build"
	if ! lttng_here; then
		LTTNG_ABSENT="no LTTng here"
	elif ! compile load.lt -DLTTNG bench/load.c $LTTNG_CC 2>"$T/err"; then
		head -n 5 "$T/err" >&2
		LTTNG_ABSENT="not built"
	else
		lt_up
	fi
}

have_lttng() {
	[ -z "$LTTNG_ABSENT" ]
}

# ut_begin EVENT [option of enable-channel ...]: a session "s" that records
# load:EVENT into $WHERE/ut; false if the channel cannot be had.
ut_begin() {
	what=$1
	shift
	ut_dir=$WHERE/ut
	utctl create -o "$ut_dir" s >/dev/null || fail "create"
	if ! utctl enable-channel "$@" c 2>"$T/err"; then
		utctl destroy s >/dev/null
		rm -rf "$ut_dir"
		return 1
	fi
	utctl enable-event -c c "load:$what" >/dev/null && utctl start ||
	    fail "cannot start a session"
}

# ut_done SESSION DIR: it ends.  $ut_events, $ut_lost, $ut_size of the files of
# events.
ut_done() {
	utctl destroy "$1" >"$T/out" || fail "destroy"
	read -r ut_events ut_lost <<-END
	$(sed -n 's/.* \([0-9]*\) events, \([0-9]*\) lost.*/\1 \2/p' "$T/out")
	END
	ut_size=$(sizes "$2")
}

# The session "s" ends; with -k the trace stays.
ut_end() {
	ut_done s "$ut_dir"
	[ "${1:-}" = -k ] || rm -rf "$ut_dir"
}

# Seconds of a processor that processes have used.
cpu() {
	for cpu_pid in "$@"; do
		if [ -r "/proc/$cpu_pid/stat" ]; then
			sed 's/.*) //' "/proc/$cpu_pid/stat" |
			    awk -v hz="$(getconf CLK_TCK)" \
			    '{ print ($12 + $13) / hz }'
		else
			ps -o time= -p "$cpu_pid" | awk -F '[-:]' '{
				n = 0
				for (i = 1; i <= NF; i++) {
					day = NF == 4 && i == 2
					n = n * (day ? 24 : 60) + $i
				}
				print n
			}'
		fi
	done | awk '{ n += $1 } END { print n + 0 }'
}

# told KEY CALLS: note what was lost of so many events, which KEY has timed in
# the session that has just ended, and whether the trace has all the others.
told() {
	case $1 in
	lt.*)	told_n=$lt_events told_lost=$lt_lost ;;
	*)	told_n=$ut_events told_lost=$ut_lost ;;
	esac
	echo "$told_lost" >>"$T/m.$1.lost"
	[ -z "$told_n" ] || [ "$told_lost" -lt 0 ] ||
	    [ $((told_n + told_lost)) -eq "$2" ] ||
	    echo "$told_n of $2" >>"$T/m.$1.not"
}

# ut_ends KEY [CALLS], lt_ends KEY [CALLS]: the session ends, and told() notes
# what became of the events, as many as KEY's last line says.
ut_ends() {
	set -- "$1" "${2:-$(calls "$1")}"
	ut_end
	told "$@"
}
lt_ends() {
	set -- "$1" "${2:-$(calls "$1")}"
	lt_end "$2"
	told "$@"
}

calls() {
	tail -n 1 "$T/m.$1" | awk '{ print $2 }'
}

# Bytes in the files of events below a directory.
sizes() {
	find "$1" -type f -name 'c_*' ! -name '*.idx' -exec wc -c {} \; |
	    awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# measure KEY command ...: the numbers that it prints are kept under that name.
measure() {
	m_key=$1
	shift
	"$@" >"$T/out" || fail "$*: status $?"
	cat "$T/out" >>"$T/m.$m_key"
}

# Several of it at once, and the mean of the first number.
measure_many() {
	many_key=$1 many=$2
	shift 2
	many_pids= many_i=0
	while [ $many_i -lt "$many" ]; do
		"$@" >"$T/out.$many_i" &
		many_pids="$many_pids $!"
		many_i=$((many_i + 1))
	done
	for many_pid in $many_pids; do
		wait "$many_pid" || fail "$*: status $?"
	done
	many_i=0
	while [ $many_i -lt "$many" ]; do
		cat "$T/out.$many_i"
		many_i=$((many_i + 1))
	done | awk '{ s += $1; n += $2 } END { print s / NR, n }' \
	    >>"$T/m.$many_key"
}

# The median of what was measured under KEY, or of another column; or nothing.
median() {
	[ -s "$T/m.$1" ] || return 0
	awk -v c="${2:-1}" '{ print $c }' "$T/m.$1" | sort -n | awk '
	{ v[NR] = $1 }
	END {
		h = int((NR + 1) / 2)
		printf "%.10g\n", NR % 2 ? v[h] : (v[h] + v[h + 1]) / 2
	}'
}

# short KEY PROGRAM EVENT: measure bursts of 1,000 events, one each millisecond.
short() {
	measure "$1" "$T/$2" -b "$SHORT" -e "$3" -n 1000 -p 1 burst
}

# short_ut KEY EVENT [option of enable-channel ...]: the same with libut, in a
# session of its own.
short_ut() {
	short_key=$1
	shift
	ut_begin "$@"
	short "$short_key" load.ut "$1"
	ut_ends "$short_key"
}

# percentiles NAME LIBUT LTTNG FLOOR [TIMES10 TIMES50]: rows of what short() and
# its like have measured under these keys.  TIMES10 is a goal for p10, and
# TIMES50 for p50: at most so many times the number beside libut's.
percentiles() {
	while read -r per_name per_column per_goal; do
		row "$1: $per_name" ns "$(value "$2" "$per_column")" \
		    "$(value "$3" "$per_column")" \
		    "$(value "$4" "$per_column")" \
		    ${per_goal:+"<= $per_goal x peer" "u <= $per_goal * l"}
	done <<-END
	p10 3 ${5:-}
	p50 1 ${6:-}
	p99 4
	p99.9 5
	END
}

# value KEY [COLUMN]: the median, or words if nothing was measured, if events
# were lost, or if those that were timed are not in the trace.
value() {
	unless "$1" "$(median "$1" "${2:-1}")"
}

# unless KEY VALUE: the same, with a value that was made of the medians.
unless() {
	case $1 in
	lt.*)	have_lttng || { echo "$LTTNG_ABSENT"; return; } ;;
	esac
	un_lost=0
	[ ! -s "$T/m.$1.lost" ] || un_lost=$(sum "$1.lost")
	if [ -s "$T/m.$1.not" ]; then
		echo "not measured: $(head -1 "$T/m.$1.not") recorded"
	elif [ "$un_lost" -lt 0 ]; then
		echo "losses unknown"
	elif [ "$un_lost" -gt 0 ]; then
		echo "$un_lost lost"
	else
		echo "$2"
	fi
}

sum() {
	awk -v c="${2:-1}" '{ n += $c } END { printf "%.0f\n", n }' "$T/m.$1"
}

# calc EXPRESSION: nothing and false if a part of it was not measured, and so
# is empty or words.
calc() {
	case $1 in
	' '*|*' '|*'  '*|*'( '*|*[a-df-zA-Z]*)	return 1 ;;
	esac
	awk "BEGIN { printf \"%.6g\n\", $1 }" 2>/dev/null
}

# row NAME UNIT LIBUT LTTNG FLOOR [GOAL CONDITION] ...
# Numbers, or words that say why there is none.  A condition is awk's, of u,
# l and f; it is not decided if it needs a number that is not there.
row() {
	line="$1|$2|$3|$4|$5" row_u=$3 row_l=$4 row_f=$5
	shift 5
	while [ $# -ge 2 ]; do
		line="$line|$1|$(met "$2")"
		shift 2
	done
	echo "$line"
}

met() {
	for met_name in u l f; do
		eval "met_value=\$row_$met_name"
		case $1 in
		*"$met_name"*)
			number "$met_value" || { echo "-"; return; } ;;
		esac
	done
	awk -v u="$row_u" -v l="$row_l" -v f="$row_f" \
	    "BEGIN { print ($1) ? \"yes\" : \"no\" }"
}

number() {
	case $1 in
	''|*[!0-9.e+-]*|[!0-9.-]*)	return 1 ;;
	esac
}

# Whether there are channels with the processor's counter as their clock.
have_cycles() {
	utctl create -o "$T/k" k >/dev/null || fail "create"
	utctl enable-channel -s k -k cycles c >/dev/null 2>&1
	cycles_status=$?
	utctl destroy k >/dev/null 2>&1
	rm -rf "$T/k"
	return $cycles_status
}

# Events in a burst, for so many bytes each: a quarter of the sub-buffers
# that one processor has, so that none is lost.
burst_of() {
	burst_n=$((POOL / 4 / pool_ncpu / $1))
	[ $burst_n -lt 50000 ] || burst_n=50000
	echo $burst_n
}
