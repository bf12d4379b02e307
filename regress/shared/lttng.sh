# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# LTTng's daemon, of an ordinary user and of the test alone, where it is
# installed.

need lttng
need lttng-sessiond
not_cross
not_sanitized
mkdir "$T/home" && chmod 777 "$T/home" && chmod 711 "$T" || exit 1

# as_lttng COMMAND: with the daemon's directory.
as_lttng() {
	as_user env LTTNG_HOME="$T/home" HOME="$T/home" \
	    LTTNG_UST_REGISTER_TIMEOUT=-1 "$@"
}
lttng() {
	as_lttng lttng "$@" >>"$T/lttng.log" 2>&1
}
must() {
	lttng "$@" || fail "lttng $*: $(tail -5 "$T/lttng.log")"
}
user=
[ "$(id -u)" -ne 0 ] || user="./prog/asuser 65534"
background $user env LTTNG_HOME="$T/home" HOME="$T/home" \
    lttng-sessiond --no-kernel >"$T/sessiond.log" 2>&1
SESSIOND=$LAST
until_ok lttng list || skip "lttng-sessiond: $(tail -1 "$T/sessiond.log")"

# traced NAME CONTEXTS EVENTS [OPTION]: what is run next is in the trace $trace,
# once it has `ended'.  Contexts are words, the option is one of the channel.
traced() {
	trace=$T/home/$1
	must create "$1" --output="$trace"
	must enable-channel -u --subbuf-size=1M --num-subbuf=8 ${4-} c
	for context in $2; do
		must add-context -u -c c -t "$context"
	done
	must enable-event -u -c c "$3"
	must start
}
ended() {
	must stop
	must destroy
}
# with LIBRARY COMMAND: of LTTng's, preloaded.
with() {
	lib=$1
	shift
	as_lttng env LD_PRELOAD="liblttng-ust-$lib.so.1" "$@" >"$T/app.out" \
	    2>"$T/app.err" || fail "$*: $(cat "$T/app.err")"
	! grep -q 'cannot be preloaded' "$T/app.err" ||
	    skip "no liblttng-ust-$lib.so.1 here"
}
