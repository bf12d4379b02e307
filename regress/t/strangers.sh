# Copyright (c) 2026 The libut authors.  ISC licence: see ../../README.
#
# One who is many users, as with subordinate UIDs: they connect and say
# nothing, or are programs that stay, until nothing is left for such as they
# are.  Root is served all the same, its programs are traced, those of others
# start as if there were no utd, and who says nothing is hung up on.

. ./common.sh

[ "$(id -u)" -eq 0 ] || skip "only root is many users"
chmod 711 "$T" && chmod 755 "$UT_RUNDIR" && mkdir -m 777 "$T/theirs" ||
    fail "chmod"

promptly() {
	took=$(./prog/ms "$@" 2>"$T/err") || fail "$*: $(cat "$T/err")"
	[ "$took" -lt 2000 ] || fail "$*: $took ms"
	[ "$took" -le "$longest" ] || longest=$took
}

# Ten users with more connections each than utd has descriptors.
flood() {	# how
	mkfifo "$T/flood" || fail "mkfifo"
	floods= u=70000
	while [ $u -lt 70010 ]; do
		./prog/asuser $u ./prog/connects "$1" "$UT_RUNDIR/sock" 1 200 \
		    <"$T/flood" >"$T/flood.$u" 2>&1 &
		floods="$floods $!"
		u=$((u + 1))
	done
	CHILDREN="$CHILDREN $floods"
	exec 6>"$T/flood"
	while [ $u -gt 70000 ]; do
		u=$((u - 1))
		until_ok test -s "$T/flood.$u" || fail "$u: not connected"
	done
}

# The FIFO ends for all its readers.  NetBSD wakes one of them each time.
dry() {
	for p in $floods; do
		gone $p || { : <>"$T/flood"; return 1; }
	done
}

ebb() {
	exec 6>&-
	until_ok dry || fail "they do not go"
	wait $floods
	rm "$T"/flood*
}

# Root's, in the session; each time a program that was not there before.
writer=0
roots() {
	promptly utctl list good 6>&-
	writer=$((writer + 1))
	promptly ./prog/seq $writer 1 100 6>&-
	promptly ./prog/asuser 65533 ./prog/seq $((100 + writer)) 1 100 6>&-
}

(ulimit -n 256 && exec utd -d -r "$UT_RUNDIR") 2>"$T/utd.log" &
UTD_PID=$!
until_ok utctl list || fail "utd: $(cat "$T/utd.log")"
utctl create -o "$T/good" good >/dev/null &&
    utctl enable-event -s good 'seq:*' && utctl start good >/dev/null ||
    fail "set-up of good"
longest=0 before=$(fds)
for how in -m -n; do
	flood $how
	roots
	roots
	# The consumer of user 65533 may have come meanwhile, with some.
	[ $how = -n ] || [ "$before" -eq 0 ] ||
	    until_ok few_fds $((before + 50)) ||
	    fail "they keep $(fds), not $before"
	roots
	ebb
done
until_ok ./prog/asuser 65533 utctl list || fail "nothing is given back"
roots
echo "at most $longest ms"

# Sessions and consumers of them all, too, leave what is root's.
u=70000
while [ $u -lt 70200 ]; do
	./prog/asuser $u utctl create -o "$T/theirs/$u" s >"$T/out" 2>&1 ||
	    break
	u=$((u + 1))
done
[ $u -gt 70020 ] && [ $u -lt 70200 ] || fail "$u sessions: $(cat "$T/out")"
grep -q 'Too many open files' "$T/out" || fail "$(cat "$T/out")"
roots
utctl create -o "$T/new" new >/dev/null && utctl enable-event -s new 'seq:*' &&
    utctl start new >/dev/null ||
    fail "root has no session: $(cat "$T/utd.log")"
./prog/seq 50 1 100
expect 0 'new destroyed: 100 events, 0 lost' utctl destroy new
expect 0 'good stopped: [0-9]* events, 0 lost' utctl stop good
readers_agree "$T/good"
i=1
while [ $i -le $writer ]; do
	[ "$(grep -c "writer = $((i * 1024))," "$T/view.out")" -eq 100 ] ||
	    fail "not all of writer $i"
	i=$((i + 1))
done
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"

# What one may have, not all of them may have at once: the first that does not
# get as much has as much as is left.
start_utd
sessions() {	# user
	i=0
	while ./prog/asuser "$1" utctl create -o "$T/theirs/$1.$i" s$i \
	    >"$T/out" 2>&1; do
		i=$((i + 1))
		[ $i -lt 100 ] || fail "100 sessions"
	done
}
u=70000
sessions $u
grep -q "uid $u has too many sessions" "$T/out" || fail "$(cat "$T/out")"
most=$i all=$i
while [ "$i" -eq "$most" ]; do
	u=$((u + 1))
	[ $u -lt 70010 ] || fail "ten users have all"
	sessions $u
	all=$((all + i))
done
grep -q "uid $u has too many sessions" "$T/out" || fail "$(cat "$T/out")"
[ "$i" -gt 0 ] && [ "$i" -ge $((most / 4)) ] || fail "only $i for the last"
./prog/asuser 65533 utctl create -o "$T/theirs/next" next >/dev/null ||
    fail "nothing for the next"
utctl create -o "$T/root" root >/dev/null || fail "nothing for root"
# The next utd has all that there was, and leaves no more than this one.
kill_utd 0
start_utd
has_sessions $((all + 2)) || fail "not all are there again"
complains "uid $u has too many sessions" \
    ./prog/asuser $u utctl create -o "$T/theirs/more" more
utctl create -o "$T/again" again >/dev/null || fail "nothing for root again"
echo "$all sessions of $((u - 69999)) users"
stop_utd || fail "utd: status $?: $(cat "$T/utd.log")"
