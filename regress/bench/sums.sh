# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What utctl makes of 3 million calls, beside babeltrace2, which prints them all
# as text: view of a selection, stat, heap and locks.

. bench/common.sh
compile calls bench/calls.c && compile timed bench/timed.c ||
    fail "cannot build"
if [ -n "$QUICK" ]; then
	millions=1 ROUNDS=1
else
	millions=3
fi
absent="no babeltrace2"

# called WHAT ROUNDS: the trace $T/WHAT of $events calls.
called() {
	utctl record -w "$1" -b 1m -n 128 -m block -t 1m -o "$T/$1" -- \
	    "$T/calls" "$1" "$2" 2>"$T/err" || fail "record: $(cat "$T/err")"
	read -r events lost <<-END
	$(sed -n 's/^utctl: \([0-9]*\) events, \([0-9]*\) lost.*/\1 \2/p' \
	    "$T/err")
	END
	[ "$lost" -eq 0 ] || fail "$lost lost"
	[ "$events" -ge $((millions * 1000000)) ] || fail "$events events"
}
# rounds KEY command...: how long it takes, several times.
rounds() {
	key=$1 r=0
	shift
	while [ $r -lt "$ROUNDS" ]; do
		measure "$key" "$T/timed" "$@"
		r=$((r + 1))
	done
}
beside() {
	if command -v babeltrace2 >/dev/null 2>&1; then
		rounds "bt.$1" babeltrace2 "$T/$1"
	fi
}
per_second() {
	ms=$(median "$1")
	[ -z "$ms" ] || calc "$events / $ms"
}
# against TEXT KEY TRACE
against() {
	u=$(per_second "$2") l=$(per_second "bt.$3")
	row "$1" k/s "$u" "${l:-$absent}" "" ">= 10 x babeltrace2" \
	    "u >= 10 * l"
	u=$(median "$2" 2) l=$(median "bt.$3" 2)
	row "memory at most" kB "$u" "${l:-$absent}" "" "< 8 MB" "u < 8192"
}

called malloc $((millions * 500000))
beside malloc
rounds all utctl view "$T/malloc"
against "view (babeltrace2), names of callers" all malloc
rounds some utctl view -e libc:malloc -f 'size > 2000' "$T/malloc"
against "view -e -f (babeltrace2: all)" some malloc
rounds thread utctl view -t calls -x libc:free -b +10ms "$T/malloc"
against "view -t -x -b (babeltrace2: all)" thread malloc
rounds stat utctl stat "$T/malloc"
against "stat (babeltrace2: text)" stat malloc
rounds values utctl stat -g program -v size "$T/malloc"
against "stat -v (babeltrace2: text)" values malloc
rounds heap utctl heap "$T/malloc"
against "heap (babeltrace2: text)" heap malloc
rm -rf "$T/malloc"
called pthread $((millions * 333334))
beside pthread
rounds locks utctl locks "$T/pthread"
against "locks (babeltrace2: text)" locks pthread
rounds paired utctl stat -D \
    pthread:mutex_request,pthread:mutex_acquired,lock "$T/pthread"
against "stat -D with a key (babeltrace2: text)" paired pthread
