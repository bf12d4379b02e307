# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Commands that one user wants run all the time do not keep utd from serving
# others: so many begin in a second, and the rest waits.  All have their turn,
# and the session's owner is told.

. ./common.sh

RATE=20	# of a user in a second, and as many at once
user=
if [ "$(id -u)" -eq 0 ] && ./prog/asuser 65534 true 2>/dev/null; then
	user=./prog/asuser\ 65534
	chmod 711 "$T" && chmod 755 "$UT_RUNDIR" || exit 1
fi
mkdir "$T/user" && chmod 777 "$T/user" || exit 1

start_utd
for s in s1 s2; do
	$user utctl create -o "$T/user/$s" $s >/dev/null &&
	    $user utctl enable-channel -s $s -b 4k -n 8 c &&
	    $user utctl enable-event -s $s -c c 'trickle:*' >/dev/null ||
	    fail "set-up of $s"
	i=0
	while [ $i -lt 12 ]; do
		i=$((i + 1))
		$user utctl trigger -e 'trickle:*' -n 1 \
		    -a "exec echo $s $i >>$T/user/ran" $s >/dev/null || fail "trigger"
	done
	$user utctl start $s >/dev/null || fail "start"
done
begun=$(date +%s)
background $user ./prog/trickle 0 2 1000000 1
all_ran() {
	[ "$(sort -u "$T/user/ran" | wc -l)" -eq 24 ]
}
# Each has its turn.
until_ok all_ran || fail "not all ran: $(sort "$T/user/ran" | uniq -c)"
sleep 3
n=$(wc -l <"$T/user/ran")
most=$((RATE + RATE * ($(date +%s) - begun + 1)))
echo $n commands, at most $most
[ "$n" -le "$most" ] || fail "$n commands, not $most"
[ "$n" -ge $((RATE * 2)) ] || fail "only $n commands"
expect 0 "warning: commands wait: at most $RATE of a user begin in a second" \
    $user utctl list s1

# What waits when its session goes is told.
$user utctl destroy s1 >/dev/null || fail "destroy"
until_ok grep -q "s1: the command of trigger [0-9]* was not run" \
    "$T/utd.log" || fail "not told: $(cat "$T/utd.log")"
kill -9 $LAST
wait $LAST 2>/dev/null

# Chunks keep their order, and none is left out.
sleep 1.2
: >"$T/user/chunks"
chmod 666 "$T/user/chunks"
$user utctl rotate -c "echo \"\$1\" >>$T/user/chunks" s2 >/dev/null ||
    fail "rotate -c"
i=0
while [ $i -lt 25 ]; do
	i=$((i + 1))
	$user ./prog/trickle $i 1 1 0 && $user utctl rotate s2 >/dev/null ||
	    fail "rotate"
done
chunks() {
	[ "$(wc -l <"$T/user/chunks")" -ge 25 ]
}
until_ok chunks || fail "not run for all: $(cat "$T/user/chunks")"
sed 's/.*-//' "$T/user/chunks" | sort -n -u >"$T/got"
sed 's/.*-//' "$T/user/chunks" | expected "order of chunks" || exit 1
stop_utd || fail "utd: status $?"
