# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A trigger's command is run as the user whose session it is, with little in its
# environment; root may have one in another's session, and nobody else.  The utd
# of a user's own runs it, too.

. ./common.sh

chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir -m 777 "$T/got" || exit 1
GOT=$T/got
ME=$(id -u)
[ "$ME" -ne 0 ] || ME=65534

user() {
	as_user env UT_RUNDIR="$UT_RUNDIR" "$@"
}

start_utd -v
# A user's is the user's, and is run as that; root may have one there, too.
user utctl create -o "$GOT/own" own >/dev/null &&
    user utctl enable-event 'seq:*' >/dev/null &&
    user utctl start >/dev/null || fail "own"
who='exec { id -u; pwd; env; } >>'"$GOT/who.new; mv $GOT/who.new $GOT/who"
user utctl trigger -e 'seq:*' -a "$who" >/dev/null || fail "trigger"
user ./prog/seq 1 1 3 || fail "seq: $?"
until_ok test -e "$GOT/who" || fail "nobody"
[ "$(sed -n 1,2p "$GOT/who" | tr '\n' ' ')" = "$ME / " ] ||
    fail "run as $(cat "$GOT/who")"
if [ "$(id -u)" -eq 0 ]; then
	! grep -v -e '^[0-9]*$' -e '^/$' -e '^HOME=' -e '^LOGNAME=' \
	    -e '^PATH=' -e '^SHELL=' -e '^USER=' -e '^PWD=' -e '^OLDPWD=' \
	    -e '^SHLVL=' -e '^_=' "$GOT/who" || fail "environment"
	rm "$GOT/who"
	expect 0 '^trigger 2: ' utctl trigger -e 'seq:*' -a "$who" own
	user ./prog/seq 2 1 3 || fail "seq: $?"
	until_ok test -e "$GOT/who" || fail "nobody"
	[ "$(sed -n 1p "$GOT/who")" = "$ME" ] || fail "run as $(cat "$GOT/who")"
	# Root's session sees everybody's events; nobody else can change it.
	rm "$GOT/who"
	utctl create -N all >/dev/null && utctl start >/dev/null &&
	    utctl trigger -e 'seq:*' -n 2 -a "$who" >/dev/null || fail "all"
	complains 'session all does not exist' \
	    user utctl trigger -e 'seq:*' -a stop all
	complains 'session 0/all does not exist' user utctl trigger -r 1 0/all
	user ./prog/seq 3 1 2 || fail "seq: $?"
	until_ok test -e "$GOT/who" || fail "nobody"
	[ "$(sed -n 1p "$GOT/who")" = 0 ] || fail "run as $(cat "$GOT/who")"
	utctl destroy all >/dev/null || fail "destroy all"
fi
user utctl destroy own >/dev/null || fail "destroy own"
stop_utd || fail "utd: status $?"

# An ordinary user's own utd.
mkdir -m 777 "$T/theirs" && user mkdir -m 700 "$T/theirs/run" || exit 1
their() {
	as_user env UT_RUNDIR="$T/theirs/run" "$@"
}
rm -f "$GOT/who"
background ./prog/asuser $([ "$(id -u)" -eq 0 ] && echo 65534 || echo -) \
    env ITS=mine utd -d -r "$T/theirs/run" 2>"$T/their.log"
until_ok their utctl list || fail "$(cat "$T/their.log")"
their utctl create -N mine >/dev/null && their utctl start >/dev/null &&
    their utctl trigger -e 'seq:*' -a "$who" >/dev/null || fail "mine"
their ./prog/seq 1 1 1 || fail "seq: $?"
until_ok test -e "$GOT/who" || fail "nobody"
[ "$(sed -n 1p "$GOT/who")" = "$ME" ] && grep -q '^ITS=mine$' "$GOT/who" ||
    fail "$(cat "$GOT/who")"
kill $LAST
wait $LAST || fail "utd: status $?: $(cat "$T/their.log")"
