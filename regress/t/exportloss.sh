# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# utctl export where events of another channel are lost, nobody makes room; and
# what cannot be exported.

. ./shared/export.sh

seen() {
	utctl view -N "$T/trace" 2>/dev/null | grep -q "$1"
}
start_utd
rm -rf "$T/trace"
utctl create -o "$T/trace" s >/dev/null &&
    utctl enable-channel -b 4k -n 4 c && utctl enable-channel func &&
    utctl enable-event -c c 'work:*' >/dev/null &&
    utctl enable-event -c func 'func:*' >/dev/null &&
    utctl start >/dev/null || fail "loss"
mkfifo "$T/fifo"
background sh -c 'exec ./prog/named <"$1"' sh "$T/fifo"
exec 3>"$T/fifo"
echo 'entry 0x1000 0x1' >&3
until_ok seen 'func:entry' || fail "not recorded"
./prog/pairs 0 || fail "pairs: $?"
stuck=$(consumers)
kill -STOP $stuck
./prog/pairs 2000 || fail "pairs: $?"
echo 'entry 0x1010 0x1' >&3
sleep 0.2
kill -CONT $stuck
until_ok seen '0x1010' || fail "not recorded"
./prog/pairs 100 || fail "pairs: $?"
printf 'exit 0x1010 0x1\nexit 0x1000 0x1\n' >&3
exec 3>&-
wait $LAST
utctl stop s >/dev/null || fail "stop"
stop_utd || fail "utd: status $?"
check loss
python3 "$TOP/regress/shared/otlp.py" "$T/trace" >"$T/out" 2>&1 &&
    grep -q ' [1-9][0-9]*$' "$T/out" || fail "otlp: $(tail -n 3 "$T/out")"
utctl view -jO "$T/trace" | grep '^{"host":".*","discarded":.*"trace":"' \
    >"$T/out" || fail "-O: losses of nowhere"
[ $nE -gt 100 ] || fail "loss: $(cat "$T/counts")"

# What cannot be.
complains '-F svg: there are chrome, perfetto, otlp, otlp-logs, folded, pprof and ctf' \
    utctl export -F svg "$T/trace"
complains "pair 'a:b': not an event" utctl export -D a:b "$T/trace"
complains 'nothing: No such file' utctl export "$T/nothing"
expect 0 'no pairs of events that ended: -D names some, and -w ' \
    utctl export -F folded -e work:alone_begin "$T/trace"
