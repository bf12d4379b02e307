# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# status tells what there is, stop -a and start -a are about all of it, and
# destroy -a leaves nothing of it.

. ./common.sh

complains 'no utd is running' utctl status
complains 'no utd is running' utctl destroy -a
start_utd
me=$(id -u)
first="utd: pid $UTD_PID, uid $me, in $UT_RUNDIR"
is() {
	expect 0 '' utctl status
	printf '%s\n' "$first" "$@" >"$T/want"
	cmp -s "$T/want" "$T/out" || fail "status: $(diff "$T/want" "$T/out")"
	utctl status -j >"$T/out" || fail "status -j"
	./prog/seemly -j <"$T/out" || fail "not JSON: $(cat "$T/out")"
}
is '0 programs' 'no sessions'
expect 0 '^no sessions of yours$' utctl destroy -a
printf '{"pid":%s,"uid":%s,"rundir":"%s","programs":0,"sessions":[]}\n' \
    $UTD_PID "$me" "$UT_RUNDIR" >"$T/want"
expect 0 '' utctl status -j
cmp -s "$T/out" "$T/want" || fail "status -j: $(cat "$T/out")"

utctl create -o "$T/a" a >/dev/null &&
    utctl enable-event 'pulse:a' >/dev/null &&
    utctl start >/dev/null || fail "set-up"
pulse_start
pulse hit 7
utctl create -o "$T/b	c" b >/dev/null || fail "create"
bytes="$(member a bytes) bytes"
is '1 program' "* session b (stopped): $T/b\\tc" \
    '    0 events, 0 lost, 0 bytes, 1 program' \
    "  session a (active): $T/a" "    7 events, 0 lost, $bytes, 1 program"
grep -q '"programs":1,"sessions":\[{"name":"b".*"current":1,[^{]*},{"name":"a",[^{]*"written":7,"lost":0,[^{]*"current":0,[^{]*}\]}$' \
    "$T/out" || fail "status -j: $(cat "$T/out")"
grep -q '"channels"' "$T/out" && fail "all of it: $(cat "$T/out")"
# Another utd knows the same, but for the program, which may not be back yet.
kill_utd 0
start_utd
expect 0 '' utctl status
grep -q "^utd: pid $UTD_PID, " "$T/out" && grep -q '^\* session b ' "$T/out" ||
    fail "another utd: $(cat "$T/out")"
# Without the last one there is no mark.
expect 0 '' utctl destroy
expect 0 '' utctl status
grep -q '^\*' "$T/out" && fail "a mark: $(cat "$T/out")"

# All, and on after one that cannot be destroyed: somebody else's consumer is
# no matter.
for i in 1 2 3 4; do
	utctl create -o "$T/s$i" s$i >/dev/null || fail "create"
done
expect 0 "^session a stopped: 7 events, 0 lost, " utctl stop -a
[ "$(wc -l <"$T/out")" -eq 1 ] || fail "stop -a: $(cat "$T/out")"
expect 0 '^no started sessions of yours$' utctl stop -a
pulse hit 2
until_ok sh -c 'utctl events | grep -q pulse:a' || fail "the program is not back"
expect 0 '^session a started' utctl start -a
[ "$(grep -c '^session .* started: ' "$T/out")" -eq 5 ] ||
    fail "start -a: $(cat "$T/out")"
expect 0 '^no stopped sessions of yours$' utctl start -a
expect 1 '^usage: utctl start \[-a | name\]$' utctl start -a x
pulse hit 3
expect 0 '' utctl destroy -a
[ "$(grep -c '^session s[1-4] destroyed: 0 events, 0 lost, 0 bytes' "$T/out")" \
    -eq 4 ] && grep -q '^session a destroyed: 10 events, 0 lost, ' "$T/out" &&
    [ "$(wc -l <"$T/out")" -eq 5 ] || fail "destroy -a: $(cat "$T/out")"
expect 0 '^no sessions$' utctl list
readers_agree "$T/a"
expect 1 '^usage: utctl destroy \[-a | name\]$' utctl destroy -a x
expect 1 '^usage: utctl status \[-j\]$' utctl status x

# Those of other users are left, and a failure keeps no other from its end.
if [ "$(id -u)" -eq 0 ]; then
	chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir "$T/one" &&
	    chown 65534 "$T/one" || exit 1
	one="./prog/asuser 65534 utctl"
	$one create -o "$T/one/t" theirs >/dev/null &&
	    utctl create -o "$T/mine" mine >/dev/null || fail "create"
	expect 0 "^\* session mine " utctl status
	grep -q '^  session 65534/theirs ' "$T/out" || fail "$(cat "$T/out")"
	expect 0 "^\* session theirs " $one status
	[ "$(grep -c session "$T/out")" -eq 1 ] || fail "$(cat "$T/out")"
	expect 0 '^session mine destroyed' utctl destroy -a
	expect 0 '^no sessions of yours$' utctl destroy -a
	expect 0 '65534/theirs' utctl list
	# A session with programs of two users ends when both consumers do.
	utctl create -o "$T/s1" s1 >/dev/null &&
	    utctl create -o "$T/s2" s2 >/dev/null &&
	    utctl enable-event -s s2 'seq:*' >/dev/null &&
	    utctl start s2 >/dev/null || fail "set-up"
	background ./prog/asuser 65534 ./prog/seq -p 1000 1 1 9000000
	until_ok sh -c "utctl list s2 | grep -q 'registry\|uid 65534, .*[1-9][0-9]* events'" ||
	    fail "no events: $(utctl list s2)"
	theirs=$(ps -A -o pid= -o ppid= -o ruid= |
	    awk -v p="$UTD_PID" '$2 == p && $3 == 65534 { print $1 }')
	halt $theirs
	utctl destroy -a >"$T/out" 2>"$T/err"
	status=$?
	kill -CONT $theirs
	[ $status -eq 1 ] && grep -q '^session s1 destroyed' "$T/out" &&
	    grep -q 'session s2 is stopped, not destroyed' "$T/err" ||
	    fail "one fails: status $status: $(cat "$T/out" "$T/err")"
	until_ok utctl destroy -a || fail "destroy -a, later"
	expect 0 '^session theirs destroyed' $one destroy -a
fi
stop_utd || fail "utd: status $?"
