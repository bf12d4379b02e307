# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program is attached to 32 channels, and to no more.  When one of these goes,
# or a command asks for it, it is attached to the next.

. ./common.sh

start_utd
background ./prog/seq -p 1000 1 1 1000000000 "$T/progress"
until_ok test -s "$T/progress" || fail "no program"
i=0
while [ $i -lt 34 ]; do
	i=$((i + 1))
	utctl create -o "$T/s$i" s$i >/dev/null &&
	    utctl enable-channel -b 4k -n 4 c &&
	    utctl enable-event -c c 'seq:*' >/dev/null &&
	    utctl start >/dev/null || fail "s$i"
done
full='warning: seq ([0-9]*) cannot attach to channel c: too many channels: it has 32 already'
expect 0 "$full" utctl list s33
expect 0 "$full" utctl list s34
! utctl list s32 | grep -q "$full" || fail "$(utctl list s32)"

records() {
	[ "$(member $1 written)" -gt 0 ]
}
one_records() {
	records s33 || records s34
}
# A failed command changes nothing.
expect 0 '' utctl enable-event -s s34 -c c 'seq:*'
expect 0 'session s33 started' utctl start s33
! one_records || fail "in a 33rd channel"
expect 0 '' utctl destroy s1
until_ok one_records || fail "$(utctl list s33)"
! { records s33 && records s34; } || fail "both in place of one"
expect 0 '' utctl destroy s2
until_ok records s33 || fail "$(utctl list s33)"
until_ok records s34 || fail "$(utctl list s34)"
complains 'session s34 is started already' utctl start s34
