# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Saved sessions are loaded when utd starts, before it says that programs can
# connect: of a directory and of files that are the user's own alone.  A file
# that cannot be loaded says so in a line, and the others are loaded.

. ./common.sh

dir=$T/sessions
mkdir "$dir" || exit 1
printf 'create -o %s web\nenable-event "early:*"\nstart\n' "$T/web" >"$dir/a"
printf 'create -N none\nfrobnicate\n' >"$dir/b"
echo 'create -N last' >"$dir/c"
cp "$dir/c" "$dir/d" && chmod 666 "$dir/d" && ln -s c "$dir/e" &&
    mkdir "$dir/f" && cp "$dir/c" "$dir/g~" && cp "$dir/c" "$dir/.h" || exit 1

# begun [option ...]: utd runs when this returns.
begun() {
	utd -r "$UT_RUNDIR" "$@" 2>"$T/said" || fail "utd: $(cat "$T/said")"
	UTD_PID=$(cat "$UT_RUNDIR/utd.pid")
}

# ended: so that the next one can run.
ended() {
	utctl shutdown >/dev/null || fail "shutdown"
	UTD_PID=
}

begun -l "$dir"
expect 0 "session web (active): $T/web" utctl status
grep -q 'session last (stopped)' "$T/out" &&
    [ "$(grep -c session "$T/out")" -eq 2 ] || fail "$(cat "$T/out")"
own="of the user who runs utd, and nobody else may write to it"
cat >"$T/want" <<END
utctl: stdin:2: unknown command 'frobnicate'
utd: $dir/b: not loaded to its end
utd: $dir/d: not loaded, it has to be a regular file $own
utd: $dir/e: not loaded, it has to be a regular file $own
utd: $dir/f: not loaded, it has to be a regular file $own
END
sed 's/to it: .*/to it/' "$T/said" | diff "$T/want" - || fail "said otherwise"

# Another utd that takes over loads nothing: what was destroyed stays so.
utctl destroy last >/dev/null || fail "destroy"
kill_utd 0
begun -l "$dir"
expect 0 "session web (active)" utctl status
grep -q 'session last' "$T/out" && fail "loaded again: $(cat "$T/out")"
ended

# Something is there: that session has to get another directory.
mkdir -p "$T/web" && touch "$T/web/trace" || exit 1
begun -l "$dir"
grep -q "^utctl: stdin:1: .*$T/web" "$T/said" &&
    grep -q "^utd: $dir/a: not loaded to its end" "$T/said" || fail "$(cat "$T/said")"
ended
chmod 770 "$dir"
begun -l "$dir"
expect 0 '^no sessions$' utctl list
grep -q "^utd: $dir: no session is loaded, it has to be $own: " "$T/said" ||
    fail "$(cat "$T/said")"
ended
begun -l "$T/none"
grep -q "^utd: $T/none: no session is loaded: No such file or directory\$" \
    "$T/said" || fail "$(cat "$T/said")"
ended
chmod 755 "$dir" && rm -f "$dir/a" || exit 1

# Somebody else's directory, or one behind somebody else's link, gives root no
# orders.
if [ "$(id -u)" -eq 0 ]; then
	chown 65534 "$dir" || exit 1
	begun -l "$dir"
	expect 0 '^no sessions$' utctl list
	ended
	chown 0 "$dir" && ln -s "$dir" "$T/link" && chown -h 65534 "$T/link" ||
	    exit 1
	begun -l "$T/link"
	expect 0 '^no sessions$' utctl list
	ended
	chown -h 0 "$T/link" || exit 1
	begun -l "$T/link"
	expect 0 'session last' utctl status
	ended
fi

# Without -l, only the utd of the default run directory loads any.
mkdir -p "$T/home/.config/ut" && cp -R "$dir" "$T/home/.config/ut" || exit 1
HOME=$T/home
export HOME
begun
expect 0 '^no sessions$' utctl list
ended
# A trace without an absolute name is below the home directory.
echo 'create -o relative relative' >"$dir/i"
begun -l "$dir"
expect 0 "session relative .*: $T/home/relative" utctl status
ended
[ "$(id -u)" -eq 0 ] || exit 0
chmod 711 "$T" && cp -R "$T/home" "$T/user" && chown -R 65534 "$T/user" ||
    exit 1
unset UT_RUNDIR
XDG_RUNTIME_DIR=$T/user HOME=$T/user
export XDG_RUNTIME_DIR HOME
./prog/asuser 65534 utd 2>"$T/said" || fail "utd: $(cat "$T/said")"
expect 0 'session last (stopped)' ./prog/asuser 65534 utctl status
./prog/asuser 65534 utctl shutdown >/dev/null || fail "shutdown"
