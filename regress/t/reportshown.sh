# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A browser shows the page of utctl report: no error, the figures of stat, and
# what keys and clicks do.

. ./shared/gone.sh
. ./shared/heaps.sh
need python3
need chromium

recorded -- ./prog/pairs 50
mv "$T/trace" "$T/a" || fail "mv"
utctl report "$T/a" >"$T/page.html" 2>"$T/err" &&
    utctl stat -j "$T/a" >"$T/stat" || fail "report: $(cat "$T/err")"
mkdir "$T/home" || fail "mkdir"

set -- "$(command -v chromium)" "$T/page.html" "$T/stat" "$T/home"
# page_of NAME: the page of a trace, of the packets on the standard input.
page_of() {
	trace "$1"
	utctl report "$T/$1" >"$T/$1.html" 2>"$T/err" ||
	    fail "$1: $(cat "$T/err")"
}
# What is not known is not none.
page_of pair <<-END
	c_0 0 1 2 0 0 0 1 5
	c_0 0 4 90 1 7 1 5 5
END
set -- "$@" "$T/pair.html" '7 of 9 events (77.8 %)' -m\ block \
    'Slowest: not known: events were lost, and all pairs left out: 1'
page_of lock <<-END
	c_0 0 1 2 0 0 6 1 5 7 2 5
	c_0 0 4 90 1 7 8 5 5
END
set -- "$@" "$T/lock.html" 'no thread had to wait, as far as is known: events' \
    'left out: 1'
page_of free <<-END
	c_0 0 1 5 0 0 6 1 5 7 2 5 8 5 5
END
set -- "$@" "$T/free.html" 'free: 4 s, ' 'Losses: none' \
    'no thread had to wait for a mutex or a read-write lock'
# Who waits though nobody has the lock is not said to wait for somebody.
page_of wait <<-END
	c_0 0 1 20 0 0 6 1 5 7 2 5 8 9 5
	c_1 1 1 20 0 0 6 3 6 7 10 6 8 20 6
END
set -- "$@" "$T/wait.html" 'Locks: threads waited 7 s in all for 0x0, which ' \
    '1 time; the longest wait, 7 s of -[:6], was while -[:5] had 0x0'
# Calls of which the end alone tells are below those that they are in, and the
# page begins with them.
mkdir "$T/calls" || fail "mkdir"
python3 - "$T/calls" <<'END' || fail "calls"
import struct, sys
open(sys.argv[1] + "/metadata", "w").write("""/* CTF 1.8 */
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
trace { major = 1; minor = 8; byte_order = le;
	packet.header := struct { u32 magic; }; };
stream { event.header := struct { u64 timestamp; }; };
event { name = "func:call"; fields := struct { u64 addr; u64 took; u64 self;
	u64 nested; }; };
""")
with open(sys.argv[1] + "/stream", "wb") as f:
    f.write(struct.pack("<I", 0xC1FC1FC1))
    for event in (15000, 1, 3000, 3000, 1), (16000, 2, 500, 500, 1), \
        (20000, 3, 10000, 6500, 0), (21000, 4, 500, 500, 0):
        f.write(struct.pack("<5Q", *event))
END
utctl report "$T/calls" >"$T/calls.html" || fail "calls"
set -- "$@" "$T/calls.html" 'Slowest: 0x3 took 10'
# A heap of a process that has ended is none.
heaps_trace "$T/heaps"
utctl report "$T/heaps" >"$T/heaps.html" || fail "heaps"
set -- "$@" "$T/heaps.html"
# A thread that has no row keeps no ticks of others away.
awk 'BEGIN {
	printf "c_0 0 1 9999 0 0"
	for (i = 1; i <= 130; i++)
		printf " 2 %d %d", i, i
	print "" }' >"$T/in"
page_of ticks <"$T/in"
set -- "$@" "$T/ticks.html"
# Nothing but losses; and a change, from none, that is not beside a loss.
page_of losses <<-END
	c_0 0 1 2 0 0
	c_0 0 3 9 1 7
END
set -- "$@" "$T/losses.html" 'losses: no events, 7 lost' '7 of 7 events (100 %)'
awk 'BEGIN {
	printf "c_0 0 1 9999 0 0 2 1 1 3 1 1"
	for (i = 5000; i < 9999; i++)
		printf " 2 %d 1 3 %d 1", i, i
	print "" }' >"$T/in"
page_of change <"$T/in"
set -- "$@" "$T/change.html" 'q:close went from 0 to 0.976 a second, and with'
sed 's/ 9999 0 0 2 1 1 3 1 1/ 2 0 0 2 1 1 3 1 1\
c_0 0 2 9999 1 3/' "$T/in" >"$T/in2"
page_of changelost <"$T/in2"
set -- "$@" "$T/changelost.html" 'Changes: not known for times near those'

# A clock that was set: lines and bars of years, of which ns are seen.
page_of years <<-END
	c_0 0 1 1795738600 0 0 0 1 5 1 2 5 0 1795738564 5 1 1795738564 5
END
set -- "$@" "$T/years.html" 'Slowest: p:x took '

# Losses, of which the first begins before the first event.
awk 'BEGIN {
	for (i = 0; i < 1200; i++)
		print "c_0 0", 10 * i + 1, 10 * i + 9, i, i + 7, \
		    2, 10 * i + 3, 1, 3, 10 * i + 5, 1
}' >"$T/in"
page_of before <"$T/in"
set -- "$@" "$T/before.html" '1,199 of 3,599 events'

HOME=$T/home timeout 100 python3 shared/browser.py "$@" 2>"$T/err" ||
    fail "$(cat "$T/err")"
