# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A program forks while other threads of it get and free memory: each child is
# traced, although the library starts a thread there, which needs memory, too.

. ./common.sh
not_sanitized

recorded -- ./prog/forkmalloc 100
[ "$events" -eq 100 ] && [ "$lost" -eq 0 ] ||
    fail "$events events, $lost lost, not 100"
readers_agree "$T/trace"
UT_THREADS=0 ./prog/forkmalloc 20 || fail "without threads: status $?"
./prog/forkmalloc 50 || fail "without utd: status $?"
