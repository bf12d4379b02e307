# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# What the tests of utctl locks have in common.

. ./common.sh

# The calls of stdin, where "mutex" and so on is a request and its success.
calls() {
	awk '$2 ~ /^(mutex|rdlock|wrlock)$/ {
		print $1, $2 "_request", $3, $4
		$2 = $2 "_acquired"
	}
	{ print }'
}

# The rows of the table of locks, without its cells that have times.
lock_rows() {
	awk '/ lock, its name or first user$/ { on = 1; next }
	/ caller$/ { exit }
	on && $1 != "..." {
		print $1, $2, $3, $4 != "-", $8 != "-", $12, $NF
	}' "$T/out"
}

# Whatever is in $T/trace, computed twice: waits, contended, waits with holders.
compared() {
	utctl view -j "$T/trace" >"$T/json" &&
	    utctl locks -j "$T/trace" >"$T/locks.json" || fail "-j"
	python3 "$TOP/regress/shared/locks.py" "$T/json" "$T/locks.json" >"$T/got" \
	    2>"$T/err" || fail "$(tail -2 "$T/err" | cut -c1-1000)"
}
