# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Idle threads hold all sub-buffers that a thread can have for itself: they are
# taken back, so that a busy thread need not share one, where each event says
# whose it is; and nothing that the idle ones said is lost with it.

. ./common.sh

utctl record -o "$T/trace" -b 4k -n 32 -- ./prog/idle 2>"$T/err" ||
    fail "$(cat "$T/err")"
readers_agree "$T/trace"
busy=$(grep -c 'idle:busy' "$T/view.out")
once=$(grep -c 'idle:once' "$T/view.out")
echo "$once of idle threads, $busy of the busy one, $(discarded) discarded"
[ "$busy" -eq 5000 ] || fail "$busy events of the busy thread"
[ "$once" -eq 80 ] || fail "$once events of the idle threads"
bytes=$(cat "$T"/trace/ust/uid/*/*/channel* | wc -c)
[ "$bytes" -lt 100000 ] || fail "$bytes bytes: the busy thread shared"
