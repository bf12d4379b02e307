# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# However a program ends right after its last event, by its own signal or by
# exec, every event is in the trace.

. ./common.sh

start_utd
utctl create -o "$T/trace" s >/dev/null && utctl enable-event 'seq:tick' &&
    utctl start || fail "set-up"
ulimit -c 0
w=0 total=0
for how in return exit _exit abort segv kill thread exec; do
	for n in 1 999 5000; do
		./prog/ends $w $n $how >/dev/null 2>&1
		w=$((w + 1)) total=$((total + n))
	done
done
./prog/ends $w 999 again $((w + 1)) >/dev/null 2>&1
w=$((w + 2)) total=$((total + 2 * 999))
utctl stop >"$T/stop" || fail "stop"
counts s
[ "$events $lost" = "$total 0" ] || fail "$events of $total, $lost lost"
utctl view "$T/trace" 2>"$T/view.err" | ./prog/seqcheck >"$T/got" ||
    fail "$(cat "$T/view.err")"
[ "$(cat "$T/got")" = "$total $w 0" ] || fail "not $total $w 0: $(cat "$T/got")"
# The one that became another is one process.
pids=$(utctl view "$T/trace" | grep -e "writer = $((w - 1))," \
    -e "writer = $((w - 2))," | cut -d' ' -f3 | sort -u | wc -l)
[ "$pids" -eq 1 ] || fail "exec: $pids processes"
