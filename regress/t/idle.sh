# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Idle threads hold all sub-buffers: they are taken back, a busy thread gets
# what it needs, and nothing that the idle ones said is lost with it.

. ./common.sh

utctl record -o "$T/trace" -b 4k -n 32 -- ./prog/idle 2>"$T/err" ||
    fail "$(cat "$T/err")"
readers_agree "$T/trace"
busy=$(grep -c 'idle:busy' "$T/view.out")
once=$(grep -c 'idle:once' "$T/view.out")
echo "$once of idle threads, $busy of the busy one, $(discarded) discarded"
[ "$busy" -eq 20000 ] || fail "$busy events of the busy thread"
[ "$once" -ge 32 ] || fail "$once events of the idle threads"
[ $((once + $(discarded))) -eq 40 ] || fail "$once + $(discarded) are not 40"
