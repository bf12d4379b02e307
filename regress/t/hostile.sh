# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Peers that know the protocol and mean harm: whatever they say, or do not
# read, utd and other sessions and users go on as before, and neither memory
# nor descriptors nor lines in the log pile up.  So they do when there is
# something else where the consumer wants to write a file.

. ./common.sh

chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
start_utd
good_start
before=$(fds)
memory=$(kilobytes)

for mode in cut fds 'again 300'; do
	./prog/hostile "$UT_RUNDIR" $mode 2>"$T/err" ||
	    fail "$mode: $(cat "$T/err")"
	good_goes_on "$mode"
done
# A connection owns one session at a time, and that ends with it.
no_owned() {
	utctl list >"$T/out" && ! grep -q '^session own' "$T/out"
}
./prog/hostile "$UT_RUNDIR" owned 2>"$T/err" || fail "owned: $(cat "$T/err")"
until_ok no_owned || fail "owned: $(cat "$T/out")"
until_ok few_fds $((before + 8)) || fail "$before descriptors, then $(fds)"
not_piled_up "$memory" "$(kilobytes)"

# Some are let in.
utctl create -o "$T/bad" bad >/dev/null &&
    utctl enable-event -s bad 'fat:*' && utctl start bad >/dev/null ||
    fail "set-up"
for mode in 'deaf 100' 'fat 20'; do
	hold ./prog/hostile "$UT_RUNDIR" $mode
	expect 0 '' utctl list good
	good_goes_on "$mode"
	n=$(kilobytes)
	echo "$mode: $said stay, $memory kB, then $n"
	not_piled_up $((memory + 200000)) "$n"
	release || fail "$mode: status $?"
done
expect 0 '' utctl destroy bad
until_ok few_fds $((before + 8)) || fail "$before descriptors, then $(fds)"

# A FIFO that nobody reads, in place of a stream.
utctl create -o "$T/bad" bad >/dev/null &&
    utctl enable-event -s bad 'hostile:*' && utctl start bad >/dev/null ||
    fail "set-up"
hold ./prog/scribble "$UT_RUNDIR" none 0
mkfifo "$(dirname "$T"/bad/ust/uid/*/*/metadata)/channel0_0" ||
    fail "no directory: $(find "$T/bad")"
release
hold ./prog/scribble "$UT_RUNDIR" times 100
until_ok sh -c "utctl list bad | grep -q 'warning: .*events are lost: '" ||
    fail "the FIFO: $(utctl list bad)"
utctl list bad | grep 'Interrupted' && fail "the consumer waited"
good_goes_on "the FIFO"
release
expect 0 '' utctl stop bad
expect 0 '' utctl destroy bad

n=$(wc -l <"$T/utd.log")
[ $n -le 60 ] || fail "$n lines in the log: $(tail -5 "$T/utd.log")"
grep -q "$(printf '\033')" "$T/utd.log" && fail "names as they are in the log"
idle "after all"
good_end

# One user cannot have all descriptors.
[ "$(id -u)" -eq 0 ] || exit 0
ulimit -n 150 || exit 0
start_utd
hold ./prog/asuser 65534 ./prog/garbage "$UT_RUNDIR" silent 140
utctl create -o "$T/other" s >/dev/null && utctl enable-event '*' &&
    utctl start || fail "no room for root"
./prog/asuser 65533 ./prog/seq 3 1 10
expect 0 's stopped: 10 events, 0 lost' utctl stop
grep -q 'uid 65534 has too many connections' "$T/utd.log" ||
    fail "not said: $(cat "$T/utd.log")"
release
stop_utd || fail "utd: status $?"
