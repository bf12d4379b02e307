# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Handlers trace in the middle of an event and leave it by siglongjmp, many
# times: no event after it is lost, on which stack ever the handler ran.
# An event and three handlers one in another is as deep as it goes; what is
# deeper is counted.

. ./common.sh
not_sanitized

try() {
	times=$1 depth=$2 handlers=$3 dropped=$4
	shift 4
	what="$times times $depth $*"
	recorded -- ./prog/jump "$@" $times $depth
	[ "$events $lost" = "$((times * (100 + handlers))) $dropped" ] ||
	    fail "$what: $events events, $lost lost"
	readers_agree "$T/trace"
	[ "$(discarded)" -eq "$dropped" ] || fail "view: $(cat "$T/view.err")"
	cut -d' ' -f4- "$T/view.out" >"$T/got"
	awk 'BEGIN {
		for (n = 0; n < '$times'; n++) {
			for (i = 0; i < '$handlers'; i++)
				printf "jump:handler { n = %d, depth = %d }\n",
				    n, i
			for (i = 0; i < 100; i++)
				printf "jump:good { n = %d, i = %d }\n", n, i
		}
	}' | diff - "$T/got" || fail "$what: other events"
}

# Where a stack begins and ends POSIX does not tell.
bounds="-d -dt -dtf"
case $CFLAGS in
*-DUT_POSIX*)	bounds= ;;
esac
for how in $bounds; do
	try 50 1 1 0 $how
done
for how in "" -a -t -at; do
	try 1 1 1 0 $how
	try 50 1 1 0 $how
	try 50 3 3 0 $how
done
# Of each time the fourth handler, and the event in it.
try 7 5 3 14
try 7 5 3 14 -a

# What an event has that is left as it begins or ends is not gone for others:
# after many jumps of one program another finds room for each event.
start_utd
utctl create -o "$T/leaps" leaps >/dev/null &&
    utctl enable-channel -b 4k -n 4 c && utctl enable-event -c c 'seq:*' \
    'leaps:*' >/dev/null && utctl start >/dev/null || fail "set-up of leaps"
hold ./prog/leaps 15000
echo "$said jumps"
room() {
	counts leaps
	before=$lost
	./prog/seq 1 1 10 && counts leaps && [ "$lost" -eq "$before" ]
}
until_ok room || fail "no room after $said jumps"
regions '[0-8] slots .*' || fail "$said jumps: $(cat "$T/regions")"
release || fail "leaps: $?"
utctl destroy leaps >/dev/null || fail "destroy"
readers_agree "$T/leaps"
stop_utd || fail "utd: $?"
