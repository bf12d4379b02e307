# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the tests of snapshots have in common.

. ./common.sh

chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir -m 777 "$T/open" || exit 1
ME=$(id -u)

# A snapshot by utctl; its directory is $shot.
shoot() {
	expect 0 "^session [a-z]*: snapshot of [0-9]* events*: /" \
	    utctl snapshot "$@"
	shot=$(sed 's/.* events*: //' "$T/out")
	told=$(sed 's/.* snapshot of \([0-9]*\) .*/\1/' "$T/out")
	readers_agree "$shot"
	[ "$(wc -l <"$T/view.out")" -eq "$told" ] ||
	    fail "$told events told: $(wc -l <"$T/view.out") there"
}

has_events() {
	[ "$told" -eq "$1" ] || fail "$told events, not $1: $2"
}

# No files but those of snapshots, and none that is half there.
only_shots() {
	find "$1" -type f ! -path "*/snapshots/[!.]*" >"$T/files"
	[ ! -s "$T/files" ] || fail "$2: $(cat "$T/files")"
	hidden=$(find "$1" -name '.utd-*')
	[ -z "$hidden" ] || fail "$2: $hidden"
}
