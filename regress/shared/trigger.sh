# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the tests of utctl trigger have in common.

. ./common.sh

mkdir "$T/got" || exit 1
GOT=$T/got

# What list says of a trigger: field TRIGGER PATTERN [SESSION].
shows() {
	utctl list ${3-} >"$T/shows" && grep -q "^    trigger $1: $2" "$T/shows"
}

say_so() {
	until_ok shows "$@" || fail "trigger $1, not '$2': $(cat "$T/shows")"
}

# Lines in a file of $GOT.
lines() {
	[ -f "$GOT/$1" ] && [ "$(wc -l <"$GOT/$1")" -eq "$2" ]
}
