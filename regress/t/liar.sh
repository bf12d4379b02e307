# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# The consumer of a user says that there are far more bytes than there are:
# root's session, which rotates by size, is not rotated all the time for that.

. ./common.sh
not_sanitized
not_cross
[ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null ||
    skip "only root records other users"
$CC $CFLAGS -std=c11 -D_GNU_SOURCE -I"$TOP/libut" -fPIC -shared \
    -o "$T/liar.so" prog/liar.c $DL 2>"$T/err" ||
    skip "no shared objects: $(head -1 "$T/err")"

LIAR=65534 LIES=$T/lies
export LIAR LIES
: >"$LIES" && chmod 666 "$LIES" && chmod 755 "$T" "$UT_RUNDIR" ||
    fail "set-up"
LD_PRELOAD=$T/liar.so utd -d -r "$UT_RUNDIR" 2>"$T/utd.log" &
UTD_PID=$!
until_ok utctl list || fail "utd: $(cat "$T/utd.log")"

# Sizes are told each time that there is more.
utctl create -o "$T/s" s >/dev/null && utctl enable-channel -i 10ms c &&
    utctl enable-event -c c 'pulse:*' >/dev/null &&
    utctl rotate -z 64k s && utctl start >/dev/null || fail "set-up of s"

chunks() {
	ls "$T/s/archives" 2>/dev/null | grep -c .
}
chunks_are() {
	[ "$(chunks)" -ge "$1" ]
}
lies() {
	wc -c <"$LIES"
}
has_lied() {
	pulse hit 1
	[ "$(lies)" -gt 0 ]
}

pulse_start ./prog/asuser 65534 ./prog/pulse
until_ok has_lied && until_ok chunks_are 1 || fail "not rotated: $(lies)"
began=$(date +%s)
turn=0
while [ $turn -lt 30 ]; do
	pulse hit 1
	sleep 0.1
	turn=$((turn + 1))
done
n=$(chunks)
allowed=$((2 + ($(date +%s) - began) / 10))
echo "$(lies) lies, $n chunks"
[ "$n" -le $allowed ] || fail "$n chunks, not $allowed"

# Of what root records each chunk ends in time.
n=$(chunks)
./prog/pulse >/dev/null <<-END || fail "pulse"
	hit 40000
END
until_ok chunks_are $((n + 1)) || fail "no chunk of root's"

# The chunk that was too early ends later, though nothing more is said.
pulse hit 1
n=$(chunks)
until_ok chunks_are $((n + 1)) || fail "the chunk never ends"
kill -9 $PULSE
utctl destroy s >/dev/null || fail "destroy"
stop_utd || fail "utd: status $?"
