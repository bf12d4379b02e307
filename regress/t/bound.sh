# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# A session with a size (create -M): its files never have more than that,
# whatever ends and whoever is killed, and can be read.  BOUND_SECONDS=60 is the
# long form.

. ./common.sh

seconds=${BOUND_SECONDS:-5}
size=$((16 << 20))

# Sum up all files of the session, again and again, and note the largest sum.  A
# walk through directories is no moment: what two walks have was there between.
sizes() {
	find "$1" -type f -printf '%i %s\n' 2>/dev/null
}
watch() {
	max=0
	while :; do
		n=$({ sizes "$1"; echo; sizes "$1"; } | awk '
		    NF == 0 { second = 1; next }
		    !second { was[$1] = $2; next }
		    $1 in was { n += was[$1] < $2 ? was[$1] : $2; delete was[$1] }
		    END { print n + 0 }')
		[ "$n" -le "$max" ] || echo "$((max = n))" >>"$2"
		sleep 0.02
	done
}
largest() {
	tail -n 1 "$T/sum.$1"
}
session() {
	utctl create -M 16m -o "$T/$1" "$1" >/dev/null &&
	    utctl enable-channel -s "$1" ${2:-} c &&
	    utctl enable-event -s "$1" -c c 'seq:tick' &&
	    utctl start "$1" >/dev/null || fail "set-up of $1"
	watch "$T/$1" "$T/sum.$1" &
	CHILDREN="$CHILDREN $!"
}
i=0 running=
writer() {
	i=$((i + 1))
	who=
	[ "$(id -u)" -ne 0 ] || [ $((i % 3)) -ne 0 ] ||
	    who="./prog/asuser 65533"
	$who ./prog/seq -p 1000 $i 64 90000000 &
	CHILDREN="$CHILDREN $!"
	running="$running $!"
}

start_utd
for each in '-M 15m' '-M 16777215' '-S -M 16m' '-N -M 16m'; do
	complains '-M has to be at least 16m, and for a session' utctl create $each x
done
complains "size '1t': not a number" utctl create -M 1t x
complains '-M 0: without -M' utctl create -M 0 x
chmod 755 "$T" "$UT_RUNDIR"
session u
session o '-m overwrite'
session p -p
complains 'too large for a session of 16777216' \
    utctl enable-channel -s u -b 512k x
expect 0 'at most 16777216 bytes' utctl list u
utctl save >"$T/saved" && grep -q 'create -M 16777216 -o' "$T/saved" ||
    fail "$(cat "$T/saved")"
end=$(($(date +%s) + seconds)) turn=0 faults=0
while [ "$(date +%s)" -lt $end ]; do
	writer
	nap 99
	turn=$((turn + 1))
	case $((turn % 6)) in
	1)	kill_consumers; faults=$((faults + 1)) ;;
	3)	kill_utd 0; start_utd; faults=$((faults + 1)) ;;
	4)	utctl rotate u >/dev/null 2>&1 ;;
	5)	utctl clear u >/dev/null 2>&1 ;;
	esac
	utctl view "$T/p" >/dev/null 2>"$T/view.err"
	set -- $running
	if [ $# -gt 2 ]; then
		kill -9 $1
		wait $1 2>/dev/null
		shift
		running=$*
		faults=$((faults + 1))
	fi
done
kill -9 $running
wait $running 2>/dev/null
for each in u o p; do
	expect 0 'stopped' utctl stop $each
	expect 0 'destroyed' utctl destroy $each
	echo "$each: $(cat "$T/out"); largest $(largest $each)," \
	    "now $(find "$T/$each" -type f -printf '%s\n' |
	    awk '{ n += $1 } END { print n }')" \
	    "in $(ls "$T/$each/archives" | wc -l) chunks"
	[ "$(largest $each)" -le $size ] ||
	    fail "$each: $(largest $each) bytes"
	[ $each = u ] || [ "$(largest $each)" -gt $((size / 4)) ] ||
	    fail "$each: only $(largest $each) bytes"
	[ -z "$(ls -d "$T/$each"/chunk-* 2>/dev/null)" ] ||
	    fail "$(find "$T/$each" ! -path "*/archives/*")"
	case $each in
	u)	readers_agree "$T/$each" ;;
	*)	utctl view "$T/$each" >/dev/null 2>&1 || fail "view $each" ;;
	esac
done
# A user who stops the own consumer has others lose nothing.
if [ "$(id -u)" -eq 0 ] && ./prog/asuser 65533 true 2>/dev/null; then
	utctl create -M 16m -o "$T/w" w >/dev/null &&
	    utctl enable-channel -s w -b 16k -n 128 c &&
	    utctl enable-event -s w -c c 'seq:tick' &&
	    utctl start w >/dev/null || fail "set-up of w"
	./prog/asuser 65533 ./prog/seq 1 1 1000 || fail "seq"
	stopped=$(ps -A -o pid= -o ppid= -o uid= |
	    awk -v p="$UTD_PID" '$2 == p && $3 == 65533 { print $1 }')
	halt $stopped
	./prog/seq -p 1 2 8 50000 || fail "seq"
	utctl list w >"$T/out" && grep -q ' 0 lost' "$T/out" &&
	    grep -q 'uid 65533 goes with the next' "$T/out" ||
	    fail "a consumer is stopped: $(cat "$T/out")"
	kill -CONT $stopped
	# One that is late has a second when utd ends; or is heard again.
	until_ok utctl destroy w || fail "not destroyed: $(utctl list w)"
fi
echo "$faults faults while sessions are bound"
stop_utd || fail "utd: status $?"
