# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# Three hosts: namespaces of networks, names and time, with a utd each.  A
# client asks two servers, whose clocks are then said to be others: skew finds by
# how much, and after that no effect comes before its cause, whatever shows it.
# A host is killed meanwhile.  REQUESTS is how many there are.

. ./common.sh

not_sanitized
need unshare
need ip
[ "$(uname)" = Linux ] && [ "$(id -u)" -eq 0 ] || skip "for root of Linux"
case $CFLAGS in
*-DUT_POSIX*)	skip "plain POSIX does not know of time namespaces" ;;
esac
: "${REQUESTS:=4000}"

# host NAME SECONDS: a host that has been up for so much longer.
host() {
	unshare -n -u -T --monotonic "$2" -f --kill-child sh -c '
	    hostname "$1" && ip link set lo up && echo $$ >"$2/$1.pid" &&
	    exec sleep 1000' sh "$1" "$T" 2>>"$T/err" &
	CHILDREN="$CHILDREN $!"
	until_ok test -s "$T/$1.pid" || skip "no namespaces: $(cat "$T/err")"
}
on() {
	at=$1
	shift
	nsenter -t "$(cat "$T/$at.pid")" -n -u -T "$@"
}
host client 0
host one 100000
host two 7000000
n=1
for name in one two; do
	ip link add "c$n" netns "$(cat "$T/client.pid")" type veth \
	    peer name s0 netns "$(cat "$T/$name.pid")" 2>"$T/err" ||
	    skip "no veth: $(cat "$T/err")"
	on client ip addr add "10.9.$n.1/24" dev "c$n" &&
	    on client ip link set "c$n" up &&
	    on "$name" ip addr add "10.9.$n.2/24" dev s0 &&
	    on "$name" ip link set s0 up || fail "no network"
	n=$((n + 1))
done

# record NAME ARGUMENT...: the host's program.
record() {
	host=$1
	shift
	on "$host" utctl record -r -o "$T/$host" -k monotonic -m block -- \
	    ./prog/remote "$@" 2>"$T/$host.err"
}
# requests N: all hosts record that many; the servers in the background.
requests() {
	for name in one two; do
		record "$name" serve "$T/$name.done" &
		eval "$name=\$!"
		CHILDREN="$CHILDREN $!"
	done
	record client ask "$1" 10.9.1.2 10.9.2.2 ||
	    fail "client: $(cat "$T/client.err")"
}
# set NAME S: the host's clock is said to have been so many seconds ahead.
set_clock() {
	find "$T/$1" -name metadata | while read -r f; do
		rm -f "${f%metadata}clock"
		awk -v by="$2" '$1 == "offset_s" {
			sub(/[0-9]+/, substr($3, 1, length($3) - 1) + by) }
		{ print }' "$f" >"$T/meta" && cp "$T/meta" "$f"
	done
}
skew() {
	(cd "$T" && utctl skew -D remote:sent,remote:received,id \
	    -D remote:answered,remote:got,id "$@")
}

requests "$REQUESTS"
wait "$one" "$two" || fail "servers: $(cat "$T/one.err" "$T/two.err")"
# The times of namespaces are no skew.
skew client one >"$T/one.told" && skew client two >"$T/two.told" ||
    fail "skew: $(cat "$T/one.told" "$T/two.told")"
cat "$T/one.told" "$T/two.told"
# near NAME NS: the offset is that, within the error that is told.
near() {
	skew -j client "$1" | awk -v want="$2" '{
		match($0, /"offset_ns":"[-0-9]*","error_ns"/)
		split(substr($0, RSTART), f, /"/)
		off = f[4] - want
		if (off < 0)
			off = -off
		exit !(f[8] > 0 && off <= f[8] && f[8] < 1e9)
	}' || fail "$1: not $2: $(skew client "$1")"
}
near one 0
near two 0
set_clock one 17
set_clock two -3600
near one -17000000000
near two 3600000000000
one=$(skew -q client one) two=$(skew -q client two)
(cd "$T" && utctl view -o host,event,fields -e 'remote:*' client "$one" \
    "$two") >"$T/view" || fail "view"
