# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Who loses events, or waits for buffers, is told what helps, by record, stop
# and destroy; and what wrappers record waits for buffers by default.

. ./common.sh

# heard PATTERN: in what record said.
heard() {
	grep -q "$1" "$T/record.err" || fail "no '$1': $(cat "$T/record.err")"
}

unheard() {
	! grep -q "$1" "$T/record.err" || fail "$1: $(cat "$T/record.err")"
}

recorded -n 2 -b 4k -- ./prog/seq 1 4 300000
[ "$lost" -gt 0 ] || fail "nothing was lost"
heard 'channel channel0: .* -n 512 makes more of them, -b longer ones, and with -m block'
recorded -n 2 -b 4k -m overwrite -S -- ./prog/seq 1 1 3000
unheard 'of them'
recorded -n 2 -b 4k -m block -t 0 -- ./prog/seq 1 4 300000
[ "$lost" -gt 0 ] || fail "nothing was lost"
heard 'channel channel0: .* -n 512 makes more of them'
recorded -n 2 -b 4k -m block -- ./prog/seq 1 1 300000
[ "$lost" -eq 0 ] || fail "$lost lost"
recorded -- ./prog/seq 1 1 30
unheard 'of them'

mode() {
	utctl record -r -o "$T/trace" "$@" -- utctl list -j 2>/dev/null |
	    sed 's/.*"channel0"[^{]*"mode":"\([a-z]*\)".*/\1/'
}
case $CFLAGS in
*-fsanitize*)	set -- discard block discard ;;
*)		set -- $(mode) $(mode -w malloc) $(mode -w malloc -m discard) ;;
esac
[ "$*" = "discard block discard" ] || fail "modes: $*"

start_utd
utctl create -o "$T/s" s >/dev/null &&
    utctl enable-channel -n 2 -b 4k c &&
    utctl enable-event -c c '*' && utctl start || fail "set-up"
./prog/seq 1 4 300000
for c in stop destroy; do
	expect 0 'channel c: .* -n 512 makes more of them' utctl $c s
done
utctl create -o "$T/d" s >/dev/null &&
    utctl enable-channel -n 2 -b 32k c &&
    utctl enable-event -c c '*' && utctl start || fail "set-up"
./prog/seq 1 4 600000
expect 0 'channel c: .* -n 8 makes more of them' utctl destroy s

# What is advised is possible: there cannot be longer ones, nor more; for that,
# 256 MB of shared memory are needed.
advised() {
	utctl create -o "$T/$1" m >/dev/null &&
	    utctl enable-channel $2 c && utctl enable-event -c c '*' &&
	    utctl start || fail "set-up of $1"
	UT_REGISTER_TIMEOUT=60000 ./prog/toobig || fail "toobig: $?"
	expect 0 "or if they are longer than one: $3\$" utctl destroy m
}
block='and with -m block programs wait for one'
advised longest '-b 16m -n 2' "-n 8 makes more of them, $block"
room=$(df -Pk "$SHM" 2>/dev/null | awk 'NR == 2 { print $4 }')
[ "${room:-0}" -lt 1000000 ] ||
    advised most '-b 4k -n 65536' "-b makes longer ones, $block"
stop_utd || fail "utd: status $?"
