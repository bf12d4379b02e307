# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# LTTng: the one that is installed, or with LTTNG=dir the one that was installed
# below that directory, see the page PEERS.  Its programs are the first in PATH,
# and $LTTNG_CC are options for the compiler, by which programs find its
# libraries, too.

LTTNG_CC=-llttng-ust
if [ -n "${LTTNG:-}" ]; then
	PATH=$LTTNG/bin:$PATH
	LTTNG_CC="-I$LTTNG/include -L$LTTNG/lib -Wl,-rpath,$LTTNG/lib $LTTNG_CC"
fi
LTTNG_CC="$LTTNG_CC -ldl"

# LTTng's programs: false if they are not here, or not below that directory.
lttng_here() {
	if [ -n "${LTTNG:-}" ]; then
		[ -x "$LTTNG/bin/lttng-sessiond" ]
	else
		command -v lttng-sessiond >/dev/null 2>&1
	fi
}

# What LTTng's library leaves in /dev/shm: lt_look notes what is there before,
# and lt_tidy takes away what is new.
lt_look() {
	[ -e "$T/lt.before" ] ||
	    ls /dev/shm/lttng-ust-wait-* >"$T/lt.before" 2>/dev/null
}
lt_tidy() {
	[ -e "$T/lt.before" ] || return 0
	for lt_file in /dev/shm/lttng-ust-wait-*; do
		grep -q -x -e "$lt_file" "$T/lt.before" || rm -f "$lt_file"
	done
}

# LTTng's daemons, with a home of their own, for this user.
lt_up() {
	lt_look
	mkdir -p -m 700 "$T/lt"
	LTTNG_HOME=$T/lt
	export LTTNG_HOME
	lttng-sessiond --no-kernel >"$T/sessiond.log" 2>&1 &
	SESSIOND_PID=$!
	until_ok lttng --no-sessiond list ||
	    fail "lttng-sessiond: $(head -3 "$T/sessiond.log")"
	lt_format
}

lt_down() {
	[ -n "$SESSIOND_PID" ] || return 0
	kill "$SESSIOND_PID" 2>/dev/null
	wait "$SESSIOND_PID" 2>/dev/null
	SESSIOND_PID=
	lt_tidy
}

lt() {
	lttng --no-sessiond -q "$@" >"$T/lt.out" 2>&1
}

# Newer ones write CTF 2, which babeltrace2 reads since 2.1, unless they are
# asked for what the old ones write.
lt_format() {
	LT_FORMAT=--trace-format=ctf-1.8
	if lt create --no-output $LT_FORMAT format; then
		lt destroy format
	else
		LT_FORMAT=
	fi
}

# lt_new SESSION DIR EVENT [option of enable-channel ...]: a session that
# records load:EVENT into that directory.  $LT_CREATE and $LT_CONTEXTS are
# options of create and, if not empty, of add-context, $LT_FILTER the filter.
LT_CREATE= LT_CONTEXTS= LT_FILTER=
lt_new() {
	new_name=$1 new_dir=$2 new_event=$3
	shift 3
	[ $# -gt 0 ] || set -- $LT_POOL
	lt create $LT_FORMAT $LT_CREATE -o "$new_dir" "$new_name" &&
	    lt enable-channel -u -s "$new_name" "$@" c &&
	    { [ -z "$LT_CONTEXTS" ] ||
	    lt add-context -u -s "$new_name" -c c $LT_CONTEXTS; } &&
	    lt enable-event -u -s "$new_name" -c c "load:$new_event" \
	    ${LT_FILTER:+--filter "$LT_FILTER"} && lt start "$new_name" ||
	    fail "lttng: $(head -3 "$T/lt.out")"
}

# As ut_begin: lt_begin EVENT [option of enable-channel ...].
lt_begin() {
	lt_dir=$WHERE/lttng
	lt_new s "$lt_dir" "$@"
	lt_started=1
}

lt_stop() {
	[ -n "$lt_started" ] || return 0
	lt stop s || fail "lttng: $(head -3 "$T/lt.out")"
	lt_started=
}

# How many events are in a trace; nothing if nobody can count them.  Each of its
# directories is read alone: babeltrace2 reads nothing if it refuses one.
lt_count() {
	command -v babeltrace2 >/dev/null 2>&1 || return 0
	find "$1" -name metadata -type f | while read -r count_file; do
		babeltrace2 "${count_file%/*}" -c sink.utils.counter \
		    --params=step=+0 2>/dev/null
	done | awk '/ Event message/ { n += $1 } END { print n + 0 }'
}

# Sometimes LTTng tells of 2^63 and more events: -1, nobody knows.  Newer ones
# say "records", and have commas in the number.
lt_discarded() {
	lttng --no-sessiond list "$1" | sed -n \
	    's/.*Discarded event\(s\| records\): *\([0-9,]*\).*/\2/p' |
	    tr -d , | awk '{ n += $1 }
	    END { print (NR > 0 && n < 1e15) ? n + 0 : -1 }'
}

# lt_done SESSION DIR [CALLS]: it ends.  $lt_lost, $lt_size, and with the number
# of events that there were, $lt_events of the trace; or nothing if LTTng tells
# how many it lost and LT_HASTE is not empty.  Where it does not tell that, what
# is not there is.
LT_HASTE=
lt_done() {
	lt_lost=$(lt_discarded "$1") lt_events=
	lt destroy "$1" || fail "lttng: $(head -3 "$T/lt.out")"
	[ $# -lt 3 ] || [ $lt_lost -ge ${LT_HASTE:-$((lt_lost + 1))} ] ||
	    lt_events=$(lt_count "$2")
	[ $lt_lost -ge 0 ] || [ -z "$lt_events" ] ||
	    lt_lost=$(($3 - lt_events))
	lt_size=$(sizes "$2")
	rm -rf "$2"
}

lt_end() {
	lt_stop
	lt_done s "$lt_dir" "$@"
}

lt_consumerd() {
	ps -A -o pid= -o ppid= -o comm= | awk -v p="$SESSIOND_PID" '
	$2 == p && /consumerd/ { print $1 }'
}