awk -v n="$REQUESTS" '
BEGIN { order["sent"] = 1; order["received"] = 2; order["answered"] = 3
    order["got"] = 4 }
{
	sub(/remote:/, "", $2)
	if (order[$2] != was[$6] + 1) {
		print "line " NR ": " $0
		bad++
	}
	was[$6] = order[$2]
}
END { exit bad > 0 || NR != 4 * n }' "$T/view" ||
    fail "an effect comes before its cause: $(head -3 "$T/view")"
cd "$T" || exit 1
utctl view -j client "$one" "$two" >"$T/j" || fail "view -j"
[ "$(grep -c '"host":"[a-z]*".*"id":'$((REQUESTS - 1))'[,}]' "$T/j")" -eq 4 ] ||
    fail "JSON: $(grep '"id":'$((REQUESTS - 1))'[,}]' "$T/j")"
utctl report -D remote:sent,remote:got,id client "$one" "$two" >"$T/page" ||
    fail "report"
utctl export -F otlp -D remote:received,remote:answered,id \
    -D remote:sent,remote:got,id client "$one" "$two" >"$T/otlp" ||
    fail "otlp"
grep -o '"traceId":"[0-9a-f]*"' "$T/otlp" | sort | uniq -c |
    awk -v n="$REQUESTS" '$1 != 2 { bad++ } END { exit bad > 0 || NR != n }' ||
    fail "otlp: not a trace of two spans for each request"
for name in client one two; do
	grep -q "$name" "$T/page" || fail "report: no $name"
	grep -q "$name" "$T/otlp" || fail "otlp: no $name"
done

# All that host two runs is killed meanwhile: what it recorded is there.
run() {
	on two env UT_RUNDIR="$T/run2" "$@"
}
mkdir -m 700 run2
rm -r two two.done
run utd -d -r "$T/run2" 2>utd.log &
CHILDREN="$CHILDREN $!"
until_ok run utctl list || fail "utd: $(cat utd.log)"
run utctl create -o "$T/two" s >/dev/null && run utctl enable-event \
    'remote:*' >/dev/null && run utctl start || fail "set-up"
cd "$TOP/regress" || exit 1
run ./prog/remote serve "$T/two.done" 2>"$T/two.err" &
CHILDREN="$CHILDREN $!"
record one serve "$T/one.done" &
one=$!
record client ask 100000 10.9.1.2 10.9.2.2 &
client=$!
CHILDREN="$CHILDREN $one $client"
done_some() {
	done=$(od -An -t u4 "$T/two.done" 2>/dev/null |
	    awk '{ print $1 + $2 }')
	[ "${done:-0}" -gt 500 ]
}
until_ok done_some || fail "no requests: $(cat "$T/two.err")"
# Its clock is its namespace's, which stays.
uts=$(readlink "/proc/$(cat "$T/two.pid")/ns/uts")
for p in /proc/[0-9]*; do
	[ "$(readlink "$p/ns/uts" 2>/dev/null)" != "$uts" ] ||
	    grep -Eq '^(sleep|unshare)$' "$p/comm" ||
	    kill -9 "${p#/proc/}" 2>/dev/null
done
wait "$client" "$one" || fail "client: $(cat "$T/client.err" "$T/one.err")"
run utctl recover >"$T/out" || fail "recover"
done_some
n=$(utctl view "$T/two" | wc -l)
[ "$n" -ge $((2 * done)) ] && [ "$n" -le $((2 * done + 2)) ] ||
    fail "$n events of $done requests"
skew -q client two >"$T/offset" || fail "skew: $(skew client two)"
(cd "$T" && utctl view -e 'remote:*' client "$(cat offset)") | awk '
BEGIN { order["sent"] = 1; order["received"] = 2; order["answered"] = 3
    order["got"] = 4 }
{
	sub(/.*remote:/, "")
	id = $5
	if (id % 2 != 0 && order[$1] != was[id] + 1) {
		print
		exit bad = 1
	}
	was[id] = order[$1]
	n += $1 == "got" && id % 2 != 0
}
END { exit bad || n < 500 }' || fail "cause and effect of host two"
