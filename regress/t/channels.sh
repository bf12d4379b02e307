# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Channels: each has its geometry and its own copy of what its rules want;
# and so have two sessions at once.

. ./common.sh

start_utd
utctl create -o "$T/one" one >/dev/null &&
    utctl enable-channel -b 4k -n 2 small &&
    utctl enable-channel -b 1m -n 4 large &&
    utctl enable-event -c small 'pulse:a' 'pulse:b' 'pulse:*' &&
    utctl enable-event -c large '*:a' 'pulse:a' || fail "set-up of one"
utctl create -o "$T/two" two >/dev/null &&
    utctl enable-event 'other:*' && utctl start one && utctl start two ||
    fail "set-up of two"
expect 0 'channel small: discard, 2 sub-buffers of 4k' utctl list one
expect 0 'channel large: discard, 4 sub-buffers of 1024k' utctl list one
expect 0 'channel channel0: discard, 512 sub-buffers of 16k' utctl list two

pulse_start
pulse_on abco || fail "$answer"
pulse hit 10
expect 0 'one stopped: 50 events, 0 lost' utctl stop one
expect 0 'two stopped: 10 events, 0 lost' utctl stop two
n() {
	[ "$(count_events "$1" "$2")" -eq "$3" ] ||
	    fail "$1: $(count_events "$1" "$2") $2, not $3"
}
n "$T/one" pulse:a 20
n "$T/one" pulse:b 10
n "$T/one" pulse:c 10
n "$T/one" other:a 10
n "$T/two" '' 10
n "$T/two" other:a 10
for c in small large; do
	set -- "$T"/one/ust/uid/*/*/${c}_0
	[ -s "$1" ] || fail "no file of channel $c"
done
[ "$(utctl view "$T/one" | sed -n 's/.*pulse:a.* n = \([0-9]*\).*/\1/p' |
    sort -n | uniq -c | awk '$1 == 2' | wc -l)" -eq 10 ] ||
    fail "not each event of two channels once in each"

# The geometry is that of the buffers: once all were empty nobody empties them,
# so what fits in is written and the rest is lost, in that channel alone.
expect 0 '' utctl start one
expect 0 '' utctl start two
until_ok pulse_on abco || fail "$answer"
until_ok regions '.* 0 full' || fail "not drained: $(cat "$T/regions")"
kids=$(consumers)
halt $kids
pulse hit 2000
kill -CONT $kids
expect 0 'one stopped' utctl stop one
expect 0 'two stopped: 2010 events, 0 lost' utctl stop two
utctl list one >"$T/list"
set -- $(member one channels small registries "$(id -u)" written) \
    $(member one channels small registries "$(id -u)" lost)
[ $# -eq 2 ] || fail "no counts of small: $(cat "$T/list")"
[ $(($1 + $2)) -eq 6030 ] || fail "small: $1 + $2 are not 6030"
# 8 kB of events of 12 to 19 bytes and more.
[ "$1" -gt 330 ] && [ "$1" -lt 800 ] || fail "small: $1 fitted into 8 kB"
member_is 4020 one channels large registries "$(id -u)" written &&
    member_is 0 one channels large registries "$(id -u)" lost ||
    fail "large: $(cat "$T/list")"
readers_agree "$T/one"
readers_agree "$T/two"

# The largest buffers of a channel are no more than the 4 GB that programs take:
# with the header and all slots, and for each sub-buffer its state and what a
# session adds that keeps what it records.
complains 'more than 4 GB: there can be [0-9]*$' \
    utctl enable-channel -s two -b 512k -n 8188 most
n=$(sed 's/.* //' "$T/err")
size=$((896 + 8192 * 128 + 4096 + n * (128 + 80 + 524288)))
[ $size -le 4294967296 ] && [ $((size + 2 * 524288)) -gt 4294967296 ] ||
    fail "$n sub-buffers: $size bytes"
complains "there can be $n\$" \
    utctl enable-channel -s two -b 512k -n $((n + 1)) most
expect 0 '' utctl enable-channel -s two -b 512k -n "$n" most
expect 0 '' utctl destroy one
expect 0 '' utctl destroy two
stop_utd || fail "utd: status $?"
