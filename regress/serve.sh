# Copyright (c) 2026 The libut authors.  ISC licence: see ../README.
#
# For tests of utctl serve, after common.sh.

# serve SESSION [OPTION ...]: in the background; PORT is where.
serve() {
	session=$1
	shift
	rm -f "$T/serve.status" "$T/serve.out"
	(
		status=0
		utctl serve -p 0 "$@" "$session" >"$T/serve.out" \
		    2>"$T/serve.err" || status=$?
		echo $status >"$T/serve.status"
	) &
	SERVE=$!
	CHILDREN="$CHILDREN $!"
	until_ok grep -q '^session ' "$T/serve.out" ||
	    fail "serve: $(cat "$T/serve.err")"
	URL=$(sed -n 's/.*lttng-live //p' "$T/serve.out")
}
# watch NAME: babeltrace2 in the background, until the end.
watch() {
	(
		status=0
		babeltrace2 --no-delta -i lttng-live "$URL" >"$T/$1.out" \
		    2>"$T/$1.err" &
		echo $! >"$T/$1.pid"
		wait $! || status=$?
		echo $status >"$T/$1.status"
	) &
	CHILDREN="$CHILDREN $!"
	eval "WATCH_$1=$!"
}
printed() {
	[ "$(grep -c "$2" "$T/$1.out")" -ge "$3" ]
}
# babeltrace2 2.0.4 shows an old string where there is an empty one.
lines() {
	sed -e 's/pad = "[a-z0-9]*"/pad/' -e 's/thread = "[a-z]*"/thread/' \
	    "$1" | LC_ALL=C sort
}
# watched NAME DIRECTORY: all of it was printed, in the order of time.
watched() {
	eval "wait \$WATCH_$1"
	[ "$(cat "$T/$1.status")" -eq 0 ] ||
	    fail "$1: $(cat "$T/$1.status"): $(tail -5 "$T/$1.err")"
	babeltrace2 --no-delta "$2" >"$T/files.out" 2>"$T/files.err" ||
	    fail "$(cat "$T/files.err")"
	[ -s "$T/files.out" ] || fail "$2: nothing"
	lines "$T/files.out" >"$T/a"
	lines "$T/$1.out" >"$T/b"
	cmp -s "$T/a" "$T/b" || fail "$1: $(wc -l <"$T/b") of" \
	    "$(wc -l <"$T/a"): $(cat "$T/serve.err") $(diff "$T/a" "$T/b" | head -3)"
	cut -c 1-20 "$T/$1.out" | LC_ALL=C sort -c ||
	    fail "$1: not in the order of time"
	[ ! -s "$T/$1.err" ] || fail "$1: $(head -5 "$T/$1.err")"
}
served() {
	wait $SERVE
	[ "$(cat "$T/serve.status")" -eq "$1" ] ||
	    fail "serve: $(cat "$T/serve.status"): $(cat "$T/serve.err")"
}
