# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# UT_LOG and UT_VLOG: message, file, line and function, and a message cut to
# 4096 bytes with its NUL.

. ./common.sh

recorded -- ./prog/logs
[ ! -s "$T/record.out" ] || fail "$(cat "$T/record.out")"
readers_agree "$T/trace"
cut -d' ' -f4- "$T/view.out" >"$T/got"
sed -n 1,6p "$T/got" | diff - /dev/fd/3 3<<'END' || fail "other messages"
ut:log { msg = "plain", file = "a file.c", line = 100, func = "in_function" }
ut:log { msg = "2 of two", file = "v.c", line = 150, func = "says" }
ut:log { msg = "-1 s %  2.50 \"c\"", file = "b.c", line = 200, func = "main" }
ut:log { msg = "", file = "b.c", line = 201, func = "main" }
ut:log { msg = "No such file or directory", file = "b.c", line = 203, func = "main" }
ut:log { msg = "if", file = "b.c", line = 207, func = "main" }
END
awk -F'"' 'NR > 6 { printf "%d ", length($2) }' "$T/got" >"$T/lengths"
[ "$(cat "$T/lengths")" = "0 4094 4095 4095 4095 " ] ||
    fail "lengths: $(cat "$T/lengths")"
grep -q Z "$T/view.out" && fail "cut elsewhere"

# The longest do not fit into the smallest sub-buffers.
recorded -b 4k -n 16 -- ./prog/logs
[ "$events $lost" = "7 4" ] || fail "4k: $events events, $lost lost"
