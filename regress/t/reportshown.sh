# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A browser shows the page of utctl report: no error, the figures of stat, and
# what keys and clicks do.

. ./common.sh
need python3
need chromium

utctl record -o "$T/a" -- ./prog/pairs 50 2>"$T/err" || fail "$(cat "$T/err")"
utctl report "$T/a" >"$T/page.html" 2>"$T/err" &&
    utctl stat -j "$T/a" >"$T/stat" || fail "report: $(cat "$T/err")"
mkdir "$T/home" || fail "mkdir"
HOME=$T/home timeout 100 python3 shared/browser.py "$(command -v chromium)" \
    "$T/page.html" "$T/stat" "$T/home" 2>"$T/err" || fail "$(cat "$T/err")"
