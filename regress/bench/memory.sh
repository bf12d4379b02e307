# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Memory, threads and sizes of files: bench.sh's row 11.  What is in shared
# memory objects is the pool, which both have as large, and is left out.

. bench/common.sh
programs
compile load.so bench/load.c -L"$TOP/libut" -lut -Wl,-rpath,"$TOP/libut" ||
    fail "cannot build"
start_utd

# smaps KEYS PID ...: kB of those keys, but for the pool; or nothing.
smaps() {
	smaps_keys=$1
	shift
	for smaps_pid in "$@"; do
		[ -r "/proc/$smaps_pid/smaps" ] || return 0
		cat "/proc/$smaps_pid/smaps"
	done | awk -v keys="$smaps_keys" '
	/^[0-9a-f]+-[0-9a-f]+ / { pool = $6 ~ /^\/dev\/shm\// }
	!pool && $1 ~ keys { n += $2 }
	END { if (NR > 0) print n + 0 }'
}

rss() {
	rss_kb=$(smaps '^Rss:' "$@")
	# Where that cannot be told apart, it is with what there is of the pool.
	[ -n "$rss_kb" ] || rss_kb=$(for p in "$@"; do
		ps -o rss= -p "$p"
	done | awk '{ n += $1 } END { print n }')
	echo "$rss_kb"
}

# sleeper PROGRAM: runs it until wake; $private and $threads that it has.
sleeper() {
	rm -f "$T/to" "$T/ready"
	mkfifo "$T/to" || fail "mkfifo"
	"$T/$1" sleep <"$T/to" >"$T/ready" &
	sleeper=$!
	exec 5>"$T/to"
	until_ok test -s "$T/ready" || fail "$1 does not start"
	private=$(smaps '^Private_(Clean|Dirty):' $sleeper)
	private=${private:-0}
	threads=$(ls "/proc/$sleeper/task" 2>/dev/null | wc -l)
}

wake() {
	exec 5>&-
	wait $sleeper
}

# Bytes of files without what strip(1) takes away.
stripped() {
	for f in "$@"; do
		strip -o "$T/stripped" "$f" 2>/dev/null ||
		    cp "$f" "$T/stripped"
		wc -c <"$T/stripped"
	done | awk '{ n += $1 } END { print n / 1000 }'
}

# Libraries of LTTng that programs load.
libraries() {
	for f in "$@"; do
		ldd "$f" | awk '/lttng|urcu/ { print $3 }'
	done | sort -u
}

linux=
[ ! -r /proc/self/smaps ] || linux=1

sleeper load.fl
plain_private=$private plain_threads=$threads
wake

ut_begin one
sleeper load.ut
u=$(rss "$UTD_PID" $(consumers))
u_private=$private u_threads=$threads
wake
sleeper load.so
so_private=$private
wake
ut_end
l=$LTTNG_ABSENT l_private=$LTTNG_ABSENT l_threads=$LTTNG_ABSENT
if have_lttng; then
	lt_begin one
	sleeper load.lt
	l=$(rss "$SESSIOND_PID" $(lt_consumerd))
	l_private=$((private - plain_private))
	l_threads=$((threads - plain_threads))
	wake
	lt_end 1
	told lt.sleep 1
	l=$(unless lt.sleep "$l")
	l_private=$(unless lt.sleep "$l_private")
	l_threads=$(unless lt.sleep "$l_threads")
fi
row "daemons, resident, no pool" kB "$u" "$l" "" "<= 4 MB" "u <= 4096"
if [ -n "$linux" ]; then
	row "added to a program, private" kB $((u_private - plain_private)) \
	    "$l_private" "$plain_private"
	row "the same, with libut.so" kB $((so_private - plain_private)) \
	    "$l_private" "$plain_private"
	row "added threads" "" $((u_threads - plain_threads)) "$l_threads" \
	    "$plain_threads" "<= 1" "u <= 1"
else
	row "added to a program" kB "not told here" "" ""
fi

so=$(ls "$TOP"/libut/libut.so.? | head -1)
l=$LTTNG_ABSENT l_all=$LTTNG_ABSENT
if have_lttng && command -v ldd >/dev/null 2>&1; then
	l=$(stripped $(libraries "$T/load.lt"))
	sd=$(command -v lttng-sessiond)
	cd=$(find ${LTTNG:+"$LTTNG"} /usr/lib /usr/local/lib \
	    -name lttng-consumerd 2>/dev/null | head -1)
	tool=$(command -v lttng)
	l_all=$(stripped "$sd" $cd "$tool" \
	    $(libraries "$T/load.lt" "$sd" $cd "$tool"))
fi
row "libraries of a program, stripped" kB "$(stripped "$so")" "$l" "" \
    "<= 64 kB" "u <= 64"
row "library, daemons and tool" kB \
    "$(stripped "$so" "$TOP/utd/utd" "$TOP/utctl/utctl")" "$l_all" "" \
    "<= 300 kB" "u <= 300"
